# The python that runs checks and tests: one that has pytest, whichever stands first in PATH. Ends
# with 77 where there is none, which skips a test.
set(LIBTMA_PYTHON "${PROJECT_SOURCE_DIR}/tools/python.sh")

# libtma_pytest(NAME [FILE ...]): the test files of this folder, or some of them, as one test;
# skipped where no python has pytest.
function(libtma_pytest name)
  add_test(NAME ${name} COMMAND "${LIBTMA_PYTHON}" -B -m pytest -q -p no:cacheprovider ${ARGN}
           WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 600)
endfunction()

# libtma_drawn(NAME...): after their labels are set: of these tests' cases make test-all draws a share
# (--drawn, tests/support/drawn_cases.py), make long takes all.
function(libtma_drawn)
  set_property(TEST ${ARGN} APPEND PROPERTY LABELS drawn)
endfunction()
