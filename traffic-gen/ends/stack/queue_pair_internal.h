/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared by the parts of the software's queue pair, which is DDP and RDMAP on an MPA connection: its life
 * (queue_pair_soft.c), sending, receiving and Terminates.
 */
#ifndef IWARP_TRAFFIC_ENDS_STACK_QUEUE_PAIR_INTERNAL_H
#define IWARP_TRAFFIC_ENDS_STACK_QUEUE_PAIR_INTERNAL_H

#include "traffic-gen/ends/stack/queue_pair.h"

#include <glib.h>

enum { QP_QUEUES = 4 };

/* Posted work, from qp_post() until its completion. */
struct qp_item {
    struct qp_work work; /* work.p is owned */
    bool rtr;            /* the RTR of peer-to-peer mode (RFC 6581), which has no completion */
    uint64_t done;       /* octets sent (SEND, WRITE) or placed (READ) */
    uint32_t identifier; /* atomics */
    bool completed;
    enum qp_status status;
    uint64_t original;
};

/* A request of the peer that waits for its answer; answers are sent in this order (RFC 7306 section 7). */
struct qp_request {
    uint8_t header[DDP_UNTAGGED_HEADER_LEN]; /* as received, for a Terminate */
    uint16_t ulpdu_length;
    bool atomic;
    struct rdmap_read_request read; /* the unanswered rest: advances as octets are sent (RFC 5040 section 4.8) */
    struct rdmap_atomic_request operation;
    uint64_t end; /* octets of the stream up to the end of the answer */
};

/* An Untagged queue for received messages. */
struct qp_queue {
    uint32_t msn;   /* expected */
    bool open;      /* a message has begun */
    uint8_t opcode; /* of the open message */
    uint32_t stag;
    uint32_t got;       /* octets placed */
    GByteArray *octets; /* of a message of several segments */
};

struct soft_qp {
    struct qp base; /* the first member */
    struct qp_options options;
    struct qp_events events;
    struct qp_spoil spoil;
    struct memory *memory;
    struct stream stream;
    struct mpa_end *mpa;
    bool ready;      /* full operation */
    uint8_t version; /* of DDP and RDMAP */
    unsigned ird, ord;
    /* Sending. */
    GQueue items;    /* struct qp_item, posted and not completed, in order */
    GList *next;     /* the first of items that is not completely sent */
    GQueue asked;    /* Reads and Atomics in flight, also in items */
    GQueue requests; /* struct qp_request, not yet answered */
    GQueue answered; /* struct qp_request, still outstanding: see queue_pair_receive.c */
    uint32_t send_msn[QP_QUEUES];
    uint32_t identifier;
    bool pumping;
    bool closing;    /* qp_close() was called, or the peer has closed */
    bool terminated; /* a Terminate was sent or received, or MPA failed: nothing more is sent */
    bool peer_closed;
    bool failed; /* an error occurred in either direction */
    /* Receiving. */
    struct qp_queue queues[QP_QUEUES];
    unsigned receives; /* free buffers for Sends */
};

/* NULL: the queue pair belongs to another provider. */
struct soft_qp *soft_qp_of(struct qp *qp);

/* ---- queue_pair_send.c ---- */

void soft_qp_pump(struct soft_qp *qp);
bool soft_qp_post(struct qp *base, const struct qp_work *work);
unsigned soft_qp_pending(const struct qp *base);

/* Completes all unfinished work with that status. */
void qp_flush(struct soft_qp *qp);
/* Reports the completions that are due. */
void qp_complete(struct soft_qp *qp);
void qp_item_free(struct qp_item *item);
/* Sends the RTR before everything else. */
void qp_send_rtr(struct soft_qp *qp, const struct mpa_end_terms *terms);

/* ---- queue_pair_receive.c ---- */

void qp_receive_ulpdu(struct soft_qp *qp, const uint8_t *p, size_t n, bool rtr);

/* ---- queue_pair_terminate.c ---- */

void soft_qp_terminate(struct qp *base, unsigned layer, unsigned etype, unsigned code);

/* A cause is layer, error type and code of RFC 5040 section 4.8 in one number, as in the Terminate's first word. */
#define QP_CAUSE(layer, etype, code) ((unsigned)((layer) << 12 | (etype) << 8 | (code)))

/* Sends the Terminate without copies of headers, and closes. */
void qp_fail(struct soft_qp *qp, unsigned cause);
/* The same with length and DDP header of the segment p[0..n). */
void qp_fail_about(struct soft_qp *qp, unsigned cause, const uint8_t *p, size_t n);
/* The same with those of a request, and the Read Request's header (R) if the request is one. */
void qp_fail_request(struct soft_qp *qp, unsigned cause, const struct qp_request *request);

/* Maps results of memory_access() to Remote Protection Errors. */
extern const unsigned qp_protection_causes[];

#endif
