#pragma once

/// The version of the library, as releases and reports state it. CMakeLists.txt refuses one that is not the
/// project's.
#define JME_VERSION "0.1.0"
