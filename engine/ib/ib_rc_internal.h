/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the parts of ib_rc.c: the order of requests, held packets, Reads and their responses. */
#ifndef IWARP_ENGINE_IB_IB_RC_INTERNAL_H
#define IWARP_ENGINE_IB_IB_RC_INTERNAL_H

#include "engine/ib/ib_accept.h"
#include "engine/ib/ib_rc.h"

enum {
    IB_RC_HELD_MAX = 8192,
    IB_RC_GAPS_MAX = 8,
    IB_RC_TRAILS_MIN = 2, /* Acknowledges needed from each side to learn how far the directions are apart */
    IB_RC_RECENT = 32,    /* a power of two */
    IB_RC_PSNS = 1 << 24,
    IB_RC_ORIGIN =
        IB_RC_PSNS, /* offset of the first known request: earlier ones have lower offsets that are not negative */
};

/* The largest delay between the directions of a capture. */
static const int64_t ib_skew_ns = 4000000;

/* ---- packets that came too early ---- */

struct ib_held_packet {
    uint64_t offset;
    uint32_t frame;
    int64_t time_ns;
    struct ib_packet packet; /* its payload points to octets */
    uint8_t octets[];
};

struct ib_held {
    struct ib_held_packet **packets; /* ascending; [first, first + n) are in use */
    size_t first, n, capacity, octets;
};

void ib_held_free(struct ib_held *held);
/* Keeps a copy. False when a bound is reached or out of memory; *again: a packet of that offset is held already. */
bool ib_held_add(struct ib_held *held, size_t limit, uint64_t offset, const struct ib_packet *packet, uint32_t frame,
                 int64_t time_ns, bool *again);
static inline const struct ib_held_packet *ib_held_first(const struct ib_held *held)
{
    return held->n > 0 ? held->packets[held->first] : NULL;
}
/* Removes the first packet; the caller frees it. */
struct ib_held_packet *ib_held_take(struct ib_held *held);
/* Drops packets at `from` and later that are beyond `far`, or were captured before frame `before`. Returns their
 * number. */
unsigned ib_held_drop(struct ib_held *held, uint64_t from, uint64_t far, uint32_t before);

/* ---- packets as they were first sent ---- */

struct ib_copies {
    struct ib_copy *slots; /* indexed by the last bits of the request offset; NULL: none so far */
    uint8_t *octets;       /* a ring */
    unsigned n_slots;
    size_t n_octets;  /* its capacity */
    uint64_t end;     /* number of octets ever stored or skipped */
    uint64_t free_to; /* up to this number there is room without wrapping, and without overwriting needed octets */
};

enum ib_comparison { IB_NOT_COMPARED, IB_SAME, IB_DIFFERS };

/* How a retransmitted packet differs from the first one. */
struct ib_difference {
    uint32_t first_frame;
    char text[FINDING_MESSAGE_SIZE]; /* "expected ...; found ..." */
};

void ib_copies_free(struct ib_copies *copies);
/* Keeps the packet at that offset; packets before the one at `needed` will most likely not be sent again. */
void ib_copies_keep(struct ib_copies *copies, uint64_t offset, uint64_t needed, const struct ib_packet *packet,
                    uint32_t frame);
bool ib_copies_has(const struct ib_copies *copies, uint64_t offset);
/* Compares a later packet of that offset. A difference is reported once. */
enum ib_comparison ib_copies_compare(struct ib_copies *copies, uint64_t offset, const struct ib_packet *again,
                                     struct ib_difference *words);

/* True, with a text, if the later header differs from the first header, which was in `frame`. */
bool ib_reth_differs(const struct ib_reth *first, const struct ib_reth *again, uint32_t frame,
                     struct ib_difference *words);

/* ---- Reads and Atomics, which have packets of their own as answers ---- */

struct ib_read {
    uint64_t from;    /* request offset */
    uint64_t message; /* number of the request */
    uint64_t operation;
    uint64_t address;
    uint32_t rkey, size;
    uint32_t frame; /* of the request */
    int64_t time_ns;
    uint32_t packets;  /* of its response; 0: unknown, as the MTU is unknown */
    uint64_t followed; /* while packets is 0: offset of the request that seemed to come next; 0: none */
    uint32_t taken;    /* response packets before this one were taken, except for the gaps */
    struct {
        uint32_t from, to;
    } gap[IB_RC_GAPS_MAX];
    uint8_t gaps;
    bool lost;  /* there were more gaps than fit */
    bool again; /* the requester has asked for parts of the response again */
    bool atomic;
    bool icrc_wrong; /* in the request */
    bool restarted;  /* the requester has asked for the whole response again */
    bool reported;   /* a wrong retransmission of this request, or of its rest, was reported */
};

