// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Unusual forms of correct Calls that a responder must accept; some responders refuse these forms because their usual
 * peers never send them. An ERR_CHUNK is certainly about the form if no chunk was read before it, or if nothing else in
 * the Call can be refused. Documents: RFC 8166 sections 3.4.5.2 and 3.5.3, the implementation experience, and, by
 * profile, RFC 5667 sections 4 and 5.
 */
#include "engine/rpcrdma/rpcrdma_reaction.h"
#include "wire/invariant.h"

enum {
    SEGMENTS_MAX = 16,     /* a responder may refuse more: RFC 8267 section 6.4.2 */
    LENGTH_MODEST = 65536, /* a responder may refuse more: RFC 8166 section 8.1.4 */
    LONG_THAT_FITS = RPCRDMA_INLINE_DEFAULT - RPCRDMA_HEADER_MIN,
};

/* ---- facts about a Call ---- */

static unsigned accept_read_chunks(const struct rpcrdma_transaction *t)
{
    INVARIANT(t->first_write <= t->n_chunks);
    return t->first_write;
}

static unsigned accept_data_chunks(const struct rpcrdma_transaction *t)
{
    INVARIANT(t->position_zero < (int)t->first_write);
    return accept_read_chunks(t) - (t->position_zero >= 0);
}

static bool of_version(const struct rpcrdma_transaction *t, uint32_t version)
{
    return t->open->call_body.known && nfs_is_version(&t->open->call_body.rpc, version);
}

static bool is_nfs2_or_nfs3(const struct rpcrdma_transaction *t)
{
    return of_version(t, 2) || of_version(t, 3);
}

static bool has_result(const struct rpcrdma_transaction *t, enum nfs_result result)
{
    return is_nfs2_or_nfs3(t) && nfs_result_of(&t->open->call_body.rpc) == result;
}

/* ---- the forms ---- */

static bool roundup_in_chunk(const struct rpcrdma_transaction *t)
{
    const struct rpcrdma_body *body = &t->open->call_body;

    for (unsigned i = 0; body->walked && i < body->n_items; i++) {
        const struct rpcrdma_item *item = &body->items[i];

        if (item->chunk >= 0 && item->item.count % 4 != 0 &&
            t->chunks[item->chunk].length == xdr_padded(item->item.count))
            return true;
    }
    return false;
}

static bool long_that_fits(const struct rpcrdma_transaction *t)
{
    return t->open->call_header.proc == RPCRDMA_NOMSG && t->position_zero >= 0 && accept_data_chunks(t) == 0 &&
           t->chunks[t->position_zero].n == 1 && t->chunks[t->position_zero].length <= LONG_THAT_FITS;
}

static bool long_in_segments(const struct rpcrdma_transaction *t)
{
    return t->open->call_header.proc == RPCRDMA_NOMSG && t->position_zero >= 0 && accept_data_chunks(t) == 0 &&
           t->chunks[t->position_zero].n > 1;
}

static bool long_with_data(const struct rpcrdma_transaction *t)
{
    return t->open->call_header.proc == RPCRDMA_NOMSG && t->position_zero >= 0 && accept_data_chunks(t) == 1;
}

static bool data_in_segments(const struct rpcrdma_transaction *t)
{
    return t->open->call_header.proc == RPCRDMA_MSG && t->position_zero < 0 && accept_data_chunks(t) == 1 &&
           t->chunks[0].n > 1;
}

static bool no_room_for_roundup(const struct rpcrdma_transaction *t)
{
    return has_result(t, NFS_RESULT_DATA) && t->n_writes == 1 && t->chunks[t->first_write].length % 4 != 0;
}

static bool surplus_write_list(const struct rpcrdma_transaction *t)
{
    return is_nfs2_or_nfs3(t) && t->n_writes > 0 && !has_result(t, NFS_RESULT_DATA) && !has_result(t, NFS_RESULT_LINK);
}

