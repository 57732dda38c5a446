// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/run_report.h"

#include "conformance/annotate/annotate.h"
#include "conformance/options/options.h"
#include "conformance/report/report_formats.h"
#include "conformance/report/report_waivers.h"
#include "support/output_file.h"

#include <errno.h>
#include <string.h>

static void report_troubles(const struct report *report)
{
    for (guint i = 0; i < report->captures->len; i++) {
        const struct report_capture *capture = g_ptr_array_index(report->captures, i);

        if (capture->trouble)
            fprintf(stderr, "iwarp-check: %s\n", capture->trouble);
    }
}

static void report_nothing_found(const struct report *report)
{
    for (guint i = 0; i < report->captures->len; i++) {
        const struct report_capture *capture = g_ptr_array_index(report->captures, i);
        const char *why = capture->failed ? NULL : report_nothing_checked(capture);

        if (why && report->captures->len == 1)
            fprintf(stderr, "iwarp-check: %s\n", why);
        else if (why)
            fprintf(stderr, "iwarp-check: %s: %s\n", capture->file, why);
    }
}

static bool output_trouble(const char *path)
{
    fprintf(stderr, "iwarp-check: cannot write %s: %s\n", path ? path : "standard output", g_strerror(errno));
    return false;
}

/* "report.json" is "report-00001.json" in the first part. */
static gchar *part_path(const char *path, unsigned number)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    int stem = (int)(!dot || dot == name ? strlen(path) : (size_t)(dot - path));

    return g_strdup_printf("%.*s-%05u%s", stem, path, number, path + stem);
}

static bool write_report(const struct report *report, const char *path)
{
    const struct check_options *options = report->options;
    struct output_file output;
    bool good;

    if (options->summary)
        report_write_summary(report, stdout);
    if (fflush(stdout) != 0)
        return output_trouble(NULL);
    if (options->summary && !path)
        return true;
    good = output_file_open(&output, path);
    if (good) {
        report_write(report, output.file);
        good = output_file_finish(&output);
    }
    if (!good)
        output_trouble(path);
    output_file_clear(&output);
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
    fprintf(stderr, "iwarp-check: %s\n", error->message);
    g_error_free(error);
    return false;
}

static bool write_waivers(const struct report *report)
{
    const char *path = report->options->write_waivers;
    struct output_file output;
    bool good;

    if (!path)
        return true;
    good = output_file_open(&output, path);
    if (good) {
        report_write_waivers(report, output.file);
        good = output_file_finish(&output);
    }
    if (!good)
        output_trouble(path);
    output_file_clear(&output);
    return good;
}

/* The report would be put in place of a capture, which the user may have once only. */
static bool overwrites_input(const struct check_options *options, const char *option, const char *path)
{
    const char *taken = NULL;

    if (!path)
        return false;
    for (char **file = options->files; *file; file++)
        taken = output_file_is(path, *file) && g_file_test(*file, G_FILE_TEST_IS_REGULAR)
                    ? "one of the captures to check"
                    : taken;
    if (g_strcmp0(path, options->annotate) == 0)
        taken = "also the file of --annotate";
    if (taken)
        fprintf(stderr, "iwarp-check: %s: %s is %s; give another name\n", option, path, taken);
    return taken != NULL;
}

/* The same of -w. */
static bool keeps_over_input(const struct check_options *options)
{
    bool over = options->keep && options->files[0] && output_file_is(options->keep, options->files[0]);

    if (over)
        fprintf(stderr, "iwarp-check: -w: %s is the capture to check; give another name\n", options->keep);
    return over;
}

/* The first one, or the only one; NULL: standard output. */
static gchar *report_path(const struct check_options *options)
{
    return options->rotate_ns == 0 ? g_strdup(options->output) : part_path(options->output, 1);
}

GPtrArray *run_report_paths(const struct check_options *options)
{
    gchar *const paths[] = {report_path(options), g_strdup(options->annotate), g_strdup(options->write_waivers)};
    GPtrArray *all = g_ptr_array_new_with_free_func(g_free);

    for (size_t i = 0; i < G_N_ELEMENTS(paths); i++)
        if (paths[i])
            g_ptr_array_add(all, paths[i]);
    g_ptr_array_add(all, NULL);
    return all;
}

bool run_report_possible(const struct check_options *options)
{
    gchar *path = report_path(options);
    const char *waivers = options->write_waivers;
    bool possible = !overwrites_input(options, "--output", path) &&
                    !overwrites_input(options, "--write-waivers", waivers) && !keeps_over_input(options) &&
                    (output_file_possible(path) || output_trouble(path)) &&
                    (!waivers || output_file_possible(waivers) || output_trouble(waivers));

    g_free(path);
    return possible;
}

enum check_status run_report_all(struct report *report, bool blank)
{
    enum check_status status;

    report_conclude(report);
    report_troubles(report);
    if (!report->options->allow_empty)
        report_nothing_found(report);
    if (blank)
        fputc('\n', stdout);
    status = report->status;
    if (!write_annotated(report) || !write_waivers(report))
        status = CHECK_TROUBLE;
    return write_report(report, report->options->output) ? status : CHECK_TROUBLE;
}

/* ---- parts ---- */

void run_report_part(void *ctx)
{
    struct run_parts *parts = ctx;
    struct report *report = parts->report;
    const struct report_capture *capture = g_ptr_array_index(report->captures, 0);
    gchar *path = part_path(report->options->output, capture->part.number);

    report_conclude(report);
    report_troubles(report);
    parts->trouble |= !write_report(report, path) || report->status == CHECK_TROUBLE;
    parts->fails |= report->status == CHECK_FAIL;
    parts->connections |= report->connections > 0;
    parts->judged |= report_judged_something(capture);
    g_free(path);
}

enum check_status run_parts_status(const struct run_parts *parts)
{
    if (parts->trouble)
        return CHECK_TROUBLE;
    if (parts->fails)
        return CHECK_FAIL;
    if (parts->judged || parts->report->options->allow_empty)
        return CHECK_PASS;
    fprintf(stderr, "iwarp-check: %s\n", report_nothing(parts->connections ? REPORT_NO_FPDU : REPORT_NO_MPA));
    return CHECK_NOTHING;
}
