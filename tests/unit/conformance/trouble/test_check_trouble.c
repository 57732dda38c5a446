// SPDX-License-Identifier: GPL-2.0-or-later
/* What is said about the end of a capture, and how equal events are summed. */
#include "conformance/trouble/trouble.h"
#include "tests/unit/support/support.h"

#include <string.h>

enum { CLIENT, SERVER };

static const int64_t ms = 1000000, second = 1000000000;

/* ---- the scene: a client, a server, and their connections, one after the other ---- */

struct scene {
    struct troubles *troubles;
    struct trouble_facts *facts; /* of the current connection */
    uint32_t frame, connections;
};

static struct scene begin(void)
{
    return (struct scene){.troubles = troubles_new()};
}

static struct trouble_event event(struct scene *scene, int64_t time_ns)
{
    return (struct trouble_event){++scene->frame, time_ns};
}

static void connect_at(struct scene *scene, int64_t time_ns)
{
    struct trouble_facts *facts = scene->facts = trouble_facts_new();

    assert_non_null(facts);
    facts->id = ++scene->connections;
    facts->rdma = facts->ib = true;
    for (unsigned side = 0; side < 2; side++) {
        facts->end[side] = (struct endpoint){.ip = 4, .address = {10, 0, 0, (uint8_t)(1 + side)}};
        facts->side[side].acked_known = true;
        facts->side[side].acked = UINT64_MAX;
        facts->side[side].packets = 9;
        facts->side[side].last = facts->side[side].spoke = event(scene, time_ns);
    }
    facts->end[SERVER].port = 20049;
    facts->parts = 9;
    facts->first = facts->last = facts->side[CLIENT].last;
    facts->step[STEP_READY] = (struct trouble_repeated){facts->first, facts->first, 1};
}

static void answered(struct scene *scene, int64_t time_ns, int64_t took_ns)
{
    struct trouble_call call = {.what = "READ", .xid = scene->frame, .call = event(scene, time_ns)};

    call.answer = event(scene, time_ns + took_ns);
    scene->facts->calls++;
    trouble_answered(scene->facts, &call);
}

static void unanswered(struct scene *scene, const char *what, int64_t time_ns)
{
    struct trouble_call call = {.what = what, .xid = 1000 + scene->frame, .call = event(scene, time_ns)};

    scene->facts->calls++;
    trouble_unanswered(scene->facts, &call);
}

static void closed_by(struct scene *scene, unsigned side, int64_t time_ns)
{
    const struct place place = {.side = side, .frame = ++scene->frame, .time_ns = time_ns};

    trouble_ended(scene->facts, side, false, &place);
}

static void done_at(struct scene *scene, int64_t until_ns)
{
    scene->facts->until_ns = until_ns;
    trouble_settle(scene->facts);
    troubles_take(scene->troubles, scene->facts);
}

/* The line number n of the report; the capture ended at this time. */
static const struct trouble *line_of(struct scene *scene, int64_t ended_ns, bool known, guint n)
{
    scene->troubles->ended_ns = ended_ns;
    scene->troubles->end_known = known;
    troubles_conclude(scene->troubles);
    assert_true(n < scene->troubles->list->len);
    return g_ptr_array_index(scene->troubles->list, n);
}

static void assert_headline(const struct scene *scene, const char *expected)
{
    const struct troubles *troubles = scene->troubles;
    g_autofree gchar *headline = troubles_headline(&troubles, 1);

    assert_string_equal(headline, expected);
}

/* ---- the end of the capture ---- */

