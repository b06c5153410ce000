#include "command_line.hpp"

int main(int argc, char** argv) {
  return jme::cli::run_command_line(argc, argv);
}
