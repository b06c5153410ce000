#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <fstream>
#include <iterator>
#include <mutex>
#include <set>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <jme/access/tokens.hpp>
#include <jme/base/errors.hpp>
#include <jme/output/metadata.hpp>
#include <jme/output/plan_json.hpp>
#include <jme/pipeline/check.hpp>
#include <jme/service/service.hpp>
#include <jme/theory/plan.hpp>

#include "store/bytes.hpp"
#include "store/file.hpp"
#include "store/folder.hpp"

namespace jme {

namespace {

using Json = nlohmann::ordered_json;

constexpr SourceTraits served_rows{.name = "a stream that many write to",
                                   .front = Field::served,
                                   .has_first_records = false,
                                   .has_bodies = true};

constexpr const char* settings_ending = ".stream.json";

/// Beside the settings of a stream whose steps are slots of time: when the first of them begins.
constexpr const char* begins_key = "begins";

struct NamedSettings {
  std::string name;
  RunSettings settings;
};

NamedSettings named_settings(std::string_view text) {
  std::set<std::string> seen;
  const auto once = [&](int depth, Json::parse_event_t event, Json& value) {
    if (depth == 1 && event == Json::parse_event_t::key && !seen.insert(value.get<std::string>()).second) {
      throw InvalidParameter("config", fmt::format("the body sets {} twice", value.get<std::string>()));
    }
    return depth <= 4;  // no setting is deeper
  };
  Json object;
  try {
    object = Json::parse(text, once);
  } catch (const Json::parse_error& error) {
    throw InvalidParameter("config",
                           fmt::format("the body is not JSON: it has an error at byte {}", error.byte));
  } catch (const Json::out_of_range&) {
    throw InvalidParameter("config", "the body has a number that no double can hold");
  }
  if (!object.is_object()) throw InvalidParameter("config", "the body must be one JSON object");
  const auto name = object.find("name");
  constexpr const char* names =
      "at most 64 letters, digits, '.', '-' and '_', of which the first is a letter or digit";
  if (name == object.end()) throw InvalidParameter("name", fmt::format("must be given: {}", names));
  if (!name->is_string() || !is_stream_name(name->get<std::string>())) {
    throw InvalidParameter("name", fmt::format("must have {}", names));
  }
  NamedSettings result{.name = name->get<std::string>(), .settings = {}};
  object.erase(name);
  result.settings =
      RunSettings::from_json(object.dump(-1, ' ', false, Json::error_handler_t::replace), "the body");
  return result;
}

struct StoredSettings {
  std::string text;  // RunSettings::to_json
  std::optional<Seconds> begins;
};

/// Complete: defaults of settings that were not there yet when the file was written are in the text.
StoredSettings settings_in(const std::filesystem::path& path) {
  store::check_file(path);
  std::ifstream file(path, std::ios::binary);
  StoredSettings stored{.text = {std::istreambuf_iterator<char>(file), {}}, .begins = {}};
  if (Json object = Json::parse(stored.text, nullptr, false);
      object.is_object() && object.contains(begins_key)) {
    stored.begins = object[begins_key].get<Seconds>();
    object.erase(begins_key);
    stored.text = object.dump();
  }
  stored.text = RunSettings::from_json(stored.text, "the file").to_json();
  return stored;
}

// The file appears whole or not at all.
void write_settings(const std::filesystem::path& path, const std::string& settings,
                    std::optional<Seconds> begins) {
  std::string text = settings;
  if (begins) {
    Json object = Json::parse(settings);
    object[begins_key] = *begins;
    text = object.dump(2) + '\n';
  }
  std::filesystem::path next = path;
  next += ".new";
  try {
    {
      const store::File file(next, O_WRONLY | O_CREAT | O_TRUNC, 0600);
      file.write(0, store::bytes_of(text));
      file.sync();
    }
    std::filesystem::rename(next, path);
    store::sync_folder(path.parent_path());
  } catch (const std::exception& error) {
    std::error_code ignored;
    std::filesystem::remove(next, ignored);
    throw StorageFailed(error.what());
  }
}

}  // namespace

Service::Service(const ServiceOptions& options)
    : options_(options), lock_(options.state), room_(options.most_waiting_rows), memory_(options.memory) {
  load();
  if (options.keeps_time) {
    timer_ = std::jthread([this](const std::stop_token& stop) { keep_time(stop); });
  }
}

Service::~Service() = default;

std::filesystem::path Service::file_of(std::string_view name) const {
  return options_.state / (std::string(name) + settings_ending);
}

void Service::load() {
  std::map<std::string, std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(options_.state)) {
    const std::string file = entry.path().filename().string();
    if (!file.ends_with(settings_ending)) continue;
    files.emplace(file.substr(0, file.size() - std::string_view(settings_ending).size()), entry.path());
  }
  for (const auto& [name, path] : files) {
    try {
      load(path, name);
    } catch (const std::exception& error) {
      unreadable_.emplace(name, fmt::format("{}: {}", path.filename().string(), error.what()));
    }
  }
}

