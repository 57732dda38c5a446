/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared by the files that check a share of the connections: one connection, over TCP, RoCE or InfiniBand, while it is
 * being read.
 */
#ifndef IWARP_CONFORMANCE_CHECK_CHECK_WATCHED_H
#define IWARP_CONFORMANCE_CHECK_CHECK_WATCHED_H

#include "conformance/check/check_share.h"
#include "conformance/stats/collect.h"
#include "conformance/trouble/facts.h"
#include "engine/stack/stack_ib.h"

/* The state of a share. */
struct share {
    const struct check_options *options;
    struct stack_options stack_options;
    struct stack_taps taps;
    struct ulp_own own[ULP_KINDS_MAX]; /* for guests, ended by {NULL} */
    const struct report_capture *capture;
    FILE *print;
    struct terminate_layouts *layouts;
    struct connections *connections;
    struct ib_connections *managed;       /* RoCE and InfiniBand; NULL before the first */
    struct ib_icrc_senders *icrc_senders; /* NULL before the first */
    struct stack_options ib_options;
    enum ib_below below; /* of the current packet */
    uint32_t *next_id;
    uint32_t frame;   /* the current frame */
    uint64_t dropped; /* packets that the capture dropped, as far as known */
    bool lossy;       /* some packets were dropped at some time */
    struct share_found found;
    struct share_listed listed, all_listed; /* by this share; by all shares, when the sums were last computed */
    bool numbers_apart;
    struct share_pool *pool;
};

/* One connection while it is being read. The function that opens it sets the members that differ between transports. */
struct watched {
    struct guest_host host; /* first, because guests' taps know only this part */
    struct share *share;
    struct connection *tcp; /* NULL: ib is set */
    struct watched_ib *ib;
    struct arena_parked *parked; /* NULL: the stack is not parked */
    struct packed parked_facts;  /* valid while `parked` is set */
    size_t parked_owned;         /* octets that the facts own, without those of the facts themselves */
    struct report_connection *report;
    struct verdict verdict;
    struct counted counted;
    bool hole, ended[2], reset;
    uint64_t message_octets[2];    /* --print=ndjson, by direction: the incomplete message so far */
    uint32_t refused[REFUSALS][2]; /* packets refused so far, by side */
    uint64_t dropped;              /* packets dropped before the connection was opened */
    uint32_t id;                   /* the connection's number in the report; 0: not known yet */
    uint64_t opened; /* the order of connections: by the frame in which they were opened, then by start frame */
    bool active;     /* something happened since the report of the previous part */
    bool continued;  /* the connection is in that report, or in an earlier report */
};

/* The beginning and the end of the connection, as known at the time of the report. */
struct watched_span {
    uint32_t start_frame, end_frame;
    int64_t start_ns, end_ns;
};

/*
 * Creates a connection with an empty report. start_frame: the frame of its first packet, which may come before the
 * current frame; start frames order connections that are opened in the same frame. NULL: out of memory, which the share
 * reports.
 */
struct watched *watched_new(struct share *share, uint32_t number, uint32_t start_frame);
/* Creates the stack, whose taps count, print and note what happens. False: out of memory. */
bool watched_stack(struct watched *watched, const struct stack_setup *setup);
void watched_free(struct watched *watched);
/* Call it before the engine gets anything of the connection. */
void watched_wake(struct watched *watched);
/* Little more is expected from the connection: reduces its memory. */
void watched_rest(struct watched *watched);
/* Finishes the stack, adds the connection to the share's reports if it is RDMA, and frees it. */
void watched_close(struct watched *watched, const struct watched_span *span, int64_t now_ns);
/* The connection continues: later events belong to the next part of the report. */
void watched_part(struct watched *watched, const struct watched_span *span);

/* Reduces the memory of a connection until its next packet. False: the connection is unchanged. */
bool watched_park(struct watched *watched);
void watched_unpark(struct watched *watched);
/* The approximate size of the connection at present, in octets. */
size_t watched_size(const struct watched *watched);
/* The upper layer of the connection; NULL: none so far. */
void *watched_guest(const struct watched *watched);

/* Taps that count, print and note; always in use. */
extern const struct stack_taps watched_taps;
/* --stats: adds the taps that collect (check_stats.c). */
void watched_collect(struct stack_taps *taps);
/* Moves the data collected so far to the report. `last`: nothing follows. */
void watched_take_statistics(struct watched *watched, struct report_connection *report, bool last);

/* RoCE and InfiniBand: conformance/check/check_ib.c. False: out of memory. */
bool check_ib_datagram(struct share *share, const struct ib_datagram *datagram);
void check_ib_finish(struct share *share, int64_t last_ns);
void check_ib_part(struct share *share);
void check_ib_reach(struct share *share, int64_t now_ns);
void check_ib_kept(struct share *share, const struct share_visit *visit);
void check_ib_trim(struct share *share, const struct kept_limits *limits, int64_t now_ns);
void check_ib_each(struct share *share, void (*call)(void *ctx, struct watched *watched), void *ctx);
void check_ib_free(struct share *share);
/* How far each side has acknowledged the other side's data, and whether the capture lacks packets. */
void check_ib_settle(const struct watched *watched, struct trouble_facts *facts);
/* Fills in the report's members about the connection itself. */
void check_ib_report(const struct watched *watched, struct report_connection *report, unsigned initiator);
/* "roce2", ... */
const char *check_ib_transport(const struct watched *watched);

/* Adds the packets of a side refused since the last call to the report. counts: refused so far, by kind. */
void watched_take_refused(struct watched *watched, struct report_connection *report, unsigned side,
                          enum direction direction, const uint32_t counts[REFUSALS]);

#endif
