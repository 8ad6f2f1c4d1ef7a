# tma_check_kernels(TARGET [OPTION...]): has the kernels of a target checked whenever they change.
#
# A target TARGET_tma_check, built with all, compiles each .cu source of TARGET to PTX with its include
# directories, definitions, options and first architecture, and runs tma ptx --format=gcc on the PTX; a
# source that is PTX itself is checked as it is. It fails where there is a finding. OPTIONs go to tma
# ptx: --werror=certain fails for certain findings alone, --accept=FILE leaves out those in a file.
function(tma_check_kernels target)
  if(TARGET tma)
    set(tma "$<TARGET_FILE:tma>")
  else()
    find_program(LIBTMA_TMA tma HINTS "${LIBTMA_BINDIR}")
    if(NOT LIBTMA_TMA)
      message(FATAL_ERROR "tma_check_kernels: the command tma is neither in ${LIBTMA_BINDIR} nor in PATH; "
                          "-D LIBTMA_TMA=... says where it is")
    endif()
    set(tma "${LIBTMA_TMA}")
  endif()
  get_target_property(sources ${target} SOURCES)
  get_target_property(folder ${target} SOURCE_DIR)
  get_target_property(archs ${target} CUDA_ARCHITECTURES)
  set(arch "")
  if(archs MATCHES "^([0-9]+[af]?)")
    set(arch "-arch=compute_${CMAKE_MATCH_1}")
  endif()
  set(includes "$<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>")
  set(definitions "$<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>")
  set(stamps "")
  foreach(source IN LISTS sources)
    if(NOT source MATCHES "\\.(cu|ptx)$")
      continue()
    endif()
    get_filename_component(path "${source}" ABSOLUTE BASE_DIR "${folder}")
    get_filename_component(name "${source}" NAME)
    string(MAKE_C_IDENTIFIER "${source}" unique)
    set(ptx "${path}")
    set(stamp "${CMAKE_CURRENT_BINARY_DIR}/${target}_tma_check/${unique}.checked")
    file(MAKE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/${target}_tma_check")
    if(source MATCHES "\\.cu$")
      set(ptx "${CMAKE_CURRENT_BINARY_DIR}/${target}_tma_check/${unique}.ptx")
      add_custom_command(
        OUTPUT "${ptx}"
        COMMAND ${CMAKE_CUDA_COMPILER} -ptx -lineinfo ${arch} "$<$<BOOL:${includes}>:-I$<JOIN:${includes},;-I>>"
                "$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},;-D>>"
                "$<TARGET_PROPERTY:${target},COMPILE_OPTIONS>" -MD -MT "${ptx}" -MF "${ptx}.d" -o "${ptx}"
                "${path}"
        DEPENDS "${path}"
        DEPFILE "${ptx}.d"
        COMMAND_EXPAND_LISTS VERBATIM
        COMMENT "PTX of ${name}")
    endif()
    add_custom_command(
      OUTPUT "${stamp}"
      COMMAND ${tma} ptx --format=gcc ${ARGN} "${ptx}"
      COMMAND ${CMAKE_COMMAND} -E touch "${stamp}"
      DEPENDS "${ptx}"
      COMMAND_EXPAND_LISTS VERBATIM
      COMMENT "tma ptx ${name}")
    list(APPEND stamps "${stamp}")
  endforeach()
  if(NOT stamps)
    message(FATAL_ERROR "tma_check_kernels: ${target} has no .cu and no .ptx among its sources")
  endif()
  add_custom_target(${target}_tma_check ALL DEPENDS ${stamps})
endfunction()
