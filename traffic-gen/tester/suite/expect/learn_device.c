// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/tester/suite/expect/learn_device.h"

#include "traffic-gen/tester/suite/expect/life.h"
#include "traffic-gen/tester/suite/talk/talk_job.h"

#include <string.h>

enum { SILENT_MAX = 2, ANSWERS_MAX = 2 };

static const int64_t stay_ns = 150 * INT64_C(1000000), retry_ns = 100 * INT64_C(1000000);

enum offer {
    OFFER_TAKEN,
    OFFER_TAKEN_AND_CLOSED, /* accepted, then closed after the first FPDU */
    OFFER_REFUSED,          /* R = 1, or an unexpected frame */
    OFFER_CLOSED,           /* closed without a frame */
    OFFER_UNANSWERED,
    OFFER_NO_CONNECTION,
};

static void device_take_advert(struct talk *talk, const struct mpa_startup *theirs)
{
    struct talk_run *run = talk_job(talk)->run;

    run->lab |= theirs->ulp_length >= 4 && memcmp(theirs->ulp_data, "LAB1", 4) == 0;
    if (!theirs->has_enhanced && theirs->pd_length >= 4)
        run->lab |= memcmp(theirs->private_data, "LAB1", 4) == 0;
    if (theirs->has_enhanced)
        run->has |= NEED_ENHANCED;
    if (talk_advert(talk)->n > 0)
        run->has |= NEED_REGIONS;
    if (talk_advert(talk)->n >= REGION_SHARED) /* a service with a smaller region, such as `sink`, is not an echo */
        run->has |= NEED_ECHO | NEED_RECEIVES | (run->asks ? 0 : NEED_WORDS);
}

/* Messages that the device sends by itself after the start-up are not refusals. */
static enum offer see_whether_it_stays(struct talk *talk, char **why)
{
    int64_t until = talk_now() + stay_ns;
    const struct talk_heard *heard;

    do {
        heard = talk_hear(talk, MAX(until - talk_now(), 0));
    } while (heard->what == TALK_FPDU && !heard->is_terminate && talk_now() < until);
    if (heard->what == TALK_SILENCE || (heard->what == TALK_FPDU && !heard->is_terminate))
        return OFFER_TAKEN;
    *why = g_strdup_printf("accepted, then %s", talk_describe(talk, heard));
    return OFFER_TAKEN_AND_CLOSED;
}

static enum offer without_frame(const struct talk *talk)
{
    switch (talk_last(talk)->what) {
    case TALK_SILENCE:
        return OFFER_UNANSWERED;
    case TALK_FIN:
    case TALK_RESET:
        return OFFER_CLOSED;
    default:
        return OFFER_REFUSED;
    }
}

/* ---- the device is the Responder ---- */

static enum offer offer_one(struct talk *talk, char **why)
{
    const struct startup_terms *terms = &talk_job(talk)->run->terms;
    const struct mpa_startup *theirs;

    if (!talk_open(talk)) {
        *why = g_strdup(talk_actual(talk));
        return OFFER_NO_CONNECTION;
    }
    talk_send_frame(talk, NULL);
    theirs = talk_hear_frame(talk);
    if (!theirs) {
        *why = g_strdup_printf("expected an MPA start-up frame; found %s", talk_found(talk));
        return without_frame(talk);
    }
    if (theirs->flags & MPA_FLAG_R || theirs->has_enhanced != terms->enhanced) {
        *why = g_strdup_printf("%s: %s", theirs->flags & MPA_FLAG_R ? "rejected" : "answered with another frame",
                               talk_found(talk));
        return OFFER_REFUSED;
    }
    talk_begin_operation(talk);
    device_take_advert(talk, theirs);
    if (!talk_first_fpdu(talk)) {
        *why = g_strdup(talk_actual(talk));
        return OFFER_TAKEN_AND_CLOSED;
    }
    device_take_advert(talk, theirs); /* a Send may advertise it */
    return see_whether_it_stays(talk, why);
}

/* After a refusal a device may need a moment before it listens again. */
static enum offer offer_patiently(struct talk *talk, bool first, char **why)
{
    int64_t until = talk_now() + (first ? 0 : talk_job(talk)->run->t_recover);
    enum offer offer;

    while ((offer = offer_one(talk, why)) == OFFER_NO_CONNECTION && talk_now() < until) {
        g_clear_pointer(why, g_free);
        g_usleep((gulong)(retry_ns / 1000));
    }
    return offer;
}

/*
 * Tries the richest offer again before a lesser one counts: it may have been lost, or the device or network may have
 * been busy. Only a rejection is an answer.
 */
static enum offer offer_richest(struct talk *talk, char **why)
{
    g_autofree char *first_why = NULL;
    enum offer first = offer_patiently(talk, true, &first_why), again;

    if (first == OFFER_UNANSWERED || first == OFFER_CLOSED || first == OFFER_TAKEN_AND_CLOSED) {
        again = offer_patiently(talk, false, why);
        if (again != OFFER_NO_CONNECTION)
            return again;
        g_free(*why); /* an earlier acceptance says more */
    }
    *why = g_steal_pointer(&first_why);
    return first;
}

static void add_reason(GString *reasons, const struct startup_terms *terms, const char *why)
{
    g_autofree char *text = startup_text(terms);

    g_string_append_printf(reasons, "\n  %s: %s", text, why);
}

