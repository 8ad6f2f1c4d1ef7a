# The project's libraries, each compiled once, archived and linked.
#
# libtma_library(NAME OUTPUT file's name PREFIX prefix CHOSEN name INSIDE folders of its own headers ...
# MAP list of exported symbols [ON library ...] SOURCES ...) makes NAME_static and NAME_shared, on top
# of ON_static and ON_shared. Outside they are libtma::PREFIXstatic and libtma::PREFIXshared, and
# libtma::CHOSEN is the one that BUILD_SHARED_LIBS asks for.
include(CheckCCompilerFlag)
set(CMAKE_REQUIRED_FLAGS -Werror) # clang for macOS takes it with a warning
check_c_compiler_flag(-fno-semantic-interposition LIBTMA_HAS_NO_INTERPOSITION)
unset(CMAKE_REQUIRED_FLAGS)

function(libtma_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "OUTPUT;PREFIX;MAP;CHOSEN" "INSIDE;SOURCES;ON")
  add_library(${name}_objects OBJECT ${arg_SOURCES})
  set_target_properties(${name}_objects PROPERTIES POSITION_INDEPENDENT_CODE ON)
  list(TRANSFORM arg_INSIDE PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
  target_include_directories(${name}_objects PRIVATE "${PROJECT_SOURCE_DIR}/include" ${arg_INSIDE})
  target_compile_options(${name}_objects PRIVATE -Wconversion -Wsign-conversion ${LIBTMA_BUSY})
  if(LIBTMA_HAS_NO_INTERPOSITION) # a call inside the library is never another library's
    target_compile_options(${name}_objects PRIVATE -fno-semantic-interposition)
  endif()

  add_library(${name}_static STATIC $<TARGET_OBJECTS:${name}_objects>)
  add_library(${name}_shared SHARED $<TARGET_OBJECTS:${name}_objects>)
  foreach(kind static shared)
    set_target_properties(${name}_${kind} PROPERTIES OUTPUT_NAME ${arg_OUTPUT} LINKER_LANGUAGE C
                                                     EXPORT_NAME ${arg_PREFIX}${kind}
                                                     ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}"
                                                     LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
    target_include_directories(
      ${name}_${kind} INTERFACE "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>"
                                "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
    if(arg_ON) # beside it, installed and built alike: CMake ends a build's own RUNPATH with an empty folder
      set_target_properties(${name}_${kind} PROPERTIES INSTALL_RPATH "$ORIGIN" BUILD_WITH_INSTALL_RPATH ON)
    endif()
    foreach(below ${arg_ON})
      target_link_libraries(${name}_${kind} PUBLIC ${below}_${kind})
    endforeach()
    add_library(libtma::${arg_PREFIX}${kind} ALIAS ${name}_${kind})
  endforeach()

  # docs/abi.md: before 1.0 every minor version may change the interface.
  set(soversion ${PROJECT_VERSION_MAJOR})
  if(PROJECT_VERSION_MAJOR EQUAL 0)
    set(soversion ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  endif()
  set(map "${CMAKE_CURRENT_SOURCE_DIR}/${arg_MAP}")
  set_target_properties(
    ${name}_shared PROPERTIES VERSION ${PROJECT_VERSION} LINK_DEPENDS "${map}"
                              SOVERSION ${soversion})
  if(NOT APPLE) # whose linker has no such lists: what is hidden there is what C says
    target_link_options(${name}_shared PRIVATE "LINKER:--version-script=${map}")
  endif()

  if(BUILD_SHARED_LIBS)
    set(chosen shared)
  else()
    set(chosen static)
  endif()
  add_library(libtma::${arg_CHOSEN} ALIAS ${name}_${chosen})
  if(NOT PROJECT_IS_TOP_LEVEL)
    foreach(kind objects static shared) # who links it, builds it
      if(NOT name STREQUAL "libtma" OR kind MATCHES "static|shared" AND NOT kind STREQUAL chosen)
        set_target_properties(${name}_${kind} PROPERTIES EXCLUDE_FROM_ALL ON)
      endif()
    endforeach()
  endif()
  set(installed static shared)
  if(DEFINED BUILD_SHARED_LIBS) # a packager's choice; without one both are installed
    set(installed ${chosen})
  endif()
  list(TRANSFORM installed PREPEND "${name}_")
  set_property(GLOBAL APPEND PROPERTY LIBTMA_INSTALLED ${installed})
endfunction()
