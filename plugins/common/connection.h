/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One connection of iWARP, InfiniBand or RoCE. On the first pass it has one stack of the engine, as in iwarp-check;
 * each layer records the events of that stack which it draws, and the findings of its rules. Memory is of file scope.
 */
#ifndef IWARP_PLUGINS_COMMON_CONNECTION_H
#define IWARP_PLUGINS_COMMON_CONNECTION_H

#include "plugins/common/compat.h"

#include "engine/stack/stack.h"

struct connection {
    uint32_t number;         /* iWARP: counts MPA connections of the file from 0; else the id of struct ib_connection */
    uint32_t tcp_stream;     /* iWARP: as Wireshark numbers them */
    int64_t start_ns;        /* time of the first packet */
    struct endpoint host[2]; /* addresses of the sides */
    struct stack *stack;     /* first pass only; NULL once the connection is over, or Wireshark has closed the file */
    struct verdict verdict;
    /* Records of the layers; NULL: none. */
    struct rdmap_flow *rdmap;
    struct rpcrdma_flow *rpcrdma;
    wmem_map_t *named; /* Sends of upper layers that are only named (plugins/ulp/) */
};

/*
 * Options of all layers, which judge by the RFCs. rpcrdma: what RPC-over-RDMA is given; NULL: it is switched off, so
 * other upper layers alone are recognised. payload_only: see engine/mpa/mpa.h.
 */
void connection_options(struct stack_options *options, const struct ulp_own *rpcrdma, bool payload_only);
/*
 * Creates the stack. This function sets verdict and ctx in `setup`: findings and taps have the connection as their ctx.
 * False: out of memory.
 */
bool connection_begin(struct connection *connection, const struct stack_setup *setup,
                      void (*on_finding)(void *connection, const struct finding *finding));
/* Memory of the stack, in octets. */
size_t connection_octets(const struct connection *connection);
/* The stack is finished: frees state for the first pass only. */
void connection_over(struct connection *connection);

#endif
