/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One reliable connection of InfiniBand or RoCE (InfiniBand Architecture Specification volume 1, section 9.7), seen
 * from outside: takes the packets of both directions as captured and delivers each octet of Sends, RDMA Writes and Read
 * responses once, in the order of PSNs, however often it was sent. Each side's requests (Send, Write, Read, Atomic)
 * form one sequence of 24-bit PSNs; here they are 64-bit request offsets, counted from the side's starting PSN or from
 * the first request seen. Responses (Acknowledge, Read response) carry the PSN of the request. A Read uses as many PSNs
 * as its response has packets, at least one. Loss on the network or by the capture: a missing request is awaited,
 * because the receiver drops everything after it and asks for it again (go-back-N). If the receiver acknowledges the
 * missing request, the capture lost it: a hole. Retransmitted packets are compared with the first copies: the requester
 * sends the same packet again (section 9.7), and the responder answers an Atomic with the saved result. A Read is
 * executed again, and the memory may have changed. Sans-I/O. Memory per side: at most `limit` octets of packets held
 * out of order and IB_RC_READS_MAX Reads; for comparison, up to 256 KiB of requests in flight and as much of responses.
 */
#ifndef IWARP_ENGINE_IB_IB_RC_H
#define IWARP_ENGINE_IB_IB_RC_H

#include "engine/core/verdict.h"
#include "engine/packet/path_trouble.h"
#include "engine/packet/refusal.h"
#include "wire/ib.h"

enum { IB_RC_LIMIT_DEFAULT = 1 << 20, IB_RC_READS_MAX = 512 };

struct ib_rc_options {
    size_t limit; /* octets held out of order per side; 0: IB_RC_LIMIT_DEFAULT */
    /* No packet waits for later ones: an answer whose request was not captured is taken, unless it is far ahead. */
    bool at_once;
};

/* A packet's part of a message. */
struct ib_rc_part {
    enum ib_message kind; /* never IB_MESSAGE_ACK */
    struct place place;   /* offset: the sender's request offset when the part was taken; for a request, its own */
    uint64_t next;        /* request offset after this part */
    uint64_t message;     /* number among this side's requests, from 0; for an answer: of the other side's request */
    /* Number of this request among those of both sides, in order of arrival, from 1; for an answer: likewise. */
    uint64_t operation;
    uint32_t index;   /* packet number within the message, from 0 */
    bool first_known; /* the message's first packet was seen */
    bool last;        /* this packet holds the last octet of the message */
    /* This part completes the message: all packets before it were seen. Read response: all octets have come. */
    bool complete;
    const struct ib_packet *packet;
    const uint8_t *p; /* the captured octets of this part: n of its `length` */
    size_t n, length;
    uint64_t offset;  /* of these octets within the message */
    uint64_t address; /* Write, Read, Atomic and their answers: the memory accessed by this part */
    uint32_t rkey;
    uint32_t size;     /* Read: octets requested */
    bool memory_known; /* address and rkey are valid: false if the first packet of a Write, or the Read, is missing */
    bool acked_known;  /* the sender has acknowledged requests of the other direction */
    uint64_t acked;    /* request offset of the other side up to which the sender has acknowledged, at least */
    /*
     * Send: responses to its sender's Reads were not seen. Either they are missing in the capture, or the sender did
     * not wait; only later packets show which.
     */
    bool reads_unseen;
    unsigned reads_open; /* Read: number of its sender's Reads, including this one, that were certainly unanswered */
    bool asked_again; /* Read response: parts were asked for again, or overtook this part: it may have come earlier */
    /*
     * Send: an earlier, uncaptured copy of its last packet was sent this long before it. INT64_MAX: there was no copy,
     * because nobody asked for a retransmission and the Local ACK Timeout had not passed since the sender's previous
     * message.
     */
    int64_t copy_ns;
    /* Later requests were captured before the packet that made this part deliverable; they follow. */
    bool others_held;
    bool resent;            /* this part is a copy, or may be: its sender has retransmitted since its latest message */
    uint32_t sends_missing; /* requests: the largest possible number of Sends between the previous part and this one */
    /* Packets of the other side captured up to this long before this one may have been sent after it. */
    int64_t skew_ns;
};

/*
 * `side` finally refuses a request of the other side: with a remote access or operational error, or as invalid; or it
 * had no Receive until the other side gave up, or until one side ended the connection (section 9.7.5.2.8).
 */
struct ib_rc_refusal {
    unsigned side;
    bool not_ready; /* refused by RNR NAKs; else by nak: */
    bool hasty;     /* the other side did not wait as long as the RNR NAKs asked, or the connection ended before that */
    enum ib_nak nak;
    struct place place; /* of the NAK */
    uint64_t offset;    /* request offset that it names */
    bool known;         /* the message at this offset was seen; the rest is about it */
    enum ib_message kind;
    bool invalidates;     /* a Send with Invalidate */
    struct place culprit; /* latest packet of that message so far */
};

/*
 * Requests of `side` will never come, so messages may be missing. ib_rc_hole_explains() says which findings must be
 * withdrawn. While the MTU is unknown, the loss of requests after a Read may show only after later requests were
 * delivered.
 */
struct ib_rc_hole {
    unsigned side;
    uint64_t from, to; /* request offsets; equal: requests from before the first one seen were sent again */
    uint32_t after;    /* frame of the last request before the missing ones; 0: none was seen */
    struct place next; /* the packet that shows the loss */
    bool no_room;      /* given up for lack of room: the requests may still come */
};

