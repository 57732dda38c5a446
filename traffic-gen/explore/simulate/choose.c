// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/explore/simulate/choose.h"

#include "traffic-gen/scenario/scenario_source.h"

#include <string.h>

enum { TALKS_MAX = 3, STATEMENTS = 14, CALLS = 8 };

/* Networks, of TCP and of RoCE. */
static const char *const tcp_nets[] = {
    "loss=0.05",
    "reorder=0.1",
    "dup=0.1",
    "resegment=0.1",
    "delay=2,jitter=3",
    "window=2048,delay=2",
    "tso=16000",
    "loss=0.03,reorder=0.05,dup=0.05,resegment=0.05",
    "loss=0.03,delay=20,jitter=10,reorder=0.05",
};
static const char *const roce_nets[] = {
    "loss=0.05", "reorder=0.1",      "dup=0.1",
    "rnr=0.1",   "delay=2,jitter=3", "loss=0.03,reorder=0.05,dup=0.05,rnr=0.05,delay=1,jitter=2",
};

void talk_free(gpointer p)
{
    struct talk *talk = p;

    g_free(talk->scenario);
    g_free(talk->script);
    g_free(talk);
}

void plan_add_talk(struct plan *plan, const char *scenario, char *script)
{
    struct talk *talk = g_new0(struct talk, 1);

    talk->scenario = g_strdup(scenario);
    talk->script = script;
    g_ptr_array_add(plan->talks, talk);
}

static char *random_script(struct plan *plan, struct phrasing *phrasing)
{
    unsigned kind = phrase_below(phrasing, 10);

    if (kind == 0)
        return choose_work(phrasing, true);
    if (plan->roce || kind < 5)
        return choose_rpc(phrasing, CALLS);
    return kind == 5 ? choose_work(phrasing, false) : choose_rdmap(phrasing, STATEMENTS);
}

/* Scenarios of the library that are long by themselves would take the time of many conversations. */
static bool is_long(const char *scenario)
{
    static const char *const prefixes[] = {"stack",   "mount-",    "jumbo",       "operations", "nfs",
                                           "offload", "unaligned", "marker-walk", "idle",       "rpcrdma-segments"};

    for (unsigned i = 0; i < G_N_ELEMENTS(prefixes); i++) {
        if (g_str_has_prefix(scenario, prefixes[i]))
            return true;
    }
    return false;
}

/* A scenario of the library. */
static const struct scenario *random_scenario(const struct plan *plan, struct phrasing *phrasing)
{
    unsigned n = 0;
    const struct scenario *scenario;

    while (scenario_at(n))
        n++;
    do
        scenario = scenario_at(phrase_below(phrasing, n));
    while ((is_long(scenario->name) && !phrase_chance(phrasing, 0.1)) || (plan->roce && !plays_on_roce(scenario)));
    return scenario;
}

/* ---- the plan ---- */

static void plan_conforming(struct plan *plan, struct phrasing *phrasing)
{
    if (phrase_chance(phrasing, 0.2)) {
        const struct scenario *scenario = random_scenario(plan, phrasing);

        plan->rfc5666 = g_str_has_prefix(scenario->name, "old-");
        plan_add_talk(plan, scenario->name, NULL);
    } else {
        plan_add_talk(plan, NULL, random_script(plan, phrasing));
    }
}

struct plan *plan_choose(uint64_t seed, const struct plan_wish *wish)
{
    struct plan *plan = g_new0(struct plan, 1);
    struct phrasing phrasing = {.random = {.state = seed * UINT64_C(0x5DEECE66D)}};
    unsigned needs = 0;

    plan->seed = seed;
    plan->talks = g_ptr_array_new_with_free_func(talk_free);
    plan->roce = phrase_chance(&phrasing, 0.35);
    plan->ipv6 = phrase_chance(&phrasing, 0.2);
    plan->vlan = phrase_chance(&phrasing, 0.1);
    if (wish->fault || (!wish->conforming && phrase_chance(&phrasing, 0.5)))
        needs = plan_fault(plan, wish->fault, &phrasing);
    else
        plan_conforming(plan, &phrasing);
    if (!(needs & QUIET) && phrase_chance(&phrasing, 0.5))
        plan->net = g_strdup(plan->roce ? roce_nets[phrase_below(&phrasing, G_N_ELEMENTS(roce_nets))]
                                        : tcp_nets[phrase_below(&phrasing, G_N_ELEMENTS(tcp_nets))]);
    while (!plan->rfc5666 && !(needs & LONELY) && plan->talks->len < TALKS_MAX && phrase_chance(&phrasing, 0.15))
        plan_add_talk(plan, NULL, random_script(plan, &phrasing));
    return plan;
}

void plan_drop(struct plan *plan)
{
    g_ptr_array_unref(plan->talks);
    g_free(plan->net);
    g_free(plan);
}
