#include <cmath>

#include <jme/base/errors.hpp>

#include "commands.hpp"
#include "flag_checks.hpp"

namespace jme::train {

void DataFlags::attach(CLI::App& app) {
  app.add_option("--dataset", dataset, "fashion-mnist or cifar10")->capture_default_str();
  app.add_option("--data", directory, "Folder of its files (cifar10: scripts/get-cifar10 makes one)");
  app.add_option("--fraction", fraction, "Train on the first part of the training pictures only, in (0, 1]")
      ->check(number());
}

Dataset DataFlags::read() const {
  if (!(fraction > 0 && fraction <= 1)) throw InvalidParameter("fraction", fraction, "in (0, 1]");
  if (dataset != "fashion-mnist" && dataset != "cifar10")
    throw InvalidParameter("dataset", dataset, "fashion-mnist or cifar10");
  if (dataset == "cifar10" && directory.empty())
    throw InvalidParameter("data", "must be given for cifar10: the folder that scripts/get-cifar10 made");
  Dataset read = dataset == "cifar10" ? read_cifar10(directory)
                 : directory.empty()  ? read_fashion_mnist()
                                      : read_fashion_mnist(directory);
  if (fraction < 1) {
    const double kept = std::ceil(fraction * static_cast<double>(read.training.size()));
    read.training = read.training.first(static_cast<std::int64_t>(kept));
  }
  return read;
}

}  // namespace jme::train
