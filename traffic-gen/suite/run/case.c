// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/suite/run/case.h"

#include "traffic-gen/suite/run/untested.h"
#include "traffic-gen/suite/run/user_command.h"

#include <string.h>

enum { DOUBLED_MAX = 2 }; /* the waits of a case that is tried again */

void case_set_rule(struct case_result *result, enum rule_id number)
{
    const struct rule *rule = &rule_catalogue[number];
    const struct {
        char **text;
        const char *value;
    } texts[] = {{&result->rule, rule->id},
                 {&result->document, rule->document},
                 {&result->section, rule->section},
                 {&result->level, rule->level},
                 {&result->severity, rule_severity_name(rule->severity)},
                 {&result->requirement, rule->text}};

    for (unsigned i = 0; i < G_N_ELEMENTS(texts); i++) {
        g_free(*texts[i].text);
        *texts[i].text = g_strdup(texts[i].value);
    }
    g_ptr_array_set_size(result->aliases, 0);
    for (unsigned i = 0; i < RULE_COUNT; i++) {
        if (case_decides_too((enum rule_id)i, number))
            g_ptr_array_add(result->aliases, g_strdup(rule_catalogue[i].id));
    }
}

static void fill_in(struct case_result *result, const struct chosen_case *chosen)
{
    result->id = suite_case_id(chosen->row);
    result->suite = g_strdup(chosen->suite->name);
    result->stimulus = g_strdup(chosen->row->stimulus);
    result->expected = g_strdup(chosen->row->expected);
    case_set_rule(result, chosen->row->rule);
}

/* NULL when the case can run. What an Initiator supports shows only in its Requests. */
const char *case_cannot(const struct talk_run *run, const struct suite_case *row)
{
    unsigned has = run->has | run->services;

    if (!(row->duts & run->dut))
        return run->dut == DUT_RESPONDER ? "only for Initiators" : "only for Responders";
    if (row->needs & NEED_WIRE & ~has)
        return "only our own TCP makes such segments (--wire)";
    /* Whether it supports peer-to-peer mode is left to the case's own exchange: some devices do not survive the
     * question. */
    if (run->dut == DUT_RESPONDER && row->needs & (NEED_ENHANCED | NEED_PEER_TO_PEER) && !(has & NEED_ENHANCED))
        return "the device does not speak the enhanced connection setup of RFC 6581";
    if (run->dut == DUT_RESPONDER && row->needs & (NEED_ECHO | NEED_RECEIVES | NEED_REGIONS | NEED_WORDS) & ~has)
        return "the device advertises no memory and echo in its private data";
    if (row->needs & (NEED_RPC | NEED_NFS) & ~has)
        return "the device was not declared an RPC-over-RDMA server (--service)";
    return NULL;
}

static bool prepare(const struct talk_run *run, const struct run_options *options, struct case_result *result)
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
    struct talk talk;

    fill_in(result, chosen);
    if (!why && !prepare(run, options, result))
        return result;
    talk_init(&talk, run, chosen->row, 1u << MIN(again, DOUBLED_MAX), result);
    if (why)
        talk_not_applicable(&talk, "%s", why);
    else
        chosen->row->run(&talk, chosen->row);
    talk_clear(&talk);
    if (!result->actual)
        result->actual = g_strdup("the stimulus could not be delivered");
    result->seconds = (double)(talk_now() - talk.began) / 1e9;
    return result;
}

/* ---- repeated ---- */

static enum case_outcome outcome_of(const GPtrArray *runs, guint i)
{
    return ((const struct case_result *)g_ptr_array_index(runs, i))->outcome;
}

bool case_agree(const GPtrArray *runs)
{
    unsigned counts[OUTCOMES] = {0};
    bool agree = false;

    for (guint i = 0; i < runs->len; i++)
        agree |= ++counts[outcome_of(runs, i)] > 1;
    return agree;
}

static bool is_worse(enum case_outcome a, enum case_outcome b)
{
    static const unsigned badness[OUTCOMES] = {
        [OUTCOME_FAILED] = 3, [OUTCOME_INCONCLUSIVE] = 2, [OUTCOME_NOT_APPLICABLE] = 1};

    return badness[a] > badness[b];
}

void case_tally_add(struct case_tally *tally, struct case_result *result)
{
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

struct case_result *case_tally_result(struct case_tally *tally)
{
    struct case_result *worst = g_steal_pointer(&tally->worst);
    const unsigned *counts = tally->counts;

    if (tally->n > 1)
        memcpy(worst->runs, counts, sizeof tally->counts);
    if (counts[worst->outcome] < tally->n) {
        g_autofree char *actual = g_steal_pointer(&worst->actual);

        worst->actual = g_strdup_printf("%u passed, %u failed, %u inconclusive of %u runs; %s: %s",
                                        counts[OUTCOME_PASSED], counts[OUTCOME_FAILED], counts[OUTCOME_INCONCLUSIVE],
                                        tally->n, case_outcome_names[worst->outcome], actual);
        worst->outcome = OUTCOME_UNSTABLE;
    }
    return worst;
}

struct case_result *case_merge(GPtrArray *runs)
{
    struct case_tally tally = {0};

    while (runs->len > 0)
        case_tally_add(&tally, g_ptr_array_steal_index(runs, 0));
    return case_tally_result(&tally);
}
