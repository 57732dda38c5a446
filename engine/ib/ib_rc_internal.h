/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of ib_rc.c share: the order of requests, what is held, the Reads and their responses. */
#ifndef IWARP_ENGINE_IB_IB_RC_INTERNAL_H
#define IWARP_ENGINE_IB_IB_RC_INTERNAL_H

#include "engine/ib/ib_rc.h"

enum {
    IB_RC_HELD_MAX = 8192,
    IB_RC_GAPS_MAX = 8,
    IB_RC_TRAILS_MIN = 2, /* Acknowledges of each side that show how far the directions are apart */
    IB_RC_RECENT = 32,    /* a power of two */
    IB_RC_PSNS = 1 << 24,
    IB_RC_ORIGIN =
        IB_RC_PSNS, /* offset of the first known request: earlier ones have lower offsets that are not negative */
};

/* No capture has its directions further apart. */
static const int64_t ib_skew_ns = 4000000;

/* ---- packets that came before what they follow ---- */

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
/* Keeps a copy. False when a bound is reached or memory is lacking; *again: that offset is held already. */
bool ib_held_add(struct ib_held *held, size_t limit, uint64_t offset, const struct ib_packet *packet, uint32_t frame,
                 int64_t time_ns, bool *again);
static inline const struct ib_held_packet *ib_held_first(const struct ib_held *held)
{
    return held->n > 0 ? held->packets[held->first] : NULL;
}
/* Removes the first; the caller frees it. */
struct ib_held_packet *ib_held_take(struct ib_held *held);

/* ---- packets as they were first sent ---- */

struct ib_copies {
    struct ib_copy *slots; /* by the last bits of the request offset; NULL: none so far */
    uint8_t *octets;       /* a ring */
    unsigned n_slots;
    size_t n_octets;  /* that it has room for */
    uint64_t end;     /* octets that were ever put there, and skipped */
    uint64_t free_to; /* up to here there is room without a break, and nothing that is needed */
};

enum ib_comparison { IB_NOT_COMPARED, IB_SAME, IB_DIFFERS };

/* In what a packet that was sent again differs from the first one. */
struct ib_difference {
    uint32_t first_frame;
    char text[FINDING_MESSAGE_SIZE]; /* "expected ...; found ..." */
};

void ib_copies_free(struct ib_copies *copies);
/* Remembers the packet of that offset; nothing before the one at `needed` will be sent again, most likely. */
void ib_copies_keep(struct ib_copies *copies, uint64_t offset, uint64_t needed, const struct ib_packet *packet,
                    uint32_t frame);
bool ib_copies_has(const struct ib_copies *copies, uint64_t offset);
/* Compares a later packet of that offset. One that differs is reported once. */
enum ib_comparison ib_copies_compare(struct ib_copies *copies, uint64_t offset, const struct ib_packet *again,
                                     struct ib_difference *words);

/* True, with words, when a later one is other than the first, which was in that frame. */
bool ib_reth_differs(const struct ib_reth *first, const struct ib_reth *again, uint32_t frame,
                     struct ib_difference *words);

/* ---- Reads and Atomics that are answered by packets of their own ---- */

struct ib_read {
    uint64_t from;    /* request offset */
    uint64_t message; /* number of the request */
    uint64_t operation;
    uint64_t address;
    uint32_t rkey, size;
    uint32_t frame; /* of the request */
    int64_t time_ns;
    uint32_t packets;  /* of its response; 0: unknown, as the MTU is */
    uint64_t followed; /* while they are unknown: request offset of what seemed to come next; 0: nothing did */
    uint32_t taken;    /* response packets up to here were taken, except for the gaps */
    struct {
        uint32_t from, to;
    } gap[IB_RC_GAPS_MAX];
    uint8_t gaps;
    bool lost;  /* more gaps than can be remembered */
    bool again; /* the requester has asked for parts of it again */
    bool atomic;
    bool icrc_wrong; /* of the request */
    bool restarted;  /* it was asked for again from its beginning */
    bool reported;   /* a request for it, or for the rest of it, that is wrong */
};

struct ib_reads {
    struct ib_read *ring; /* grows up to IB_RC_READS_MAX */
    unsigned room;        /* 0, or a power of two */
    unsigned first, n;
    unsigned done; /* of these, the oldest: complete, and remembered for responses that come again */
};

/* ---- one direction's requests ---- */

/* A message, for a NAK that may come. */
struct ib_recent {
    uint64_t from;
    struct place latest; /* packet of it */
    uint8_t kind;        /* enum ib_message */
    bool invalidates;
};

/* The request that an RNR NAK was about, until it is acknowledged. */
struct ib_not_ready {
    bool waiting;
    bool again;         /* the request, or one after it, came since the RNR NAK: it may have been received */
    uint64_t offset;    /* of the request */
    int64_t resumes_ns; /* when its sender may go on */
    bool hasty;         /* its sender did not wait so long, after this NAK or one before it */
    bool ended;         /* the connection, while it waited: */
    int64_t ended_ns;
    unsigned naks;      /* for it; one for each time that it was sent */
    uint64_t holes;     /* that the capture had when the latest came, of both sides */
    struct place place; /* of the latest */
};

