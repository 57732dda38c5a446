// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/check/large_pages.h"
#include "tests/unit/support/support.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { BLOCK = 64 << 10, BLOCKS = 2048, PAGE = 2 << 20 };

/* Large pages are requested for the heap: one area, or several. */
static size_t octets_asked_for(void)
{
    FILE *maps = fopen("/proc/self/smaps", "r");
    unsigned long from, to;
    bool heap = false;
    size_t octets = 0, area = 0;
    char line[512];

    if (!maps)
        return 0;
    while (fgets(line, sizeof line, maps)) {
        if (sscanf(line, "%lx-%lx ", &from, &to) == 2) {
            heap = strstr(line, "[heap]") != NULL;
            area = to - from;
        } else if (heap && strncmp(line, "VmFlags:", 8) == 0 && strstr(line, " hg")) {
            octets += area;
        }
    }
    fclose(maps);
    return octets;
}

static bool kernel_has_them(void)
{
    return access("/sys/kernel/mm/transparent_hugepage/enabled", R_OK) == 0;
}

UNIT_TEST(what_the_heap_grows_by)
{
    struct large_pages pages = {0};
    void **blocks = calloc(BLOCKS, sizeof *blocks);
    const char *begin = sbrk(0);
    size_t asked_for;

    (void)state;
    assert_non_null(blocks);
    large_pages_take(&pages);
    assert_ptr_equal(pages.end, begin);
    assert_int_equal(octets_asked_for(), 0);
    for (unsigned i = 0; i < BLOCKS; i++) {
        blocks[i] = malloc(BLOCK);
        assert_non_null(blocks[i]);
        memset(blocks[i], 1, BLOCK);
        large_pages_take(&pages);
    }
    asked_for = octets_asked_for();
    for (unsigned i = 0; i < BLOCKS; i++)
        free(blocks[i]);
    free(blocks);
    /* A sanitizer's or valgrind's malloc() does not use the heap, and a kernel may lack large pages. */
    if (pages.end == begin || !kernel_has_them())
        skip();
    assert_true(asked_for >= (size_t)BLOCK * BLOCKS - PAGE);
}
