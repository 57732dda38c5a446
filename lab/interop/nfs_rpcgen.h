/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The walker, for code that includes the RPC headers, which use the same names. */
#ifndef IWARP_TESTS_INTEROP_NFS_RPCGEN_H
#define IWARP_TESTS_INTEROP_NFS_RPCGEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct walked {
    size_t at; /* end of the walk */
    uint32_t data;
    size_t data_at; /* of the file data, when there are any */
};

/* True when arguments or results were complete and correct. */
bool walk_whole(uint32_t program, uint32_t version, uint32_t procedure, bool reply, const void *p, size_t n,
                struct walked *walked);

#endif
