/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files that collect statistics. */
#ifndef IWARP_CONFORMANCE_STATS_COLLECT_INTERNAL_H
#define IWARP_CONFORMANCE_STATS_COLLECT_INTERNAL_H

#include "conformance/stats/collect.h"

enum {
    GAPS_MAX = 16,     /* gaps in the octets of a side, at most */
    REQUESTS_MAX = 64, /* Reads and Atomics of a side that are followed at a time; others have no latency */
    BEGUN_CLASSES = 3, /* Sends, Writes, and answers to requests that are not followed: one open message each */
};

/* The part of a Call's time that was spent waiting for lost or reordered packets. */
struct lost_time {
    uint64_t ns, moving_ns; /* of this time, while data were moved */
    int64_t until_ns;       /* accounted up to here */
};

/* A Call without an answer yet: transaction->host. */
struct open_call {
    struct open_call *older, *newer;
    const void *transaction; /* of the upper layer */
    int64_t called_ns;
    uint64_t holes;        /* collector->holes at the Call */
    uint64_t answer_holes; /* of the side that answers, at the Call */
    uint64_t holes_moved;  /* the same at the last operation */
    uint64_t idle_at;      /* caller->idle at the Call */
    uint8_t side;          /* the caller */
    bool counted;          /* counted in its rows */
    bool holds_credit;
    bool moved; /* if it has RDMA operations: */
    int64_t first_ns, last_ns;
    int64_t early_ns;     /* the first operation may have been as early as this */
    uint64_t last_offset; /* of the last operation, in the stream of: */
    uint8_t last_side;
    struct lost_time lost;
    struct stat_slow slow;
};

/* Packets that were not captured, between two that were. */
struct missing_time {
    int64_t from_ns, to_ns;
};
enum { HOLES_KEPT = 8 };

/* Octets that come late, or never. */
struct order_gap {
    uint64_t from, to;
    int64_t since_ns, before_ns; /* before_ns: the time of the octets before the gap */
};

struct tcp_order {
    bool started;
    uint64_t highest;
    int64_t highest_ns;
    struct order_gap gaps[GAPS_MAX];
    unsigned n_gaps;
    /* The latest packet that filled a gap, and the time since which its octets were missing; frame 0: none. */
    uint32_t filled_frame;
    int64_t filled_since_ns;
};

/*
 * Retransmissions since the other side last received something new. They count as losses only once the other side
 * receives something: a peer that is dead or cannot receive proves nothing about the network.
 */
struct again {
    uint64_t packets, octets;
};

enum { AGAIN_IN_VAIN = 3 }; /* retransmissions without effect up to the end of the connection */

/* Times one packet after another, until it is acknowledged. */
struct timed {
    bool pending;
    uint64_t end; /* offset, or PSN */
    int64_t since_ns;
};

struct begun {
    bool known;
    uint64_t message;
    uint64_t octets, parts;
    int64_t since_ns;
};

struct request {
    uint64_t operation;
    int64_t time_ns;
    enum stat_kind kind;
    bool begun;            /* has an answer; then: */
    bool over;             /* the last part came, but parts are missing, and may be retransmitted */
    struct begun answered; /* the answer so far */
};

/* Consecutive equal numbers, which are added to a histogram together. */
struct repeated {
    uint64_t value, n;
};

/* Consecutive FPDUs that are equal in everything that is counted, so that they are counted together. */
struct alike {
    uint32_t length;
    uint16_t ulpdu_length;
    uint8_t header_length; /* of the DDP header; 0: none */
    bool crc_used;
    uint64_t n;
};

struct caller {
    unsigned outstanding;
    unsigned doubtful; /* of these: the answer may be among the packets that were not captured */
    uint32_t granted, requested;
    bool known;                    /* the limit and the number of outstanding Calls are known */
    uint64_t idle;                 /* ns in which only doubtful Calls were outstanding, or none */
    uint64_t taken_from, taken_to; /* of this time: the latest part in which a Call turned out to be outstanding */
    bool started;
    int64_t since_ns; /* accounted up to here */
    int64_t freed_ns; /* time of the Reply that freed a credit at the limit; 0: no credit waits for a Call */
    int64_t quiet_ns; /* time of the Reply after which no Call was outstanding; 0: a Call is outstanding */
};

