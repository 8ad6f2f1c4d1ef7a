/* SPDX-License-Identifier: Apache-2.0
 *
 * cudaDeviceProp as CUDA 13 has it (driver_types.h): what lies where, for programs that were
 * compiled with that header.
 */
#ifndef PROGRAM_DEVICE_PROPERTIES_H
#define PROGRAM_DEVICE_PROPERTIES_H

#include <stddef.h>

typedef struct device_properties {
    char name[256];
    char uuid[16], luid[8];
    unsigned luid_mask;
    size_t memory_B, block_shared_B;
    int block_registers, warp;
    size_t most_pitch_B;
    int block_threads, block_size[3], grid_size[3];
    size_t constant_B;
    int major, minor;
    size_t texture_alignment_B, texture_pitch_alignment_B;
    int processors, is_integrated, maps_host;
    int texture_sizes[25], surface_sizes[14]; /* of textures and surfaces: there are none */
    size_t surface_alignment_B;
    int concurrent_kernels, ecc, pci_bus, pci_device, pci_domain, tcc, copy_engines, unified;
    int bus_bit, l2_B, persisting_l2_B, processor_threads, priorities, caches_globals,
        caches_locals;
    size_t processor_shared_B;
    int processor_registers, managed, multi_board, board_group, host_atomics, pageable;
    int concurrent_managed, preemption, host_pointers, cooperative;
    size_t block_shared_optin_B;
    int pageable_tables, managed_from_host, processor_blocks, window_B;
    size_t reserved_shared_B;
    int host_register, sparse, host_register_read_only, timeline, pools, rdma;
    unsigned rdma_flush;
    int rdma_order;
    unsigned pool_handles;
    int deferred_arrays, ipc_events, clusters, function_pointers, numa_config, numa, mps, host_numa;
    unsigned pci_ids, pci_subsystem;
    int host_numa_ipc, reserved[56];
} device_properties;

#endif
