include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

get_property(modules GLOBAL PROPERTY JME_MODULES)
list(TRANSFORM modules PREPEND jme_ OUTPUT_VARIABLE module_targets)
# What the Debian package libjme-dev consists of. The command's rules are in apps/cli, and its package takes the rest.
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME library)
install(TARGETS jme jme_lapack jme_mpfr ${module_targets} EXPORT jme ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/jme ${PROJECT_BINARY_DIR}/include/jme DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT jme NAMESPACE jme:: FILE jmeTargets.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/jme)
configure_package_config_file(cmake/jmeConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/jmeConfig.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/jme)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/jmeConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/jmeConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/jmeConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/jme)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME command)
