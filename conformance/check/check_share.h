/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A share of a capture's connections: takes their segments and makes the connections' reports. A capture always has the
 * same number of shares, however many threads work on them, so that the report does not depend on that number.
 */
#ifndef IWARP_CONFORMANCE_CHECK_CHECK_SHARE_H
#define IWARP_CONFORMANCE_CHECK_CHECK_SHARE_H

#include "conformance/check/counting.h"
#include "conformance/model/report.h"
#include "engine/core/arena.h"
#include "engine/tcp/connections.h"

struct share;

enum {
    CHECK_SHARES = 128
}; /* the connections of one of them are to fit the processor's cache, where clients are many */

/* What the shares of one thread have in common: what one leaves is still in the cache when another takes it. */
struct share_pool {
    struct counting counting;
    struct arena_pool arenas; /* of connections over TCP */
};

struct share_setup {
    const struct check_options *options;
    const struct report_capture *capture; /* its start_ns is set before the first segment */
    FILE *print;                          /* NULL: no lines */
    struct terminate_layouts *layouts;    /* of all shares; it outlives them, as the pool does */
    struct share_pool *pool;
    unsigned shares;
    bool lossy;        /* it is known that packets were dropped */
    uint64_t dropped;  /* so many before it was made; live */
    uint32_t *next_id; /* NULL: share_number() sets the numbers of its connections */
};

struct share_found {
    GPtrArray *connections; /* struct report_connection *; freed by whoever takes them */
    GArray *opened;         /* uint64_t: opened of each connection that has no number yet (check_watched.h) */
    uint64_t other_connections;
    GPtrArray *strangers;        /* struct trouble_facts *, of other connections with trouble; taken like connections */
    uint64_t strangers_left_out; /* such connections, for which the list has no room */
    uint64_t cut_short;          /* connections that made room for others before their end */
    struct report_rest rest;     /* connections that are counted, as the list is full */
    uint64_t wrong_icrcs;        /* packets of RoCE or InfiniBand of no connection that were left out for it */
    bool memory_lacking;
};

/* Zero to begin with. After its last share is freed, but not what that found. */
void share_pool_clear(struct share_pool *pool);

/* NULL: out of memory. */
struct share *share_new(const struct share_setup *setup);
void share_free(struct share *share);
void share_segment(struct share *share, struct addressed_segment *segment);
/* Of RoCE or InfiniBand. */
void share_datagram(struct share *share, const struct ib_datagram *datagram);
/* The number of packets that a live capture has lost so far, of any connection. */
void share_dropped(struct share *share, uint64_t dropped);
/* Hears of each thing that a share keeps. */
struct share_visit {
    struct kept_visit others;
    /* An open connection. frame: of its last packet; octets: its memory; parked: parking would save nothing; ctx:
     * others.ctx. */
    void (*connection)(void *ctx, uint32_t frame, size_t octets, bool parked);
};

/* How many of each the report has so far. */
struct share_listed {
    uint64_t findings, notes, records, strangers;
    uint64_t octets; /* memory of the connections that are over */
    /* Of all shares together. full: a connection without findings or trouble is only counted; overfull: each one is. */
    bool full, overfull;
};

/* The share has been given all packets before that frame and time: it judges the connections that are over by then. */
void share_reach(struct share *share, uint32_t frame, int64_t now_ns);
/* After share_reach(). Visits what the share keeps, and adds to `listed` how much the share has listed. */
void share_kept(struct share *share, const struct share_visit *visit, struct share_listed *listed);
/* Parks the TCP connections that had no packet after that frame: until the next packet they take less memory. */
void share_park(struct share *share, uint32_t until);
/*
 * After share_reach(). Drops what is beyond the limits. listed: the sums of share_kept() over all shares; the share
 * lists more findings, notes, records, strangers and connections only while these sums leave room, and not by what it
 * has listed since: what is listed does not depend on which share a connection is in.
 */
void share_trim(struct share *share, const struct kept_limits *limits, const struct share_listed *listed,
                int64_t now_ns);
/* The capture is over. */
void share_finish(struct share *share, int64_t last_ns);
/* Takes the results so far of the connections that are open. They go on, with empty results. */
void share_part(struct share *share);
/* After share_finish() or share_part(); it is the share's until that is freed. */
const struct share_found *share_result(const struct share *share);
/* The rest of its connections, to be added to the capture's. */
struct report_rest *share_rest(struct share *share);
/*
 * Numbers the connections that have no number yet: by their place among all that were opened since the last call, in
 * all shares, in ascending order, after the `before` earlier ones.
 */
void share_number(struct share *share, const GArray *opened, uint32_t before);
/* The results have been taken. */
void share_taken(struct share *share);

#endif
