# SPDX-License-Identifier: Apache-2.0
#
# An overlay port: vcpkg install libtma --overlay-ports=packaging/vcpkg
cmake_path(GET CURRENT_PORT_DIR PARENT_PATH folder)
cmake_path(GET folder PARENT_PATH SOURCE_PATH)
vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}" OPTIONS
  -DLIBTMA_WERROR=OFF -DLIBTMA_BUILD_TESTS=OFF -DLIBTMA_BUILD_BENCH=OFF -DLIBTMA_BUILD_FUZZERS=OFF -DLIBTMA_BUILD_CLI=OFF
  -DLIBTMA_BUILD_SHIM=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME libtma CONFIG_PATH lib/cmake/libtma)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
