/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a client under chaos does: steps drawn from a seed, each with an operation and a fault of the connection. The
 * world is a model of the file tree that gives the right answers. Without I/O.
 */
#ifndef IWARP_TRAFFIC_EXPLORE_CHAOS_HISTORY_H
#define IWARP_TRAFFIC_EXPLORE_CHAOS_HISTORY_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

enum { CHAOS_FOLDERS = 4, CHAOS_BLOCKS = 4, CHAOS_BLOCK = 128 /* octets */, CHAOS_STEPS_MAX = 100000 };

enum chaos_operation {
    CHAOS_MAKE,   /* CREATE a directory: not idempotent */
    CHAOS_REMOVE, /* REMOVE a directory: not idempotent */
    CHAOS_WRITE,  /* writes a block of the file */
    CHAOS_READ,   /* reads the whole file */
    CHAOS_OPERATIONS,
    CHAOS_COMMIT = CHAOS_OPERATIONS /* data written with UNSTABLE4; not drawn, but done before the file is read */
};

enum chaos_fault {
    CHAOS_CALM,
    CHAOS_RESET_BEFORE, /* RST between Calls */
    CHAOS_HALF_SENT,    /* RST within an FPDU */
    CHAOS_RESET_AFTER,  /* RST directly after the Call */
    CHAOS_FIN_AFTER,    /* FIN directly after the Call */
    CHAOS_READ_FAILS,   /* a WRITE whose Read chunk is only partly readable */
    CHAOS_MALFORMED,    /* a message of an unknown version before the Call */
    CHAOS_FAULTS,
    /* Only if the server can be restarted. */
    CHAOS_RESTART_BEFORE = CHAOS_FAULTS, /* between Calls */
    CHAOS_RESTART_AFTER,                 /* directly after the Call */
};

struct chaos_step {
    enum chaos_operation operation;
    enum chaos_fault fault;
    unsigned which;  /* directory, or block */
    uint8_t pattern; /* every octet of a WRITE */
    bool unstable;   /* a WRITE with UNSTABLE4, which a restart may lose until it is committed; else FILE_SYNC4 */
};

/* struct chaos_step, n of them, the same for a seed; restarts: allows restarts. The caller frees them. */
GArray *chaos_history(uint32_t seed, unsigned n, bool restarts);
/* "make directory 2, RST after the Call"; the caller frees it. */
char *chaos_step_text(const struct chaos_step *step);

struct chaos_world {
    bool folders[CHAOS_FOLDERS];
    uint8_t blocks[CHAOS_BLOCKS]; /* the latest pattern written */
    unsigned written;             /* number of blocks up to the last one ever written: the file's length */
};

/* NFSv4 statuses that a world can cause. */
enum { CHAOS_OK = 0, CHAOS_NOENT = 2, CHAOS_EXIST = 17 };

/* The status of the step's operation if executed once; updates the world. */
uint32_t chaos_apply(struct chaos_world *world, const struct chaos_step *step);
/* The status if executed again: a server that has executed the step but forgotten it, which only a restart allows. */
uint32_t chaos_apply_again(const struct chaos_world *world, const struct chaos_step *step);

#endif
