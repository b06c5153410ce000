#include <charconv>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <jme/base/errors.hpp>
#include <jme/workload/workload.hpp>

namespace jme {
namespace {

constexpr std::string_view spellings = "prefix, mean, decay:BETA, window:ROWS or @matrix.npy";

// The whole text as a number, in the C locale whatever the user's is; nothing may follow it.
template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<std::string_view> after(std::string_view text, std::string_view start) {
  if (!text.starts_with(start)) return std::nullopt;
  return text.substr(start.size());
}

bool is_decay(double beta) {
  return beta > 0 && beta < 1;
}

double power(double beta, std::size_t exponent) {
  return std::pow(beta, static_cast<double>(exponent));
}

}  // namespace

Workload prefix() {
  Workload workload;
  workload.kind_ = Workload::Kind::prefix;
  return workload;
}

Workload mean() {
  return {};
}

Workload decay(double beta) {
  if (!is_decay(beta)) throw InvalidParameter("decay", beta, "in (0, 1)");
  Workload workload;
  workload.kind_ = Workload::Kind::decay;
  workload.beta_ = beta;
  return workload;
}

Workload window(std::size_t rows) {
  if (rows == 0) throw InvalidParameter("window", 0, "a whole number of rows, at least 1");
  Workload workload;
  workload.kind_ = Workload::Kind::window;
  workload.window_ = rows;
  return workload;
}

Workload custom(Eigen::MatrixXd matrix, std::string name) {
  Workload workload;
  workload.kind_ = Workload::Kind::custom;
  workload.matrix_ = Filter::dense(std::move(matrix), name).matrix();
  workload.name_ = std::move(name);
  return workload;
}

Workload Workload::parse(std::string_view text, std::string_view parameter) {
  if (text == "prefix") return prefix();
  if (text == "mean") return mean();
  if (const auto beta_text = after(text, "decay:")) {
    const auto beta = parse_number<double>(*beta_text);
    if (!beta || !is_decay(*beta)) throw InvalidParameter(parameter, text, "decay:BETA with BETA in (0, 1)");
    return decay(*beta);
  }
  if (const auto rows_text = after(text, "window:")) {
    const auto rows = parse_number<std::size_t>(*rows_text);
    if (!rows || *rows == 0) {
      throw InvalidParameter(parameter, text, "window:ROWS with a whole number ROWS of at least 1");
    }
    return window(*rows);
  }
  throw InvalidParameter(parameter, text, spellings);
}

std::string Workload::name() const {
  switch (kind_) {
    case Kind::prefix:
      return "prefix";
    case Kind::mean:
      return "mean";
    case Kind::decay:
      return fmt::format("decay:{}", beta_);
    case Kind::window:
      return fmt::format("window:{}", window_);
    case Kind::custom:
      return name_;
  }
  return {};
}

Filter Workload::filter(const Horizon& horizon) const {
  const std::size_t steps = horizon.steps();
  const Toeplitz sum{.taps = {1.0}, .modes = {{.weight = 1.0, .pole = 1.0}}};
  switch (kind_) {
    case Kind::prefix:
      return Filter::toeplitz(steps, sum);
    case Kind::mean:
      return Filter::toeplitz(steps, sum, Schedule::inverse_row_count(horizon.rows(), horizon.every()));
    case Kind::decay: {
      // Between the ends of two full blocks lie `every` rows; before the end of a partial last one, fewer
      // (docs/theory/blocks.md#workloads-over-blocks).
      const double block = power(beta_, horizon.every());
      Toeplitz core{.taps = {1.0}, .modes = {{.weight = block, .pole = block}}};
      const Filter regular = Filter::toeplitz(steps, std::move(core));
      const std::size_t last_rows = horizon.rows_in_step(steps - 1);
      return last_rows == horizon.every() ? regular : regular.with_last_mode_weight(power(beta_, last_rows));
    }
    case Kind::window: {
      if (window_ > horizon.rows()) {
        throw InvalidParameter("workload", name(),
                               fmt::format("a window of at most {} rows, the horizon", horizon.rows()));
      }
      if (window_ % horizon.every() != 0) {
        throw InvalidParameter("workload", name(),
                               fmt::format("a window of a multiple of every = {} rows", horizon.every()));
      }
      std::vector<double> taps(window_ / horizon.every(), 1.0 / static_cast<double>(window_));
      return Filter::toeplitz(steps, {.taps = std::move(taps)});
    }
    case Kind::custom:
      if (static_cast<std::size_t>(matrix_->rows()) != steps) {
        throw InvalidParameter(
            name_, fmt::format("is a matrix for {} steps, but the horizon has {}", matrix_->rows(), steps));
      }
      return Filter::dense(*matrix_, name_);
  }
  throw Error("workload: unknown kind");
}

double Workload::weight_in_block(std::size_t rows_until_end) const {
  return kind_ == Kind::decay ? power(beta_, rows_until_end) : 1.0;
}

bool Workload::weighs_rows(const Horizon& horizon) const {
  return kind_ == Kind::decay && horizon.every() > 1;
}

double Workload::weight_sum(std::size_t step, std::size_t rows_seen, const Horizon& horizon) const {
  const auto rows = static_cast<double>(rows_seen);
  switch (kind_) {
    case Kind::prefix:
      return rows;
    case Kind::mean:
      return 1;
    // (1 - beta^rows) / (1 - beta) without cancellation; beta - 1 is exact for beta >= 1/2.
    case Kind::decay:
      return std::expm1(rows * std::log1p(beta_ - 1)) / (beta_ - 1);
    case Kind::window: {
      // The window is made of whole blocks and includes the current one, even where that is partial.
      const std::size_t blocks = window_ / horizon.every();
      const std::size_t left_behind = step >= blocks ? horizon.rows_through(step - blocks) : 0;
      return static_cast<double>(rows_seen - left_behind) / static_cast<double>(window_);
    }
    case Kind::custom: {
      const auto row = matrix_->row(static_cast<Eigen::Index>(step));
      double sum = 0;
      for (std::size_t block = 0; block <= step; ++block) {
        const std::size_t in_block = block < step ? horizon.every() : rows_seen - step * horizon.every();
        sum += row(static_cast<Eigen::Index>(block)) * static_cast<double>(in_block);
      }
      return sum;
    }
  }
  throw Error("workload: unknown kind");
}

double Workload::rows_per_weight(std::size_t rows_seen) const {
  if (kind_ == Kind::mean) return static_cast<double>(rows_seen);
  return kind_ == Kind::window ? static_cast<double>(window_) : 1.0;
}

LastStep Workload::close(std::size_t rows_seen, std::size_t rows_in_block) const {
  switch (kind_) {
    case Kind::mean:
      return {.row = 1.0 / static_cast<double>(rows_seen)};
    case Kind::decay:
      return {.mode_weight = power(beta_, rows_in_block)};
    default:
      return {};
  }
}

}  // namespace jme
