#include <algorithm>
#include <functional>
#include <unordered_map>

#include <fmt/format.h>
#include <simdjson.h>

#include <jme/base/errors.hpp>

#include "data/columns.hpp"
#include "data/formats.hpp"
#include "data/text_rows.hpp"

namespace jme::data {
namespace {

namespace ondemand = simdjson::ondemand;
static_assert(LineSource::padding >= simdjson::SIMDJSON_PADDING);

constexpr std::size_t not_taken = static_cast<std::size_t>(-1);

struct NameHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view name) const { return std::hash<std::string_view>{}(name); }
};

/// By default the cell of an absent key.
struct JsonCell {
  CellStatus status = CellStatus::missing;
  bool is_missing = true;
};

// What a JSON value is as a cell; nothing if it is no JSON.
std::optional<JsonCell> read_cell(ondemand::value value, double& number) {
  std::string_view token = value.raw_json_token();
  token = token.substr(0, token.find_last_not_of(" \t\r\n") + 1);
  switch (token.empty() ? '\0' : token.front()) {
    case '"':
    case '{':
    case '[':
    case 't':
    case 'f':
      return JsonCell{.status = CellStatus::text, .is_missing = false};
    default:
      break;
  }
  if (token == "null") return JsonCell{};
  if (value.get_double().get(number) == simdjson::SUCCESS)
    return JsonCell{.status = CellStatus::number, .is_missing = false};
  // NaN and Infinity, which Python writes, and numbers beyond the range deserve their own words.
  const CellStatus status = parse_number(token, number);
  if (status == CellStatus::not_finite || status == CellStatus::out_of_range)
    return JsonCell{.status = status, .is_missing = is_missing(token)};
  return std::nullopt;
}

/// The first line names the columns, as a header does for CSV: by its keys, or by counting its elements.
class NdjsonRows final : public TextRows {
 public:
  NdjsonRows(const std::string& path, const InputOptions& options) : TextRows(path, options) {
    if (!hold_next_line()) refuse_empty();
    const std::vector<std::string> available = first_line(options.columns.empty());
    const std::vector<std::size_t> selected = select_columns(available, options.columns, current_place());
    for (const std::size_t index : selected) columns_.push_back(available[index]);
    if (columns_.empty()) throw DataError(fmt::format("{}: has no numbers", current_place()));
    slot_of_place_.assign(is_object_ ? 0 : available.size(), not_taken);
    for (std::size_t i = 0; i < selected.size(); ++i) {
      if (is_object_)
        slot_of_key_.emplace(columns_[i], i);
      else
        slot_of_place_[selected[i]] = i;
    }
    last_given_.assign(columns_.size(), 0);
  }

 protected:
  RowStatus parse(std::span<double> row) override {
    ++rows_;
    ondemand::document document;
    if (open(document) != simdjson::SUCCESS) return bad({.kind = RowProblem::Kind::not_json});
    const RowStatus status = is_object_ ? parse_object(document, row) : parse_array(document, row);
    // Something after the closing bracket.
    if (status == RowStatus::good && document.current_location().error() != simdjson::OUT_OF_BOUNDS)
      return bad({.kind = RowProblem::Kind::not_json});
    return status;
  }

  [[nodiscard]] std::string_view width_from() const override { return "the first line"; }

 private:
  struct KnownKey {
    std::string key;
    std::size_t slot;
  };

  simdjson::error_code open(ondemand::document& document) {
    const std::string_view text = lines_.text();
    return parser_.iterate(text.data(), text.size(), text.size() + LineSource::padding).get(document);
  }

  // The names of the first line's columns: every key, or only those of numbers.
  std::vector<std::string> first_line(bool only_numbers) {
    const auto malformed = [this] {
      return DataError(fmt::format("{}: not one whole JSON object or array", current_place()));
    };
    ondemand::document document;
    ondemand::json_type type{};
    if (open(document) != simdjson::SUCCESS || document.type().get(type) != simdjson::SUCCESS)
      throw malformed();
    if (type != ondemand::json_type::object && type != ondemand::json_type::array) throw malformed();
    is_object_ = type == ondemand::json_type::object;
    std::vector<std::string> names;
    std::size_t elements = 0;
    if (is_object_) {
      ondemand::object object;
      if (document.get_object().get(object) != simdjson::SUCCESS) throw malformed();
      for (auto entry : object) {
        std::string_view key;
        ondemand::value value;
        if (entry.unescaped_key().get(key) != simdjson::SUCCESS) throw malformed();
        if (entry.value().get(value) != simdjson::SUCCESS) throw malformed();
        double ignored = 0.0;
        const auto status = read_cell(value, ignored);
        if (!status) throw malformed();
        if (!only_numbers || (status->status != CellStatus::text && status->status != CellStatus::missing))
          names.emplace_back(key);
      }
    } else {
      ondemand::array array;
      if (document.get_array().get(array) != simdjson::SUCCESS) throw malformed();
      for (auto element : array) {
        if (element.error() != simdjson::SUCCESS) throw malformed();
        ++elements;
      }
    }
    if (document.current_location().error() != simdjson::OUT_OF_BOUNDS) throw malformed();
    for (const std::string& name : names)
      if (presentable_name(name, current_place()) != name)
        throw DataError(fmt::format("{}: a key contains a line break or a tab", current_place()));
    if (std::max(names.size(), elements) > most_columns)
      throw DataError(fmt::format("{}: has more than {} columns", current_place(), most_columns));
    return is_object_ ? names : numbered_columns(elements);
  }

