/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A share of a capture's connections: takes their segments and makes the connections' reports. A capture always has the
 * same number of shares, whatever the number of threads, so that the report does not depend on the threads.
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
}; /* the connections of one share should fit in the processor's cache, even with many clients */

/* Memory that the shares of one thread share: what one share returns is still in the cache for the next. */
struct share_pool {
    struct counting counting;
    struct arena_pool arenas; /* for connections over TCP */
};

struct share_setup {
    const struct check_options *options;
    const struct report_capture *capture; /* its start_ns is set before the first segment */
    FILE *print;                          /* NULL: prints nothing */
    struct terminate_layouts *layouts;    /* common to all shares; outlives the share, as the pool does */
    struct share_pool *pool;
    unsigned shares;
    bool lossy;        /* packets are known to have been dropped */
    uint64_t dropped;  /* live capture: packets dropped before the share was created */
    uint32_t *next_id; /* NULL: share_number() sets the numbers of the connections */
};

struct share_found {
    GPtrArray *connections; /* struct report_connection *; freed by the function that takes them */
    GArray *opened;         /* uint64_t: `opened` of each connection that has no number yet (check_watched.h) */
    uint64_t other_connections;
    GPtrArray *strangers;        /* struct trouble_facts *, from connections without RDMA; freed like connections */
    uint64_t strangers_left_out; /* number of such connections for which the list has no room */
    uint64_t given_up;           /* holes given up for lack of room: their octets may still have come */
    uint64_t cut_short;          /* connections that made room for others before their end */
    struct report_rest rest;     /* connections that are counted but not listed, because the list is full */
    uint64_t wrong_icrcs;        /* RoCE or InfiniBand packets without a connection, ignored for a wrong ICRC */
    bool memory_lacking;
};

/* Initially zero. Call it after the last share is freed; the results of shares stay valid. */
void share_pool_clear(struct share_pool *pool);

/* NULL: out of memory. */
struct share *share_new(const struct share_setup *setup);
void share_free(struct share *share);
void share_segment(struct share *share, struct addressed_segment *segment);
/* Takes a packet of RoCE or InfiniBand. */
void share_datagram(struct share *share, const struct ib_datagram *datagram);
/* The number of packets, from any connection, that a live capture has lost so far. */
void share_dropped(struct share *share, uint64_t dropped);
/* Visits each item that a share keeps. */
struct share_visit {
    struct kept_visit others;
    /* An open connection. frame: of its last packet; octets: memory; parked: cannot shrink; ctx: others.ctx. */
    void (*connection)(void *ctx, uint32_t frame, size_t octets, bool parked);
};

/* How many items of each kind the report has so far. */
struct share_listed {
    uint64_t findings, notes, records, strangers;
    uint64_t octets; /* memory of connections that have ended */
    /* For all shares together. full: only connections with findings or trouble are listed; overfull: none is. */
    bool full, overfull;
};

/* The share has received all packets before that frame and time, and judges the connections that have ended by then. */
void share_reach(struct share *share, uint32_t frame, int64_t now_ns);
/* Call it after share_reach(). Visits what the share keeps, and adds to `listed` how much the share has listed. */
void share_kept(struct share *share, const struct share_visit *visit, struct share_listed *listed);
/* Parks TCP connections without a packet since that frame: they take less memory until the next packet. */
void share_park(struct share *share, uint32_t until);
/*
 * Call it after share_reach(). Drops state beyond the limits. listed: the sums of share_kept() over all shares. The
 * share lists more findings, notes, records, strangers and connections only while these sums leave room, regardless of
 * what it has listed since. So the lists do not depend on which share has a connection.
 */
void share_trim(struct share *share, const struct kept_limits *limits, const struct share_listed *listed,
                int64_t now_ns);
/* The capture is over. */
void share_finish(struct share *share, int64_t last_ns);
/* Takes the results so far from open connections, which continue with empty results. */
void share_part(struct share *share);
/* After share_finish() or share_part(); the share owns the result. */
const struct share_found *share_result(const struct share *share);
/* The counts of connections that are not listed, for addition to those of the capture. */
struct report_rest *share_rest(struct share *share);
/*
 * Numbers the connections without a number: by their place among all connections opened since the last call, in all
 * shares, in ascending order, after the `before` earlier connections.
 */
void share_number(struct share *share, const GArray *opened, uint32_t before);
/* The caller has taken the results. */
void share_taken(struct share *share);

#endif
