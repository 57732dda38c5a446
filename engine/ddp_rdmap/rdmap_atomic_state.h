/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is remembered about Atomics, by the requester's side: shared by rdmap_atomic_rules.c, rdmap_atomic_values.c and
 * rdmap_atomic_memory.c.
 */
#ifndef IWARP_ENGINE_DDP_RDMAP_RDMAP_ATOMIC_STATE_H
#define IWARP_ENGINE_DDP_RDMAP_RDMAP_ATOMIC_STATE_H

#include "engine/ddp_rdmap/rdmap_internal.h"

enum {
    RDMAP_ATOMIC_STAGS = 16,
    RDMAP_SHADOWS = 1024,    /* a power of two */
    RDMAP_SHADOW_WAYS = 4,   /* places where an address may be */
    RDMAP_OCTET_ORDERS = 2,  /* of a value in memory: the highest octet first, or the lowest */
    RDMAP_WRITES_KEPT = 8,   /* a power of two */
    RDMAP_WRITE_OCTETS = 64, /* Writes up to this length are remembered with their octets */
};

/* Remainders modulo 8 of the TOs whose Atomics were answered: bit r: TO mod 8 = r. */
struct rdmap_atomic_stag {
    uint32_t stag;
    uint8_t added, swapped; /* by FetchAdd, by CmpSwap */
    bool reported;          /* of the requester */
    bool served;            /* of the responder */
    uint64_t used;
};

/* Where the latest known octets of an address are from. */
enum rdmap_memory_source { RDMAP_MEMORY_ATOMIC, RDMAP_MEMORY_WRITE, RDMAP_MEMORY_READ };

/*
 * What an address of memory holds that this connection alone writes. The order of a value's octets in memory is the
 * responder's own: until it shows, the octets are kept for both.
 */
struct rdmap_memory_word {
    uint8_t octets[RDMAP_OCTET_ORDERS][sizeof(uint64_t)];
    uint8_t known;      /* bit i: octet i is */
    uint8_t source;     /* enum rdmap_memory_source */
    uint32_t frame;     /* of a Write or Read Response that it is from */
    uint64_t changed;   /* end of the latest segment that wrote into it, other than an Atomic Request */
    uint64_t requested; /* the latest Atomic Request on it: its serial number + 1; 0: none */
    uint64_t answered;  /* the one of the latest Atomic Response, likewise */
};

/* The latest Atomic on an address, and hence what the address holds. */
struct rdmap_shadow {
    bool used;     /* the entry is */
    bool valid;    /* there was an answer */
    bool reported; /* values of this address were found to contradict each other: others write it too */
    uint32_t stag;
    uint64_t to;
    uint64_t activity; /* when it was requested */
    uint64_t tail;     /* requests that had been sent when it was answered */
    struct rdmap_atomic_request operation;
    uint64_t original, after;
    struct place place; /* of its answer */
    uint64_t touched;   /* when it was looked for */
    struct rdmap_memory_word memory;
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
    uint64_t forgotten[2]; /* stream offset where STags were forgotten last */
    uint64_t clock;
    /*
     * Counts everything seen that may change the responder's memory, or make its ULP change it, other than aligned
     * Atomics on one STag; of exclusive memory, only what may have changed any address of it.
     */
    uint64_t activity[2];
    uint64_t ahead[2]; /* what responders had received when they sent answers that the capture shows too early */
    uint8_t orders[2]; /* set of the octet orders that the values of exclusive memory allow */
    struct rdmap_write_kept *written[2]; /* RDMAP_WRITES_KEPT of them, made by the first short Write */
    unsigned n_written[2];
    struct rdmap_shadow *shadow[2]; /* RDMAP_SHADOWS of them, made when the first one is needed */
    bool any[2];
    bool mixed[2]; /* another operation met an open Atomic: reported */
    uint32_t last_stag[2];
};

/* rdmap_atomic_rules.c: the STag, or any of those that `requester` uses (stag NULL), may name other memory from now on.
 */
void rdmap_alignment_forget(struct rdmap_connection *rdmap, unsigned requester, const uint32_t *stag);

/* rdmap_atomic_values.c */
void rdmap_values_free(struct rdmap_atomic_state *state);
/* Any segment, correct or not: it may change memory, or make a ULP change it. */
void rdmap_values_segment(struct rdmap_connection *rdmap, const struct rdmap_step *step);
/* Something of this direction is missing. */
void rdmap_values_hole(struct rdmap_connection *rdmap, unsigned side);
/* The rule of a wrong field that the responder must ignore; RULE_COUNT: none. */
enum rule_id rdmap_atomic_overlooked(const struct rdmap_atomic_request *atomic);
void rdmap_values_request(struct rdmap_connection *rdmap, struct rdmap_step *step);
void rdmap_values_response(struct rdmap_connection *rdmap, struct rdmap_step *step,
                           const struct rdmap_atomic_response *response);

/* rdmap_atomic_memory.c: addresses, and what exclusive memory holds there. */
/* The entry of an address; made when make is set, else NULL when there is none. NULL also when memory is lacking. */
struct rdmap_shadow *rdmap_shadow_of(struct rdmap_atomic_state *state, unsigned requester, uint32_t stag, uint64_t to,
                                     bool make);
/* A segment of the requester. */
void rdmap_memory_segment(struct rdmap_connection *rdmap, const struct rdmap_step *step);
/* A correct Atomic Request on an aligned address. */
void rdmap_memory_request(struct rdmap_connection *rdmap, struct rdmap_step *step);
/* What an answer returned fits what is known of the address, in one octet order at least. */
bool rdmap_memory_fits(struct rdmap_atomic_state *state, unsigned requester, const struct rdmap_memory_word *memory,
                       uint64_t original);
/* The value that is expected, in the order that is known or else in that of the network. */
uint64_t rdmap_memory_value(const struct rdmap_atomic_state *state, unsigned requester,
                            const struct rdmap_memory_word *memory);
/* The memory at the time of the request is known, and the request found nothing else there. */
bool rdmap_memory_comparable(const struct rdmap_connection *rdmap, const struct rdmap_step *step,
                             const struct rdmap_shadow *shadow);
/* After an answer: the address holds `after`. */
void rdmap_memory_answered(const struct rdmap_connection *rdmap, const struct rdmap_step *step,
                           struct rdmap_shadow *shadow, uint64_t after);
/* Another STag has what was found: the two may name the same memory. */
bool rdmap_memory_elsewhere(const struct rdmap_atomic_state *state, unsigned requester, uint32_t stag, uint64_t found);
/* rdmap_atomic_values.c: a Read found another value than the entry has. */
void rdmap_values_read_differs(struct rdmap_connection *rdmap, struct rdmap_step *step, struct rdmap_shadow *shadow,
                               uint64_t found);

#endif
