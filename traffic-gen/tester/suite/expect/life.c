// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/tester/suite/expect/life.h"

#include "traffic-gen/tester/suite/talk/talk_state.h"

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
    if (life == LIFE_ANSWERS && !talk->row)
        patience_note(&talk->run->patience, talk_now() - asked);
    return life;
}

enum life life_probe(struct talk *talk)
{
    enum talk_sign sign = talk_usable_sign(talk);

    if (!talk->operating)
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
    struct case_result *scratch = case_result_new();
    const struct talk_wish wish = {.markers = true};
    const bool is_responder = !talk_is_initiator(beside);
    bool refuses = false;
    struct talk talk;

    talk_init(&talk, beside->run, NULL, 1, scratch);
    if (talk_open(&talk) && (!is_responder || talk_hear_frame(&talk)) && talk_send_frame(&talk, &wish))
        refuses = is_responder ? refuses_reply(&talk) : refuses_request(&talk);
    talk_clear(&talk);
    case_result_free(scratch);
    return refuses;
}

const char *life_words(struct talk *talk, enum life life)
{
    g_autofree char *what = g_strdup(talk_describe(talk, talk_last(talk)));

    switch (life) {
    case LIFE_STAYS:
        g_strlcpy(talk->transcript.description, "it acknowledges, and the connection stays open",
                  sizeof talk->transcript.description);
        break;
    case LIFE_MUTE:
        g_snprintf(talk->transcript.description, sizeof talk->transcript.description,
                   "it no longer answers within %.1f s", (double)talk_t_react(talk) / 1e9);
        break;
    case LIFE_NOT_STARTED:
        g_snprintf(talk->transcript.description, sizeof talk->transcript.description, "the start-up fails: %s", what);
        break;
    default:
        g_strlcpy(talk->transcript.description, what, sizeof talk->transcript.description);
    }
    return talk->transcript.description;
}

/* ---- learning ---- */

/* Questions that this service accepts even if it may not answer: Sends are only for services that expect them. */
static bool may_ask(const struct talk *talk, enum talk_sign sign)
{
    unsigned has = talk->run->has | talk->run->services;

    switch (sign) {
    case SIGN_READ:
        return true;
    case SIGN_REGION:
        return talk->advert.n > 0;
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
        if ((!talk->operating || !talk_is_open(talk) || talk->connection.our_fin) && !talk_start(talk, NULL))
            break;
        if (may_ask(talk, sign) && probe_ask(talk, sign)) {
            talk->run->signs |= 1u << sign;
            best = best == SIGN_TCP ? sign : best;
        }
    }
    return best;
}

enum talk_sign life_learn_sign(struct talk *talk)
{
    enum talk_sign best = probe_ask_all(talk);

    if (talk_settle_time(talk) == 0 && talk_is_initiator(talk) && best != SIGN_TCP && needs_time(talk, best))
        g_atomic_int_set(&talk->run->late_first, 1);
    return best;
}
