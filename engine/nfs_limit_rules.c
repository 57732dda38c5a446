// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What every NFSv4 server takes, and how it refuses more: RFC 8267 section 6.4.2. A Call that keeps to the limits, with
 * nothing wrong in it and with room for its Reply whatever the results are, must not be refused.
 */
#include "engine/nfs_internal.h"

enum {
    SEGMENTS_MAX = 16,
    REPLY_HEADER = 36,     /* of an RPC Reply and of a COMPOUND's results */
    VERIFIER_MAX = 400,    /* with RPCSEC_GSS */
    SEQUENCE_RESULTS = 44, /* number and status included, here and below */
    STATUS_ONLY = 8,
    WRITE_RESULTS = 24,
    READ_RESULTS = 16,         /* with the data in a Write chunk */
    CREATE_RESULTS = 64,       /* change_info4, and the bitmap of what was set */
    ATTRIBUTES_RESULTS = 1000, /* far above what GETATTR gives without the attributes that have no limit */
};

/* Attributes without a limit (section 6.2): words of the mask. */
static const uint32_t unlimited[] = {
    1u << 12 | 1u << 24,                                                   /* acl, fs_locations */
    1u << (58 - 32) | 1u << (59 - 32) | 1u << (62 - 32),                   /* dacl, sacl, fs_layout_types */
    1u << (64 - 64) | 1u << (67 - 64) | 1u << (68 - 64) | 1u << (80 - 64), /* layout_types, fs_locations_info,
                                                                              mdsthreshold, sec_label */
};

static bool limited_attributes(const struct rpcrdma_body *body, const struct nfs_operation *operation)
{
    const struct nfs_value *word;
    unsigned i = 0;

    while ((word = rpcrdma_value(body, NFS_MARK_ATTR_MASK, NFS_OP_GETATTR, &i)) != NULL) {
        if (word->op_index == operation->index &&
            (word->index >= sizeof unlimited / sizeof unlimited[0] || (word->value & unlimited[word->index]) != 0))
            return false;
    }
    return true;
}

/* Octets that the results of this operation have at most; 0: not known. */
static uint32_t results_of(const struct nfs_look *look, const struct nfs_operation *operation, unsigned *reads)
{
    switch (operation->op) {
    case NFS_OP_PUTFH:
    case NFS_OP_PUTROOTFH:
    case NFS_OP_PUTPUBFH:
    case NFS_OP_LOOKUP:
        return STATUS_ONLY;
    case NFS_OP_CREATE:
        return CREATE_RESULTS;
    case NFS_OP_SEQUENCE:
        return SEQUENCE_RESULTS;
    case NFS_OP_WRITE:
        return WRITE_RESULTS;
    case NFS_OP_READ:
        return nfs_chunk_offered(look->nfs, look->t, (*reads)++) ? READ_RESULTS : 0;
    case NFS_OP_GETATTR:
        return limited_attributes(look->body, operation) ? ATTRIBUTES_RESULTS : 0;
    default:
        return 0;
    }
}

/* The Reply has room, whatever it is. */
static bool reply_fits(const struct nfs_look *look)
{
    const struct rpcrdma_transaction *t = look->t;
    uint64_t payload = REPLY_HEADER + VERIFIER_MAX, header = RPCRDMA_HEADER_MIN;
    uint32_t threshold;
    bool negotiated;
    unsigned reads = 0;

    for (unsigned i = 0; i < look->body->n_operations; i++) {
        uint32_t octets = results_of(look, &look->body->operations[i], &reads);

        if (octets == 0)
            return false;
        payload += octets;
    }
    for (unsigned i = 0; i < t->n_writes; i++)
        header += 8 + (uint64_t)RPCRDMA_SEGMENT_LEN * t->chunks[t->first_write + i].n;
    if (t->reply_chunk >= 0 && t->chunks[t->reply_chunk].length >= payload)
        return true;
    threshold = rpcrdma_connection_threshold(look->nfs->rpcrdma, 1u - t->side, &negotiated);
    return negotiated && header + payload <= threshold;
}

