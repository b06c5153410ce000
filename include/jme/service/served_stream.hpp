#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include <jme/clock/slots.hpp>
#include <jme/pipeline/note.hpp>
#include <jme/pipeline/prepared_run.hpp>
#include <jme/pipeline/run_settings.hpp>
#include <jme/service/line_log.hpp>
#include <jme/service/row_room.hpp>
#include <jme/service/write_request.hpp>
#include <jme/theory/plan_cost.hpp>

namespace jme {

/// How many rows a stream has, for those who may write to it.
struct RowCounts {
  std::uint64_t rows = 0;           ///< taken, those of the open block included
  std::uint64_t rows_released = 0;  ///< in blocks that ended
  std::uint64_t requests = 0;       ///< taken since the process began
  std::vector<Note> notes{};        ///< what was changed in rows since the process began
};

/// Where a stream stands.
struct StreamStanding {
  bool begun = false;     ///< it is on the ledger
  bool finished = false;  ///< no row may follow
  /// None where steps are slots of time: their numbers of rows are private, and nobody is told.
  std::optional<RowCounts> counts{};
  std::optional<Seconds> slot_end{};  ///< when the next release comes, where the clock decides that
  std::optional<Seconds> due{};       ///< from when on tick() has something to do
  std::string problem{};              ///< why nothing can be written now; empty where all is well
  /// What is on disk was read, now or earlier: how many releases there are, and whether it has begun, is
  /// known.
  bool is_known = false;
};

struct ServedStreamOptions {
  RowLimits limits{};               ///< of the rows of one request
  RowRoom* room = nullptr;          ///< for rows of all requests; outlives the stream
  std::optional<Seconds> begins{};  ///< the first slot of time, where there are slots
  Now now = system_now();           ///< tests give their own
  /// Why the stream must not be opened, which is then its problem() for good; empty where it may.
  using Refusal = std::function<std::string(const PreparedRun&)>;
  Refusal refusal{};
  /// Runs work of another thread's making soon, so that a stream with many requests keeps no thread for
  /// itself. By default the thread that began goes on.
  std::function<void(std::function<void()>)> later{};
};

/// The run that these settings describe, with the names of its columns. Throws InvalidParameter; with `most`
/// also where its plan would take more to compute, before anything is computed.
[[nodiscard]] std::unique_ptr<PreparedRun> prepared_run(const RunSettings& settings,
                                                        const PlanCost* most = nullptr);

/// A durable stream that many senders write to and many readers follow. What a sender was told is on disk:
/// rows of a block that is still open are kept sealed, in the commit that answers the request. Where steps
/// are slots of time, rows count in the slot that is open when they are taken, and slots end by the clock
/// alone. May be used by several threads.
class ServedStream {
 public:
  /// `settings` with state and stream set. Opens what is there. Throws InvalidParameter for a configuration
  /// that cannot be served; a state that cannot be opened is a problem() instead.
  ServedStream(std::string name, const RunSettings& settings, const ServedStreamOptions& options);
  ~ServedStream();
  ServedStream(const ServedStream&) = delete;
  ServedStream& operator=(const ServedStream&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const PreparedRun& run() const { return *run_; }
  [[nodiscard]] const LineLog& lines() const { return *lines_; }
  /// What every reader must know (output/metadata.hpp), as JSON. It follows from the settings alone, and is
  /// computed once, by the first call: that can take tenths of a second, in which no writer waits.
  [[nodiscard]] const std::string& metadata_text() const;
  [[nodiscard]] StreamStanding standing() const;
  /// Whether notes about rows of all senders may be told to one of them. They have exact numbers of cells,
  /// rows and people that are not there: where those are private, a sender could send a row and look whether
  /// its person had one before.
  [[nodiscard]] bool notes_are_public() const;
  /// For a stream that nobody writes to yet. Throws BudgetExhausted where its source has no room for it, and
  /// StateError where it cannot be opened.
  void check_can_begin() const;
  /// Begins a new stream whose steps are slots of time: it is on the ledger when the call returns. Before
  /// anybody else has the object. Throws BudgetExhausted, StateError, and Error where the disk fails.
  void begin();

  /// Called once, from the thread that wrote to disk, when the request was taken or refused.
  using Done = std::function<void(const WriteAnswer&, std::exception_ptr)>;
  /// Takes a request. Requests that come while others are written share the next commit. Throws what the body
  /// deserves (DataError, InvalidParameter, TooManyRows) and Busy; everything else goes to `done`: NotYours,
  /// Conflict, BudgetExhausted, StorageFailed, StateError.
  void submit(WriteRequest request, Done done);
  /// The same, waiting for the answer.
  WriteAnswer take(WriteRequest request);
  /// Looks at the clock: slots of time that have ended are released, and what was kept too long leaves the
  /// disk. A failure is the problem() of the stream, and the next call tries again.
  void tick();
  /// The same by ServedStreamOptions::later, where there is one.
  void tick_later();

  /// Calls `wake` from then on after every commit that added lines, from the thread that made it.
  std::uint64_t follow(std::function<void()> wake);
  /// After this returns `wake` is not running and is not called again.
  void unfollow(std::uint64_t follower);

 private:
  struct Writing;
  struct Waiting;
  void work();
  [[nodiscard]] std::vector<Waiting> next_group();
  void write(std::vector<Waiting>& group);
  void publish_standing();
  std::string name_;
  RunSettings settings_;
  std::function<void(std::function<void()>)> later_;
  RowRoom* room_;
  std::unique_ptr<PreparedRun> run_;
  std::unique_ptr<LineLog> lines_;
  std::unique_ptr<Writing> writing_;
  struct Shared;
  std::unique_ptr<Shared> shared_;
};

}  // namespace jme
