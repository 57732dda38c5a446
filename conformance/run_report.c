// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/run_report.h"

#include "conformance/annotate/annotate.h"
#include "conformance/options/options.h"
#include "conformance/report/report_formats.h"
#include "conformance/report/report_parts.h"
#include "support/output_file.h"
#include "support/stderr_line.h"

#include <errno.h>
#include <string.h>

static void report_troubles(const struct report *report)
{
    for (guint i = 0; i < report->captures->len; i++) {
        const struct report_capture *capture = g_ptr_array_index(report->captures, i);

        if (capture->trouble)
            stderr_line("iwarp-check", "%s", capture->trouble);
    }
}

static void report_nothing_found(const struct report *report)
{
    for (guint i = 0; i < report->captures->len; i++) {
        const struct report_capture *capture = g_ptr_array_index(report->captures, i);
        const char *why = report_capture_undone(capture) ? NULL : report_nothing_checked(capture);

        if (why && report->captures->len == 1)
            stderr_line("iwarp-check", "%s", why);
        else if (why)
            stderr_line("iwarp-check", "%s: %s", capture->file, why);
    }
}

static bool report_output_trouble(const char *path)
{
    stderr_line("iwarp-check", "cannot write %s: %s", path ? path : "standard output", g_strerror(errno));
    return false;
}

/* The first part of "report.json" is "report-00001.json". */
static gchar *part_path(const char *path, unsigned number)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    int stem = (int)(!dot || dot == name ? strlen(path) : (size_t)(dot - path));

    return g_strdup_printf("%.*s-%05u%s", stem, path, number, path + stem);
}

static gchar *report_path_of(const struct report_output *output, unsigned part)
{
    return !output->path || part == 0 ? g_strdup(output->path) : part_path(output->path, part);
}

static bool report_write_file(const struct report *report, const char *path,
                              void (*write)(const struct report *report, FILE *out))
{
    struct output_file output;
    bool good = output_file_open(&output, path);

    if (good) {
        write(report, output.file);
        good = output_file_finish(&output);
    }
    if (!good)
        report_output_trouble(path);
    output_file_clear(&output);
    return good;
}

static bool report_write_output(const struct report *report, const struct report_output *wanted, unsigned part)
{
    g_autofree gchar *path = report_path_of(wanted, part);

    return report_write_file(report, path, report_writers[wanted->format]);
}

/* --summary, --quiet and --print=ndjson suppress the report on standard output. part 0: a report of the whole. */
static bool write_reports(const struct report *report, unsigned part)
{
    const struct check_options *options = report->options;
    bool taken = options->summary || options->quiet || options->print_ndjson, good = true;

    if (options->summary)
        report_write_summary(report, stdout);
    else if (taken) {
        g_autofree gchar *verdict = verdict_text(report);

        fprintf(options->print_ndjson ? stderr : stdout, "%s\n", verdict);
    }
    if (fflush(stdout) != 0)
        return report_output_trouble(NULL);
    for (guint i = 0; i < options->outputs->len; i++) {
        const struct report_output *output = &g_array_index(options->outputs, struct report_output, i);

        if (output->path || !taken)
            good &= report_write_output(report, output, part);
    }
    return good;
}

/* A capture that could not be opened has been reported already. */
static bool write_annotated(const struct report *report)
{
    const struct check_options *options = report->options;
    const struct report_capture *capture = g_ptr_array_index(report->captures, 0);
    GError *error = NULL;

    if (!options->annotate || (capture->failed && capture->packets == 0))
        return true;
    if (annotate_write(report, options->files[0], options->annotate, &error))
        return true;
    stderr_line("iwarp-check", "%s", error->message);
    g_error_free(error);
    return false;
}

static bool write_waivers(const struct report *report)
{
    const char *path = report->options->write_waivers;

    return !path || report_write_file(report, path, report_write_waivers);
}

/* An input that this run would overwrite; NULL: none. path NULL: standard output. */
static const char *input_at(const struct check_options *options, const char *path)
{
    for (char **file = options->files; *file; file++)
        if (output_file_is_input(path, *file))
            return strcmp(*file, "-") == 0 ? "the capture on standard input" : "one of the captures to check";
    for (guint i = 0; i < options->waivers->len; i++) {
        const struct waiver *waiver = g_ptr_array_index(options->waivers, i);
        const char *end = waiver->shipped || !waiver->where ? NULL : strrchr(waiver->where, ':');
        g_autofree gchar *file = end ? g_strndup(waiver->where, (gsize)(end - waiver->where)) : NULL;

        if (file && output_file_is_input(path, file))
            return "read by --waivers";
    }
    return NULL;
}

