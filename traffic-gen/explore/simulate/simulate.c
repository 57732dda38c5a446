// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/explore/simulate/simulate.h"

#include "traffic-gen/explore/simulate/visible.h"

#include <inttypes.h>
#include <string.h>

struct simulation *simulation_new(uint64_t seed, const struct plan_wish *wish, enum adversary adversary)
{
    struct simulation *simulation = g_new0(struct simulation, 1);

    simulation->plan = plan_choose(seed, wish);
    simulation->adversary = adversary;
    packets_init(&simulation->packets);
    return simulation;
}

void simulation_free(struct simulation *simulation)
{
    plan_drop(simulation->plan);
    if (simulation->distortions)
        g_array_unref(simulation->distortions);
    if (simulation->forgeries)
        g_array_unref(simulation->forgeries);
    packets_clear(&simulation->packets);
    view_free(simulation->view);
    g_free(simulation->why);
    g_free(simulation);
}

/* ---- what was planted ---- */

/* "A-1-01,B-2-02" has the id. */
static bool list_has(const char *list, const char *id)
{
    g_auto(GStrv) ids = g_strsplit(list, ",", -1);

    return g_strv_contains((const char *const *)ids, id);
}

/* The fault is an error, not a stimulus with its proper answer. */
static bool is_error(const struct fault *fault)
{
    return fault && !strstr(fault->id, "+ok");
}

/* Where the network splits segments, an error of framing, or of what follows a startup frame, may look like another. */
static bool is_alike(const struct plan *plan, const struct rule *fault, const struct rule *found)
{
    static const char follows_startup[] = "MPA-7.1.1-28,MPA-7.1.1-29,MPA-7.1.1-30,MPA-7.1.3-01";

    return plan->net && strstr(plan->net, "resegment") &&
           ((g_str_has_prefix(fault->id, "MPA-4.") && g_str_has_prefix(found->id, "MPA-4.")) ||
            (list_has(follows_startup, fault->id) && list_has(follows_startup, found->id)));
}

/*
 * A finding of this rule names the fault: the finding is of the fault's rule, or of a rule that judges the fault's
 * rule.
 */
static bool names_fault(const struct plan *plan, const struct rule *rule)
{
    const enum rule_id found = rule_number(rule);

    return is_error(plan->fault) &&
           (rule_carried_by(rule_of_fault(plan->fault), found) || rule_judged_with(rule_of_fault(plan->fault), found) ||
            is_alike(plan, rule_of_fault(plan->fault), rule));
}

static bool is_planted(const struct plan *plan, const struct rule *rule)
{
    return plan->fault && (names_fault(plan, rule) || (plan->fault->also && list_has(plan->fault->also, rule->id)));
}

/* ---- the comparison ---- */

/* Number of the host that plays the first talk (traffic-gen/speak/say/carrier_mpa.c). */
enum { FAULTY_CLIENT = 1 };

static unsigned client_of(const struct simulation *simulation, const struct judged_finding *finding)
{
    unsigned at = finding->frame - 1; /* a finding without a frame has frame 0: `at` is beyond all packets */

    return at < simulation->view->shown->len
               ? packets_frame(&simulation->packets, view_packet(simulation->view, at))->client
               : FAULTY_CLIENT;
}

static bool simulate_fail(struct simulation *simulation, enum simulate_outcome outcome, const struct rule *rule,
                          char *why)
{
    simulation->outcome = outcome;
    simulation->rule = rule;
    g_free(simulation->why);
    simulation->why = why;
    return false;
}

/* This rule only suspects: a client may have other reasons to end its connections after certain answers. */
static const char suspicion[] = "EXP-3.9-03";

/*
 * The finding accuses somebody of something that was not planted. In an incomplete capture the planted fault may look
 * like another fault, so findings about its client do not count. Where several packets are missing, a warning only says
 * that packets may be missing.
 */
static bool is_false(const struct simulation *simulation, const struct judged_finding *finding)
{
    const struct plan *plan = simulation->plan;
    const unsigned client = client_of(simulation, finding);

    if (finding->severity == SEVERITY_NOTE || strcmp(finding->rule->id, suspicion) == 0 ||
        is_planted(plan, finding->rule))
        return false;
    if (!simulation->distorted)
        return true;
    return !(plan->fault && client == FAULTY_CLIENT) &&
           !(finding->severity == SEVERITY_WARNING && simulation->missing > 1) &&
           visible_losses(simulation->view, &simulation->packets, plan, client);
}

