#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <jme/base/errors.hpp>
#include <jme/output/metadata.hpp>
#include <jme/service/served_stream.hpp>

#include "service/open_stream.hpp"

namespace jme {

namespace {

/// After a failure, where nobody writes.
constexpr Seconds seconds_until_next_attempt = 10;

}  // namespace

struct ServedStream::Waiting {
  WriteRequest request;
  service::Content content;
  RowRoom::Part room;
  Done done;
  WriteAnswer answer{};
  std::exception_ptr error{};
};

/// What only the thread that writes touches, after the constructor.
struct ServedStream::Writing {
  service::RowBody body;
  RowMap map;
  SlotClock clock;
  std::optional<service::OpenStream> stream{};  // none while it cannot be opened
  std::string problem{};
  std::uint64_t requests = 0;
  bool is_refused = false, was_opened = false, has_begun = false;
};

/// What threads share.
struct ServedStream::Shared {
  std::mutex mutex;  // of everything up to `standing`
  std::deque<Waiting> queue{};
  bool is_working = false, must_look_at_clock = false;
  StreamStanding standing{};
  std::atomic<bool> tick_waits = false;
  std::mutex followers_mutex;  // held while they are called
  std::map<std::uint64_t, std::function<void()>> followers{};
  std::uint64_t next_follower = 0;
  std::once_flag metadata_once;  // of what follows
  std::string metadata{};
};

ServedStream::ServedStream(std::string name, const RunSettings& settings, const ServedStreamOptions& options)
    : name_(std::move(name)),
      settings_(settings),
      later_(options.later),
      room_(options.room),
      run_(prepared_run(settings)),
      shared_(std::make_unique<Shared>()) {
  if (options.begins) run_->begin_at(*options.begins);
  lines_ = std::make_unique<LineLog>(*settings["state"]);
  writing_ = std::make_unique<Writing>(Writing{.body = service::RowBody(settings, *run_, options.limits),
                                               .map = run_->row_map(),
                                               .clock = SlotClock(options.now)});
  if (options.refusal) writing_->problem = options.refusal(*run_);
  writing_->is_refused = !writing_->problem.empty();
  try {
    if (!writing_->is_refused) writing_->stream.emplace(*run_, *lines_, writing_->clock);
  } catch (const std::exception& error) {
    writing_->problem = error.what();
  }
  publish_standing();
}

ServedStream::~ServedStream() = default;

const std::string& ServedStream::metadata_text() const {
  std::call_once(shared_->metadata_once, [&] {
    shared_->metadata = metadata(run_->description(), run_->columns())
                            .dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  });
  return shared_->metadata;
}

StreamStanding ServedStream::standing() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->standing;
}

void ServedStream::check_can_begin() const {
  if (!writing_->stream) throw StateError(writing_->problem);
  writing_->stream->check_budget();
}

void ServedStream::begin() {
  try {
    static_cast<void>(writing_->stream->look_at_clock());
    writing_->stream->commit();
  } catch (const FailedAfterCommit& error) {
    // It has begun, and is opened again when the clock is looked at.
    writing_->has_begun = true;
    writing_->stream.reset();
    writing_->problem = error.what();
  }
  publish_standing();
}

bool ServedStream::notes_are_public() const {
  const StreamConfig& config = run_->mechanism().config();
  return !config.private_count && !config.observed && !config.persons_are_limited;
}

void ServedStream::publish_standing() {
  StreamStanding now{.problem = writing_->problem};
  if (const auto& stream = writing_->stream) {
    writing_->was_opened = true;
    writing_->has_begun = stream->has_begun();
    now.finished = stream->is_finished();
    now.slot_end = stream->slot_end();
    now.due = stream->due();
    if (!run_->clock()) {
      now.counts = RowCounts{.rows = stream->rows(),
                             .rows_released = stream->rows_released(),
                             .requests = writing_->requests,
                             .notes = stream->notes()};
    }
  } else if (!writing_->is_refused) {
    now.due = static_cast<Seconds>(writing_->clock.time()) + seconds_until_next_attempt;
  }
  now.is_known = writing_->was_opened;
  now.begun = writing_->has_begun;  // also where it can no longer be opened
  const std::lock_guard lock(shared_->mutex);
  shared_->standing = std::move(now);
}

void ServedStream::submit(WriteRequest request, Done done) {
  if (writing_->is_refused) throw StateError(writing_->problem);  // neither changes after the constructor
  if (run_->clock() && request.repeats == WriteRequest::Repeats::by_rows) {
    throw InvalidParameter("content-range",
                           "is for streams whose rows are counted in public: here a step is a slot of time");
  }
  service::Content content = [&]() -> service::Content {
    if (request.content != WriteRequest::Content::block) {
      return writing_->body.read(request.content, request.body);
    }
    if (run_->mechanism().config().persons_are_limited) {
      throw InvalidParameter(
          "person", "is limited in this stream, and sums do not say whose rows they have: send rows");
    }
    return BlockSum::from_bytes(std::as_bytes(std::span(request.body)), writing_->map);
  }();
  const auto* rows = std::get_if<service::ReadRows>(&content);
  RowRoom::Part room(room_, rows != nullptr ? rows->memory : 0);
  {
    const std::lock_guard lock(shared_->mutex);
    shared_->queue.push_back({.request = std::move(request),
                              .content = std::move(content),
                              .room = std::move(room),
                              .done = std::move(done)});
    if (std::exchange(shared_->is_working, true)) return;
  }
  work();
}

