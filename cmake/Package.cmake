# What `cmake --install` puts in place: the headers, libpaddock.a, and find_package(paddock).
include(CMakePackageConfigHelpers)

install(TARGETS paddock EXPORT paddock-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/paddock DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/paddock)
install(EXPORT paddock-targets NAMESPACE paddock:: DESTINATION ${package_dir})
configure_package_config_file(cmake/paddock-config.cmake.in paddock-config.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(paddock-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/paddock-config.cmake ${PROJECT_BINARY_DIR}/paddock-config-version.cmake
  DESTINATION ${package_dir})
