#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <jme/service/served_stream.hpp>
#include <jme/service/state_lock.hpp>
#include <jme/service/stream_memory.hpp>
#include <jme/theory/plan_cost.hpp>

namespace jme {

struct ServiceOptions {
  std::filesystem::path state;
  std::size_t most_streams = 1000;
  MemoryLimits memory{};                                   ///< of all streams
  std::size_t most_files = SIZE_MAX;                       ///< that all streams may have open
  RowLimits limits{};                                      ///< of the rows of one request
  std::size_t most_waiting_rows = std::size_t{256} << 20;  ///< bytes of rows in memory, of all requests
  Now now = system_now();
  /// A thread of the service calls tick() in time; tests that have their own clock do it themselves.
  bool keeps_time = true;
  std::function<void(std::function<void()>)> later{};  ///< ServedStreamOptions::later
  /// Settings whose plan, or stream, would take more to compute are refused (theory/plan_cost.hpp).
  PlanCost most_plan{.seconds = 5, .bytes = 256e6};
  /// Streams may ask for reproducible noise that protects nobody; for tests.
  bool allow_insecure_test_seed = false;
};

/// What `create` did.
struct CreatedStream {
  enum class Outcome { created, was_there, dry_run };
  Outcome outcome;
  std::string name;
  std::unique_ptr<PreparedRun> run;  ///< its configuration
};

/// Many durable streams in one state folder, for one process. May be used by several threads.
class Service {
 public:
  /// Files that a stream may have open.
  static constexpr std::size_t files_of_stream = 8;

  /// Takes the folder's lock and opens its streams. Throws StateError. A stream that cannot be opened, for
  /// whatever reason, does not keep the others from being served: it has a problem, or is unreadable().
  explicit Service(const ServiceOptions& options);
  ~Service();

  /// Makes a stream from the settings of a run and a name, {"name": "air", "epsilon": 1, ...}. A bad row
  /// counts as zero unless on_bad_row says otherwise. A stream whose steps are slots of time begins, and is
  /// on the ledger, at once; others begin with their first row. The same again changes nothing. Throws
  /// InvalidParameter, Conflict where a stream of that name has other settings, BudgetExhausted where its
  /// source has no budget left, TooFewResources, and StorageFailed. `dry_run`: only checks. InvalidParameter
  /// says the figure where computing the stream would take more than ServiceOptions::most_plan.
  [[nodiscard]] CreatedStream create(std::string_view settings, bool dry_run);
  /// The stream of this name; null where there is none. Valid as long as this object.
  [[nodiscard]] ServedStream* find(std::string_view name) const;
  [[nodiscard]] std::vector<ServedStream*> streams() const;  ///< in the order of their names
  /// Streams whose settings cannot be read, or that could not even be prepared, and why; by their names.
  using Unreadable = std::map<std::string, std::string, std::less<>>;
  [[nodiscard]] const Unreadable& unreadable() const { return unreadable_; }
  /// Lets every stream look at the clock for which it is time (ServedStream::tick).
  void tick();
  /// What the plan says of these settings (jme plan), with what the stream is or would be (metadata).
  [[nodiscard]] nlohmann::ordered_json plan_json_of(const CreatedStream& created) const;
  [[nodiscard]] const std::filesystem::path& state() const { return options_.state; }
  /// Says in the lock where this service can be reached.
  void say_where(const std::string& address) { lock_.say(address); }

 private:
  [[nodiscard]] RunSettings served(const RunSettings& given, const std::string& name) const;
  [[nodiscard]] std::filesystem::path file_of(std::string_view name) const;
  [[nodiscard]] std::unique_ptr<ServedStream> open(const std::string& name, const RunSettings& settings,
                                                   std::optional<Seconds> begins,
                                                   ServedStreamOptions::Refusal refusal = {}) const;
  [[nodiscard]] std::optional<Seconds> beginning(const PreparedRun& run) const;
  void begin(ServedStream& stream) const;
  void load();
  void load(const std::filesystem::path& path, const std::string& name);
  [[nodiscard]] std::string refusal(const PreparedRun& run) const;
  void keep_time(const std::stop_token& stop);
  ServiceOptions options_;
  StateLock lock_;
  mutable RowRoom room_;
  std::mutex creating_;  // taken before the next one
  mutable std::shared_mutex mutex_;
  std::map<std::string, std::unique_ptr<ServedStream>, std::less<>> streams_;
  std::map<std::string, std::string, std::less<>> settings_;  // as JSON, to compare
  MemoryInUse memory_;                                        // of streams that are not refused
  std::size_t opened_ = 0;                                    // of streams_, those that are not refused
  Unreadable unreadable_;                                     // does not change after the constructor
  std::jthread timer_;                                        // ends before what it uses
};

}  // namespace jme