static bool second_write_chunk(const struct rpcrdma_transaction *t)
{
    return t->n_writes > 1 && (has_result(t, NFS_RESULT_DATA) || has_result(t, NFS_RESULT_LINK));
}

static bool write_list_for_null(const struct rpcrdma_transaction *t)
{
    return of_version(t, 4) && t->open->call_body.rpc.proc == 0 && t->n_writes > 0;
}

static const struct form {
    enum rule_id rule;
    bool old; /* only with the RFC 5666 profile */
    bool (*applies)(const struct rpcrdma_transaction *t);
    const char *what;
} forms[] = {
    {RULE_RPCR_3_4_5_2_04, false, roundup_in_chunk, "a Read chunk that includes its item's roundup"},
    {RULE_RPCR_3_5_3_16, false, long_in_segments, "a Position-Zero Read chunk of several segments"},
    {RULE_RPCR_3_5_3_15, false, long_that_fits, "a Long Call that would have fit inline"},
    {RULE_EXP_3_5_1_01, false, long_with_data, "a Long Call with an additional Read chunk"},
    {RULE_EXP_3_2_1_02, false, data_in_segments, "a Read chunk of several segments"},
    {RULE_EXP_3_8_1_03, false, no_room_for_roundup, "a Write chunk without room for roundup"},
    {RULE_RPCR0_4N_01, true, surplus_write_list, "a Write list that the procedure does not need"},
    {RULE_RPCR0_4N_02, true, second_write_chunk, "a second Write chunk"},
    {RULE_RPCR0_5N_01, true, write_list_for_null, "a Write list in a NULL Call"},
};

/* ---- refusals ---- */

bool rpcrdma_reads_modest(const struct rpcrdma_transaction *t)
{
    uint64_t length = 0;

    for (unsigned i = 0; i < accept_read_chunks(t); i++)
        length += t->chunks[i].length;
    return length <= LENGTH_MODEST;
}

static bool is_ordinary(const struct rpcrdma_transaction *t)
{
    for (unsigned i = 0; i < accept_read_chunks(t); i++) {
        if (t->chunks[i].n > SEGMENTS_MAX)
            return false;
    }
    return rpcrdma_reads_modest(t);
}

bool rpcrdma_untouched(const struct rpcrdma_transaction *t)
{
    for (unsigned i = 0; i < t->n_offers; i++) {
        if (t->offers[i].touched)
            return false;
    }
    return true;
}

/* The Reply has a fixed size, apart from the contents of the Write chunk, so it fits. */
static bool accept_reply_fits(const struct rpcrdma_transaction *t)
{
    if (!is_nfs2_or_nfs3(t) || t->open->call_body.walk.status != NFS_WALK_OK || has_result(t, NFS_RESULT_DIRECTORY) ||
        has_result(t, NFS_RESULT_LINK))
        return false;
    return !has_result(t, NFS_RESULT_DATA) || t->n_writes > 0;
}

static bool accept_refused(const struct rpcrdma_message *m)
{
    const struct rpc_message *rpc = m->has_rpc ? &m->rpc : &m->transaction->open->reply_body.rpc;

    if (m->kind == RPCRDMA_KIND_ERROR)
        return true;
    return rpc->status == RPC_OK && rpc->type == RPC_REPLY && rpc->reply_stat == RPC_MSG_ACCEPTED &&
           rpc->accept_stat == RPC_GARBAGE_ARGS;
}

/* What every NFSv4 server must accept: RFC 8267 section 6.4.2. */
static enum rule_id compound_rule(const struct rpcrdma_transaction *t)
{
    unsigned longest = 0;

    for (unsigned i = 0; i < t->n_chunks; i++)
        longest = t->chunks[i].n > longest ? t->chunks[i].n : longest;
    if (t->open->call_body.rpc.proc == 0 || accept_data_chunks(t) > 1 || t->n_writes > 1 || longest > SEGMENTS_MAX)
        return RULE_COUNT;
    if (t->n_writes > 0 || longest > 1)
        return RULE_NFSULB_6_4_2_05;
    return accept_read_chunks(t) > 0 ? RULE_NFSULB_6_4_2_04 : RULE_COUNT;
}

