// SPDX-License-Identifier: GPL-2.0-or-later
/* The talker's expectations of the DUT, as verdicts. */
#include "traffic-gen/tester/suite/expect/expect.h"

#include "traffic-gen/tester/suite/expect/alive.h"
#include "traffic-gen/tester/suite/talk/talk_job.h"
#include "traffic-gen/tester/suite/transport/tcp_socket.h"

#include <string.h>

/* ---- Terminate ---- */

static bool expect_fits(unsigned reason, unsigned value)
{
    return reason == EXPECTED_ANY || reason == value;
}

bool expect_has_reason(const struct rdmap_terminate *terminate, const struct expected_reason *reasons, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        if (terminate->layer == reasons[i].layer && expect_fits(reasons[i].etype, terminate->etype) &&
            expect_fits(reasons[i].code, terminate->code))
            return true;
    }
    return false;
}

static void expected_words(const struct expected_terminate *expected, GString *out)
{
    g_string_append(out, "Terminate");
    for (unsigned i = 0; i < expected->reasons; i++) {
        const struct expected_reason *reason = &expected->reason[i];

        g_string_append_printf(out, "%s layer %u", i ? " or" : "", reason->layer);
        if (reason->etype != EXPECTED_ANY)
            g_string_append_printf(out, " type %u", reason->etype);
        if (reason->code != EXPECTED_ANY)
            g_string_append_printf(out, " code %u", reason->code);
    }
    if (expected->or_close)
        g_string_append(out, " or a close");
}

static void expect_judge_terminate(struct talk *talk, const struct expected_terminate *expected,
                                   const struct talk_heard *heard)
{
    const struct rdmap_terminate *terminate = &heard->meant;
    GString *words = g_string_new(NULL);

    expected_words(expected, words);
    if (expect_has_reason(terminate, expected->reason, expected->reasons))
        talk_passed_by_end(talk, "%s", talk_describe(talk, heard));
    else if (expected->other_open)
        talk_inconclusive(talk, "refused, but for another reason than %s: %s", words->str, talk_describe(talk, heard));
    else
        talk_failed(talk, "expected %s; found %s", words->str, talk_describe(talk, heard));
    g_string_free(words, TRUE);
}

static bool is_served(const struct expected_terminate *expected, const struct talk_heard *heard)
{
    return expected->served != 0 && heard->has_ddp && heard->ddp.opcode == expected->served &&
           heard->ddp.payload_len >= expected->served_octets;
}

/* The DUT closed, or sent nothing more. passed_over: its last message, NULL: none. */
static void judge_without_terminate(struct talk *talk, const struct expected_terminate *expected,
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

void expect_terminate(struct talk *talk, const struct expected_terminate *expected)
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
        expect_judge_terminate(talk, expected, heard);
    else
        judge_without_terminate(talk, expected, heard, passed_over);
}

void expect_end(struct talk *talk, const struct expected_terminate *expected)
{
    const struct talk_heard *heard = talk_last(talk);

    if (heard->what == TALK_FPDU && heard->is_terminate)
        expect_judge_terminate(talk, expected, heard);
    else
        judge_without_terminate(talk, expected, heard, NULL);
}

/* ---- close ---- */

static const int64_t look_every = INT64_C(10) * 1000000000;

/* Uses another connection, beside this one. */
static bool serves_others(const struct talk *talk)
{
    struct talk_run *run = talk_job(talk)->run;

    return run->dut == DUT_RESPONDER && !run->rpc_port && alive_check(run, 0, 0, NULL) == DEVICE_ALIVE;
}

/*
 * Waits until the DUT ends the connection. A long wait checks now and then that the DUT is alive, if it serves other
 * connections in parallel. False: it is dead, and the verdict is set.
 */
static bool wait_for_end(struct talk *talk, int64_t until)
{
    struct talk_run *run = talk_job(talk)->run;
    bool looks = until - talk_now() > look_every && serves_others(talk);

    for (;;) {
        int64_t next = looks ? MIN(until, talk_now() + look_every) : until;
        const struct talk_heard *heard = talk_hear(talk, MAX(next - talk_now(), 0));
        g_autofree char *how = NULL;

        if (heard->what == TALK_FIN || heard->what == TALK_RESET)
            return true;
        if (heard->what != TALK_SILENCE)
            continue;
        if (next >= until || talk_now() >= talk_job(talk)->deadline || suite_stopped)
            return true;
        if (!serves_others(talk) && alive_check(run, run->t_recover, 0, &how) != DEVICE_ALIVE) {
            talk_inconclusive(talk, "while we waited for its close, the device ceased to serve other connections: %s",
                              how);
            return false;
        }
    }
}

void expect_device_close(struct talk *talk, int64_t ns)
{
    const struct talk_heard *heard;

    if (!wait_for_end(talk, talk_now() + ns))
        return;
    heard = talk_last(talk);
    if (heard->what == TALK_SILENCE)
        talk_failed(talk, "expected the device to close; the connection was still open after %.1f s", (double)ns / 1e9);
    else
        talk_passed_by_end(talk, "%s", talk_describe(talk, heard));
}

/* ---- oddities that must be accepted ---- */

enum { PLAIN_TIMES = 2 };

bool expect_start_oddly(struct talk *talk, const struct talk_wish *wish)
{
    return talk_start(talk, wish) ||
           (talk_frame(talk, true) && talk_job(talk)->result->outcome != OUTCOME_NOT_APPLICABLE);
}

static enum life ask_alive(struct talk *talk, const struct suite_case *row, expect_alive *alive)
{
    return alive ? alive(talk, row) : life_probe(talk);
}

static void pass_alive(struct talk *talk, enum life life)
{
    talk_passed(talk, "the device continues: %s", life_words(talk, life));
    talk_show(talk, life == LIFE_STAYS ? SHOWN_STAYS : SHOWN_CONTINUES);
}

/* Twice: otherwise a device that closes every second connection would seem to refuse only the oddity. */
static bool continues_plainly(struct talk *talk, const struct suite_case *row, expect_stimulus *say,
                              expect_alive *alive)
{
    for (unsigned i = 0; i < PLAIN_TIMES; i++)
        if (!say(talk, row, false) || !life_good(ask_alive(talk, row, alive)))
            return false;
    return true;
}

void expect_taken(struct talk *talk, const struct suite_case *row, expect_stimulus *say, expect_alive *alive)
{
    g_autofree char *what = NULL;
    enum life life;

    if (!say(talk, row, true))
        return;
    life = ask_alive(talk, row, alive);
    if (life_good(life)) {
        pass_alive(talk, life);
        return;
    }
    /* A device that needs time after its Reply, and was only lucky so far, gets it from now on. */
    if (life == LIFE_MUTE && talk_hurries(talk)) {
        g_atomic_int_set(&talk_job(talk)->run->late_first, 1);
        life = say(talk, row, true) ? ask_alive(talk, row, alive) : LIFE_NOT_STARTED;
        if (life_good(life)) {
            pass_alive(talk, life);
            return;
        }
    }
    what = g_strdup(life_words(talk, life));
    if (life == LIFE_CLOSED || life == LIFE_TERMINATE || (life == LIFE_NOT_STARTED && !talk_is_open(talk)))
        talk_show(talk, SHOWN_CLOSED);
    else if (life == LIFE_MUTE || life == LIFE_GARBAGE)
        talk_show(talk, SHOWN_LOST);
    if (continues_plainly(talk, row, say, alive))
        talk_failed(talk, "expected the device to continue; found %s; without the oddity it continues", what);
    else
        talk_inconclusive(talk, "%s; without the oddity the device does not continue either", what);
}
