/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is remembered about Atomics, by the requester's side: shared by rdmap_atomic_rules.c and rdmap_atomic_values.c.
 */
#ifndef IWARP_ENGINE_DDP_RDMAP_RDMAP_ATOMIC_STATE_H
#define IWARP_ENGINE_DDP_RDMAP_RDMAP_ATOMIC_STATE_H

#include "engine/ddp_rdmap/rdmap_internal.h"

enum {
    RDMAP_ATOMIC_STAGS = 16,
    RDMAP_SHADOWS = 256,     /* a power of two */
    RDMAP_WRITES_KEPT = 8,   /* a power of two */
    RDMAP_WRITE_OCTETS = 64, /* Writes up to this length are remembered with their octets */
};

/* Remainders modulo 8 of the TOs whose Atomics were answered. */
struct rdmap_atomic_stag {
    uint32_t stag;
    uint8_t remainders; /* bit r: TO mod 8 = r */
    bool reported;
    uint64_t used;
};

/* The latest Atomic on an address, and hence what the address holds. */
struct rdmap_shadow {
    bool valid;
    bool reported; /* values of this address were found to contradict each other: others write it too */
    uint32_t stag;
    uint64_t to;
    uint64_t activity; /* when it was requested */
    uint64_t tail;     /* requests that had been sent when it was answered */
    struct rdmap_atomic_request operation;
    uint64_t original, after;
    struct place place; /* of its answer */
};

/* A short RDMA Write. */
struct rdmap_write_kept {
    uint32_t stag;
    uint64_t to;
    uint64_t activity; /* after it */
    uint8_t length;
    uint8_t octets[RDMAP_WRITE_OCTETS];
    uint32_t frame;
};

struct rdmap_atomic_state {
    struct rdmap_atomic_stag stag[2][RDMAP_ATOMIC_STAGS];
    uint64_t clock;
    /*
     * Counts everything seen that may change the responder's memory, or make its ULP change it, other than aligned
     * Atomics on one STag.
     */
    uint64_t activity[2];
    struct rdmap_write_kept *written[2]; /* RDMAP_WRITES_KEPT of them, made by the first short Write */
    unsigned n_written[2];
    struct rdmap_shadow *shadow[2]; /* RDMAP_SHADOWS of them, made by the first answer */
    bool any[2];
    uint32_t last_stag[2];
};

/* rdmap_atomic_values.c */
void rdmap_values_free(struct rdmap_atomic_state *state);
/* Any segment, correct or not: it may change memory, or make a ULP change it. */
void rdmap_values_segment(struct rdmap_connection *rdmap, const struct rdmap_step *step);
void rdmap_values_hole(struct rdmap_connection *rdmap);
/* The rule of a wrong field that the responder must ignore; RULE_COUNT: none. */
enum rule_id rdmap_atomic_overlooked(const struct rdmap_atomic_request *atomic);
void rdmap_values_request(struct rdmap_connection *rdmap, struct rdmap_step *step);
void rdmap_values_response(struct rdmap_connection *rdmap, struct rdmap_step *step,
                           const struct rdmap_atomic_response *response);

#endif
