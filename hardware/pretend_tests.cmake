# The program around the GPU, tested where there is none. PRETEND makes the pretended GPU or driver
# lie in some answers: then the program must fail, and say where.

# conformance_NAME: with LIE, must print EXPECTED.
function(tma_conformance_test name lie expected)
  add_test(NAME conformance_${name}
           COMMAND tma-conformance-pretend --driver $<TARGET_FILE:tma_pretend_driver> --threads 2
                   ${ARGN})
  set_tests_properties(conformance_${name} PROPERTIES
    LABELS hardware TIMEOUT 300 ENVIRONMENT "PRETEND=${lie}"
    PASS_REGULAR_EXPRESSION "${expected}")
endfunction()

set(encode --part encode --count 120000)
tma_conformance_test(encode "" "encode: 120000 passed, 0 failed" ${encode})
tma_conformance_test(encode_bit bit "word 17, no field: 0x00000001, libtma 0x00000000" ${encode})
tma_conformance_test(encode_rc rc "driver 1, libtma 0" ${encode})

set(copies --part copies --count 2000)
tma_conformance_test(copies "" "copies: [0-9]+ passed, 0 failed" ${copies} --traps 8)
tma_conformance_test(copies_byte byte "1 of [0-9]+ bytes differ" ${copies} --traps 0)
tma_conformance_test(copies_count count "the barrier did not complete" ${copies} --traps 0)
tma_conformance_test(copies_kill kill "case [0-9]+: the kernel was killed by" ${copies} --traps 0)
tma_conformance_test(copies_live live "the hardware: no error" --part copies --count 100 --traps 2)

foreach(arch sm_100a sm_103a sm_110a sm_120a)
  tma_conformance_test(copies_${arch} "" "copies: [0-9]+ passed, 0 failed" ${copies} --traps 4)
  set_tests_properties(conformance_copies_${arch} PROPERTIES ENVIRONMENT "PRETEND_ARCH=${arch}")
endforeach()

set(replace --part replace --count 20000)
tma_conformance_test(replace "" "replace: 20000 passed, 0 failed" ${replace})
tma_conformance_test(replace_edit edit "word 31, no field: 0x[0-9a-f]+, libtma" ${replace})
