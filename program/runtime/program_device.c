/* SPDX-License-Identifier: Apache-2.0
 *
 * The device: an H200, or the one of LIBTMA_ARCH.
 */
#include "emulated_program.h"
#include "schedule.h"
#include "settings.h"

static const program_device devices[] = {
#define CUDA_DEVICE(sm, suffix, name, memory_B) {sm, name, memory_B},
#include "cuda_devices.def"
};

const program_device *tma_program_device(void) {
    size_t i = sizeof(devices) / sizeof(*devices) - 1;
    while (i && devices[i].sm != settings()->target.sm) {
        i--;
    }
    return &devices[i];
}

static int answer_of_an_h200(int number) {
    switch (number) {
#define CUDA_ATTRIBUTE(id, name, number, value)                                                    \
    case number:                                                                                   \
        return value;
#include "cuda_attributes.def"
    default:
        return 0;
    }
}

int tma_program_attribute(int number) {
    const uint32_t sm = tma_program_device()->sm;
    const emu_chip *chip = emu_chip_of(sm);
    const tma_target target = {.sm = (uint16_t)sm, .suffix = 'a'};
    static const struct {
        uint32_t sm;
        int number, value;
    } differs[] = {
#define CUDA_DIFFERS(sm, id, value) {sm, ATTRIBUTE_##id, value},
#include "cuda_devices.def"
    };
    switch (number) {
    case ATTRIBUTE_MAJOR:
        return (int)sm / 10;
    case ATTRIBUTE_MINOR:
        return (int)sm % 10;
    case ATTRIBUTE_PROCESSORS:
        return (int)chip->sms;
    case ATTRIBUTE_PROCESSOR_THREADS:
        return (int)chip->threads;
    case ATTRIBUTE_PROCESSOR_BLOCKS:
        return (int)chip->ctas;
    case ATTRIBUTE_PROCESSOR_SHARED_B:
        return (int)chip->shared_B;
    case ATTRIBUTE_BLOCK_SHARED_OPTIN_B:
        return (int)tma_arch_of(&target)->shared_B;
    default:
        break;
    }
    for (size_t i = 0; i < sizeof(differs) / sizeof(*differs); i++) {
        if (differs[i].sm == sm && differs[i].number == number) {
            return differs[i].value;
        }
    }
    return answer_of_an_h200(number);
}
