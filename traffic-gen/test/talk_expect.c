// SPDX-License-Identifier: GPL-2.0-or-later
/* What the talker expects of the DUT, as verdicts. */
#include "traffic-gen/test/talk_internal.h"

#include <string.h>

/* ---- Terminate ---- */

static bool code_fits(const struct talk_terminate *expected, uint8_t code)
{
    if (expected->any_code || code == expected->codes[0])
        return true;
    for (unsigned i = 1; i < G_N_ELEMENTS(expected->codes) && expected->codes[i] != 0; i++) {
        if (code == expected->codes[i])
            return true;
    }
    return false;
}

static bool has_header(const struct talk *talk, const struct rdmap_terminate *terminate)
{
    uint8_t header[DDP_UNTAGGED_HEADER_LEN];
    size_t n;

    if (!terminate->has_ddp)
        return false;
    n = ddp_header_encode(&terminate->ddp, header, sizeof(header));
    return n <= talk->last_header_n && memcmp(header, talk->last_header, n) == 0;
}

static void expected_words(const struct talk_terminate *expected, GString *out)
{
    if (expected->any_layer) {
        g_string_append(out, "Terminate");
        return;
    }
    g_string_append_printf(out, "Terminate layer %u type %u", expected->layer, expected->etype);
    if (expected->any_code)
        return;
    g_string_append_printf(out, " code %u", expected->codes[0]);
    for (unsigned i = 1; i < G_N_ELEMENTS(expected->codes) && expected->codes[i] != 0; i++)
        g_string_append_printf(out, " or %u", expected->codes[i]);
}

static void judge_terminate(struct talk *talk, const struct talk_terminate *expected, const struct talk_heard *heard)
{
    const struct rdmap_terminate *terminate = &heard->terminate;
    GString *words = g_string_new(NULL);

    expected_words(expected, words);
    if (!expected->any_layer && (terminate->layer != expected->layer || terminate->etype != expected->etype ||
                                 !code_fits(expected, terminate->code)))
        talk_failed(talk, "expected %s, found %s", words->str, talk_describe(talk, heard));
    else if (expected->header && !has_header(talk, terminate))
        talk_failed(talk, "the %s does not include the DDP header of the segment that it is about", words->str);
    else
        talk_passed(talk, "%s", talk_describe(talk, heard));
    g_string_free(words, TRUE);
}

void talk_expect_terminate(struct talk *talk, const struct talk_terminate *expected)
{
    int64_t until = talk_now() + talk_t_react(talk);
    g_autofree char *passed_over = NULL;
    const struct talk_heard *heard;
    GString *words;

    while ((heard = talk_hear(talk, MAX(until - talk_now(), 0)))->what == TALK_FPDU && !heard->is_terminate) {
        g_free(passed_over);
        passed_over = g_strdup(talk_describe(talk, heard));
    }
    if (heard->what == TALK_FPDU) {
        judge_terminate(talk, expected, heard);
        return;
    }
    words = g_string_new(NULL);
    expected_words(expected, words);
    if (heard->what == TALK_FIN || heard->what == TALK_RESET) {
        if (expected->or_close)
            talk_passed(talk, "%s", talk_describe(talk, heard));
        else if (expected->close_open)
            talk_inconclusive(talk, "%s without a Terminate: the layers above may close at any time",
                              talk_describe(talk, heard));
        else
            talk_failed(talk, "expected %s, found %s without a Terminate", words->str, talk_describe(talk, heard));
    } else {
        talk_failed(talk, "expected %s, found %s%s%s within %.1f s", words->str, passed_over ? passed_over : "",
                    passed_over ? ", and then " : "", talk_describe(talk, heard), (double)talk_t_react(talk) / 1e9);
    }
    g_string_free(words, TRUE);
}

/* ---- close ---- */

void talk_expect_close(struct talk *talk)
{
    int64_t until = talk_now() + talk_t_close(talk);
    const struct talk_heard *heard;

    do {
        heard = talk_hear(talk, MAX(until - talk_now(), 0));
    } while (heard->what != TALK_FIN && heard->what != TALK_RESET && heard->what != TALK_SILENCE);
    if (heard->what == TALK_SILENCE)
        talk_failed(talk, "the device leaves the connection open for %.1f s", (double)talk_t_close(talk) / 1e9);
    else
        talk_passed(talk, "%s", talk_describe(talk, heard));
}

/* ---- alive ---- */

static enum talk_life await(struct talk *talk, enum rdmap_opcode answer)
{
    int64_t until = talk_now() + talk_t_react(talk);

    for (;;) {
        const struct talk_heard *heard = talk_hear(talk, MAX(until - talk_now(), 0));

        switch (heard->what) {
        case TALK_FPDU:
            if (heard->is_terminate)
                return LIFE_TERMINATE;
            if (heard->has_ddp && heard->ddp.opcode == answer)
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

enum talk_life talk_probe(struct talk *talk)
{
    uint8_t ulpdu[TALK_ULPDU];
    enum talk_life life;

    if (talk_dut_ird(talk) == 0) {
        static const char words[] = "are you there?";

        if (!(talk->run->has & NEED_ECHO) && talk->advert.n == 0)
            return await(talk, RDMAP_READ_RESPONSE); /* nothing to ask */
        talk_send_ulpdu(talk, ulpdu, talk_make_send(talk, ulpdu, words, sizeof(words)));
        return await(talk, RDMAP_SEND);
    }
    /* STag and Tagged Offset of a Read of no octets are not looked at (RFC 5040 section 7.2). */
    talk_send_ulpdu(talk, ulpdu, talk_make_read(talk, ulpdu, 0, 0, 0));
    life = await(talk, RDMAP_READ_RESPONSE);
    if (life == LIFE_ANSWERS)
        g_atomic_int_set(&talk->run->answers_reads, 1);
    return life;
}

enum talk_sign talk_learn_sign(struct talk *talk)
{
    return talk_probe(talk) == LIFE_ANSWERS ? SIGN_READ : SIGN_TCP;
}

enum talk_sign talk_sign(const struct talk *talk)
{
    return talk->run->sign;
}

void talk_expect_alive(struct talk *talk)
{
    switch (talk_probe(talk)) {
    case LIFE_ANSWERS:
        talk_passed(talk, "the device goes on: %s", talk_describe(talk, talk_last(talk)));
        break;
    case LIFE_TERMINATE:
    case LIFE_GARBAGE:
        talk_failed(talk, "the device is to go on; there was %s", talk_describe(talk, talk_last(talk)));
        break;
    case LIFE_CLOSED:
        talk_inconclusive(talk, "%s: the layers above may close at any time", talk_describe(talk, talk_last(talk)));
        break;
    case LIFE_MUTE:
        if (g_atomic_int_get(&talk->run->answers_reads))
            talk_failed(talk, "the device does not answer any more: a Read of no octets is not served within %.1f s",
                        (double)talk_t_react(talk) / 1e9);
        else
            talk_passed(talk, "the connection stays open (the device is not known to answer Reads of no octets)");
    }
}
