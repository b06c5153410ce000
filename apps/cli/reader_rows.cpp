#include "reader_rows.hpp"

#include <sys/stat.h>
#include <unistd.h>

namespace jme::cli {

bool may_wait(const std::string& path) {
  struct stat status {};
  const bool is_known = (path == "-" ? ::fstat(STDIN_FILENO, &status) : ::stat(path.c_str(), &status)) == 0;
  return !is_known || !S_ISREG(status.st_mode);
}

}  // namespace jme::cli
