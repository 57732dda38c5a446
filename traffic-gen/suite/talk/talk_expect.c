// SPDX-License-Identifier: GPL-2.0-or-later
/* What the talker expects from the DUT, as verdicts. */
#include "traffic-gen/suite/talk/talk_internal.h"

#include <string.h>

/* ---- Terminate ---- */

static bool is_expected(const struct talk_terminate *expected, const struct rdmap_terminate *terminate)
{
    for (unsigned i = 0; i < expected->reasons; i++) {
        const struct talk_reason *reason = &expected->reason[i];

        if (terminate->layer == reason->layer && terminate->etype == reason->etype && terminate->code == reason->code)
            return true;
    }
    return expected->reasons == 0;
}

static void expected_words(const struct talk_terminate *expected, GString *out)
{
    g_string_append(out, expected->reasons ? "Terminate" : "a Terminate");
    for (unsigned i = 0; i < expected->reasons; i++) {
        const struct talk_reason *reason = &expected->reason[i];

        g_string_append_printf(out, "%s layer %u type %u code %u", i ? " or" : "", reason->layer, reason->etype,
                               reason->code);
    }
    if (expected->or_close)
        g_string_append(out, " or a close");
}

static void judge_terminate(struct talk *talk, const struct talk_terminate *expected, const struct talk_heard *heard)
{
    const struct rdmap_terminate *terminate = &heard->meant;
    GString *words = g_string_new(NULL);

    expected_words(expected, words);
    if (!is_expected(expected, terminate) && expected->other_open)
        talk_inconclusive(talk, "refused, but for another reason than %s: %s", words->str, talk_describe(talk, heard));
    else if (!is_expected(expected, terminate))
        talk_failed(talk, "expected %s; found %s", words->str, talk_describe(talk, heard));
    else
        talk_passed_by_end(talk, "%s%s", talk_describe(talk, heard),
                           expected->reasons ? "" : "; its layer, type and code are not judged here");
    g_string_free(words, TRUE);
}

static bool is_served(const struct talk_terminate *expected, const struct talk_heard *heard)
{
    return expected->served != 0 && heard->has_ddp && heard->ddp.opcode == expected->served &&
           heard->ddp.payload_len >= expected->served_octets;
}

/* It closed, or said nothing more. passed_over: what it said last, NULL: nothing. */
static void judge_without_terminate(struct talk *talk, const struct talk_terminate *expected,
                                    const struct talk_heard *heard, const char *passed_over)
{
    bool closed = heard->what == TALK_FIN || heard->what == TALK_RESET;
    g_autoptr(GString) words = g_string_new(NULL);

    expected_words(expected, words);
    if (closed && expected->or_close)
        talk_passed_by_end(talk, "%s", talk_describe(talk, heard));
    else if (closed && expected->close_open)
        talk_inconclusive(talk, "%s without a Terminate: the layers above may close at any time",
                          talk_describe(talk, heard));
    else if (closed)
        talk_failed(talk, "expected %s; found %s without a Terminate", words->str, talk_describe(talk, heard));
    else if (expected->silence_open)
        talk_inconclusive(talk, "expected %s; found %s", words->str, talk_describe(talk, heard));
    else
        talk_failed(talk, "expected %s; found %s%s%s within %.1f s", words->str, passed_over ? passed_over : "",
                    passed_over ? ", then " : "", talk_describe(talk, heard), (double)talk_t_react(talk) / 1e9);
}

void talk_expect_terminate(struct talk *talk, const struct talk_terminate *expected)
{
    int64_t until = talk_now() + talk_t_react(talk);
    g_autofree char *passed_over = NULL;
    const struct talk_heard *heard;

    while ((heard = talk_hear(talk, MAX(until - talk_now(), 0)))->what == TALK_FPDU && !heard->is_terminate) {
        if (is_served(expected, heard)) {
            talk_failed(talk, "expected a refusal; found the faulty request served: %s", talk_describe(talk, heard));
            return;
        }
        g_free(passed_over);
        passed_over = g_strdup(talk_describe(talk, heard));
    }
    if (heard->what == TALK_FPDU)
        judge_terminate(talk, expected, heard);
    else
        judge_without_terminate(talk, expected, heard, passed_over);
}

void talk_judge_end(struct talk *talk, const struct talk_terminate *expected)
{
    const struct talk_heard *heard = talk_last(talk);

    if (heard->what == TALK_FPDU && heard->is_terminate)
        judge_terminate(talk, expected, heard);
    else
        judge_without_terminate(talk, expected, heard, NULL);
}

/* ---- close ---- */

void talk_expect_close(struct talk *talk, int64_t ns)
{
    int64_t until = talk_now() + ns;
    const struct talk_heard *heard;

    do {
        heard = talk_hear(talk, MAX(until - talk_now(), 0));
    } while (heard->what != TALK_FIN && heard->what != TALK_RESET && heard->what != TALK_SILENCE);
    if (heard->what == TALK_SILENCE)
        talk_failed(talk, "expected the device to close; the connection was still open after %.1f s", (double)ns / 1e9);
    else
        talk_passed_by_end(talk, "%s", talk_describe(talk, heard));
}
