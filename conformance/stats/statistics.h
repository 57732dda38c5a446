/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How fast a connection was: counts, times and distributions that can be added up. Times are nanoseconds. "Side" is the
 * sender; in a report, side 0 is the initiator (statistics_turn()).
 *
 * Events that cannot be timed are counted separately, and are not part of the latency figures: a Call without Reply, or
 * one around which octets are missing.
 */
#ifndef IWARP_CONFORMANCE_STATS_STATISTICS_H
#define IWARP_CONFORMANCE_STATS_STATISTICS_H

#include "conformance/stats/histogram.h"
#include "conformance/stats/series.h"

/* ---- Calls ---- */

/* The course of a Call, its Reply and its data. */
enum call_count {
    CALLS,
    CALLS_REPLIED,
    CALLS_FAILED,    /* by RDMA_ERROR */
    CALLS_REPEATED,  /* retransmissions, also counted in CALLS */
    CALLS_UNCERTAIN, /* answered, but the order of Call and answer is unclear, or another Call has the same XID: not
                        part of the latency figures */
    CALLS_FORGOTTEN, /* forgotten without an answer */
    CALLS_OPEN,      /* unanswered at the end of the statistics */
    CALLS_INLINE,    /* Calls that are neither of the next two kinds */
    CALLS_WITH_READ_CHUNK,
    CALLS_LONG,     /* RDMA_NOMSG: the whole Call is in a Read chunk */
    REPLIES_INLINE, /* Replies that are neither of the next two kinds */
    REPLIES_WITH_WRITE_CHUNK,
    REPLIES_LONG, /* the whole Reply is in the Reply chunk */
    OCTETS_CALLS, /* octets in the Sends */
    OCTETS_REPLIES,
    OCTETS_READ, /* by RDMA Reads */
    OCTETS_WRITTEN,
    READ_CHUNKS,
    READ_SEGMENTS, /* of these Reads */
    WRITE_CHUNKS,
    WRITE_SEGMENTS,
    REPLY_CHUNKS,
    REPLY_SEGMENTS,
    CALLS_DELAYED, /* answered after waiting for lost or reordered packets */
    LOST_TIME,     /* ns of their latencies spent waiting */
    LOST_MOVING,   /* of LOST_TIME, while data were moved */
    CALL_COUNTS_FIRST,
    UNSEEN_MOVING = CALL_COUNTS_FIRST, /* ns of their latencies in which packets that were not captured may have moved
                                          data */
    DIRECTORY_CALLS,                   /* READDIRs */
    DIRECTORY_ASKED,                   /* octets that READDIRs asked for */
    DIRECTORY_FULL,                    /* Replies about as large as asked for */
    CALL_COUNTS
};
extern const char *const call_count_names[CALL_COUNTS];

/* From Call to Reply, and the parts of this time, which exist only for Calls whose data RDMA moved. */
enum call_time { CALL_LATENCY, CALL_TO_FIRST, CALL_MOVING, CALL_TO_REPLY, CALL_TIMES };

enum { STAT_ROWS_MAX = 192 /* procedures and operations; the rest shares one row */, STAT_ROW_BUCKETS = 64 };

/* The subject of a row of Calls. */
struct stat_key {
    uint32_t program, version, procedure;
    bool reverse;   /* from the server to the client */
    bool operation; /* `procedure` is an operation of the program's COMPOUND; the row counts Calls that contain it */
    bool known;     /* false: the procedure could not be read, or is above STAT_ROWS_MAX */
};

struct stat_calls {
    struct stat_calls *next; /* in order of first appearance */
    struct stat_calls *hash_next;
    struct stat_key key;
    uint64_t n[CALL_COUNTS];
    struct histogram time[CALL_TIMES];
    int64_t first_ns, last_ns; /* the first Call, the last Reply */
    uint32_t slowest_frame;    /* of the Call with the longest latency; 0: none */
};

/* ---- credits, by the side that calls ---- */

