# SPDX-License-Identifier: Apache-2.0
#
# The program whose encodes and decodes callgrind counts, and the test that they keep their limits.
# Tests and benchmarks both include this.
find_path(VALGRIND_INCLUDE valgrind/callgrind.h)
if(NOT TARGET count_map AND VALGRIND_INCLUDE)
  set(here "${PROJECT_SOURCE_DIR}/lab/bench")
  add_executable(count_map "${here}/count_map.c" "${here}/map_cases.c")
  target_include_directories(count_map PRIVATE "${VALGRIND_INCLUDE}" "${PROJECT_SOURCE_DIR}/tests")
  target_link_libraries(count_map PRIVATE libtma::text_static)
  target_link_options(count_map PRIVATE LINKER:-S) # valgrind 3.19 fails on clang's line tables
  if(LIBTMA_BUILD_TESTS AND NOT LIBTMA_SANITIZE AND NOT CMAKE_BUILD_TYPE STREQUAL Debug)
    add_test(NAME instructions_map
             COMMAND "${LIBTMA_PYTHON}" "${here}/instructions.py" $<TARGET_FILE:count_map>)
    set_tests_properties(instructions_map PROPERTIES LABELS bench SKIP_RETURN_CODE 77 TIMEOUT 300)
  endif()

  add_executable(count_copy "${here}/count_copy.c")
  target_include_directories(count_copy PRIVATE "${VALGRIND_INCLUDE}")
  target_link_libraries(count_copy PRIVATE libtma::static)
  target_link_options(count_copy PRIVATE LINKER:-S)
  if(TEST instructions_map)
    add_test(NAME instructions_copy COMMAND "${LIBTMA_PYTHON}" "${here}/copy_instructions.py"
                                            $<TARGET_FILE:count_copy>)
    set_tests_properties(instructions_copy PROPERTIES LABELS bench SKIP_RETURN_CODE 77 TIMEOUT 300)
  endif()

  if(TARGET tma AND TEST instructions_map)
    add_test(NAME instructions_log COMMAND "${LIBTMA_PYTHON}" "${here}/log_instructions.py" $<TARGET_FILE:tma>)
    set_tests_properties(instructions_log PROPERTIES LABELS bench SKIP_RETURN_CODE 77 TIMEOUT 300)
  endif()

  if(TARGET tma_emulator)
    add_executable(count_emulate "${here}/count_emulate.c")
    target_include_directories(count_emulate PRIVATE "${VALGRIND_INCLUDE}" "${PROJECT_SOURCE_DIR}/tests")
    target_link_libraries(count_emulate PRIVATE tma_emulator)
    target_link_options(count_emulate PRIVATE LINKER:-S)
    if(TEST instructions_map)
      add_test(NAME instructions_emulate COMMAND "${LIBTMA_PYTHON}" "${here}/emulate_instructions.py"
                                                 $<TARGET_FILE:count_emulate>)
      set_tests_properties(instructions_emulate PROPERTIES LABELS bench SKIP_RETURN_CODE 77 TIMEOUT 300)
    endif()
  endif()
endif()
