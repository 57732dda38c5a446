// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * CB_RECALL_SLOT (RFC 8881 section 20.8.3): the client returns slots above a target; on RDMA connections it also
 * returns credits, by Sends without octets. Such Sends are not RPC-over-RDMA messages; when nothing was recalled,
 * engine/rpcrdma/rpcrdma_header_rules.c judges them.
 *
 * A request may have got a higher slot before the client saw the recall, and be sent later. The client is held to the
 * target once no request was outstanding when it answered CB_RECALL_SLOT, or once a request that it sent after its
 * answer was answered.
 */
#include "engine/nfs/nfs_internal.h"
#include "wire/invariant.h"

/* ---- the callback ---- */

void nfs_recall_call(struct nfs_look *look)
{
    struct nfs_recall *recall = &look->nfs->recalls.latest;
    uint32_t target;

    if (look->t->repeats || !nfs_value_of(look->body, NFS_MARK_TARGET_SLOT, NFS_OP_CB_RECALL_SLOT, &target))
        return;
    if (!look->nfs->recalls.any) {
        look->nfs->recalls.any = true;
        look->nfs->recalls.first_ns = look->place.time_ns;
    }
    *recall = (struct nfs_recall){
        .in_force = true, .session = look->exchange->session_hash, .target = target, .call = look->t->call.frame};
    INVARIANT(!look->nfs->recalls.latest.in_force || look->nfs->recalls.any);
}

void nfs_recall_answer(struct nfs_look *look)
{
    struct nfs_recall *recall = &look->nfs->recalls.latest;
    const struct nfs_operation *result = nfs_operation_find(look->body, NFS_OP_CB_RECALL_SLOT);
    unsigned client = other_side(look->t->side);

    if (!recall->in_force || recall->call != look->t->call.frame || !nfs_understood(look->body))
        return;
    if (!result || !result->has_status || result->status != 0) { /* CB_RECALL_SLOT was not carried out */
        recall->in_force = false;
        return;
    }
    recall->answered = true;
    recall->settled = look->nfs->in_flight[client].calls == 0 && rpcrdma_calls_seen(look->nfs->rpcrdma, client);
    recall->answer_offset = look->place.offset;
    INVARIANT(recall->in_force && look->nfs->recalls.any && recall->call == look->t->call.frame);
}

/* ---- requests of the session ---- */

/* sa_highest_slotid is the highest slot of all outstanding requests, including this one. */
static void judge_highest(struct nfs_look *look, const struct nfs_recall *recall)
{
    uint32_t highest;

    if (!nfs_value_of(look->body, NFS_MARK_HIGHEST_SLOT, NFS_OP_SEQUENCE, &highest))
        return;
    if (highest <= recall->target)
        nfs_pass(look, RULE_NFS41_20_8_3_03);
    else if (look->nfs->in_flight[look->t->side].calls > 0)
        nfs_inconclusive(look, RULE_NFS41_20_8_3_03, WHY_READINGS);
    else
        nfs_fail(look, RULE_NFS41_20_8_3_03,
                 "expected an sa_highest_slotid of at most %u after CB_RECALL_SLOT in frame %u; found an "
                 "sa_highest_slotid of %u with no other request outstanding",
                 recall->target, recall->call, highest);
}

void nfs_recall_slot(struct nfs_look *look)
{
    const struct nfs_recall *recall = &look->nfs->recalls.latest;
    struct nfs_look found = *look;
    uint32_t slot;

    if (!recall->answered || look->t->repeats || recall->session != look->exchange->session_hash ||
        !nfs_value_of(look->body, NFS_MARK_SLOT, NFS_OP_SEQUENCE, &slot))
        return;
    found.related = recall->call;
    if (!recall->settled || rpcrdma_hole_since(look->nfs->rpcrdma, other_side(look->t->side), recall->call)) {
        nfs_inconclusive(look, RULE_NFS41_20_8_3_02, nfs_doubt(look->nfs, false, WHY_ORDER));
        nfs_inconclusive(look, RULE_NFS41_20_8_3_03, nfs_doubt(look->nfs, false, WHY_ORDER));
    } else if (slot > recall->target) {
        nfs_fail(&found, RULE_NFS41_20_8_3_02,
                 "expected no slot above %u after CB_RECALL_SLOT in frame %u; found a request in slot %u",
                 recall->target, recall->call, slot);
    } else {
        nfs_pass(look, RULE_NFS41_20_8_3_02);
        judge_highest(&found, recall);
    }
}

/* The server may have raised its target again; an answer also shows what the client had sent. */
void nfs_recall_reply(struct nfs_look *look)
{
    struct nfs_recall *recall = &look->nfs->recalls.latest;
    uint32_t target;

    if (!recall->in_force || recall->session != look->exchange->session_hash)
        return;
    if (nfs_value_of(look->body, NFS_MARK_TARGET_SLOT, NFS_OP_SEQUENCE, &target) && target > recall->target)
        recall->answered = false;
    if (look->t->call.offset > recall->answer_offset)
        recall->settled = true;
}

/* ---- Sends of no octets ---- */

enum rpcrdma_returns nfs_recall_returns(const struct nfs_connection *nfs)
{
    if (nfs->recalls.latest.in_force)
        return RPCRDMA_RETURNS_ASKED;
    if (nfs->minors.later) /* another connection may be the session's backchannel */
        return nfs->backchannel.agreed && nfs_all_seen(nfs) ? RPCRDMA_RETURNS_NOT_ASKED : RPCRDMA_RETURNS_UNCLEAR;
    if (!nfs_all_seen(nfs))
        return RPCRDMA_RETURNS_UNCLEAR;
    return nfs->forward_calls > 0 ? RPCRDMA_RETURNS_NO_SESSION : RPCRDMA_RETURNS_UNKNOWN;
}

bool nfs_connection_recalled(const struct nfs_connection *nfs, int64_t *time_ns)
{
    *time_ns = nfs->recalls.first_ns;
    return nfs->recalls.any;
}
