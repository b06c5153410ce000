#include "experiments/errata.hpp"

#include "experiments/markdown.hpp"

namespace jme::experiments {

void add_errata(report::Page& page) {
  add_markdown(page, errata_markdown());
}

}  // namespace jme::experiments
