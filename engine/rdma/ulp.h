/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Upper layers are guests of an RDMA connection: RPC-over-RDMA, NVMe, iSER, ... What is below them knows none by name.
 * It has this table of functions for each kind, and engine/stack/ulps.c lists the kinds, one line each.
 *
 * The choice. A connection has one guest. Nothing below says which (a port is a hint), so a kind is asked: its claim()
 * looks at what is known so far, first at the private data of both sides, then at each Send, and answers
 *
 *   ULP_NO        this contradicts it. The kind is not asked again on this connection.
 *   ULP_POSSIBLE  nothing contradicts it, but other protocols may look like that, too.
 *   ULP_CERTAIN   no other protocol looks like that: the connection is given to this kind.
 *
 * Claims are shy. Private data of a fixed form with plausible values, or the first Send of a connection whose start was
 * captured, may make a kind certain; a well-known port makes a weak sign enough, but is none by itself. A Send in the
 * middle of a connection is noise to whoever does not know what it belongs to: a kind stays at ULP_POSSIBLE until
 * several of them (signs->sends) were of its form, and never becomes certain by octets that are mostly zero.
 *
 * The first kind of the table is presumed: it has no claim(), and is given everything from the beginning, until another
 * one is certain. It says by owns() that it has recognised its own messages; that closes the choice, as does ULP_NO of
 * all others, or ULP_EARLY_MAX Sends. When another kind is certain first, the presumed guest is freed, and the new one
 * is given what is known: terms, ports, private data, holes, and the Sends that were kept while it was possible.
 *
 * The events. All but begin() may be NULL, which means that the kind does not care. They are called in this order:
 *
 *   begin(), ports(), terms(), [skipped()]  when the connection has its first event that may concern an upper layer
 *   [private_data(), early()]               from before the choice
 *   private_data(), part(), refusal()       as they come
 *   terms(), ports(), skipped(), lossy()    at any time, as are received(), missed(), doubt()
 *   closing(), end()                        a side closes or resets
 *   finish(), record()                      nothing follows
 *   free()                                  what the guest has in host->arena needs no freeing
 *
 * Meanings are those of engine/rdma/rdma.h. What an event points to is valid during the call. Side 0 and 1.
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
    ULP_EARLY_MAX = 8,   /* Sends that leave it undecided */
    ULP_HEAD_SIZE = 256, /* octets of a Send that are looked at */
    ULP_TEXT_SIZE = 160,
};

/* The beginning of a Send. */
struct ulp_send {
    unsigned side;
    enum direction direction;
    struct place place;   /* of its last part */
    bool first;           /* it is the first one that its side ever sent */
    bool invalidates;     /* with Invalidate */
    uint32_t invalidated; /* the handle */
    bool faulty;          /* a lower layer made a finding at it */
    const uint8_t *p;
    size_t n;        /* octets at p: as captured, at most ULP_HEAD_SIZE */
    uint64_t length; /* octets of the whole Send */
};

/*
 * Private data of one side, without what belongs to the transport (IRD and ORD of RFC 6581, the IP CM header).
 * InfiniBand and RoCE fill them up with zeros.
 */
struct ulp_private_data {
    bool seen;        /* the frame was captured */
    const uint8_t *p; /* NULL: its private data were not, or there are none */
    size_t n;
};

/* What is known of a connection whose upper layer is not. */
struct ulp_signs {
    uint16_t port[2]; /* by side; 0: not known */
    struct rdma_terms terms;
    struct ulp_private_data data[2]; /* by side */
    const struct ulp_send *send;     /* the latest; NULL: there was none so far */
    unsigned sends;                  /* so far, this one included */
};

/* What a message is, for --print, ladders and counts. */
struct ulp_words {
    unsigned counts_as;       /* index in the kind's counts; ULP_COUNTS_MAX: none of them */
    char text[ULP_TEXT_SIZE]; /* "command Read, 4096 octets" */
};

/* A message of the upper layer, as the host's tap sees it. */
struct ulp_said {
    const struct ulp_kind *kind;
    const struct ulp_send *send;
    const char *text;
};

/* What a report says of the guest. */
struct ulp_summary {
    unsigned n;
    struct ulp_count {
        const char *one, *many; /* "command", "commands" */
        uint64_t value;
    } count[ULP_COUNTS_MAX];
};

/* The same for all kinds. */
struct ulp_options {
    enum rule_profile profile;
    int64_t t_react;   /* nanoseconds; 0: by default */
    bool exclusive;    /* only the connection itself writes the memory and the files that it accesses */
    bool payload_only; /* the host sees only segments with payload: see engine/mpa/mpa.h */
};

/* To begin with: all is borrowed, and outlives the guest. */
struct ulp_host {
    const struct ulp_kind *kind;
    const struct ulp_options *options;
    const void *own; /* what the host gave for this kind alone, a structure of its header; NULL: nothing */
    void *ctx;       /* of said(), and of the taps in own */
    void (*said)(void *ctx, const struct ulp_said *said); /* NULL: nobody listens */
    struct verdict *verdict;
    struct arena *arena;
};

/* What a host gives for one kind alone; lists of these end with {NULL}. */
struct ulp_own {
    const struct ulp_kind *kind;
    const void *own;
};

struct ulp_kind {
    const char *name;  /* "nvme": one word, for --print and JSON */
    const char *title; /* "NVMe over RDMA" */
    /* Well-known ones of its servers, ended by 0: where the start of a connection is missing, a hint who opened it. */
    uint16_t port[ULP_PORTS_MAX];

    /* NULL: presumed. */
    enum ulp_claim (*claim)(const struct ulp_signs *signs);

    /* NULL when memory is lacking. */
    void *(*begin)(const struct ulp_host *host);
    void (*ports)(void *guest, const uint16_t port[2]);
    void (*terms)(void *guest, const struct rdma_terms *terms);
    void (*private_data)(void *guest, const struct rdma_private_data *data);
    void (*early)(void *guest, const struct ulp_send *send);
    /* False: no further parts are needed. */
    bool (*part)(void *guest, const struct rdma_part *part);
    void (*refusal)(void *guest, const struct rdma_refusal *refusal);
    /* The other side may have taken other octets than those that part() was given. */
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

    /* Presumed kinds: the connection is known to be of this kind. */
    bool (*owns)(const void *guest);
    /* After finish(), once: what the kind keeps for later connections, for `across`. The caller's; NULL: nothing. */
    void *(*record)(void *guest);
    const struct ulp_across *across; /* NULL: nothing binds across connections */
    /* It could not be followed for lack of memory. */
    bool (*lacks_memory)(const void *guest);
    /* NULL: the kind has a face of its own (conformance/guests/). */
    void (*summary)(const void *guest, struct ulp_summary *summary);
    /* For hosts that report in intervals. */
    void (*restart_counts)(void *guest);

    /* For engine/rdma/ulp_named.h. */
    const struct ulp_count *counts; /* what there may be, without values, the last one {NULL}: other messages */
    size_t state_size;              /* of the kind's own, zeroed before the first call; 0: none */
    /* Remembers in state what describe() needs of the private data of a side; NULL: nothing. */
    void (*learn)(void *state, unsigned side, const struct ulp_private_data *data);
    /* False: it is no message of this kind. */
    bool (*describe)(void *state, const struct ulp_send *send, struct ulp_words *words);
};

#endif
