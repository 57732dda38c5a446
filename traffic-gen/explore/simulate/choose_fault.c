// SPDX-License-Identifier: GPL-2.0-or-later
/* Faults in conversations that go on before them, on networks with trouble. */
#include "traffic-gen/explore/simulate/choose.h"
#include "traffic-gen/scenario/scenario_source.h"

#include <string.h>

enum { BEFORE_MAX = 4 };

/* Conditions without which a fault is not the fault that its summary describes. */
enum {
    ALONE = 16, /* nothing is said before it */
    ON_IPV4 = 32,
};

static const struct need {
    const char *id;   /* beginning of its id; NULL: any */
    const char *says; /* in its script, summary or id; NULL: anything */
    unsigned needs;
} needs[] = {
    /* The start-up, the first messages, and numbers and places that the script counts itself. */
    {"MPA-7", NULL, ALONE},
    {"MPA2-", NULL, ALONE},
    {"MPA-C", NULL, ALONE},
    {"MPA-4.3", NULL, ALONE},
    {"MPA-4.4", NULL, ALONE},
    {NULL, "mpa-re", ALONE},
    {NULL, "stream", ALONE},
    {NULL, "rtr", ALONE},
    {NULL, " reject", ALONE},
    {NULL, "msn=", ALONE},
    {NULL, " no-mpa", ALONE},
    {NULL, " unseen", ALONE},
    {NULL, " late ", ALONE},
    {NULL, "before", ALONE},
    {NULL, "first", ALONE},
    {NULL, "/only", ALONE},
    {NULL, "mpa.ptr", ALONE},
    {"RPCR-2.2.3-01", NULL, ALONE},
    {"RPCR-3.3.1-08", NULL, ALONE},
    /* A pattern in all messages of a kind. */
    {"RDMAP-8.1.1-", NULL, ALONE},
    /* TCP segments and IP fragments. */
    {"MPA-1.2", NULL, QUIET},
    {"MPA-3-03", NULL, QUIET},
    {"MPA-7.1.1-07", NULL, QUIET},
    {"MPA-7.1.2-16", NULL, QUIET},
    {"MPA-4.5", NULL, QUIET},
    {"MPA-5.", NULL, QUIET | ALONE},
    {"MPA-7.1.5", NULL, QUIET},
    {"MPA-8-03", NULL, QUIET},
    {"MPA-A.", NULL, QUIET},
    {"MPA-A.5.1", NULL, ON_IPV4},
    {NULL, "net=", QUIET},
    {NULL, "segment ", QUIET},
    {NULL, "fragment", ON_IPV4},
    {NULL, "rpcbind", ON_IPV4 | QUIET}, /* version 2 knows no other addresses; one segment is one message */
    /* Who had received what when something was sent, or when all ended. */
    {NULL, " early", QUIET},
    {NULL, " unread=", QUIET},
    {NULL, " rst", QUIET},
    {NULL, " fin", QUIET},
    {"RPC-3-01", NULL, QUIET},
    {NULL, "/elsewhere", QUIET},
    /* Ends of a connection: if a server ends several connections, no rule is broken. */
    {"RPC-3-01", NULL, LONELY},
    {NULL, "/reset", LONELY},
    /* Data that another client may have changed. */
    {"NFS3-3.3.7-02", NULL, LONELY},
    {NULL, "no buffer", QUIET},
};

static unsigned needs_of(const struct fault *fault)
{
    unsigned all = 0;

    for (unsigned i = 0; i < G_N_ELEMENTS(needs); i++) {
        const char *says = needs[i].says;

        if ((!needs[i].id || g_str_has_prefix(fault->id, needs[i].id)) &&
            (!says || strstr(fault->id, says) || strstr(fault->summary, says) ||
             (fault->script && strstr(fault->script, says))))
            all |= needs[i].needs;
    }
    return all;
}

bool plays_on_roce(const struct scenario *scenario)
{
    struct scenario_source source;
    g_autofree char *error = NULL, *refusal = NULL;

    if (scenario_source_load(&source, scenario->name, NULL, 0, &error))
        refusal = scenario_source_roce_refusal(&source, NULL);
    scenario_source_clear(&source);
    return !error && !refusal;
}

static bool exists_on_roce(const struct fault *fault)
{
    return !fault_layer_below(fault) && !fault->not_on_roce &&
           (fault->script || plays_on_roce(scenario_find(fault->scenario)));
}

const struct rule *rule_of_fault(const struct fault *fault)
{
    g_autofree char *id = g_strndup(fault->id, strcspn(fault->id, "+/"));

    return rule_find(id);
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
    g_autofree char *with = g_strndup(script, strcspn(script, ";"));

    return g_str_has_prefix(with, "with ") && (strstr(with, " rpcrdma") || strstr(with, " nfs"));
}

/* Whole exchanges: whatever follows, they conform, and leave nothing open. */
static const char of_rpc[] =
    "{I call nfs3.getattr; R reply|I call nfs3.null; R reply|I call nfs3.lookup; R reply|"
    "I call nfs3.read count=4000 write; R reply|I call nfs3.write len=900 read; R pull; R reply}; ";
static const char of_rdmap[] = "{I send len={len}; R send|I write len={len}; R send|R write len={len}; I send|"
                               "I read size={len}; R answer|R read size={len}; I answer}; ";

/* The fault's script with statements inserted after its start-up; earlier messages do not excuse a fault. */
static char *with_statements_before(const char *script, struct phrasing *phrasing)
{
    size_t with = g_str_has_prefix(script, "with ") ? strcspn(script, ";") : 0;
    GString *out = g_string_new_len(script, (gssize)with);

    g_string_append(out, with ? "; " : "");
    if (!begins_with_rpc(script))
        g_string_append(out, "I send; R send; ");
    for (unsigned n = 1 + phrase_below(phrasing, BEFORE_MAX); n > 0; n--)
        phrase_append(out, phrasing, begins_with_rpc(script) ? of_rpc : of_rdmap);
    g_string_append(out, script + with + strspn(script + with, "; "));
    return g_string_free(out, FALSE);
}

unsigned plan_fault(struct plan *plan, const struct fault *fault, struct phrasing *phrasing)
{
    unsigned all;

    plan->fault = fault ? fault : random_fault(phrasing);
    all = needs_of(plan->fault);
    plan->rfc5666 = g_str_has_prefix(plan->fault->id, "RPCR0-") || g_str_has_prefix(plan->fault->scenario, "old-");
    plan->roce = plan->roce && exists_on_roce(plan->fault);
    /* Retransmissions on RoCE leave open what the receiver knew at which time. */
    if (plan->roce && rule_of_fault(plan->fault)->observe != OBSERVE_WIRE_1WAY)
        all |= QUIET;
    plan->ipv6 = plan->ipv6 && !(all & ON_IPV4);
    if (!plan->fault->script)
        plan_add_talk(plan, plan->fault->scenario, NULL);
    else if (!(all & ALONE) && phrase_chance(phrasing, 0.7))
        plan_add_talk(plan, NULL, with_statements_before(plan->fault->script, phrasing));
    else
        plan_add_talk(plan, NULL, g_strdup(plan->fault->script));
    return all & (QUIET | LONELY);
}
