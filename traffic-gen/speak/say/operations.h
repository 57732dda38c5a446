/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * RDMA operations of one conversation: requests wait in the order of queue 1 until they are answered, and Atomics work
 * on a memory. Each message is filled in correctly; any of its fields may then be changed before it is sent.
 */
#ifndef IWARP_TRAFFIC_SPEAK_SAY_OPERATIONS_H
#define IWARP_TRAFFIC_SPEAK_SAY_OPERATIONS_H

#include "traffic-gen/speak/say/conversation.h"
#include "wire/rdmap.h"
#include "wire/rdmap_terminate.h"

enum { MESSAGE_HEADER_MAX = RDMAP_TERMINATE_LEN_MAX + 16 };

struct operations;

struct operations *operations_new(void);
void operations_free(struct operations *operations);

/* One message, or one segment of it. */
struct message {
    enum rdmap_opcode opcode; /* the real kind; segment.opcode is the opcode in the header */
    struct ddp_segment segment;
    struct rdmap_read_request read;
    struct rdmap_atomic_request atomic;
    struct rdmap_atomic_response response;
    struct rdmap_terminate terminate;
    uint64_t immediate;
    size_t length;          /* octets of ULP payload after the RDMAP header */
    const uint8_t *payload; /* NULL: a pattern */
    bool has_value;         /* the payload begins with this number */
    uint64_t value;         /* big-endian */
    bool continues;         /* a further segment of role's open message */
    bool fresh;             /* begins a new message although one is open */
    unsigned answers;       /* index of the waiting request, for responses */
    uint16_t limit;         /* cut at ULPDUs of this length; 0: at the MULPDU */
    bool keeps_memory;      /* an Atomic that has no effect */
    bool plain;             /* message_init() fills it in as for plain conversations */
    uint32_t last_msn;      /* last MSN of this queue, when segment.msn was filled in */
};

/*
 * Fills in the conversation's next message with this opcode. In a plain conversation all Writes go to one place, all
 * Reads from one place to another, and the pattern of the payload depends on the place of the segment.
 */
void message_init(struct conversation *c, enum role role, enum rdmap_opcode opcode, struct message *message);
/* Notes a segment of n octets as sent, for a later Terminate of the peer about it. */
void segment_keep(struct conversation *c, enum role role, const uint8_t *ulpdu, uint16_t n);
/* Makes a Terminate (layer << 12 | etype << 8 | code) about the peer's segment `back` segments ago (0: the latest). */
void message_blame(struct conversation *c, enum role role, unsigned terminate, unsigned back, struct message *message);

/* Makes a plain message with n octets of payload, or a Read Request for n octets. */
void say_plain(struct conversation *c, enum role role, enum rdmap_opcode opcode, uint32_t n);

/* Writes the ULPDUs of the message, cut at the MULPDU, and updates the conversation. */
void say_message(struct conversation *c, enum role role, const struct message *message);
/* Updates the conversation after the message was sent with this many octets. */
void message_said(struct conversation *c, enum role role, const struct message *message, size_t octets);
/* The same as one FPDU; `change` may alter the ULPDU (it has room for ULPDU_ROOM octets) and its length. */
void say_message_changed(struct conversation *c, enum role role, const struct message *message,
                         void (*change)(void *context, uint8_t *ulpdu, uint16_t *n), void *context);

#endif
