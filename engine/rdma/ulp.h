/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Upper layers are guests of an RDMA connection: RPC-over-RDMA, NVMe, iSER, ... The layers below know no guest by name.
 * They have this table of functions for each kind, and engine/stack/ulps.c lists the kinds, one line each.
 *
 * The choice. A connection has one guest. The layers below cannot know which (a port is only a hint), so each kind is
 * asked: its claim() examines what is known so far, first the private data of both sides, then each Send, and answers
 *
 *   ULP_NO        this is not my protocol. The kind is not asked again on this connection.
 *   ULP_POSSIBLE  this may be my protocol, but other protocols may look the same.
 *   ULP_CERTAIN   no other protocol looks like this: the kind gets the connection.
 *
 * Claims are conservative. Private data of a fixed form with plausible values, or the first Send of a connection whose
 * start was captured, may make a kind certain; a well-known port makes a weak sign sufficient, but is not a sign by
 * itself. In the middle of a connection, random data can look like anything: a kind stays at ULP_POSSIBLE until several
 * Sends (signs->sends) had its form, and octets that are mostly zero never make it certain.
 *
 * The first kind of the table is presumed: it has no claim(), and receives everything from the beginning, until another
 * kind is certain. Its owns() reports that it has recognised its own messages; this closes the choice, as do ULP_NO
 * from all others, or ULP_EARLY_MAX Sends. When another kind is certain first, the presumed guest is freed, and the new
 * guest receives what is known: terms, ports, private data, holes, and the Sends kept while its kind was possible.
 *
 * The events. All except begin() may be NULL if the kind does not need them. They are called in this order:
 *
 *   begin(), ports(), terms(), [skipped()]  when the connection has its first event that may concern an upper layer
 *   [private_data(), early()]               from before the choice
 *   private_data(), part(), refusal()       as they come
 *   terms(), ports(), skipped(), lossy()    at any time, as are received(), missed(), doubt()
 *   closing(), end()                        a side closes or resets
 *   finish(), record()                      nothing follows
 *   free()                                  memory from host->arena needs no freeing
 *
 * Meanings are those of engine/rdma/rdma.h. Pointers in events are valid during the call. Sides are 0 and 1.
 *
 * A kind that judges nothing uses the functions of engine/rdma/ulp_named.h: it has only name, title, counts, claim()
 * and describe(), all of them pure functions of octets.
 */
#ifndef IWARP_ENGINE_RDMA_ULP_H
#define IWARP_ENGINE_RDMA_ULP_H

#include "engine/core/arena.h"
#include "engine/rdma/rdma.h"
#include "engine/rdma/ulp_across.h"

enum ulp_claim { ULP_NO, ULP_POSSIBLE, ULP_CERTAIN };

enum {
    ULP_KINDS_MAX = 16,
    ULP_COUNTS_MAX = 16,
    ULP_PORTS_MAX = 4,
    ULP_EARLY_MAX = 8,   /* Sends after which the choice is closed */
    ULP_HEAD_SIZE = 256, /* octets of a Send that are examined */
    ULP_TEXT_SIZE = 160,
};

/* The beginning of a Send. */
struct ulp_send {
    unsigned side;
    enum direction direction;
    struct place place;   /* of its last part */
    bool first;           /* the first Send of its side */
    bool invalidates;     /* with Invalidate */
    uint32_t invalidated; /* the handle */
    bool faulty;          /* a lower layer has a finding about it */
    const uint8_t *p;
    size_t n;        /* octets at p: those captured, at most ULP_HEAD_SIZE */
    uint64_t length; /* length of the whole Send */
};

/*
 * Private data of one side, without the transport's part (IRD and ORD of RFC 6581, the IP CM header). InfiniBand and
 * RoCE pad them with zeros.
 */
struct ulp_private_data {
    bool seen;        /* the frame was captured */
    const uint8_t *p; /* NULL: not captured, or none */
    size_t n;
};

/* What is known about a connection whose upper layer is unknown. */
struct ulp_signs {
    uint16_t port[2]; /* by side; 0: unknown */
    struct rdma_terms terms;
    struct ulp_private_data data[2]; /* by side */
    const struct ulp_send *send;     /* the latest; NULL: none so far */
    unsigned sends;                  /* number so far, including the latest */
};

