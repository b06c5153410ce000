#pragma once

#include <map>
#include <memory>
#include <string>

#include <jme/mechanism/mechanism.hpp>

namespace jme {

/// Mechanisms that are compared with each other: those with the same workloads, shapes and horizon share the
/// parts that take time to make, whatever their method and budget. Shapes and workloads with explicit numbers
/// share nothing.
class MechanismFamily {
 private:
  friend class Mechanism;
  [[nodiscard]] std::shared_ptr<const Mechanism::Parts> parts_of(const Mechanism& mechanism);
  std::map<std::string, std::shared_ptr<const Mechanism::Parts>> known_;
};

}  // namespace jme