static bool report_is_taken(const struct check_options *options, const char *option, const char *path)
{
    const struct {
        const char *option, *path;
    } others[] = {
        {"--annotate", options->annotate}, {"--write-waivers", options->write_waivers}, {"-w", options->keep}};
    const char *taken = input_at(options, path);

    if (taken) {
        stderr_line("iwarp-check", "%s: %s is %s; give another name", option, path ? path : "standard output", taken);
        return true;
    }
    for (size_t i = 0; path && i < G_N_ELEMENTS(others); i++) {
        if (!others[i].path || strcmp(option, others[i].option) == 0 || !output_places_clash(path, others[i].path))
            continue;
        stderr_line("iwarp-check", "%s: %s is also the file for %s; give another name", option, path, others[i].option);
        return true;
    }
    return false;
}

/* At the end of the run, or of the first period. */
static gchar *first_path(const struct check_options *options, const struct report_output *output)
{
    return report_path_of(output, options->rotate_ns == 0 ? 0 : 1);
}

static void add_path(GPtrArray *paths, gchar *path)
{
    if (path)
        g_ptr_array_add(paths, path);
}

GPtrArray *run_report_paths(const struct check_options *options)
{
    GPtrArray *paths = g_ptr_array_new_with_free_func(g_free);

    for (guint i = 0; i < options->outputs->len; i++)
        add_path(paths, first_path(options, &g_array_index(options->outputs, struct report_output, i)));
    add_path(paths, g_strdup(options->annotate));
    add_path(paths, g_strdup(options->write_waivers));
    g_ptr_array_add(paths, NULL);
    return paths;
}

static bool waivers_possible(const struct check_options *options)
{
    const char *path = options->write_waivers;

    return !path || (!report_is_taken(options, "--write-waivers", path) &&
                     (output_file_possible(path) || report_output_trouble(path)));
}

/* Whether --rotate may later write over an input: the number in the name of the input tells which report that would be.
 */
static bool part_is_taken(const struct check_options *options, const struct report_output *output)
{
    bool taken = false;

    for (char **file = options->files; options->rotate_ns != 0 && output->path && *file; file++)
        for (const char *dash = strchr(*file, '-'); dash && !taken; dash = strchr(dash + 1, '-')) {
            guint64 n = g_ascii_isdigit(dash[1]) ? g_ascii_strtoull(dash + 1, NULL, 10) : 0;
            g_autofree gchar *path = n > 0 && n <= UINT32_MAX ? report_path_of(output, (uint32_t)n) : NULL;

            taken = path && report_is_taken(options, "--rotate", path);
        }
    return taken;
}

static bool report_possible(const struct check_options *options, const struct report_output *output)
{
    g_autofree gchar *path = first_path(options, output);

    return !report_is_taken(options, "--output", path) && !part_is_taken(options, output) &&
           (output_file_possible(path) || report_output_trouble(path));
}

bool run_report_possible(const struct check_options *options)
{
    if ((options->annotate && report_is_taken(options, "--annotate", options->annotate)) ||
        (options->keep && report_is_taken(options, "-w", options->keep)))
        return false;
    for (guint i = 0; i < options->outputs->len; i++)
        if (!report_possible(options, &g_array_index(options->outputs, struct report_output, i)))
            return false;
    return waivers_possible(options);
}

/* If the only capture does not exist, a single line is enough for people. */
static bool says_no_more(const struct report *report)
{
    const struct check_options *options = report->options;
    const struct report_capture *first = g_ptr_array_index(report->captures, 0);
    const struct report_output *shown = outputs_on_stdout(options->outputs);

    return report->captures->len == 1 && first->failed && !options->interface && options->outputs->len == 1 && shown &&
           shown->format == FORMAT_TEXT && !options->summary && strcmp(first->path, "-") != 0 &&
           !g_file_test(first->path, G_FILE_TEST_EXISTS);
}

enum check_status run_report_all(struct report *report, bool blank)
{
    enum check_status status;

    report_conclude(report);
    report_troubles(report);
    if (says_no_more(report))
        return report->status;
    if (!report->options->allow_empty)
        report_nothing_found(report);
    if (blank)
        fputc('\n', stdout);
    status = report->status;
    if (!write_annotated(report) || !write_waivers(report))
        status = CHECK_TROUBLE;
    return write_reports(report, 0) ? status : CHECK_TROUBLE;
}

/* ---- parts ---- */

void run_report_part(void *ctx)
{
    struct run_parts *parts = ctx;
    struct report *report = parts->report;
    const struct report_capture *capture = g_ptr_array_index(report->captures, 0);

    report_conclude(report);
    report_troubles(report);
    parts->trouble |= !write_reports(report, capture->part.number) || report->status == CHECK_TROUBLE;
    parts->fails |= report->status == CHECK_FAIL;
    parts->connections |= report->connections > 0;
    parts->judged |= report_judged_something(capture);
}

enum check_status run_parts_status(const struct run_parts *parts)
{
    if (parts->trouble)
        return CHECK_TROUBLE;
    if (parts->fails)
        return CHECK_FAIL;
    if (parts->judged || parts->report->options->allow_empty)
        return CHECK_PASS;
    stderr_line("iwarp-check", "%s", report_nothing(parts->connections ? REPORT_NO_FPDU : REPORT_NO_MPA));
    return CHECK_NOTHING;
}
