#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include <jme/base/errors.hpp>
#include <jme/store/durable_search.hpp>

#include "store/bytes.hpp"
#include "store/column_digests.hpp"
#include "store/file.hpp"
#include "store/folder.hpp"
#include "store/hmac.hpp"
#include "store/key_file.hpp"
#include "store/sha256.hpp"
#include "store/source_budget.hpp"
#include "store/stream_store.hpp"

namespace jme {

namespace {

using store::StoredRelease;
using store::Tag;

store::About about_search(const DurableOptions& options, double mu, const std::vector<std::string>& columns) {
  store::About about;
  const auto add = [](Settings& to, std::string name, std::string value) {
    to.push_back({.name = std::move(name), .value = std::move(value)});
  };
  add(about.settings, "source", options.source);
  add(about.settings, "stream", options.stream);
  add(about.settings, std::string(mechanism_version_setting), std::string(mechanism_version));
  add(about.settings, std::string(kind_setting), std::string(search_kind));
  for (const Setting& setting : options.details) about.settings.push_back(setting);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    add(about.settings, fmt::format("column {}", i + 1), columns[i]);
  }
  if (options.insecure_seed) {
    add(about.settings, "insecure-test-seed", fmt::format("{}", options.insecure_seed->value));
  }
  add(about.facts, "mu", fmt::format("{}", mu));
  add(about.facts, "bad-past", "0");
  return about;
}

/// The nonce seals nothing here, but keys of seals must differ from one opening to the next.
StreamState state_with(std::uint64_t records, std::uint64_t releases) {
  StreamState state;
  state.rows = records;
  state.steps = releases;
  state.finished = releases > 0;
  state.nonces = {{.first_step = 0, .nonce = nonce_from_system()}};
  return state;
}

/// By which the records are recognised.
Tag digest_of_records(const store::StreamKeys& keys, const RecordChain& records) {
  return store::Hmac(keys.rows())
      .tag(store::ByteWriter().text("jme searched records").raw(records.digest()).bytes());
}

StateError other_records(const std::filesystem::path& folder) {
  return StateError(fmt::format(
      "state {}: these records are not those that were searched for bounds; other data need another source, "
      "and another search of the same data needs its own name and spends again",
      folder.string()));
}

}  // namespace

void RecordChain::add(std::string_view record) {
  store::Sha256 hash;
  hash.add(store::ByteWriter().raw(digest_).text(record).bytes());
  digest_ = hash.digest();
}

struct DurableSearch::Impl {
  Impl(const DurableOptions& with, double mu, std::vector<std::string> names)
      : options(with),
        columns(std::move(names)),
        about(about_search(with, mu, columns)),
        kept((store::make_folder(with.directory),
              store::StreamFiles(with.directory, with.source, with.stream)),
             about) {}

  [[nodiscard]] std::vector<Tag> digests_of(const MatrixView& cells) const {
    store::ColumnDigests digests(kept.keys(), columns);
    std::vector<double> row(cells.columns);
    for (std::size_t r = 0; r < cells.rows; ++r) {
      for (std::size_t j = 0; j < cells.columns; ++j) row[j] = cells.at(r, j);
      digests.add(row);
    }
    return digests.close();
  }

  [[nodiscard]] std::vector<Numbers> released_before(const MatrixView& cells) {
    const std::vector<Tag> now = digests_of(cells);
    std::vector<Numbers> numbers;
    for (const Tag& digest : now) {
      StoredRelease found = kept.next_release();
      if (!store::equal(found.digest, digest)) throw other_records(options.directory);
      numbers.push_back(std::move(found.numbers));
    }
    return numbers;
  }

  // The charge is on disk before anything is drawn, and counts even if nothing follows.
  void charge() {
    const store::File folder = store::File::folder(options.directory);
    folder.lock();
    store::check_source_budget(options, about);
    kept.create_key(Key::from_system());
    kept.begin({.state = state_with(0, 0)});
  }

