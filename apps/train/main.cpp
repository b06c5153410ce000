#include "command_line.hpp"

int main(int argc, char** argv) {
  return jme::train::command_line(argc, argv);
}
