// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reports are read twice: first to validate them, sum up, and find their captures; then each capture is copied. Only
 * one connection is in memory at a time.
 */
#include "conformance/merge/merge.h"

#include "conformance/merge/merge_baseline.h"
#include "conformance/merge/merge_read.h"
#include "conformance/merge/merge_write.h"
#include "conformance/model/report.h"
#include "conformance/options/options.h"
#include "conformance/report/report_formats.h"
#include "conformance/report/report_parts.h"
#include "support/confine.h"
#include "support/output_file.h"
#include "support/stderr_line.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

struct merge {
    struct check_options options; /* only these members of the options: what fails, files */
    enum report_format format;
    char *output; /* NULL: standard output */
    struct merge_files files;
    struct merge_sums sums;
    GArray *entries;                         /* struct merge_entry */
    char *baseline_file;                     /* NULL: not compared */
    struct merge_baseline *baseline;         /* NULL: not compared, or not yet */
    GArray *verdicts;                        /* enum check_status of each capture; NULL likewise */
    uint64_t connections, empty, incomplete; /* as in struct merge_writing */
};

static gboolean is_used(gpointer id, gpointer value, gpointer used)
{
    (void)value;
    return g_hash_table_contains(used, id);
}

/* With a baseline, only new findings and trouble fail. */
static bool anything_fails(const struct merge *merge)
{
    if (merge->baseline)
        return merge_baseline_fails(merge->baseline, &merge->options);
    for (size_t i = 0; i < SEVERITY_COUNT; i++)
        if (merge->sums.found[i] > 0 && options_fails(&merge->options, (enum rule_severity)i))
            return true;
    return merge->options.fail_trouble && merge_any_trouble(merge->entries);
}

static enum check_status merge_decide(const struct merge *merge)
{
    if (merge->sums.failed_capture)
        return CHECK_TROUBLE;
    if (anything_fails(merge))
        return CHECK_FAIL;
    if (merge->options.strict_waivers && g_hash_table_size(merge->sums.unused) > 0)
        return CHECK_FAIL;
    if (merge->incomplete > 0 && !merge->options.allow_empty)
        return CHECK_FAIL;
    if (merge->sums.cut_short)
        return CHECK_TROUBLE;
    return merge->empty > 0 && !merge->options.allow_empty ? CHECK_NOTHING : CHECK_PASS;
}

static GList *sorted(GHashTable *ids)
{
    return g_list_sort(g_hash_table_get_keys(ids), (GCompareFunc)strcmp);
}

static void write_summary(const struct merge *merge, FILE *out)
{
    GList *ids = sorted(merge->sums.unused);
    struct report_line_summary summary = {.waived = merge->sums.waived,
                                          .connections = merge->connections,
                                          .trouble = merge_any_trouble(merge->entries),
                                          .status = merge_decide(merge),
                                          .unused = g_ptr_array_new(),
                                          .more = merge->baseline ? merge_baseline_write_json : NULL,
                                          .ctx = merge->baseline};

    memcpy(summary.found, merge->sums.found, sizeof summary.found);
    for (size_t i = 0; i < RULE_COUNT; i++)
        summary.exercised += merge->sums.exercised[i];
    for (GList *id = ids; id; id = id->next)
        g_ptr_array_add(summary.unused, id->data);
    report_line_write_summary(out, &summary);
    g_ptr_array_unref(summary.unused);
    g_list_free(ids);
}

/* False: reported on standard error. */
static bool merge_write_lines(struct merge *merge, FILE *out)
{
    struct merge_writing writing = {
        .files = &merge->files, .out = out, .profile = merge_profile(&merge->sums), .verdicts = merge->verdicts};

    report_line_write_run(
        out, &(struct report_line_run){"iwarp-check", IWARP_KIT_VERSION, merge->sums.profile, REPORT_JSON_FORMAT});
    if (!merge_write_captures(&writing, merge->entries)) {
        stderr_line("iwarp-check", "%s", writing.error);
        g_free(writing.error);
        return false;
    }
    merge->connections = writing.connections;
    merge->empty = writing.empty;
    merge->incomplete = writing.incomplete;
    write_summary(merge, out);
    return true;
}

