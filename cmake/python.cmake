# The python that runs checks and tests: Debian's own before any other in PATH, because it is the
# one that sees the packages python3-*.
if(NOT Python3_EXECUTABLE AND EXISTS /usr/bin/python3)
  set(Python3_EXECUTABLE /usr/bin/python3 CACHE FILEPATH "python for checks and tests")
endif()
if(LIBTMA_BUILD_TESTS)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
endif()