  RowStatus parse_object(ondemand::document& document, std::span<double> row) {
    ondemand::object object;
    if (const auto error = document.get_object().get(object))
      return bad({.kind = error == simdjson::INCORRECT_TYPE ? RowProblem::Kind::not_object
                                                            : RowProblem::Kind::not_json});
    std::size_t place = 0, given = 0;
    for (auto entry : object) {
      std::string_view key;
      ondemand::value value;
      if (entry.unescaped_key().get(key) != simdjson::SUCCESS)
        return bad({.kind = RowProblem::Kind::not_json});
      const std::size_t slot = slot_of(key, place++);
      if (entry.value().get(value) != simdjson::SUCCESS) return bad({.kind = RowProblem::Kind::not_json});
      if (slot == not_taken) continue;
      if (last_given_[slot] == rows_) return bad({.kind = RowProblem::Kind::repeated_key, .column = slot});
      last_given_[slot] = rows_;
      ++given;
      const auto status = read_cell(value, row[slot]);
      if (!status) return bad({.kind = RowProblem::Kind::not_json});
      if (status->status != CellStatus::number && !forgive(slot, status->is_missing, row))
        return bad(cell_problem(slot, *status));
    }
    if (given == columns_.size()) return RowStatus::good;
    for (std::size_t slot = 0; slot < columns_.size(); ++slot) {
      if (last_given_[slot] != rows_ && !forgive(slot, true, row)) return bad(cell_problem(slot, {}));
    }
    return RowStatus::good;
  }

  static RowProblem cell_problem(std::size_t column, const JsonCell& cell) {
    return {.kind = RowProblem::Kind::cell,
            .column = column,
            .status = cell.status,
            .is_missing = cell.is_missing};
  }

  RowStatus parse_array(ondemand::document& document, std::span<double> row) {
    ondemand::array array;
    if (const auto error = document.get_array().get(array))
      return bad({.kind = error == simdjson::INCORRECT_TYPE ? RowProblem::Kind::not_array
                                                            : RowProblem::Kind::not_json});
    std::size_t place = 0;
    std::optional<RowProblem> problem;  // told only if the width is right
    for (auto element : array) {
      if (element.error() != simdjson::SUCCESS) return bad({.kind = RowProblem::Kind::not_json});
      const std::size_t slot = place < slot_of_place_.size() ? slot_of_place_[place] : not_taken;
      ++place;
      if (slot == not_taken || problem) continue;
      const auto status = read_cell(element.value_unsafe(), row[slot]);
      if (!status) return bad({.kind = RowProblem::Kind::not_json});
      if (status->status != CellStatus::number && !forgive(slot, status->is_missing, row))
        problem = cell_problem(slot, *status);
    }
    if (place != slot_of_place_.size())
      return bad({.kind = RowProblem::Kind::width, .found = place, .expected = slot_of_place_.size()});
    return problem ? bad(*problem) : RowStatus::good;
  }

  // Objects of one file mostly have the same keys in the same order: the last row's are tried before the
  // hash.
  std::size_t slot_of(std::string_view key, std::size_t place) {
    if (place < known_keys_.size() && known_keys_[place].key == key) return known_keys_[place].slot;
    const auto found = slot_of_key_.find(key);
    const std::size_t slot = found == slot_of_key_.end() ? not_taken : found->second;
    if (place < known_keys_.size())
      known_keys_[place] = {std::string(key), slot};
    else if (place == known_keys_.size() && place < most_columns)
      known_keys_.push_back({std::string(key), slot});
    return slot;
  }

  ondemand::parser parser_;
  bool is_object_ = true;
  std::unordered_map<std::string, std::size_t, NameHash, std::equal_to<>> slot_of_key_;
  std::vector<KnownKey> known_keys_;
  std::vector<std::size_t> slot_of_place_;  // arrays: index among the columns taken, or not_taken
  std::vector<std::size_t> last_given_;     // objects: the row that last had the column
  std::size_t rows_ = 0;
};

}  // namespace

std::unique_ptr<RowSource> open_ndjson(const std::string& path, const InputOptions& options) {
  return std::make_unique<NdjsonRows>(path, options);
}

}  // namespace jme::data
