// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/run.h"

#include "conformance/check/both.h"
#include "conformance/check/check.h"
#include "conformance/check/two_points.h"
#include "conformance/options/options.h"
#include "conformance/progress.h"
#include "conformance/run_report.h"
#include "support/confine.h"
#include "support/stderr_line.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>

enum { NS_PER_US = 1000 };

/* The capture that an interrupt ends; the report is still written. */
static _Atomic(struct capture *) interruptible;
static volatile sig_atomic_t interrupted;

static void on_interrupt(int signal_number)
{
    struct capture *capture = atomic_load(&interruptible);

    (void)signal_number;
    interrupted = 1;
    if (capture)
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

/* Shared by the threads. */
struct run {
    const struct check_options *options;
    struct report *report;
    struct run_parts *parts;
    struct progress progress;
    FILE *print;
    guint threads; /* for each capture */
    gint next;     /* next capture to take */
};

struct job {
    struct run *run;
    guint number;
};

static void run_report_progress(void *ctx, double part)
{
    struct job *job = ctx;

    progress_tell(&job->run->progress, job->number, part);
}

static void set_failed(struct report_capture *capture, const struct capture_error *error)
{
    capture->failed = true;
    g_free(capture->trouble);
    capture->trouble = g_utf8_make_valid(error->text, -1);
}

/* Looks into the file before it is checked. A pipe can be read only once. */
static bool has_two_points(const struct check_options *options, guint number, const struct capture *source)
{
    struct capture_error error;
    struct capture *again;
    bool found;

    if (options->interface || capture_is_endless(source))
        return false;
    again = capture_open(options->files[number], &error);
    found = again && two_points_found(again);
    capture_close(again);
    return found;
}

static void check_source(struct run *run, guint number, struct capture *source)
{
    struct report_capture *capture = g_ptr_array_index(run->report->captures, number);
    struct job job = {run, number};
    struct capture_error error = {""};
    gint64 started;
    struct check_setup setup = {
        .options = run->options, .print = run->print, .threads = run->threads, .progress = {run_report_progress, &job}};

    if (run->options->rotate_ns != 0)
        setup.parts = (struct check_parts){run_report_part, run->parts, run->options->rotate_ns};
    started = g_get_monotonic_time();
    setup.two_points = has_two_points(run->options, number, source);
    check_capture(&setup, source, capture);
    if (!capture_kept(source, &error))
        set_failed(capture, &error);
    capture->checking_ns = (g_get_monotonic_time() - started) * NS_PER_US;
    progress_tell(&run->progress, number, 1);
}

static void could_not_open(struct run *run, guint number, const struct capture_error *error)
{
    struct report_capture *capture = g_ptr_array_index(run->report->captures, number);

    set_failed(capture, error);
    progress_tell(&run->progress, number, 1);
    if (run->options->rotate_ns == 0)
        return;
    capture->part.first = capture->part.number = 1;
    capture->part.last = true;
    run_report_part(run->parts);
}

/* Opens the capture and applies the options. */
static struct capture *prepared(const struct check_options *options, struct capture *source,
                                struct capture_error *error)
{
    if (source && (options->interface || !options->filter || capture_filter(source, options->filter, error)) &&
        (!options->keep || capture_keep(source, options->keep, error)))
        return source;
    capture_close(source);
    return NULL;
}

static struct capture *run_open_file(const struct check_options *options, guint number, struct capture_error *error)
{
    return prepared(options, capture_open(options->files[number], error), error);
}

/* By now all outputs are open, except reports and the annotated copy. */
static void confine_run(const struct check_options *options)
{
    /* The counter that libpcap offers for drops of an interface. */
    gchar *counters = g_strdup_printf("/sys/class/net/%s/statistics", options->interface ? options->interface : "");
    g_autoptr(GPtrArray) outputs = run_report_paths(options);
    char *live[] = {counters, NULL};

    confine(&(struct confine_to){.inputs = options->interface ? live : options->files,
                                 .outputs = (char *const *)outputs->pdata});
    g_free(counters);
}

static void run_check_file(struct run *run, guint number)
{
    struct capture_error error = {""};
    struct capture *source = run_open_file(run->options, number, &error);

    if (!source) {
        could_not_open(run, number, &error);
        return;
    }
    check_source(run, number, source);
    capture_close(source);
}

/* After an interrupt the report covers what came until then. */
static void check_until_interrupted(struct run *run, struct capture *source)
{
    atomic_store(&interruptible, source);
    catch_interrupts();
    if (interrupted) /* there was no capture to stop yet */
        capture_stop(source);
    run->threads = run->options->jobs;
    if (run->print) /* readers of a live capture get each line at once */
        setvbuf(run->print, NULL, _IOLBF, 0);
    check_source(run, 0, source);
    atomic_store(&interruptible, NULL);
    capture_close(source);
}

static bool check_live(struct run *run)
{
    const struct capture_live_options options = {.buffer = run->options->capture_buffer,
                                                 .filter = run->options->filter,
                                                 .user = run->options->user,
                                                 .writes =
                                                     outputs_any_file(run->options->outputs) || run->options->keep};
    struct capture_error error = {""};
    struct capture *source;

    catch_interrupts(); /* readers that see the privileges dropped may interrupt at once */
    source = capture_open_live(run->options->interface, &options, &error);
    /* With these privileges the report and the packets will be written. */
    if (!run_report_possible(run->options)) {
        capture_close(source);
        return false;
    }
    source = prepared(run->options, source, &error);
    if (source && !capture_live_opened(run->options->interface, outputs_any_file(run->options->outputs), &error)) {
        capture_close(source);
        source = NULL;
    }
    confine_run(run->options);
    if (!source)
        could_not_open(run, 0, &error);
    else
        check_until_interrupted(run, source);
    return true;
}

/* The end of a pipe is unknown. */
static void check_only_file(struct run *run)
{
    struct capture_error error = {""};
    struct capture *source = run_open_file(run->options, 0, &error);

    confine_run(run->options);
    run->threads = run->options->jobs;
    if (!source) {
        could_not_open(run, 0, &error);
    } else if (capture_is_endless(source)) {
        check_until_interrupted(run, source);
    } else {
        check_source(run, 0, source);
        capture_close(source);
    }
}

/* Takes captures one by one until none is left. */
static void *check_next(void *ctx)
{
    struct run *run = ctx;
    guint number;

    while ((number = (guint)g_atomic_int_add(&run->next, 1)) < run->report->captures->len)
        run_check_file(run, number);
    return NULL;
}

static void check_files(struct run *run)
{
    guint n = run->report->captures->len, started = 0;
    /* Lines of --print belong together per capture. */
    guint jobs = run->print ? 1 : MIN(run->options->jobs, n);
    pthread_t *threads = g_new(pthread_t, jobs);

    if (!run->options->filter) /* host names are cleared as each capture is opened */
        confine_run(run->options);
    run->threads = run->options->jobs / MAX(jobs, 1);
    while (started + 1 < jobs && pthread_create(&threads[started], NULL, check_next, run) == 0)
        started++;
    check_next(run);
    for (guint i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    g_free(threads);
}

/* Fills the reports. False: the error has been reported. */
static bool check_sources(struct run *run)
{
    const struct check_options *options = run->options;

    if (options->interface)
        return check_live(run);
    if (!run_report_possible(options))
        return false;
    if (!options->files[1])
        check_only_file(run);
    else
        check_files(run);
    return true;
}

/* --both. False: the error has been reported. */
static bool compare_ends(struct run *run)
{
    struct capture_error error = {""};

    run->report->between = both_compare(run->options->files, &error);
    if (!run->report->between)
        stderr_line("iwarp-check", "%s", error.text);
    return run->report->between != NULL;
}

enum check_status run_check(const struct check_options *options)
{
    struct report report;
    struct run_parts parts = {.report = &report};
    struct run run = {.options = options, .report = &report, .parts = &parts};
    const struct report_output *shown = outputs_on_stdout(options->outputs);
    enum check_status status = CHECK_TROUBLE;

    report_init(&report, options);
    if (options->interface)
        g_ptr_array_add(report.captures, report_capture_new(options->interface));
    for (char **file = options->files; *file; file++)
        g_ptr_array_add(report.captures, report_capture_new(*file));
    if (options->rotate_ns != 0)
        ((struct report_capture *)g_ptr_array_index(report.captures, 0))->part.series = g_uuid_string_random();
    /* Lines of --print would spoil JSON, XML or a summary on standard output. */
    if (options->print)
        run.print =
            !options->print_ndjson && (options->summary || (shown && shown->format != FORMAT_TEXT)) ? stderr : stdout;
    progress_init(&run.progress, report.captures->len, options->progress);
    if (check_sources(&run) && (!options->both || compare_ends(&run))) {
        progress_clear(&run.progress);
        status = options->rotate_ns == 0 ? run_report_all(&report, run.print == stdout && shown && !options->quiet &&
                                                                       !options->print_ndjson)
                                         : run_parts_status(&parts);
    } else {
        progress_clear(&run.progress);
    }
    report_clear(&report);
    return status;
}

enum check_status run_list_interfaces(void)
{
    struct capture_error error = {""};

    if (capture_list_interfaces(stdout, &error))
        return CHECK_PASS;
    stderr_line("iwarp-check", "%s", error.text);
    return CHECK_TROUBLE;
}
