// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/run.h"

#include "conformance/annotate.h"
#include "conformance/check.h"
#include "conformance/progress.h"
#include "shared/output_file.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

/* The live capture that an interrupt ends: the report is written all the same. */
static _Atomic(struct capture *) live_capture;

static void on_interrupt(int signal_number)
{
    struct capture *capture = atomic_load(&live_capture);

    (void)signal_number;
    if (capture != NULL)
        capture_stop(capture);
}

static void catch_interrupts(void)
{
    struct sigaction action;

    memset(&action, 0, sizeof action);
    action.sa_handler = on_interrupt;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

/* What the threads share. */
struct run {
    const struct check_options *options;
    struct report *report;
    struct progress progress;
    FILE *print;
    guint threads; /* for each capture */
    gint next;     /* capture that nobody has taken */
};

struct job {
    struct run *run;
    guint number;
};

static void tell_progress(void *ctx, double part)
{
    struct job *job = ctx;

    progress_tell(&job->run->progress, job->number, part);
}

static void check_source(struct run *run, guint number, struct capture *source)
{
    struct job job = {run, number};
    struct check_progress progress = {tell_progress, &job};

    check_capture(run->options, source, g_ptr_array_index(run->report->captures, number), run->print, run->threads,
                  &progress);
    progress_tell(&run->progress, number, 1);
}

static void could_not_open(struct run *run, guint number, const struct capture_error *error)
{
    struct report_capture *capture = g_ptr_array_index(run->report->captures, number);

    capture->failed = true;
    capture->trouble = g_utf8_make_valid(error->text, -1);
    progress_tell(&run->progress, number, 1);
}

static void check_file(struct run *run, guint number)
{
    struct capture_error error = {""};
    struct capture *source = capture_open(run->options->files[number], &error);

    if (source == NULL) {
        could_not_open(run, number, &error);
        return;
    }
    check_source(run, number, source);
    capture_close(source);
}

static void check_live(struct run *run)
{
    struct capture_error error = {""};
    struct capture *source = capture_open_live(run->options->interface, 0, NULL, &error);

    if (source == NULL) {
        could_not_open(run, 0, &error);
        return;
    }
    atomic_store(&live_capture, source);
    catch_interrupts();
    run->threads = run->options->jobs;
    check_source(run, 0, source);
    atomic_store(&live_capture, NULL);
    capture_close(source);
}

/* Takes one capture after another until there are none left. */
static void *check_next(void *ctx)
{
    struct run *run = ctx;
    guint number;

    while ((number = (guint)g_atomic_int_add(&run->next, 1)) < run->report->captures->len)
        check_file(run, number);
    return NULL;
}

static void check_files(struct run *run)
{
    guint n = run->report->captures->len, started = 0;
    /* Lines of --print belong together per capture. */
    guint jobs = run->print != NULL ? 1 : MIN(run->options->jobs, n);
    pthread_t *threads = g_new(pthread_t, jobs);

    run->threads = run->options->jobs / MAX(jobs, 1);
    while (started + 1 < jobs && pthread_create(&threads[started], NULL, check_next, run) == 0)
        started++;
    check_next(run);
    for (guint i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    g_free(threads);
}

static void announce_captures(const struct check_options *options, struct report *report)
{
    if (options->interface != NULL)
        g_ptr_array_add(report->captures, report_capture_new(options->interface));
    for (char **file = options->files; *file != NULL; file++)
        g_ptr_array_add(report->captures, report_capture_new(*file));
}

static void tell_troubles(const struct report *report)
{
    for (guint i = 0; i < report->captures->len; i++) {
        const struct report_capture *capture = g_ptr_array_index(report->captures, i);

        if (capture->trouble != NULL)
            fprintf(stderr, "iwarp-check: %s\n", capture->trouble);
    }
    if (report->status == CHECK_NOTHING)
        fprintf(stderr, "iwarp-check: no MPA connection found: nothing was checked\n");
}

static void write_report(const struct check_options *options, const struct report *report, FILE *out)
{
    static void (*const writers[])(const struct report *report, FILE *out) = {[FORMAT_TEXT] = report_write_text,
                                                                              [FORMAT_JSON] = report_write_json,
                                                                              [FORMAT_JUNIT] = report_write_junit,
                                                                              [FORMAT_HTML] = report_write_html};

    if (options->summary)
        report_write_summary(report, stdout);
    if (!options->summary || out != stdout)
        writers[options->format](report, out);
}

static enum check_status output_trouble(const struct check_options *options)
{
    fprintf(stderr, "iwarp-check: cannot write %s: %s\n", options->output == NULL ? "standard output" : options->output,
            g_strerror(errno));
    return CHECK_TROUBLE;
}

/* The report would be put in the place of a capture, which the user may have once only. */
static bool overwrites_input(const struct check_options *options)
{
    const char *taken = NULL;

    if (options->output == NULL)
        return false;
    for (char **file = options->files; *file != NULL; file++)
        taken = output_file_is(options->output, *file) && g_file_test(*file, G_FILE_TEST_IS_REGULAR)
                    ? "a capture that is to be checked"
                    : taken;
    if (g_strcmp0(options->output, options->annotate) == 0)
        taken = "the file of --annotate, too";
    if (taken != NULL)
        fprintf(stderr, "iwarp-check: --output: %s is %s; give another name\n", options->output, taken);
    return taken != NULL;
}

/* A capture that could not be opened was told of already. */
static bool write_annotated(const struct check_options *options, const struct report *report)
{
    const struct report_capture *capture = g_ptr_array_index(report->captures, 0);
    GError *error = NULL;

    if (options->annotate == NULL || (capture->failed && capture->packets == 0))
        return true;
    if (annotate_write(report, options->files[0], options->annotate, &error))
        return true;
    fprintf(stderr, "iwarp-check: %s\n", error->message);
    g_error_free(error);
    return false;
}

enum check_status run_check(const struct check_options *options)
{
    struct report report;
    struct run run = {.options = options, .report = &report};
    struct output_file output;
    enum check_status status;
    FILE *out;

    if (overwrites_input(options))
        return CHECK_TROUBLE;
    if (!output_file_open(&output, options->output)) {
        status = output_trouble(options);
        output_file_clear(&output);
        return status;
    }
    out = output.file;
    report_init(&report, options);
    announce_captures(options, &report);
    /* JSON, XML or a summary on standard output would be spoilt by the lines of --print. */
    if (options->print)
        run.print = options->summary || (out == stdout && options->format != FORMAT_TEXT) ? stderr : stdout;
    progress_init(&run.progress, report.captures->len,
                  options->progress == ON || (options->progress == UNKNOWN && isatty(STDERR_FILENO)));
    if (options->interface != NULL)
        check_live(&run);
    else
        check_files(&run);
    progress_clear(&run.progress);
    report_conclude(&report);
    tell_troubles(&report);
    if (run.print == stdout && out == stdout)
        fputc('\n', out);
    status = report.status;
    if (!write_annotated(options, &report))
        status = CHECK_TROUBLE;
    write_report(options, &report, out);
    if (!output_file_finish(&output))
        status = output_trouble(options);
    output_file_clear(&output);
    report_clear(&report);
    return status;
}
