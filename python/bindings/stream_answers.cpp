// What a stream says about itself.
#include <nlohmann/json.hpp>

#include <jme/base/errors.hpp>
#include <jme/output/metadata.hpp>
#include <jme/output/plan_json.hpp>
#include <jme/output/privacy_statement.hpp>
#include <jme/output/release_writer.hpp>
#include <jme/output/report_page.hpp>
#include <jme/theory/plan.hpp>

#include "bindings/calls.hpp"
#include "bindings/stream.hpp"

namespace nb = nanobind;

namespace jme::python {

std::size_t Stream::dimension() const {
  check_at_rest();
  if (!is_open() && !run_->dimension_is_known()) {
    throw InvalidParameter("dimension", "must be given (or columns, or bounds): how many numbers a row has");
  }
  return run_->mechanism().config().dimension;
}

bool Stream::is_finished() const {
  check_at_rest();
  return is_finished_ || rows() >= run_->mechanism().horizon().rows();
}

nb::object Stream::newest() const {
  check_at_rest();
  if (!collected_ || !collected_->last()) return nb::none();
  return nb::module_::import_("jme.releases")
      .attr("Release")(OneRelease(reading_, *collected_->last(), *collected_->divisors()));
}

std::string Stream::statement() const {
  check_at_rest();
  const RunDescription about = run_->description();
  std::string text;
  for (const std::string& paragraph : privacy_statement(about)) {
    text += (text.empty() ? "" : "\n\n") + paragraph;
  }
  return text;
}

std::string Stream::metadata() const {
  static_cast<void>(columns());
  return metadata_line(*description_, run_->columns());
}

std::string Stream::plan() const {
  check_at_rest();
  const Mechanism& mechanism = run_->mechanism();
  StreamConfig config = mechanism.config();
  if (mechanism.has_second()) config.shape_second = mechanism.shape_second();
  const Unlocked unlocked;
  return plan_json(jme::plan(config, {.method = config.method, .shape = mechanism.shape_first()})).dump();
}

ReportInput Stream::report_input(const std::string& title) const {
  return {.run = *description_,
          .collected = *collected_,
          .last = *collected_->last(),
          .title = title,
          .shape_was_chosen = shape_was_chosen_};
}

std::string Stream::page(const std::string& title) const {
  check_at_rest();
  if (!collected_ || !collected_->last())
    throw DataError("there is no release yet, and a report is about releases");
  return report_page(report_input(title)).html();
}

std::vector<std::pair<std::string, std::string>> Stream::charts() const {
  check_at_rest();
  std::vector<std::pair<std::string, std::string>> result;
  if (!collected_ || !collected_->last()) return result;
  const ReportInput input = report_input("");
  report::Page page("");
  add_centres(page, input);
  if (run_->columns().size() <= most_charted_columns) {
    add_covariance(page, input);
    add_second(page, input);
    add_components(page, input);
    add_regressions(page, input);
  }
  add_noise(page, input);
  add_plan(page, input);
  for (const report::Drawing& drawing : page.drawings()) {
    result.emplace_back(drawing.title(), drawing.file());
  }
  return result;
}

RowMap Stream::row_map() const {
  static_cast<void>(columns());
  return run_->row_map();
}

RowRules Stream::rules_for_blocks() const {
  static_cast<void>(columns());
  const MissingCells& missing = run_->missing();
  if (missing.uses(MissingCells::From::mean) || missing.uses(MissingCells::From::model)) {
    throw InvalidParameter("missing",
                           "is mean or model: sums that are made elsewhere cannot know the last release");
  }
  return run_->rules();
}

}  // namespace jme::python
