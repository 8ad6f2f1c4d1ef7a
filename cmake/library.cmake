# The library out of ${sources}: compiled once, archived and linked. libtma::static and
# libtma::shared are the two; libtma::libtma is the one that BUILD_SHARED_LIBS asks for.
include(CheckCCompilerFlag)
check_c_compiler_flag(-fno-semantic-interposition LIBTMA_HAS_NO_INTERPOSITION)

add_library(libtma_objects OBJECT ${sources})
set_target_properties(libtma_objects PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_include_directories(libtma_objects PRIVATE "${PROJECT_SOURCE_DIR}/include"
                                                  "${PROJECT_SOURCE_DIR}/src")
if(LIBTMA_HAS_NO_INTERPOSITION) # a call inside the library is never another library's
  target_compile_options(libtma_objects PRIVATE -fno-semantic-interposition)
endif()

add_library(libtma_static STATIC $<TARGET_OBJECTS:libtma_objects>)
add_library(libtma_shared SHARED $<TARGET_OBJECTS:libtma_objects>)
foreach(kind static shared)
  set_target_properties(libtma_${kind} PROPERTIES OUTPUT_NAME tma EXPORT_NAME ${kind}
                                                  LINKER_LANGUAGE C)
  target_include_directories(
    libtma_${kind} INTERFACE "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>"
                             "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
  add_library(libtma::${kind} ALIAS libtma_${kind})
endforeach()

# Before 1.0 every minor version may change the interface.
set_target_properties(
  libtma_shared PROPERTIES VERSION ${PROJECT_VERSION}
                           SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
                           LINK_DEPENDS "${PROJECT_SOURCE_DIR}/src/libtma.map")
target_link_options(libtma_shared PRIVATE
                    "LINKER:--version-script=${PROJECT_SOURCE_DIR}/src/libtma.map")

if(BUILD_SHARED_LIBS)
  set(chosen shared)
  set(other static)
else()
  set(chosen static)
  set(other shared)
endif()
add_library(libtma::libtma ALIAS libtma_${chosen})
if(NOT PROJECT_IS_TOP_LEVEL)
  set_target_properties(libtma_${other} PROPERTIES EXCLUDE_FROM_ALL ON)
endif()