static void add_unused(struct check_options *options, const char *id)
{
    struct waiver *waiver = g_new0(struct waiver, 1);

    waiver->rule = rule_find(id) ? rule_number(rule_find(id)) : 0;
    waiver->id = g_strdup(id);
    waiver->where = g_strdup("in no report");
    g_ptr_array_add(options->waivers, waiver);
}

/*
 * Makes a report from the merged report, as if it came from captures; report_clear() it. False: the file cannot be read
 * again.
 */
static bool fill_report(struct merge *merge, FILE *lines, struct report *report)
{
    struct check_options *options = &merge->options;

    if (!options->waivers)
        options->waivers = waivers_new();
    memset(options->rules.listed, true, sizeof options->rules.listed);
    memset(options->rules.shown, true, sizeof options->rules.shown);
    memset(options->rules.reported, true, sizeof options->rules.reported);
    options->profile = merge->sums.profile;
    options->mpa.profile = merge_profile(&merge->sums);
    report_init(report, options);
    return merge_report_fill(report, options, lines);
}

/* Writes any format except NDJSON. False: the merged report cannot be read again. */
static bool write_other(struct merge *merge, FILE *lines, FILE *out)
{
    struct check_options *options = &merge->options;
    GList *unused = sorted(merge->sums.unused);
    struct report report;
    bool ok = fill_report(merge, lines, &report);

    for (GList *id = unused; id; id = id->next)
        add_unused(options, id->data);
    g_list_free(unused);
    if (ok) {
        if (merge->baseline)
            merge_baseline_waive(merge->baseline, &report, options);
        report_conclude(&report);
        report.status = merge_decide(merge);
        report_writers[merge->format](&report, out);
        if (merge->baseline && merge->format == FORMAT_TEXT)
            merge_baseline_write_text(merge->baseline, out);
    }
    report_clear(&report);
    return ok;
}

static bool cannot_write(const char *path)
{
    stderr_line("iwarp-check", "cannot write %s: %s", path, g_strerror(errno));
    return false;
}

/* lines: the complete merged report; NULL: the report is written to the output directly. */
static bool merge_write_output(struct merge *merge, FILE *lines)
{
    const char *path = merge->output;
    struct output_file out;
    bool ok = output_file_open(&out, path), made = true;

    if (ok && !lines)
        made = merge_write_lines(merge, out.file);
    else if (ok)
        ok = merge->format == FORMAT_NDJSON ? merge_files_copy(fileno(lines), MERGE_ALL, out.file)
                                            : write_other(merge, lines, out.file);
    if (ok && made)
        ok = output_file_finish(&out);
    if (!ok)
        cannot_write(path ? path : "standard output");
    output_file_clear(&out);
    return ok && made;
}

/* The merged report, at its beginning; fclose() it. NULL: reported on standard error. */
static FILE *lines_file(struct merge *merge)
{
    FILE *lines = tmpfile();
    bool ok = lines && merge_write_lines(merge, lines);

    if (!lines || (ok && (fflush(lines) != 0 || ferror(lines))))
        ok = cannot_write("a temporary file");
    if (lines && !ok)
        fclose(lines);
    if (!ok)
        return NULL;
    lseek(fileno(lines), 0, SEEK_SET);
    return lines;
}

/*
 * The lines first go to a temporary file: another format may be made from them, or parts may turn out to be
 * inconsistent.
 */
static bool write_by_way_of_lines(struct merge *merge)
{
    FILE *lines = lines_file(merge);
    bool ok = lines && merge_write_output(merge, lines);

    if (lines)
        fclose(lines);
    return ok;
}

static bool has_parts(const GArray *captures)
{
    for (guint i = 0; i < captures->len; i++)
        if (g_array_index(captures, struct merge_capture, i).series)
            return true;
    return false;
}

