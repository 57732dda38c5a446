/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A queue pair: work is posted and completed; messages are received into buffers; the peer's Writes, Reads and Atomics
 * are served from registered memory.
 *
 * The stream of qp_new() chooses the provider (stream->provider; NULL: the software's). The software's queue pair
 * speaks DDP and RDMAP (RFC 5041, 5040, 7306) on one end of an MPA connection; it answers the peer's errors with the
 * Terminate that the standards require (RFC 5040 section 4.8, RFC 5041 section 7) and tears the stream down. Other
 * queue pairs belong to an RDMA device (traffic-gen/live/verbs/verbs.h): layers below RDMA operations cannot be seen or
 * changed there.
 */
#ifndef IWARP_TRAFFIC_ENDS_STACK_QUEUE_PAIR_H
#define IWARP_TRAFFIC_ENDS_STACK_QUEUE_PAIR_H

#include "traffic-gen/ends/stack/memory.h"
#include "traffic-gen/ends/stack/mpa_end.h"
#include "wire/rdmap.h"
#include "wire/rdmap_terminate.h"

enum qp_kind { QP_SEND, QP_WRITE, QP_READ, QP_FETCH_ADD, QP_CMP_SWAP, QP_IMMEDIATE };

/* One piece of work. Octets of Sends and Writes are copied on posting, unless they are lent. */
struct qp_work {
    enum qp_kind kind;
    uint64_t cookie;      /* chosen by the caller, returned with the completion */
    const uint8_t *p;     /* SEND, WRITE: n octets */
    bool lent;            /* the octets stay unchanged until the completion */
    size_t n;             /* READ: octets asked for */
    bool solicited;       /* SEND, IMMEDIATE */
    bool invalidate;      /* SEND: with Invalidate of remote_stag */
    uint32_t remote_stag; /* WRITE, READ, Atomics: the peer's memory */
    uint64_t remote_to;
    uint32_t sink_stag; /* READ: a region of this side */
    uint64_t sink_to;
    uint64_t add_swap, add_swap_mask, compare, compare_mask; /* Atomics; compare only for CMP_SWAP */
    uint64_t immediate;
};

/* The software's queue pair uses only QP_OK and QP_FLUSHED. After any other status the connection is over. */
enum qp_status {
    QP_OK,
    QP_FLUSHED,        /* the connection ended before the work was done, or does not support this kind */
    QP_REMOTE_ACCESS,  /* the peer refused the access: STag, bounds or rights */
    QP_REMOTE_INVALID, /* the peer refused the request, such as a message that is longer than its Receive buffer */
    QP_REMOTE_ERROR,   /* the peer could not do the work */
    QP_NO_RECEIVE,     /* the peer had no Receive buffer at any attempt */
    QP_NO_ANSWER,      /* no attempt was acknowledged */
    QP_LOCAL_ACCESS,   /* the peer accessed memory of this side without rights */
    QP_LOCAL_LENGTH,   /* the peer sent a message longer than the Receive buffer here */
    QP_LOCAL_ERROR,
};

/* For example "the peer refused access to its memory". */
const char *qp_status_text(enum qp_status status);

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
    unsigned ird, ord;   /* used when nothing is negotiated */
    bool keep_open;      /* does not close when the peer does: only qp_close() closes */
};

struct qp_events {
    void *ctx;
    /* Responder with mpa.manual; see traffic-gen/ends/stack/mpa_end.h. */
    void (*requested)(void *ctx, const struct mpa_end_terms *terms);
    void (*established)(void *ctx, const struct mpa_end_terms *terms);
    void (*received)(void *ctx, const struct qp_message *message);
    /* In the order of posting. */
    void (*completed)(void *ctx, uint64_t cookie, enum qp_status status, uint64_t original /* for Atomics */);
    /* A Terminate was sent (ours) or received; comes before the stream ends. */
    void (*terminated)(void *ctx, bool ours, const struct rdmap_terminate *terminate);
    /* MPA found an error, whether or not a Terminate could report it. */
    void (*failed)(void *ctx, enum mpa_end_error error);
    /*
     * A device reported an error, which ends the connection: of work (before its completion), of a Receive, or of an
     * access by the peer. why: a sentence for the user. At most once, and only for queue pairs of a device.
     */
    void (*broken)(void *ctx, enum qp_status status, const char *why);
    /* Nothing will be received any more. orderly: the peer closed, with no error in either direction before it. */
    void (*ended)(void *ctx, bool orderly);
};

