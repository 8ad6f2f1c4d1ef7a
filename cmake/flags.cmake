# How C is compiled in this directory and below; a project around this one is left alone.
if(PROJECT_IS_TOP_LEVEL)
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Debug, Release, RelWithDebInfo (-O2)" FORCE)
  endif()
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
  # Functions and lines, for a trace: where each variable of inlined loops lies doubles their compiling.
  if(CMAKE_C_FLAGS_RELWITHDEBINFO STREQUAL "-O2 -g -DNDEBUG") # CMake's own, nobody's choice
    set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O2 -g1 -DNDEBUG")
  endif()
endif()

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)

# CMAKE_BUILD_TYPE=Sanitizers: to optimise what is instrumented takes three times as long as all the rest of
# compiling it, so only that is optimised in which tests spend the time gained.
set(CMAKE_C_FLAGS_SANITIZERS "-O0 -g1")
set(LIBTMA_BUSY "$<$<CONFIG:Sanitizers>:-O1>")
# Where no time is spent, half as much optimising: compiled in two thirds of the time.
set(LIBTMA_QUICKLY "$<$<AND:$<CONFIG:RelWithDebInfo>,$<COMPILE_LANGUAGE:C>>:-O1>")

add_compile_options("$<$<COMPILE_LANGUAGE:C,CXX>:-Wall;-Wextra;-Wpedantic>")
if(LIBTMA_WERROR)
  add_compile_options("$<$<COMPILE_LANGUAGE:C,CXX>:-Werror>")
endif()
if(LIBTMA_SANITIZE)
  add_compile_definitions(TMA_ASSERTIONS)
  add_compile_options(-fsanitize=${LIBTMA_SANITIZE} -fno-sanitize-recover=all
                      -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${LIBTMA_SANITIZE})
  if(CMAKE_C_COMPILER_ID MATCHES "Clang")
    # Callers have types of their own for what is opaque, and for cuda.h's: clang 17 and later object.
    add_compile_options(-fno-sanitize=function)
  endif()
endif()
