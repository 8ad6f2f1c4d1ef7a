# make install: headers, both libraries, the command, and the ways to find them.
include(CMakePackageConfigHelpers)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/libtma")
# Written apart: they are right where they are installed, and nobody is to find them in the build's folder.
set(written "${PROJECT_BINARY_DIR}/installed")
file(GLOB misleading "${PROJECT_BINARY_DIR}/*.pc" "${PROJECT_BINARY_DIR}/libtmaConfig*.cmake") # 0.2's
if(misleading)
  file(REMOVE ${misleading})
endif()

libtma_install_headers("${CMAKE_INSTALL_INCLUDEDIR}")
get_property(libraries GLOBAL PROPERTY LIBTMA_INSTALLED)
install(TARGETS ${libraries} EXPORT libtmaTargets)
if(TARGET tma)
  install(TARGETS tma)
endif()

install(EXPORT libtmaTargets NAMESPACE libtma:: DESTINATION "${package_dir}")
configure_package_config_file(cmake/libtmaConfig.cmake.in "${written}/libtmaConfig.cmake"
                              INSTALL_DESTINATION "${package_dir}"
                              PATH_VARS CMAKE_INSTALL_BINDIR)
write_basic_package_version_file("${written}/libtmaConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${written}/libtmaConfig.cmake" "${written}/libtmaConfigVersion.cmake" cmake/tma_check_kernels.cmake
        DESTINATION "${package_dir}")

# The .pc files find the prefix from where they lie, so that an install can be moved.
set(pc_dir "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig")
file(RELATIVE_PATH pc_prefix "${pc_dir}" "${CMAKE_INSTALL_PREFIX}")
string(REGEX REPLACE "/$" "" pc_prefix "${pc_prefix}")
foreach(dir libdir includedir)
  string(TOUPPER "CMAKE_INSTALL_${dir}" setting)
  set(pc_${dir} "${${setting}}")
  if(NOT IS_ABSOLUTE "${pc_${dir}}")
    string(PREPEND pc_${dir} "\${prefix}/")
  endif()
endforeach()
set(packages libtma libtma-text libtma-draw)
if(TARGET libtma_emulator_static)
  list(APPEND packages libtma-emulator)
endif()
foreach(name ${packages})
  configure_file(cmake/${name}.pc.in "${written}/${name}.pc" @ONLY)
  install(FILES "${written}/${name}.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
endforeach()
# What other programs read our findings by.
install(FILES cli/share/tma.schema.json cli/share/problem-matcher.json cli/share/vscode-tasks.json
        DESTINATION "${CMAKE_INSTALL_DATADIR}/libtma")
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}")