struct qp;

/* Functions of a provider; each does the work of the function of the same name below. */
struct qp_provider {
    struct qp *(*make)(const struct qp_options *options, struct memory *memory, const struct stream *stream,
                       const struct qp_events *events);
    void (*free)(struct qp *qp);
    void (*start)(struct qp *qp);
    void (*tick)(struct qp *qp);
    bool (*post)(struct qp *qp, const struct qp_work *work);
    void (*repost)(struct qp *qp, unsigned receives);
    unsigned (*pending)(const struct qp *qp);
    void (*close)(struct qp *qp, bool reset);
    void (*terminate)(struct qp *qp, unsigned layer, unsigned etype, unsigned code);
    bool (*closed)(const struct qp *qp);
    const struct mpa_end_terms *(*terms)(const struct qp *qp);
};

/* Each provider's queue pair is a structure that begins with this one. */
struct qp {
    const struct qp_provider *provider;
};

extern const struct qp_provider qp_software;

/* options and events are copied; memory and stream are borrowed. Events may be NULL. */
struct qp *qp_new(const struct qp_options *options, struct memory *memory, const struct stream *stream,
                  const struct qp_events *events);
/* Must not be called from an event. Unfinished work is dropped without an event. */
void qp_free(struct qp *qp);
void qp_start(struct qp *qp);
void qp_tick(struct qp *qp);

/*
 * False once the connection is over or closing, or when the work is impossible: a Read into memory that is not this
 * side's, more than 4 GiB. Work is done in the order of posting; Reads and Atomics wait for the ORD. Work may be posted
 * before the start-up is over.
 */
bool qp_post(struct qp *qp, const struct qp_work *work);
void qp_repost(struct qp *qp, unsigned receives);
/* Number of posted items without completion. */
unsigned qp_pending(const struct qp *qp);
/* Sends FIN after the posted work is done. reset: RST at once. A device disconnects in the same two ways. */
void qp_close(struct qp *qp, bool reset);
/* A Terminate of the ULP (layer, type, code), then close. A device disconnects at once. */
void qp_terminate(struct qp *qp, unsigned layer, unsigned etype, unsigned code);
/* Nothing more will be sent. */
bool qp_closed(const struct qp *qp);
/*
 * The terms that both ends agreed on; NULL before. For a device: role, ird, ord and the peer's private data; the rest
 * has the defaults of MPA (revision 1, no Markers).
 */
const struct mpa_end_terms *qp_terms(const struct qp *qp);

/* ---- for the software's queue pair; for others qp_mpa() is NULL, and the rest does nothing ---- */

/* Input from the transport; see traffic-gen/ends/stack/mpa_end.h. */
void qp_receive(struct qp *qp, const uint8_t *p, size_t n);
void qp_receive_fin(struct qp *qp);
void qp_receive_reset(struct qp *qp);
/* Call when there is room again: queued work is sent. */
void qp_pump(struct qp *qp);
struct mpa_end *qp_mpa(struct qp *qp);

/*
 * Hooks for faults in how the peer's segments are judged. judge is called with each ULPDU p[0..n) before any check
 * (cause 0), and again with the error found: layer, error type and code as in the Terminate's first two octets. Its
 * result counts: 0 accepts the segment as if it were correct, QP_DROP drops it. terminate may change this end's
 * Terminate message; false suppresses it. atomic may change the word's new value and the original value that is
 * returned. traffic-gen/ends/stack/mpa_end.h has the hooks of MPA.
 */
enum { QP_DROP = 1 << 16 };

struct qp_spoil {
    void *ctx;
    unsigned (*judge)(void *ctx, unsigned cause, const uint8_t *p, size_t n);
    bool (*terminate)(void *ctx, struct rdmap_terminate *message);
    void (*atomic)(void *ctx, const struct rdmap_atomic_request *operation, uint64_t *left, uint64_t *original);
};
/* Copied; NULL removes the hooks. */
void qp_set_spoil(struct qp *qp, const struct qp_spoil *spoil);

/* For example "the peer sent a Terminate: layer 0, error type 2, code 0x06"; the caller frees it. */
char *qp_terminate_text(bool ours, const struct rdmap_terminate *terminate);

#endif
