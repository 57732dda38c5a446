// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Annotations for GitHub Actions: workflow commands, one line for each finding and trouble, which the runner shows
 * beside the job. Waived findings are omitted. The runner limits the annotations of a step: each rule gets at most ten,
 * and a notice with the number of the others.
 */
#include "conformance/options/options.h"
#include "conformance/report/report_formats.h"
#include "conformance/report/report_trouble.h"
#include "conformance/report/report_violations.h"

#include <inttypes.h>

/* Encodes what the runner decodes: % and line ends, and in the value of a property also : and , */
static gchar *github_encode(const char *text, bool property)
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
    g_autofree gchar *printable = printable_text(text), *plain = printable_text(file);
    g_autofree gchar *path = github_encode(plain, true), *name = github_encode(title, true);
    g_autofree gchar *message = github_encode(printable, false);

    fprintf(out, "::%s file=%s,title=%s::%s\n", command, path, name, message);
}

enum { ANNOTATIONS_MAX = 10 };

/* For a rule, or a kind of trouble. */
struct topic {
    unsigned written;
    uint64_t times, told; /* the number found, and how many of these annotations report */
};

struct writing {
    FILE *out;
    const struct report *report;
    struct topic rules[RULE_COUNT], troubles[TROUBLE_KINDS];
};

static bool is_room(struct topic *topic, uint64_t times)
{
    if (topic->written == ANNOTATIONS_MAX)
        return false;
    topic->written++;
    topic->told += times;
    return true;
}

static void write_sum(FILE *out, const struct topic *topic, const char *name)
{
    if (topic->times > topic->told)
        fprintf(out, "::notice title=%s::and %" PRIu64 " more of %s\n", name, topic->times - topic->told, name);
}

static void github_write_finding(FILE *out, const struct report_capture *capture,
                                 const struct report_connection *connection, const struct report_finding *finding)
{
    static const char *const commands[SEVERITY_COUNT] = {
        [SEVERITY_NOTE] = "notice", [SEVERITY_WARNING] = "warning", [SEVERITY_ERROR] = "error"};
    const struct rule *rule = &rule_catalogue[finding->rule];
    g_autofree gchar *title = g_strdup_printf("%s, %s section %s", rule->id, rule->document, rule->section);
    g_autofree gchar *about = finding_text(finding, capture->start_ns);
    g_autofree gchar *text = g_strdup_printf("connection %" PRIu32 ", %s", connection->id, about);

    write_command(out, commands[finding->severity], capture->file, title, text);
}

static void github_write_happened(struct writing *writing, const struct report_capture *capture)
{
    for (guint i = 0; i < capture->troubles->list->len; i++) {
        const struct trouble *trouble = g_ptr_array_index(capture->troubles->list, i);
        struct topic *topic = &writing->troubles[trouble->kind];
        bool fails = writing->report->options->fail_trouble && trouble_fails(trouble);
        g_autofree gchar *text = trouble_text(trouble);

        topic->times++;
        if (is_room(topic, 1))
            write_command(writing->out,
                          fails                            ? "error"
                          : trouble_is_note(trouble->kind) ? "notice"
                                                           : "warning",
                          capture->file, trouble_kind_name(trouble->kind), text);
    }
}

static void github_write_connection(struct writing *writing, const struct report_capture *capture,
                                    const struct report_connection *connection)
{
    GArray *groups = finding_groups(connection);

    for (guint i = 0; i < groups->len; i++) {
        const struct finding_group *group = &g_array_index(groups, struct finding_group, i);

        if (!group->first->waiver)
            writing->rules[group->first->rule].times += finding_group_times(connection, groups, group);
    }
    for (guint i = 0; i < connection->findings->len; i++) {
        const struct report_finding *finding = &g_array_index(connection->findings, struct report_finding, i);

        if (!finding->waiver && is_room(&writing->rules[finding->rule], 1 + (uint64_t)finding->more))
            github_write_finding(writing->out, capture, connection, finding);
    }
    g_array_unref(groups);
}

static void github_write_capture(struct writing *writing, const struct report_capture *capture)
{
    const char *nothing = report_capture_undone(capture) ? NULL : report_nothing_checked(capture);
    g_autofree gchar *unlisted = report_rest_fails_text(writing->report->options, &capture->rest);
    FILE *out = writing->out;

    if (capture->trouble)
        write_command(out, report_capture_undone(capture) ? "error" : "warning", capture->file, "iwarp-check",
                      capture->trouble);
    if (nothing)
        write_command(out, writing->report->options->allow_empty ? "notice" : "error", capture->file, "iwarp-check",
                      nothing);
    if (unlisted)
        write_command(out, "error", capture->file, "iwarp-check", unlisted);
    github_write_happened(writing, capture);
    for (guint i = 0; i < capture->connections->len; i++)
        github_write_connection(writing, capture, g_ptr_array_index(capture->connections, i));
}

void report_write_github(const struct report *report, FILE *out)
{
    struct writing *writing = g_new0(struct writing, 1);
    g_autofree gchar *verdict = verdict_text(report);

    writing->out = out;
    writing->report = report;
    for (guint i = 0; i < report->captures->len; i++)
        github_write_capture(writing, g_ptr_array_index(report->captures, i));
    for (size_t i = 0; i < TROUBLE_KINDS; i++)
        write_sum(out, &writing->troubles[i], trouble_kind_name((enum trouble_kind)i));
    for (size_t i = 0; i < RULE_COUNT; i++)
        write_sum(out, &writing->rules[i], rule_catalogue[i].id);
    fprintf(out, "%s\n", verdict);
    g_free(writing);
}
