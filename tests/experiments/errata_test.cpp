// The errata on the page are those of docs/errata.md, every entry names its proof, and the proofs that belong
// to no room are here.
#include "experiments/errata.hpp"

#include <cmath>
#include <map>
#include <regex>
#include <sstream>

#include <gmock/gmock.h>

#include <jme/calibration/calibration.hpp>
#include <jme/moments/moment_stream.hpp>
#include <jme/privacy/gaussian.hpp>

#include "experiments/density_simulation.hpp"
#include "experiments/markdown.hpp"

namespace jme::experiments {
namespace {

using testing::HasSubstr;
using testing::Not;

/// The entries of the document: heading and body.
std::map<std::string, std::string> entries() {
  std::map<std::string, std::string> found;
  std::istringstream lines{std::string(errata_markdown())};
  std::string heading;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("### ")) {
      heading = line.substr(4);
    } else if (line.starts_with("## ")) {
      heading.clear();
    } else if (!heading.empty()) {
      found[heading] += line + '\n';
    }
  }
  return found;
}

std::string page() {
  report::Page page("test");
  add_errata(page);
  return page.html();
}

TEST(Errata, EveryEntryNamesATestThatProvesIt) {
  const auto all = entries();
  EXPECT_EQ(all.size(), 19U);
  const std::regex proof(R"(\*Tests?\.\*[^\n]*`[A-Z][A-Za-z0-9]+\.[A-Z][A-Za-z0-9]+`)");
  for (const auto& [heading, body] : all) {
    EXPECT_TRUE(std::regex_search(body, proof)) << heading << " names no test";
    for (const char* part : {"*Paper.*", "*Right.*", "*Why it matters.*"})
      EXPECT_THAT(body, HasSubstr(part)) << heading;
  }
}

TEST(Errata, OnThePageAreThoseOfTheDocument) {
  const std::string html = page();
  for (const auto& [heading, body] : entries()) EXPECT_THAT(html, HasSubstr(report::escaped(heading)));
  EXPECT_THAT(html, HasSubstr("<code>JointSensitivity.OfGeneralColumnsIsNotThatOfTheFirstColumns</code>"));
  EXPECT_THAT(html, HasSubstr("<strong>Why it matters.</strong>"));
  EXPECT_THAT(html, Not(HasSubstr("](")));
  EXPECT_THAT(html, Not(HasSubstr("**")));
}

TEST(Markdown, KnowsCodeEmphasisAndLinks) {
  EXPECT_EQ(inline_markdown("a `b*c*` **d** *e* [f](g.md) [h](https://i)").html(),
            "a <code>b*c*</code> <strong>d</strong> <strong>e</strong> f <a href=\"https://i\">h</a>");
  EXPECT_EQ(inline_markdown("2 * 3 * 4 and [P] and <b>").html(), "2 * 3 * 4 and [P] and &lt;b&gt;");
}

TEST(Markdown, KnowsTablesListsAndListings) {
  report::Page page("test");
  add_markdown(page,
               "# One\n\n| a | b |\n|---|---|\n| `x` | y |\n\n* p\n  q\n* r\n\n    code\n\ntext\nmore\n");
  const std::string html = page.html();
  for (const char* part : {"One</h2>", "<th scope=\"col\">a</th>", "<code>x</code>", "<li>p q</li>",
                           "<li>r</li>", "<pre>code\n</pre>", "<p>text more</p>"})
    EXPECT_THAT(html, HasSubstr(part));
}

// Errata 7. The joint sensitivity s is proportional to zeta. Reading one of Algorithm 2, noise zeta s(zeta):
// the privacy loss mu = s / (zeta s sigma) exceeds 1/sigma for zeta < 1. Reading two, s(1) for rows of norm
// 1: the first channel, zeta s(1), is right; the second needs zeta^2 s(1) and has zeta s(1): too little for
// zeta > 1.
TEST(AdamNoise, OfThePaperIsTooSmallForOneReadingOrTheOther) {
  const auto calibration = [](double zeta) {
    return calibrate({.method = Method::jme,
                      .sigma = 1,
                      .rows = {.adjacency = Adjacency::replace_one, .dimension = 10, .norm_bound = zeta},
                      .exposure = single_exposure({1}, {1}),
                      .second = SecondMoment::diagonal});
  };
  for (const double zeta : {0.1, 0.5, 0.9}) {
    EXPECT_LT(zeta * calibration(zeta).std_first, calibration(zeta).std_first);
    // mu of the first moment alone, at the pair of rows +-zeta e1, beside the promised 1.
    EXPECT_GT(2 * zeta / (zeta * calibration(zeta).std_first), 1.1);
  }
  for (const double zeta : {1.1, 2.0, 10.0}) {
    EXPECT_NEAR(zeta * calibration(1).std_first, calibration(zeta).std_first, 1e-12 * zeta);
    EXPECT_LT(zeta * calibration(1).std_second, calibration(zeta).std_second);
  }
}