void Service::load(const std::filesystem::path& path, const std::string& name) {
  if (!is_stream_name(name)) throw StateError("the file's name is not that of a stream");
  const StoredSettings stored = settings_in(path);
  RunSettings given = RunSettings::from_json(stored.text, "the file");
  given.set("allow_weak", "true");  // it was accepted when the stream was made
  const auto check = [this](const PreparedRun& run) {
    std::string why_not = refusal(run);
    if (why_not.empty()) {
      memory_.add(memory_of_stream(run));
      ++opened_;
    }
    return why_not;
  };
  streams_.emplace(name, open(name, served(given, name), stored.begins, check));
  settings_.emplace(name, stored.text);
}

std::string Service::refusal(const PreparedRun& run) const {
  if (opened_ >= options_.most_files / files_of_stream) {
    return fmt::format(
        "{} streams are open already, and this process may open files for {} only: raise its limit (ulimit "
        "-n, or LimitNOFILE of systemd) or lower connections",
        opened_, options_.most_files / files_of_stream);
  }
  return memory_.refusal(memory_of_stream(run));
}

std::unique_ptr<ServedStream> Service::open(const std::string& name, const RunSettings& settings,
                                            std::optional<Seconds> begins,
                                            ServedStreamOptions::Refusal refusal) const {
  return std::make_unique<ServedStream>(name, settings,
                                        ServedStreamOptions{.limits = options_.limits,
                                                            .room = &room_,
                                                            .begins = begins,
                                                            .now = options_.now,
                                                            .refusal = std::move(refusal),
                                                            .later = options_.later});
}

// Slots of a new stream begin with the one in which we are, or when the settings say.
std::optional<Seconds> Service::beginning(const PreparedRun& run) const {
  if (!run.clock()) return std::nullopt;
  const Seconds now = slot_boundary(static_cast<Seconds>(options_.now()), run.clock()->length);
  if (!run.clock()->from) return now;
  if (*run.clock()->from + run.clock()->length <= now) {
    throw InvalidParameter("from", "must not lie in the past: rows count in the slot in which they arrive");
  }
  return run.clock()->from;
}

RunSettings Service::served(const RunSettings& given, const std::string& name) const {
  if (given["insecure_test_seed"] && !options_.allow_insecure_test_seed) {
    throw InvalidParameter("insecure-test-seed", "protects nobody, and is not for streams that are served");
  }
  check(given, served_rows);
  RunSettings settings = given;
  settings.set("state", options_.state.string());
  settings.set("stream", name);
  return settings;
}

void Service::begin(ServedStream& stream) const {
  try {
    stream.begin();
  } catch (const std::exception& error) {
    std::error_code ignored;
    std::filesystem::remove(file_of(stream.name()), ignored);
    if (dynamic_cast<const BudgetExhausted*>(&error) != nullptr) throw;
    throw StorageFailed(error.what());
  }
}

