// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The text report: the verdict, what was found and where, and a line on the rules exercised; with --verbose, each rule.
 */
#include "conformance/options/options.h"
#include "conformance/report/report_formats.h"
#include "conformance/report/report_parts.h"
#include "conformance/report/report_stats.h"
#include "conformance/report/report_text_many.h"
#include "conformance/report/report_trouble.h"
#include "conformance/report/report_violations.h"
#include "conformance/report/terminal.h"

#include <inttypes.h>
#include <string.h>

/* Unless --verbose. */
enum {
    FINDINGS_SHOWN = 10, /* per rule and connection */
    CLEAN_SHOWN = 20,    /* connections without findings */
};

struct text {
    struct terminal terminal;
    const struct report *report;
    unsigned clean; /* connections without findings so far */
    struct many_shown shown;
};

static const enum terminal_style severity_styles[SEVERITY_COUNT] = {
    [SEVERITY_NOTE] = STYLE_NOTE, [SEVERITY_WARNING] = STYLE_WARNING, [SEVERITY_ERROR] = STYLE_BAD};

/* ---- a connection ---- */

static void text_write_parameters(const struct text *text, const struct report_connection *connection)
{
    static const char *const crc[] = {"not known", "off", "on"};
    const struct mpa_parameters *mpa = &connection->parameters;
    GString *line = g_string_new(NULL);

    if (mpa->request_seen || mpa->reply_seen)
        g_string_append_printf(line, "MPA revision %u", mpa->revision);
    else
        g_string_append(line, "MPA startup not captured");
    g_string_append_printf(line, ", Markers: %s, CRC %s", markers_text(connection), crc[mpa->crc + 1]);
    if (mpa->peer_to_peer) {
        g_autofree gchar *rtr = rtr_text(mpa->rtr);

        g_string_append_printf(line, ", peer-to-peer (%s)", rtr);
    }
    if (mpa->ird_ord_known)
        g_string_append_printf(line, ", IRD %u, ORD %u", mpa->ird, mpa->ord);
    if (mpa->rejected)
        g_string_append(line, ", rejected");
    terminal_line(&text->terminal, 4, "%s, %s", line->str, completeness_text(connection));
    g_string_free(line, TRUE);
}

static void text_write_ib(const struct text *text, const struct report_connection *connection)
{
    g_autofree gchar *terms = report_ib_terms_text(connection->ib);
    g_autofree gchar *trouble = report_ib_trouble_text(connection->ib);

    terminal_line(&text->terminal, 4, "%s, %s", terms, completeness_text(connection));
    if (trouble)
        terminal_line(&text->terminal, 4, "%s", trouble);
}

static void write_counts(const struct text *text, const struct report_connection *connection)
{
    g_autofree gchar *operations = operations_text(connection), *refused = report_refused_text(connection);

    terminal_line(&text->terminal, 4, "%" PRIu64 " %s%s to the responder, %" PRIu64 " to the initiator%s%s",
                  connection->fpdus[DIR_TO_RESPONDER], connection->ib ? "packet" : "FPDU",
                  plural(connection->fpdus[DIR_TO_RESPONDER]), connection->fpdus[DIR_TO_INITIATOR],
                  *operations != '\0' ? ": " : "", operations);
    if (refused)
        terminal_line(&text->terminal, 4, "%s", refused);
}

static void text_write_finding(const struct text *text, const struct report_finding *finding, int64_t start_ns)
{
    g_autofree gchar *place = finding_place_text(finding, start_ns), *more = finding_more_text(finding);
    enum terminal_style style = finding->waiver ? STYLE_DIM : severity_styles[finding->severity];

    terminal_line(&text->terminal, 4, "%s%s: %s: %s%s",
                  terminal_styled(&text->terminal, style, rule_severity_name(finding->severity)),
                  finding->waiver ? ", waived" : "", place, finding_found(finding->message), more);
}

