/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * RDMA operations of one conversation: requests wait in the order of queue 1 until they are answered, and Atomics work
 * on a memory. Each message is filled in as it is right and may then be changed in any field before it is sent.
 */
#ifndef IWARP_TRAFFIC_SAY_OPERATIONS_H
#define IWARP_TRAFFIC_SAY_OPERATIONS_H

#include "traffic-gen/say/conversation.h"
#include "wire/rdmap.h"
#include "wire/rdmap_terminate.h"

enum { MESSAGE_HEADER_MAX = RDMAP_TERMINATE_LEN_MAX + 16 };

struct operations;

struct operations *operations_new(void);
void operations_free(struct operations *operations);

/* One message, or one segment of it. */
struct message {
    enum rdmap_opcode opcode; /* what it is; segment.opcode is what it says that it is */
    struct ddp_segment segment;
    struct rdmap_read_request read;
    struct rdmap_atomic_request atomic;
    struct rdmap_atomic_response response;
    struct rdmap_terminate terminate;
    uint64_t immediate;
    size_t length;          /* octets of ULP payload after the RDMAP header */
    const uint8_t *payload; /* they; NULL: a pattern */
    bool has_value;         /* the payload begins with this number */
    uint64_t value;         /* big-endian */
    bool continues;         /* a further segment of the message that role left open */
    bool fresh;             /* not a further one, although a message is open */
    unsigned answers;       /* which of the waiting requests, for responses */
    uint16_t limit;         /* cut at ULPDUs of this length; 0: at the MULPDU */
    bool keeps_memory;      /* an Atomic that has no effect */
    bool plain;             /* filled in as message_init() does where the conversation is plain */
    uint32_t last_msn;      /* of this queue before it, as segment.msn was filled in */
};

/*
 * Fills in what comes next in the conversation for this opcode. Where the conversation is plain, all Writes go to one
 * place, all Reads from one place to another, and the pattern of the payload depends on the place of the segment.
 */
void message_init(struct conversation *c, enum role role, enum rdmap_opcode opcode, struct message *message);
/* A segment as it was sent, n octets being its length: what a Terminate of the peer is about. */
void segment_keep(struct conversation *c, enum role role, const uint8_t *ulpdu, uint16_t n);
/* Makes a Terminate (layer << 12 | etype << 8 | code) about the peer's segment `back` segments ago (0: the latest). */
void message_blame(struct conversation *c, enum role role, unsigned terminate, unsigned back, struct message *message);

/* A plain one with n octets of payload, or a Read Request for so many. */
void say_plain(struct conversation *c, enum role role, enum rdmap_opcode opcode, uint32_t n);

/* Writes ULPDUs of it, cut at the MULPDU, and brings the conversation up to date. */
void say_message(struct conversation *c, enum role role, const struct message *message);
/* It was sent with so many octets: takes over what it means for those to come. */
void message_said(struct conversation *c, enum role role, const struct message *message, size_t octets);
/* The same as one FPDU; `change` may alter the ULPDU, which has room for ULPDU_ROOM octets, and its length. */
void say_message_changed(struct conversation *c, enum role role, const struct message *message,
                         void (*change)(void *context, uint8_t *ulpdu, uint16_t *n), void *context);

#endif