struct collector {
    struct statistics *now;
    bool ib, full; /* full operation */
    int64_t last_packet_ns;
    uint64_t n_timed, slowest_ns; /* of all Calls so far */
    int64_t syn_ns, answer_ns;    /* of the handshake */
    enum { HANDSHAKE_NONE, HANDSHAKE_SYN, HANDSHAKE_ANSWERED, HANDSHAKE_OVER } handshake;
    uint8_t opener;
    uint32_t frame; /* the latest packet */
    uint64_t holes;
    struct missing_time missing[HOLES_KEPT]; /* the latest, a ring */
    struct {
        struct tcp_order order;
        struct again again;
        uint64_t received; /* the other side has received the stream of this side at least up to this offset */
        struct timed timed;
        bool segment_open; /* a TCP segment with FPDUs came; number of FPDUs that ended in it: */
        unsigned fpdus;
        struct alike alike; /* alike and per_segment are not in the counts and histograms yet */
        struct repeated per_segment;
        struct begun begun[BEGUN_CLASSES];
        struct request *requests; /* REQUESTS_MAX; NULL: none */
        unsigned n_requests, n_over;
        int64_t reads_since_ns; /* accounted up to here */
        struct caller caller;
        int64_t seen_ns;
        bool acked; /* the packet that is counted next acknowledges what this side has sent up to `received` */
        uint64_t holes;
        uint64_t ib_retransmitted, ib_repeated; /* the engine's counts so far */
    } side[2];
    struct open_call *oldest, *newest, *spare;
    struct open_call *unacked, *doubted; /* the first Call that may be unacknowledged, or have lost its answer */
    /* For the end of the statistics: counts Calls that wait for answers. NULL: none. */
    void (*take_open)(struct collector *collector, bool last);
    /* Answers of the upper layer that are not acknowledged yet. NULL: none. */
    struct unsettled_answer *unsettled; /* in the order of their Sends */
    unsigned n_unsettled, room_for_unsettled;
    void (*sent_again)(struct collector *collector, unsigned side, uint64_t offset, int64_t time_ns);
    void (*received)(struct collector *collector, unsigned side, uint64_t offset);
    void (*acked)(struct collector *collector, unsigned side, uint64_t offset); /* in collector->frame */
};

/* The time since `then`, 0 if `then` is later: captures are not always in order. */
static inline uint64_t time_since(int64_t then, int64_t now)
{
    return now > then ? (uint64_t)now - (uint64_t)then : 0;
}

static inline void add_repeated(struct repeated *last, struct histogram *histogram, uint64_t value)
{
    if (last->value != value || last->n == 0) {
        histogram_add(histogram, last->value, last->n);
        *last = (struct repeated){.value = value};
    }
    last->n++;
}

void collect_again(struct collector *collector, unsigned side, uint64_t packets, uint64_t octets);
/* The latest data were retransmitted without success until the end. */
static inline bool collect_in_vain(const struct collector *collector, unsigned side)
{
    return collector->side[side].again.packets >= AGAIN_IN_VAIN;
}

/* Counts the FPDUs of a side that were collected as alike. */
void collect_alike(struct collector *collector, unsigned side);

/* For each packet of the connection. */
void collect_time(struct collector *collector, uint32_t frame, int64_t time_ns);
uint64_t *collect_first_bin(struct collector *collector, int64_t time_ns);
/* NULL: out of memory. */
static inline uint64_t *collect_bin(struct collector *collector, int64_t time_ns)
{
    struct series *series = collector->now->series;

    return series ? series_at(series, time_ns) : collect_first_bin(collector, time_ns);
}

/* Forgets requests; those without a known answer will never get one. */
void collect_forget_requests(struct collector *collector, unsigned side);
/* For the end of the statistics: counts requests without an answer. */
void collect_unanswered(struct collector *collector);

#endif
