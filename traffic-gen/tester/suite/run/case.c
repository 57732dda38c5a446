// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/tester/suite/run/case.h"

#include "traffic-gen/tester/suite/result/result.h"
#include "traffic-gen/tester/suite/run/untested.h"
#include "traffic-gen/tester/suite/run/user_command.h"
#include "traffic-gen/tester/suite/talk/talk_job.h"

#include <string.h>

enum { DOUBLED_MAX = 2 /* factor for the waits of a repeated case */, LATE_PART = 4 };

void case_set_rule(struct case_result *result, enum rule_id number)
{
    case_result_set_rule(result, &rule_catalogue[number]);
    g_ptr_array_set_size(result->aliases, 0);
    for (unsigned i = 0; i < RULE_COUNT; i++) {
        if (case_decides_too((enum rule_id)i, number))
            g_ptr_array_add(result->aliases, g_strdup(rule_catalogue[i].id));
    }
}

/* NULL when the case can run. Only an Initiator's Requests show what it supports. */
const char *case_cannot(const struct talk_run *run, const struct suite_case *row)
{
    unsigned has = run->has | run->services;

    if (!(row->duts & run->dut))
        return run->dut == DUT_RESPONDER ? "only for Initiators" : "only for Responders";
    if (row->needs & NEED_WIRE & ~has)
        return "only our own TCP makes such segments (--wire)";
    /*
     * The case's own exchange shows whether peer-to-peer mode is supported: some devices do not survive the question.
     */
    if (run->dut == DUT_RESPONDER && row->needs & (NEED_ENHANCED | NEED_PEER_TO_PEER) && !(has & NEED_ENHANCED))
        return "the device does not speak the enhanced connection setup of RFC 6581";
    if (run->dut == DUT_RESPONDER && row->needs & (NEED_ECHO | NEED_RECEIVES | NEED_REGIONS | NEED_WORDS) & ~has)
        return "the device advertises no memory and echo in its private data";
    if (row->needs & (NEED_RPC | NEED_NFS) & ~has)
        return "the device was not declared an RPC-over-RDMA server (--service)";
    return NULL;
}

static bool case_prepare(const struct talk_run *run, const struct run_options *options, struct case_result *result)
{
    g_autofree char *device = g_strdup_printf("IWARP_DEVICE=%s", options->address),
                    *name = g_strdup_printf("IWARP_CASE=%s", result->id), *why = NULL;
    const char *role = run->dut == DUT_RESPONDER ? "IWARP_ROLE=responder" : "IWARP_ROLE=initiator";
    const char *const variables[] = {device, name, role, NULL};

    if (!options->before_each || user_command_run(options->before_each, variables, options->t_reset, &why))
        return true;
    result->actual = g_strdup_printf("--before-each: %s", why);
    result->refused = true;
    return false;
}

struct case_result *case_run(struct talk_run *run, const struct run_options *options, const struct chosen_case *chosen,
                             unsigned again)
{
    struct case_result *result = case_result_new();
    const char *why = case_cannot(run, chosen->row);
    struct talk *talk;
    int64_t began;

    result->id = suite_case_id(chosen->row);
    result->suite = g_strdup(chosen->suite->name);
    result->stimulus = g_strdup(chosen->row->stimulus);
    result->expected = g_strdup(chosen->row->expected);
    case_set_rule(result, chosen->row->rule);
    if (!why && !case_prepare(run, options, result))
        return result;
    talk = talk_begin_job(run, chosen->row, 1u << MIN(again, DOUBLED_MAX), result);
    began = talk_job(talk)->began;
    if (why)
        talk_not_applicable(talk, "%s", why);
    else
        chosen->row->run(talk, chosen->row);
    talk_end_job(talk);
    if (!result->actual)
        result->actual = g_strdup("the stimulus could not be delivered");
    result->seconds = (double)(talk_now() - began) / 1e9;
    result->late = lateness_since(run->lateness, began);
    return result;
}

/* ---- our own delays ---- */

static const int64_t late_min = 100 * INT64_C(1000000); /* a busy machine is late now and then */

bool case_was_late(const struct talk_run *run, const struct case_result *result)
{
    const int64_t rest = MIN(run->t_start, run->t_idle), shortest = MIN(run->t_react, rest);
    const bool harmless = (result->outcome == OUTCOME_PASSED && result->observations->len == 0) ||
                          result->outcome == OUTCOME_NOT_APPLICABLE;

    return !harmless && (result->late > MAX(shortest / LATE_PART, late_min) || result->dragged > rest / LATE_PART);
}

void case_doubt_late(struct case_result *result)
{
    g_ptr_array_set_size(result->observations, 0);
    case_result_conclude(result, OUTCOME_INCONCLUSIVE,
                         "%s; but this machine held the tester up for %.2f s: the case itself: %s", result->actual,
                         (double)MAX(result->late, result->dragged) / 1e9, case_outcome_names[result->outcome]);
}

/* ---- repetitions ---- */

bool case_agree(const GPtrArray *runs)
{
    unsigned counts[OUTCOMES] = {0};
    bool agree = false;

    for (guint i = 0; i < runs->len; i++)
        agree |= ++counts[((const struct case_result *)g_ptr_array_index(runs, i))->outcome] > 1;
    return agree;
}

static bool is_worse(enum case_outcome a, enum case_outcome b)
{
    static const unsigned badness[OUTCOMES] = {
        [OUTCOME_DIED] = 4, [OUTCOME_FAILED] = 3, [OUTCOME_INCONCLUSIVE] = 2, [OUTCOME_NOT_APPLICABLE] = 1};

    return badness[a] > badness[b];
}

