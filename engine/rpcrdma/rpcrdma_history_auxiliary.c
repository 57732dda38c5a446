// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/rpcrdma/rpcrdma_history_auxiliary.h"

#include "engine/rpcrdma/rpcrdma_history_lookups.h"

/* ---- questions ---- */

static struct auxiliary_question *asked_with(struct auxiliary *auxiliary, uint32_t xid, uint16_t port, bool tcp)
{
    unsigned kept = auxiliary->n_questions < AUXILIARY_QUESTIONS_MAX ? auxiliary->n_questions : AUXILIARY_QUESTIONS_MAX;

    for (unsigned i = 1; i <= kept; i++) {
        unsigned at = (auxiliary->n_questions - i) % AUXILIARY_QUESTIONS_MAX;
        struct auxiliary_question *question = &auxiliary->question[at];

        if (question->xid == xid && question->port == port && question->tcp == tcp)
            return question;
    }
    return NULL;
}

static bool same_question(const struct auxiliary_question *a, const struct auxiliary_question *b)
{
    return a->certain == b->certain && a->program == b->program && a->version == b->version &&
           a->procedure == b->procedure;
}

/*
 * RFC 1833 section 2.2.1: GETADDR is about the transport that it comes on, whatever netid it names. Version 2 knows
 * IPv4 only.
 */
static bool about_tcp(const struct endpoint *client, bool tcp, const struct rpcbind_lookup *lookup, bool *certain)
{
    if (lookup->version == RPCBIND_PORTMAPPER) {
        *certain = client->ip == 4;
        return lookup->protocol == RPCBIND_TCP;
    }
    *certain = tcp && rpcbind_is_tcp(lookup, client->ip);
    return rpcbind_is_tcp(lookup, 4) || rpcbind_is_tcp(lookup, 6);
}

void auxiliary_asked(struct auxiliary *auxiliary, const struct endpoint *client, bool tcp,
                     const struct rpcbind_lookup *lookup)
{
    struct auxiliary_question *earlier = asked_with(auxiliary, lookup->xid, client->port, tcp);
    int program = nfs_auxiliary(lookup->program, lookup->program_version);
    struct auxiliary_question asked = {.xid = lookup->xid,
                                       .port = client->port,
                                       .tcp = tcp,
                                       .program = (uint8_t)program,
                                       .version = (uint8_t)lookup->version,
                                       .procedure = (uint8_t)lookup->procedure};
    bool relevant = about_tcp(client, tcp, lookup, &asked.certain) && program >= 0;

    if (earlier && relevant && same_question(earlier, &asked)) /* asked again */
        return;
    if (earlier) {
        asked.ambiguous = !earlier->answered || !relevant;
        *earlier = asked;
    } else if (relevant) {
        auxiliary->question[auxiliary->n_questions++ % AUXILIARY_QUESTIONS_MAX] = asked;
    }
}

void auxiliary_asked_unread(struct auxiliary *auxiliary)
{
    auxiliary->unread = true;
}

void auxiliary_answered_unread(struct auxiliary *auxiliary, const struct endpoint *client, bool tcp)
{
    for (unsigned i = 0; i < auxiliary->n_questions && i < AUXILIARY_QUESTIONS_MAX; i++) {
        const struct auxiliary_question *question = &auxiliary->question[i];

        if (question->port == client->port && question->tcp == tcp && !question->answered)
            auxiliary->offer[question->program].doubtful = true;
    }
}

void auxiliary_answered(struct auxiliary *auxiliary, const struct endpoint *client, bool tcp, const uint8_t *p,
                        size_t n, uint32_t frame, int64_t time_ns)
{
    struct auxiliary_question *question;
    struct auxiliary_offer *offer;
    enum rpcbind_answer answer;
    uint32_t xid;

    if (!rpcbind_reply_xid(p, n, &xid))
        return;
    question = asked_with(auxiliary, xid, client->port, tcp);
    if (!question)
        return;
    question->answered = true;
    if (question->ambiguous)
        return;
    answer = rpcbind_decode_answer(question->version, question->procedure, p, n);
    if (answer == RPCBIND_NO_ANSWER)
        return;
    offer = &auxiliary->offer[question->program];
    if (!question->certain) {
        offer->doubtful = true;
    } else if (answer == RPCBIND_REGISTERED) {
        offer->offered = true;
    } else {
        offer->lacking_frame = frame;
        offer->lacking_ns = time_ns;
    }
}

/* ---- judgement ---- */

/* A Call of NFS version 2 or 3 that the server carried out. */
static const struct rpcrdma_history_call *legacy_call(const struct rpcrdma_history_record *record)
{
    for (unsigned i = 0; i < record->n_calls; i++) {
        const struct rpcrdma_history_call *call = &record->calls[i];

        if (!call->reverse && call->request_known && call->succeeded && call->program == NFS_PROGRAM &&
            (call->version == 2 || call->version == 3))
            return call;
    }
    return NULL;
}

static void judge_offer(struct auxiliary_offer *offer, unsigned program, const struct rpcrdma_history_record *record,
                        const struct rpcrdma_history_call *call, struct verdict *verdict)
{
    if (offer->offered) {
        verdict_passed(verdict, RULE_NFSULB_5_1_01);
        offer->settled = true;
    } else if (offer->lacking_frame == 0 || offer->doubtful || offer->lacking_ns > record->end_ns ||
               record->start_ns - offer->lacking_ns > lookups_recent_ns) {
        if (offer->lacking_frame != 0 || offer->doubtful)
            verdict_inconclusive(verdict, RULE_NFSULB_5_1_01);
    } else {
        verdict_failed(verdict, RULE_NFSULB_5_1_01, rpcrdma_history_direction(record, call->answer.side), &call->answer,
                       offer->lacking_frame,
                       "expected a server of NFS version %u to offer %s over TCP; found that its rpcbind says in frame "
                       "%u that the program is not registered for TCP",
                       call->version, nfs_auxiliary_name(program), offer->lacking_frame);
        offer->settled = true;
    }
}

void auxiliary_judge(struct auxiliary *auxiliary, const struct rpcrdma_history_record *record, struct verdict *verdict)
{
    const struct rpcrdma_history_call *call =
        auxiliary->n_questions > 0 || auxiliary->unread ? legacy_call(record) : NULL;

    for (unsigned program = 0; call && program < NFS_AUXILIARIES; program++) {
        struct auxiliary_offer *offer = &auxiliary->offer[program];

        offer->doubtful |= auxiliary->unread;
        if (!offer->settled && nfs_auxiliary_needed(program, call->version))
            judge_offer(offer, program, record, call, verdict);
    }
}
