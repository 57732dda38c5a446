// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Ends of a scenario of work that run by themselves, as on a live connection: they reach the same end as led ones, and
 * report work that could not be done.
 */
#include "tests/unit/support/support.h"
#include "traffic-gen/ends/stack/pair.h"
#include "traffic-gen/scenario/scenario.h"
#include "traffic-gen/scenario/work_read.h"

#include <string.h>

enum { STEPS = 1000000, MSS = 1460, TICK_NS = 10000000, TICKS = 1000 };

struct side {
    struct work_end *end;
    bool done;
    char *why;
};

static void on_done(void *ctx, const char *why)
{
    struct side *side = ctx;

    assert_false(side->done);
    side->done = true;
    side->why = g_strdup(why);
}

static struct work *parse(const char *text)
{
    char *error = NULL;
    g_autoptr(GPtrArray) statements = script_parse("x.scenario", text, &error);
    struct work *work = statements ? work_read("x.scenario", statements, &error) : NULL;

    if (!work)
        fail_msg("%s", error);
    return work;
}

/* Both ends of one connection unled; time passes when nothing else happens. */
static void play(const struct work *work, unsigned connection, struct side sides[2])
{
    struct pair *pair = pair_new(MSS, 0);

    memset(sides, 0, 2 * sizeof sides[0]);
    for (enum role role = INITIATOR; role <= RESPONDER; role++) {
        const struct work_end_events events = {.ctx = &sides[role], .done = on_done};

        sides[role].end = work_end_new(work, connection, role, pair_stream(pair, role), &events);
        work_end_attach(sides[role].end, pair, role);
    }
    work_end_start(sides[RESPONDER].end);
    work_end_start(sides[INITIATOR].end);
    for (unsigned i = 0; i < TICKS && !(sides[INITIATOR].done && sides[RESPONDER].done); i++) {
        assert_true(pair_run(pair, STEPS));
        pair_wait(pair, TICK_NS);
    }
    assert_true(sides[INITIATOR].done && sides[RESPONDER].done);
    pair_free(pair);
}

static void clear(struct side sides[2])
{
    for (unsigned role = 0; role < 2; role++) {
        work_end_free(sides[role].end);
        g_free(sides[role].why);
    }
}

UNIT_TEST(the_library)
{
    const struct scenario *scenario;
    unsigned played = 0;

    for (unsigned i = 0; (scenario = scenario_at(i)); i++) {
        struct work *work;

        if (!scenario->script || !strstr(scenario->script, "\nwith work "))
            continue;
        work = parse(scenario->script);
        for (unsigned k = 0; k < work->connections->len; k++) {
            struct side sides[2];

            play(work, k, sides);
            for (unsigned role = 0; role < 2; role++) {
                if (sides[role].why)
                    fail_msg("%s, connection %u: %s", scenario->name, k + 1, sides[role].why);
            }
            clear(sides);
            played++;
        }
        work_free(work);
    }
    assert_true(played > 10);
}

UNIT_TEST(memory_at_the_end)
{
    struct work *work = parse("with work rev2\n"
                              "I memory sink len=16 fill=1\n"
                              "R memory counter len=16 fill=0\n"
                              "I 5* fadd at=counter+8 data=3\n"
                              "R send len=5 wait=50\n"
                              "I read len=16 from=counter into=sink\n");
    const uint8_t counted[16] = {[15] = 15};
    struct side sides[2];

    play(work, 0, sides);
    assert_null(sides[INITIATOR].why);
    assert_null(sides[RESPONDER].why);
    assert_memory_equal(work_end_region(sides[RESPONDER].end, 0), counted, sizeof counted);
    assert_memory_equal(work_end_region(sides[INITIATOR].end, 0), counted, sizeof counted);
    clear(sides);
    work_free(work);
}

UNIT_TEST(what_cannot_be_done)
{
    struct work *work = parse("with work\n"
                              "I send-inv len=1 stag=0x1234\n"
                              "R send len=5\n");
    struct side sides[2];

    play(work, 0, sides);
    assert_null(sides[INITIATOR].why);
    assert_string_equal(sides[RESPONDER].why,
                        "x.scenario:3: the responder can do this no more: by the responder's Terminate 0/1/09");
    clear(sides);
    work_free(work);
}
