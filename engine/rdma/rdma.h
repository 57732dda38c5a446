/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An upper layer's view of the transport below it, the same for all transports (RFC 8166 section 2.2.2): Sends,
 * accesses to ranges of memory, how far a sender had received the other direction, what a receiver refused, private
 * data, holes and ends. Sources are iWARP (engine/rdma/rdma_rdmap.h) and the reliable connections of InfiniBand and
 * RoCE (engine/rdma/rdma_ib.h). Sides are 0 and 1. An offset counts what one side sends: octets of its stream on iWARP,
 * PSNs of its requests on InfiniBand. Offsets give the order, and show how far the other side has received.
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
    RDMA_OTHER, /* irrelevant to upper layers, but part of the order */
};

/* For a transport that uses PSNs and retransmits whole packets; on iWARP, always rdma_no_psns. */
struct rdma_psns {
    int64_t copy_ns; /* Send: an uncaptured copy may have come this long before; INT64_MAX: there was none */
    /* Messages of the other side captured less than this before the part may have been sent after it. */
    int64_t skew_ns;
    unsigned reads_open; /* Read: number of Reads, including this one, that were certainly unanswered; 0: unknown */
    /* `received` comes from PSNs, not from acknowledgment numbers: it does not show what the sender had received. */
    bool gaps_show_late;
    bool reads_unseen; /* Send: responses to Reads of its sender may be missing */
    /* Read Response: may repeat an uncaptured response, because its requester has asked again, or was overtaken. */
    bool asked_again;
    bool others_held;       /* later parts were captured earlier, and are still to come */
    bool by_receiver;       /* its receiver recorded it: it had sent everything that was recorded earlier before */
    bool resent;            /* its sender has just retransmitted: this part may be a copy, too */
    uint32_t sends_missing; /* the largest possible number of Sends between the previous part and this one */
};

static const struct rdma_psns rdma_no_psns = {.copy_ns = INT64_MAX};

/* A part of a message: a DDP Segment, a packet. */
struct rdma_part {
    enum rdma_kind kind;
    struct place place; /* place.offset: the part's position in what its side sends */
    uint64_t end;       /* offset after it */
    enum direction direction;
    bool first_of_all;  /* nothing in this direction came before it */
    bool after_gap;     /* octets or packets before it are missing */
    bool in_message;    /* false: not a valid part of a message; the fields below are invalid */
    bool faulty;        /* a lower layer has a finding about it: upper layers process it, but report nothing */
    bool unseen;        /* RDMA: the octets are known, but their move was not seen, so nothing about it is judged */
    bool set_up;        /* belongs to the start of the connection (the RTR of RFC 6581) */
    uint64_t message;   /* number within this direction */
    uint32_t number;    /* Send, on iWARP: number among the Sends of its side, according to its MSN */
    uint32_t index;     /* part number within the message, from 0 */
    bool first_known;   /* its first part was seen */
    bool last;          /* the message's last part */
    bool complete;      /* last, and nothing of the message is missing */
    uint64_t operation; /* its operation; 0: unknown */
    uint64_t offset;    /* Send: offset of the octets in the message */
    const uint8_t *p;   /* octets, valid during the event */
    size_t n;
    size_t lacking;    /* number of octets at the end that were not captured, and read as zero */
    bool memory_known; /* the next three fields are valid */
    uint32_t handle;   /* of the memory accessed; for a Read and its response, of the source */
    uint64_t address;  /* RFC 8166's offset: the memory accessed by this part */
    uint64_t length;   /* Read: octets requested; else n */
    bool invalidates;  /* Send: with this handle: */
    uint32_t invalidated;
    bool acked_known; /* the exact position up to which its sender had received the other direction is known */
    uint64_t acked;
    uint64_t received; /* a lower bound of that position */
    struct rdma_psns psns;
};

/* Private data of a side, from connection setup. */
struct rdma_private_data {
    struct place place;
    uint64_t end; /* offset after it */
    enum direction direction;
    const char *carrier; /* "MPA Request", "ConnectRequest" */
    const uint8_t *p;    /* NULL: not captured, or only in part */
    size_t n;
    size_t of_transport; /* number of octets at the beginning that belong to the transport: IRD and ORD (RFC 6581) */
};

/* Properties of a connection as a whole. */
struct rdma_terms {
    int initiator_side;   /* 0, 1, or -1 when unknown */
    bool from_start;      /* the start of both directions was captured */
    bool refusals_unseen; /* a host may refuse what the other side did, and the capture cannot show that */
    /* RDMA Reads that each side may have outstanding, as agreed at the start; 0: none, or unknown. */
    unsigned reads_max[2];
};

enum rdma_refusal_cause {
    RDMA_REFUSED_MEMORY,       /* invalid handle, out of bounds, no access right */
    RDMA_REFUSED_RECEIVE,      /* a Send without a suitable Receive: reason unknown */
    RDMA_REFUSED_NO_RECEIVE,   /* likewise: there was none */
    RDMA_REFUSED_TOO_LONG,     /* likewise: the Receive was too short */
    RDMA_REFUSED_INVALIDATION, /* a handle that cannot be invalidated */
    RDMA_REFUSED_OTHER,
};

/* For a transport that retransmits whole packets: a retransmitted packet, compared with the first copy. */
struct rdma_copy {
    enum rdma_kind kind;
    struct place place; /* of the copy */
    enum direction direction;
    uint32_t first_frame;
    const char *difference; /* "expected ...; found ..."; NULL: none */
    bool taken;             /* with difference: the receiver already had the first packet, so its contents are known */
    uint32_t handle;        /* with difference, Read Response: handle of the memory */
};

/* A side ends the connection because of something that the other side sent: a Terminate or NAK. */
struct rdma_refusal {
    struct place place;
    enum rdma_refusal_cause cause;
    const char *name; /* "a Terminate" */
    bool culprit_found;
    struct place culprit;
    bool blames_send;
    bool hasty; /* the sender did not give the receiver the time that it had asked for */
};

/* What the transport knows about a side that closes. */
struct rdma_closing {
    bool forgotten; /* a reset from a host that no longer knows the connection */
    bool bare;      /* a reset without acknowledgment, forgotten or not */
    bool silent;    /* it has sent nothing since the other side sent something after a long silence */
    bool resent;    /* either side had retransmitted; resent_ns: the latest */
    int64_t resent_ns;
    bool choked[2];  /* this side has closed its TCP window, so the other side cannot send */
    bool missing[2]; /* this side had sent uncaptured octets */
    uint64_t acked;  /* how far it had acknowledged the other side; 0: unknown */
};

static inline bool rdma_refuses_receive(enum rdma_refusal_cause cause)
{
    return cause == RDMA_REFUSED_RECEIVE || cause == RDMA_REFUSED_NO_RECEIVE || cause == RDMA_REFUSED_TOO_LONG;
}

/* A retransmission equals the first transmission (InfiniBand Architecture Specification volume 1, section 9.7). */
void rdma_judge_copy(struct verdict *verdict, const struct rdma_copy *copy);

#endif
