// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What every NFSv4 server takes, and how it refuses more: RFC 8267 section 6.4.2. A Call that keeps to the limits, with
 * nothing wrong in it and with room for its Reply whatever the results are, must not be refused.
 */
#include "engine/nfs_internal.h"

enum { SEGMENTS_MAX = 16 };

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
static bool judge_refusal(const struct nfs_look *look, const struct lists *lists, bool err_chunk)
{
    enum rule_id rule = lists->read && !lists->many ? RULE_NFSULB_6_4_2_04 : RULE_NFSULB_6_4_2_05;

    if (!lists->read && !lists->write && !lists->many)
        return false;
    if (look->t->damaged || !rpcrdma_whole(look->nfs->rpcrdma) || (err_chunk && !nfs_reply_fits(look))) {
        nfs_open(look, rule);
        return true;
    }
    /* A first Call may be one again that broke the connection before: RFC 8166 section 4.5.3. */
    nfs_fail_as(
        look, rule, err_chunk && look->exchange->early ? SEVERITY_WARNING : rule_catalogue[rule].severity,
        "expected a server to process a Call with no more than a Position Zero Read chunk, another Read chunk and a "
        "Write chunk, of %u segments each; found %s",
        SEGMENTS_MAX, err_chunk ? "ERR_CHUNK" : "GARBAGE_ARGS");
    return true;
}

bool nfs_limit_answer(struct nfs_look *look, const struct rpcrdma_message *message)
{
    const struct rpcrdma_body *reply = &look->t->reply_body;
    struct lists lists = lists_of(look->t);
    bool error = message->kind == RPCRDMA_KIND_ERROR, accepted = false;

    if (look->exchange->minor < 0 || look->nfs->options.profile == PROFILE_RFC5666 || !nfs_understood(look->body) ||
        look->t->malformed || look->t->offers_lost || message->faulty || message->unsure)
        return false;
    if (error && message->header.err != RPCRDMA_ERR_CHUNK)
        return false;
    if (!error) {
        if (!reply->known || reply->rpc.reply_stat != RPC_MSG_ACCEPTED)
            return false;
        accepted = reply->rpc.accept_stat == RPC_SUCCESS;
    }
    if (!lists.complex) {
        if (accepted)
            pass(look, &lists);
        else if (error || reply->rpc.accept_stat == RPC_GARBAGE_ARGS)
            return judge_refusal(look, &lists, error);
        return false;
    }
    if (!error && reply->rpc.accept_stat == RPC_GARBAGE_ARGS)
        nfs_pass(look, RULE_NFSULB_6_4_2_07);
    else if (!error && !accepted)
        nfs_fail(look, RULE_NFSULB_6_4_2_07,
                 "expected ERR_CHUNK or GARBAGE_ARGS where chunk lists are too complex; found %s",
                 rpc_accept_stat_name(reply->rpc.accept_stat));
    return true;
}
