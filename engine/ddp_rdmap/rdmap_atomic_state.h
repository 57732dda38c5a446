/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * State of Atomics, by the requester's side: shared by rdmap_atomic_rules.c, rdmap_atomic_values.c and
 * rdmap_atomic_memory.c.
 */
#ifndef IWARP_ENGINE_DDP_RDMAP_RDMAP_ATOMIC_STATE_H
#define IWARP_ENGINE_DDP_RDMAP_RDMAP_ATOMIC_STATE_H

#include "engine/ddp_rdmap/rdmap_internal.h"

enum {
    RDMAP_ATOMIC_STAGS = 16,
    RDMAP_SHADOWS = 1024,    /* a power of two */
    RDMAP_SHADOW_WAYS = 4,   /* slots in which an address may be */
    RDMAP_OCTET_ORDERS = 2,  /* of a value in memory: most significant octet first, or least */
    RDMAP_WRITES_KEPT = 8,   /* a power of two */
    RDMAP_WRITE_OCTETS = 64, /* Writes up to this length are kept with their octets */
};

/* Remainders modulo 8 of the TOs whose Atomics were answered: bit r is TO mod 8 = r. */
struct rdmap_atomic_stag {
    uint32_t stag;
    uint8_t added, swapped; /* by FetchAdd, by CmpSwap */
    bool reported;          /* a finding about the requester */
    bool served;            /* a finding about the responder */
    uint64_t used;
};

/* Where the latest known octets of an address come from. */
enum rdmap_memory_source { RDMAP_MEMORY_ATOMIC, RDMAP_MEMORY_WRITE, RDMAP_MEMORY_READ };

/*
 * Contents of an address that only this connection writes. The responder chooses the octet order of a value in memory:
 * until the order shows, the octets are kept for both.
 */
struct rdmap_memory_word {
    uint8_t octets[RDMAP_OCTET_ORDERS][sizeof(uint64_t)];
    uint8_t known;      /* bit i: octet i is known */
    uint8_t source;     /* enum rdmap_memory_source */
    uint32_t frame;     /* of the Write or Read Response */
    uint64_t changed;   /* end of the latest segment, other than an Atomic Request, that wrote into the address */
    uint64_t requested; /* the latest Atomic Request on the address: its serial number + 1; 0: none */
    uint64_t answered;  /* the request of the latest Atomic Response, likewise */
};

/* The latest Atomic on an address, and hence what the address holds. */
struct rdmap_shadow {
    bool used;     /* the entry is in use */
    bool valid;    /* an Atomic was answered */
    bool reported; /* values of this address were found to contradict each other: other connections write it, too */
    uint32_t stag;
    uint64_t to;
    uint64_t activity; /* at the time of the request */
    uint64_t tail;     /* number of requests that had been sent when the Atomic was answered */
    struct rdmap_atomic_request operation;
    uint64_t original, after;
    struct place place; /* of its answer */
    uint64_t touched;   /* time of the last lookup */
    struct rdmap_memory_word memory;
};

/* A short RDMA Write. */
struct rdmap_write_kept {
    uint32_t stag;
    uint64_t to;
    uint64_t activity; /* after this Write */
    uint8_t length;
    uint8_t octets[RDMAP_WRITE_OCTETS];
    uint32_t frame;
};

struct rdmap_atomic_state {
    struct rdmap_atomic_stag stag[2][RDMAP_ATOMIC_STAGS];
    uint64_t forgotten[2]; /* stream offset where STags were forgotten last */
    uint64_t clock;
    /*
     * Counts everything seen that may change the responder's memory, or make its ULP change it, except aligned Atomics
     * on one STag; for exclusive memory, only what may have changed any address.
     */
    uint64_t activity[2];
    uint64_t ahead[2]; /* how far responders had received when they sent answers that the capture shows too early */
    uint8_t orders[2]; /* set of the octet orders that the values in exclusive memory allow */
    struct rdmap_write_kept *written[2]; /* RDMAP_WRITES_KEPT of them, allocated by the first short Write */
    unsigned n_written[2];
    struct rdmap_shadow *shadow[2]; /* RDMAP_SHADOWS of them, allocated on first use */
    bool any[2];
    bool mixed[2]; /* an operation that met an open Atomic was reported */
    uint32_t last_stag[2];
};

/* rdmap_atomic_rules.c: the STag, or (stag NULL) any STag that `requester` uses, may name other memory from now on. */
void rdmap_alignment_forget(struct rdmap_connection *rdmap, unsigned requester, const uint32_t *stag);

/* rdmap_atomic_values.c */
void rdmap_values_free(struct rdmap_atomic_state *state);
/* Any segment, correct or not, may change memory, or make a ULP change it. */
void rdmap_values_segment(struct rdmap_connection *rdmap, const struct rdmap_step *step);
/* A part of this direction is missing. */
void rdmap_values_hole(struct rdmap_connection *rdmap, unsigned side);
/* The rule about a wrong field that the responder must ignore; RULE_COUNT: none. */
enum rule_id rdmap_atomic_overlooked(const struct rdmap_atomic_request *atomic);
void rdmap_values_request(struct rdmap_connection *rdmap, struct rdmap_step *step);
void rdmap_values_response(struct rdmap_connection *rdmap, struct rdmap_step *step,
                           const struct rdmap_atomic_response *response);

/* rdmap_atomic_memory.c: addresses, and the contents of exclusive memory there. */
/* The entry of an address. If there is none, makes one (make set) or returns NULL. NULL also when out of memory. */
struct rdmap_shadow *rdmap_shadow_of(struct rdmap_atomic_state *state, unsigned requester, uint32_t stag, uint64_t to,
                                     bool make);
/* A segment of the requester. */
void rdmap_memory_segment(struct rdmap_connection *rdmap, const struct rdmap_step *step);
/* A correct Atomic Request on an aligned address. */
void rdmap_memory_request(struct rdmap_connection *rdmap, struct rdmap_step *step);
/* The value that an answer returned fits the known contents of the address, in at least one octet order. */
bool rdmap_memory_fits(struct rdmap_atomic_state *state, unsigned requester, const struct rdmap_memory_word *memory,
                       uint64_t original);
/* The expected value, in the known octet order, or else in network order. */
uint64_t rdmap_memory_value(const struct rdmap_atomic_state *state, unsigned requester,
                            const struct rdmap_memory_word *memory);
/* The memory at the time of the request is known, and the request cannot have found anything else there. */
bool rdmap_memory_comparable(const struct rdmap_connection *rdmap, const struct rdmap_step *step,
                             const struct rdmap_shadow *shadow);
/* An answer came: the address holds `after` from now on. */
void rdmap_memory_answered(const struct rdmap_connection *rdmap, const struct rdmap_step *step,
                           struct rdmap_shadow *shadow, uint64_t after);
/* Memory of another STag holds `found`: the two STags may name the same memory. */
bool rdmap_memory_elsewhere(const struct rdmap_atomic_state *state, unsigned requester, uint32_t stag, uint64_t found);
/* rdmap_atomic_values.c: a Read found a value other than the entry's. */
void rdmap_values_read_differs(struct rdmap_connection *rdmap, struct rdmap_step *step, struct rdmap_shadow *shadow,
                               uint64_t found);

#endif
