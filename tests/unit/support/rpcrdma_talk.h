/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clang-format off */
/*
 * A conversation fed to the RPC-over-RDMA layer and the NFS binding as RDMAP would: one call per Send, RDMA Write, Read
 * Request or Read Response. Unless a test says otherwise, a sender has received all that the other side sent before.
 * Findings are recorded, except those of reactions unless asked for: the other side mostly goes on as if nothing had
 * happened.
 *
 *   struct rpcrdma_talk *t = talk_new();               startup frames with 4096 and remote invalidation, one NULL answered
 *   struct rpcrdma_plan plan = talk_plan(t, C, 0x10);  version 1, t->credit[C], RDMA_MSG, no lists
 *   frame = talk_call_with(t, C, &plan, 100003, 3, 6, args, n_args);
 *   talk_write(t, S, stag, to, data, n);
 *   talk_reply_with(t, S, &plan, results, n_results);
 *   talk_expect(t, RULE_..., SEVERITY_ERROR, frame);   finishes and frees
 */
/* clang-format on */
#ifndef IWARP_TESTS_UNIT_SUPPORT_RPCRDMA_TALK_H
#define IWARP_TESTS_UNIT_SUPPORT_RPCRDMA_TALK_H

#include "engine/nfs/nfs.h"
#include "engine/rdma/rdma_rdmap.h"
#include "engine/rpcrdma/rpcrdma.h"
#include "tests/unit/support/findings.h"
#include "wire/rpc.h"
#include "wire/rpcrdma.h"
#include "wire/rpcrdma_private_data.h"

enum { C = 0, S = 1 }; /* the sides: client and server */

enum {
    TALK_SEND_MAX = 320 * 1024,
    TALK_READS_MAX = 64, /* Read Requests that are not answered, by side */
    TALK_NFS = 100003,
    TALK_GREETING_XID = 1,
};

/* An RDMA Read under way. */
struct rpcrdma_talk_read {
    struct rdmap_operation op;
    uint32_t got; /* octets answered */
    struct rdmap_segment_event part;
};

struct rpcrdma_talk {
    struct rpcrdma_connection *rpcrdma;
    struct nfs_connection *nfs;
    struct findings seen;
    struct rpcrdma_events watch; /* the test's own, called before the NFS binding */
    uint32_t frame;
    int64_t time_ns;
    uint64_t end[2];      /* stream offset after the last FPDU */
    uint64_t number[2];   /* FPDUs */
    uint64_t messages[2]; /* DDP messages */
    uint32_t msn[2];      /* next Send's */
    uint64_t operations;
    struct rpcrdma_talk_read reads[2][TALK_READS_MAX]; /* by requesting side, the oldest first */
    unsigned n_reads[2];
    uint32_t credit[2];  /* rdma_credit from talk_plan() */
    uint32_t segment;    /* most payload octets of a DDP Segment */
    bool acked_unknown;  /* no ACK numbers are known */
    uint64_t unreceived; /* octets of the other side that the sender has not received */
    bool resync;         /* the next FPDU comes after a hole */
    bool faulty;         /* the next segments have findings of lower layers */
    bool infiniband;     /* the next segments are RoCE's: no ACK numbers, but Acknowledges */
    unsigned reads_open; /* then: number in the next Read Request */
    int64_t copy_ns;     /* then: a copy of a Send may have come this long before; 0: there was none */
    bool forgotten, bare, silent, unacknowledged, missing[2]; /* arguments of talk_end() about the close */
    int64_t resent_ns;                                        /* 0: nothing was sent again */
    struct mpa_parameters parameters;
    uint8_t send[TALK_SEND_MAX], rpc[TALK_SEND_MAX];
};

/* ---- beginning ---- */

/* Nothing seen so far, no start-up frames: like a capture that begins in mid-stream. */
struct rpcrdma_talk *talk_new_bare(const struct rpcrdma_options *options);
void talk_midstream(struct rpcrdma_talk *t);

/* The same with a block of RFC 8797; sizes in octets. */
uint32_t talk_startup(struct rpcrdma_talk *t, unsigned side, bool remote_invalidation, uint32_t send_size,
                      uint32_t receive_size);

/* ---- segments ---- */

/*
 * A message in as many segments as t->segment requires, or a continuation: `part` says which message, which segment is
 * next and how many octets came before. Returns the frame of the last.
 */
