#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <jme/base/errors.hpp>
#include <jme/filter/schedule.hpp>

namespace jme {

namespace {

void check_positive(std::span<const double> numbers) {
  for (const double number : numbers) {
    if (!(number > 0) || !std::isfinite(number)) {
      throw InvalidParameter("schedule", number, "a finite number above 0 at every step");
    }
  }
}

}  // namespace

Schedule Schedule::values(std::vector<double> numbers) {
  check_positive(numbers);
  Schedule schedule;
  schedule.kind_ = Values{.numbers = std::move(numbers)};
  return schedule;
}

Schedule Schedule::constant_until(std::size_t steps, double number, std::vector<double> last) {
  check_positive({&number, 1});
  check_positive(last);
  if (last.size() > steps) throw InvalidParameter("schedule", "has more last steps than steps");
  Schedule schedule;
  schedule.kind_ = ConstantUntil{.steps = steps, .number = number, .last = std::move(last)};
  return schedule;
}

Schedule Schedule::inverse_row_count(std::size_t rows, std::size_t every) {
  if (rows == 0) throw InvalidParameter("rows", 0, "a whole number of at least 1");
  if (every == 0) throw InvalidParameter("every", 0, "a whole number of at least 1");
  Schedule schedule;
  schedule.kind_ = InverseRowCount{.rows = rows, .every = every};
  return schedule;
}

Schedule Schedule::power(double a, double q, std::size_t n, double c, double s) {
  if (!(a > -1) || !std::isfinite(a)) throw InvalidParameter("schedule a", a, "a finite number above -1");
  if (!std::isfinite(q)) throw InvalidParameter("schedule q", q, "finite");
  if (!std::isfinite(s)) throw InvalidParameter("schedule s", s, "finite");
  // Without the second factor there is no end that the steps must stay below.
  if (s != 0 && (!(c > 0) || !std::isfinite(c))) {
    throw InvalidParameter("schedule c", c, "a finite number above 0");
  }
  Schedule schedule;
  schedule.kind_ = Power{.a = a, .q = q, .n = static_cast<double>(n), .c = c, .s = s};
  return schedule;
}

std::size_t Schedule::steps() const {
  if (const auto* values = std::get_if<Values>(&kind_)) return values->numbers.size();
  if (const auto* until = std::get_if<ConstantUntil>(&kind_)) return until->steps;
  if (const auto* count = std::get_if<InverseRowCount>(&kind_)) {
    return count->rows / count->every + (count->rows % count->every == 0 ? 0 : 1);
  }
  if (const auto* norms = std::get_if<InverseNorms>(&kind_)) return norms->steps;
  const auto* power = std::get_if<Power>(&kind_);
  if (power != nullptr && power->s != 0) return static_cast<std::size_t>(power->n);
  return std::numeric_limits<std::size_t>::max();
}

std::optional<std::size_t> Schedule::constant_steps() const {
  const auto* until = std::get_if<ConstantUntil>(&kind_);
  if (until == nullptr) return std::nullopt;
  return until->steps - until->last.size();
}

double Schedule::operator()(std::size_t step) const {
  double number = 1;
  fill(step, {&number, 1});
  return number;
}

void Schedule::fill(std::size_t begin, std::span<double> out) const {
  if (const auto* values = std::get_if<Values>(&kind_)) {
    std::copy_n(values->numbers.begin() + static_cast<std::ptrdiff_t>(begin), out.size(), out.begin());
  } else if (const auto* until = std::get_if<ConstantUntil>(&kind_)) {
    const std::size_t constant = until->steps - until->last.size();
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = begin + i < constant ? until->number : until->last[begin + i - constant];
    }
  } else if (const auto* count = std::get_if<InverseRowCount>(&kind_)) {
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = 1.0 / static_cast<double>(std::min((begin + i + 1) * count->every, count->rows));
    }
  } else if (const auto* power = std::get_if<Power>(&kind_)) {
    power->fill(begin, out);
  } else if (const auto* norms = std::get_if<InverseNorms>(&kind_)) {
    norms->fill(begin, out);
  } else {
    std::fill(out.begin(), out.end(), 1.0);
  }
}

void ScheduleReader::make_block(const Schedule& schedule, std::size_t step) {
  begin_ = step - step % Schedule::block;
  numbers_.resize(std::min(Schedule::block, schedule.steps() - begin_));
  schedule.fill(begin_, numbers_);
}

std::size_t ScheduleReader::read(const Schedule& schedule, std::size_t step, std::span<double> out) {
  if (schedule.is_one()) {
    std::fill(out.begin(), out.end(), 1.0);
    return out.size();
  }
  if (step < begin_ || step - begin_ >= numbers_.size()) make_block(schedule, step);
  const std::size_t count = std::min(out.size(), numbers_.size() - (step - begin_));
  std::copy_n(numbers_.begin() + static_cast<std::ptrdiff_t>(step - begin_), count, out.begin());
  return count;
}

}  // namespace jme