/* Printed once for several consecutive findings. */
static void write_expected(const struct text *text, const gchar *expected)
{
    if (expected)
        terminal_line(&text->terminal, 6, "expected %s", expected);
}

static void write_waiver(const struct text *text, const struct waiver *waiver)
{
    g_autofree gchar *where = printable_text(waiver->where);
    g_autofree gchar *why = printable_text(waiver->why ? waiver->why : "");
    g_autofree gchar *link = printable_text(waiver->link ? waiver->link : "");
    g_autofree gchar *fixed = printable_text(waiver->fixed ? waiver->fixed : "");

    terminal_line(&text->terminal, 6, "waived%s%s (%s)%s%s%s%s", *fixed != '\0' ? " until " : "", fixed, where,
                  *why != '\0' ? ": " : "", why, *link != '\0' ? ", " : "", link);
}

static void text_write_rule(const struct text *text, const struct report_finding *finding)
{
    const struct terminal *terminal = &text->terminal;
    const struct rule *rule = &rule_catalogue[finding->rule];
    g_autofree gchar *aliases = aliases_text(text->report->options, finding->rule);
    g_autofree gchar *source = finding_rule_text(finding->rule);

    terminal_line(terminal, 6, "%s, %s: %s", terminal_styled(terminal, STYLE_BOLD, rule->id), source, rule->text);
    if (*aliases != '\0')
        terminal_line(terminal, 6, "the same is required by %s", aliases);
    if (finding->waiver)
        write_waiver(text, finding->waiver);
}

/* Each public error that the findings of the group resemble, once. */
static void write_known(const struct text *text, const struct report_connection *connection,
                        const struct finding_group *group)
{
    const struct waiver *last = NULL;

    for (guint i = group->at; i < connection->findings->len; i++) {
        const struct report_finding *finding = &g_array_index(connection->findings, struct report_finding, i);
        const struct waiver *error = finding_in_group(finding, group) ? known_error(connection, finding) : NULL;

        if (error && error != last)
            terminal_line(&text->terminal, 6, "known: %s (%s)", error->why, error->link);
        last = error ? error : last;
    }
}

static void text_write_group(const struct text *text, const struct report_connection *connection,
                             const struct finding_group *group, int64_t start_ns)
{
    unsigned count = 0, shown = text->report->options->verbose ? group->n : MIN(group->n, (unsigned)FINDINGS_SHOWN);
    gchar *expected = NULL;

    terminal_gap(&text->terminal);
    for (guint i = group->at; i < connection->findings->len && count < shown; i++) {
        const struct report_finding *finding = &g_array_index(connection->findings, struct report_finding, i);
        gchar *next;

        if (!finding_in_group(finding, group))
            continue;
        next = finding_expected(finding->message);
        if (g_strcmp0(expected, next) != 0)
            write_expected(text, expected);
        g_free(expected);
        expected = next;
        text_write_finding(text, finding, start_ns);
        count++;
    }
    write_expected(text, expected);
    g_free(expected);
    if (group->n > shown)
        terminal_line(&text->terminal, 6, "... and %u more; --verbose shows all", group->n - shown);
    text_write_rule(text, group->first);
    write_known(text, connection, group);
}

static void text_write_findings(const struct text *text, const struct report_connection *connection, int64_t start_ns)
{
    GArray *groups = finding_groups(connection);

    for (guint i = 0; i < groups->len; i++)
        text_write_group(text, connection, &g_array_index(groups, struct finding_group, i), start_ns);
    g_array_unref(groups);
    if (connection->not_kept == 0)
        return;
    terminal_gap(&text->terminal);
    terminal_line(&text->terminal, 4, "%" PRIu64 " more findings were counted but not kept; --max-findings=0 keeps all",
                  connection->not_kept);
}

