/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two RPC-over-RDMA ends connected in memory; each answers the other's samples. */
#ifndef IWARP_TESTS_UNIT_SUPPORT_RPC_ENDS_H
#define IWARP_TESTS_UNIT_SUPPORT_RPC_ENDS_H

#include "tests/unit/support/support.h"
#include "traffic-gen/ends/stack/pair.h"
#include "traffic-gen/ends/stack/rpc_end.h"
#include "traffic-gen/ends/stack/rpc_sample.h"

enum { CLIENT, SERVER, CALLS_MAX = 64, STEPS = 1000000 };

struct rpc_ends_call {
    struct rpc_sample sample;
    struct rpc_end_message message;
    unsigned called, replied; /* how often */
    enum rpc_end_result result;
    struct rpc_end_message reply; /* as received; p is a copy */
    uint64_t id;                  /* at the responder, to be answered later */
};

struct rpc_ends;

struct rpc_ends_side {
    struct rpc_ends *ends;
    unsigned number;
    struct rpc_end *end;
    struct rpc_ends_call calls[CALLS_MAX]; /* made by this side; XID: number + 1 */
    unsigned n_calls, in_service, most_in_service, terminates;
    bool later; /* does not answer by itself */
    bool ended;
};

struct rpc_ends {
    struct pair *pair;
    struct rpc_ends_side side[2];
};

void ends_answer(struct rpc_ends_side *side, struct rpc_ends_call *call);
void ends_receive(void *end, const uint8_t *p, size_t n);
void ends_receive_fin(void *end);
void ends_receive_reset(void *end);
void ends_tick(void *end);
struct rpc_end_options ends_options(uint32_t size, uint32_t credits);
void ends_open(struct rpc_ends *ends, const struct rpc_end_options *client, const struct rpc_end_options *server);
void ends_run(struct rpc_ends *ends);

/* Makes a Call; the number is its index. */
struct rpc_ends_call *ends_call(struct rpc_ends *ends, unsigned number, const struct rpc_sample *sample,
                                const struct rpc_end_how *how);

/* The Reply equals the one that the responder sent. */
void ends_assert_replied(const struct rpc_ends_call *call);
void ends_close(struct rpc_ends *ends);

#endif
