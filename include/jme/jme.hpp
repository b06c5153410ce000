#pragma once

// The whole public interface, in the order a row takes through it. Readers of files (jme/data) are not part
// of it: programs that need them include them by name.

// What everything speaks of.
#include <jme/base/adjacency.hpp>
#include <jme/base/errors.hpp>
#include <jme/base/horizon.hpp>
#include <jme/base/matrix_view.hpp>
#include <jme/base/values.hpp>
#include <jme/version.hpp>

// Before the first row: what is asked for, what it costs, how good it will be.
#include <jme/calibration/batch_calibration.hpp>
#include <jme/calibration/calibration.hpp>
#include <jme/mechanism/batch_mechanism.hpp>
#include <jme/mechanism/mechanism.hpp>
#include <jme/mechanism/square_layers.hpp>
#include <jme/privacy/gaussian.hpp>
#include <jme/privacy/subsampled.hpp>
#include <jme/sensitivity/batch.hpp>
#include <jme/sensitivity/joint.hpp>
#include <jme/sensitivity/participation.hpp>
#include <jme/sensitivity/square_clip.hpp>
#include <jme/shaping/dense_optimum.hpp>
#include <jme/shaping/shape.hpp>
#include <jme/theory/expected_error.hpp>
#include <jme/theory/plan.hpp>
#include <jme/workload/workload.hpp>

// A row's cells: bounds of the columns, and cells that are missing.
#include <jme/columns/bounds.hpp>
#include <jme/columns/missing.hpp>

// Ranges of columns, where nobody knows public bounds.
#include <jme/ranges/range_search.hpp>

// From rows to releases, in memory or durably.
#include <jme/moments/block_stream.hpp>
#include <jme/moments/block_sum.hpp>
#include <jme/moments/moment_stream.hpp>
#include <jme/store/durable_search.hpp>
#include <jme/store/durable_stream.hpp>
#include <jme/store/ledger.hpp>

// What is made of releases.
#include <jme/models/adam.hpp>
#include <jme/models/best_estimate.hpp>
#include <jme/models/bootstrap.hpp>
#include <jme/models/correlation.hpp>
#include <jme/models/covariance.hpp>
#include <jme/models/density.hpp>
#include <jme/models/interval.hpp>
#include <jme/models/pca.hpp>
#include <jme/models/regression.hpp>
#include <jme/models/sample_size.hpp>

// Private training: batches, clipped sums and what they leave to debias.
#include <jme/training/batch_sampler.hpp>
#include <jme/training/clipped_sums.hpp>
#include <jme/training/debiased_noise.hpp>

// What is published.
#include <jme/output/emit.hpp>
#include <jme/output/metadata.hpp>
#include <jme/output/plan_json.hpp>
#include <jme/output/privacy_statement.hpp>
#include <jme/output/release_writer.hpp>
#include <jme/output/report_page.hpp>

// All of it as one run.
#include <jme/pipeline/configure.hpp>
#include <jme/pipeline/prepared_run.hpp>
#include <jme/pipeline/row_feed.hpp>
#include <jme/pipeline/run_fields.hpp>
#include <jme/pipeline/run_settings.hpp>

// Questions that need no data, and their answers as JSON.
#include <jme/inquiry/ledger_json.hpp>
#include <jme/inquiry/questions.hpp>

// Streams that many write to, and who may.
#include <jme/access/audit_log.hpp>
#include <jme/access/tokens.hpp>
#include <jme/service/served_stream.hpp>
#include <jme/service/service.hpp>
