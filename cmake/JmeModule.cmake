# Flags every target of the project is built with.
add_library(jme_options INTERFACE)
target_compile_features(jme_options INTERFACE cxx_std_20)
# Noise must be the same bits on every machine: no contraction of a*b+c, and never -ffast-math.
target_compile_options(jme_options INTERFACE -Wall -Wextra -Wconversion -Wshadow -Wpedantic -ffp-contract=off)
# g++ 12 takes an optimised std::string of "x" + y for an overlapping copy (GCC bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(jme_options INTERFACE -Wno-restrict)
endif()
if(JME_SANITIZE)
  target_compile_options(jme_options INTERFACE -fsanitize=${JME_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(jme_options INTERFACE -fsanitize=${JME_SANITIZE})
endif()

# g++ looks for memory to use again when its heap has reached 128 MB, which the templates of one room do many times.
# With 512 MB it compiles up to a sixth faster, and needs up to a third more memory.
option(JME_JOIN_FILES "Compile the files of a target as one" OFF)
if(JME_JOIN_FILES AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  target_compile_options(jme_options INTERFACE --param=ggc-min-heapsize=524288)
endif()

add_library(jme INTERFACE)
add_library(jme::jme ALIAS jme)
set_property(GLOBAL PROPERTY JME_MODULES "")

# jme_module(NAME USES other rooms LINKS libraries [IN_HALVES] [BY_FILE] [COLD]): the static library jme_NAME from src/NAME,
# whose files are compiled as one. COLD: it computes little. IN_HALVES: a room that takes long to compile is compiled as two files, so that a change costs
# half of it. BY_FILE: its files are never joined, as they give the same names to different things of their own.
function(jme_module name)
  cmake_parse_arguments(ARG "IN_HALVES;BY_FILE;COLD" "" "USES;LINKS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/src/${name}/*.cpp)
  if(NOT sources)
    return()
  endif()
  add_library(jme_${name} STATIC ${sources})
  target_include_directories(
    jme_${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>
    PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(jme_${name} PRIVATE $<BUILD_INTERFACE:jme_options> PUBLIC ${ARG_LINKS})
  target_compile_features(jme_${name} PUBLIC cxx_std_20)
  foreach(other IN LISTS ARG_USES)
    if(TARGET jme_${other})
      target_link_libraries(jme_${name} PUBLIC jme_${other})
    endif()
  endforeach()
  set_target_properties(jme_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_link_libraries(jme INTERFACE jme_${name})
  set_property(GLOBAL APPEND PROPERTY JME_MODULES ${name})
  list(LENGTH sources count)
  if(ARG_COLD)
    jme_optimise_less(jme_${name})
  endif()
  if(NOT ARG_BY_FILE)
    jme_compile_together(jme_${name})
    if(ARG_IN_HALVES)
      math(EXPR half "(${count} + 1) / 2")
      set_target_properties(jme_${name} PROPERTIES UNITY_BUILD_BATCH_SIZE ${half})
    endif()
  endif()
endfunction()

# jme_optimise_less(TARGET): for what computes little itself. Where files are joined for a build from nothing, it is
# compiled faster.
function(jme_optimise_less target)
  if(JME_JOIN_FILES AND NOT JME_SANITIZE)
    target_compile_options(${target} PRIVATE -O1)
  endif()
endfunction()

# jme_compile_together(TARGET [HEADERS...]): compiles the files of a target as one, and parses large foreign headers
# once for all targets that name the same. Most of the time of compiling goes into templates of Eigen, CLI11, nlohmann
# and gmock, which each file would instantiate for itself. Both are for a build from nothing: not done behind a compiler
# cache, which remembers files that did not change. Joined files hide a forgotten include; scripts/tidy and the preset
# release, which do not join them, find it.
function(jme_compile_together target)
  if(CMAKE_CXX_COMPILER_LAUNCHER)
    return()
  endif()
  if(JME_JOIN_FILES)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
    # Highway compiles a file of kernels once for each instruction set by including it again.
    get_target_property(kernels ${target} SOURCES)
    list(FILTER kernels INCLUDE REGEX "_kernels\\.cpp$")
    set_source_files_properties(${kernels} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
  if(ARGN)
    string(MD5 key "${ARGN}")
    get_property(first GLOBAL PROPERTY JME_PRECOMPILED_${key})
    if(first)
      target_precompile_headers(${target} REUSE_FROM ${first})
    else()
      target_precompile_headers(${target} PRIVATE ${ARGN})
      set_property(GLOBAL PROPERTY JME_PRECOMPILED_${key} ${target})
    endif()
  endif()
endfunction()
