/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The DDP and RDMAP layers (RFC 5041, RFC 5040, RFC 7306) of one connection: takes the ULPDUs of the MPA layer, in the
 * stream order of each direction, and produces segments with their place in a message, messages, operations with their
 * answers, and verdicts. Hosted by iwarp-check, by the Wireshark plugin and by the active test suites.
 *
 * Sides are TCP sides (0, 1), as in engine/mpa/mpa.h.
 */
#ifndef IWARP_ENGINE_DDP_RDMAP_RDMAP_H
#define IWARP_ENGINE_DDP_RDMAP_RDMAP_H

#include "engine/core/arena.h"
#include "engine/mpa/mpa.h"
#include "engine/terminate/terminate_hosts.h"
#include "wire/rdmap.h"

struct rdmap_options {
    enum rule_profile profile;
    int64_t t_react, t_close, t_idle; /* nanoseconds; 0: the defaults of engine/mpa/mpa.h */
    unsigned operations_max;          /* operations in flight remembered per direction; 0: 65536 */
    unsigned stags_max;               /* STags remembered per direction; 0: 4096 */
    /* The host sees only segments with payload, so silence or a missing close proves nothing. See engine/mpa/mpa.h. */
    bool payload_only;
    /* Only this connection writes the memory that it accesses, so the values that Atomics return are proof. */
    bool exclusive;
};

struct rdmap_operation;

/* One DDP Segment and its place in its message. */
struct rdmap_segment_event {
    const struct mpa_fpdu_event *fpdu; /* its ddp member is valid */
    /* False: the segment is not a sound part of a message, and the members below are invalid. */
    bool in_message;
    uint64_t message;        /* number among the messages of this direction, from 0 */
    unsigned index;          /* segment number within the message, from 0 */
    uint64_t message_octets; /* payload octets of the message up to and including this segment */
    /* The message's first segment was seen (otherwise the message began before the capture or in a hole). */
    bool first_known;
    bool complete;                    /* this segment has L = 1 and no octet of the message is missing */
    uint64_t operation;               /* number of its operation, see below; 0 when unknown */
    const struct rdmap_operation *op; /* its operation, valid during the event; NULL when unknown */
    bool rtr;                         /* the RTR of RFC 6581, or a zero-length message in the RTR's place */
    bool faulty; /* MPA, DDP or RDMAP has a finding about the segment: upper layers process it, but report nothing */
    bool acked_known;
    uint64_t acked; /* how far its sender had received the other direction */
};

enum rdmap_operation_kind {
    RDMAP_OP_WRITE,
    RDMAP_OP_READ,
    RDMAP_OP_SEND,
    RDMAP_OP_TERMINATE,
    RDMAP_OP_IMMEDIATE,
    RDMAP_OP_ATOMIC
};

/*
 * An operation: a Write, Send, Immediate Data or Terminate is one message; a Read or Atomic is a request and its
 * answer. Numbered from 1 per connection, in order of appearance.
 */
struct rdmap_operation {
    uint64_t number;
    enum rdmap_operation_kind kind;
    uint8_t opcode;     /* of the (first) message */
    uint8_t side;       /* side that sent the (first) message */
    struct place place; /* last segment (of the request) */
    uint64_t octets;    /* octets moved so far */
    uint32_t segments;
    /* Send and Immediate Data */
    uint32_t msn;
    bool invalidates;
    uint32_t invalidate_stag;
    /* Write: destination; Read: the request */
    uint32_t stag;
    uint64_t to;
    struct rdmap_read_request read;     /* kind READ */
    struct rdmap_atomic_request atomic; /* kind ATOMIC */
    /* the answer of a Read or Atomic */
    bool answered; /* completely */
    struct place first_answer, last_answer;
    struct rdmap_atomic_response atomic_response;
    bool atomic_after_known; /* value that the operation leaves behind, computed from the answer */
    uint64_t atomic_after;
    /* Immediate Data: the last Write before it in the same direction, or 0 */
    uint64_t after_write;
};

/* A Terminate and the segment that it reports. */
struct rdmap_terminate_event {
    const struct rdmap_terminate *terminate; /* as intended, if the layout of its control word is wrong */
    const struct mpa_fpdu_event *fpdu;
    bool culprit_found;
    /*
     * The segment of the other direction whose DDP Header or RDMA Read Request Header is echoed: only its frame, offset
     * and side.
     */
    struct place culprit;
};

struct rdmap_events {
    void *ctx;
    void (*segment)(void *ctx, const struct rdmap_segment_event *event);
    /* An operation began, continued, or was answered: called after each segment of it. */
    void (*operation)(void *ctx, const struct rdmap_operation *operation, const struct place *place);
    void (*terminate)(void *ctx, const struct rdmap_terminate_event *event);
    /* Octets of this side's direction are lost or untrustworthy: messages may be missing. */
    void (*skipped)(void *ctx, unsigned side);
};

struct rdmap_connection;

/* Copies events and options; borrows verdict. NULL when out of memory. */
struct rdmap_connection *rdmap_connection_new(const struct rdmap_options *options, const struct rdmap_events *events,
                                              struct verdict *verdict, struct arena *arena);
void rdmap_connection_free(struct rdmap_connection *rdmap);
/* How the host of each side lays out Terminates; copied. */
void rdmap_connection_set_hosts(struct rdmap_connection *rdmap, const struct terminate_host host[2]);

/* The host passes on the events of mpa_events. */
void rdmap_connection_parameters(struct rdmap_connection *rdmap, enum mpa_phase phase,
                                 const struct mpa_parameters *parameters);
void rdmap_connection_fpdu(struct rdmap_connection *rdmap, const struct mpa_fpdu_event *event);
/* Octets of this side's stream are missing or were skipped: counters must be learned anew. */
void rdmap_connection_skipped(struct rdmap_connection *rdmap, unsigned side);
/* MPA has reported that this side did not close after its Terminate: messages sent instead are not a second finding. */
void rdmap_connection_unclosed(struct rdmap_connection *rdmap, unsigned side);
/* FIN (reset false) or RST of a side. */
void rdmap_connection_end(struct rdmap_connection *rdmap, unsigned side, bool reset, const struct place *place);
/*
 * How far the sender of `side` had received the other direction when it sent a segment without payload (for hosts that
 * see such segments), or the FPDU about to come when its event does not say so. Orders request and answer if the
 * capture's order is misleading.
 */
void rdmap_connection_acked(struct rdmap_connection *rdmap, unsigned side, bool known, uint64_t acked);
void rdmap_connection_finish(struct rdmap_connection *rdmap, int64_t time_ns);

/* Counts for the reports: messages by opcode and direction (index 0 to the Responder, 1 to the Initiator). */
struct rdmap_counts {
    uint64_t messages[16][2];
    uint64_t octets[16][2];
};
const struct rdmap_counts *rdmap_connection_counts(const struct rdmap_connection *rdmap);
/* Resets the counts to 0: for hosts that report in parts. */
void rdmap_connection_restart_counts(struct rdmap_connection *rdmap);

#endif
