// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/simulate/choose.h"

#include "traffic-gen/scenario/scenario_source.h"

#include <string.h>

enum { TALKS_MAX = 3, STATEMENTS = 14, CALLS = 8, BEFORE_MAX = 4 };

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

static void talk_free(gpointer p)
{
    struct talk *talk = p;

    g_free(talk->scenario);
    g_free(talk->script);
    g_free(talk);
}

static void add_talk(struct plan *plan, const char *scenario, char *script)
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

static bool plays_on_roce(const struct scenario *scenario)
{
    struct scenario_source source;
    g_autofree char *error = NULL, *refusal = NULL;

    if (scenario_source_load(&source, scenario->name, NULL, 0, &error))
        refusal = scenario_source_roce_refusal(&source, NULL);
    scenario_source_clear(&source);
    return !error && !refusal;
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

/* ---- faults ---- */

static bool exists_on_roce(const struct fault *fault)
{
    return !fault_layer_below(fault) && !fault->not_on_roce;
}

static const struct fault *random_fault(struct phrasing *phrasing)
{
    static unsigned n;

    while (fault_at(n))
        n++;
    return fault_at(phrase_below(phrasing, n));
}

static bool begins_with_rpc(const char *script)
{
    size_t first = strcspn(script, ";");
    g_autofree char *with = g_strndup(script, first);

    return g_str_has_prefix(with, "with ") && (strstr(with, " rpcrdma") || strstr(with, " nfs"));
}

/* Whether it is about TCP segments, which a network with trouble changes. */
static bool is_of_segments(const struct fault *fault)
{
    static const char *const starts[] = {"MPA-1.2", "MPA-4.5", "MPA-5.", "MPA-7.1.5", "MPA-8-03", "MPA-A."};

    for (unsigned i = 0; i < G_N_ELEMENTS(starts); i++) {
        if (g_str_has_prefix(fault->id, starts[i]))
            return true;
    }
    return fault->script && (strstr(fault->script, "net=") || strstr(fault->script, "segment"));
}

/* Whole exchanges: whatever follows, they conform, and leave nothing open. */
static const char of_rpc[] =
    "{I call nfs3.getattr; R reply|I call nfs3.null; R reply|I call nfs3.lookup; R reply|"
    "I call nfs3.read count=4000 write; R reply|I call nfs3.write len=900 read; R pull; R reply}; ";
static const char of_rdmap[] = "{I send len={len}; R send|I write len={len}; R send|R write len={len}; I send|"
                               "I read size={len}; R answer|R read size={len}; I answer}; ";

/* Whether statements may come before those of the fault: not if it is in the start-up, or counts messages itself. */
static bool takes_before(const struct fault *fault)
{
    static const char *const words[] = {
        "mpa-re", "stream", "rtr", " reject", "msn=", " no-mpa", " unseen", " late ", "before"};
    static const char *const names[] = {"/first", "/only"};
    static const char *const starts[] = {"MPA-7", "MPA2-", "MPA-C", "MPA-4.3", "MPA-4.4"};

    for (unsigned i = 0; i < G_N_ELEMENTS(words); i++) {
        if (strstr(fault->script, words[i]))
            return false;
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(names); i++) {
        if (strstr(fault->id, names[i]) || strstr(fault->summary, "first"))
            return false;
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(starts); i++) {
        if (g_str_has_prefix(fault->id, starts[i]))
            return false;
    }
    return true;
}

/* The fault's script with statements after its start-up: what is said before does not make a fault right. */
static char *script_of_fault(const struct fault *fault, struct phrasing *phrasing)
{
    const char *script = fault->script;
    size_t with = g_str_has_prefix(script, "with ") ? strcspn(script, ";") : 0;
    GString *out;

    if (!takes_before(fault) || phrase_chance(phrasing, 0.3))
        return g_strdup(script);
    out = g_string_new_len(script, (gssize)with);
    g_string_append(out, with ? "; " : "");
    if (!begins_with_rpc(script))
        g_string_append(out, "I send; R send; ");
    for (unsigned n = 1 + phrase_below(phrasing, BEFORE_MAX); n > 0; n--)
        phrase_append(out, phrasing, begins_with_rpc(script) ? of_rpc : of_rdmap);
    g_string_append(out, script + with + strspn(script + with, "; "));
    return g_string_free(out, FALSE);
}

/* False: the fault does not exist on the transport. */
static void plan_fault(struct plan *plan, const struct fault *fault, struct phrasing *phrasing)
{
    plan->fault = fault;
    plan->rfc5666 = g_str_has_prefix(fault->id, "RPCR0-") || g_str_has_prefix(fault->scenario, "old-");
    if (plan->roce && !exists_on_roce(fault))
        plan->roce = false;
    if (fault->script) {
        add_talk(plan, NULL, script_of_fault(fault, phrasing));
    } else if (plan->roce) {
        const struct scenario *scenario = scenario_find(fault->scenario);

        plan->roce = scenario && plays_on_roce(scenario);
        add_talk(plan, fault->scenario, NULL);
    } else {
        add_talk(plan, fault->scenario, NULL);
    }
}

/* ---- the plan ---- */

static void plan_conforming(struct plan *plan, struct phrasing *phrasing)
{
    if (phrase_chance(phrasing, 0.2)) {
        const struct scenario *scenario = random_scenario(plan, phrasing);

        plan->rfc5666 = g_str_has_prefix(scenario->name, "old-");
        add_talk(plan, scenario->name, NULL);
    } else {
        add_talk(plan, NULL, random_script(plan, phrasing));
    }
}

struct plan *plan_choose(uint64_t seed, const struct plan_wish *wish)
{
    struct plan *plan = g_new0(struct plan, 1);
    struct phrasing phrasing = {.random = {.state = seed * UINT64_C(0x5DEECE66D)}};

    plan->seed = seed;
    plan->talks = g_ptr_array_new_with_free_func(talk_free);
    plan->roce = phrase_chance(&phrasing, 0.35);
    plan->ipv6 = phrase_chance(&phrasing, 0.2);
    plan->vlan = phrase_chance(&phrasing, 0.1);
    if (wish->fault || (!wish->conforming && phrase_chance(&phrasing, 0.5)))
        plan_fault(plan, wish->fault ? wish->fault : random_fault(&phrasing), &phrasing);
    else
        plan_conforming(plan, &phrasing);
    if (phrase_chance(&phrasing, 0.5) && !(plan->fault && is_of_segments(plan->fault)))
        plan->net = g_strdup(plan->roce ? roce_nets[phrase_below(&phrasing, G_N_ELEMENTS(roce_nets))]
                                        : tcp_nets[phrase_below(&phrasing, G_N_ELEMENTS(tcp_nets))]);
    while (!plan->rfc5666 && plan->talks->len < TALKS_MAX && phrase_chance(&phrasing, 0.15))
        add_talk(plan, NULL, random_script(plan, &phrasing));
    return plan;
}

void plan_free(struct plan *plan)
{
    g_ptr_array_unref(plan->talks);
    g_free(plan->net);
    g_free(plan);
}
