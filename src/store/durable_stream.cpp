#include <utility>

#include <jme/base/errors.hpp>
#include <jme/store/durable_stream.hpp>

#include "store/durable_impl.hpp"
#include "store/source_budget.hpp"

namespace jme {

DurableStream::DurableStream(const Mechanism& mechanism, const DurableOptions& options)
    : impl_(std::make_unique<Impl>(mechanism, options)) {}
DurableStream::DurableStream(DurableStream&&) noexcept = default;
DurableStream& DurableStream::operator=(DurableStream&&) noexcept = default;
DurableStream::~DurableStream() = default;

DurableStream::Impl& DurableStream::impl() const {
  if (!impl_) throw StateError("the stream was moved from");
  return *impl_;
}

void DurableStream::push(std::span<const double> row) {
  const std::size_t before = impl().next.releases.size();
  const MatrixView one{.data = row.data(), .rows = 1, .columns = row.size()};
  impl().add_rows(one, one);
  if (impl().next.releases.size() > before) commit_if_due();
}

void DurableStream::add_rows(const MatrixView& rows, const MatrixView& as_read) {
  impl().add_rows(rows, as_read);
}

const Release& DurableStream::add_block(const BlockSum& block, std::string_view id) {
  return impl().add_block(block, id);
}

Release DurableStream::push_block(std::string_view id, const BlockSum& block) {
  return impl().push_block(id, block);
}

const SealedParts& DurableStream::sealed() const {
  return impl().next.sealed;
}

SealedParts& DurableStream::change_sealed() {
  impl().check_is_new();
  impl().has_new_parts = true;
  return impl().next.sealed;
}

void DurableStream::read_journal(JournalOf journal,
                                 const std::function<void(std::span<const std::byte>)>& record) const {
  if (!impl().store.is_new()) impl().store.read_journal(journal, record);
}

std::optional<Key> DurableStream::front_key(std::string_view purpose) const {
  if (impl().store.is_new()) return std::nullopt;
  return impl().store.keys().front(purpose);
}

void DurableStream::check_budget() const {
  const Impl& inside = impl();
  if (inside.store.is_new()) {
    store::check_source_budget(inside.options, store::about_stream(inside.mechanism, inside.options));
  }
}

void DurableStream::check_budget(const Mechanism& mechanism, const DurableOptions& options) {
  const store::StreamFiles files(options.directory, options.source, options.stream);
  if (!std::filesystem::exists(files.database)) {
    store::check_source_budget(options, store::about_stream(mechanism, options));
  }
}

void DurableStream::begin() {
  impl().begin_new();
}

void DurableStream::resume_at(std::uint64_t rows) {
  impl().resume_at(rows);
}

void DurableStream::releases_before(const std::function<void(const Release&)>& take) {
  Impl& inside = impl();
  for (std::uint64_t done = 0; done < inside.rows_before;) {
    const store::StoredRelease stored = inside.store.next_release();
    done = stored.rows;
    inside.last_replayed = inside.unpacked(stored);
    take(*inside.last_replayed);
  }
}

void DurableStream::end_input(PartialBlock partial) {
  impl().end_input(partial);
}

void DurableStream::commit() {
  impl().commit();
}

void DurableStream::commit_if_due() {
  if (!impl().next.releases.empty() && Impl::Clock::now() >= impl().due()) commit();
}

std::optional<std::chrono::steady_clock::time_point> DurableStream::commit_due() const {
  if (impl().next.releases.empty()) return std::nullopt;
  return impl().due();
}

const Release* DurableStream::next() {
  Impl& inside = impl();
  if (inside.ready.empty()) return nullptr;
  inside.given = std::move(inside.ready.front());
  inside.ready.pop_front();
  return &*inside.given;
}

const Release* DurableStream::newest() const {
  const Impl& inside = impl();
  if (inside.has_made_release) return &inside.stream->release();
  return inside.last_replayed ? &*inside.last_replayed : nullptr;
}

std::uint64_t DurableStream::rows() const {
  return impl().rows;
}
std::uint64_t DurableStream::committed_rows() const {
  return impl().committed_rows;
}
std::uint64_t DurableStream::rows_before() const {
  return impl().rows_before;
}

}  // namespace jme