/* The connection had trouble, although it broke no rule. */
static const char *reference(const struct report_capture *capture, const struct report_connection *connection)
{
    const GPtrArray *list = capture->troubles->list;

    for (guint i = 0; connection->findings->len == 0 && i < list->len; i++)
        if (trouble_is_about(g_ptr_array_index(list, i), connection->id))
            return " (but see What happened)";
    return "";
}

static void text_write_connection(const struct text *text, const struct report_capture *capture,
                                  const struct report_connection *connection)
{
    char initiator[ENDPOINT_TEXT_SIZE], responder[ENDPOINT_TEXT_SIZE];
    g_autofree gchar *found = found_text(connection->found, connection->waived);
    g_autofree gchar *frames = frames_text(connection->start_frame, connection->end_frame);

    terminal_gap(&text->terminal);
    terminal_line(&text->terminal, 2, "connection %" PRIu32 ": %s -> %s%s, %s%s: %s%s", connection->id,
                  endpoint_text(&connection->initiator, initiator), endpoint_text(&connection->responder, responder),
                  connection->roles_known ? "" : " (roles presumed, capture starts mid-connection)", frames,
                  continuity_text(connection), found, reference(capture, connection));
    if (connection->ib)
        text_write_ib(text, connection);
    else
        text_write_parameters(text, connection);
    if (report_unanswered(connection))
        terminal_line(&text->terminal, 4,
                      "the connection request was never answered: nothing further could be checked");
    write_counts(text, connection);
    REPORT_GUEST(&connection->guest, write_text, &text->terminal, text->report->options->verbose);
    text_write_findings(text, connection, capture->start_ns);
}

/* Returns how many connections without findings are omitted. */
static unsigned text_write_connections(struct text *text, const struct report_capture *capture)
{
    unsigned left_out = 0;

    for (guint i = 0; i < capture->connections->len; i++) {
        const struct report_connection *connection = g_ptr_array_index(capture->connections, i);

        if (connection->findings->len == 0 && connection->not_kept == 0 && text->clean++ >= CLEAN_SHOWN &&
            !text->report->options->verbose)
            left_out++;
        else if (text->report->options->verbose || many_to_show(&text->shown, connection))
            text_write_connection(text, capture, connection);
    }
    return left_out;
}

/* Connections without anything new. */
static void write_repeated(const struct text *text, unsigned n)
{
    if (n == 0)
        return;
    terminal_gap(&text->terminal);
    terminal_line(&text->terminal, 2, "... and %u connection%s with the same findings as above; --verbose shows all", n,
                  plural(n));
}

static void text_write_capture(struct text *text, const struct report_capture *capture)
{
    const struct terminal *terminal = &text->terminal;
    g_autofree gchar *part = part_text(&capture->part), *file = printable_text(capture->file);
    GString *line = g_string_new(NULL);
    unsigned left_out, shown_before = text->shown.left_out;

    g_string_append_printf(line, "%s%s: %" PRIu64 " packet%s", part ? ", " : "", part ? part : "", capture->packets,
                           plural(capture->packets));
    if (capture->dropped > 0)
        g_string_append_printf(line, " (%" PRIu64 " dropped by the capture)", capture->dropped);
    g_string_append_printf(line, ", %" PRIu64 " RDMA connection%s", report_n_connections(capture),
                           plural(report_n_connections(capture)));
    if (capture->other_connections > 0)
        g_string_append_printf(line, ", %" PRIu64 " other", capture->other_connections);
    if (capture->start_ns != 0) {
        g_autofree gchar *start = clock_text(capture->start_ns);

        g_string_append_printf(line, ", from %s", start);
    }
    add_snapped(line, capture);
    terminal_gap(terminal);
    terminal_line(terminal, 0, "%s%s", terminal_styled(terminal, STYLE_BOLD, file),
                  report_unopened(capture) ? "" : line->str);
    g_string_free(line, TRUE);
    if (capture->trouble) {
        g_autofree gchar *trouble = printable_text(capture->trouble);

        terminal_line(terminal, 2, "%s", trouble);
    }
    if (!capture->failed && text->report->captures->len > 1 && report_nothing_checked(capture))
        terminal_line(terminal, 2, "%s", report_nothing_checked(capture));
    left_out = text_write_connections(text, capture);
    write_repeated(text, text->shown.left_out - shown_before);
    if (left_out == 0)
        return;
    terminal_gap(terminal);
    terminal_line(terminal, 2, "... and %u connection%s without findings; --verbose shows all", left_out,
                  plural(left_out));
}

