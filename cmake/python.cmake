# The python that runs checks and tests: one that has pytest, whichever stands first in PATH.
if(NOT Python3_EXECUTABLE)
  execute_process(COMMAND "${PROJECT_SOURCE_DIR}/tools/python.sh" --path
                  OUTPUT_VARIABLE python OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(python)
    set(Python3_EXECUTABLE "${python}" CACHE FILEPATH "python for checks and tests")
  endif()
endif()
if(LIBTMA_BUILD_TESTS)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
endif()

# libtma_pytest(NAME [FILE ...]): the test files of this folder, or some of them, as one test;
# skipped where no python has pytest.
function(libtma_pytest name)
  add_test(NAME ${name}
           COMMAND "${PROJECT_SOURCE_DIR}/tools/python.sh" -B -m pytest -q -p no:cacheprovider
                   ${ARGN}
           WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 600)
endfunction()
