#include <functional>
#include <optional>
#include <unordered_map>
#include <utility>

#include <simdjson.h>

#include "data/declared_columns.hpp"
#include "data/record_parser.hpp"
#include "data/text_input.hpp"

namespace jme::data {
namespace {

namespace ondemand = simdjson::ondemand;
static_assert(RecordSource::padding >= simdjson::SIMDJSON_PADDING);

constexpr std::size_t not_taken = static_cast<std::size_t>(-1);
constexpr std::size_t its_time = static_cast<std::size_t>(-2);
// At most this many of the last row's keys are remembered, so that rows cannot fill the memory.
constexpr std::size_t longest_known_key = 256, most_known_keys = std::size_t{1} << 16;

struct NameHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view name) const { return std::hash<std::string_view>{}(name); }
};

/// By default the cell of an absent key.
struct JsonCell {
  CellStatus status = CellStatus::missing;
  bool is_missing = true;
};

// What a JSON value means as a cell; nothing if it is not JSON.
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
  // NaN and Infinity, which Python writes, and numbers beyond the range get their own messages.
  const CellStatus status = parse_number(token, number);
  if (status == CellStatus::not_finite || status == CellStatus::out_of_range)
    return JsonCell{.status = status, .is_missing = is_missing(token)};
  return std::nullopt;
}

// A time is a string as parse_time reads it, or a number of units. `status`: what stands there, where it is
// no time.
std::optional<Seconds> read_time(ondemand::value value, TimeUnit unit, CellStatus& status) {
  std::string_view text;
  double number = 0;
  status = CellStatus::text;
  if (value.get_string().get(text) == simdjson::SUCCESS) {
    const std::optional<Seconds> time = parse_time(text, unit);
    if (!time) status = parse_number(text, number);
    return time;
  }
  if (value.get_double().get(number) != simdjson::SUCCESS) return std::nullopt;
  status = CellStatus::number;
  return time_of(number, unit);
}

/// Each line is judged on its own: an object by its keys, an array by its places if the columns are numbers.
class NdjsonParser final : public RecordParser {
 public:
  explicit NdjsonParser(const InputOptions& options) : RecordParser(options), options_(options) {
    DeclaredColumns declared = declared_columns(options);
    columns_ = std::move(declared.names);
    width_ = declared.width;
    slot_of_place_.assign(width_, not_taken);
    for (std::size_t i = 0; i < columns_.size(); ++i) slot_of_key_.emplace(columns_[i], i);
    for (std::size_t i = 0; i < declared.places.size(); ++i) slot_of_place_[declared.places[i]] = i;
    wants_person_ = !options.person.empty();
    if (wants_person_) slot_of_key_.emplace(options.person, person_slot());
    if (declared.person) slot_of_place_[*declared.person] = person_slot();
    person_is_first_ = declared.person == std::size_t{0};
    last_given_.assign(columns_.size() + 1, 0);
    has_time_ = options.time.has_value();
    time_unit_ = options.time_unit;
    if (options.time) slot_of_key_.emplace(*options.time, its_time);
    if (declared.time_place && !slot_of_place_.empty()) slot_of_place_[*declared.time_place] = its_time;
  }

  [[nodiscard]] std::unique_ptr<RecordParser> clone() const override {
    auto copy = std::make_unique<NdjsonParser>(options_);
    copy->on_missing(rules());
    copy->tell_records(tells_records());
    return copy;
  }

 protected:
  RowStatus parse(std::string_view record, std::span<double> row) override {
    ++rows_;
    end_ = record.data() + record.size();
    is_time_given_ = false;
    time_status_ = CellStatus::missing;
    ondemand::document document;
    ondemand::json_type type{};
    if (parser_.iterate(record.data(), record.size(), record.size() + RecordSource::padding).get(document) !=
            simdjson::SUCCESS ||
        document.type().get(type) != simdjson::SUCCESS)
      return bad({.kind = RowProblem::Kind::not_json});
    const RowStatus status = parse(document, type, row);
    const bool is_json = status == RowStatus::good || problem().kind != RowProblem::Kind::not_json;
    // Something after the closing bracket, where the reading came so far.
    const bool is_whole = is_json && document.current_location().error() == simdjson::OUT_OF_BOUNDS;
    if (!is_whole) {  // a key that was not read may say something else
      forget_person();
      forget_time();
    }
    if (status == RowStatus::good && !is_whole) return bad({.kind = RowProblem::Kind::not_json});
    if (status == RowStatus::good && has_time_ && !time_)
      return bad({.kind = RowProblem::Kind::time, .status = time_status_});
    return status;
  }

  [[nodiscard]] std::string width_rule() const override { return needed(width_); }

 private:
  struct KnownKey {
    std::string key;
    std::size_t slot;
  };

  RowStatus parse(ondemand::document& document, ondemand::json_type type, std::span<double> row) {
    if (type == ondemand::json_type::object) return parse_object(document, row);
    if (type != ondemand::json_type::array) return bad({.kind = RowProblem::Kind::not_json});
    if (slot_of_place_.empty()) return bad({.kind = RowProblem::Kind::array_for_names});
    return parse_array(document, row);
  }

