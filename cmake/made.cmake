# SPDX-License-Identifier: Apache-2.0
#
# What one build of the tree has made, for the Python package of another (-D LIBTMA_MADE=FOLDER): tests
# compile the libraries, the command and the page once, not once more for Python.

# Writes where this build's are.
function(libtma_write_made)
  set(made libtma_static libtma_text_static libtma_draw_static tma_ptx_reader tma_emulator tma_dump tma)
  foreach(name tma_cuda tma_emulated_driver tma_cudart_12 tma_cudart_13)
    if(TARGET ${name})
      list(APPEND made ${name})
    endif()
  endforeach()
  export(TARGETS ${made} NAMESPACE libtma:: FILE "${PROJECT_BINARY_DIR}/made-targets.cmake")
  get_property(lacking GLOBAL PROPERTY LIBTMA_SHIM_LACKING)
  file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/made.cmake" @ONLY CONTENT [[
include("${CMAKE_CURRENT_LIST_DIR}/made-targets.cmake")
set_property(GLOBAL PROPERTY LIBTMA_SHIM_LACKING "@lacking@")
]])
endfunction()

# The public headers, to a folder that make install or a wheel has.
function(libtma_install_headers folder)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/tma" DESTINATION "${folder}" ${ARGN}
          FILES_MATCHING PATTERN "*.h" PATTERN "*.def" PATTERN "*.cuh"
          # for the libraries' own sources; no public header includes them
          PATTERN "detail/assert.h" EXCLUDE PATTERN "detail/chars.h" EXCLUDE
          PATTERN "detail/divisor.h" EXCLUDE)
endfunction()

# Takes them from FOLDER, to be installed with the Python package.
macro(libtma_take_made folder)
  include("${folder}/made.cmake")
  foreach(name tma_dump tma_emulator tma_ptx_reader)
    add_library(${name} ALIAS libtma::${name})
  endforeach()
  if(TARGET libtma::tma_cuda)
    install(IMPORTED_RUNTIME_ARTIFACTS libtma::tma_cuda LIBRARY DESTINATION libtma COMPONENT python)
  endif()
  if(TARGET libtma::tma_emulated_driver)
    install(IMPORTED_RUNTIME_ARTIFACTS libtma::tma_emulated_driver libtma::tma_cudart_12 libtma::tma_cudart_13
            LIBRARY DESTINATION "${SKBUILD_DATA_DIR}/lib/libtma/emulated" COMPONENT python)
  endif()
  install(IMPORTED_RUNTIME_ARTIFACTS libtma::tma RUNTIME DESTINATION "${SKBUILD_SCRIPTS_DIR}" COMPONENT python)
  if(EXISTS "${folder}/page/index.html" AND EXISTS "${folder}/page/tma-emulator.js") # both or neither
    install(FILES "${folder}/page/index.html" DESTINATION libtma RENAME page.html COMPONENT python)
    install(FILES "${folder}/page/tma-emulator.js" DESTINATION libtma COMPONENT python)
  endif()
endmacro()
