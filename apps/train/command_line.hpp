#pragma once

namespace jme::train {

/// What jme-train does with its arguments; returns its exit code.
int command_line(int argc, char** argv);

}  // namespace jme::train
