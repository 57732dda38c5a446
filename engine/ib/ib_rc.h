/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One reliable connection of InfiniBand or RoCE (InfiniBand Architecture Specification volume 1, section 9.7), seen
 * from outside: takes the packets of both directions as captured and delivers each octet of Sends, RDMA Writes and Read
 * responses once, in the order of PSNs, however often it was sent.
 *
 * Each side's requests (Send, Write, Read, Atomic) form one sequence of 24-bit PSNs; here they are 64-bit request
 * offsets, counted from the side's starting PSN or from the first request seen. Responses (Acknowledge, Read response)
 * carry the PSN of the request. A Read uses as many PSNs as its response has packets, at least one.
 *
 * Loss on the network and loss by the capture: a missing request is awaited, because the receiver drops everything
 * after it and asks for it again (go-back-N). If the receiver acknowledges it, the capture lost it: a hole.
 *
 * Packets sent again are compared with the first ones: the requester sends the same packet again (section 9.7), and the
 * responder answers an Atomic with the result that it has saved. A Read is carried out anew, and the memory may have
 * changed.
 *
 * Sans-I/O. Memory: at most `limit` octets of packets held out of order per side, and IB_RC_READS_MAX Reads; of what
 * was sent, 256 KiB of requests and as much of responses, as far as it is under way.
 */
#ifndef IWARP_ENGINE_IB_IB_RC_H
#define IWARP_ENGINE_IB_IB_RC_H

#include "engine/core/verdict.h"
#include "engine/packet/path_trouble.h"
#include "wire/ib.h"

enum { IB_RC_LIMIT_DEFAULT = 1 << 20, IB_RC_READS_MAX = 512 };

struct ib_rc_options {
    size_t limit; /* octets held out of order per side; 0: IB_RC_LIMIT_DEFAULT */
};

/* A packet's part of a message. */
struct ib_rc_part {
    enum ib_message kind; /* never IB_MESSAGE_ACK */
    struct place place;   /* offset: request offset of its sender when it was taken; a request's own */
    uint64_t next;        /* request offset after it */
    uint64_t message;     /* of this side's requests, from 0; an answer: of the other side's request */
    uint64_t operation;   /* number of this request among those of both sides, as they came, from 1; likewise */
    uint32_t index;       /* packet of the message, from 0 */
    bool first_known;     /* the message's first packet was seen */
    bool last;            /* the last octet of the message is in this packet */
    bool complete;        /* this part completes it: all before it was seen. Read response: all octets have come */
    const struct ib_packet *packet;
    const uint8_t *p; /* octets of this part that were captured, n of the `length` that it has */
    size_t n, length;
    uint64_t offset;  /* of these octets in the message */
    uint64_t address; /* Write, Read, Atomic and answers to these: the memory accessed by this part */
    uint32_t rkey;
    uint32_t size;     /* Read: octets asked for */
    bool memory_known; /* address and rkey are valid: false where the first packet of a Write, or a Read, is missing */
    bool acked_known;  /* the sender has acknowledged something of the other direction */
    uint64_t acked;    /* request offset of the other side up to which the sender has acknowledged, at least */
    /*
     * Send: responses to its sender's Reads were not seen. Either the capture lacks them, or the sender did not wait:
     * which of the two is known only later.
     */
    bool reads_unseen;
    unsigned reads_open; /* Read: so many of its sender's, itself included, were unanswered for certain */
    bool asked_again;    /* Read response: its requester has asked again for parts of it */
    /*
     * Send: an earlier copy of its last packet, which the capture lacks, was sent so long before it. INT64_MAX: none
     * was, as nobody asked for one and the Local ACK Timeout had not passed since what its sender sent before.
     */
    int64_t copy_ns;
    bool others_held;       /* requests after it were captured before what made it deliverable; they follow */
    bool resent;            /* its sender has sent something again since its latest message: this may be a copy, too */
    uint32_t sends_missing; /* requests: Sends between this part and the one before it, at most */
    int64_t skew_ns; /* a packet of the other side that was captured up to this long before may have been sent after */
};

/*
 * `side` refuses a request of the other side for good: remote access or operational error, invalid request; or it had
 * no Receive until the other side stopped trying, or one of them ended the connection (section 9.7.5.2.8).
 */
struct ib_rc_refusal {
    unsigned side;
    bool not_ready; /* RNR NAK; else: */
    bool hasty;     /* the other side did not wait as long as the RNR NAKs asked it to */
    enum ib_nak nak;
    struct place place;   /* of the NAK */
    uint64_t offset;      /* request offset that it names */
    bool known;           /* the message that has this offset was seen: */
    enum ib_message kind; /* of it */
    bool invalidates;     /* a Send with Invalidate */
    struct place culprit; /* its latest packet so far */
};

/*
 * Requests of `side` are missing for good: messages may be missing. ib_rc_hole_explains() says what that takes back.
 * While the MTU is unknown, what is missing after a Read may show only after requests that came later were given.
 */
struct ib_rc_hole {
    unsigned side;
    uint64_t from, to; /* request offsets; equal: what precedes the first request that was seen was sent again */
    uint32_t after;    /* frame of the request before them; 0: none was seen */
    struct place next; /* of what shows that they are missing */
};

