/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How fast a connection was: counts, times and distributions that can be added up. Times are nanoseconds. "Side" is the
 * side that sent something; a report has what the initiator sent first (statistics_turn()).
 *
 * What cannot be known is counted apart and in no latency: a Call without Reply, or one around which octets are
 * missing.
 */
#ifndef IWARP_CONFORMANCE_STATS_STATISTICS_H
#define IWARP_CONFORMANCE_STATS_STATISTICS_H

#include "conformance/stats/histogram.h"
#include "conformance/stats/series.h"

/* ---- Calls ---- */

/* How a Call, a Reply or its data went. */
enum call_count {
    CALLS,
    CALLS_REPLIED,
    CALLS_FAILED,    /* by RDMA_ERROR */
    CALLS_REPEATED,  /* retransmissions, counted in CALLS as well */
    CALLS_UNCERTAIN, /* replied, but octets around it are missing, or another Call has its XID: in no latency */
    CALLS_FORGOTTEN, /* without an answer when it was forgotten */
    CALLS_OPEN,      /* without an answer at the end */
    CALLS_INLINE,    /* of the Calls: neither of the next two */
    CALLS_WITH_READ_CHUNK,
    CALLS_LONG,     /* RDMA_NOMSG: all of it in a Read chunk */
    REPLIES_INLINE, /* of the Replies: likewise */
    REPLIES_WITH_WRITE_CHUNK,
    REPLIES_LONG, /* all of it in the Reply chunk */
    OCTETS_CALLS, /* of the Sends */
    OCTETS_REPLIES,
    OCTETS_READ, /* by RDMA Reads */
    OCTETS_WRITTEN,
    READ_CHUNKS,
    READ_SEGMENTS, /* of these */
    WRITE_CHUNKS,
    WRITE_SEGMENTS,
    REPLY_CHUNKS,
    REPLY_SEGMENTS,
    CALLS_DELAYED, /* replied, after waiting for octets that the path had lost or let others overtake */
    LOST_TIME,     /* ns of their latencies that this took */
    LOST_MOVING,   /* of these, while data was moved */
    CALL_COUNTS
};
extern const char *const call_count_names[CALL_COUNTS];

/* Call to Reply, and the parts of it: these have numbers of the Calls only whose data was moved by RDMA. */
enum call_time { CALL_LATENCY, CALL_TO_FIRST, CALL_MOVING, CALL_TO_REPLY, CALL_TIMES };

enum { STAT_ROWS_MAX = 192 /* procedures and operations; the rest shares one row */, STAT_ROW_BUCKETS = 64 };

/* What a row of Calls is about. */
struct stat_key {
    uint32_t program, version, procedure;
    bool reverse;   /* from the server to the client */
    bool operation; /* `procedure` is an operation of the program's COMPOUND: Calls that contain it */
    bool known;     /* false: a procedure that could not be read, or one beyond STAT_ROWS_MAX */
};

struct stat_calls {
    struct stat_calls *next; /* in the order of first appearance */
    struct stat_calls *hash_next;
    struct stat_key key;
    uint64_t n[CALL_COUNTS];
    struct histogram time[CALL_TIMES];
    int64_t first_ns, last_ns; /* the first Call, the last Reply */
    uint32_t slowest_frame;    /* of the Call of the longest latency; 0: none */
};

/* ---- credits, by the side that calls ---- */

enum credit_count {
    CREDITS_OBSERVED,   /* ns between its first Call and the last Call or Reply */
    CREDITS_UNKNOWN,    /* of these, the limit is unknown */
    CREDITS_AT_LIMIT,   /* as many Calls were outstanding as the limit allows, or more */
    CREDITS_BUSY,       /* at least one Call was outstanding */
    CREDITS_GRANTS,     /* Replies */
    CREDITS_ZERO,       /* of these, with a grant of 0 */
    CREDITS_BY_REQUEST, /* ns of CREDITS_AT_LIMIT in which the limit was what the Calls asked for */
    CREDIT_COUNTS
};
extern const char *const credit_count_names[CREDIT_COUNTS];

struct stat_credits {
    uint64_t n[CREDIT_COUNTS];
    uint32_t granted_least, granted_most, granted_last, requested_last; /* valid with n[CREDITS_GRANTS] > 0 */
    struct histogram in_use;                                            /* Calls outstanding, weighed by ns */
    struct histogram limit;    /* the limit, weighed by ns while Calls were outstanding at it */
    struct histogram released; /* from the Reply that freed a credit at the limit to the next Call */
    struct histogram pauses;   /* from the last Reply to the next Call, while no Call was outstanding */
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
    uint64_t count;            /* complete ones */
    uint64_t octets, parts;    /* FPDUs, packets */
    uint64_t unanswered;       /* Reads and Atomics at the end, or of which the answer is missing */
    struct histogram sizes;    /* octets of an operation */
    struct histogram moving;   /* from its first part to its last one; Reads: of the response */
    struct histogram first;    /* Reads, Atomics: from the request to the first part of the response */
    struct histogram answered; /* to the last part of it */
    int64_t first_ns, last_ns;
};

