// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/across/across_auxiliary.h"
#include "wire/invariant.h"

/* ---- questions ---- */

int auxiliary_of(const struct rpcbind_lookup *lookup)
{
    return rpcbind_transport(lookup) == RPCBIND_FOR_TCP ? nfs_auxiliary(lookup->program, lookup->program_version) : -1;
}

/*
 * RFC 1833 section 2.2.1: GETADDR asks about the transport on which it is sent, regardless of the netid in it. Version
 * 2 knows IPv4 only.
 */
bool auxiliary_is_certain(const struct lookup_place *place, const struct rpcbind_lookup *lookup)
{
    if (lookup->version == RPCBIND_PORTMAPPER)
        return place->client->ip == 4;
    return place->tcp && rpcbind_is_tcp(lookup, place->client->ip);
}

void auxiliary_doubt(struct auxiliary *auxiliary, const struct question *question)
{
    if (question->auxiliary >= 0)
        auxiliary->offer[question->auxiliary].doubtful = true;
    INVARIANT(question->auxiliary < NFS_AUXILIARIES);
}

void auxiliary_answered(struct auxiliary *auxiliary, const struct question *question, enum rpcbind_answer answer,
                        const struct lookup_place *place)
{
    struct auxiliary_offer *offer;

    if (question->auxiliary < 0)
        return;
    offer = &auxiliary->offer[question->auxiliary];
    INVARIANT(question->auxiliary < NFS_AUXILIARIES && auxiliary->asked);
    if (!question->certain) {
        offer->doubtful = true;
    } else if (answer == RPCBIND_REGISTERED) {
        offer->offered = true;
    } else {
        offer->lacking_frame = place->frame;
        offer->lacking_ns = place->time_ns;
    }
}

/* ---- judgement ---- */

/* A Call of NFS version 2 or 3 that the server carried out. */
static const struct rpcrdma_across_call *legacy_call(const struct rpcrdma_across_record *record)
{
    for (unsigned i = 0; i < record->n_calls; i++) {
        const struct rpcrdma_across_call *call = &record->calls[i];

        if (!call->reverse && call->request_known && call->succeeded && call->program == NFS_PROGRAM &&
            (call->version == 2 || call->version == 3))
            return call;
    }
    return NULL;
}

static void judge_offer(struct auxiliary_offer *offer, unsigned program, const struct rpcrdma_across_record *record,
                        const struct rpcrdma_across_call *call, struct verdict *verdict)
{
    if (offer->offered) {
        verdict_passed(verdict, RULE_NFSULB_5_1_01);
        offer->settled = true;
    } else if (offer->lacking_frame == 0 || offer->doubtful || offer->lacking_ns > record->end_ns ||
               record->start_ns - offer->lacking_ns > lookups_recent_ns) {
        if (offer->lacking_frame != 0 || offer->doubtful)
            verdict_inconclusive(verdict, RULE_NFSULB_5_1_01, WHY_ELSEWHERE, call->answer.frame);
    } else {
        verdict_failed(verdict, RULE_NFSULB_5_1_01, rpcrdma_across_direction(record, call->answer.side), &call->answer,
                       offer->lacking_frame,
                       "expected a server of NFS version %u to offer %s over TCP; found that the server's rpcbind says "
                       "in frame %u that %s is not registered for TCP",
                       call->version, nfs_auxiliary_name(program), offer->lacking_frame, nfs_auxiliary_name(program));
        offer->settled = true;
        INVARIANT(offer->settled && offer->lacking_frame != 0);
    }
}

void auxiliary_judge(struct auxiliary *auxiliary, const struct rpcrdma_across_record *record, struct verdict *verdict)
{
    const struct rpcrdma_across_call *call = auxiliary->asked ? legacy_call(record) : NULL;

    for (unsigned program = 0; call && program < NFS_AUXILIARIES; program++) {
        struct auxiliary_offer *offer = &auxiliary->offer[program];

        offer->doubtful |= auxiliary->unread;
        if (!offer->settled && nfs_auxiliary_needed(program, call->version))
            judge_offer(offer, program, record, call, verdict);
    }
}