static bool merge_read_all(struct merge *merge)
{
    for (guint i = 0; merge->options.files[i]; i++) {
        g_autofree gchar *error = merge_read(&merge->sums, &merge->files, i);

        if (error) {
            stderr_line("iwarp-check", "%s", error);
            return false;
        }
    }
    return true;
}

/* False: reported on standard error. */
static bool find_entries(struct merge *merge)
{
    GError *error = NULL;

    if (!merge_read_all(merge))
        return false;
    g_hash_table_foreach_remove(merge->sums.unused, is_used, merge->sums.used);
    merge->entries = merge_entries(merge->sums.captures, merge->options.files, &error);
    if (merge->entries)
        return true;
    stderr_line("iwarp-check", "%s", error->message);
    g_error_free(error);
    return false;
}

static void merge_begin(struct merge *merge)
{
    merge_files_init(&merge->files, merge->options.files);
    merge_sums_init(&merge->sums);
}

static void merge_end(struct merge *merge)
{
    if (merge->entries)
        g_array_unref(merge->entries);
    merge_sums_clear(&merge->sums);
    merge_files_clear(&merge->files);
    merge_baseline_free(merge->baseline);
    if (merge->verdicts)
        g_array_unref(merge->verdicts);
}

/* False: reported on standard error. In either case, report_clear() the report. */
static bool report_of(struct merge *merge, struct report *report)
{
    FILE *lines = lines_file(merge);
    bool ok = lines && fill_report(merge, lines, report);

    if (lines)
        fclose(lines);
    else
        report_init(report, &merge->options);
    return ok;
}

/* With a baseline, new findings decide the verdict of each capture, too. */
static void judge_anew(struct merge *merge, struct report *now)
{
    merge_baseline_waive(merge->baseline, now, &merge->options);
    merge->verdicts = g_array_new(FALSE, FALSE, sizeof(enum check_status));
    for (guint i = 0; i < now->captures->len; i++) {
        uint64_t found[SEVERITY_COUNT], waived;
        enum check_status status =
            report_capture_status(&merge->options, g_ptr_array_index(now->captures, i), found, &waived);

        g_array_append_val(merge->verdicts, status);
    }
}

/* False: reported on standard error. */
static bool merge_compare(struct merge *merge)
{
    char *files[] = {merge->baseline_file, NULL};
    struct merge earlier = {.options = {.files = files, .fail_on = merge->options.fail_on}};
    struct report before, now;
    bool ok;

    merge_begin(&earlier);
    ok = find_entries(&earlier);
    if (ok && strcmp(earlier.sums.profile, merge->sums.profile) != 0) {
        stderr_line("iwarp-check", "--baseline: %s was judged with --profile=%s, the reports to merge with %s",
                    merge->baseline_file, earlier.sums.profile, merge->sums.profile);
        ok = false;
    }
    if (ok) {
        ok = report_of(&earlier, &before);
        ok = report_of(merge, &now) && ok;
        if (ok) {
            merge->baseline = merge_baseline_new(merge->baseline_file, &before, &now);
            judge_anew(merge, &now);
        }
        report_clear(&before);
        report_clear(&now);
    }
    merge_end(&earlier);
    if (earlier.options.waivers)
        g_ptr_array_unref(earlier.options.waivers);
    return ok;
}

static int merge_all(struct merge *merge)
{
    bool written;

    if (!find_entries(merge) || (merge->baseline_file && !merge_compare(merge)))
        return CHECK_TROUBLE;
    written = merge->format != FORMAT_NDJSON || has_parts(merge->sums.captures) ? write_by_way_of_lines(merge)
                                                                                : merge_write_output(merge, NULL);
    return (int)(written ? merge_decide(merge) : CHECK_TROUBLE);
}

static void confine_merge(const struct merge *merge)
{
    g_autoptr(GPtrArray) inputs = g_ptr_array_new();
    char *outputs[] = {merge->output, NULL};

    for (char **file = merge->options.files; *file; file++)
        g_ptr_array_add(inputs, *file);
    g_ptr_array_add(inputs, merge->baseline_file);
    g_ptr_array_add(inputs, NULL);
    confine(&(struct confine_to){(char *const *)inputs->pdata, outputs, P_tmpdir});
}

