// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/across/across_questions.h"
#include "wire/invariant.h"

static unsigned kept(const struct questions *questions)
{
    return questions->n < QUESTIONS_MAX ? questions->n : QUESTIONS_MAX;
}

static bool questions_is_of(const struct question *question, const struct lookup_place *place)
{
    return question->port == place->client->port && question->tcp == place->tcp;
}

static struct question *asked_with(struct questions *questions, uint32_t xid, const struct lookup_place *place)
{
    for (unsigned i = 1; i <= kept(questions); i++) {
        struct question *question = &questions->latest[(questions->n - i) % QUESTIONS_MAX];

        if (question->xid == xid && questions_is_of(question, place))
            return question;
    }
    return NULL;
}

static bool same_question(const struct question *a, const struct question *b)
{
    return a->certain == b->certain && a->auxiliary == b->auxiliary && a->sought == b->sought &&
           a->transport == b->transport && a->program_version == b->program_version && a->version == b->version &&
           a->procedure == b->procedure;
}

void questions_asked(struct questions *questions, const struct lookup_place *place, const struct rpcbind_lookup *lookup)
{
    struct question *earlier = asked_with(questions, lookup->xid, place);
    struct question asked = {.xid = lookup->xid,
                             .port = place->client->port,
                             .tcp = place->tcp,
                             .auxiliary = (int8_t)auxiliary_of(lookup),
                             .certain = auxiliary_is_certain(place, lookup),
                             .sought = (uint8_t)nfs_sought(lookup),
                             .transport = (uint8_t)rpcbind_transport(lookup),
                             .program_version = (uint8_t)lookup->program_version,
                             .version = (uint8_t)lookup->version,
                             .procedure = (uint8_t)lookup->procedure,
                             .times = 1,
                             .first = {.frame = place->frame, .time_ns = place->time_ns}};
    bool relevant = asked.auxiliary >= 0 || asked.sought < NFS_SOUGHTS;

    asked.last = asked.first;
    questions->auxiliary.asked |= asked.auxiliary >= 0;
    if (earlier && relevant && same_question(earlier, &asked)) { /* the question is repeated */
        earlier->times += !earlier->answered;
        earlier->last = asked.last;
    } else if (earlier) {
        asked.ambiguous = !earlier->answered || !relevant;
        *earlier = asked;
    } else if (relevant) {
        questions->latest[questions->n++ % QUESTIONS_MAX] = asked;
    }
    INVARIANT(!relevant || asked_with(questions, lookup->xid, place));
    INVARIANT(asked.auxiliary < 0 || questions->auxiliary.asked);
}

void questions_asked_unread(struct questions *questions)
{
    questions->auxiliary.asked = questions->auxiliary.unread = true;
}

static void answered_unread(struct questions *questions, const struct lookup_place *place)
{
    for (unsigned i = 0; i < kept(questions); i++) {
        struct question *question = &questions->latest[i];

        if (!questions_is_of(question, place) || question->answered)
            continue;
        question->perhaps = true;
        INVARIANT(!question->answered && question->times > 0);
        auxiliary_doubt(&questions->auxiliary, question);
    }
}

void questions_answered(struct questions *questions, const struct lookup_place *place, const uint8_t *p, size_t n)
{
    struct question *question;
    enum rpcbind_answer answer;
    uint16_t port;
    uint32_t xid;

    if (!p)
        answered_unread(questions, place);
    if (!p || !rpcbind_reply_xid(p, n, &xid))
        return;
    question = asked_with(questions, xid, place);
    if (!question)
        return;
    question->answered = true;
    if (question->ambiguous)
        return;
    answer = rpcbind_decode_answer(question->version, question->procedure, p, n, &port);
    if (answer == RPCBIND_NO_ANSWER)
        return;
    auxiliary_answered(&questions->auxiliary, question, answer, place);
    if (question->sought < NFS_SOUGHTS)
        sought_answered(&questions->sought[question->sought], question, answer, port, place);
    INVARIANT(question->answered && question->sought <= NFS_SOUGHTS);
}

void questions_tell(const struct questions *questions, struct ulp_sought *told, int64_t now_ns,
                    const struct ulp_sought_host *host)
{
    for (unsigned i = 0; i < NFS_SOUGHTS; i++)
        if (sought_outcome(&questions->sought[i], (enum nfs_sought)i, questions->latest, kept(questions), now_ns, told))
            host->tell(host->ctx, told);
}
