// What senders and admins write into bodies: rows as CSV and NDJSON, sums of rows, settings of streams. The
// first byte says which. Whatever comes is read or refused by an error of ours, and keeps what the readers
// promise.
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include <jme/base/errors.hpp>
#include <jme/service/service.hpp>

#include "service/row_body.hpp"

namespace {

using namespace jme;  // NOLINT: one file

void check(bool holds) {
  if (!holds) std::abort();
}

struct Surroundings {
  Surroundings() {
    char name[] = "/tmp/jme-fuzz-XXXXXX";
    folder = ::mkdtemp(name);
    service.emplace(ServiceOptions{.state = folder, .keeps_time = false});
    constexpr const char* start =
        R"("epsilon":1,"delta":1e-6,"bounds":{"temp":[-20,45],"co":[0,100]},"missing":"observed")";
    settings = RunSettings::from_json(std::string("{") + start + R"(,"rows":1000})", "fuzz");
    settings.set("state", folder);
    settings.set("stream", "a");
    run = prepared_run(settings);
    rows.emplace(settings, *run, RowLimits{.longest_record = 200});
    RunSettings of_people = settings;
    of_people.set("person", "who");
    of_people.set("rows_per_person", "2");
    of_people.set("records", "quoted");
    run_of_people = prepared_run(of_people);
    rows_of_people.emplace(of_people, *run_of_people, RowLimits{.longest_record = 200});
  }
  ~Surroundings() {
    service.reset();
    std::filesystem::remove_all(folder);
  }
  std::string folder;
  RunSettings settings;
  std::optional<Service> service;
  std::unique_ptr<PreparedRun> run, run_of_people;
  std::optional<service::RowBody> rows, rows_of_people;
};

void read_rows(const service::RowBody& body, WriteRequest::Content content, const std::string& text,
               bool has_people) {
  const service::ReadRows rows = body.read(content, text);
  check(rows.count > 0 && rows.cells.size() == 2 * rows.count && rows.unread <= rows.count);
  check(rows.people.size() == (has_people ? rows.count : 0));
}

void read_sums(const PreparedRun& run, const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  const BlockSum sums = BlockSum::from_bytes(bytes, run.row_map());
  const std::vector<std::byte> again = sums.bytes();
  check(std::equal(again.begin(), again.end(), bytes.begin(), bytes.end()));  // sums have one form
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Surroundings around;
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    switch (data[0]) {
      case 'c':
        read_rows(*around.rows, WriteRequest::Content::csv, text, false);
        break;
      case 'p':
        read_rows(*around.rows_of_people, WriteRequest::Content::csv, text, true);
        break;
      case 'n':
        read_rows(*around.rows, WriteRequest::Content::ndjson, text, false);
        break;
      case 'b':
        read_sums(*around.run, text);
        break;
      case 's':
        static_cast<void>(around.service->create(text, true));
        break;
      default:
        break;
    }
  } catch (const Error&) {
  }
  return 0;
}

// A settings file can ask for a plan of a million steps: such inputs are slow, not wrong. Numbers keep their
// digits few.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most,
                                               unsigned /*seed*/) {
  size = LLVMFuzzerMutate(data, size, most);
  if (size == 0 || data[0] != 's') return size;
  std::size_t digits = 0;
  for (std::size_t i = 0; i < size; ++i) {
    digits = data[i] >= '0' && data[i] <= '9' ? digits + 1 : 0;
    if (digits > 3) data[i] = ' ';
  }
  return size;
}
