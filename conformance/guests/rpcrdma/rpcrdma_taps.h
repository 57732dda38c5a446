/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Taps that print, note and collect RPC-over-RDMA messages while a connection is read. */
#ifndef IWARP_CONFORMANCE_GUESTS_RPCRDMA_RPCRDMA_TAPS_H
#define IWARP_CONFORMANCE_GUESTS_RPCRDMA_RPCRDMA_TAPS_H

#include "conformance/model/notes.h"
#include "conformance/print/print.h"
#include "conformance/stats/collect.h"
#include "engine/rpcrdma/rpcrdma.h"

struct trouble_facts;

/* Notes the message in the Send of the previously noted FPDU or packet. */
void rpcrdma_note(struct notes *notes, const struct rpcrdma_message *message);

void rpcrdma_print(const struct print_target *target, enum direction direction, const struct rpcrdma_message *message);
/* The same as JSON objects; an answer also ends its Call, which has its own object. */
void rpcrdma_record(const struct print_target *target, enum direction direction, const struct rpcrdma_message *message);
/* A Call whose RPC message was read from a chunk, because its Send does not contain the message. */
void rpcrdma_print_long_call(const struct print_target *target, enum direction direction,
                             const struct rpcrdma_payload *payload);
uint64_t rpcrdma_chunk_octets(const struct rpcrdma_chunk *chunk, const uint8_t *p);
/* The block of RFC 8797, if present. */
void rpcrdma_print_private_data(FILE *out, const uint8_t *p, size_t n);

/* Whether this answer ends its Call, as engine/rpcrdma/rpcrdma_connection.c decides. */
bool rpcrdma_ends(const struct rpcrdma_message *message);

/* For "What happened". */
void rpcrdma_trouble_message(struct trouble_facts *facts, const struct rpcrdma_message *message);
void rpcrdma_trouble_payload(struct trouble_facts *facts, const struct rpcrdma_payload *payload);
/* For a Reply: notes errors that mean trouble on the server. */
void rpcrdma_trouble_failed(struct trouble_facts *facts, const struct rpcrdma_payload *payload);
void rpcrdma_trouble_end(void *guest, struct trouble_facts *facts);

/* --stats */
void rpcrdma_collect_message(struct collector *collector, const struct rpcrdma_connection *rpcrdma,
                             const struct rpcrdma_message *message);
void rpcrdma_collect_move(struct collector *collector, const struct rpcrdma_move *move);
void rpcrdma_collect_payload(struct collector *collector, const struct rpcrdma_payload *payload);
void rpcrdma_collect_retired(struct collector *collector, struct rpcrdma_transaction *transaction);

#endif
