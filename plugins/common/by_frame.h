/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pointers by frame number, for what most frames have. A map would take five times the memory, and most of the time
 * that a packet of InfiniBand costs here. Memory is of file scope: to be emptied when the file is closed.
 */
#ifndef IWARP_PLUGINS_COMMON_BY_FRAME_H
#define IWARP_PLUGINS_COMMON_BY_FRAME_H

#include "plugins/common/compat.h"

#include <epan/wmem_scopes.h>

#include <string.h>

struct by_frame {
    void **at;
    uint32_t n;
};

/* NULL: there is none. */
static inline void *by_frame_get(const struct by_frame *frames, uint32_t number)
{
    return number < frames->n ? frames->at[number] : NULL;
}

static inline void by_frame_put(struct by_frame *frames, uint32_t number, void *value)
{
    enum { FRAMES_MIN = 256 };

    if (number >= frames->n) {
        uint32_t n = MAX(MAX(number + 1, FRAMES_MIN), number + number / 2);

        frames->at = wmem_realloc(wmem_file_scope(), frames->at, n * sizeof *frames->at);
        memset(frames->at + frames->n, 0, (n - frames->n) * sizeof *frames->at);
        frames->n = n;
    }
    frames->at[number] = value;
}

#endif