struct lists {
    bool read;    /* a Position Zero Read chunk, another one, or both */
    bool write;   /* a Write chunk */
    bool many;    /* more than one segment in a chunk */
    bool complex; /* more than every server must take */
};

static struct lists lists_of(const struct rpcrdma_transaction *t)
{
    struct lists lists = {.write = t->n_writes > 0, .complex = t->n_writes > 1};
    unsigned reads = 0;

    for (unsigned i = 0; i < t->n_chunks; i++) {
        const struct rpcrdma_chunk_state *chunk = &t->chunks[i];

        lists.read |= chunk->kind == RPCRDMA_READ_CHUNK;
        reads += chunk->kind == RPCRDMA_READ_CHUNK && chunk->position != 0;
        lists.many |= chunk->n > 1;
        lists.complex |= chunk->n > SEGMENTS_MAX;
    }
    lists.complex |= reads > 1;
    return lists;
}

static void pass(const struct nfs_look *look, const struct lists *lists)
{
    if (lists->read)
        nfs_pass(look, RULE_NFSULB_6_4_2_04);
    if (lists->write || lists->many)
        nfs_pass(look, RULE_NFSULB_6_4_2_05);
}

/* GARBAGE_ARGS is about the arguments, in which nothing is wrong; ERR_CHUNK may be for want of room as well. */
static void judge_refusal(const struct nfs_look *look, const struct lists *lists, bool err_chunk)
{
    enum rule_id rule = lists->read && !lists->many ? RULE_NFSULB_6_4_2_04 : RULE_NFSULB_6_4_2_05;

    if (!lists->read && !lists->write && !lists->many)
        return;
    /* A first Call may be one again that broke the connection before: RFC 8166 section 4.5.3. */
    if (look->t->damaged || look->exchange->early || !rpcrdma_whole(look->nfs->rpcrdma) ||
        (err_chunk && !reply_fits(look))) {
        nfs_open(look, rule);
        return;
    }
    nfs_fail(
        look, rule,
        "expected a server to process a Call with no more than a Position Zero Read chunk, another Read chunk and a "
        "Write chunk, of %u segments each, found %s",
        SEGMENTS_MAX, err_chunk ? "ERR_CHUNK" : "GARBAGE_ARGS");
}

/* answer: of the Call in look. */
void nfs_limit_answer(struct nfs_look *look, const struct rpcrdma_message *message)
{
    const struct rpcrdma_body *reply = &look->t->reply_body;
    struct lists lists = lists_of(look->t);
    bool error = message->kind == RPCRDMA_KIND_ERROR, accepted = false;

    if (look->exchange->minor < 0 || look->nfs->options.profile == PROFILE_RFC5666 || !nfs_understood(look->body) ||
        look->t->malformed || look->t->offers_lost || message->faulty || message->unsure)
        return;
    if (error && message->header.err != RPCRDMA_ERR_CHUNK)
        return;
    if (!error) {
        if (!reply->known || reply->rpc.reply_stat != RPC_MSG_ACCEPTED)
            return;
        accepted = reply->rpc.accept_stat == RPC_SUCCESS;
    }
    if (!lists.complex) {
        if (accepted)
            pass(look, &lists);
        else if (error || reply->rpc.accept_stat == RPC_GARBAGE_ARGS)
            judge_refusal(look, &lists, error);
    } else if (!error && reply->rpc.accept_stat == RPC_GARBAGE_ARGS) {
        nfs_pass(look, RULE_NFSULB_6_4_2_07);
    } else if (!error && !accepted) {
        nfs_fail(look, RULE_NFSULB_6_4_2_07,
                 "expected ERR_CHUNK or GARBAGE_ARGS where chunk lists are too complex, found %s",
                 rpc_accept_stat_name(reply->rpc.accept_stat));
    }
}
