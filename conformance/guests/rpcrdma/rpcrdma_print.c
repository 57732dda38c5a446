// SPDX-License-Identifier: GPL-2.0-or-later
/* --print: one line per RPC-over-RDMA message. */
#include "conformance/guests/rpcrdma/rpcrdma_procedure.h"
#include "conformance/guests/rpcrdma/rpcrdma_taps.h"
#include "conformance/print/print.h"

#include <inttypes.h>

enum { OPERATIONS_SHOWN = 16 }; /* of a COMPOUND */

/* ---- chunk lists: "segments x octets", octets of all segments together ---- */

static void print_chunk(FILE *out, uint32_t segments, uint64_t octets)
{
    if (segments == 0)
        fputs("empty", out);
    else
        fprintf(out, "%" PRIu32 "x%" PRIu64, segments, octets);
}

/* Consecutive segments at the same Position are shown as one chunk. */
static void print_reads(FILE *out, const struct rpcrdma_header *header, const uint8_t *p)
{
    const char *separator = " ";

    fputs(" read", out);
    if (header->read.n == 0)
        fputs(" -", out);
    for (uint32_t i = 0; i < header->read.n;) {
        uint32_t position = rpcrdma_read_segment_at(header, p, i).position, segments = 0;
        uint64_t octets = 0;

        for (; i < header->read.n; i++, segments++) {
            struct rpcrdma_read_segment segment = rpcrdma_read_segment_at(header, p, i);

            if (segment.position != position)
                break;
            octets += segment.target.length;
        }
        fputs(separator, out);
        print_chunk(out, segments, octets);
        fprintf(out, "@%" PRIu32, position);
        separator = ",";
    }
}

uint64_t rpcrdma_chunk_octets(const struct rpcrdma_chunk *chunk, const uint8_t *p)
{
    uint64_t octets = 0;

    for (uint32_t i = 0; i < chunk->n; i++)
        octets += rpcrdma_segment_at(chunk, p, i).length;
    return octets;
}

static void print_writes(FILE *out, const struct rpcrdma_header *header, const uint8_t *p)
{
    struct rpcrdma_chunk chunk = rpcrdma_write_begin(header);
    const char *separator = " ";

    fputs(header->write.n == 0 ? " write -" : " write", out);
    while (rpcrdma_write_next(header, p, &chunk)) {
        fputs(separator, out);
        print_chunk(out, chunk.n, rpcrdma_chunk_octets(&chunk, p));
        separator = ",";
    }
}

/* ---- the RPC message ---- */

static void print_operations(FILE *out, const struct rpcrdma_body *body, bool reverse)
{
    for (unsigned i = 0; i < body->n_operations && i < OPERATIONS_SHOWN; i++) {
        const char *name = nfs_op_name(body->operations[i].op, reverse);

        fputc(i == 0 ? ' ' : '+', out);
        if (name)
            fputs(name, out);
        else
            fprintf(out, "op%" PRIu32, body->operations[i].op);
    }
    if (body->n_operations > OPERATIONS_SHOWN)
        fputs("+...", out);
}

static void print_procedure(FILE *out, const struct rpcrdma_transaction *transaction)
{
    const struct rpcrdma_body *body = &transaction->open->call_body;
    char label[PROCEDURE_LABEL_SIZE];

    if (!body->known || body->rpc.status != RPC_OK)
        return;
    procedure_label(body->rpc.prog, body->rpc.vers, body->rpc.proc, label);
    fprintf(out, " %s", label);
}

static void print_call(FILE *out, const struct rpcrdma_transaction *transaction)
{
    fputs(" CALL", out);
    if (!transaction)
        return;
    print_procedure(out, transaction);
    if (transaction->open->call_body.walked)
        print_operations(out, &transaction->open->call_body, transaction->reverse);
    if (transaction->repeats)
        fputs(" again", out);
}

static void print_status(FILE *out, const struct rpcrdma_body *body)
{
    unsigned i = 0;

    for (; body->walked && i < body->n_values; i++) {
        if (body->values[i].mark != NFS_MARK_STATUS)
            continue;
        if (body->values[i].value != 0)
            fprintf(out, " status %" PRIu64, body->values[i].value);
        return;
    }
}

