/* SPDX-License-Identifier: GPL-2.0-or-later */
/* RPC-over-RDMA on a reliable connection of RoCE, with hand-made packets. Client 0, server 1. */
#ifndef IWARP_TESTS_UNIT_SUPPORT_RC_BENCH_H
#define IWARP_TESTS_UNIT_SUPPORT_RC_BENCH_H

#include "engine/stack/rpcrdma_ulp.h"
#include "engine/stack/stack_ib.h"
#include "tests/unit/support/rpcrdma_talk.h"
#include "tests/unit/support/support.h"

enum {
    RC_CLIENT_QP = 0x11,
    RC_SERVER_QP = 0x22,
    RC_MTU = 256,
    RC_HANDLE = 0x77,
    RC_OCTETS = 600 /* of what is read */
};

struct rc_bench {
    struct ib_connections *connections;
    struct stack_options options;
    struct stack_ib ib;
    unsigned ends[2]; /* by side: how often its request for the end was found */
    bool missing[2];  /* by side: octets may be missing before the latest end */
    struct verdict verdict;
    struct rule_counts counts;
    uint32_t frame, psn[2], credit;
    int64_t now_ns, step_ns;
    unsigned calls, replies, payloads, findings;
    uint64_t unreduced; /* of the last Reply */
    size_t captured;    /* of each payload, at most; 0: all */
    enum rule_id rule;
    enum rule_severity severity;
    uint8_t rpc[8192], send[8192];
};

/* Both sides announce 4096 octets; whether each supports Remote Invalidation. */
void rc_bench_open(struct rc_bench *b, bool client_invalidates, bool server_invalidates);
void rc_bench_close(struct rc_bench *b);
const struct rpcrdma_connection *rc_bench_rpcrdma(const struct rc_bench *b);

/* A packet of that side. */
void rc_bench_arrive(struct rc_bench *b, unsigned side, const struct ib_packet *packet);
/* A datagram of the communication manager. */
void rc_bench_manage(struct rc_bench *b, unsigned side, struct ib_cm cm);
void rc_bench_acknowledge(struct rc_bench *b, unsigned side, uint32_t psn);
/* A message in packets of the path MTU. opcodes: First, Middle, Last, Only. */
void rc_bench_send_as(struct rc_bench *b, unsigned side, const uint8_t opcodes[4], const uint8_t *p, size_t n,
                      uint64_t address, uint32_t invalidate);
/* A Transport header, and the first n octets of b->rpc. invalidate 0: a plain Send. */
void rc_bench_send(struct rc_bench *b, unsigned side, const struct rpcrdma_plan *plan, size_t n, uint32_t invalidate);
/* RDMA_MSG with XID 9. */
extern const struct rpcrdma_plan rc_bench_plan;
void rc_bench_null_call(struct rc_bench *b, uint32_t xid);
void rc_bench_null_reply(struct rc_bench *b, uint32_t xid);

/* READ of RC_OCTETS into a Write chunk, XID 9: Call, Writes in three packets, Reply; or all of them. */
void rc_bench_read_call(struct rc_bench *b);
void rc_bench_read_data(struct rc_bench *b);
void rc_bench_read_reply(struct rc_bench *b, uint32_t invalidate);
void rc_bench_read(struct rc_bench *b, uint32_t invalidate);

#endif
