// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/tester/suite/expect/life.h"

#include "traffic-gen/tester/suite/talk/talk_job.h"

static const int64_t tries_max = 10 * INT64_C(1000000000); /* a slow device gets fewer tries */

enum life life_await(struct talk *talk, enum talk_sign sign, int64_t ns)
{
    int64_t until = talk_now() + ns;

    for (;;) {
        const struct talk_heard *heard = talk_hear(talk, MAX(until - talk_now(), 0));

        switch (heard->what) {
        case TALK_FPDU:
            if (heard->is_terminate)
                return LIFE_TERMINATE;
            if (talk_is_sign(talk, sign, heard))
                return LIFE_ANSWERS;
            break;
        case TALK_SILENCE:
            return LIFE_MUTE;
        case TALK_FRAME:
        case TALK_GARBAGE:
            return LIFE_GARBAGE;
        case TALK_FIN:
        case TALK_RESET:
            return LIFE_CLOSED;
        }
    }
}

/* ---- probing ---- */

/* Without a question: any message counts, unless it ends the connection. */
static enum life watch_tcp(struct talk *talk)
{
    int64_t until = talk_now() + talk_t_react(talk);
    enum life life;

    while ((life = life_await(talk, SIGN_TCP, MAX(until - talk_now(), 0))) == LIFE_ANSWERS)
        ;
    return life == LIFE_MUTE && talk_delivered(talk) ? LIFE_STAYS : life;
}

/* Times of answers are learned only without errors. */
static enum life ask_and_await(struct talk *talk, enum talk_sign sign)
{
    const int64_t asked = talk_now();
    enum life life;

    talk_ask(talk, sign, "");
    life = life_await(talk, sign, talk_t_react(talk));
    if (life == LIFE_ANSWERS && !talk_job(talk)->row)
        patience_note(&talk_job(talk)->run->patience, talk_now() - asked);
    return life;
}

enum life life_probe(struct talk *talk)
{
    enum talk_sign sign = talk_usable_sign(talk);

    if (!talk_is_operating(talk))
        return LIFE_NOT_STARTED;
    if (sign == SIGN_TCP)
        return watch_tcp(talk);
    return ask_and_await(talk, sign);
}

static bool refuses_reply(struct talk *talk)
{
    const struct talk_heard *heard;

    talk_begin_operation(talk);
    heard = talk_hear(talk, talk_t_close(talk));
    return heard->is_terminate || !talk_is_open(talk);
}

static bool refuses_request(struct talk *talk)
{
    const struct mpa_startup *reply = talk_hear_frame(talk);

    return reply ? reply->flags & MPA_FLAG_R : !talk_is_open(talk);
}

bool life_refuses_markers(const struct talk *beside)
{
    const struct talk_wish wish = {.markers = true};
    const bool is_responder = !talk_is_initiator(beside);
    bool refuses = false;
    struct talk *talk = talk_begin_job(talk_job(beside)->run, NULL, 1, NULL);

    if (talk_open(talk) && (!is_responder || talk_hear_frame(talk)) && talk_send_frame(talk, &wish))
        refuses = is_responder ? refuses_reply(talk) : refuses_request(talk);
    talk_end_job(talk);
    return refuses;
}

const char *life_words(struct talk *talk, enum life life)
{
    g_autofree char *what = g_strdup(talk_found(talk));

    switch (life) {
    case LIFE_STAYS:
        return talk_phrase(talk, "it acknowledges, and the connection stays open");
    case LIFE_MUTE:
        return talk_phrase(talk, "it no longer answers within %.1f s", (double)talk_t_react(talk) / 1e9);
    case LIFE_NOT_STARTED:
        return talk_phrase(talk, "the start-up fails: %s", what);
    default:
        return talk_phrase(talk, "%s", what);
    }
}

/* ---- learning ---- */

/* Questions that this service accepts even if it may not answer: Sends are only for services that expect them. */
static bool may_ask(const struct talk *talk, enum talk_sign sign)
{
    const struct talk_run *run = talk_job(talk)->run;
    unsigned has = run->has | run->services;

    switch (sign) {
    case SIGN_READ:
        return true;
    case SIGN_REGION:
        return talk_advert(talk)->n > 0;
    case SIGN_ECHO:
        return has & NEED_ECHO;
    case SIGN_RPC:
        return has & (NEED_RPC | NEED_NFS);
    default:
        return false;
    }
}

static bool probe_ask(struct talk *talk, enum talk_sign sign)
{
    if (!talk_can_ask(talk, sign))
        return false;
    return ask_and_await(talk, sign) == LIFE_ANSWERS;
}

/*
 * Some devices sometimes lose octets that arrive while they enter full operation, or read them only when more come.
 * This loss is a separate finding (MPA-7.1.2-12); all other cases give such devices time.
 */
static bool needs_time(struct talk *talk, enum talk_sign sign)
{
    const struct talk_wish wish = {.at_once = true};
    const int64_t until = talk_now() + tries_max;

    for (unsigned i = 0; i < LIFE_AT_ONCE_TRIES && talk_now() < until; i++) {
        if (!talk_start(talk, &wish))
            return false;
        if (!probe_ask(talk, sign))
            return talk_last(talk)->what == TALK_SILENCE;
    }
    return false;
}

static enum talk_sign probe_ask_all(struct talk *talk)
{
    enum talk_sign best = SIGN_TCP;

    for (enum talk_sign sign = SIGN_READ; sign < SIGN_SPEAKS; sign++) {
        if (!may_ask(talk, sign) || (sign == SIGN_REGION && best == SIGN_READ))
            continue;
        /* The device refused the question and ended the connection. */
        if ((!talk_is_operating(talk) || !talk_is_whole(talk)) && !talk_start(talk, NULL))
            break;
        if (may_ask(talk, sign) && probe_ask(talk, sign)) {
            talk_job(talk)->run->signs |= 1u << sign;
            best = best == SIGN_TCP ? sign : best;
        }
    }
    return best;
}

enum talk_sign life_learn_sign(struct talk *talk)
{
    enum talk_sign best = probe_ask_all(talk);

    if (talk_hurries(talk) && best != SIGN_TCP && needs_time(talk, best))
        g_atomic_int_set(&talk_job(talk)->run->late_first, 1);
    return best;
}