/* A packet was sent again, and is compared with the first one of its PSN, as far as both were captured. */
struct ib_rc_copy {
    enum ib_message kind; /* of the copy */
    struct place place;   /* of the copy. offset: a request's own */
    uint32_t first_frame;
    const char *difference; /* "expected ...; found ..."; NULL: there is none */
    /* Then: */
    bool taken;    /* its receiver had acknowledged the first one: what it has is known */
    uint32_t rkey; /* answers: of the memory */
};

/* Facts for reports; none of them is a violation. */
struct ib_rc_counts {
    uint64_t packets[2], octets[2];   /* by sending side; octets of payload taken */
    uint64_t retransmitted[2];        /* requests seen again */
    uint64_t repeated_responses[2];   /* Read response packets seen again */
    uint64_t naks[2][5], rnr_naks[2]; /* sent by that side; by enum ib_nak */
    uint64_t holes[2];                /* requests of that side that the capture lacks */
};

struct ib_rc_events {
    void *ctx; /* any of the functions may be NULL */
    void (*part)(void *ctx, const struct ib_rc_part *part);
    void (*hole)(void *ctx, const struct ib_rc_hole *hole);
    void (*refused)(void *ctx, const struct ib_rc_refusal *refusal);
    /* `side` has received all requests of the other side before this request offset. */
    void (*acknowledged)(void *ctx, unsigned side, uint64_t offset);
    /* `side` says that it has not received the other side's request of this offset so far. Once per offset. */
    void (*missed)(void *ctx, unsigned side, uint64_t offset);
    /* A request was sent again before it was acknowledged: the receiver may have dropped the copies before this one. */
    void (*sent_again)(void *ctx, const struct place *place);
    void (*copy)(void *ctx, const struct ib_rc_copy *copy);
};

struct ib_rc;

/* NULL when memory is lacking. options and events are copied; events before the first packet. */
struct ib_rc *ib_rc_new(const struct ib_rc_options *options);
void ib_rc_listen(struct ib_rc *rc, const struct ib_rc_events *events);
void ib_rc_free(struct ib_rc *rc);

/*
 * From connection management: the PSN of a side's first request, which the other side has chosen (wire/ib_cm.h), and
 * the path MTU in octets (0: unknown).
 */
void ib_rc_start(struct ib_rc *rc, unsigned side, uint32_t psn);
void ib_rc_mtu(struct ib_rc *rc, unsigned mtu);

/* From connection management: how often `side` sends a request again after an RNR NAK, 7: without end. */
void ib_rc_rnr_retries(struct ib_rc *rc, unsigned side, uint8_t retries);

/* From connection management: the Local ACK Timeout in ns (0: not known); the connection begins. */
void ib_rc_ack_timeout(struct ib_rc *rc, int64_t timeout_ns, int64_t now_ns);

/* A packet that `side` sent on this connection; decoded, headers complete. */
void ib_rc_packet(struct ib_rc *rc, unsigned side, const struct ib_packet *packet, uint32_t frame, int64_t time_ns);
/* How far the PSN of a packet that `side` sends is from what comes next; UINT32_MAX: nothing is known of that. */
uint32_t ib_rc_distance(const struct ib_rc *rc, unsigned side, const struct ib_packet *packet);
/* A request of `side` that its receiver seems to have dropped, as its ICRC is wrong. */
void ib_rc_damaged(struct ib_rc *rc, unsigned side);
/* How many of these were acknowledged though nothing was sent again: they were received. Counted once. */
unsigned ib_rc_damaged_acked(struct ib_rc *rc, unsigned side);
/* One side asked for the end: what was not received so far never will be. Only the first call counts. */
void ib_rc_disconnect(struct ib_rc *rc, int64_t now_ns);
/* Memory of requests of that side that wait for earlier ones. */
size_t ib_rc_held(const struct ib_rc *rc, unsigned side);
/* There is no room to keep them any longer: gives up what is missing before them, and delivers them. */
void ib_rc_stop_waiting(struct ib_rc *rc, unsigned side);
/* End of the connection or of the capture: gives up what is missing and delivers what is held. */
void ib_rc_finish(struct ib_rc *rc);

/*
 * Whether a hole after the request in frame `after` may explain a finding that was made since then and belongs to
 * `frame`: it is withdrawn. Rules about one direction alone stay as they were
 * judged: no packet of the other direction says how far it had received the missing ones.
 */
bool ib_rc_hole_explains(enum rule_id rule, uint32_t frame, uint32_t after);

/* The offset up to which requests of this side are acknowledged; 0: none, or not known. */
uint64_t ib_rc_acked(const struct ib_rc *rc, unsigned side);
/* Requests of this side were acknowledged that are not captured. */
bool ib_rc_missing(const struct ib_rc *rc, unsigned side);
/* Signs of trouble before the end. */
const struct path_trouble *ib_rc_path(const struct ib_rc *rc);
/* Octets; 0: not known. */
unsigned ib_rc_path_mtu(const struct ib_rc *rc);
const struct ib_rc_counts *ib_rc_counts(const struct ib_rc *rc);

#endif