struct ib_reads {
    struct ib_read *ring; /* grows up to IB_RC_READS_MAX */
    unsigned room;        /* 0, or a power of two */
    unsigned first, n;
    unsigned done;     /* number of the oldest Reads that are complete, and kept only for repeated responses */
    uint64_t answered; /* offset after the response packets seen */
};

/* ---- one direction's requests ---- */

/* A message, kept for a NAK that may come. */
struct ib_recent {
    uint64_t from;
    struct place latest; /* its latest packet */
    uint8_t kind;        /* enum ib_message */
    bool invalidates;
};

/* The request refused by an RNR NAK, until it is acknowledged. */
struct ib_not_ready {
    bool waiting;
    bool again;         /* the request, or a later one, came since the RNR NAK: it may have been received */
    uint64_t offset;    /* of the request */
    int64_t resumes_ns; /* when its sender may send again */
    bool hasty;         /* its sender did not wait that long, after this NAK or an earlier NAK */
    bool ended;         /* the connection ended while the request waited, at ended_ns */
    int64_t ended_ns;
    unsigned naks;      /* number of NAKs for this request, one for each time it was sent */
    uint64_t holes;     /* holes of both sides when the latest NAK came */
    struct place place; /* of the latest NAK */
};

struct ib_requests {
    bool known;
    bool late;     /* the capture began within these requests */
    bool older;    /* with late: earlier requests were sent again since the latest one taken */
    uint32_t psn;  /* PSN of offset IB_RC_ORIGIN */
    uint64_t next; /* first offset not taken */
    /* `next` may be larger: the last request was a Read whose response packets cannot be counted yet. */
    bool next_least;
    bool acked_known;
    uint64_t acked;   /* the other side has acknowledged everything before this offset */
    uint64_t claimed; /* acknowledged up to here, by an answer that later packets have confirmed; 0: none */
    uint64_t missed;  /* offset after the latest request that the other side asked for again; 0: none */
    /* Acknowledges and NAKs of the other side show that everything before `sent` was sent; the latest that did so. */
    uint64_t sent;
    uint32_t sent_frame;
    int64_t sent_ns;
    int64_t answered_ns; /* the shortest time until a request was acknowledged or answered; 0: unknown */
    int64_t trailed_ns;  /* the longest, of `trails` measurements; retransmitted requests do not count */
    unsigned trails;
    bool lags;            /* a request was acknowledged before it was captured: times do not show the order */
    uint64_t lost;        /* requests missing since the latest one taken */
    uint8_t lost_message; /* enum ib_message of the message that was open at the loss; IB_MESSAGE_ACK: none */
    /* The open message. */
    uint64_t messages;  /* number of messages begun */
    uint64_t operation; /* of the open message */
    bool open, first_known, memory_known;
    uint32_t index;
    uint64_t octets;
    uint64_t address;
    uint32_t rkey;
    int64_t since_ns; /* when the latest message was complete; before the first message: when the connection began */
    /* Requests from repeats_from on may be copies of requests that were not captured. */
    enum { IB_REPEATS_NONE, IB_REPEATS_BY_TIMEOUT, IB_REPEATS_SEEN } repeats;
    uint64_t repeats_from;
    int64_t resends_ns;  /* when requests were last asked for again, or sent again */
    uint64_t resends_to; /* offset of the last of them */
    unsigned damaged;    /* requests dropped since the latest one taken */
    uint8_t rnr_retries;
    bool rnr_retries_known;
    struct ib_not_ready not_ready;
    struct ib_recent recent[IB_RC_RECENT]; /* message i, counted from 1, at i % IB_RC_RECENT */
    struct ib_held held;
    struct ib_reads reads;
    struct ib_copies copies, responses; /* copies: of requests; responses: of the other side's responses to them */
};

struct ib_rc {
    struct ib_rc_options options;
    struct ib_rc_events events;
    unsigned mtu;           /* 0: unknown */
    unsigned mtu_least;     /* while mtu is 0: the smallest possible MTU */
    bool mtu_settled;       /* mtu is known, and the packets of all Reads are counted */
    uint64_t operations;    /* number of operations begun by both sides */
    bool disconnected;      /* a side asked to disconnect */
    int64_t ack_timeout_ns; /* 0: unknown */
    struct path_trouble path;
    struct ib_accept accept;
    bool no_room; /* holes are being given up for lack of room */
    struct ib_requests side[2];
    struct ib_rc_counts counts;
};

