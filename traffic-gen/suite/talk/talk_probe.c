// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Signs of life. Devices show in different ways that they work: most answer a zero-length Read, some serve no Reads and
 * only echo, or only speak RPC, and some services show nothing but TCP. So the sign is learned before the first case,
 * on connections without errors, and no case waits for a sign that the device never gave.
 */
#include "traffic-gen/suite/talk/talk_internal.h"
#include "wire/octets.h"

#include <string.h>

static const int64_t settle_guess = 300 * INT64_C(1000000);
static const int64_t tries_max = 10 * INT64_C(1000000000); /* a slow device gets fewer tries */
enum { PLAIN_TIMES = 2 };

static const char echo_words[] = "are you there?";

enum talk_sign talk_sign(const struct talk *talk)
{
    return talk->run->sign;
}

/* ---- questions ---- */

/* On this connection. */
static bool can_ask(const struct talk *talk, enum talk_sign sign)
{
    switch (sign) {
    case SIGN_READ:
        return talk_dut_ird(talk) > 0;
    case SIGN_REGION:
        return talk_dut_ird(talk) > 0 && talk->advert.n > REGION_ALL && talk->advert.regions[REGION_ALL].length > 0;
    case SIGN_ECHO:
        return true;
    case SIGN_RPC: /* for a server: a client must not be called before it asks for it (RFC 8167 section 6) */
        return talk_is_initiator(talk);
    default:
        return false;
    }
}

const char *talk_question(struct talk *talk, enum talk_sign sign)
{
    switch (sign) {
    case SIGN_READ: /* STag and Tagged Offset are not checked (RFC 5040 section 7.2) */
        return "read";
    case SIGN_REGION:
        return "read region=all size=1";
    case SIGN_ECHO:
        talk->given = (const uint8_t *)echo_words;
        talk->given_n = sizeof echo_words;
        return "send";
    case SIGN_RPC:
        talk->null_xid = nfs_run_draw(&talk->run->nfs);
        rpc_null_send(talk->null_call, talk->null_xid);
        talk->given = talk->null_call;
        talk->given_n = sizeof talk->null_call;
        return "send";
    default:
        return "";
    }
}

static bool probe_is_send(const struct ddp_segment *ddp)
{
    return ddp->opcode == RDMAP_SEND || ddp->opcode == RDMAP_SEND_SE || ddp->opcode == RDMAP_SEND_INVALIDATE ||
           ddp->opcode == RDMAP_SEND_SE_INVALIDATE;
}

static bool probe_is_answer(const struct talk *talk, enum talk_sign sign, const struct talk_heard *heard)
{
    const struct ddp_segment *ddp = &heard->ddp;

    if (!heard->has_ddp)
        return false;
    switch (sign) {
    case SIGN_READ:
    case SIGN_REGION:
        return ddp->opcode == RDMAP_READ_RESPONSE && ddp->last;
    case SIGN_ECHO:
        return probe_is_send(ddp) && ddp->payload_len == sizeof echo_words &&
               memcmp(ddp->payload, echo_words, sizeof echo_words) == 0;
    case SIGN_RPC:
        return probe_is_send(ddp) && ddp->payload_len >= 4 && get_be32(ddp->payload) == talk->null_xid;
    default:
        return true;
    }
}

enum talk_life talk_await(struct talk *talk, enum talk_sign sign, int64_t ns)
{
    int64_t until = talk_now() + ns;

