/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Copies a capture file block by block and adds comments. libpcap returns packets only; here every block is kept
 * unchanged: interfaces, name resolution, statistics, custom blocks and all options, in the file's byte order. A pcap
 * file becomes a pcapng file with the same octets and the same times.
 */
#ifndef IWARP_CONFORMANCE_ANNOTATE_ANNOTATE_COPY_H
#define IWARP_CONFORMANCE_ANNOTATE_ANNOTATE_COPY_H

#include "conformance/input/capture.h"

#include <glib.h>
#include <stdio.h>

struct annotate_comments {
    void *ctx;
    const char *section; /* comment of the first section */
    /* Appends the texts for this packet (gchar *, which the copier frees). Called with ascending frame numbers, from 1.
     */
    void (*packet)(void *ctx, uint32_t frame, GPtrArray *texts);
};

enum annotate_status {
    ANNOTATE_COPIED,
    ANNOTATE_TRUNCATED, /* `in` ends inside a block: everything before the block was copied. Error text set. */
    ANNOTATE_CORRUPT,   /* the rest of `in` cannot be read. Error text set. */
};

/*
 * in: at its start; need not be seekable. out: seekable. Errors of `out` stay in the stream. The error text does not
 * name the file.
 */
enum annotate_status annotate_copy(FILE *in, FILE *out, const struct annotate_comments *comments,
                                   struct capture_error *error);

#endif
