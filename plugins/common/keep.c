// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/common/keep.h"

#include "plugins/common/compat.h"

#include <epan/wmem_scopes.h>

#include <string.h>

enum {
    ALIGNED = 8,
    ROOM = 1 << 15, /* octets allocated at a time */
};

static char *next; /* free octets */
static size_t left;

void *keep_new(size_t size)
{
    char *kept;

    size = (size + ALIGNED - 1) / ALIGNED * ALIGNED;
    if (size > left) {
        left = MAX(size, (size_t)ROOM);
        next = wmem_alloc(wmem_file_scope(), left);
    }
    kept = next;
    next += size;
    left -= size;
    return memset(kept, 0, size);
}

void keep_forget(void)
{
    left = 0;
}