    for (;;) {
        const struct talk_heard *heard = talk_hear(talk, MAX(until - talk_now(), 0));

        switch (heard->what) {
        case TALK_FPDU:
            if (heard->is_terminate)
                return LIFE_TERMINATE;
            if (probe_is_answer(talk, sign, heard))
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

enum talk_sign talk_usable_sign(const struct talk *talk)
{
    if (can_ask(talk, talk->run->sign))
        return talk->run->sign;
    for (enum talk_sign sign = SIGN_READ; sign < SIGN_SPEAKS; sign++) {
        if (talk->run->signs & 1u << sign && can_ask(talk, sign))
            return sign;
    }
    return SIGN_TCP;
}

bool talk_reads(const struct talk *talk)
{
    return talk->run->signs & (1u << SIGN_READ | 1u << SIGN_REGION) && talk_dut_ird(talk) > 0;
}

bool talk_echoes(const struct talk *talk)
{
    return talk->run->signs & 1u << SIGN_ECHO;
}

/* ---- probing ---- */

/* Without a question: any message counts, unless it ends the connection. */
static enum talk_life watch_tcp(struct talk *talk)
{
    int64_t until = talk_now() + talk_t_react(talk);
    enum talk_life life;

    while ((life = talk_await(talk, SIGN_TCP, MAX(until - talk_now(), 0))) == LIFE_ANSWERS)
        ;
    return life == LIFE_MUTE && talk_delivered(talk) ? LIFE_STAYS : life;
}

/* Times of answers are learned only without errors. */
static enum talk_life ask_and_await(struct talk *talk, enum talk_sign sign)
{
    const int64_t asked = talk_now();
    enum talk_life life;

    talk_ask(talk, sign, "");
    life = talk_await(talk, sign, talk_t_react(talk));
    if (life == LIFE_ANSWERS && !talk->row)
        patience_note(&talk->run->patience, talk_now() - asked);
    return life;
}

enum talk_life talk_probe(struct talk *talk)
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

bool talk_refuses_markers(const struct talk *beside)
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

const char *talk_life_words(struct talk *talk, enum talk_life life)
{
    g_autofree char *what = g_strdup(talk_describe(talk, talk_last(talk)));

    switch (life) {
    case LIFE_STAYS:
        g_strlcpy(talk->description, "it acknowledges, and the connection stays open", sizeof talk->description);
        break;
    case LIFE_MUTE:
        g_snprintf(talk->description, sizeof talk->description, "it no longer answers within %.1f s",
                   (double)talk_t_react(talk) / 1e9);
        break;
    case LIFE_NOT_STARTED:
        g_snprintf(talk->description, sizeof talk->description, "the start-up fails: %s", what);
        break;
    default:
        g_strlcpy(talk->description, what, sizeof talk->description);
    }
    return talk->description;
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
    if (!can_ask(talk, sign))
        return false;
    return ask_and_await(talk, sign) == LIFE_ANSWERS;
}

/*
 * Some devices sometimes lose octets that arrive while they enter full operation, or read them only when more come.
 * That is a separate finding (MPA-7.1.2-12); all other cases give them time.
 */
static bool needs_time(struct talk *talk, enum talk_sign sign)
{
    const struct talk_wish wish = {.at_once = true};
    const int64_t until = talk_now() + tries_max;

    for (unsigned i = 0; i < TALK_AT_ONCE_TRIES && talk_now() < until; i++) {
        if (!talk_start(talk, &wish))
            return false;
        if (!probe_ask(talk, sign))
            return talk_last(talk)->what == TALK_SILENCE;
    }
    return false;
}

int64_t talk_settle_time(const struct talk *talk)
{
    if (talk->run->t_settle > 0)
        return talk->run->t_settle;
    return g_atomic_int_get(&talk->run->late_first) ? settle_guess : 0;
}

static enum talk_sign probe_ask_all(struct talk *talk)
{
    enum talk_sign best = SIGN_TCP;

    for (enum talk_sign sign = SIGN_READ; sign < SIGN_SPEAKS; sign++) {
        if (!may_ask(talk, sign) || (sign == SIGN_REGION && best == SIGN_READ))
            continue;
        /* The device refused the question and ended the connection. */
        if ((!talk->operating || !talk_is_open(talk) || talk->our_fin) && !talk_start(talk, NULL))
            break;
        if (may_ask(talk, sign) && probe_ask(talk, sign)) {
            talk->run->signs |= 1u << sign;
            best = best == SIGN_TCP ? sign : best;
        }
    }
    return best;
}

enum talk_sign talk_learn_sign(struct talk *talk)
{
    enum talk_sign best = probe_ask_all(talk);

    if (talk_settle_time(talk) == 0 && talk_is_initiator(talk) && best != SIGN_TCP && needs_time(talk, best))
        g_atomic_int_set(&talk->run->late_first, 1);
    return best;
}

/* ---- oddities that must be accepted ---- */

bool talk_start_oddly(struct talk *talk, const struct talk_wish *wish)
{
    return talk_start(talk, wish) || (talk_frame(talk, true) && talk->result->outcome != OUTCOME_NOT_APPLICABLE);
}

static enum talk_life ask_alive(struct talk *talk, const struct suite_case *row, talk_alive *alive)
{
    return alive ? alive(talk, row) : talk_probe(talk);
}

static void pass_alive(struct talk *talk, enum talk_life life)
{
    talk_passed(talk, "the device continues: %s", talk_life_words(talk, life));
    talk->result->shown = life == LIFE_STAYS ? SHOWN_STAYS : SHOWN_CONTINUES;
}

/* Twice: otherwise a device that closes every second connection would seem to refuse only the oddity. */
static bool continues_plainly(struct talk *talk, const struct suite_case *row, talk_stimulus *say, talk_alive *alive)
{
    for (unsigned i = 0; i < PLAIN_TIMES; i++)
        if (!say(talk, row, false) || !talk_life_good(ask_alive(talk, row, alive)))
            return false;
    return true;
}

void talk_expect_taken(struct talk *talk, const struct suite_case *row, talk_stimulus *say, talk_alive *alive)
{
    g_autofree char *what = NULL;
    enum talk_life life;

    if (!say(talk, row, true))
        return;
    life = ask_alive(talk, row, alive);
    if (talk_life_good(life)) {
        pass_alive(talk, life);
        return;
    }
    /* A device that needs time after its Reply, and was only lucky so far, gets it from now on. */
    if (life == LIFE_MUTE && talk_settle_time(talk) == 0 && talk_is_initiator(talk) && !talk->at_once) {
        g_atomic_int_set(&talk->run->late_first, 1);
        life = say(talk, row, true) ? ask_alive(talk, row, alive) : LIFE_NOT_STARTED;
        if (talk_life_good(life)) {
            pass_alive(talk, life);
            return;
        }
    }
    what = g_strdup(talk_life_words(talk, life));
    if (life == LIFE_CLOSED || life == LIFE_TERMINATE || (life == LIFE_NOT_STARTED && !talk_is_open(talk)))
        talk->result->shown = SHOWN_CLOSED;
    else if (life == LIFE_MUTE || life == LIFE_GARBAGE)
        talk->result->shown = SHOWN_LOST;
    if (continues_plainly(talk, row, say, alive))
        talk_failed(talk, "expected the device to continue; found %s; without the oddity it continues", what);
    else
        talk_inconclusive(talk, "%s; without the oddity the device does not continue either", what);
}