CreatedStream Service::create(std::string_view text, bool dry_run) {
  NamedSettings named = named_settings(text);
  const std::string& name = named.name;
  RunSettings& given = named.settings;
  // Not the default of a run, and stored as it is, so that the next process reads the same.
  if (!given["on_bad_row"]) given.set("on_bad_row", "zero");
  const std::string stored = given.to_json();
  const RunSettings settings = served(given, name);
  CreatedStream result{.outcome = CreatedStream::Outcome::dry_run,
                       .name = name,
                       .run = prepared_run(settings, &options_.most_plan)};
  const auto was_there = [&] {
    if (unreadable_.contains(name)) throw StateError("its settings cannot be read");
    const auto found = settings_.find(name);
    if (found == settings_.end()) return false;
    if (found->second != stored) {
      throw Conflict(fmt::format("there is a stream {} with other settings: they cannot be changed", name));
    }
    return true;
  };
  // One stream is made at a time, and nobody who asks for another one waits meanwhile: neither readers nor
  // the clock.
  std::unique_lock creating(creating_, std::defer_lock);
  if (!dry_run) creating.lock();
  {
    const std::shared_lock lock(mutex_);
    const bool is_there = was_there();
    if (std::string why_not = is_there ? "" : refusal(*result.run); !why_not.empty()) {
      throw TooFewResources(why_not);
    }
    if (dry_run) {
      if (!is_there) result.run->check_budget();
      return result;
    }
    result.outcome = CreatedStream::Outcome::was_there;
    if (is_there) {
      if (result.run->clock()) result.run->begin_at(streams_.find(name)->second->run().schedule().start);
      return result;
    }
    if (streams_.size() >= options_.most_streams) {
      throw Conflict(
          fmt::format("there are {} streams already, as many as this server may have", streams_.size()));
    }
  }
  const std::optional<Seconds> begins = beginning(*result.run);
  auto stream = open(name, settings, begins);
  stream->check_can_begin();
  write_settings(file_of(name), stored, begins);
  if (begins) {
    // A process that ends here leaves a stream that the next one begins.
    begin(*stream);
    result.run->begin_at(*begins);
  }
  const std::unique_lock lock(mutex_);
  streams_.emplace(name, std::move(stream));
  settings_.emplace(name, stored);
  memory_.add(memory_of_stream(*result.run));
  ++opened_;
  result.outcome = CreatedStream::Outcome::created;
  return result;
}

ServedStream* Service::find(std::string_view name) const {
  const std::shared_lock lock(mutex_);
  const auto found = streams_.find(name);
  return found == streams_.end() ? nullptr : found->second.get();
}

std::vector<ServedStream*> Service::streams() const {
  const std::shared_lock lock(mutex_);
  std::vector<ServedStream*> all;
  for (const auto& [name, stream] : streams_) all.push_back(stream.get());
  return all;
}

void Service::tick() {
  const double now = options_.now();
  for (ServedStream* stream : streams()) {
    const std::optional<Seconds> due = stream->standing().due;
    if (due && static_cast<double>(*due) <= now) stream->tick_later();
  }
}

// At least once a second, because somebody may set the machine's clock, or make a stream.
void Service::keep_time(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any ends;
  std::unique_lock lock(mutex);
  while (!stop.stop_requested()) {
    tick();
    const double now = options_.now();
    double wait = 1;
    for (const ServedStream* stream : streams()) {
      if (const auto due = stream->standing().due) {
        wait = std::clamp(static_cast<double>(*due) - now, 0.01, wait);
      }
    }
    ends.wait_for(lock, stop, std::chrono::duration<double>(wait), [] { return false; });
  }
}

Json Service::plan_json_of(const CreatedStream& created) const {
  const PreparedRun& run = *created.run;
  StreamConfig config = run.mechanism().config();
  if (run.mechanism().has_second()) config.shape_second = run.mechanism().shape_second();
  // Of a new stream it is then known before its first reader asks.
  const ServedStream* const stream =
      created.outcome == CreatedStream::Outcome::dry_run ? nullptr : find(created.name);
  return {
      {"plan", plan_json(plan(config, {.method = config.method, .shape = run.mechanism().shape_first()}))},
      {"stream", stream == nullptr ? metadata(run.description(), run.columns())
                                   : Json::parse(stream->metadata_text())}};
}

}  // namespace jme