static unsigned case_times_seen(const struct case_tally *tally, const struct rule *rule)
{
    return tally->seen ? GPOINTER_TO_UINT(g_hash_table_lookup(tally->seen, rule)) : 0;
}

/* Breaches of required rules are counted; for other rules the observations of one run are enough. */
static void add_observations(struct case_tally *tally, const struct case_result *result)
{
    g_autoptr(GHashTable) here = g_hash_table_new(NULL, NULL);

    if (!tally->observations) {
        tally->observations = g_ptr_array_new_with_free_func(g_free);
        tally->seen = g_hash_table_new(NULL, NULL);
    }
    for (guint i = 0; i < result->observations->len; i++) {
        const char *observation = g_ptr_array_index(result->observations, i);
        const struct rule *rule = result_seen_rule(observation, false);
        const bool first = rule && g_hash_table_add(here, (gpointer)rule);
        const unsigned before = rule ? case_times_seen(tally, rule) - !first : 0;

        if (before == 0 && (rule || tally->n == 0))
            g_ptr_array_add(tally->observations, g_strdup(observation));
        if (first)
            g_hash_table_insert(tally->seen, (gpointer)rule, GUINT_TO_POINTER(before + 1));
    }
}

static void take_observations(const struct case_tally *tally, struct case_result *result)
{
    GHashTableIter each;
    gpointer rule, times;

    g_ptr_array_set_size(result->observations, 0);
    g_ptr_array_set_size(result->doubted, 0);
    for (guint i = 0; i < tally->observations->len; i++)
        g_ptr_array_add(result->observations, g_strdup(g_ptr_array_index(tally->observations, i)));
    g_hash_table_iter_init(&each, tally->seen);
    while (!tally->believed && g_hash_table_iter_next(&each, &rule, &times))
        if (GPOINTER_TO_UINT(times) < 2)
            g_ptr_array_add(result->doubted, g_strdup(((const struct rule *)rule)->id));
}

void case_tally_add(struct case_tally *tally, struct case_result *result)
{
    add_observations(tally, result);
    tally->counts[result->outcome]++;
    tally->n++;
    if (tally->worst && !is_worse(result->outcome, tally->worst->outcome)) {
        case_result_free(result);
        return;
    }
    if (tally->worst)
        case_result_free(tally->worst);
    tally->worst = result;
}

/* A breach that repeats is caused by the case. */
static void settle_death(const struct case_tally *tally, struct case_result *worst)
{
    const unsigned deaths = tally->counts[OUTCOME_DIED];
    const bool of_case = deaths > 1 || tally->believed;
    g_autofree char *times = tally->n > 1 ? g_strdup_printf(", in %u of %u runs", deaths, tally->n) : g_strdup("");

    case_result_conclude(worst, of_case ? worst->outcome : OUTCOME_INCONCLUSIVE, "%s%s: %s",
                         of_case ? "the device dies when it gets this"
                                 : "the device stopped answering during this case",
                         times, worst->actual);
}

bool case_died_once(const struct case_result *result)
{
    uint64_t n = 0;

    for (unsigned i = 0; i < OUTCOMES; i++)
        n += result->runs[i];
    return n == 1 && result->runs[OUTCOME_DIED] == 1;
}

void case_restore_death(struct case_result *result)
{
    const char *how = result->actual ? strstr(result->actual, ": ") : NULL;

    case_result_conclude(result, OUTCOME_DIED, "%s", how ? how + 2 : "the device died");
    memset(result->runs, 0, sizeof result->runs);
    g_clear_pointer(&result->waived, g_free);
}

struct case_result *case_tally_result(struct case_tally *tally)
{
    struct case_result *worst = g_steal_pointer(&tally->worst);
    const unsigned *counts = tally->counts;

    take_observations(tally, worst);
    for (unsigned i = 0; i < OUTCOMES && (tally->n > 1 || worst->outcome == OUTCOME_DIED); i++)
        worst->runs[i] = counts[i];
    if (worst->outcome == OUTCOME_DIED && (counts[OUTCOME_DIED] > 1 || counts[OUTCOME_FAILED] == 0)) {
        settle_death(tally, worst);
    } else if (counts[worst->outcome] < tally->n) {
        /* When no run passed: a failure that repeated, or one that did not. */
        const enum case_outcome outcome = counts[OUTCOME_PASSED] + counts[OUTCOME_DIED] > 0 ? OUTCOME_UNSTABLE
                                          : counts[OUTCOME_FAILED] > 1                      ? OUTCOME_FAILED
                                                                                            : OUTCOME_INCONCLUSIVE;

        case_result_conclude(worst, outcome, "%u passed, %u failed, %u inconclusive of %u runs; %s: %s",
                             counts[OUTCOME_PASSED], counts[OUTCOME_FAILED], counts[OUTCOME_INCONCLUSIVE], tally->n,
                             case_outcome_names[worst->outcome], worst->actual);
    }
    return worst;
}

void case_tally_clear(struct case_tally *tally)
{
    g_clear_pointer(&tally->observations, g_ptr_array_unref);
    g_clear_pointer(&tally->seen, g_hash_table_unref);
}

struct case_result *case_merge(GPtrArray *runs, bool believed)
{
    struct case_tally tally = {.believed = believed};

    struct case_result *result;

    while (runs->len > 0)
        case_tally_add(&tally, g_ptr_array_steal_index(runs, 0));
    result = case_tally_result(&tally);
    case_tally_clear(&tally);
    return result;
}
