# ATen, the tensor library inside Debian's libtorch-dev, as the target jme_torch. Torch's own CMake configuration is not
# used: it asks for the development files of everything libtorch was built with.
find_package(OpenMP REQUIRED)  # with which ATen shares out work
find_path(JME_TORCH_INCLUDE ATen/core/Tensor.h)
find_library(JME_TORCH_CPU torch_cpu)
find_library(JME_C10 c10)
if(NOT JME_TORCH_INCLUDE OR NOT JME_TORCH_CPU OR NOT JME_C10)
  message(FATAL_ERROR "JME_BUILD_TRAIN needs libtorch: install libtorch-dev (scripts/install-packages train)")
endif()
add_library(jme_torch INTERFACE)
target_include_directories(jme_torch SYSTEM INTERFACE ${JME_TORCH_INCLUDE})
target_link_libraries(jme_torch INTERFACE ${JME_TORCH_CPU} ${JME_C10})