enum credit_count {
    CREDITS_OBSERVED,   /* ns from its first Call to the last Call or Reply */
    CREDITS_UNKNOWN,    /* ns of these in which the limit is unknown */
    CREDITS_AT_LIMIT,   /* ns with as many Calls outstanding as the limit allows, or more */
    CREDITS_BUSY,       /* ns with a Call outstanding */
    CREDITS_GRANTS,     /* Replies */
    CREDITS_ZERO,       /* Replies with a grant of 0 */
    CREDITS_BY_REQUEST, /* ns of CREDITS_AT_LIMIT in which the Calls' own request was the limit */
    CREDIT_COUNTS
};
extern const char *const credit_count_names[CREDIT_COUNTS];

struct stat_credits {
    uint64_t n[CREDIT_COUNTS];
    uint32_t granted_least, granted_most, granted_last, requested_last; /* valid with n[CREDITS_GRANTS] > 0 */
    struct histogram in_use;                                            /* Calls outstanding, weighted by ns */
    struct histogram limit;    /* the limit, weighted by ns while at least that many Calls were outstanding */
    struct histogram released; /* from a Reply that freed a credit at the limit to the next Call */
    struct histogram pauses;   /* from the last Reply to the next Call, while no Call was outstanding */
    uint64_t unsure;           /* ns before the first answer in which no captured Call was outstanding */
};

/* ---- RDMA operations, by side ---- */

enum stat_kind {
    STAT_SEND,
    STAT_SEND_INVALIDATE,
    STAT_WRITE,
    STAT_READ,
    STAT_ATOMIC,
    STAT_IMMEDIATE,
    STAT_KINDS,
    STAT_NONE = STAT_KINDS
};
extern const char *const stat_kind_names[STAT_KINDS];

struct stat_operations {
    uint64_t count;            /* complete operations */
    uint64_t octets, parts;    /* FPDUs, packets */
    uint64_t unanswered;       /* Reads and Atomics that are open at the end, or whose answer is missing */
    struct histogram sizes;    /* octets of an operation */
    struct histogram moving;   /* from the first to the last part; Reads: of the response */
    struct histogram first;    /* Reads, Atomics: from the request to the first part of the response */
    struct histogram answered; /* to the last part of the response */
    int64_t first_ns, last_ns;
};

enum read_count { READS_BUSY /* ns with Reads outstanding */, READS_AT_LIMIT, READ_COUNTS };
extern const char *const read_count_names[READ_COUNTS];

/* For the side that reads. */
struct stat_reads {
    uint64_t n[READ_COUNTS];
    uint32_t limit, most;         /* outstanding at a time; limit 0: unknown */
    struct histogram outstanding; /* weighted by ns */
};

/* ---- the carrier, by the side that sends ---- */

enum carrier_count {
    CARRIER_PACKETS, /* with payload */
    CARRIER_OCTETS,  /* of the payload of TCP, or of RDMA messages */
    CARRIER_RETRANSMITTED_PACKETS,
    CARRIER_RETRANSMITTED, /* octets that were seen before */
    CARRIER_OUT_OF_ORDER_PACKETS,
    CARRIER_OUT_OF_ORDER,   /* octets that came after later octets: overtaken, or lost and retransmitted */
    CARRIER_CLOSED_WINDOWS, /* segments that announce a window of 0 */
    CARRIER_FPDUS,
    CARRIER_ULPDU,   /* octets in FPDUs */
    CARRIER_HEADERS, /* ULPDU_Length, DDP, RDMAP */
    CARRIER_PADS,
    CARRIER_CRCS,
    CARRIER_CRCS_USED, /* FPDUs whose CRC is in use */
    CARRIER_MARKERS,
    CARRIER_RNR_NAKS, /* RoCE, InfiniBand */
    CARRIER_SEQUENCE_NAKS,
    CARRIER_HOLES, /* octets, or requests, that are missing in the capture */
    CARRIER_COUNTS
};
extern const char *const carrier_count_names[CARRIER_COUNTS];

struct stat_carrier {
    uint64_t n[CARRIER_COUNTS];
    uint32_t segment_most;        /* octets of payload in the largest TCP segment or packet */
    struct histogram sizes;       /* octets of an FPDU, including Markers, or of the payload of a packet */
    struct histogram per_segment; /* FPDUs that end in a TCP segment */
    struct histogram late;        /* how long a gap in the order of octets lasted */
    struct histogram acked;       /* time until the other side acknowledged a packet, for one packet at a time */
};

