/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A queue pair: DDP and RDMAP (RFC 5041, 5040, 7306) on one end of an MPA connection. Work is posted and completed;
 * Read and Atomic Requests of the peer are served from registered memory; the peer's errors are answered with the
 * Terminate that the standards demand (RFC 5040 section 4.8, RFC 5041 section 7), and the stream is torn down.
 */
#ifndef IWARP_TRAFFIC_STACK_QUEUE_PAIR_H
#define IWARP_TRAFFIC_STACK_QUEUE_PAIR_H

#include "traffic-gen/stack/memory.h"
#include "traffic-gen/stack/mpa_end.h"
#include "wire/rdmap.h"
#include "wire/rdmap_terminate.h"

enum qp_kind { QP_SEND, QP_WRITE, QP_READ, QP_FETCH_ADD, QP_CMP_SWAP, QP_IMMEDIATE };

/* One piece of work. Octets of Sends and Writes are copied when it is posted, unless they are lent. */
struct qp_work {
    enum qp_kind kind;
    uint64_t cookie;      /* the poster's, for the completion */
    const uint8_t *p;     /* SEND, WRITE: n octets */
    bool lent;            /* they stay unchanged until the completion */
    size_t n;             /* READ: octets asked for */
    bool solicited;       /* SEND, IMMEDIATE */
    bool invalidate;      /* SEND: with Invalidate of remote_stag */
    uint32_t remote_stag; /* WRITE, READ, atomics: whose memory */
    uint64_t remote_to;
    uint32_t sink_stag; /* READ: a region of this side */
    uint64_t sink_to;
    uint64_t add_swap, add_swap_mask, compare, compare_mask; /* atomics; compare of CMP_SWAP only */
    uint64_t immediate;
};

enum qp_status { QP_OK, QP_FLUSHED /* the connection ended before it was done, or does not support this kind */ };

/* An Untagged message for the ULP. */
struct qp_message {
    enum rdmap_opcode opcode; /* Send of any kind, Immediate Data of any kind */
    const uint8_t *p;         /* valid during the event */
    size_t n;
    bool invalidated;
    uint32_t invalidated_stag;
    uint64_t immediate;
};

struct qp_options {
    struct mpa_end_wish mpa;
    unsigned receives;   /* Receive buffers at the start; each message takes one */
    size_t receive_size; /* octets of each */
    bool repost;         /* the queue pair reposts them by itself */
    unsigned ird, ord;   /* when nothing is negotiated */
    bool keep_open;      /* does not close when the peer does: only qp_close() does */
};

struct qp_events {
    void *ctx;
    /* Responder with mpa.manual; see stack/mpa_end.h. */
    void (*requested)(void *ctx, const struct mpa_end_terms *terms);
    void (*established)(void *ctx, const struct mpa_end_terms *terms);
    void (*received)(void *ctx, const struct qp_message *message);
    /* In the order of posting. */
    void (*completed)(void *ctx, uint64_t cookie, enum qp_status status, uint64_t original /* atomics */);
    /* Sent (ours) or received; before the stream ends. */
    void (*terminated)(void *ctx, bool ours, const struct rdmap_terminate *terminate);
    /* MPA found an error, whether or not a Terminate could report it. */
    void (*failed)(void *ctx, enum mpa_end_error error);
    /* Nothing will be received any more. orderly: a FIN, with no error in either direction before it. */
    void (*ended)(void *ctx, bool orderly);
};

struct qp;

/* options and events are copied; memory and stream are borrowed. Events that are NULL are left out. */
struct qp *qp_new(const struct qp_options *options, struct memory *memory, const struct stream *stream,
                  const struct qp_events *events);
/* Not from within an event. Work not done is forgotten without an event. */
void qp_free(struct qp *qp);
void qp_start(struct qp *qp);

/* Input from the transport; see stack/mpa_end.h. */
void qp_receive(struct qp *qp, const uint8_t *p, size_t n);
void qp_receive_fin(struct qp *qp);
void qp_receive_reset(struct qp *qp);
void qp_tick(struct qp *qp);
/* There is room again: queued work is sent. */
void qp_pump(struct qp *qp);

/*
 * False once the connection is over or closing, or when the work is impossible: a Read into memory that is not this
 * side's, more than 4 GiB. Work is done in the order of posting; Reads and atomics wait for the ORD. May be posted
 * before the start-up is over.
 */
bool qp_post(struct qp *qp, const struct qp_work *work);
void qp_repost(struct qp *qp, unsigned receives);
/* Work posted and not completed. */
unsigned qp_pending(const struct qp *qp);
/* After what was posted is done: FIN. reset: RST at once. */
void qp_close(struct qp *qp, bool reset);
/* A Terminate of the ULP (layer, type, code), then close. */
void qp_terminate(struct qp *qp, unsigned layer, unsigned etype, unsigned code);
struct mpa_end *qp_mpa(struct qp *qp);

/*
 * Faults in how the peer's segments are judged. judge is called with each ULPDU p[0..n) before anything else (cause 0),
 * and again with the error found: layer, error type and code as the Terminate's first two octets carry them. Its result
 * counts: 0 accepts the segment as if it were correct, QP_DROP drops it. terminate may change the message of a
 * Terminate of this end; false leaves the message out. Those of MPA are in stack/mpa_end.h.
 */
enum { QP_DROP = 1 << 16 };

struct qp_spoil {
    void *ctx;
    unsigned (*judge)(void *ctx, unsigned cause, const uint8_t *p, size_t n);
    bool (*terminate)(void *ctx, struct rdmap_terminate *message);
};
/* Copied; NULL ends it. */
void qp_set_spoil(struct qp *qp, const struct qp_spoil *spoil);

/* "the peer sent a Terminate: layer 0, error type 2, code 0x06"; the caller frees it. */
char *qp_terminate_text(bool ours, const struct rdmap_terminate *terminate);

#endif