/* ---- what was exercised ---- */

static enum exclusion why_not(const struct report *report, enum rule_id id)
{
    return exclusion_of(report, id, &report->counts[id]);
}

static void write_exercised_in_a_line(const struct text *text)
{
    unsigned held = 0, violated = 0, counts[EXCLUSION_COUNT] = {0};
    g_autofree gchar *undecided = NULL;

    for (size_t i = 0; i < RULE_COUNT; i++) {
        enum exclusion why = why_not(text->report, (enum rule_id)i);

        counts[why]++;
        violated += why == EXERCISED && text->report->counts[i].failed > 0;
        held += why == EXERCISED && text->report->counts[i].failed == 0;
    }
    if (counts[INCONCLUSIVE] > 0)
        undecided = g_strdup_printf("%u inconclusive, ", counts[INCONCLUSIVE]);
    terminal_gap(&text->terminal);
    terminal_line(&text->terminal, 0, "rules: %u held, %u violated, %sof %u visible in captures (--verbose lists them)",
                  held, violated, undecided ? undecided : "",
                  counts[EXERCISED] + counts[INCONCLUSIVE] + counts[NO_OCCASION] + counts[NO_STIMULUS]);
}

/* "5044 4.3"; for a draft, the authors, who distinguish it. */
static gchar *text_source_of(const struct rule *rule)
{
    const char *name = strncmp(rule->document, "RFC ", 4) == 0 ? rule->document + 4 : rule->document;
    const char *author = strncmp(name, "draft-", 6) == 0 ? strchr(name + 6, '-') : NULL;

    return g_strdup_printf("%.*s %s", (int)(author ? author - name : (long)strlen(name)), name, rule->section);
}

/* A table, which is not wrapped. */
static void write_exercised(const struct report *report, FILE *out)
{
    fprintf(out, "\nrules exercised: %u\n", report->exercised);
    if (report->exercised == 0)
        return;
    fprintf(out, "  %-16s %-12s %-10s %10s %10s %12s  %s\n", "rule", "section", "severity", "passed", "failed",
            "inconclusive", "same as");
    for (size_t i = 0; i < RULE_COUNT; i++) {
        const struct rule *rule = &rule_catalogue[i];
        const struct rule_count *count = &report->counts[i];
        g_autofree gchar *section = text_source_of(rule);

        if (why_not(report, (enum rule_id)i) != EXERCISED)
            continue;
        fprintf(out, "  %-16s %-12s %-10s %10" PRIu32 " %10" PRIu32 " %12" PRIu32 "%s%s\n", rule->id, section,
                rule_severity_name(rule->severity), count->passed, count->failed, count->inconclusive,
                rule->judged == RULE_SAME ? "  " : "", rule->judged == RULE_SAME ? rule_catalogue[rule->same].id : "");
    }
}

/* Rules that also passed or failed are among them. */
static void text_write_doubts(const struct report *report, FILE *out)
{
    unsigned n = 0;

    for (size_t i = 0; i < RULE_COUNT; i++) {
        g_autofree gchar *doubt = report_rule_doubt_text(report, (enum rule_id)i);

        if (!doubt)
            continue;
        if (n++ == 0)
            fputs("\nnot always decided:\n", out);
        fprintf(out, "  %-16s %10" PRIu32 "  %s\n", rule_catalogue[i].id, report->counts[i].inconclusive, doubt);
    }
}