/* A retransmitted packet, compared with the first packet with the same PSN, as far as both were captured. */
struct ib_rc_copy {
    enum ib_message kind; /* of the copy */
    struct place place;   /* of the copy. offset: a request's own */
    uint32_t first_frame;
    const char *difference; /* "expected ...; found ..."; NULL: none */
    bool taken;    /* with difference: the receiver had acknowledged the first packet, so its contents are known */
    uint32_t rkey; /* with difference, for answers: rkey of the memory */
};

/* Statistics for reports; none of the counts is a violation. */
struct ib_rc_counts {
    uint64_t packets[2], octets[2];   /* by sending side; octets of payload taken */
    uint64_t retransmitted[2];        /* requests seen again */
    uint64_t repeated_responses[2];   /* Read response packets seen again */
    uint64_t naks[2][5], rnr_naks[2]; /* sent by that side; by enum ib_nak */
    uint32_t refused[2][REFUSALS];    /* packets of this side that no receiver accepts */
    uint64_t holes[2];                /* requests of this side that are missing in the capture */
};

struct ib_rc_events {
    void *ctx; /* each function may be NULL */
    void (*part)(void *ctx, const struct ib_rc_part *part);
    void (*hole)(void *ctx, const struct ib_rc_hole *hole);
    void (*refused)(void *ctx, const struct ib_rc_refusal *refusal);
    /* `side` has received all requests of the other side before this request offset. */
    void (*acknowledged)(void *ctx, unsigned side, uint64_t offset);
    /* `side` reports that it lacks the other side's request at this offset. Called once per offset. */
    void (*missed)(void *ctx, unsigned side, uint64_t offset);
    /* A request was sent again before it was acknowledged: the receiver may have dropped the earlier copies. */
    void (*sent_again)(void *ctx, const struct place *place);
    void (*copy)(void *ctx, const struct ib_rc_copy *copy);
};

struct ib_rc;

/* Copies options; ib_rc_listen() copies events and is called before the first packet. NULL when out of memory. */
struct ib_rc *ib_rc_new(const struct ib_rc_options *options);
void ib_rc_listen(struct ib_rc *rc, const struct ib_rc_events *events);
void ib_rc_free(struct ib_rc *rc);

/*
 * From connection management: the PSN of a side's first request, which the other side has chosen (wire/ib_cm.h), and
 * the path MTU in octets (0: unknown).
 */
void ib_rc_start(struct ib_rc *rc, unsigned side, uint32_t psn);
void ib_rc_mtu(struct ib_rc *rc, unsigned mtu);
/* The partition of both sides, as the request for the connection says. */
void ib_rc_partition(struct ib_rc *rc, uint16_t pkey);

/* From connection management: how often `side` sends a request again after an RNR NAK; 7: without limit. */
void ib_rc_rnr_retries(struct ib_rc *rc, unsigned side, uint8_t retries);

/* From connection management: the Local ACK Timeout in ns (0: unknown). The connection begins at now_ns. */
void ib_rc_ack_timeout(struct ib_rc *rc, int64_t timeout_ns, int64_t now_ns);

/* A packet that `side` sent on this connection; decoded, headers complete. */
void ib_rc_packet(struct ib_rc *rc, unsigned side, const struct ib_packet *packet, uint32_t frame, int64_t time_ns);
/* Takes or refuses packets that wait for later ones, according to those that have come (engine/packet/dispute.h). */
void ib_rc_settle(struct ib_rc *rc);
/* A packet of `side` that is not passed to ib_rc_packet() for this reason. */
void ib_rc_refused(struct ib_rc *rc, unsigned side, enum packet_refusal why);
/* The distance between the PSN of a packet from `side` and the next expected PSN; UINT32_MAX: no PSN is known yet. */
uint32_t ib_rc_distance(const struct ib_rc *rc, unsigned side, const struct ib_packet *packet);
/*
 * A request of `side` that its receiver seems to have dropped for a wrong ICRC. Only the request that the receiver
 * expects next counts, since the receiver takes no other request.
 */
void ib_rc_damaged(struct ib_rc *rc, unsigned side, const struct ib_packet *packet);
/*
 * The number of ib_rc_damaged() requests that were acknowledged without a retransmission, so they were received. Each
 * is counted once.
 */
unsigned ib_rc_damaged_acked(struct ib_rc *rc, unsigned side);
/* A side asked to disconnect: requests not received so far never will be. Only the first call counts. */
void ib_rc_disconnect(struct ib_rc *rc, int64_t now_ns);
/* Memory taken by requests of that side that wait for earlier ones. */
size_t ib_rc_held(const struct ib_rc *rc, unsigned side);
/* Frees room: gives up the missing requests, and delivers the requests that wait for them. */
void ib_rc_stop_waiting(struct ib_rc *rc, unsigned side);
/* End of the connection or of the capture: gives up missing requests and delivers the held requests. */
void ib_rc_finish(struct ib_rc *rc);

/*
 * Whether a hole after the request in frame `after` may explain a finding that was made since then and belongs to
 * `frame`; if so, the finding is withdrawn, unless it stands (verdict_stands()). Findings about one direction alone
 * stay: no packet of the other direction shows how far it had received the missing requests.
 */
bool ib_rc_hole_explains(enum rule_id rule, uint32_t frame, uint32_t after);

/* The offset up to which requests of this side are acknowledged; 0: none, or unknown. */
uint64_t ib_rc_acked(const struct ib_rc *rc, unsigned side);
/* Uncaptured requests of this side were acknowledged or refused, so they were sent. */
bool ib_rc_missing(const struct ib_rc *rc, unsigned side);
/* Signs of trouble on the path before the end. */
const struct path_trouble *ib_rc_path(const struct ib_rc *rc);
/* In octets; 0: unknown. */
unsigned ib_rc_path_mtu(const struct ib_rc *rc);
const struct ib_rc_counts *ib_rc_counts(const struct ib_rc *rc);

#endif
