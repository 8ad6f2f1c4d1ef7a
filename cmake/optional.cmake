# SPDX-License-Identifier: Apache-2.0
#
# What is used if it is there. Whatever goes without it is left out with one line that says what and
# why, which tools/configure.sh shows.
function(libtma_left_out what why)
  message(NOTICE "left out: ${what}: ${why}")
endfunction()

# libtma_find_pkg(PREFIX MODULE): pkg-config's MODULE as PkgConfig::PREFIX and PREFIX_FOUND, looked for
# again each time until it is found.
# Where another processor's programs are built, this machine's packages are not theirs: pkg-config is
# asked if somebody says whose files it reads (PKG_CONFIG_LIBDIR, PKG_CONFIG_SYSROOT_DIR) or which one.
macro(libtma_find_pkg prefix module)
  if(CMAKE_CROSSCOMPILING AND NOT DEFINED ENV{PKG_CONFIG_LIBDIR} AND NOT DEFINED ENV{PKG_CONFIG}
     AND NOT DEFINED ENV{PKG_CONFIG_SYSROOT_DIR} AND NOT PKG_CONFIG_EXECUTABLE)
    set(CMAKE_DISABLE_FIND_PACKAGE_PkgConfig ON)
  endif()
  find_package(PkgConfig QUIET)
  if(PKG_CONFIG_FOUND)
    if(NOT ${prefix}_FOUND)
      unset(__pkg_config_checked_${prefix} CACHE)
    endif()
    pkg_check_modules(${prefix} QUIET IMPORTED_TARGET ${module})
  endif()
endmacro()

# Test programs link cmocka, and read recorded answers through zlib.
if(LIBTMA_BUILD_TESTS)
  libtma_find_pkg(CMOCKA cmocka)
  find_package(ZLIB QUIET)
  if(NOT PKG_CONFIG_FOUND)
    libtma_left_out("the test programs" "no pkg-config, which finds cmocka (Debian: pkg-config)")
  elseif(NOT CMOCKA_FOUND)
    libtma_left_out("the test programs" "no cmocka (Debian: libcmocka-dev)")
  elseif(NOT ZLIB_FOUND)
    libtma_left_out("the test programs" "no zlib (Debian: zlib1g-dev)")
  else()
    set(LIBTMA_TEST_PROGRAMS ON)
  endif()
endif()
