// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What every NFSv4 server must accept, and how a server refuses more: RFC 8267 section 6.4.2. A server must not refuse
 * a flawless Call within the limits that provides for any Reply.
 */
#include "engine/nfs/nfs_internal.h"
#include "wire/invariant.h"

struct nfs_chunk_use nfs_chunk_use(const struct rpcrdma_transaction *t)
{
    struct nfs_chunk_use use = {0};

    for (unsigned i = 0; i < t->n_chunks; i++) {
        const struct rpcrdma_chunk_state *chunk = &t->chunks[i];

        use.any_read |= chunk->kind == RPCRDMA_READ_CHUNK;
        use.reads += chunk->kind == RPCRDMA_READ_CHUNK && chunk->position != 0;
        use.longest = chunk->n > use.longest ? chunk->n : use.longest;
    }
    use.complex = use.reads > 1 || t->n_writes > 1 || use.longest > NFS_CHUNK_SEGMENTS_MAX;
    INVARIANT(use.reads <= t->n_chunks && use.longest <= t->n_offers && (use.any_read || use.reads == 0));
    return use;
}

/*
 * GARBAGE_ARGS is about the arguments, which have no errors; ERR_CHUNK may also be due to a lack of room, or to large
 * Read chunks.
 */
static bool limit_judge_refusal(const struct nfs_look *look, const struct nfs_chunk_use *use, bool err_chunk)
{
    enum rule_id rule = use->any_read && use->longest <= 1 ? RULE_NFSULB_6_4_2_04 : RULE_NFSULB_6_4_2_05;

    if (!use->any_read && look->t->n_writes == 0 && use->longest <= 1)
        return false;
    if (look->t->damage || (err_chunk && !(nfs_reply_fits(look) && rpcrdma_reads_modest(look->t)))) {
        nfs_inconclusive(look, rule, look->t->damage ? nfs_doubt(look->nfs, false, WHY_COPIES) : WHY_CAUSE);
        return true;
    }
    /* An early Call may be a retransmission that already broke the previous connection: RFC 8166 section 4.5.3. */
    nfs_fail_as(look, rule, err_chunk && look->exchange->early ? SEVERITY_WARNING : rule_catalogue[rule].severity,
                "expected a server to process a Call with no more than a Position-Zero Read chunk, another Read chunk "
                "and a Write chunk, of up to %u segments each; found %s in answer",
                NFS_CHUNK_SEGMENTS_MAX, err_chunk ? "ERR_CHUNK" : "GARBAGE_ARGS");
    return true;
}

/* An accepted Reply or ERR_CHUNK, to a Call that was understood. */
static bool is_about_limits(const struct nfs_look *look, const struct rpcrdma_message *message)
{
    const struct rpcrdma_body *reply = &look->t->open->reply_body;

    if (look->exchange->minor < 0 || look->nfs->options.profile == PROFILE_RFC5666 || !nfs_understood(look->body) ||
        look->t->malformed || look->t->offers_lost || message->faulty || message->unsure)
        return false;
    if (message->kind == RPCRDMA_KIND_ERROR)
        return message->header.err == RPCRDMA_ERR_CHUNK;
    return reply->known && reply->rpc.reply_stat == RPC_MSG_ACCEPTED;
}

bool nfs_limit_answer(struct nfs_look *look, const struct rpcrdma_message *message)
{
    const struct nfs_chunk_use use = nfs_chunk_use(look->t);
    bool error = message->kind == RPCRDMA_KIND_ERROR;
    uint32_t accept_stat = look->t->open->reply_body.rpc.accept_stat;

    if (!is_about_limits(look, message))
        return false;
    if (!use.complex) {
        if (!error && accept_stat == RPC_SUCCESS) {
            if (use.any_read)
                nfs_pass(look, RULE_NFSULB_6_4_2_04);
            if (look->t->n_writes > 0 || use.longest > 1)
                nfs_pass(look, RULE_NFSULB_6_4_2_05);
        } else if (error || accept_stat == RPC_GARBAGE_ARGS)
            return limit_judge_refusal(look, &use, error);
        return false;
    }
    if (!error && accept_stat == RPC_GARBAGE_ARGS)
        nfs_pass(look, RULE_NFSULB_6_4_2_07);
    else if (!error && accept_stat != RPC_SUCCESS)
        nfs_fail(look, RULE_NFSULB_6_4_2_07,
                 "expected ERR_CHUNK or GARBAGE_ARGS for chunk lists that are too complex; found %s in answer to chunk "
                 "lists that are too complex",
                 rpc_accept_stat_name(accept_stat));
    return true;
}