static bool nothing_false(struct simulation *simulation, const GArray *findings)
{
    for (unsigned i = 0; i < findings->len; i++) {
        const struct judged_finding *finding = &g_array_index(findings, struct judged_finding, i);

        if (is_false(simulation, finding))
            return simulate_fail(simulation, SIMULATE_FALSE, finding->rule,
                                 g_strdup_printf("frame %" PRIu32 ": %s %s: %s", finding->frame,
                                                 rule_severity_name(finding->severity), finding->rule->id,
                                                 finding->message));
    }
    return true;
}

/* The first finding that names the fault; NULL: none. */
static const struct judged_finding *simulate_find_named(const struct plan *plan, const GArray *findings)
{
    for (unsigned i = 0; i < findings->len; i++) {
        const struct judged_finding *finding = &g_array_index(findings, struct judged_finding, i);

        if (names_fault(plan, finding->rule))
            return finding;
    }
    return NULL;
}

static bool simulate_is_named(struct simulation *simulation, const GArray *findings)
{
    return simulate_find_named(simulation->plan, findings) ||
           simulate_fail(simulation, SIMULATE_MISSED, NULL,
                         g_strdup_printf("%s is not named", simulation->plan->fault->id));
}

static void simulate_show(struct simulation *simulation, bool distorted)
{
    view_free(simulation->view);
    simulation->view = view_of_all(&simulation->packets);
    simulation->distorted = distorted;
    if (distorted)
        distort(simulation->distortions, &simulation->packets, simulation->view);
    simulation->missing = visible_missing(simulation->view, &simulation->packets);
}

static void judge_distorted(struct simulation *simulation, struct judge *judge, const GArray *whole)
{
    const struct plan *plan = simulation->plan;
    const struct judged_finding *named = is_error(plan->fault) ? simulate_find_named(plan, whole) : NULL;
    GArray *findings;

    simulate_show(simulation, true);
    findings = judge_view(judge, &simulation->packets, simulation->view, plan->rfc5666, NULL);
    simulation->visible = named && visible_in(simulation->view, &simulation->packets, plan, named);
    if (nothing_false(simulation, findings) && simulation->visible)
        simulate_is_named(simulation, findings);
    g_array_unref(findings);
}

/* ---- with an adversary ---- */

static unsigned count_rule(const GArray *findings, const struct rule *rule)
{
    unsigned n = 0;

    for (unsigned i = 0; i < findings->len; i++)
        n += g_array_index(findings, struct judged_finding, i).rule == rule;
    return n;
}

/* A hostile end may be accused of what it sends. */
static bool accuses_adversary(const struct simulation *simulation, const struct judged_finding *finding)
{
    const unsigned at = finding->frame - 1;

    return (simulation->adversary == ADVERSARY_INITIATOR || simulation->adversary == ADVERSARY_RESPONDER) &&
           !finding->awaited && at < simulation->view->shown->len &&
           packets_frame(&simulation->packets, view_packet(simulation->view, at))->to_client ==
               (simulation->adversary == ADVERSARY_RESPONDER);
}

/* The first finding above notes that `these` have more often than `others`; NULL: none. */
static const struct judged_finding *first_beyond(const GArray *these, const GArray *others)
{
    for (unsigned i = 0; i < these->len; i++) {
        const struct judged_finding *finding = &g_array_index(these, struct judged_finding, i);

        if (finding->severity != SEVERITY_NOTE && strcmp(finding->rule->id, suspicion) != 0 &&
            count_rule(these, finding->rule) > count_rule(others, finding->rule))
            return finding;
    }
    return NULL;
}

/* The findings are those of the capture without forged packets, or the checker says what it could not judge. */
static void judge_forged(struct simulation *simulation, struct judge *judge, const GArray *whole)
{
    const struct judged_finding *more, *fewer;
    GArray *findings;
    bool undone;

    simulation->forged = true;
    adversary_forge(simulation->forgeries, &simulation->packets, simulation->view);
    findings = judge_view(judge, &simulation->packets, simulation->view, simulation->plan->rfc5666, &undone);
    more = first_beyond(findings, whole);
    fewer = first_beyond(whole, findings);
    if (more && !undone && !accuses_adversary(simulation, more))
        simulate_fail(simulation, SIMULATE_FALSE, more->rule,
                      g_strdup_printf("frame %" PRIu32 ": %s %s: %s", more->frame, rule_severity_name(more->severity),
                                      more->rule->id, more->message));
    else if (fewer && !undone)
        simulate_fail(simulation, SIMULATE_MISSED, fewer->rule,
                      g_strdup_printf("%s is not named any more", fewer->rule->id));
    g_array_unref(findings);
}