/* ---- the slowest Calls ---- */

enum { STAT_SLOWEST_MAX = 3 };

/* What happened while a Call was outstanding. Times are nanoseconds since the Call; frame 0: not seen. */
struct stat_slow {
    struct stat_key key; /* of the operation that names the Call */
    uint32_t frame, reply_frame;
    uint32_t acked_frame; /* the first acknowledgment of the Call */
    uint32_t first_frame, last_frame, data_frame;
    uint64_t latency, acked, first, last; /* first, last: operations that moved data */
    uint64_t data;                        /* if the first operation is a Read Request: its first response */
    uint64_t lost;                        /* waiting for lost or reordered packets */
    bool unseen;                          /* packets were not captured meanwhile */
};

struct statistics {
    int client;                /* the calling side: 0 or 1; -1: unknown, or none */
    bool ib;                   /* RoCE, InfiniBand: packets instead of FPDUs and TCP segments */
    bool tapped;               /* recorded by iwarp-tap, whose invented packets are not counted */
    bool from_start, whole;    /* whole: nothing after the first packet is known to be missing */
    int64_t first_ns, last_ns; /* packets; last_ns < first_ns: none */
    struct stat_calls *calls, **calls_end;
    unsigned n_calls;
    struct stat_calls *rows[STAT_ROW_BUCKETS];         /* the same rows, by key */
    struct stat_credits credits[2];                    /* by calling side; once `client` is known, [0] is the client */
    struct stat_operations *operations[2][STAT_KINDS]; /* NULL: none */
    struct stat_reads reads[2];
    struct stat_carrier carrier[2];
    struct histogram gaps;      /* between packets of either direction, from 1 ms on */
    uint32_t longest_gap_frame; /* the frame that ended the gap */
    uint64_t round_trip;        /* of the handshake; 0: unknown */
    uint64_t round_trip_far;    /* the part from the SYN to the answer: the path beyond the capture point */
    uint32_t inline_limit[2];   /* inline threshold for Sends of the side; 0: unknown */
    uint32_t mtu;               /* path MTU, or MSS; 0: unknown */
    uint64_t holes;             /* how often packets were not captured, or could not be read */
    uint64_t lost;              /* octets or requests in these holes */
    uint64_t unread;            /* Sends that may be Calls or answers: their captured part does not say so */
    uint64_t orphans;           /* answers to Calls that are not in the capture */
    struct stat_slow slowest[STAT_SLOWEST_MAX]; /* the slowest first */
    unsigned n_slowest;
    struct series *series; /* NULL: nothing happened */
};

/* NULL: out of memory. */
struct statistics *statistics_new(void);
void statistics_free(struct statistics *statistics);
/* The row for this key, appended if new; a shared row if there are too many. NULL: out of memory. */
struct stat_calls *statistics_row(struct statistics *statistics, const struct stat_key *key);
/* NULL: out of memory. */
struct stat_operations *statistics_operations(struct statistics *statistics, unsigned side, enum stat_kind kind);
/* The number of operations of this kind. */
uint64_t statistics_count_of(const struct statistics *statistics, unsigned side, enum stat_kind kind);
/* Swaps the sides. */
void statistics_turn(struct statistics *statistics);
/* `from` is a later part of the same connection. */
void statistics_join(struct statistics *into, const struct statistics *from);
/* Adds the rows of Calls; `from` may be another connection. */
void statistics_add_calls(struct statistics *into, const struct statistics *from);
void stat_calls_join(struct stat_calls *into, const struct stat_calls *from);
/* Adds the Call if it is one of the slowest. */
void statistics_add_slow(struct statistics *statistics, const struct stat_slow *slow);
/* Calls without an answer. */
static inline uint64_t stat_unanswered(const struct stat_calls *row)
{
    return saturating_sum(row->n[CALLS_FORGOTTEN], row->n[CALLS_OPEN]);
}

#endif
