/* SPDX-License-Identifier: Apache-2.0
 *
 * Guard pages by mmap and mprotect, on Windows by VirtualAlloc and VirtualProtect.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "guard_page.h"

#include "testing.h"

#define BESIDE_B 4096

#ifdef _WIN32
#include <windows.h>

static size_t page_B(void) {
    SYSTEM_INFO info;
    GetSystemInfo(&info);
    return info.dwPageSize;
}

static uint8_t *pages_make(size_t size_B) {
    return VirtualAlloc(NULL, size_B, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
}

static int page_close(uint8_t *page) {
    DWORD before = 0;
    return VirtualProtect(page, page_B(), PAGE_NOACCESS, &before) ? 0 : -1;
}

static void pages_free(uint8_t *pages, size_t size_B) {
    (void)size_B;
    VirtualFree(pages, 0, MEM_RELEASE);
}
#else
#include <sys/mman.h>
#include <unistd.h>

static size_t page_B(void) {
    return (size_t)sysconf(_SC_PAGESIZE);
}

static uint8_t *pages_make(size_t size_B) {
    void *pages = mmap(NULL, size_B, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return pages == MAP_FAILED ? NULL : pages;
}

static int page_close(uint8_t *page) {
    return mprotect(page, page_B(), PROT_NONE);
}

static void pages_free(uint8_t *pages, size_t size_B) {
    munmap(pages, size_B);
}
#endif

void guard_arena_make(struct guard_arena *arena, size_t size_B) {
    const size_t page = page_B();
    const size_t inner_B = (size_B + page - 1) / page * page;
    uint8_t *pages = pages_make(inner_B + 2 * page);
    assert_non_null(pages);
    assert_int_equal(page_close(pages), 0);
    assert_int_equal(page_close(pages + page + inner_B), 0);
    *arena = (struct guard_arena){pages + page, inner_B, pages + page, 0};
}

void guard_arena_free(struct guard_arena *arena) {
    pages_free(arena->bytes - page_B(), arena->size_B + 2 * page_B());
}

/* The bytes beside the placed buffer, on the side where no page guards it. */
static size_t beside(const struct guard_arena *arena, uint8_t **first) {
    const size_t before_B = (size_t)(arena->placed - arena->bytes);
    const size_t behind_B = arena->size_B - before_B - arena->placed_B;
    if (before_B) {
        const size_t size_B = before_B < BESIDE_B ? before_B : BESIDE_B;
        *first = arena->placed - size_B;
        return size_B;
    }
    *first = arena->placed + arena->placed_B;
    return behind_B < BESIDE_B ? behind_B : BESIDE_B;
}

uint8_t *guard_arena_place(struct guard_arena *arena, size_t size_B, int at_end) {
    uint8_t *first = NULL;
    assert_true(size_B <= arena->size_B);
    arena->placed = arena->bytes + (at_end ? arena->size_B - size_B : 0);
    arena->placed_B = size_B;
    const size_t beside_B = beside(arena, &first);
    memset(first, GUARD_SENTINEL, beside_B);
    return arena->placed;
}

int guard_arena_intact(const struct guard_arena *arena) {
    uint8_t *first = NULL;
    const size_t beside_B = beside(arena, &first);
    for (size_t i = 0; i < beside_B; i++) {
        if (first[i] != GUARD_SENTINEL) {
            return 0;
        }
    }
    return 1;
}