// Errata 7, second half: the noisy second moment of rows near zero is negative about half the time.
TEST(AdamNoise, MakesSecondMomentsNegative) {
  const Mechanism mechanism({.budget = {.sigma = 1},
                             .rows = 200,
                             .dimension = 5,
                             .norm_bound = 1,
                             .workload = decay(0.999),
                             .second = SecondMoment::diagonal});
  MomentStream stream(mechanism, InsecureTestSeed{7});
  const std::vector<double> row(5, 0.0);
  std::size_t negative = 0;
  for (int t = 0; t < 200; ++t) {
    for (const double value : stream.push(row).second()) negative += value < 0 ? 1 : 0;
  }
  EXPECT_GT(negative, 200U);
}

// Errata 8. Rows of the experiment have norms far above 1 (E||x||^2 = d^2 + d/2), and x replaced by -x moves
// the unclipped first moment by 2||x||: beyond 1/sigma of the promise, and by any amount, since norms are not
// bounded.
TEST(DensityExperiment, HasRowsFarOutsideTheUnitBallAndLosesMoreThanItPromises) {
  const std::size_t d = 5;
  double largest = 0, mean_square = 0;
  std::size_t outside = 0;
  for (std::size_t r = 0; r < 1000; ++r) {
    const GaussianWorld world({InsecureTestSeed{r}.key(), Nonce{}}, d);
    const double norm = world.row(0).norm();
    largest = std::max(largest, norm);
    mean_square += norm * norm / 1000;
    outside += norm > 1 ? 1 : 0;
  }
  EXPECT_GT(outside, 950U);
  EXPECT_NEAR(mean_square, 27.5, 5);  // one row's square has a deviation of about 22: 7 standard errors
  EXPECT_GT(largest, 10);
  // Noise s = 2 is the multiplier 1 for rows of norm 1; replacing a row of norm 5 by its negative is like
  // multiplier 1/5.
  EXPECT_GT(gaussian_epsilon(1.0 / 5, 1e-6), 7 * gaussian_epsilon(1.0, 1e-6));
}

// Renyi divergence of one step of the Poisson-subsampled Gaussian at a whole order, rows added or removed
// (Mironov, Talwar, Zhang 2019, equation for integer alpha).
double subsampled_rdp(double rate, double sigma, int order) {
  double sum = 0;
  for (int k = 0; k <= order; ++k) {
    sum += std::exp(std::lgamma(order + 1) - std::lgamma(k + 1) - std::lgamma(order - k + 1) +
                    k * std::log(rate) + (order - k) * std::log1p(-rate) + k * (k - 1) / (2 * sigma * sigma));
  }
  return std::log(sum) / (order - 1);
}

struct RdpEpsilon {
  double epsilon;
  int order;
};
// Least over whole orders up to `largest`: by the conversion in common use (Canonne, Kamath, Steinke 2020),
// or by the older one, rdp + log(1/delta) / (order - 1).
RdpEpsilon least_epsilon(double rate, double sigma, double steps, int largest, bool older) {
  constexpr double delta = 1e-6;
  RdpEpsilon best{1e300, 0};
  for (int order = 2; order <= largest; ++order) {
    const double rdp = steps * subsampled_rdp(rate, sigma, order);
    const double epsilon =
        older ? rdp - std::log(delta) / (order - 1)
              : rdp - (std::log(delta) + std::log(order)) / (order - 1) + std::log1p(-1.0 / order);
    if (epsilon < best.epsilon) best = {epsilon, order};
  }
  return best;
}

// Errata 18: both epsilons are artefacts of RDP, the second also of the older conversion; and the sensitivity
// they are used with belongs to the other adjacency.
TEST(PaperAccounting, OfSubsampledTrainingIsRdpWithTheSensitivityOfAnotherAdjacency) {
  const RdpEpsilon medium = least_epsilon(256.0 / 50000, 1, 1960, 63, false);
  EXPECT_NEAR(medium.epsilon, 1.785, 5e-3);  // whole orders; 1.746 with fractional ones between 1 and 11
  const RdpEpsilon printed = least_epsilon(1.0 / 50000, 2, 500000, 200, true);
  EXPECT_NEAR(printed.epsilon, 0.165, 5e-4);  // the paper's 0.16
  const RdpEpsilon all_orders = least_epsilon(1.0 / 50000, 2, 500000, 200, false);
  EXPECT_NEAR(all_orders.epsilon, 0.1012, 5e-5);
  EXPECT_EQ(all_orders.order, 86);
  const double replaced = std::sqrt(joint_gain(Adjacency::replace_one, 1000, 1));
  const double removed = std::sqrt(joint_gain(Adjacency::add_remove, 1000, 1));
  EXPECT_NEAR(replaced, 2.1213, 5e-5);
  EXPECT_NEAR(removed, 1.4142, 5e-5);
}

}  // namespace
}  // namespace jme::experiments