UNIT_TEST(calls_open_at_a_known_end)
{
    struct scene scene = begin();
    const struct trouble *trouble;

    connect_at(&scene, 0);
    answered(&scene, 10 * ms, ms);
    unanswered(&scene, "READ", 20 * ms);
    unanswered(&scene, "WRITE", 119 * second + 900 * ms); /* waits for the same reason */
    done_at(&scene, 120 * second);
    trouble = line_of(&scene, 120 * second, true, 0);
    assert_int_equal(trouble->kind, TROUBLE_CALL_UNANSWERED);
    assert_int_equal(trouble->count, 2);
    assert_non_null(strstr(trouble->words, "2 Calls were not answered when the capture ended, the oldest for 120 s"));
    assert_true(troubles_any_fails(scene.troubles));
    troubles_free(scene.troubles);
}

UNIT_TEST(calls_open_at_an_unknown_end)
{
    struct scene scene = begin();
    const struct trouble *trouble;

    connect_at(&scene, 0);
    answered(&scene, 10 * ms, ms);
    unanswered(&scene, "READ", 20 * ms);
    done_at(&scene, 21 * ms);
    trouble = line_of(&scene, 21 * ms, false, 0);
    assert_int_equal(trouble->kind, TROUBLE_OUTSTANDING);
    assert_non_null(strstr(trouble->words, "the file does not say how long the capture went on"));
    assert_false(troubles_any(scene.troubles));
    assert_headline(&scene, "1 Call was not answered when the capture ended");
    troubles_free(scene.troubles);
}

/* A server that takes 3 s for each Call is slow: a Call that waits for 1.5 s is no hang. */
UNIT_TEST(usual_latency_excuses)
{
    for (unsigned fast = 0; fast < 2; fast++) {
        struct scene scene = begin();

        connect_at(&scene, 0);
        for (int64_t i = 0; i < 5; i++)
            answered(&scene, i * 4 * second, fast ? ms : 3 * second);
        unanswered(&scene, "READ", 30 * second);
        done_at(&scene, 31 * second + 500 * ms);
        line_of(&scene, 31 * second + 500 * ms, true, 0);
        assert_int_equal(troubles_any_fails(scene.troubles), fast);
        troubles_free(scene.troubles);
    }
}

UNIT_TEST(outage_lasts_to_the_end)
{
    struct scene scene = begin();
    const struct trouble *trouble;

    connect_at(&scene, 0);
    unanswered(&scene, "READ", 50 * ms);
    closed_by(&scene, SERVER, 100 * ms);
    done_at(&scene, 10 * second);
    connect_at(&scene, 200 * ms); /* rejected */
    scene.facts->parts = 0;
    scene.facts->step[STEP_READY].n = 0;
    scene.facts->step[STEP_REQUEST] = scene.facts->step[STEP_REJECT] =
        (struct trouble_repeated){scene.facts->first, scene.facts->first, 1};
    done_at(&scene, 62 * second);
    trouble = line_of(&scene, 62 * second + 300 * ms, true, 1);
    assert_int_equal(trouble->kind, TROUBLE_OUTAGE);
    assert_true(trouble->lasting && trouble->time == (uint64_t)(62 * second + 200 * ms));
    assert_headline(&scene, "no service for at least 62.2 s, 1 Call was never answered");
    troubles_free(scene.troubles);
}

/* ---- one line for equal events ---- */

UNIT_TEST(equal_endings_are_summed)
{
    struct scene scene = begin();
    const struct trouble *trouble;

    for (int64_t i = 0; i < 9; i++) {
        connect_at(&scene, i * 100 * ms);
        unanswered(&scene, "WRITE", i * 100 * ms + ms);
        closed_by(&scene, SERVER, i * 100 * ms + 99 * ms);
        done_at(&scene, i * 100 * ms + 99 * ms);
    }
    trouble = line_of(&scene, second, false, 0);
    assert_int_equal(scene.troubles->list->len, 1);
    assert_int_equal(trouble->count, 9);
    assert_int_equal(trouble->connections->len, 9);
    assert_non_null(strstr(trouble->words, "on 9 connections"));
    assert_non_null(strstr(trouble->words, "the server closed each of the connections"));
    assert_null(strstr(trouble->next, "restarted"));
    troubles_free(scene.troubles);
}
