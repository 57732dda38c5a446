// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Annotations for GitHub Actions: workflow commands, a line for each finding and trouble, which the runner shows beside
 * the job. Waived findings are left out.
 */
#include "conformance/options/options.h"
#include "conformance/report/report_formats.h"
#include "conformance/report/report_violations.h"

#include <inttypes.h>

/* What the runner decodes: % and line ends, and in the value of a property also : and , */
static gchar *encode(const char *text, bool property)
{
    GString *out = g_string_new(NULL);

    for (; *text != '\0'; text++) {
        bool special = *text == '%' || *text == '\r' || *text == '\n' || (property && (*text == ':' || *text == ','));

        if (special)
            g_string_append_printf(out, "%%%02X", (unsigned)(guchar)*text);
        else
            g_string_append_c(out, *text);
    }
    return g_string_free(out, FALSE);
}

static void write_command(FILE *out, const char *command, const char *file, const char *title, const char *text)
{
    g_autofree gchar *printable = printable_text(text), *path = encode(file, true), *name = encode(title, true);
    g_autofree gchar *message = encode(printable, false);

    fprintf(out, "::%s file=%s,title=%s::%s\n", command, path, name, message);
}

static void write_finding(FILE *out, const struct report_capture *capture, const struct report_connection *connection,
                          const struct report_finding *finding)
{
    static const char *const commands[SEVERITY_COUNT] = {
        [SEVERITY_NOTE] = "notice", [SEVERITY_WARNING] = "warning", [SEVERITY_ERROR] = "error"};
    const struct rule *rule = &rule_catalogue[finding->rule];
    g_autofree gchar *title = g_strdup_printf("%s, %s section %s", rule->id, rule->document, rule->section);
    g_autofree gchar *about = finding_text(finding, capture->start_ns);
    g_autofree gchar *text = g_strdup_printf("connection %" PRIu32 ", %s", connection->id, about);

    write_command(out, commands[finding->severity], capture->file, title, text);
}

/* Where these fail the run, the page has to say so. */
static void write_happened(FILE *out, const struct report_capture *capture)
{
    for (guint i = 0; i < capture->troubles->list->len; i++) {
        const struct trouble *trouble = g_ptr_array_index(capture->troubles->list, i);
        g_autofree gchar *clock = trouble_clock(trouble->time_ns), *text = NULL;

        if (trouble_is_note(trouble->kind))
            continue;
        text = g_strdup_printf("client %s, server %s, %s frame %" PRIu32 ": %s%s%s", trouble->client, trouble->server,
                               clock, trouble->frame, trouble->words, trouble->next ? "; next: " : "",
                               trouble->next ? trouble->next : "");
        write_command(out, "error", capture->file, trouble_kind_name(trouble->kind), text);
    }
}

static void write_capture(const struct report *report, const struct report_capture *capture, FILE *out)
{
    const char *nothing = capture->failed ? NULL : report_nothing_checked(capture);

    if (capture->trouble)
        write_command(out, capture->failed ? "error" : "warning", capture->file, "iwarp-check", capture->trouble);
    if (nothing)
        write_command(out, report->options->allow_empty ? "notice" : "error", capture->file, "iwarp-check", nothing);
    if (report->options->fail_trouble)
        write_happened(out, capture);
    for (guint i = 0; i < capture->connections->len; i++) {
        const struct report_connection *connection = g_ptr_array_index(capture->connections, i);

        for (guint k = 0; k < connection->findings->len; k++) {
            const struct report_finding *finding = &g_array_index(connection->findings, struct report_finding, k);

            if (!finding->waiver)
                write_finding(out, capture, connection, finding);
        }
    }
}

void report_write_github(const struct report *report, FILE *out)
{
    g_autofree gchar *verdict = verdict_text(report);

    for (guint i = 0; i < report->captures->len; i++)
        write_capture(report, g_ptr_array_index(report->captures, i), out);
    fprintf(out, "%s\n", verdict);
}
