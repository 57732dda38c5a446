/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Mutants: devices that answer one stimulus wrongly, to test the suites. One row per case; the stack itself conforms,
 * its hooks (mpa_end_spoil, qp_spoil) and options do everything wrong.
 */
#ifndef IWARP_TRAFFIC_MUTANTS_MISBEHAVE_H
#define IWARP_TRAFFIC_MUTANTS_MISBEHAVE_H

#include "traffic-gen/ends/rpc_end.h"
#include "traffic-gen/suite/talk/suite.h"

#include <glib.h>

struct mutant;

/* The hooks of one row; ctx of each is the struct mutant of the connection. NULL: conforming. */
struct misbehaviour {
    const char *id;   /* of the case that must fail */
    unsigned roles;   /* set of enum suite_dut: what the mutant can be */
    const char *what; /* "does not check the CRC" */
    void (*options)(struct qp_options *options);
    struct mpa_end_spoil mpa;
    struct qp_spoil qp;
    /* Of devices that speak RPC-over-RDMA. */
    void (*rpc_options)(struct rpc_end_options *options);
    struct rpc_end_spoil rpc;
    bool (*is)(const struct rpc_end_incoming *in); /* with rpc.decide = mutant_decide: what it answers wrongly, */
    enum rpc_end_answer answer;                    /* and how */
    unsigned ignored_flags;                        /* of the suite's wishes (support/advert.h) */
    int variant;                                   /* for hooks that several rows share */
};

/* How a row begins: what the mutant can be, the case that must fail, what the mutant does. */
#define RESPONDER(row, text) .id = (row), .roles = DUT_RESPONDER, .what = (text)
#define INITIATOR(row, text) .id = (row), .roles = DUT_INITIATOR, .what = (text)
#define BOTH(row, text)      .id = (row), .roles = DUT_ANY, .what = (text)
/* The whole row of a mutant that reacts wrongly to what a predicate finds. */
#define ANSWERS(begun, finds, reaction)                                                                                \
    {                                                                                                                  \
        begun, .rpc.decide = mutant_decide, .is = finds, .answer = reaction                                            \
    }

/* One connection of a mutant. */
struct mutant {
    const struct misbehaviour *how;
    struct qp *qp;
    unsigned seen; /* for the hooks, like the rest */
    int64_t since;
    uint8_t octets[2048];
};

/* Rows of each suite, ended by one without an id. */
extern const struct misbehaviour misbehave_mpa[], misbehave_mpa_startup[], misbehave_mpa_frames[], misbehave_mpa2[],
    misbehave_ddp[], misbehave_rdmap[], misbehave_rdmapx[], misbehave_rpcrdma[], misbehave_rpcrdma_chunks[],
    misbehave_rpcrdma_sizes[], misbehave_rpcrdma_client[], misbehave_nfs[], misbehave_pairs[];

/* For rpc.decide: the row's answer to what its predicate finds, the due answer to the rest. */
enum rpc_end_answer mutant_decide(void *ctx, const struct rpc_end_incoming *in, enum rpc_end_answer due);

/* The DDP header of a Tagged message in one segment, for octets that a mutant writes by itself. */
void mutant_tagged_header(enum rdmap_opcode opcode, uint32_t stag, uint64_t to, uint8_t header[DDP_TAGGED_HEADER_LEN]);

/* By case id and role; NULL when there is none. */
const struct misbehaviour *misbehave_find(const char *id, enum suite_dut role);
const struct misbehaviour *misbehave_at(unsigned index);

/* Before qp_new() and after it. how NULL: nothing. The mutant lives as long as the queue pair. */
void mutant_prepare(const struct misbehaviour *how, struct qp_options *options);
void mutant_attach(struct mutant *mutant, const struct misbehaviour *how, struct qp *qp);
/* The same around rpc_end_new(). */
void mutant_prepare_rpc(const struct misbehaviour *how, struct rpc_end_options *options);
void mutant_attach_rpc(struct mutant *mutant, const struct misbehaviour *how, struct rpc_end *end);

#endif
