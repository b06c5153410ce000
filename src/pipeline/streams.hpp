#pragma once

#include <memory>
#include <optional>

#include <jme/mechanism/mechanism.hpp>
#include <jme/pipeline/running_stream.hpp>
#include <jme/random/key.hpp>
#include <jme/store/durable_stream.hpp>

namespace jme {

/// A stream that lives as long as the process.
[[nodiscard]] std::unique_ptr<RunningStream> passing_stream(const Mechanism& mechanism,
                                                            std::optional<InsecureTestSeed> seed,
                                                            RunningStream::Publish publish);

/// A stream that survives the process.
[[nodiscard]] std::unique_ptr<RunningStream> durable_stream(const Mechanism& mechanism,
                                                            const DurableOptions& options, bool leave_open,
                                                            RunningStream::Publish publish);

}  // namespace jme
