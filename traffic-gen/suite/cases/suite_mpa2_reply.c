// SPDX-License-Identifier: GPL-2.0-or-later
/* Suite mpa2: Replies that the Initiator must answer with a Terminate (RFC 6581 sections 9.1 to 9.3). */
#include "traffic-gen/suite/cases/suite_mpa2.h"

/* variant: one of either. */
enum bad_reply { BAD_ORD = 0, BAD_RTR = 8, BAD_MODEL = 16 };
enum about { ABOUT_TERMINATE, ABOUT_LAYER, ABOUT_CODE, ABOUT_CLOSE, ABOUT_ALL = 7 };

/* A Read more than the Request offers to serve; RTR types that it does not offer; the other model. */
static char *bad_words(enum bad_reply bad, const struct mpa_enhanced *request)
{
    switch (bad) {
    case BAD_ORD:
        return g_strdup_printf("mpa.ord=%u", request->ird + 1);
    case BAD_RTR:
        return g_strdup_printf("mpa.rtr=%u", ALL_RTR & ~request->rtr);
    default:
        return g_strdup(request->peer_to_peer ? "mpa.a=0 mpa.rtr=0" : "mpa.a=1 mpa.rtr=7");
    }
}

static bool start_badly(struct talk *talk, enum bad_reply bad)
{
    const struct mpa_startup *request;
    g_autofree char *words = NULL;

    if (!talk_open(talk))
        return false;
    request = talk_hear_frame(talk);
    if (!request || !request->has_enhanced) {
        talk_not_applicable(talk, "the device's Request is not enhanced (RFC 6581)");
        return false;
    }
    if (bad == BAD_ORD && request->enhanced.ird >= MPA_IRD_ORD_NOT_NEGOTIATED - 1) {
        talk_not_applicable(talk, "the device's Request has IRD %u: no Reply can ask for more", request->enhanced.ird);
        return false;
    }
    if (bad == BAD_RTR && (!request->enhanced.peer_to_peer || request->enhanced.rtr == ALL_RTR)) {
        talk_not_applicable(talk, request->enhanced.peer_to_peer
                                      ? "the device offers all RTR types: every Reply has one in common"
                                      : "the device's Request is not for peer-to-peer mode");
        return false;
    }
    words = bad_words(bad, &request->enhanced);
    talk_send_frame(talk, &(struct talk_wish){ENHANCED, .wait_only = true, .frame = words});
    talk_begin_operation(talk);
    return true;
}

static const uint8_t codes[] = {[BAD_ORD] = 6, [BAD_RTR] = 7, [BAD_MODEL] = 5};

static bool code_fits(enum bad_reply bad, uint8_t code)
{
    /* A has no code of its own; the code for no common RTR fits too. */
    return code == codes[bad] || (bad == BAD_MODEL && code == codes[BAD_RTR]);
}

/* The device closes silently: does it continue after a correct Reply? */
static void compare(struct talk *talk)
{
    g_autofree char *what = g_strdup(talk_describe(talk, talk_last(talk)));
    const struct talk_wish right = {ENHANCED};

    if (talk_start(talk, &right))
        talk_failed(talk, "expected a Terminate; found %s", what);
    else
        talk_inconclusive(talk, "%s; after a correct Reply it does not continue either", what);
}

static bool is_closed(const struct talk_heard *heard)
{
    return heard->what == TALK_FIN || heard->what == TALK_RESET;
}

static void without_terminate(struct talk *talk, enum bad_reply bad, enum about about, const struct talk_heard *heard)
{
    /* A device that continues with more Reads to serve may have had the resources for them. */
    if (about == ABOUT_TERMINATE && (is_closed(heard) || (bad == BAD_RTR && heard->what == TALK_SILENCE)))
        compare(talk);
    else if (bad == BAD_MODEL && heard->what == TALK_RESET)
        talk_failed(talk, "RST without a Terminate");
    else
        talk_inconclusive(talk, "expected a Terminate; found %s", talk_describe(talk, heard));
}

static void judge_code(struct talk *talk, enum bad_reply bad, const struct talk_heard *heard)
{
    if (code_fits(bad, heard->meant.code))
        talk_passed_by_end(talk, "%s", talk_describe(talk, heard));
    else
        talk_failed(talk, "expected code %u; found %s", codes[bad], talk_describe(talk, heard));
}

static void judge_close(struct talk *talk)
{
    const struct talk_heard *heard = talk_hear(talk, talk_t_close(talk));

    if (is_closed(heard))
        talk_passed_by_end(talk, "Terminate, then %s", talk_describe(talk, heard));
    else
        talk_failed(talk, "expected a close after its Terminate; found %s", talk_describe(talk, heard));
}

static void must_terminate(struct talk *talk, const struct suite_case *row)
{
    enum bad_reply bad = (enum bad_reply)(row->variant & ~ABOUT_ALL);
    enum about about = (enum about)(row->variant & ABOUT_ALL);
    const struct talk_heard *heard;
    bool is_of_setup;

    if (!start_badly(talk, bad))
        return;
    heard = talk_hear(talk, talk_t_close(talk));
    if (!(heard->what == TALK_FPDU && heard->is_terminate)) {
        without_terminate(talk, bad, about, heard);
        return;
    }
    is_of_setup = heard->meant.layer == RDMAP_LAYER_LLP && heard->meant.etype == 0;
    if (about != ABOUT_LAYER && !is_of_setup)
        talk_inconclusive(talk, "a Terminate, but not of MPA, whose Reply is wrong: %s", talk_describe(talk, heard));
    else if (about == ABOUT_CODE)
        judge_code(talk, bad, heard);
    else if (about == ABOUT_CLOSE)
        judge_close(talk);
    else if (is_of_setup)
        talk_passed_by_end(talk, "%s", talk_describe(talk, heard));
    else
        talk_failed(talk, "expected layer 2 type 0; found %s", talk_describe(talk, heard));
}

static const struct suite_case tests[] = {
#include "suite_mpa2_reply.inc"
};

const struct suite suite_mpa2_reply = {"mpa2", tests, G_N_ELEMENTS(tests)};
