// SPDX-License-Identifier: GPL-2.0-or-later
/* --print=ndjson: one object for each RPC-over-RDMA message, and one for each finished Call. */
#include "conformance/guests/rpcrdma/rpcrdma_procedure.h"
#include "conformance/guests/rpcrdma/rpcrdma_statuses.h"
#include "conformance/guests/rpcrdma/rpcrdma_taps.h"
#include "conformance/print/print_record.h"

#include <glib.h>
#include <inttypes.h>

enum { STATUS_SIZE = 24 };

static uint64_t record_read_octets(const struct rpcrdma_header *header, const uint8_t *p)
{
    uint64_t octets = 0;

    for (uint32_t i = 0; i < header->read.n; i++)
        octets += rpcrdma_read_segment_at(header, p, i).target.length;
    return octets;
}

static uint64_t record_write_octets(const struct rpcrdma_header *header, const uint8_t *p)
{
    struct rpcrdma_chunk chunk = rpcrdma_write_begin(header);
    uint64_t octets = 0;

    while (rpcrdma_write_next(header, p, &chunk))
        octets += rpcrdma_chunk_octets(&chunk, p);
    return octets;
}

static void record_take_lists(struct print_record *record, const struct rpcrdma_message *message)
{
    const struct rpcrdma_header *header = &message->header;
    struct rpcrdma_chunk chunk;

    if (header->read.end != 0)
        record->read = (struct print_number){true, record_read_octets(header, message->p)};
    if (header->write.end != 0)
        record->write = (struct print_number){true, record_write_octets(header, message->p)};
    if (header->reply.end == 0 || header->status != RPCRDMA_OK)
        return;
    chunk = rpcrdma_reply_chunk(header);
    record->reply = (struct print_number){true, header->has_reply ? rpcrdma_chunk_octets(&chunk, message->p) : 0};
}

/* "SEQUENCE+PUTFH+READ"; NULL: the Call has no operations, or they are unknown. g_free() it. */
static gchar *operations_of(const struct rpcrdma_transaction *transaction)
{
    const struct rpcrdma_body *body = &transaction->open->call_body;
    GString *text = g_string_new(NULL);

    for (unsigned i = 0; body->walked && i < body->n_operations; i++) {
        const char *name = nfs_op_name(body->operations[i].op, transaction->reverse);

        if (i > 0)
            g_string_append_c(text, '+');
        if (name)
            g_string_append(text, name);
        else
            g_string_append_printf(text, "op%u", body->operations[i].op);
    }
    return g_string_free(text, text->len == 0);
}

/* The name of an error, such as "NFS4ERR_OLD_STATEID"; the number of an unknown error; otherwise "SUCCESS". */
static const char *record_nfs_status_of(const struct rpcrdma_transaction *transaction, char text[STATUS_SIZE])
{
    const struct rpcrdma_body *body = &transaction->open->reply_body;
    const struct trouble_error *error;
    unsigned i = 0;
    const struct nfs_value *status = body->walked ? rpcrdma_value(body, NFS_MARK_STATUS, 0, &i) : NULL;

    if (!status || status->value == 0)
        return rpc_accept_stat_name(RPC_SUCCESS);
    error = rpcrdma_status(transaction->request.program, transaction->request.version, (uint32_t)status->value);
    if (error)
        return error->name;
    snprintf(text, STATUS_SIZE, "%" PRIu64, status->value);
    return text;
}

static const char *record_status_of(const struct rpcrdma_message *message, char text[STATUS_SIZE])
{
    const struct rpc_message *rpc = &message->rpc;
    bool known = message->has_rpc;

    if (message->header.proc == RPCRDMA_ERROR)
        return message->header.status == RPCRDMA_OK ? rpcrdma_err_name(message->header.err) : NULL;
    if (!known && message->transaction && message->transaction->open->reply_body.known) {
        rpc = &message->transaction->open->reply_body.rpc;
        known = true;
    }
    if (message->kind != RPCRDMA_KIND_REPLY || !known || rpc->status != RPC_OK || rpc->type != RPC_REPLY)
        return NULL;
    if (rpc->reply_stat == RPC_MSG_DENIED)
        return rpc->reject_stat == RPC_MISMATCH ? "RPC_MISMATCH" : "AUTH_ERROR";
    if (rpc->accept_stat == RPC_SUCCESS && message->transaction && message->transaction->open->reply_body.known)
        return record_nfs_status_of(message->transaction, text);
    return rpc_accept_stat_name(rpc->accept_stat);
}

/* The answer is the last message of its Call. */
static void print_record_call(const struct print_target *target, struct print_record *record,
                              const struct rpcrdma_message *message)
{
    const struct rpcrdma_transaction *transaction = message->transaction;
    int64_t took = message->place.time_ns - transaction->call.time_ns;

    record->type = "call";
    record->place = &transaction->call;
    record->direction = record->direction == DIR_TO_INITIATOR ? DIR_TO_RESPONDER : DIR_TO_INITIATOR;
    record->octets = (struct print_number){true, transaction->open->call_octets};
    record->read = (struct print_number){true, transaction->open->octets_read};
    record->latency_ns = (struct print_number){took >= 0, took >= 0 ? (uint64_t)took : 0};
    print_record(target, record);
}

void rpcrdma_record(const struct print_target *target, enum direction direction, const struct rpcrdma_message *message)
{
    const struct rpcrdma_transaction *transaction = message->transaction;
    const struct rpcrdma_body *body = transaction ? &transaction->open->call_body : NULL;
    bool whole = message->n >= RPCRDMA_FIXED_LEN;
    g_autofree gchar *operations = transaction ? operations_of(transaction) : NULL;
    char label[PROCEDURE_LABEL_SIZE], status[STATUS_SIZE];
    struct print_record record = {
        .type = "message",
        .layer = "rpcrdma",
        .operations = operations,
        .direction = direction,
        .place = &message->place,
        .xid = {whole, message->header.xid},
        .octets = {true, message->n},
        .status = whole ? record_status_of(message, status) : NULL,
        .text = whole && message->header.proc <= RPCRDMA_ERROR ? rpcrdma_proc_name(message->header.proc) : NULL};

    if (body && body->known && body->rpc.status == RPC_OK) {
        procedure_label(body->rpc.prog, body->rpc.vers, body->rpc.proc, label);
        record.operation = label;
    }
    if (whole && message->header.proc <= RPCRDMA_MSGP)
        record_take_lists(&record, message);
    print_record(target, &record);
    if (message->kind != RPCRDMA_KIND_CALL && rpcrdma_ends(message))
        print_record_call(target, &record, message);
}
