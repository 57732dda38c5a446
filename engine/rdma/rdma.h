/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an upper layer sees of the transport below it, the same for all transports (RFC 8166 section 2.2.2): Sends,
 * accesses to ranges of memory, how far a sender had received the other direction, what a receiver refused, private
 * data, holes and ends. Sources are iWARP (engine/rdma/rdma_rdmap.h) and the reliable connections of InfiniBand and
 * RoCE (engine/rdma/rdma_ib.h).
 *
 * Sides are 0 and 1. An offset counts what one side sends: octets of its stream on iWARP, PSNs of its requests on
 * InfiniBand; it gives the order and how far the other side has received.
 */
#ifndef IWARP_ENGINE_RDMA_RDMA_H
#define IWARP_ENGINE_RDMA_RDMA_H

#include "engine/core/verdict.h"

#include <stdbool.h>
#include <stddef.h>

enum rdma_kind {
    RDMA_SEND,
    RDMA_WRITE,
    RDMA_READ,
    RDMA_READ_RESPONSE,
    RDMA_OTHER, /* of no concern to upper layers, but part of the order */
};

/* Of a transport that goes by PSNs, and sends whole packets again; on iWARP all of it is rdma_no_psns. */
struct rdma_psns {
    int64_t copy_ns; /* Send: a copy that the capture lacks may have come so long before it; INT64_MAX: none */
    int64_t skew_ns; /* captured less than this before it, a message of the other side may have been sent after it */
    unsigned reads_open; /* Read: so many, itself included, were unanswered for certain; 0: not known */
    bool gaps_show_late; /* it does not say what its sender had received: PSNs, not acknowledgment numbers */
    bool reads_unseen;   /* Send: responses to Reads of its sender may be missing in the capture */
    bool asked_again;    /* Read Response: it may repeat one that the capture lacks, as its requester has asked again */
    bool others_held;    /* parts after it were captured earlier, and are still to come */
    bool resent;         /* its sender has sent something again just before: it may be a copy, too */
    uint32_t sends_missing; /* between this part and the one before it, at most */
};

static const struct rdma_psns rdma_no_psns = {.copy_ns = INT64_MAX};

/* A part of a message: a DDP Segment, a packet. */
struct rdma_part {
    enum rdma_kind kind;
    struct place place; /* place.offset: of the part in what its side sends */
    uint64_t end;       /* offset after it */
    enum direction direction;
    bool first_of_all;  /* nothing of this direction came before it */
    bool after_gap;     /* something before it is missing */
    bool in_message;    /* false: not a valid part of a message; the fields below mean nothing */
    bool faulty;        /* a lower layer made a finding at it: it is followed, but nothing is reported */
    bool set_up;        /* belongs to the start of the connection (the RTR of RFC 6581) */
    uint64_t message;   /* number within this direction */
    uint32_t number;    /* Send, on iWARP: among the Sends of its side, as it says itself (MSN) */
    uint32_t index;     /* part of the message, from 0 */
    bool first_known;   /* its first part was seen */
    bool last;          /* it is the message's last part */
    bool complete;      /* last, and nothing of the message is missing */
    uint64_t operation; /* that it belongs to; 0: not known */
    uint64_t offset;    /* Send: of the octets in the message */
    const uint8_t *p;   /* octets, valid during the event */
    size_t n;
    size_t lacking;    /* of these, at the end, not captured: they read as zero */
    bool memory_known; /* the three below are valid */
    uint32_t handle;   /* of the memory accessed; for a Read and its response, of its source */
    uint64_t address;  /* offset in RFC 8166: the memory accessed by this part */
    uint64_t length;   /* Read: octets asked for; else n */
    bool invalidates;  /* Send: */
    uint32_t invalidated;
    bool acked_known; /* how far its sender had received the other direction, exactly */
    uint64_t acked;
    uint64_t received; /* the same, as a lower bound */
    struct rdma_psns psns;
};

/* Private data of a side, at connection setup. */
struct rdma_private_data {
    struct place place;
    uint64_t end; /* offset after it */
    enum direction direction;
    const char *carrier; /* "MPA Request", "ConnectRequest" */
    const uint8_t *p;    /* NULL: not captured */
    size_t n;
    size_t of_transport; /* octets at the beginning that are not the upper layer's: IRD and ORD (RFC 6581) */
};

/* What is known of a connection as a whole. */
struct rdma_terms {
    int initiator_side; /* 0, 1, or -1 unknown */
    bool from_start;    /* the start of both directions was captured */
    /* RDMA Reads that each side may have outstanding, as agreed at the start; 0: none, or not known. */
    unsigned reads_max[2];
};

enum rdma_refusal_cause {
    RDMA_REFUSED_MEMORY,       /* no such handle, out of its bounds, no right */
    RDMA_REFUSED_RECEIVE,      /* a Send without a suitable Receive */
    RDMA_REFUSED_NO_RECEIVE,   /* of these: there was none */
    RDMA_REFUSED_TOO_LONG,     /* of these: it was too short */
    RDMA_REFUSED_INVALIDATION, /* a handle that cannot be invalidated */
    RDMA_REFUSED_OTHER,
};

/* A packet that was sent again, of a transport that sends whole packets again, compared with the first one. */
struct rdma_copy {
    enum rdma_kind kind;
    struct place place; /* of the copy */
    enum direction direction;
    uint32_t first_frame;
    const char *difference; /* "expected ...; found ..."; NULL: there is none. Then: */
    bool taken;             /* the receiver had the first one before: what it has taken is known */
    uint32_t handle;        /* Read Response: of the memory */
};

/* A side ends the connection over something that the other one sent: a Terminate or NAK. */
struct rdma_refusal {
    struct place place;
    enum rdma_refusal_cause cause;
    const char *name; /* "a Terminate" */
    bool culprit_found;
    struct place culprit;
    bool blames_send;
    bool hasty; /* its receiver was not given the time that it had asked for */
};

/* What the transport knows of a side that closes. */
struct rdma_closing {
    bool forgotten; /* a reset of a host that knows nothing of the connection any more */
    bool bare;      /* a reset that acknowledges nothing, that one or another */
    bool silent;    /* it was spoken to after a long silence, and has said nothing since */
    bool resent;    /* either side had sent something again; the latest: */
    int64_t resent_ns;
    bool choked[2];  /* that side has closed its TCP window: the other one cannot send */
    bool missing[2]; /* that side had sent what is not captured */
    uint64_t acked;  /* how far it had acknowledged the other side; 0: not known */
};

static inline bool rdma_refuses_receive(enum rdma_refusal_cause cause)
{
    return cause == RDMA_REFUSED_RECEIVE || cause == RDMA_REFUSED_NO_RECEIVE || cause == RDMA_REFUSED_TOO_LONG;
}

#endif