static void text_write_ids(const struct report *report, enum exclusion wanted, FILE *out)
{
    enum { WIDTH = 100, INDENT = 8 };
    int column = WIDTH;

    for (size_t i = 0; i < RULE_COUNT; i++) {
        if (why_not(report, (enum rule_id)i) != wanted)
            continue;
        if (column + 1 + (int)strlen(rule_catalogue[i].id) > WIDTH)
            column = fprintf(out, "\n%*s", INDENT - 1, "") - 1;
        column += fprintf(out, " %s", rule_catalogue[i].id);
    }
    fputc('\n', out);
}

static void write_not_exercised(const struct report *report, FILE *out)
{
    unsigned counts[EXCLUSION_COUNT] = {0};

    for (size_t i = 0; i < RULE_COUNT; i++)
        counts[why_not(report, (enum rule_id)i)]++;
    fprintf(out, "\nnot exercised: %u of %u rules\n", (unsigned)RULE_COUNT - counts[EXERCISED], (unsigned)RULE_COUNT);
    for (int why = EXERCISED + 1; why < EXCLUSION_COUNT; why++) {
        if (counts[why] == 0)
            continue;
        fprintf(out, "  %4u  %s", counts[why], exclusion_text((enum exclusion)why));
        text_write_ids(report, (enum exclusion)why, out);
    }
}

static void write_odd_waivers(const struct text *text)
{
    const GPtrArray *unused = text->report->unused_waivers, *expired = text->report->expired_waivers;

    for (guint i = 0; i < expired->len; i++) {
        g_autofree gchar *line = expired_waiver_text(g_ptr_array_index(expired, i));

        if (i == 0)
            terminal_gap(&text->terminal);
        terminal_line(&text->terminal, 0, "%s", line);
    }
    for (guint i = 0; i < unused->len; i++) {
        const struct waiver *waiver = g_ptr_array_index(unused, i);
        g_autofree gchar *about = unused_waiver_text(waiver);

        if (i == 0)
            terminal_gap(&text->terminal);
        terminal_line(&text->terminal, 0, "unused waiver: %s (%s)%s", waiver->id, about,
                      text->report->options->strict_waivers ? ", which fails under --strict-waivers" : "");
    }
}

static void text_write_verdict(const struct text *text)
{
    static const enum terminal_style styles[] = {[CHECK_PASS] = STYLE_WARNING,
                                                 [CHECK_FAIL] = STYLE_BAD,
                                                 [CHECK_TROUBLE] = STYLE_BAD,
                                                 [CHECK_NOTHING] = STYLE_WARNING};
    g_autofree gchar *verdict = verdict_text(text->report);
    g_autofree gchar *known = known_text(text->report);
    g_auto(GStrv) parts = g_strsplit(verdict, ": ", 2);
    enum terminal_style style = report_is_good(text->report)      ? STYLE_GOOD
                                : report_is_trouble(text->report) ? STYLE_BAD
                                                                  : styles[text->report->status];

    terminal_line(&text->terminal, 0, "%s: %s", terminal_styled(&text->terminal, style, parts[0]), parts[1]);
    if (known)
        terminal_line(&text->terminal, 0, "%s", known);
}

void report_write_text(const struct report *report, FILE *out)
{
    struct text text = {.report = report};

    terminal_init(&text.terminal, out, report->options->color);
    text_write_verdict(&text);
    trouble_write_text(report, &text.terminal);
    both_write_text(report, &text.terminal);
    many_write_rules(report, &text.terminal);
    for (guint i = 0; i < report->captures->len; i++)
        text_write_capture(&text, g_ptr_array_index(report->captures, i));
    write_odd_waivers(&text);
    if (report->options->stats)
        stats_write_text(report, &text.terminal);
    if (report->connections == 0)
        return;
    if (report->options->verbose) {
        write_exercised(report, out);
        text_write_doubts(report, out);
        write_not_exercised(report, out);
    } else {
        write_exercised_in_a_line(&text);
    }
}
