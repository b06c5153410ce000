#include <charconv>
#include <cmath>
#include <random>
#include <span>
#include <string_view>
#include <vector>

#include <sys/resource.h>

#include <jme/pipeline/prepared_run.hpp>

#include "sections.hpp"

namespace jme::bench {
namespace {

constexpr std::size_t columns = 6;

RunConfig people_run(std::size_t rows, bool limited) {
  RunConfig config;
  config.stream.budget = {.epsilon = 1, .delta = 1e-6};
  config.stream.rows = rows;
  config.stream.every = 1000;
  config.stream.private_count = true;
  config.columns = {"a", "b", "c", "d", "e", "f"};
  config.bounds =
      ColumnBounds::of(config.columns, std::vector<double>(columns, -1), std::vector<double>(columns, 1));
  if (limited) {
    config.stream.participation = {.rows = 3};
    config.stream.persons_are_limited = true;
    config.person = "who";
  }
  return config;
}

/// "p1234567"
std::string_view id_of(std::uint64_t person, std::vector<char>& text) {
  text.resize(24);
  text[0] = 'p';
  return {text.data(), static_cast<std::size_t>(std::to_chars(text.data() + 1, text.data() + 24, person).ptr -
                                                text.data())};
}

std::size_t peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return 1024 * static_cast<std::size_t>(usage.ru_maxrss);
}

/// Takes two rows of every person, in an order that no cache foresees. Returns what the limit's table takes.
std::size_t take_all(std::size_t people, bool limited) {
  const PreparedRun run(people_run(2 * people, limited));
  RowFeed feed = run.feed([](const Release& /*release*/) {});
  RowBatch batch;
  std::vector<char> text;
  std::uint64_t person = 1;
  for (std::size_t i = 0; i < 2 * people; ++i) {
    if (batch.rows() == RowBatch::most_rows || i == 0) batch.clear(columns);
    const std::span row = batch.add_row();
    for (std::size_t j = 0; j < columns; ++j) row[j] = static_cast<double>((i + j) % 64) / 32 - 1;
    person = (person + 6'700'417) % people;  // a prime: everybody once in each round
    if (limited) batch.set_person(batch.rows() - 1, id_of(person, text));
    if (batch.rows() == RowBatch::most_rows || i + 1 == 2 * people) feed.take_rows(batch);
  }
  return limited ? feed.rules().person_limit()->bytes() : 0;
}

}  // namespace

Json people_section(const Options& options) {
  const std::size_t people = options.quick ? 1'000'000 : 10'000'000;
  const auto rows = static_cast<double>(2 * people);
  const double without = seconds_of([&] { take_all(people, false); });
  const std::size_t before = peak_bytes();
  std::size_t table = 0;
  const double with = seconds_of([&] { table = take_all(people, true); });
  return {{"people", people},
          {"rows_per_second", rows / with},
          {"rows_per_second_without", rows / without},
          {"table_bytes", table},
          {"table_bytes_per_person", static_cast<double>(table) / static_cast<double>(people)},
          {"peak_bytes_more", peak_bytes() - before}};
}

}  // namespace jme::bench
