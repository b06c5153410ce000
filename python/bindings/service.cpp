#include "bindings/service.hpp"

#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <jme/base/errors.hpp>
#include <jme/output/privacy_statement.hpp>
#include <jme/service/service.hpp>

#include "bindings/calls.hpp"
#include "moments/fork_guard.hpp"

namespace nb = nanobind;

namespace jme::python {

namespace {

/// The one who writes to all streams of the folder; on a server this is the id of a token.
constexpr const char* writer = "owner";
constexpr std::size_t most_bytes_of_lines = std::size_t{1} << 24;

/// The streams of a state folder. A thread of it, which touches nothing of Python, ends slots of time.
class LocalService {
  using Shared = std::shared_lock<std::shared_mutex>;
  void check_open() const {
    if (!service_) throw StateError("the state folder was closed");
  }
  /// Without the interpreter's lock, which is given up before ours is waited for.
  auto with_stream(const std::string& name, const auto& work) {
    fork_.check();
    const Unlocked unlocked;
    const Shared shared(open_);
    check_open();
    ServedStream* const found = service_->find(name);
    if (found == nullptr) throw StateError("there is no stream " + name);
    return work(*found);
  }
  ForkGuard fork_;
  std::shared_mutex open_;  // shared by calls, taken alone to close
  std::optional<Service> service_;

 public:
  LocalService(const std::string& state, bool allow_insecure_test_seed) {
    const Unlocked unlocked;
    service_.emplace(ServiceOptions{.state = state, .allow_insecure_test_seed = allow_insecure_test_seed});
  }

  void create(const std::string& settings) {
    fork_.check();
    const Unlocked unlocked;
    const Shared shared(open_);
    check_open();
    const CreatedStream made = service_->create(settings, false);
    if (made.outcome == CreatedStream::Outcome::created) return;
    const std::string problem = service_->find(made.name)->standing().problem;
    if (!problem.empty()) throw StateError(problem);
  }

  /// (rows, when the slot ends in which they count, whether they were taken before).
  nb::tuple take_block(const std::string& name, const std::string& id, const nb::bytes& sums,
                       const std::string& origin) {
    WriteRequest request{.token = writer,
                         .content = WriteRequest::Content::block,
                         .body = {sums.c_str(), sums.size()},
                         .repeats = WriteRequest::Repeats::by_key,
                         .key = id,
                         .origin = origin};
    const WriteAnswer answer =
        with_stream(name, [&](ServedStream& to) { return to.take(std::move(request)); });
    return nb::make_tuple(answer.rows, answer.slot_end, answer.repeated);
  }

  /// Releases after `since`, each as the line that `jme run` prints.
  std::vector<std::string> lines(const std::string& name, std::uint64_t since) {
    return with_stream(name, [&](ServedStream& stream) {
      const LineLog& log = stream.lines();
      std::vector<std::string> all;
      for (std::size_t at = log.index_after(since); at < log.size();) {
        for (ReleaseLine& line : log.read(at, most_bytes_of_lines)) {
          all.push_back(std::move(line.text));
          ++at;
        }
      }
      return all;
    });
  }

  std::string statement(const std::string& name) {
    return with_stream(name, [](ServedStream& stream) {
      return wrapped(privacy_statement(stream.run().description()), 120);
    });
  }
  bool is_finished(const std::string& name) {
    return with_stream(name, [](ServedStream& stream) { return stream.standing().finished; });
  }
  /// Why nothing can be written now; empty where all is well.
  std::string problem(const std::string& name) {
    return with_stream(name, [](ServedStream& stream) { return stream.standing().problem; });
  }
  /// Waits for the calls of other threads.
  void close() {
    fork_.check();
    const Unlocked unlocked;
    const std::unique_lock alone(open_);
    service_.reset();
  }
};

}  // namespace

void bind_service(nb::module_& m) {
  nb::class_<LocalService>(m, "Service")
      .def(nb::init<const std::string&, bool>(), nb::arg("state"), nb::arg("allow_insecure_test_seed"))
      .def("create", &LocalService::create)
      .def("take_block", &LocalService::take_block)
      .def("lines", &LocalService::lines)
      .def("statement", &LocalService::statement)
      .def("is_finished", &LocalService::is_finished)
      .def("problem", &LocalService::problem)
      .def("close", &LocalService::close);
}

}  // namespace jme::python
