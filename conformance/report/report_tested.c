// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/report/report_tested.h"

#include "conformance/options/options.h"
#include "conformance/report/report_trouble.h"

#include <inttypes.h>
#include <string.h>

static void line(GString *text, const char *value)
{
    g_autofree gchar *printable = printable_text(value);

    g_string_append_printf(text, "%s\n", printable);
}

static const char *keep_lines(struct report_suite *suite, GString *lines)
{
    return tested_keep(&suite->tested, g_string_free(lines, FALSE));
}

/* In TAP: the name after the suite's subject. */
static const char *description(struct report_suite *suite, const char *name)
{
    char *text = suite->connection ? g_strdup_printf("%s connection %" PRIu32 " %s", suite->capture->file,
                                                     suite->connection->id, name)
                                   : g_strdup_printf("%s %s", suite->capture->file, name);

    return tested_keep(&suite->tested, text);
}

static void tested_add_case(struct report_suite *suite, struct tested_case one)
{
    g_array_append_val(suite->tested.cases, one);
}

/* ---- rules ---- */

/* The first finding of the rule, or of the rule that carries its outcome; failing findings precede waived ones. */
static const struct report_finding *worst_of(const struct report_suite *suite, const struct rule *rule)
{
    const GArray *findings = suite->connection->findings;
    const struct report_finding *waived = NULL;

    for (guint i = 0; i < findings->len; i++) {
        const struct report_finding *finding = &g_array_index(findings, struct report_finding, i);

        if (!rule_carried_by(rule, finding->rule))
            continue;
        if (!finding->waiver && options_fails(suite->report->options, finding->severity))
            return finding;
        waived = !waived && finding->waiver ? finding : waived;
    }
    return waived;
}

/* The failing findings of a rule, or of the rules that carry its outcome. */
static void add_failing(struct report_suite *suite, struct tested_case *one, const struct report_rule *failed)
{
    const struct rule *rule = &rule_catalogue[failed->rule];
    const GArray *findings = suite->connection->findings;
    enum rule_severity severity = SEVERITY_NOTE;
    GString *body = g_string_new(NULL);
    uint32_t listed = 0;

    g_string_append_printf(body, "%s  %s section %s, %s\n", rule->id, rule->document, rule->section, rule->level);
    line(body, rule->text);
    for (guint i = 0; i < findings->len; i++) {
        const struct report_finding *finding = &g_array_index(findings, struct report_finding, i);
        g_autofree gchar *text = NULL;

        if (finding->waiver || !options_fails(suite->report->options, finding->severity) ||
            !rule_carried_by(rule, finding->rule))
            continue;
        text = finding_text(finding, suite->capture->start_ns);
        severity = MAX(severity, finding->severity);
        if (finding->rule != failed->rule)
            g_string_append_printf(body, "(%s) ", rule_catalogue[finding->rule].id);
        line(body, text);
        listed += 1 + finding->more;
    }
    if (listed < failed->failing)
        g_string_append_printf(body, "... and %" PRIu32 " more, not kept; --max-findings=0 keeps all\n",
                               failed->failing - listed);
    one->type = rule_severity_name(listed == 0 ? rule->severity : severity);
    one->body = keep_lines(suite, body);
}

static void add_finding(struct report_suite *suite, struct tested_case *one, const struct rule *rule,
                        const struct report_finding *finding, uint32_t times)
{
    char *source = g_strdup_printf("%s section %s, %s", rule->document, rule->section, rule->level);
    const char *text = tested_keep(&suite->tested, finding_text(finding, suite->capture->start_ns));
    const struct tested_pair details[] = {
        {"message", text},
        {"severity", rule_severity_name(finding->severity)},
        {"requirement", rule->text},
        {"source", tested_keep(&suite->tested, source)},
        {"findings", tested_keep(&suite->tested, g_strdup_printf("%" PRIu32, times))},
    };

    memcpy(one->details, details, sizeof details);
    if (finding->waiver)
        one->reason = finding->waiver->why ? finding->waiver->why : "waived";
    else
        one->message = text;
}

static void add_rule(struct report_suite *suite, const struct report_rule *each, struct tested_case one)
{
    const struct rule *rule = &rule_catalogue[each->rule];
    const struct report_finding *worst = each->count.failed > 0 ? worst_of(suite, rule) : NULL;

    if (each->failing > 0) {
        one.outcome = TESTED_FAILED;
        one.message = "violated; no finding was kept";
        add_failing(suite, &one, each);
    } else if (worst && worst->waiver) {
        one.outcome = TESTED_WAIVED;
    }
    if (worst && one.outcome != TESTED_PASSED)
        add_finding(suite, &one, rule, worst, each->failing > 0 ? each->failing : each->count.failed);
    tested_add_case(suite, one);
}

/* TAP lists the rules with a count. JUnit lists exercised rules; with --verbose the others, too. */
static void add_rules(struct report_suite *suite)
{
    GArray *rules = g_array_new(FALSE, FALSE, sizeof(struct report_rule));
    guint next = 0;

    report_rules(suite->report, suite->connection, rules);
    for (size_t i = 0; i < RULE_COUNT; i++) {
        struct report_rule rule = {.rule = (enum rule_id)i};
        struct tested_case one = {.body = ""};
        enum exclusion why;

        /* The connection lists them in the same order. */
        if (next < rules->len && g_array_index(rules, struct report_rule, next).rule == rule.rule) {
            rule = g_array_index(rules, struct report_rule, next++);
            one.description = description(suite, rule_catalogue[i].id);
        }
        why = exclusion_of(suite->report, rule.rule, &rule.count);
        one.outcome = why == EXERCISED ? TESTED_PASSED : TESTED_SKIPPED;
        one.message = why == INCONCLUSIVE ? tested_keep(&suite->tested, report_doubt_text(&rule.doubt, NULL))
                                          : exclusion_text(why);
        if (why == EXERCISED || (suite->report->options->verbose && why != NOT_SELECTED))
            one.name = rule_catalogue[i].id;
        else
            suite->left_out[why]++;
        if (one.name || one.description)
            add_rule(suite, &rule, one);
    }
    g_array_unref(rules);
}