/* tried: number of earlier offers. */
static char *unreachable(unsigned tried, const char *reason, const char *earlier)
{
    return tried == 0 ? g_strdup(reason)
                      : g_strdup_printf("%s; before that it accepted connections:%s", reason, earlier);
}

static bool learn_responder(struct talk *talk, char **why)
{
    struct talk_run *run = talk_job(talk)->run;
    struct startup_terms offers[STARTUP_OFFERS_MAX];
    unsigned n = startup_offers(&run->given, run->services & NEED_RPC ? PRIVATE_DATA_RPC : PRIVATE_DATA_ADVERT, offers);
    unsigned silent = 0, second_best = n, i;
    g_autoptr(GString) reasons = g_string_new(NULL);

    for (i = 0; i < n && silent < SILENT_MAX; i++) {
        g_autofree char *reason = NULL;
        enum offer offer;

        run->terms = offers[i];
        offer = i == 0 ? offer_richest(talk, &reason) : offer_patiently(talk, false, &reason);
        if (offer == OFFER_TAKEN)
            return true;
        if (offer == OFFER_NO_CONNECTION) {
            *why = unreachable(i, reason, reasons->str);
            return false;
        }
        if (offer == OFFER_TAKEN_AND_CLOSED && second_best == n)
            second_best = i;
        silent += offer == OFFER_UNANSWERED;
        add_reason(reasons, &offers[i], reason);
    }
    if (second_best < n) {
        run->leaves = true;
        run->terms = offers[second_best];
        return true;
    }
    *why = g_strdup_printf("the device accepts none of these start-ups (--mpa sets another):%s", reasons->str);
    return false;
}

/* The user asked for a start-up without enhanced data; whether the device supports them is unknown. */
static void learn_enhanced(struct talk *talk)
{
    struct talk_run *run = talk_job(talk)->run;
    const struct talk_wish wish = {.enhanced = true};
    const struct mpa_startup *reply;

    if (run->has & NEED_ENHANCED || !(run->given.fields & STARTUP_REVISION) || !talk_open(talk))
        return;
    talk_send_frame(talk, &wish);
    reply = talk_hear_frame(talk);
    if (!reply || !reply->has_enhanced || reply->flags & MPA_FLAG_R)
        return;
    run->has |= NEED_ENHANCED;
    talk_begin_operation(talk);
    talk_first_fpdu(talk);
}

/* ---- the device is the Initiator ---- */

static enum offer device_answer_one(struct talk *talk, char **why)
{
    const struct mpa_startup *theirs;

    if (!talk_open(talk)) {
        *why = g_strdup(talk_actual(talk));
        return OFFER_NO_CONNECTION;
    }
    theirs = talk_hear_frame(talk);
    if (!theirs) {
        *why = g_strdup_printf("expected an MPA start-up frame; found %s", talk_found(talk));
        return without_frame(talk);
    }
    device_take_advert(talk, theirs);
    talk_send_frame(talk, NULL);
    talk_begin_operation(talk);
    if (talk_first_fpdu(talk)) {
        device_take_advert(talk, theirs);
        talk_job(talk)->run->speaks_first = true;
        return OFFER_TAKEN;
    }
    *why = g_strdup(talk_actual(talk));
    return talk_is_open(talk) ? OFFER_TAKEN : OFFER_TAKEN_AND_CLOSED;
}

/* For the report: the Request as received, and C as in our answer. */
static void device_take_request(struct talk *talk)
{
    const struct mpa_startup *theirs = talk_frame(talk, false);
    struct startup_terms *terms = &talk_job(talk)->run->terms;

    terms->revision = theirs->revision;
    terms->enhanced = theirs->has_enhanced;
    if (theirs->has_enhanced)
        terms->data = theirs->enhanced;
}

static bool learn_initiator(struct talk *talk, char **why)
{
    struct talk_run *run = talk_job(talk)->run;

    run->terms = run->given.terms;
    if (!(run->given.fields & STARTUP_DATA) && run->services & NEED_RPC)
        run->terms.words = PRIVATE_DATA_RPC;
    for (unsigned i = 0; i < ANSWERS_MAX; i++) {
        enum offer offer;

        g_clear_pointer(why, g_free);
        offer = device_answer_one(talk, why);
        if (offer != OFFER_TAKEN && offer != OFFER_TAKEN_AND_CLOSED)
            return false;
        device_take_request(talk);
        if (offer == OFFER_TAKEN)
            return true;
        /* Some devices refuse a Reply with C = 1 when their Request had C = 0. */
        if (talk_frame(talk, false)->flags & MPA_FLAG_C || run->given.fields & STARTUP_CRC)
            break;
        run->terms.crc_follows = true;
    }
    run->leaves = true;
    return true;
}

static bool device_learn(struct talk_run *run, char **why)
{
    struct talk *talk;
    bool good;

    if (run->rpc_port)
        return learn_by_calls(run, why);
    talk = talk_begin_job(run, NULL, 1, NULL);
    good = run->dut == DUT_RESPONDER ? learn_responder(talk, why) : learn_initiator(talk, why);
    if (good)
        run->sign = talk_is_open(talk) ? life_learn_sign(talk) : SIGN_TCP;
    if (good && run->dut == DUT_RESPONDER)
        learn_enhanced(talk);
    talk_end_job(talk);
    if (good)
        g_clear_pointer(why, g_free);
    return good;
}

bool learn_device(struct talk_run *run, char **why)
{
    bool good;

    run->learns = true;
    good = device_learn(run, why);
    run->learns = false;
    return good;
}
