#pragma once

// The whole public interface in the order a row takes through it.
#include <jme/base/adjacency.hpp>
#include <jme/base/errors.hpp>
#include <jme/base/horizon.hpp>
#include <jme/base/values.hpp>
#include <jme/calibration/calibration.hpp>
#include <jme/mechanism/mechanism.hpp>
#include <jme/models/correlation.hpp>
#include <jme/models/covariance.hpp>
#include <jme/models/density.hpp>
#include <jme/models/pca.hpp>
#include <jme/models/regression.hpp>
#include <jme/moments/moment_stream.hpp>
#include <jme/privacy/gaussian.hpp>
#include <jme/privacy/subsampled.hpp>
#include <jme/sensitivity/batch.hpp>
#include <jme/sensitivity/joint.hpp>
#include <jme/sensitivity/participation.hpp>
#include <jme/shaping/dense_optimum.hpp>
#include <jme/shaping/shape.hpp>
#include <jme/store/durable_stream.hpp>
#include <jme/store/ledger.hpp>
#include <jme/theory/expected_error.hpp>
#include <jme/theory/plan.hpp>
#include <jme/workload/workload.hpp>