static void print_reply(FILE *out, const struct rpcrdma_message *message)
{
    const struct rpcrdma_transaction *transaction = message->transaction;
    const struct rpc_message *rpc = &message->rpc;
    bool known = message->has_rpc;

    fputs(" REPLY", out);
    if (transaction)
        print_procedure(out, transaction);
    if (!known && transaction && transaction->open->reply_body.known) {
        rpc = &transaction->open->reply_body.rpc;
        known = true;
    }
    if (!known || rpc->status != RPC_OK || rpc->type != RPC_REPLY)
        return;
    if (rpc->reply_stat == RPC_MSG_DENIED)
        fputs(rpc->reject_stat == RPC_MISMATCH ? " RPC_MISMATCH" : " AUTH_ERROR", out);
    else
        fprintf(out, " %s", rpc_accept_stat_name(rpc->accept_stat));
    if (transaction && transaction->open->reply_body.known)
        print_status(out, &transaction->open->reply_body);
}

static void print_error(FILE *out, const struct rpcrdma_header *header)
{
    if (header->status == RPCRDMA_SHORT)
        return;
    if (header->status == RPCRDMA_BAD_ERR)
        fprintf(out, " error %" PRIu32, header->err);
    else
        fprintf(out, " %s", rpcrdma_err_name(header->err));
    if (header->err == RPCRDMA_ERR_VERS)
        fprintf(out, " %" PRIu32 "-%" PRIu32, header->vers_low, header->vers_high);
}

static void print_header(FILE *out, const struct rpcrdma_message *message)
{
    static const char *const faults[] = {
        [RPCRDMA_SHORT] = "ends early",
        [RPCRDMA_BAD_PROC] = "no such type",
        [RPCRDMA_BAD_DISCRIMINATOR] = "bad discriminator",
        [RPCRDMA_OVERRUN] = "list past the end",
        [RPCRDMA_BAD_ERR] = "no such error",
    };
    const struct rpcrdma_header *header = &message->header;

    if (header->proc <= RPCRDMA_ERROR)
        fputs(rpcrdma_proc_name(header->proc), out);
    else
        fprintf(out, "type %" PRIu32, header->proc);
    if (header->vers != RPCRDMA_VERSION)
        fprintf(out, " v%" PRIu32, header->vers);
    fprintf(out, " xid 0x%" PRIx32 " credit %" PRIu32, header->xid, header->credit);
    if (message->invalidates)
        fprintf(out, " inv 0x%" PRIx32, message->invalidate_stag);
    if (header->proc == RPCRDMA_ERROR)
        print_error(out, header);
    else if (header->proc <= RPCRDMA_MSGP) {
        /* The lists, as far as the header is readable. */
        if (header->read.end != 0)
            print_reads(out, header, message->p);
        if (header->write.end != 0)
            print_writes(out, header, message->p);
        if (header->reply.end != 0 && header->status == RPCRDMA_OK) {
            struct rpcrdma_chunk chunk = rpcrdma_reply_chunk(header);

            fputs(" reply ", out);
            if (header->has_reply)
                print_chunk(out, chunk.n, rpcrdma_chunk_octets(&chunk, message->p));
            else
                fputc('-', out);
        }
    }
    if (header->status != RPCRDMA_OK)
        fprintf(out, " %s at %" PRIu32, faults[header->status], header->fault_at);
}

void rpcrdma_print(const struct print_target *target, enum direction direction, const struct rpcrdma_message *message)
{
    FILE *out = target->out;

    print_begin(target, direction, &message->place, "rpcrdma");
    if (message->n < RPCRDMA_FIXED_LEN)
        fprintf(out, "%" PRIu32 " octets", message->n);
    else
        print_header(out, message);
    if (message->kind == RPCRDMA_KIND_CALL)
        print_call(out, message->transaction);
    else if (message->kind == RPCRDMA_KIND_REPLY)
        print_reply(out, message);
    else if (message->kind == RPCRDMA_KIND_ERROR && message->transaction)
        print_procedure(out, message->transaction);
    print_end(target);
}

void rpcrdma_print_long_call(const struct print_target *target, enum direction direction,
                             const struct rpcrdma_payload *payload)
{
    print_begin(target, direction, &payload->place, "rpcrdma");
    fprintf(target->out, "xid 0x%" PRIx32 " %" PRIu64 " octets by Read", payload->transaction->xid,
            payload->body->length);
    print_call(target->out, payload->transaction);
    print_end(target);
}

void rpcrdma_print_private_data(FILE *out, const uint8_t *p, size_t n)
{
    struct rpcrdma_private_data block;

    if (rpcrdma_private_data_find(&block, p, n) == RPCRDMA_PD_OK)
        fprintf(out, " rpcrdma: v%u%s send %" PRIu32 " receive %" PRIu32, block.version,
                block.remote_invalidation ? " R" : "", block.send_size, block.receive_size);
}
