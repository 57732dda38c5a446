// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Results against what the Call asked for: READ, WRITE, READDIR and READDIRPLUS (RFC 1813 sections 3.3.6, 3.3.7, 3.3.16
 * and 3.3.17; RFC 7530 sections 16.23, 16.24 and 16.36; RFC 1094 section 2.2.7).
 */
#include "engine/nfs/nfs_internal.h"
#include "wire/invariant.h"

#include <inttypes.h>

enum { OPERATION_HEADER = 8, NFS3_READDIR = 16, NFS3_READDIRPLUS = 17 };

static bool result_value_of(const struct rpcrdma_body *body, enum nfs_mark mark, const struct nfs_item *item,
                            uint64_t *out)
{
    const struct nfs_value *value;
    unsigned i = 0;

    while ((value = rpcrdma_value(body, mark, item->op, &i))) {
        if (value->op_index != item->op_index)
            continue;
        *out = value->value;
        return true;
    }
    return false;
}

/* READ returns no more data than requested, and as much as its count says. */
static void result_judge_read(struct nfs_look *look, const struct nfs_item *data)
{
    const struct rpcrdma_body *call = &look->t->open->call_body;
    uint64_t asked, said;

    if (data->mark != NFS_MARK_DATA || !result_value_of(call, NFS_MARK_COUNT, data, &asked))
        return;
    if (look->nfs->options.profile == PROFILE_RFC5666) /* RPCR0-4N-07 */
        return;
    if (data->count > asked)
        nfs_fail(look, RULE_NFS3_3_3_6_01,
                 "expected at most %" PRIu64 " octets, which READ asked for; found %u octets of data", asked,
                 data->count);
    else
        nfs_pass(look, RULE_NFS3_3_3_6_01);
    if (!result_value_of(look->body, NFS_MARK_RESULT_COUNT, data, &said))
        return;
    if (said != data->count)
        nfs_fail(look, RULE_NFS3_3_3_6_02,
                 "expected the count of READ to match its data, %u octets; found a count of %" PRIu64
                 " in the result of READ",
                 data->count, said);
    else
        nfs_pass(look, RULE_NFS3_3_3_6_02);
}

/* No more data were written than sent. */
static void result_judge_write(struct nfs_look *look, const struct nfs_item *data)
{
    uint64_t written;

    if (data->mark != NFS_MARK_DATA || !result_value_of(look->body, NFS_MARK_RESULT_COUNT, data, &written))
        return;
    if (written > data->count)
        nfs_fail(look, RULE_NFS3_3_3_7_01,
                 "expected at most %u octets written, as many as were sent; found %" PRIu64 " octets written",
                 data->count, written);
    else
        nfs_pass(look, RULE_NFS3_3_3_7_01);
}

static void judge_directory(struct nfs_look *look, uint64_t asked, uint64_t octets)
{
    INVARIANT(octets <= look->body->unreduced);
    if (octets > asked)
        nfs_fail(look, RULE_NFS3_3_3_16_01,
                 "expected at most %" PRIu64 " octets of directory entries, XDR overhead included; found %" PRIu64
                 " octets of directory entries",
                 asked, octets);
    else
        nfs_pass(look, RULE_NFS3_3_3_16_01);
}

static void judge_directories(struct nfs_look *look)
{
    const struct rpcrdma_body *call = &look->t->open->call_body, *body = look->body;
    bool plus = call->rpc.proc == NFS3_READDIRPLUS;
    struct nfs_item none = {0};
    uint64_t asked;

    if (!body->procedure->compound) {
        if (body->rpc.reply_stat == RPC_MSG_ACCEPTED && call->rpc.prog == NFS_PROGRAM && call->rpc.vers == 3 &&
            (plus || call->rpc.proc == NFS3_READDIR) &&
            result_value_of(call, plus ? NFS_MARK_MAXCOUNT : NFS_MARK_COUNT, &none, &asked))
            judge_directory(look, asked, body->unreduced - body->rpc.header_len - 4);
        return;
    }
    for (unsigned i = 0; i < body->n_operations; i++) {
        const struct nfs_operation *operation = &body->operations[i];
        uint64_t end = i + 1 < body->n_operations ? body->operations[i + 1].position : body->unreduced;
        struct nfs_item same = {.op = operation->op, .op_index = operation->index};

        if (operation->op == NFS_OP_READDIR && operation->status == 0 &&
            result_value_of(call, NFS_MARK_COUNT, &same, &asked))
            judge_directory(look, asked, end - operation->position - OPERATION_HEADER);
    }
}

void nfs_result_reply(struct nfs_look *look)
{
    const struct rpcrdma_body *call = &look->t->open->call_body, *body = look->body;

    if (!nfs_understood(call) || !body->procedure || body->procedure->callback || body->rpc.accept_stat != RPC_SUCCESS)
        return;
    for (unsigned i = 0; i < body->n_items; i++)
        result_judge_read(look, &body->items[i].item);
    for (unsigned i = 0; i < call->n_items; i++)
        result_judge_write(look, &call->items[i].item);
    judge_directories(look);
}
