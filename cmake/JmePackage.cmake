# The Debian packages that scripts/release makes: jme (the command, its manual and completions, the documents) and
# libjme-dev (headers, static libraries, the files for find_package).
if(NOT PROJECT_IS_TOP_LEVEL OR NOT JME_BUILD_APPS)
  return()
endif()

install(FILES README.md CHANGELOG.md SECURITY.md DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/jme COMPONENT command)
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/jme COMPONENT command
        FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN man EXCLUDE)
install(FILES cmake/debian-copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/jme RENAME copyright COMPONENT command)
install(FILES cmake/debian-copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libjme-dev RENAME copyright COMPONENT library)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME jme)
set(CPACK_PACKAGE_VENDOR "")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL command library)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE "")

set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME jme)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SECTION science)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SHLIBDEPS ON)
set(CPACK_COMPONENT_COMMAND_DESCRIPTION
    "jme reads a stream of sensitive rows and publishes running means and covariances under differential privacy, for the whole output at once (continual release).")

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libjme-dev)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libdevel)
# What jmeConfig.cmake looks for and what the static libraries are linked with.
string(JOIN ", " CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS libboost-dev libeigen3-dev libfmt-dev libhwy-dev liblapacke-dev
       liblzma-dev libmpfr-dev libopenblas-dev libsimdjson-dev libsqlite3-dev libssl-dev zlib1g-dev)
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION
    "Headers and static libraries for programs that publish running moments under differential privacy, with the files for find_package(jme).")

include(CPack)