/* ib_rc_not_ready.c: notes a request of `side` at that offset; and a request refused by an RNR NAK at `place`. */
void ib_not_ready_request(struct ib_requests *requests, uint64_t offset, int64_t time_ns);
void ib_not_ready_nak(struct ib_rc *rc, unsigned side, uint64_t offset, uint8_t syndrome, const struct place *place);
/* A side asked to disconnect. way_ns: from the capture point to the sender of the requests and back. */
void ib_not_ready_end(struct ib_requests *requests, int64_t way_ns, int64_t time_ns);
/* The refusal is final: the sender has stopped retrying, or the connection has ended. */
bool ib_not_ready_final(const struct ib_rc *rc, unsigned side);

/*
 * Offset of a PSN among this side's requests: the one nearest to the next offset. False: the PSN is before all known
 * ones.
 */
bool ib_requests_offset(const struct ib_requests *requests, uint32_t psn, uint64_t *offset);
/* An accepted packet. */
void ib_rc_take(struct ib_rc *rc, unsigned side, const struct ib_packet *packet, uint32_t frame, int64_t time_ns);

/* Frame of the latest request taken; 0: none. */
static inline uint32_t ib_requests_frame(const struct ib_requests *requests)
{
    return requests->recent[requests->messages % IB_RC_RECENT].latest.frame;
}

/* A part with the fields common to all kinds filled in: sender, place, octets. */
struct ib_rc_part ib_rc_part_of(const struct ib_rc *rc, unsigned side, const struct ib_packet *packet,
                                const struct place *place);
void ib_rc_give(struct ib_rc *rc, const struct ib_rc_part *part);
/* Reports a packet with the PSN of an earlier one. copy: filled in, except for the result of the comparison. */
void ib_rc_tell_copy(struct ib_rc *rc, struct ib_rc_copy *copy, enum ib_comparison comparison,
                     const struct ib_difference *difference);
/* The largest delay between the directions, judging by the packets captured so far. */
int64_t ib_rc_skew(const struct ib_rc *rc);

/* Reports a hole; hole: with offsets that count from IB_RC_ORIGIN. */
void ib_rc_hole(struct ib_rc *rc, const struct ib_rc_hole *hole);
void ib_rc_learn_mtu(struct ib_rc *rc, unsigned mtu);
/*
 * Learns about an unknown MTU from a packet: no payload is longer, and all packets but the last of a message are full.
 * Then counts the packets of Reads as far as possible.
 */
void ib_rc_observe_mtu(struct ib_rc *rc, const struct ib_packet *packet, const struct place *place);
/* Adds a Read or Atomic of `side` at that offset. Returns its number of packets, at least 1; *least: a lower bound. */
uint32_t ib_reads_add(struct ib_rc *rc, unsigned side, const struct ib_packet *packet, uint64_t offset,
                      uint64_t message, bool *least);
/*
 * Whether the request at `offset` may have come right after the last Read, whose response packets cannot be counted
 * yet: whether the Read has that many packets for some MTU. If the MTU turns out to be different, requests between them
 * were lost.
 */
bool ib_reads_followed(const struct ib_rc *rc, unsigned side, uint64_t offset);
/* The number of Reads that `side` requested so shortly before time_ns that they cannot have been answered. */
unsigned ib_reads_open(const struct ib_rc *rc, unsigned side, int64_t time_ns);
/* A Read of `side` is asked for again, from this offset on. */
void ib_reads_again(struct ib_requests *requests, uint64_t offset);
/* Whether such a repeated request asks for the same as the Read did from this offset on. */
enum ib_comparison ib_reads_compare(struct ib_rc *rc, unsigned side, const struct ib_packet *packet, uint64_t offset,
                                    struct ib_difference *words);
/* A Read of `side` lacks parts of its response that may have come before the request at `place`. */
bool ib_reads_incomplete(const struct ib_rc *rc, unsigned side, const struct place *place);
/* A response packet sent by `responder`, at that offset among the other side's requests. */
void ib_reads_answer(struct ib_rc *rc, unsigned responder, const struct ib_packet *packet, uint64_t offset,
                     const struct place *place);

#endif
