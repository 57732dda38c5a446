/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a client under chaos does: steps that are drawn from a seed, each an operation and what befalls the connection
 * meanwhile; and the world, a model of the file tree that says what every answer has to be. Without I/O.
 */
#ifndef IWARP_TRAFFIC_CHAOS_HISTORY_H
#define IWARP_TRAFFIC_CHAOS_HISTORY_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

enum { CHAOS_FOLDERS = 4, CHAOS_BLOCKS = 4, CHAOS_BLOCK = 128 /* octets */, CHAOS_STEPS_MAX = 100000 };

enum chaos_operation {
    CHAOS_MAKE,   /* CREATE of a directory: not idempotent */
    CHAOS_REMOVE, /* REMOVE of one: neither */
    CHAOS_WRITE,  /* a block of the file */
    CHAOS_READ,   /* all of the file */
    CHAOS_OPERATIONS,
    CHAOS_COMMIT = CHAOS_OPERATIONS /* what was written with UNSTABLE4; not drawn, but due before the file is read */
};

enum chaos_fault {
    CHAOS_CALM,
    CHAOS_RESET_BEFORE, /* RST, nothing outstanding */
    CHAOS_HALF_SENT,    /* RST within an FPDU */
    CHAOS_RESET_AFTER,  /* RST as soon as the Call is sent */
    CHAOS_FIN_AFTER,    /* FIN likewise */
    CHAOS_READ_FAILS,   /* a WRITE whose Read chunk can be read only in part */
    CHAOS_MALFORMED,    /* a message of no known version before the Call */
    CHAOS_FAULTS,
    /* Only where the server can be restarted. */
    CHAOS_RESTART_BEFORE = CHAOS_FAULTS, /* nothing outstanding */
    CHAOS_RESTART_AFTER,                 /* as soon as the Call is sent */
};

struct chaos_step {
    enum chaos_operation operation;
    enum chaos_fault fault;
    unsigned which;  /* directory, or block */
    uint8_t pattern; /* of a WRITE: each of its octets */
    bool unstable;   /* a WRITE with UNSTABLE4, which a restart may lose until it is committed; else FILE_SYNC4 */
};

/* struct chaos_step, n of them, always the same by seed; restarts: some are of the server. The caller's. */
GArray *chaos_history(uint32_t seed, unsigned n, bool restarts);
/* "make directory 2, RST after the Call"; the caller's. */
char *chaos_step_text(const struct chaos_step *step);

struct chaos_world {
    bool folders[CHAOS_FOLDERS];
    uint8_t blocks[CHAOS_BLOCKS]; /* the pattern that was written last */
    unsigned written;             /* blocks up to the last one that was ever written: the file's length */
};

/* NFSv4 statuses, as far as a world can cause them. */
enum { CHAOS_OK = 0, CHAOS_NOENT = 2, CHAOS_EXIST = 17 };

/* The status of the step's operation when it is executed once; the world is then as after it. */
uint32_t chaos_apply(struct chaos_world *world, const struct chaos_step *step);
/*
 * The same once more: what a server answers that has executed the step before and does not know it any more, which
 * only a restart allows.
 */
uint32_t chaos_apply_again(const struct chaos_world *world, const struct chaos_step *step);

#endif