enum rule_id rpcrdma_form_rule(const struct rpcrdma_connection *rpcrdma, const struct rpcrdma_transaction *t)
{
    if (rpcrdma->client != (int)t->side || t->offers_lost || t->n_chunks == 0 || t->fault != 0 || !rpcrdma_untouched(t))
        return RULE_COUNT;
    for (size_t i = 0; is_ordinary(t) && i < sizeof forms / sizeof *forms; i++) {
        if (forms[i].old == rpcrdma_by_rfc5666(rpcrdma) && forms[i].applies(t))
            return forms[i].rule;
    }
    return of_version(t, 4) && !rpcrdma_by_rfc5666(rpcrdma) ? compound_rule(t) : RULE_COUNT;
}

/*
 * A Long Call of which the responder read only a part: it knows only the Transport header, whose chunks are not
 * unusual. An early Call may have broken another connection (RFC 8166 section 4.5.3).
 */
static void judge_unread(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m)
{
    const struct rpcrdma_transaction *t = m->transaction;
    bool error = m->kind == RPCRDMA_KIND_ERROR, lost = false;
    enum rule_id rule = error ? RULE_RPCR_4_5_12 : RULE_RPC_9_05;
    uint64_t moved;

    if (t->open->call_header.proc != RPCRDMA_NOMSG || t->position_zero < 0 || t->open->call_body.known ||
        accept_data_chunks(t) > 1 || t->n_writes > 1 || t->fault != 0 || t->astray || t->repeats ||
        rpcrdma_by_rfc5666(rpcrdma))
        return;
    moved = rpcrdma_chunk_moved(t, &t->chunks[t->position_zero], &lost);
    if (lost || moved >= t->chunks[t->position_zero].length) {
        rpcrdma_inconclusive(rpcrdma, rule, lost ? WHY_MEMORY : WHY_CAUSE);
        return;
    }
    rpcrdma_fail_as(rpcrdma, m, rule,
                    error && rpcrdma->side[t->side].calls.answered == 0 ? SEVERITY_WARNING
                                                                        : rule_catalogue[rule].severity,
                    t->call.frame,
                    "expected the Long Call in frame %u to be read and served; found %s after %llu of its %llu octets",
                    t->call.frame, error ? "ERR_CHUNK" : "GARBAGE_ARGS", (unsigned long long)moved,
                    (unsigned long long)t->chunks[t->position_zero].length);
}

void rpcrdma_accept_answer(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m)
{
    const struct rpcrdma_transaction *t = m->transaction;
    bool unread = m->kind == RPCRDMA_KIND_ERROR && accept_read_chunks(t) > 0 && rpcrdma_untouched(t),
         is_refused = accept_refused(m);

    if (rpcrdma->client != (int)t->side || t->damage || t->offers_lost || t->n_chunks == 0 || !is_ordinary(t))
        return;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        const struct form *form = &forms[i];

        if (form->old != rpcrdma_by_rfc5666(rpcrdma) || !form->applies(t))
            continue;
        if (!is_refused) {
            rpcrdma_pass(rpcrdma, form->rule);
        } else if (!unread && !form->old && !accept_reply_fits(t)) {
            rpcrdma_inconclusive(rpcrdma, form->rule, WHY_CAUSE);
        } else {
            rpcrdma_fail(rpcrdma, m, form->rule, t->call.frame,
                         "expected the Call in frame %u to be served despite %s; found %s in answer", t->call.frame,
                         form->what, m->kind == RPCRDMA_KIND_ERROR ? "ERR_CHUNK" : "GARBAGE_ARGS");
            return; /* one unusual form is enough to refuse the Call */
        }
    }
    if (is_refused)
        judge_unread(rpcrdma, m);
}
