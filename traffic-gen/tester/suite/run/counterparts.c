// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/tester/suite/run/counterparts.h"

#include <string.h>

static const char first_connections[] = "the first connections", own_start[] = "the start-up that it takes",
                  checks[] = "several of the checks between cases, with nothing odd";

/* The order of layers, by suite: a device that refuses an error in one layer has looked at the layers below. */
static unsigned layer_of(const struct case_result *result)
{
    static const struct {
        const char *suite;
        unsigned layer;
    } layers[] = {{"mpa", 0}, {"mpa2", 0}, {"ddp", 1}, {"rdmap", 2}, {"rdmapx", 2}, {"rpcrdma", 3}, {"nfs", 4}};

    for (unsigned i = 0; i < G_N_ELEMENTS(layers); i++)
        if (strcmp(layers[i].suite, result->suite) == 0)
            return layers[i].layer;
    return 0;
}

/* The first case of this layer or above with that outcome that showed this. */
static const char *find_from(const struct suite_report *report, enum case_shown shown, enum case_outcome outcome,
                             unsigned layer)
{
    for (guint i = 0; i < report->results->len; i++) {
        const struct case_result *result = g_ptr_array_index(report->results, i);

        if (result->shown == shown && result->outcome == outcome && layer_of(result) >= layer)
            return result->id;
    }
    return NULL;
}

static const char *counterparts_find(const struct suite_report *report, enum case_shown shown,
                                     enum case_outcome outcome)
{
    return find_from(report, shown, outcome, 0);
}

struct counterparts {
    const char *refused, *went_on;    /* where the device had to; NULL: never */
    const char *closed;               /* the device closed where it had to continue */
    bool closes_checks, fails_checks; /* also connections without errors fail: it closes; it fails in any way */
};

/* Whether staying connected is evidence that the device looks at the messages of this layer. */
static const char *refusal_for(const struct suite_report *report, const struct counterparts *seen,
                               const struct case_result *result, const char **why)
{
    *why = seen->refused
               ? "its TCP acknowledges, but it was seen to refuse only what is below: perhaps it does not look"
               : "its TCP acknowledges, but it was never seen to refuse anything: perhaps it does not look";
    return seen->refused ? find_from(report, SHOWN_REFUSED, OUTCOME_PASSED, layer_of(result)) : NULL;
}

static const char *counterparts_counterpart_of(const struct suite_report *report, const struct counterparts *seen,
                                               const struct case_result *result, const char **why)
{
    switch (result->shown) {
    case SHOWN_STAYS:
        return refusal_for(report, seen, result, why);
    case SHOWN_CONTINUES: /* by an answer, which shows that it looks */
        return seen->refused ? seen->refused : first_connections;
    case SHOWN_REFUSED:
        *why = seen->closed ? "at times it closes where it has to go on, too" : "it was never seen to go on";
        return seen->closed ? NULL : seen->went_on;
    case SHOWN_START_UP_REFUSED:
        *why = "at times it closes where it has to go on, too";
        return seen->closes_checks ? NULL : own_start;
    case SHOWN_ANSWER:
    case SHOWN_CLOSED:
    case SHOWN_LOST:
    case SHOWN_KINDS:
        break;
    }
    return "its answer";
}

bool counterpart_was_missing(const struct case_result *result)
{
    return result->outcome == OUTCOME_INCONCLUSIVE && !result->death &&
           (result->shown == SHOWN_STAYS || result->shown == SHOWN_REFUSED || result->shown == SHOWN_START_UP_REFUSED);
}

/* A pass, or a failure, without evidence. by: the case that shows the reason; NULL: none. */
static void counterparts_withdraw(struct case_result *result, const char *why, const char *by)
{
    case_result_conclude(result, OUTCOME_INCONCLUSIVE, "%s; %s%s%s%s", result->actual, why, by ? " (" : "",
                         by ? by : "", by ? ")" : "");
    g_clear_pointer(&result->waived, g_free);
}

static struct counterparts look_for(const struct suite_report *report, const struct counterparts_checks *of)
{
    struct counterparts seen = {.refused = counterparts_find(report, SHOWN_REFUSED, OUTCOME_PASSED),
                                .went_on = counterparts_find(report, SHOWN_CONTINUES, OUTCOME_PASSED),
                                .closed =
                                    of->close ? checks : counterparts_find(report, SHOWN_CLOSED, OUTCOME_UNSTABLE),
                                .closes_checks = of->close,
                                .fails_checks = of->fail};

    if (!seen.went_on)
        seen.went_on = counterparts_find(report, SHOWN_STAYS, OUTCOME_PASSED);
    if (!seen.went_on && of->answered && !counterparts_find(report, SHOWN_CLOSED, OUTCOME_FAILED))
        seen.went_on = first_connections;
    if (seen.closed || !seen.went_on)
        seen.refused = NULL; /* refusals mean nothing, and no pass rests on them */
    return seen;
}

/* The device did not continue where it had to, but it fails at other times too. */
static bool may_be_chance(const struct counterparts *seen, const struct case_result *result)
{
    if (result->outcome != OUTCOME_FAILED)
        return false;
    return (seen->closes_checks && (result->shown == SHOWN_CLOSED || result->ended)) ||
           (seen->fails_checks && (result->shown == SHOWN_CLOSED || result->shown == SHOWN_LOST));
}

void counterparts_settle(struct suite_report *report, const struct counterparts_checks *of)
{
    const struct counterparts seen = look_for(report, of);

    for (guint i = 0; i < report->results->len; i++) {
        struct case_result *result = g_ptr_array_index(report->results, i);

        if (result->outcome == OUTCOME_PASSED) {
            const char *why = NULL;

            g_free(result->rests_on);
            result->rests_on = g_strdup(counterparts_counterpart_of(report, &seen, result, &why));
            if (!result->rests_on)
                counterparts_withdraw(result, why, result->shown == SHOWN_STAYS ? NULL : seen.closed);
        } else if (may_be_chance(&seen, result))
            counterparts_withdraw(result, "at times it does not go on where nothing is odd, either", checks);
    }
}