void ServedStream::tick() {
  if (writing_->is_refused) return;
  {
    const std::lock_guard lock(shared_->mutex);
    shared_->must_look_at_clock = true;
    if (std::exchange(shared_->is_working, true)) return;
  }
  work();
}

void ServedStream::tick_later() {
  if (!later_) return tick();
  if (shared_->tick_waits.exchange(true)) return;
  later_([this] {
    shared_->tick_waits = false;
    tick();
  });
}

// Whatever came while a group was written makes the next one, as far as there is memory for its releases.
std::vector<ServedStream::Waiting> ServedStream::next_group() {
  std::vector<Waiting> group;
  std::deque<Waiting>& queue = shared_->queue;
  std::uint64_t left = service::most_rows_of_commit(run_->mechanism());
  while (!queue.empty()) {
    const std::uint64_t rows = service::rows_of(queue.front().content);
    if (!group.empty() && rows > left) break;
    left -= std::min(rows, left);
    group.push_back(std::move(queue.front()));
    queue.pop_front();
  }
  return group;
}

// One thread at a time.
void ServedStream::work() {
  for (;;) {
    std::vector<Waiting> group;
    {
      const std::lock_guard lock(shared_->mutex);
      if (!std::exchange(shared_->must_look_at_clock, false) && shared_->queue.empty()) {
        shared_->is_working = false;
        return;
      }
      group = next_group();
    }
    const std::size_t lines = lines_->size();
    write(group);
    publish_standing();
    for (const Waiting& waiting : group) waiting.done(waiting.answer, waiting.error);
    if (lines_->size() > lines) {
      const std::lock_guard lock(shared_->followers_mutex);
      for (const auto& [follower, wake] : shared_->followers) wake();
    }
    if (later_) return later_([this] { work(); });
  }
}

void ServedStream::write(std::vector<Waiting>& group) {
  const auto fail_all = [&](const std::exception_ptr& error) {
    for (Waiting& waiting : group) waiting.error = error;
  };
  bool all_were_added = false;
  try {
    // What is on disk decides how to go on after a failure.
    if (!writing_->stream) writing_->stream.emplace(*run_, *lines_, writing_->clock);
    writing_->problem.clear();
    // A group arrives in the slot that is open now.
    while (writing_->stream->look_at_clock()) writing_->stream->commit();
    for (Waiting& waiting : group) {
      try {
        waiting.answer = writing_->stream->add(waiting.request, waiting.content);
        const auto* rows = std::get_if<service::ReadRows>(&waiting.content);
        if (rows != nullptr) {
          waiting.answer.unread = rows->unread;
          waiting.answer.clamped = rows->clamped;
        }
      } catch (const NotYours&) {
        waiting.error = std::current_exception();
      } catch (const Conflict&) {
        waiting.error = std::current_exception();
      } catch (const BudgetExhausted&) {
        waiting.error = std::current_exception();
      } catch (const TooManyRows&) {
        waiting.error = std::current_exception();
      } catch (const InvalidParameter&) {
        waiting.error = std::current_exception();
      }
    }
    all_were_added = true;
    writing_->stream->commit();
    for (const Waiting& waiting : group) writing_->requests += waiting.error ? 0 : 1;
  } catch (const FailedAfterCommit& error) {
    // What was taken is on disk, and whoever was told otherwise would send it again.
    writing_->has_begun = true;
    writing_->stream.reset();
    writing_->problem = error.what();
    if (!all_were_added) fail_all(std::make_exception_ptr(StorageFailed(error.what())));
  } catch (const StateError& error) {
    writing_->stream.reset();
    writing_->problem = error.what();
    fail_all(std::current_exception());
  } catch (const std::exception& error) {
    writing_->stream.reset();
    writing_->problem = error.what();
    fail_all(std::make_exception_ptr(StorageFailed(error.what())));
  }
}

WriteAnswer ServedStream::take(WriteRequest request) {
  std::mutex mutex;
  std::condition_variable answered;
  std::optional<std::pair<WriteAnswer, std::exception_ptr>> result;
  submit(std::move(request), [&](const WriteAnswer& answer, std::exception_ptr error) {
    const std::lock_guard lock(mutex);
    result.emplace(answer, std::move(error));
    answered.notify_one();
  });
  std::unique_lock lock(mutex);
  answered.wait(lock, [&] { return result.has_value(); });
  if (result->second) std::rethrow_exception(result->second);
  return result->first;
}

std::uint64_t ServedStream::follow(std::function<void()> wake) {
  const std::lock_guard lock(shared_->followers_mutex);
  shared_->followers.emplace(shared_->next_follower, std::move(wake));
  return shared_->next_follower++;
}

void ServedStream::unfollow(std::uint64_t follower) {
  const std::lock_guard lock(shared_->followers_mutex);
  shared_->followers.erase(follower);
}

}  // namespace jme