/* Describes a message, for --print, ladders and counts. */
struct ulp_words {
    unsigned counts_as;       /* index into the kind's counts; ULP_COUNTS_MAX: none of these */
    char text[ULP_TEXT_SIZE]; /* "command Read, 4096 octets" */
};

/* A message of the upper layer, as the host's tap sees it. */
struct ulp_said {
    const struct ulp_kind *kind;
    const struct ulp_send *send;
    const char *text;
};

/* What a report says about the guest. */
struct ulp_summary {
    unsigned n;
    struct ulp_count {
        const char *one, *many; /* "command", "commands" */
        uint64_t value;
    } count[ULP_COUNTS_MAX];
};

/* Options for all kinds. */
struct ulp_options {
    enum rule_profile profile;
    int64_t t_react;   /* nanoseconds; 0: the default */
    bool exclusive;    /* only the connection itself writes the memory and the files that it accesses */
    bool payload_only; /* the host sees only segments with payload: see engine/mpa/mpa.h */
};

/* Passed to begin(): everything is borrowed, and outlives the guest. */
struct ulp_host {
    const struct ulp_kind *kind;
    const struct ulp_options *options;
    const void *own; /* what the host provides for this kind only, a structure from the kind's header; NULL: nothing */
    void *ctx;       /* for said(), and for the taps in own */
    void (*said)(void *ctx, const struct ulp_said *said); /* NULL: not wanted */
    struct verdict *verdict;
    struct arena *arena;
};

/* What a host provides for one kind only; lists of these end with {NULL}. */
struct ulp_own {
    const struct ulp_kind *kind;
    const void *own;
};

struct ulp_kind {
    const char *name;  /* "nvme": one word, for --print and JSON */
    const char *title; /* "NVMe over RDMA" */
    /*
     * Well-known ports of its servers, ended by 0. If the start of a connection is missing, they hint at the side that
     * opened it.
     */
    uint16_t port[ULP_PORTS_MAX];

    /* NULL: the presumed kind. */
    enum ulp_claim (*claim)(const struct ulp_signs *signs);

    /* NULL when out of memory. */
    void *(*begin)(const struct ulp_host *host);
    void (*ports)(void *guest, const uint16_t port[2]);
    void (*terms)(void *guest, const struct rdma_terms *terms);
    void (*private_data)(void *guest, const struct rdma_private_data *data);
    void (*early)(void *guest, const struct ulp_send *send);
    /* False: no further parts are needed. */
    bool (*part)(void *guest, const struct rdma_part *part);
    void (*refusal)(void *guest, const struct rdma_refusal *refusal);
    /* Octets that the other side received may differ from those passed to part(). */
    void (*doubt)(void *guest, const struct rdma_copy *copy);
    void (*received)(void *guest, unsigned side, uint64_t offset);
    void (*missed)(void *guest, unsigned side, uint64_t offset);
    /* Octets of that side are missing. */
    void (*skipped)(void *guest, unsigned side);
    void (*lossy)(void *guest);
    void (*closing)(void *guest, const struct rdma_closing *closing);
    void (*end)(void *guest, unsigned side, bool reset, const struct place *place);
    void (*finish)(void *guest, int64_t time_ns);
    void (*free)(void *guest);

    /* Only for the presumed kind: the connection is known to be of this kind. */
    bool (*owns)(const void *guest);
    /*
     * Called once, after finish(): what the kind keeps for later connections, for `across`. Owned by the caller; NULL:
     * nothing.
     */
    void *(*record)(void *guest);
    const struct ulp_across *across; /* NULL: no rules apply across connections */
    /* The guest could not be followed for lack of memory. */
    bool (*lacks_memory)(const void *guest);
    /* NULL: the kind has report sections of its own (conformance/guests/). */
    void (*summary)(const void *guest, struct ulp_summary *summary);
    /* For hosts that report in intervals. */
    void (*restart_counts)(void *guest);

    /* The rest is for engine/rdma/ulp_named.h. */
    /* Possible counts, without values, ended by {NULL}, whose entry counts other messages. */
    const struct ulp_count *counts;
    size_t state_size; /* of the kind's state, zeroed before the first call; 0: none */
    /* Stores in state what describe() needs from the private data of a side; NULL: nothing. */
    void (*learn)(void *state, unsigned side, const struct ulp_private_data *data);
    /* False: not a message of this kind. */
    bool (*describe)(void *state, const struct ulp_send *send, struct ulp_words *words);
};

#endif
