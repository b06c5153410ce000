#include "experiments/figure.hpp"

namespace jme::experiments {

const char* name(Verdict verdict) {
  switch (verdict) {
    case Verdict::confirmed:
      return "confirmed";
    case Verdict::partly:
      return "partly";
    case Verdict::refuted:
      return "refuted";
    case Verdict::open:
      return "open";
  }
  return "";
}

}  // namespace jme::experiments