struct ib_requests {
    bool known;
    bool late;       /* the capture began within them */
    bool older;      /* then: some from before it were sent again since the latest that was taken */
    uint32_t psn;    /* of offset IB_RC_ORIGIN */
    uint64_t next;   /* first offset not taken */
    bool next_least; /* it may be more: the last request was a Read whose response packets cannot be counted yet */
    bool acked_known;
    uint64_t acked;  /* by the other side: everything before it */
    uint64_t missed; /* offset after the request that the other side asked for again last; 0: none */
    uint32_t acked_frame;
    int64_t acked_ns;
    int64_t answered_ns; /* how soon a request was acknowledged or answered, at least; 0: not known */
    int64_t trailed_ns;  /* and at most, where nothing was sent again; of this many: */
    unsigned trails;
    bool lags;            /* one was acknowledged before it was captured: times say nothing about the order */
    uint64_t lost;        /* requests that are missing since the latest that was taken */
    uint8_t lost_message; /* enum ib_message of the message that was open then; IB_MESSAGE_ACK: none was */
    /* The message that is open. */
    uint64_t messages;  /* that began */
    uint64_t operation; /* of it */
    bool open, first_known, memory_known;
    uint32_t index;
    uint64_t octets;
    uint64_t address;
    uint32_t rkey;
    int64_t since_ns;   /* when the latest message was complete; before the first: when the connection began */
    int64_t resends_ns; /* when requests were last asked for, or sent, again */
    unsigned damaged;   /* requests that were dropped since the latest that was taken */
    uint8_t rnr_retries;
    bool rnr_retries_known;
    struct ib_not_ready not_ready;
    struct ib_recent recent[IB_RC_RECENT]; /* message i, counted from 1, at i % IB_RC_RECENT */
    struct ib_held held;
    struct ib_reads reads;
    struct ib_copies copies, responses; /* of requests; of the other side's responses to these */
};

struct ib_rc {
    struct ib_rc_options options;
    struct ib_rc_events events;
    unsigned mtu;           /* 0: not known */
    unsigned mtu_least;     /* then: it is no less */
    bool mtu_settled;       /* it is known, and the packets of all Reads are counted */
    uint64_t operations;    /* that began, of both sides */
    bool disconnected;      /* a side asked for the end */
    int64_t ack_timeout_ns; /* 0: not known */
    struct path_trouble path;
    struct ib_requests side[2];
    struct ib_rc_counts counts;
};

/* ib_rc_not_ready.c: a request of `side` at that offset was seen; one that was refused by an RNR NAK at `place`. */
void ib_not_ready_request(struct ib_requests *requests, uint64_t offset, int64_t time_ns);
void ib_not_ready_nak(struct ib_rc *rc, unsigned side, uint64_t offset, uint8_t syndrome, const struct place *place);
/* A side asked for the end of the connection. */
void ib_not_ready_end(struct ib_requests *requests, int64_t time_ns);
/* The refusal is final: whoever sent the request has stopped trying, or the connection has ended. */
bool ib_not_ready_final(const struct ib_rc *rc, unsigned side);

/* Of the request that was taken last; 0: there is none. */
static inline uint32_t ib_requests_frame(const struct ib_requests *requests)
{
    return requests->recent[requests->messages % IB_RC_RECENT].latest.frame;
}

/* A part with the fields common to all kinds filled in: sender, place, octets. */
struct ib_rc_part ib_rc_part_of(const struct ib_rc *rc, unsigned side, const struct ib_packet *packet,
                                const struct place *place);
void ib_rc_give(struct ib_rc *rc, const struct ib_rc_part *part);
/* Tells of a packet that has the PSN of another one. copy: all but what was compared. */
void ib_rc_tell_copy(struct ib_rc *rc, struct ib_rc_copy *copy, enum ib_comparison comparison,
                     const struct ib_difference *difference);
/* How far the directions may be apart, going by what was captured so far. */
int64_t ib_rc_skew(const struct ib_rc *rc);

/* Tells of it; its offsets count from IB_RC_ORIGIN here. */
void ib_rc_hole(struct ib_rc *rc, const struct ib_rc_hole *hole);
void ib_rc_learn_mtu(struct ib_rc *rc, unsigned mtu);
/*
 * What a packet says of it while it is unknown: no payload is longer, and all but the last of a message are full.
 * Counts the packets of Reads that can be counted then.
 */
void ib_rc_observe_mtu(struct ib_rc *rc, const struct ib_packet *packet, const struct place *place);
/* Takes a Read or Atomic of `side` at that offset; its packets, at least 1. *least: there may be more. */
uint32_t ib_reads_add(struct ib_rc *rc, unsigned side, const struct ib_packet *packet, uint64_t offset,
                      uint64_t message, bool *least);
/*
 * Whether the request at `offset` came right after the last Read, whose response packets cannot be counted yet: some
 * MTU makes so many. If the MTU turns out to be another one, requests between them were lost.
 */
bool ib_reads_followed(const struct ib_rc *rc, unsigned side, uint64_t offset);
/* Reads of `side` that were asked for so shortly before that no answer can have come. */
unsigned ib_reads_open(const struct ib_rc *rc, unsigned side, int64_t time_ns);
/* A Read of `side`, or the rest of one, from this offset on is asked for again. */
void ib_reads_again(struct ib_requests *requests, uint64_t offset);
/* Whether such a request asks for what the Read asked for from there on. */
enum ib_comparison ib_reads_compare(struct ib_rc *rc, unsigned side, const struct ib_packet *packet, uint64_t offset,
                                    struct ib_difference *words);
/* A Read of `side` lacks parts of its response, which may have come by then. */
bool ib_reads_incomplete(const struct ib_rc *rc, unsigned side, int64_t time_ns);
/* A response packet, sent by `responder`, at that offset of the other side's requests. */
void ib_reads_answer(struct ib_rc *rc, unsigned responder, const struct ib_packet *packet, uint64_t offset,
                     const struct place *place);

#endif
