// SPDX-License-Identifier: GPL-2.0-or-later
/* What is DDP-eligible, and what bounds a result: RFC 8267 sections 4 to 6. */
#include "engine/nfs/binding/binding.h"

#include <stdio.h>

const struct nfs_value *nfs_decoded_value(const struct nfs_decoded *decoded, enum nfs_mark mark, uint32_t op,
                                          unsigned *i)
{
    while (*i < decoded->n_values) {
        const struct nfs_value *value = &decoded->values[(*i)++];

        if (value->mark == mark && (op == 0 || value->op == op))
            return value;
    }
    return NULL;
}

uint64_t nfs_decoded_minor(const struct nfs_decoded *call)
{
    unsigned i = 0;
    const struct nfs_value *minor = nfs_decoded_value(call, NFS_MARK_MINOR_VERSION, 0, &i);

    return minor ? minor->value : UINT64_MAX;
}

static enum rule_id callback_rule(const struct nfs_decoded *decoded)
{
    uint64_t minor = nfs_decoded_minor(decoded);

    return minor > 0 && minor != UINT64_MAX ? RULE_NFSULB_6_5_2_03 : RULE_NFSULB_6_5_1_02;
}

enum rule_id nfs_binding_rule(const struct rpc_message *call, const struct nfs_decoded *decoded)
{
    if (decoded->procedure && decoded->procedure->callback)
        return callback_rule(decoded);
    switch (call->prog) {
    case NFS_PROGRAM:
        return call->vers < 4 ? RULE_NFSULB_4_05 : RULE_NFSULB_6_1_05;
    case NFS_PROGRAM_ACL:
        return RULE_NFSULB_5_2_01;
    case NFS_PROGRAM_MOUNT:
    case NFS_PROGRAM_NLM:
    case NFS_PROGRAM_NSM:
        return RULE_NFSULB_5_1_02;
    default:
        return RULE_COUNT;
    }
}

bool nfs_binding_has(enum rule_id rule)
{
    return nfs_binding_is_nfs(rule) || rule == RULE_NFSULB_5_1_02 || rule == RULE_NFSULB_5_2_01 ||
           rule == RULE_NFSULB_6_5_1_02 || rule == RULE_NFSULB_6_5_2_03;
}

bool nfs_reduces_call(const struct nfs_decoded *call)
{
    if (!call->procedure->compound)
        return call->procedure->reduces_call;
    for (unsigned i = 0; i < call->n_operations && call->procedure->reduces_call; i++) {
        if (call->operations[i].op == NFS_OP_WRITE || call->operations[i].op == NFS_OP_CREATE)
            return true;
    }
    return false;
}

unsigned nfs_reducible_results(const struct nfs_decoded *call)
{
    unsigned n = 0;

    if (!call->procedure || !call->procedure->reduces_reply)
        return 0;
    if (!call->procedure->compound)
        return 1;
    for (unsigned i = 0; i < call->n_operations; i++)
        n += nfs_op_read_class(call->operations[i].op);
    return n;
}

bool nfs_result_asked(const struct nfs_decoded *call, unsigned number, uint64_t *octets)
{
    unsigned seen = 0, i = 0;
    const struct nfs_value *value;

    if (!call->procedure->compound) {
        value = nfs_decoded_value(call, NFS_MARK_COUNT, 0, &i);
        *octets = value ? value->value : 0;
        return value != NULL;
    }
    for (unsigned k = 0; k < call->n_operations; k++) {
        if (!nfs_op_read_class(call->operations[k].op) || seen++ < number)
            continue;
        while ((value = nfs_decoded_value(call, NFS_MARK_COUNT, NFS_OP_READ, &i))) {
            if (value->op_index != call->operations[k].index)
                continue;
            *octets = value->value;
            return true;
        }
        return false;
    }
    return false;
}

enum nfs_mark nfs_count_mark(const struct rpc_message *call)
{
    return call->vers == 2 ? NFS_MARK_TOTALCOUNT : NFS_MARK_COUNT;
}

enum nfs_result nfs_result_of(const struct rpc_message *call)
{
    enum { READLINK = 5, READ = 6, READDIR = 16, READDIRPLUS = 17 /* version 3 */ };

    switch (call->proc) {
    case READLINK:
        return NFS_RESULT_LINK;
    case READ:
        return NFS_RESULT_DATA;
    case READDIR:
        return NFS_RESULT_DIRECTORY;
    case READDIRPLUS:
        return call->vers == 3 ? NFS_RESULT_DIRECTORY : NFS_RESULT_FIXED;
    default:
        return NFS_RESULT_FIXED;
    }
}

static const char *mark_name(enum nfs_mark mark)
{
    switch (mark) {
    case NFS_MARK_DATA:
        return "the data";
    case NFS_MARK_LINK:
        return "the link's text";
    case NFS_MARK_HANDLE:
        return "a file handle";
    case NFS_MARK_NAME:
        return "a name";
    default:
        return "an item";
    }
}

const char *nfs_item_name(const struct nfs_procedure *procedure, const struct nfs_item *item,
                          char text[NFS_ITEM_NAME_SIZE])
{
    const char *op = procedure->compound ? nfs_op_name(item->op, procedure->callback) : procedure->name;

    snprintf(text, NFS_ITEM_NAME_SIZE, "%s of %s", mark_name(item->mark), op ? op : procedure->name);
    return text;
}