  DurableOptions options;
  std::vector<std::string> columns;
  store::About about;
  store::StreamStore kept;
};

DurableSearch::DurableSearch(const DurableOptions& options, double mu, std::vector<std::string> columns)
    : impl_(std::make_unique<Impl>(options, mu, std::move(columns))) {}
DurableSearch::DurableSearch(DurableSearch&&) noexcept = default;
DurableSearch& DurableSearch::operator=(DurableSearch&&) noexcept = default;
DurableSearch::~DurableSearch() = default;

std::vector<DurableSearch::Numbers> DurableSearch::release(const MatrixView& cells,
                                                           const std::function<std::vector<Numbers>()>& find,
                                                           const RecordChain& records) {
  if (!impl_) throw StateError("the search was moved from");
  if (cells.columns != impl_->columns.size())
    throw InvalidParameter("columns", "are others than its cells have");
  store::StreamStore& kept = impl_->kept;
  if (!kept.is_new() && kept.head().state.steps > 0) return impl_->released_before(cells);
  if (kept.is_new()) impl_->charge();
  // A process that ended before its commit showed nothing. Its noise came from a key that nobody kept.
  std::vector<Numbers> numbers = find();
  const std::vector<Tag> digests = impl_->digests_of(cells);
  store::Commit commit{.state = state_with(cells.rows, numbers.size())};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    commit.releases.push_back({.step = i + 1,
                               .rows = cells.rows,
                               .numbers = numbers[i],
                               .digest = digests[i],
                               .id = digest_of_records(kept.keys(), records)});
  }
  kept.commit(commit);
  return numbers;
}

struct SearchedRecords::Impl {
  std::filesystem::path folder;
  store::StreamKeys keys;
  Settings settings;
  Tag expected;
  RecordChain records{};
};

SearchedRecords::SearchedRecords(const std::filesystem::path& folder, const std::string& source,
                                 const std::string& stream) {
  store::check_folder(folder);
  const store::StreamFiles files(folder, source, stream);
  if (!store::is_there(files.database)) {
    throw StateError(
        fmt::format("state {}: has no search for bounds {} of source {}: the ledger must have it, so run jme "
                    "bounds with the same state and source",
                    folder.string(), stream, source));
  }
  store::StreamLog log(files.database, store::StreamLog::Access::read);
  if (log.old_format()) {
    throw StateError(
        fmt::format("state {}: the search for bounds {} was made by an older version of jme: search again, "
                    "which spends its budget again",
                    folder.string(), stream));
  }
  if (log.is_empty() || log.head().state.steps == 0) {
    throw StateError(
        fmt::format("state {}: the search for bounds {} has released nothing", folder.string(), stream));
  }
  if (value_of(log.about().settings, kind_setting) != search_kind) {
    throw StateError(fmt::format("state {}: {} is no search for bounds", folder.string(), stream));
  }
  const store::StreamKeys keys(store::KeyFile(files.key, store::KeyFile::Access::read).key(),
                               log.about().identity());
  log.unlock(keys);
  log.check_all();
  impl_ = std::make_unique<Impl>(Impl{.folder = folder,
                                      .keys = keys,
                                      .settings = log.about().settings,
                                      .expected = log.release(1).id.value_or(Tag{})});
}
bool SearchedRecords::are_in(const std::filesystem::path& folder, const std::string& source,
                             const std::string& stream) {
  return store::is_there(store::StreamFiles(folder, source, stream).database);
}
SearchedRecords::SearchedRecords(SearchedRecords&&) noexcept = default;
SearchedRecords& SearchedRecords::operator=(SearchedRecords&&) noexcept = default;
SearchedRecords::~SearchedRecords() = default;

const Settings& SearchedRecords::settings() const {
  return impl_->settings;
}

void SearchedRecords::add(std::string_view record) {
  impl_->records.add(record);
}

void SearchedRecords::check() const {
  if (!store::equal(digest_of_records(impl_->keys, impl_->records), impl_->expected))
    throw other_records(impl_->folder);
}

}  // namespace jme