/* ---- captures ---- */

/* An unreadable capture is an error, and so is a capture with nothing to check: there is no empty pass. */
static void add_unjudged(struct report_suite *suite, const char *nothing)
{
    const struct report_capture *capture = suite->capture;
    bool error = !nothing || !suite->report->options->allow_empty;
    const char *why = nothing ? nothing : capture->trouble;

    tested_add_case(suite, (struct tested_case){.outcome = error ? TESTED_ERROR : TESTED_SKIPPED,
                                                .name = !nothing                         ? "readable"
                                                        : capture->connections->len == 0 ? "has RDMA connections"
                                                                                         : "has FPDUs to judge",
                                                .description = description(suite, "can be judged"),
                                                .type = error ? "capture" : NULL,
                                                .message = why,
                                                .body = "",
                                                .details = {{error ? "message" : NULL, why}}});
}

/* Trouble with the capture: always listed, but a failure only with --fail-on=trouble. */
static void add_happened(struct report_suite *suite)
{
    static const char name[] = "what happened";
    const struct troubles *troubles = suite->capture->troubles;
    bool fails = suite->report->options->fail_trouble && troubles_any_fails(troubles);
    GString *lines = g_string_new(NULL);
    struct tested_case one = {.name = name};

    for (guint i = 0; i < troubles->list->len; i++) {
        g_autofree gchar *text = trouble_text(g_ptr_array_index(troubles->list, i));

        line(lines, text);
    }
    one.remarks = keep_lines(suite, lines);
    if (fails) {
        one.outcome = TESTED_FAILED;
        one.description = description(suite, name);
        one.type = "trouble";
        one.message = tested_keep(&suite->tested, troubles_headline(&troubles, 1));
        one.body = one.remarks;
    } else {
        g_string_append(suite->tested.out, one.remarks);
    }
    tested_add_case(suite, one);
}

static void add_remark(struct report_suite *suite, const char *text)
{
    GString *remark = g_string_new(NULL);

    line(remark, text);
    tested_add_case(suite, (struct tested_case){.remarks = keep_lines(suite, remark)});
}

static void add_unlisted(struct report_suite *suite)
{
    static const char name[] = "connections that are not listed";
    gchar *text = report_rest_fails_text(suite->report->options, &suite->capture->rest);

    if (text)
        tested_add_case(suite, (struct tested_case){.outcome = TESTED_FAILED,
                                                    .name = name,
                                                    .description = description(suite, name),
                                                    .type = "findings",
                                                    .message = tested_keep(&suite->tested, text),
                                                    .body = "",
                                                    .details = {{"message", text}}});
}

static void add_capture(struct report_suite *suite)
{
    const struct report_capture *capture = suite->capture;
    bool undone = report_capture_undone(capture);
    const char *nothing = undone ? NULL : report_nothing_checked(capture);

    if (undone || nothing)
        add_unjudged(suite, nothing);
    else if (capture->trouble)
        add_remark(suite, capture->trouble);
    if (!(undone || nothing) || capture->troubles->list->len > 0)
        add_happened(suite);
    add_unlisted(suite);
}

/* ---- waivers ---- */

static void add_unused_waivers(struct report_suite *suite)
{
    const GPtrArray *unused = suite->report->unused_waivers;
    bool strict = suite->report->options->strict_waivers;

    for (guint i = 0; i < unused->len; i++) {
        const struct waiver *waiver = g_ptr_array_index(unused, i);
        g_autofree gchar *about = unused_waiver_text(waiver);
        const char *text = tested_keep(&suite->tested, g_strdup_printf("unused waiver: %s (%s)", waiver->id, about));
        const char *message = tested_keep(&suite->tested, g_strdup_printf("matches nothing (%s)", about));

        tested_add_case(suite, (struct tested_case){.outcome = strict ? TESTED_FAILED : TESTED_SKIPPED,
                                                    .name = waiver->id,
                                                    .description = strict ? text : NULL,
                                                    .type = strict ? "waiver" : NULL,
                                                    .message = message,
                                                    .body = ""});
        if (!strict)
            add_remark(suite, text);
    }
}

/* ---- all ---- */

static void tested_give(struct report_suite suite, void (*fill)(struct report_suite *suite),
                        void (*take)(struct report_suite *suite, void *ctx), void *ctx)
{
    tested_begin(&suite.tested);
    fill(&suite);
    take(&suite, ctx);
    tested_end(&suite.tested);
}

void report_each_suite(const struct report *report, void (*take)(struct report_suite *suite, void *ctx), void *ctx)
{
    struct report_suite suite = {.report = report};

    for (guint i = 0; i < report->captures->len; i++) {
        suite.capture = g_ptr_array_index(report->captures, i);
        tested_give(suite, add_capture, take, ctx);
        for (guint k = 0; k < suite.capture->connections->len; k++) {
            suite.connection = g_ptr_array_index(suite.capture->connections, k);
            tested_give(suite, add_rules, take, ctx);
        }
        suite.connection = NULL;
    }
    suite.capture = NULL;
    if (report->unused_waivers->len > 0)
        tested_give(suite, add_unused_waivers, take, ctx);
}