void simulate(struct simulation *simulation, struct judge *judge)
{
    const struct plan *plan = simulation->plan;
    struct random_source random = {.state = ~plan->seed};
    char *error = NULL;
    GArray *findings;

    simulation->outcome = SIMULATE_RIGHT;
    simulation->rule = NULL;
    g_clear_pointer(&simulation->why, g_free);
    simulation->visible = simulation->forged = false;
    if (!packets_play(plan, &simulation->packets, &simulation->provoked, &error)) {
        simulate_fail(simulation, SIMULATE_UNPLAYED, NULL, error);
        return;
    }
    if (!simulation->distortions)
        simulation->distortions = distort_choose(&random, simulation->packets.frames->len);
    if (!simulation->forgeries && simulation->adversary)
        simulation->forgeries = adversary_choose(&random, simulation->adversary, &simulation->packets, plan->roce);
    simulate_show(simulation, false);
    findings = judge_view(judge, &simulation->packets, simulation->view, plan->rfc5666, NULL);
    if (simulation->adversary)
        judge_forged(simulation, judge, findings);
    else if (nothing_false(simulation, findings) &&
             (!simulation->provoked || !is_error(plan->fault) || !visible_in_whole(plan, rule_of_fault(plan->fault)) ||
              simulate_is_named(simulation, findings)) &&
             simulation->distortions->len > 0)
        judge_distorted(simulation, judge, findings);
    g_array_unref(findings);
}

/* ---- words ---- */

/* The command that plays a client without the others. */
static void append_command(GString *out, const struct plan *plan, const struct talk *talk, bool with_fault)
{
    g_autofree char *script = talk->script ? g_shell_quote(talk->script) : NULL;

    g_string_append_printf(out, "iwarp-gen play %s --seed=%" PRIu64 "%s%s%s%s%s",
                           talk->scenario ? talk->scenario : "script", plan->seed,
                           plan->roce ? " --transport=roce" : "", plan->ipv6 ? " --ipv6" : "",
                           plan->vlan ? " --vlan" : "", plan->net ? " --net=" : "", plan->net ? plan->net : "");
    if (with_fault && !plan->fault->script)
        g_string_append_printf(out, " --inject=%s", plan->fault->id);
    if (script)
        g_string_append_printf(out, " --script=%s", script);
}

void simulation_append_text(GString *out, const struct simulation *simulation)
{
    static const char *const outcomes[] = {[SIMULATE_RIGHT] = "right",
                                           [SIMULATE_UNPLAYED] = "cannot be played",
                                           [SIMULATE_FALSE] = "false finding",
                                           [SIMULATE_MISSED] = "fault missed"};
    const struct plan *plan = simulation->plan;

    g_string_append_printf(out, "seed %" PRIu64 ": %s%s%s\n", plan->seed, outcomes[simulation->outcome],
                           simulation->why ? ": " : "", simulation->why ? simulation->why : "");
    if (plan->fault)
        g_string_append_printf(out, "  fault of client 1: %s: %s\n", plan->fault->id, plan->fault->summary);
    for (unsigned i = 0; i < plan->talks->len; i++) {
        g_string_append_printf(out, "  client %u: ", i + 1);
        append_command(out, plan, plan->talks->pdata[i], plan->fault && i == 0);
        g_string_append_c(out, '\n');
    }
    for (unsigned i = 0; simulation->forged && i < simulation->forgeries->len; i++) {
        g_string_append(out, "  ");
        adversary_append_text(out, &g_array_index(simulation->forgeries, struct forgery, i));
        g_string_append_c(out, '\n');
    }
    for (unsigned i = 0; simulation->distorted && i < simulation->distortions->len; i++) {
        g_string_append(out, "  ");
        distort_append_text(out, &g_array_index(simulation->distortions, struct distortion, i));
        g_string_append_c(out, '\n');
    }
}
