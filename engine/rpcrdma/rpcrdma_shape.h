/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The shape of one RPC message, Call or Reply, as decoded by rpcrdma_payload.c: shared by rpcrdma_call_rules.c,
 * rpcrdma_position_rules.c, rpcrdma_provision_rules.c and rpcrdma_result_rules.c. An error in a payload usually makes
 * the rest look wrong, too: nothing else is then reported, unless the payload decodes as a whole nevertheless.
 */
#ifndef IWARP_ENGINE_RPCRDMA_RPCRDMA_SHAPE_H
#define IWARP_ENGINE_RPCRDMA_RPCRDMA_SHAPE_H

#include "engine/rpcrdma/rpcrdma_internal.h"

struct rpcrdma_shape {
    struct rpcrdma_connection *rpcrdma;
    struct rpcrdma_transaction *t;
    struct rpcrdma_message *message; /* NULL: a Call that was read from a Position-Zero Read chunk */
    const struct rpcrdma_body *body;
    bool reply;
    bool in_chunk;      /* the payload is a Position-Zero Read chunk or a Reply chunk */
    bool failed;        /* an error was found that makes the rest look wrong, too */
    bool decodes;       /* errors found from here on do not, because the payload decodes as a whole */
    struct place place; /* of the part that completed the payload */
    unsigned results;   /* eligible results that the Reply may have; valid with results_known */
    bool results_known;
};

void rpcrdma_shape_fail_as(struct rpcrdma_shape *shape, enum rule_id rule, enum rule_severity severity,
                           const char *format, ...) __attribute__((cold, format(printf, 4, 5)));
#define rpcrdma_shape_fail(shape, rule, ...)                                                                           \
    rpcrdma_shape_fail_as((shape), (rule), rule_catalogue[rule].severity, __VA_ARGS__)
void rpcrdma_shape_vfail(struct rpcrdma_shape *shape, enum rule_id rule, enum rule_severity severity,
                         const char *format, va_list args) __attribute__((cold, format(printf, 4, 0)));
static inline void rpcrdma_shape_pass(const struct rpcrdma_shape *shape, enum rule_id rule)
{
    rpcrdma_pass(shape->rpcrdma, rule);
}

/* Counts octets that are inline but should not be. */
static inline void rpcrdma_shape_excess(struct rpcrdma_shape *shape, uint64_t octets)
{
    if (shape->message && !shape->in_chunk)
        shape->message->excess += octets;
}

/*
 * The rule of the binding that defines what is eligible in this program and version (RFC 8267 sections 4 to 6);
 * RULE_COUNT: no binding is known.
 */
enum rule_id rpcrdma_shape_binding(const struct rpcrdma_shape *shape);
/* "the name of NFS LOOKUP": the name of an item for messages. Valid until the next call. */
const char *rpcrdma_shape_item_name(const struct rpcrdma_shape *shape, const struct nfs_item *item);

/* Section 3.2, for the contents of a chunk: the XID comes first, without other framing. False: reported. */
bool rpcrdma_shape_start(struct rpcrdma_shape *shape);
/*
 * Rules for every payload: whole words (section 2.2.4), nothing after the RPC message (3.2), roundup (2.2.4.2), true
 * counts, a complete message. Called if no chunk explains the error.
 */
void rpcrdma_shape_stream(struct rpcrdma_shape *shape);
/*
 * The payload decodes exactly, apart perhaps from Positions or roundup of items in chunks: an error in it does not
 * displace anything.
 */
bool rpcrdma_shape_decodes(const struct rpcrdma_shape *shape);
/* Counts, names and roundup of the items of such a payload. */
void rpcrdma_shape_items(struct rpcrdma_shape *shape);
/* The walk ended exactly at the end of the payload, or found no error. */
bool rpcrdma_shape_whole(const struct rpcrdma_shape *shape);
/* Counts the READ-class operations of the Call: shape->results. */
void rpcrdma_shape_count_results(struct rpcrdma_shape *shape);

/*
 * rpcrdma_auth_rules.c: credential and verifier of a header that was read. False: one of them is wrong, and the rest
 * does not decode.
 */
bool rpcrdma_auth_rules(struct rpcrdma_shape *shape);
/* rpcrdma_position_rules.c: the Call's Read chunks against its arguments. */
void rpcrdma_position_rules(struct rpcrdma_shape *shape);
/* rpcrdma_provision_rules.c: the Call's Write chunks against the results that it asks for. */
void rpcrdma_provision_rules(struct rpcrdma_shape *shape);

/*
 * rpcrdma_compound_rules.c: the results of a COMPOUND against its operations. False: reported, and the rest of the
 * payload cannot be trusted.
 */
bool rpcrdma_compound_results(struct rpcrdma_shape *shape);

#endif