static int merge_files(struct merge *merge)
{
    int status;

    confine_merge(merge);
    merge_begin(merge);
    status = merge_all(merge);
    merge_end(merge);
    return status;
}

static const char help[] =
    "Usage: iwarp-check merge [OPTION...] A.ndjson B.ndjson...\n"
    "Merges NDJSON reports into one report, as if a single run had checked all captures.\n"
    "\n"
    " --format=FORMAT          ndjson (default), text, junit, html, sarif, github, markdown, tap\n"
    " -o FILE, --output=FILE   write to FILE; default: standard output\n"
    " --fail-on=LEVEL          error (default), warning, note, never; or ,trouble\n"
    " --baseline=OLD.ndjson    list findings that are new, gone or unchanged since that\n"
    "                          report; only new findings fail\n"
    " --strict-waivers         fail on waivers that matched nothing in any report\n"
    " --allow-empty            treat captures with nothing to check as passed\n"
    "The exit status is that of iwarp-check; see man iwarp-check.\n";

static bool parse(struct merge *merge, int argc, char **argv, GError **error)
{
    struct check_options *options = &merge->options;
    gchar *fail_on = NULL, *format = NULL;
    gboolean strict = FALSE, allow_empty = FALSE, asked = FALSE;
    const GOptionEntry entries[] = {
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &merge->output, NULL, NULL},
        {"format", 0, 0, G_OPTION_ARG_STRING, &format, NULL, NULL},
        {"fail-on", 0, 0, G_OPTION_ARG_STRING, &fail_on, NULL, NULL},
        {"baseline", 0, 0, G_OPTION_ARG_FILENAME, &merge->baseline_file, NULL, NULL},
        {"strict-waivers", 0, 0, G_OPTION_ARG_NONE, &strict, NULL, NULL},
        {"allow-empty", 0, 0, G_OPTION_ARG_NONE, &allow_empty, NULL, NULL},
        {"help", 'h', 0, G_OPTION_ARG_NONE, &asked, NULL, NULL},
        {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &options->files, NULL, NULL},
        {NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL},
    };
    GOptionContext *context = g_option_context_new("merge");
    bool ok;

    g_option_context_set_help_enabled(context, FALSE);
    g_option_context_add_main_entries(context, entries, NULL);
    ok = g_option_context_parse(context, &argc, &argv, error);
    if (!ok)
        options_add_hint(*error, entries, "iwarp-check merge --help");
    g_option_context_free(context);
    options->fail_on = SEVERITY_ERROR;
    options->strict_waivers = strict;
    options->allow_empty = allow_empty;
    options->help = asked;
    ok = ok && (asked || ((!fail_on || options_parse_fail_on(options, fail_on, error)) &&
                          (!format || output_format_parse(&merge->format, format, error))));
    if (ok && merge->format == FORMAT_JSON) {
        g_set_error(error, CHECK_ERROR, CHECK_ERROR_USAGE,
                    "--format=json: reports have --format=ndjson, one object per line");
        ok = false;
    }
    g_free(fail_on);
    g_free(format);
    if (ok && asked)
        return true;
    if (ok && !options->files)
        g_set_error(error, CHECK_ERROR, CHECK_ERROR_USAGE,
                    "merge: no report given; try: iwarp-check merge A.ndjson B.ndjson --output=ALL.ndjson");
    return ok && options->files;
}

int merge_run(int argc, char **argv)
{
    struct merge merge = {.format = FORMAT_NDJSON};
    GError *error = NULL;
    int status = CHECK_TROUBLE;

    if (!parse(&merge, argc, argv, &error))
        stderr_line("iwarp-check", "%s", error->message);
    else if (!merge.options.help)
        status = merge_files(&merge);
    else if (fputs(help, stdout) >= 0 && fflush(stdout) == 0)
        status = CHECK_PASS;
    g_clear_error(&error);
    g_free(merge.output);
    options_clear(&merge.options);
    g_free(merge.baseline_file);
    return status;
}
