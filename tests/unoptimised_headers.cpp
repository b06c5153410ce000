// Nothing: the target exists for the headers that it parses beforehand (see CMakeLists.txt).