uint32_t talk_part(struct rpcrdma_talk *t, unsigned side, struct ddp_segment ddp, struct rdmap_operation *op,
                   const uint8_t *p, size_t n, struct rdmap_segment_event *part);

/* ---- Sends ---- */

uint32_t talk_send_octets(struct rpcrdma_talk *t, unsigned side, const void *p, size_t n);
struct rpcrdma_plan talk_plan(const struct rpcrdma_talk *t, unsigned side, uint32_t xid);

/* Transport header and payload, built in t->send. Returns their length. */
size_t talk_put_message(struct rpcrdma_talk *t, const struct rpcrdma_plan *plan, const void *payload, size_t n);
uint32_t talk_message(struct rpcrdma_talk *t, unsigned side, const struct rpcrdma_plan *plan, const void *payload,
                      size_t n);

/* Send with Invalidate. */
uint32_t talk_message_invalidate(struct rpcrdma_talk *t, unsigned side, uint32_t stag, const struct rpcrdma_plan *plan,
                                 const void *payload, size_t n);

/* ---- RPC messages, put together in out ---- */

/* Words in host order to XDR. Returns the octets. */
size_t talk_words(uint8_t *out, size_t size, const uint32_t *words, size_t n);
/* A Call with AUTH_NONE and these arguments. Returns its octets. */
size_t talk_rpc_call(uint8_t *out, size_t size, uint32_t xid, uint32_t prog, uint32_t vers, uint32_t proc,
                     const void *args, size_t n);

/* An accepted Reply. */
size_t talk_rpc_reply(uint8_t *out, size_t size, uint32_t xid, uint32_t accept_stat, const void *results, size_t n);

/* ---- Calls and Replies ---- */

/* RPC message inline, unless plan says RDMA_NOMSG: then only the header. */
uint32_t talk_call_with(struct rpcrdma_talk *t, unsigned side, const struct rpcrdma_plan *plan, uint32_t prog,
                        uint32_t vers, uint32_t proc, const void *args, size_t n);
uint32_t talk_reply_with(struct rpcrdma_talk *t, unsigned side, const struct rpcrdma_plan *plan, const void *results,
                         size_t n);

/* NULL of NFS version 3 */
uint32_t talk_call(struct rpcrdma_talk *t, unsigned side, uint32_t xid);
uint32_t talk_reply(struct rpcrdma_talk *t, unsigned side, uint32_t xid);

/* ---- RDMA ---- */

/* p NULL: zeros. */
uint32_t talk_write(struct rpcrdma_talk *t, unsigned side, uint32_t stag, uint64_t to, const void *p, size_t n);

/* Sink: STag 0x51000000, TO 0. */
uint32_t talk_read_request(struct rpcrdma_talk *t, unsigned side, uint32_t stag, uint64_t to, uint32_t size);

/* Answers the other side's oldest open Read Request with n octets, the rest comes later; p NULL: zeros. */
uint32_t talk_read_response(struct rpcrdma_talk *t, unsigned side, const void *p, size_t n);

/* ---- Terminates, time, ends ---- */

/* The capture lacks these octets with this many Sends; talk_hole(): 1000 and one. */
void talk_lose(struct rpcrdma_talk *t, unsigned side, uint64_t octets, unsigned sends);
void talk_hole(struct rpcrdma_talk *t, unsigned side);
void talk_wait(struct rpcrdma_talk *t, int64_t nanoseconds);
void talk_end(struct rpcrdma_talk *t, unsigned side, bool reset);
void talk_finish(struct rpcrdma_talk *t);
void talk_close(struct rpcrdma_talk *t, unsigned first);
void talk_free(struct rpcrdma_talk *t);

/* A NULL Call and its Reply: after it, t->credit[S] Calls may be outstanding. */
void talk_greet(struct rpcrdma_talk *t);
struct rpcrdma_talk *talk_new_with(const struct rpcrdma_options *options);
struct rpcrdma_talk *talk_new(void);

/* ---- the outcome ---- */

/* After the end: exactly this finding, or none. Both free t. */
void talk_expect(struct rpcrdma_talk *t, enum rule_id rule, enum rule_severity severity, uint32_t frame);
void talk_expect_nothing(struct rpcrdma_talk *t);

#endif
