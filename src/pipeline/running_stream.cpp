#include <jme/pipeline/running_stream.hpp>

namespace jme {

void RunningStream::add_rows(const MatrixView& rows, const MatrixView& as_read) {
  if (watch_.rows) watch_.rows(rows);
  if (durable_) return durable_->add_rows(rows, as_read);
  if (rows.rows == 1 && rows.column_stride == 1) {
    const Release& release = in_memory_->push({rows.data, rows.columns});
    if (release.is_new()) publish_(release);
  } else if (in_memory_->push_rows(rows) > 0) {
    publish_made();
  }
}

void RunningStream::add_block(const BlockSum& block) {
  if (watch_.block) watch_.block(block);
  if (durable_) {
    static_cast<void>(durable_->add_block(block));
  } else if (in_memory_->push_block(block) > 0) {
    publish_made();
  }
}

void RunningStream::push_block(std::string_view id, const BlockSum& block) {
  if (!durable_) return add_block(block);
  if (watch_.block) watch_.block(block);
  const Release release = durable_->push_block(id, block);
  publish_committed();
  publish_(release);
}

void RunningStream::publish_due() {
  if (!durable_) return;
  durable_->commit_if_due();
  publish_committed();
}

void RunningStream::flush() {
  if (!durable_) return;
  durable_->commit();
  publish_committed();
}

void RunningStream::end_input() {
  if (durable_) {
    using enum DurableStream::PartialBlock;
    durable_->end_input(leave_open_ ? leave : release);
    return publish_committed();
  }
  const Release& release = in_memory_->finish();
  if (release.is_new()) publish_(release);
}

void RunningStream::publish_stored() {
  if (durable_) durable_->releases_before(publish_);
}

const Release* RunningStream::newest() const {
  if (durable_) return durable_->newest();
  return in_memory_->release().steps() > 0 ? &in_memory_->release() : nullptr;
}

void RunningStream::publish_made() {
  const Releases releases = in_memory_->take_releases();
  for (std::size_t i = 0; i < releases.size(); ++i) publish_(releases[i]);
}

void RunningStream::publish_committed() {
  while (const Release* release = durable_->next()) publish_(*release);
}

}  // namespace jme