enum read_count { READS_BUSY /* ns with Reads outstanding */, READS_AT_LIMIT, READ_COUNTS };
extern const char *const read_count_names[READ_COUNTS];

/* Of the side that reads. */
struct stat_reads {
    uint64_t n[READ_COUNTS];
    uint32_t limit, most;         /* outstanding at a time; limit 0: not known */
    struct histogram outstanding; /* weighed by ns */
};

/* ---- what carries them, by the side that sends ---- */

enum carrier_count {
    CARRIER_PACKETS, /* with payload */
    CARRIER_OCTETS,  /* of the payload of TCP or of RDMA messages */
    CARRIER_RETRANSMITTED_PACKETS,
    CARRIER_RETRANSMITTED, /* octets that were seen before */
    CARRIER_OUT_OF_ORDER_PACKETS,
    CARRIER_OUT_OF_ORDER,   /* octets after which later ones had come already: overtaken, or lost and sent again */
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
    CARRIER_HOLES, /* octets, or requests, that the capture lacks */
    CARRIER_COUNTS
};
extern const char *const carrier_count_names[CARRIER_COUNTS];

struct stat_carrier {
    uint64_t n[CARRIER_COUNTS];
    uint32_t segment_most;        /* octets of payload of the largest TCP segment or packet */
    struct histogram sizes;       /* octets of an FPDU, Markers and all; of the payload of a packet */
    struct histogram per_segment; /* FPDUs that end in a TCP segment */
    struct histogram late;        /* how long a gap in the order of octets lasted */
    struct histogram acked;       /* until the other side acknowledged, one packet at a time */
};

struct statistics {
    int client;                /* the side that calls: 0 or 1; -1: not known, or none calls */
    bool ib;                   /* RoCE, InfiniBand: packets instead of FPDUs and TCP segments */
    bool from_start, whole;    /* whole: nothing is known to be missing after its first packet */
    int64_t first_ns, last_ns; /* packets; last_ns < first_ns: none */
    struct stat_calls *calls, **calls_end;
    unsigned n_calls;
    struct stat_calls *rows[STAT_ROW_BUCKETS]; /* the same, by key */
    struct stat_credits credits[2]; /* by calling side; [0] is turned to what the client calls when `client` is known */
    struct stat_operations *operations[2][STAT_KINDS]; /* NULL: there was none */
    struct stat_reads reads[2];
    struct stat_carrier carrier[2];
    struct histogram gaps;      /* between packets of either direction, from 1 ms on */
    uint32_t longest_gap_frame; /* that ended it */
    uint64_t round_trip;        /* of the handshake: 0 not known */
    uint64_t round_trip_far;    /* of it, from the SYN to its answer: beyond the place of the capture */
    uint32_t inline_limit[2];   /* inline threshold for what the side sends; 0: not known */
    uint32_t mtu;               /* path MTU, or MSS; 0: not known */
    struct series *series;      /* NULL: nothing happened */
};

/* NULL: memory is lacking. */
struct statistics *statistics_new(void);
void statistics_free(struct statistics *statistics);
/* The row, at its end if it is new; one for all others when there are too many. NULL: memory is lacking. */
struct stat_calls *statistics_row(struct statistics *statistics, const struct stat_key *key);
/* NULL: memory is lacking. */
struct stat_operations *statistics_operations(struct statistics *statistics, unsigned side, enum stat_kind kind);
/* Of the kind: 0 where there was none. */
uint64_t statistics_count_of(const struct statistics *statistics, unsigned side, enum stat_kind kind);
/* Side 1 becomes side 0. */
void statistics_turn(struct statistics *statistics);
/* `from` is later, of the same connection. */
void statistics_join(struct statistics *into, const struct statistics *from);
/* Adds the rows of Calls up, also of another connection. */
void statistics_add_calls(struct statistics *into, const struct statistics *from);
void stat_calls_join(struct stat_calls *into, const struct stat_calls *from);
/* Calls without an answer. */
static inline uint64_t stat_unanswered(const struct stat_calls *row)
{
    return saturating_sum(row->n[CALLS_FORGOTTEN], row->n[CALLS_OPEN]);
}

#endif
