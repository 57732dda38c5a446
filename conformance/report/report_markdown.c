// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A summary in Markdown (CommonMark with tables, as GitHub, GitLab and Gitea render it) for the page of a CI job: the
 * verdict, the captures that do not pass, and the violated rules with one finding each.
 */
#include "conformance/report/report_formats.h"
#include "conformance/report/report_trouble.h"
#include "conformance/report/report_violations.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

enum {
    CAPTURES_SHOWN = 50,
    RULES_SHOWN = 100,
};

/* Foreign text on one line, with markup escaped. */
static gchar *escape(const char *text)
{
    g_autofree gchar *printable = printable_text(text);
    GString *out = g_string_new(NULL);

    for (const char *p = printable; *p != '\0'; p++) {
        if (*p == '<')
            g_string_append(out, "&lt;");
        else if (*p == '&')
            g_string_append(out, "&amp;");
        else if (strchr("\\`*_{}[]()#+!|~>", *p))
            g_string_append_printf(out, "\\%c", *p);
        else if (*p == '.' && p - printable >= 3 && strncasecmp(p - 3, "www", 3) == 0)
            g_string_append(out, "&#46;"); /* "www." would become a link */
        else if (*p == '@' ||
                 (*p == ':' && p[1] == '/')) /* "@name" would notify people, "http://" would become a link */
            g_string_append_printf(out, "&#%u;", (unsigned)*p);
        else
            g_string_append_c(out, *p);
    }
    return g_string_free(out, FALSE);
}

struct what_happened {
    FILE *out;
    enum trouble_said last;
};

static void markdown_write_captures(const struct report *report, FILE *out)
{
    static const char *const words[] = {[CHECK_PASS] = "pass",
                                        [CHECK_FAIL] = "fail",
                                        [CHECK_TROUBLE] = "unreadable",
                                        [CHECK_NOTHING] = "nothing checked"};
    unsigned shown = 0, left_out = 0, passed = 0;

    for (guint i = 0; i < report->captures->len; i++) {
        const struct report_capture *capture = g_ptr_array_index(report->captures, i);
        uint64_t found[SEVERITY_COUNT], waived;
        enum check_status status = report_capture_status(report->options, capture, found, &waived);
        g_autofree gchar *file = escape(capture->file);
        g_autofree gchar *start = capture->start_ns != 0 ? clock_text(capture->start_ns) : g_strdup("");

        bool trouble = report_capture_is_trouble(report->options, capture);

        if (status == CHECK_PASS && !trouble && report->captures->len > 1) {
            passed++;
            continue;
        }
        if (shown++ >= CAPTURES_SHOWN) {
            left_out++;
            continue;
        }
        if (shown == 1)
            fputs("\n| Capture | From | Verdict | Connections | Errors | Warnings | Notes | Waived |\n"
                  "|---|---|---|--:|--:|--:|--:|--:|\n",
                  out);
        fprintf(out, "| %s | %s | %s | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " |\n", file,
                start, trouble ? "trouble" : words[status], report_n_connections(capture), found[SEVERITY_ERROR],
                found[SEVERITY_WARNING], found[SEVERITY_NOTE], waived);
    }
    if (left_out > 0)
        fprintf(out, "\n%u more captures do not pass.\n", left_out);
    if (passed > 0)
        fprintf(out, "\n%u capture%s pass%s.\n", passed, plural(passed), passed == 1 ? "es" : "");
}

static void markdown_write_violation(const struct violation *violation, FILE *out)
{
    const struct rule *rule = &rule_catalogue[violation->rule];
    const struct report_finding *worst = violation->worst;
    g_autofree gchar *about = finding_place_text(worst, violation->capture->start_ns), *place = escape(about);
    g_autofree gchar *found = escape(finding_found(worst->message)), *text = escape(rule->text);
    g_autofree gchar *expected = finding_expected(worst->message), *wanted = escape(expected ? expected : "");
    g_autofree gchar *source = finding_rule_text(violation->rule), *file = escape(violation->capture->file);

    fprintf(out, "| %s | %s: %s: **%s**%s%s | %s, %s: %s | %" PRIu64 " | %u |\n", finding_class(worst), file, place,
            found, expected ? "<br>expected " : "", wanted, rule->id, source, text, violation->times,
            violation->connections);
}

static void write_violations(const struct report *report, FILE *out)
{
    GArray *violations = report_violations(report);

    if (violations->len > 0)
        fputs("\n| Severity | A finding | Rule | Findings | Connections |\n|---|---|---|--:|--:|\n", out);
    for (guint i = 0; i < MIN(violations->len, (guint)RULES_SHOWN); i++)
        markdown_write_violation(&g_array_index(violations, struct violation, i), out);
    if (violations->len > RULES_SHOWN)
        fprintf(out, "\n%u more rules are violated.\n", violations->len - RULES_SHOWN);
    g_array_unref(violations);
}

static void write_troubles(const struct report *report, FILE *out)
{
    const char *before = "\n";

    for (guint i = 0; i < report->captures->len; i++) {
        const struct report_capture *capture = g_ptr_array_index(report->captures, i);
        g_autofree gchar *trouble = escape(capture->trouble ? capture->trouble : "");

        if (*trouble == '\0')
            continue;
        fprintf(out, "%s- %s\n", before, trouble);
        before = "";
    }
    for (guint i = 0; i < report->expired_waivers->len; i++) {
        g_autofree gchar *line = expired_waiver_text(g_ptr_array_index(report->expired_waivers, i));
        g_autofree gchar *escaped = escape(line);

        fprintf(out, "%s- %s\n", before, escaped);
        before = "";
    }
    for (guint i = 0; i < report->unused_waivers->len; i++) {
        const struct waiver *waiver = g_ptr_array_index(report->unused_waivers, i);
        g_autofree gchar *about = unused_waiver_text(waiver), *escaped = escape(about), *id = escape(waiver->id);

        fprintf(out, "%s- unused waiver: %s (%s)\n", before, id, escaped);
        before = "";
    }
}

static void write_said(void *ctx, enum trouble_said what, const char *text)
{
    static const char *const before[] = {
        [SAID_HEAD] = "### ", [SAID_CAPTURE] = "**", [SAID_BETWEEN] = "", [SAID] = "- ", [SAID_NEXT] = "  - "};
    struct what_happened *happened = ctx;
    g_autofree gchar *escaped = escape(text);

    fprintf(happened->out, "%s%s%s%s\n", what >= SAID && happened->last >= SAID ? "" : "\n", before[what], escaped,
            what == SAID_CAPTURE ? "**" : "");
    happened->last = what;
}

static void write_what_happened(const struct report *report, FILE *out)
{
    struct what_happened happened = {out, SAID_HEAD};

    trouble_say(report, false, write_said, &happened);
}

void report_write_markdown(const struct report *report, FILE *out)
{
    g_autofree gchar *verdict = verdict_text(report);
    g_autofree gchar *known = known_text(report), *known_escaped = escape(known ? known : "");
    g_auto(GStrv) parts = g_strsplit(verdict, ": ", 2);
    g_autofree gchar *found = escape(parts[1]);

    fprintf(out, "## iwarp-check: %s\n\n%s.\n", parts[0], found);
    if (known)
        fprintf(out, "\n%s\n", known_escaped);
    write_what_happened(report, out);
    markdown_write_captures(report, out);
    write_violations(report, out);
    write_troubles(report, out);
}
