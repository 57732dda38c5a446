// SPDX-License-Identifier: GPL-2.0-or-later
/* Makes a wrong simulation short: leaves out one thing after the other as long as the verdict stays wrong. */
#include "traffic-gen/explore/simulate/simulate.h"

#include <string.h>

struct reduction {
    struct simulation *simulation;
    struct judge *judge;
    enum simulate_outcome outcome;
    const struct rule *rule; /* of the false finding */
};

static bool still_wrong(const struct reduction *reduction)
{
    simulate(reduction->simulation, reduction->judge);
    return reduction->simulation->outcome == reduction->outcome && reduction->simulation->rule == reduction->rule;
}

/* ---- the network ---- */

static void without_net(const struct reduction *reduction)
{
    struct plan *plan = reduction->simulation->plan;
    char *net = g_steal_pointer(&plan->net);

    if (net && !still_wrong(reduction))
        plan->net = g_steal_pointer(&net);
    g_free(net);
}

static void without(const struct reduction *reduction, bool *flag)
{
    if (!*flag)
        return;
    *flag = false;
    *flag = !still_wrong(reduction);
}

/* ---- clients ---- */

static void without_talks(const struct reduction *reduction)
{
    GPtrArray *talks = reduction->simulation->plan->talks;

    /* The first client has the fault. Without a fault, any client may remain. */
    for (unsigned i = talks->len; i-- > (reduction->simulation->plan->fault ? 1U : 0U) && talks->len > 1;) {
        struct talk *talk = g_ptr_array_steal_index(talks, i);

        if (still_wrong(reduction))
            talk_free(talk);
        else
            g_ptr_array_insert(talks, (int)i, talk);
    }
}

/* ---- distortions ---- */

static void without_distortions(const struct reduction *reduction)
{
    GArray *distortions = reduction->simulation->distortions;

    for (unsigned i = distortions->len; i-- > 0;) {
        struct distortion kept = g_array_index(distortions, struct distortion, i), less = kept;

        g_array_remove_index(distortions, i);
        if (still_wrong(reduction))
            continue;
        g_array_insert_val(distortions, i, kept);
        /* The missing packets one by one, from both ends. */
        while (less.kind == DISTORT_LOSE && less.n > 1) {
            struct distortion first = {less.kind, less.at + 1, less.n - 1}, last = {less.kind, less.at, less.n - 1};

            g_array_index(distortions, struct distortion, i) = first;
            if (!still_wrong(reduction)) {
                g_array_index(distortions, struct distortion, i) = last;
                if (!still_wrong(reduction))
                    break;
            }
            less = g_array_index(distortions, struct distortion, i);
        }
        g_array_index(distortions, struct distortion, i) = less;
    }
}

/* ---- forged packets ---- */

static void without_forgeries(const struct reduction *reduction)
{
    GArray *forgeries = reduction->simulation->forgeries;

    for (unsigned i = forgeries ? forgeries->len : 0; i-- > 0;) {
        struct forgery kept = g_array_index(forgeries, struct forgery, i);

        g_array_remove_index(forgeries, i);
        if (!still_wrong(reduction))
            g_array_insert_val(forgeries, i, kept);
    }
}

/* All of them begin this many packets earlier than in `from`. */
static void set_earlier(GArray *distortions, const GArray *from, unsigned packets)
{
    for (unsigned i = 0; i < distortions->len; i++) {
        unsigned at = g_array_index(from, struct distortion, i).at;

        g_array_index(distortions, struct distortion, i).at = at > packets ? at - packets : 0;
    }
}

/* ---- statements ---- */

/* Their texts, each with what continues it. */
static GPtrArray *split_script(const char *script)
{
    GPtrArray *statements = g_ptr_array_new_with_free_func(g_free);
    const char *end = strchr(script, '\n') ? "\n" : ";";
    g_auto(GStrv) parts = g_strsplit(script, end, -1);

    for (unsigned i = 0; parts[i]; i++) {
        if (*end == '\n' && *parts[i] == ' ' && statements->len > 0) {
            char *before = g_ptr_array_steal_index(statements, statements->len - 1);

            g_ptr_array_add(statements, g_strconcat(before, "\n", parts[i], NULL));
            g_free(before);
        } else if (*g_strchug(parts[i]) != '#' && *parts[i]) {
            g_ptr_array_add(statements, g_strdup(parts[i]));
        }
    }
    return statements;
}

/* All but n statements from `from` on. */
static char *join_script(const GPtrArray *statements, unsigned from, unsigned n, const char *end)
{
    GString *script = g_string_new(NULL);

    for (unsigned i = 0; i < statements->len; i++) {
        if (i < from || i >= from + n)
            g_string_append_printf(script, "%s%s", script->len ? end : "", (char *)statements->pdata[i]);
    }
    return g_string_free(script, FALSE);
}

/* With another script: packets that came before those that the capture lacks are missing now. */
static bool is_wrong_with(const struct reduction *reduction, struct talk *talk, char *script)
{
    struct simulation *simulation = reduction->simulation;
    g_autoptr(GArray) distortions = g_array_copy(simulation->distortions);
    unsigned packets = simulation->packets.frames->len, fewer = 0;
    char *before = talk->script;
    bool wrong = false;

    talk->script = script;
    for (unsigned earlier = 0; !wrong && earlier <= fewer; earlier++) {
        set_earlier(simulation->distortions, distortions, earlier);
        wrong = still_wrong(reduction);
        if (earlier == 0 && distortions->len > 0 && packets > simulation->packets.frames->len)
            fewer = packets - simulation->packets.frames->len;
    }
    if (!wrong) {
        set_earlier(simulation->distortions, distortions, 0);
        talk->script = before;
    }
    g_free(wrong ? before : script);
    return wrong;
}

/* How many statements at the end of the first talk are the fault's own, without which nothing would be wrong. */
static unsigned statements_of_fault(const struct fault *fault)
{
    g_autoptr(GPtrArray) own = fault && fault->script ? split_script(fault->script) : NULL;

    if (!own)
        return 0;
    return own->len - g_str_has_prefix(fault->script, "with ");
}

/* Without some of its statements, but with the first one, which may set up the connection, and the last `kept` ones. */
static void without_statements(const struct reduction *reduction, struct talk *talk, unsigned kept)
{
    const char *end = strchr(talk->script, '\n') ? "\n" : "; ";
    g_autoptr(GPtrArray) statements = split_script(talk->script);

    for (unsigned n = MAX(statements->len / 2, 1); n > 0; n /= 2) {
        /* From the end, so that what is said before a statement keeps its place. */
        for (unsigned at = statements->len; at-- > 1;) {
            if (at + n + kept <= statements->len && is_wrong_with(reduction, talk, join_script(statements, at, n, end)))
                g_ptr_array_remove_range(statements, at, n);
        }
    }
}

void simulate_reduce(struct simulation *simulation, struct judge *judge)
{
    const struct reduction reduction = {simulation, judge, simulation->outcome, simulation->rule};
    struct plan *plan = simulation->plan;

    without_forgeries(&reduction);
    without_talks(&reduction);
    without_net(&reduction);
    without(&reduction, &plan->ipv6);
    without(&reduction, &plan->vlan);
    without_distortions(&reduction);
    still_wrong(&reduction);
    for (unsigned i = 0; i < plan->talks->len; i++) {
        struct talk *talk = plan->talks->pdata[i];

        if (talk->script)
            without_statements(&reduction, talk, i == 0 ? statements_of_fault(plan->fault) : 0);
    }
    without_distortions(&reduction);
    still_wrong(&reduction);
}