  RowStatus parse_object(ondemand::document& document, std::span<double> row) {
    ondemand::object object;
    if (document.get_object().get(object) != simdjson::SUCCESS)
      return bad({.kind = RowProblem::Kind::not_json});
    std::size_t place = 0, given = 0;
    bool has_two_ids = false;
    std::optional<RowProblem> problem;  // the first; where ids are wanted, the rest is searched for one
    for (auto entry : object) {
      std::string_view key;
      ondemand::raw_json_string raw_key;
      ondemand::value value;
      if (entry.key().get(raw_key) != simdjson::SUCCESS || raw_key.raw() >= end_ ||
          entry.unescaped_key().get(key) != simdjson::SUCCESS || !begins_value(document))
        return bad({.kind = RowProblem::Kind::not_json});
      const std::size_t slot = slot_of(key, place++);
      if (entry.value().get(value) != simdjson::SUCCESS) return bad({.kind = RowProblem::Kind::not_json});
      if (slot == not_taken) continue;
      if (slot == its_time) {
        // Given twice, it is unreadable: nobody knows which of the two is meant.
        time_ =
            std::exchange(is_time_given_, true) ? std::nullopt : read_time(value, time_unit_, time_status_);
        continue;
      }
      if (slot == person_slot()) {
        has_two_ids |= last_given_[slot] == rows_;
        last_given_[slot] = rows_;
        read_person(value);
        continue;
      }
      if (problem) continue;
      if (last_given_[slot] == rows_) {
        problem = {.kind = RowProblem::Kind::repeated_key, .column = slot};
      } else {
        last_given_[slot] = rows_;
        ++given;
        const auto status = read_cell(value, row[slot]);
        if (!status) return bad({.kind = RowProblem::Kind::not_json});
        if (status->status != CellStatus::number && !forgive(slot, status->is_missing, row))
          problem = cell_problem(slot, *status);
      }
      if (problem && !wants_person_) return bad(*problem);
    }
    if (has_two_ids) forget_person();
    if (problem) return bad(*problem);
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
    if (document.get_array().get(array) != simdjson::SUCCESS)
      return bad({.kind = RowProblem::Kind::not_json});
    std::size_t place = 0;
    std::optional<RowProblem> problem;  // reported only if the width is right
    for (auto element : array) {
      if (element.error() != simdjson::SUCCESS || !begins_value(document))
        return bad({.kind = RowProblem::Kind::not_json});
      const std::size_t slot = place < slot_of_place_.size() ? slot_of_place_[place] : not_taken;
      ++place;
      if (slot == its_time) time_ = read_time(element.value_unsafe(), time_unit_, time_status_);
      if (slot == person_slot()) {
        read_person(element.value_unsafe());
        continue;
      }
      if (slot == not_taken || slot == its_time || problem) continue;
      const auto status = read_cell(element.value_unsafe(), row[slot]);
      if (!status) return bad({.kind = RowProblem::Kind::not_json});
      if (status->status != CellStatus::number && !forgive(slot, status->is_missing, row))
        problem = cell_problem(slot, *status);
    }
    if (place != width_) {
      if (!person_is_first_) forget_person();  // as in CSV
      forget_time();
      return bad({.kind = RowProblem::Kind::width, .found = place, .expected = width_, .is_declared = true});
    }
    return problem ? bad(*problem) : RowStatus::good;
  }

  // Where a value is missing, the parser would take what follows for it, and the structure after that for
  // another one, up to beyond the end of the record.
  [[nodiscard]] bool begins_value(ondemand::document& document) const {
    const char* at = nullptr;
    if (document.current_location().get(at) != simdjson::SUCCESS || at >= end_) return false;
    return std::string_view(",:]}").find(*at) == std::string_view::npos;
  }

  [[nodiscard]] std::size_t person_slot() const { return columns_.size(); }

  // An id is text, or a number as it is written: 7 and "7" are the same person, 7.0 is another.
  void read_person(ondemand::value value) {
    std::string_view token = value.raw_json_token();
    token = token.substr(0, token.find_last_not_of(" \t\r\n") + 1);
    forget_person();
    if (token.empty()) return;
    std::string_view text;
    double ignored = 0.0;
    if (token.front() == '"') {
      if (value.get_string().get(text) == simdjson::SUCCESS) set_person(text);
    } else if (value.get_double().get(ignored) == simdjson::SUCCESS) {
      set_person(token);
    }
  }

  // Objects of one file mostly have the same keys in the same order, so the last row's keys are tried before
  // the hash.
  std::size_t slot_of(std::string_view key, std::size_t place) {
    if (place < known_keys_.size() && known_keys_[place].key == key) return known_keys_[place].slot;
    const auto found = slot_of_key_.find(key);
    const std::size_t slot = found == slot_of_key_.end() ? not_taken : found->second;
    if (key.size() > longest_known_key) return slot;
    if (place < known_keys_.size())
      known_keys_[place] = {std::string(key), slot};
    else if (place == known_keys_.size() && place < most_known_keys)
      known_keys_.push_back({std::string(key), slot});
    return slot;
  }

  InputOptions options_;
  ondemand::parser parser_;
  std::unordered_map<std::string, std::size_t, NameHash, std::equal_to<>> slot_of_key_;
  std::vector<KnownKey> known_keys_;
  std::size_t width_ = 0;                   // of arrays, exactly
  std::vector<std::size_t> slot_of_place_;  // arrays: index among the columns taken, or not_taken
  std::vector<std::size_t> last_given_;     // objects: the row that last had the column
  std::size_t rows_ = 0;
  const char* end_ = nullptr;  // of the record
  bool wants_person_ = false, person_is_first_ = false;
  bool has_time_ = false, is_time_given_ = false;
  CellStatus time_status_ = CellStatus::missing;  // what stands in its place, where it is no time
};

}  // namespace

std::unique_ptr<RecordParser> ndjson_parser(const InputOptions& options) {
  return std::make_unique<NdjsonParser>(options);
}

TextInput open_ndjson(const std::string& path, const InputOptions& options) {
  InputOptions lines = options;
  lines.header = false;
  TextInput input(path, lines);
  input.expect_rows(ndjson_parser(lines), lines.may_be_empty);
  return input;
}

}  // namespace jme::data
