// SPDX-License-Identifier: GPL-2.0-or-later
/* iwarp-gen test: runs the suites against a device. */
#include "support/output_file.h"
#include "support/stderr_line.h"
#include "traffic-gen/cli/command.h"
#include "traffic-gen/cli/command_test_options.h"
#include "traffic-gen/explore/pairs/pairs_run.h"
#include "traffic-gen/live/verbs/verbs.h"
#include "traffic-gen/tester/suite/expect/alive.h"
#include "traffic-gen/tester/suite/expect/learn_device.h"
#include "traffic-gen/tester/suite/result/result.h"
#include "traffic-gen/tester/suite/rpc/nfs_run.h"
#include "traffic-gen/tester/suite/rpc/reuse.h"
#include "traffic-gen/tester/suite/rpc/rpc_port.h"
#include "traffic-gen/tester/suite/run/applicable.h"
#include "traffic-gen/tester/suite/run/capture_filter.h"
#include "traffic-gen/tester/suite/run/choice.h"
#include "traffic-gen/tester/suite/run/counterparts.h"
#include "traffic-gen/tester/suite/run/load.h"
#include "traffic-gen/tester/suite/run/run.h"
#include "traffic-gen/tester/suite/run/soak.h"
#include "traffic-gen/tester/suite/run/user_command.h"
#include "traffic-gen/tester/suite/transport/pace.h"
#include "traffic-gen/tester/suite/transport/tcp_socket.h"
#include "traffic-gen/tester/suite/watch/watch.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    CONFIRM_DEFAULT = 3,
    ACCEPT_DEFAULT = 30,
    INFO_SECONDS = 60, /* for --device-info */
    PAIRS_SEED = 1,    /* for combinations: the same in each run */
    STATUS_OPEN = 3,
    STATUS_DEAD = 3,
    STATUS_STOPPED = 4
};

static char *now_text(void)
{
    GDateTime *now = g_date_time_new_now_utc();
    char *text = g_date_time_format(now, "%Y-%m-%dT%H:%M:%SZ");

    g_date_time_unref(now);
    return text;
}

/* Data for a run of the suites besides the device. */
struct job {
    const struct test_options *options;
    struct talk_run *run;
    const char *address;
    const GArray *chosen;
    GPtrArray *waivers;
    struct suite_report *earlier; /* NULL: none */
    struct load *load;            /* NULL: none */
    int64_t soak;                 /* ns; 0: each case once */
    struct pairs_run *pairs;      /* for --strength; NULL: the cases are those of the suites */
    char *command;                /* the command line */
    int64_t began;                /* when the first case began */
    unsigned ran;                 /* cases run since then, without those taken over */
    struct watch_recorder recorder;
};

static void command_test_judge(void *ctx, struct case_result *result)
{
    const struct job *job = ctx;

    choice_waive(job->waivers, job->run->dut, &job->run->device, result);
}

static bool waives(const void *ctx, enum rule_id rule)
{
    const struct job *job = ctx;

    return choice_waives(job->waivers, job->run->dut, &job->run->device, rule);
}

/* Clients of NFS version 3 ask for the root over TCP. */
static bool serve_mount(struct talk_run *run, int *status)
{
    g_autofree char *why = NULL;
    uint16_t port;

    if (!run->nfs->mount_port)
        return true;
    run->nfs->mount_service = nfs_mount_service_new(run, &port, &why);
    if (run->nfs->mount_service)
        fprintf(stderr, "iwarp-gen: MOUNT on port %u\n", port);
    else
        *status = command_fail("--mount-port: %s", why);
    return run->nfs->mount_service != NULL;
}

/* The port; 0 with *why. */
static uint16_t command_test_listen_for_device(struct talk_run *run, char **why)
{
    if (run->rpc_port)
        return run->rpc_port->listen(run, why);
    run->listener = tcp_listen(run->host, run->port, why);
    return run->listener < 0 ? 0 : tcp_port(run->listener);
}

static bool listen_and_serve(struct talk_run *run, const char *address, int *status)
{
    g_autofree char *why = NULL;
    uint16_t port = command_test_listen_for_device(run, &why);

    if (port == 0) {
        *status = command_fail("%s: %s", address, why);
        return false;
    }
    fprintf(stderr, "iwarp-gen: listening on port %u\n", port);
    return serve_mount(run, status);
}

/* Connects to the device, or waits for it. False: *status. */
static bool command_test_reach(struct talk_run *run, const char *address, int *status)
{
    g_autofree char *why = NULL;
    bool learnt;

    if (run->dut == DUT_INITIATOR && !listen_and_serve(run, address, status))
        return false;
    learnt = learn_device(run, &why);
    if (learnt && run_is_alive(run, &why))
        return true;
    if (suite_stopped)
        *status = (command_fail("stopped"), STATUS_STOPPED);
    else
        *status = command_fail("%s: %s", run->dut == DUT_RESPONDER ? address : "--listen", why);
    if (learnt && !suite_stopped)
        *status = STATUS_DEAD;
    return false;
}

/* Estimates the remaining time; "" before the first case is done. */
static char *estimate(const struct job *job, unsigned done, unsigned n)
{
    int64_t spent = talk_now() - job->began, left = 0;

    if (job->soak > 0)
        left = job->soak - spent;
    else if (job->ran > 0)
        left = spent / job->ran * (n - done);
    left /= 1000000000;
    if (left <= 0)
        return g_strdup("");
    return g_strdup_printf(", %d:%02d left", (int)(left / 60), (int)(left % 60));
}

/* "3 of 74"; in a soak run, which has no last case, "3". */
static char *position(const struct job *job, unsigned done, unsigned n)
{
    return job->soak > 0 ? g_strdup_printf("%u", job->ran) : g_strdup_printf("%u of %u", done, n);
}

/* On a terminal the line is overwritten. */
static void show_progress(void *ctx, unsigned done, unsigned n, const char *id)
{
    g_autofree char *left = estimate(ctx, done, n), *at = position(ctx, done, n);

    fprintf(stderr, "\r%s: %s%s\033[K", at, id, left);
}

static void command_test_count_case(void *ctx, unsigned done, unsigned n, const struct case_result *result)
{
    struct job *job = ctx;

    (void)done;
    (void)n;
    (void)result;
    job->ran++;
}

/* In a log each case has a line. */
static void log_case(void *ctx, unsigned done, unsigned n, const struct case_result *result)
{
    g_autofree char *left = NULL, *at = NULL;

    command_test_count_case(ctx, done, n, result);
    left = estimate(ctx, done, n);
    at = position(ctx, done, n);
    fprintf(stderr, "%s: %s: %s%s\n", at, result->id, case_outcome_names[result->outcome], left);
}

/* Whether the run showed anything. As in iwarp-check, a run that shows nothing has not passed. */
static bool has_verdict(const struct suite_report *report)
{
    unsigned open = suite_report_count(report, OUTCOME_INCONCLUSIVE, false);

    if (suite_report_count(report, OUTCOME_PASSED, false) + suite_report_waived(report) > 0)
        return true;
    fprintf(stderr, "iwarp-gen: no result: %u of %u cases are inconclusive, the others not applicable\n", open,
            report->chosen);
    return false;
}

static int verdict(const struct test_options *options, const struct suite_report *report)
{
    unsigned failed = suite_report_failures(report);
    bool dead = strcmp(report->state, device_life_names[DEVICE_ALIVE]) != 0 && !suite_stopped;

    if (dead)
        fprintf(stderr, "iwarp-gen: the device died: %u of %u cases finished and are in the report\n", report->finished,
                report->chosen);
    else if (report->finished < report->chosen)
        fprintf(stderr, "iwarp-gen: stopped: %u of %u cases finished and are in the report\n", report->finished,
                report->chosen);
    else if (suite_report_count(report, OUTCOME_NOT_APPLICABLE, false) == report->chosen)
        return command_fail("nothing was tested: no case was applicable to this device");
    if (dead)
        return STATUS_DEAD;
    if (suite_stopped && report->finished < report->chosen)
        return STATUS_STOPPED;
    /* A death counts even if no case caused it. */
    if (failed > 0 || report->deaths->len > 0 || report->finished < report->chosen ||
        (options->strict_waivers && report->unused_waivers->len > 0))
        return COMMAND_FAILED;
    return has_verdict(report) ? COMMAND_DONE : STATUS_OPEN;
}

static int command_test_output_trouble(const struct test_options *options)
{
    return command_fail("%s: %s", options->output ? options->output : "standard output", g_strerror(errno));
}

/* The temporary file exists only while it is written, as another signal could leave it behind. */
static bool write_report(const struct test_options *options, const struct suite_report *report)
{
    struct output_file out;
    bool good = output_file_open(&out, options->output);

    if (good) {
        test_format_find(options->format)->write(report, out.file);
        good = output_file_finish(&out);
    }
    output_file_clear(&out);
    return good;
}

/* Saves a report for --resume. Write errors are reported at the end. */
static void command_test_save(void *ctx, const struct suite_report *report)
{
    const struct job *job = ctx;

    write_report(job->options, report);
}

static bool command_test_is_wanted(void *ctx, const char *rule)
{
    const struct job *job = ctx;

    return choice_takes(job->options->rules, job->options->skip, rule);
}

/* The device's own data; NULL: none. */
static char *device_info(void *ctx)
{
    const struct job *job = ctx;
    g_autofree char *address = g_strdup_printf("IWARP_DEVICE=%s", job->address), *why = NULL;
    const char *const variables[] = {address, NULL};
    char *text = NULL;

    if (!user_command_output(job->options->device_info, variables, command_nanoseconds(INFO_SECONDS), &text, &why))
        stderr_line("iwarp-gen", "--device-info: %s", why);
    return text;
}

/* False: *status. */
static bool begin_load(struct job *job, int *status)
{
    g_autofree char *why = NULL;

    if (job->options->load == 0)
        return true;
    job->load = load_start(job->run, (unsigned)job->options->load, &why);
    if (!job->load)
        *status = command_fail("--load: %s", why);
    return job->load != NULL;
}

static bool end_recording(struct job *job);

/* The recording is complete now. */
static int command_test_write_all(struct job *job, struct suite_report *report)
{
    const struct test_options *options = job->options;

    if (!end_recording(job))
        return command_fail("%s: %s", options->record, g_strerror(errno));
    if (options->record)
        origin_add_recording(report, options->record);
    if (options->capture)
        origin_add_recording(report, options->capture);
    return write_report(options, report) ? verdict(options, report) : command_test_output_trouble(options);
}

/* A case whose verdict is withdrawn is listed again. */
static void settle_verdicts(const struct job *job, struct suite_report *report)
{
    g_autofree enum case_outcome *before = g_new(enum case_outcome, report->results->len + 1);

    for (guint i = 0; i < report->results->len; i++)
        before[i] = ((const struct case_result *)g_ptr_array_index(report->results, i))->outcome;
    counterparts_settle(
        report, &(struct counterparts_checks){.answered = job->run->sign != SIGN_TCP && job->run->sign != SIGN_UNKNOWN,
                                              .close = device_closes_at_times(job->run),
                                              .fail = device_fails_at_times(job->run)});
    for (guint i = 0; i < report->results->len; i++) {
        const struct case_result *result = g_ptr_array_index(report->results, i);

        if (result->outcome != before[i])
            fprintf(stderr, "iwarp-gen: %s: %s after all\n", result->id, case_outcome_names[result->outcome]);
    }
}

static void run_all(struct job *job, struct suite_report *report)
{
    guint finished;
    const struct test_options *options = job->options;
    bool progress = isatty(STDERR_FILENO);
    const struct run_options how = {
        .jobs = (unsigned)options->jobs,
        .repeat = (unsigned)options->repeat,
        .confirm = (unsigned)options->confirm,
        .stop_after = (unsigned)options->stop_after,
        .address = job->address,
        .before_each = options->before_each,
        .reset = options->reset,
        .t_reset = command_nanoseconds(options->reset_timeout),
        .judged = command_test_judge,
        .saved =
            output_file_is_replaced(options->output) && strcmp(options->format, "json") == 0 ? command_test_save : NULL,
        .progress = progress ? show_progress : NULL,
        .finished = progress ? command_test_count_case : log_case,
        .ctx = job,
        .earlier = job->earlier,
        .load = job->load,
    };
    const struct soak_options soak = {.duration = job->soak,
                                      .seed = (uint32_t)job->run->seed,
                                      .device_info = options->device_info ? device_info : NULL,
                                      .ctx = job};

    job->began = talk_now();
    job->run->lateness = lateness_start();
    if (job->pairs)
        pairs_run_all(job->pairs, &how, report);
    else if (job->soak > 0)
        soak_run(job->run, job->chosen, &how, &soak, report);
    else
        run_cases(job->run, job->chosen, &how, report);
    reuse_end(job->run);
    g_clear_pointer(&job->run->lateness, lateness_stop);
    if (progress)
        fputs("\r\033[K", stderr);
    settle_verdicts(job, report);
    result_layout_explain(report, job->run->layout);
    finished = report->results->len;
    if (!job->pairs)
        result_seen_add(report, command_test_is_wanted, job);
    for (guint i = finished; i < report->results->len; i++)
        command_test_judge(job, g_ptr_array_index(report->results, i));
    choice_unused(job->waivers, job->pairs != NULL, report);
    choice_known(job->run->dut, &job->run->device, report);
}

/* Chooses cases of the suites that suit the service; with --strength combinations, for this device. False: *status. */
static bool choose_cases(struct job *job, struct suite_report *report, GArray **about, int *status)
{
    const struct test_options *options = job->options;
    g_auto(GStrv) known = choice_known_values(job->waivers, job->run->dut, &job->run->device);
    const struct pairs_wish wish = {.strength = (unsigned)options->strength,
                                    .seed = options->seed ? (uint32_t)job->run->seed : PAIRS_SEED,
                                    .names = options->suites,
                                    .waives = waives,
                                    .ctx = job,
                                    .known = known};
    g_autofree char *why = NULL;

    if (options->strength > 0) {
        job->pairs = pairs_run_new(job->run, &wish, &why);
        if (!job->pairs) {
            *status = command_fail("%s", why);
            return false;
        }
        fprintf(stderr, "iwarp-gen: --strength=%u --seed=%u\n", wish.strength, wish.seed);
        job->chosen = pairs_run_cases(job->pairs);
        return true;
    }
    if (!options->suites && !options->rules)
        *about = cases_of_service(job->run, job->chosen, options->service, report);
    if (*about && (*about)->len > 0)
        job->chosen = *about;
    else
        g_ptr_array_set_size(report->missing, 0); /* the report has all results */
    return true;
}

static void run_and_write(struct job *job, struct suite_report *report, int *status)
{
    g_autoptr(GArray) about = NULL;

    if (!choose_cases(job, report, &about, status))
        return;
    report_applicable(job->run, job->chosen, report);
    fprintf(stderr, "iwarp-gen: %s; %s\niwarp-gen: %u of %u cases can run\n", report->start_up, report->sign,
            report->can_run, report->chosen);
    for (guint i = 0; i < report->missing->len; i++) {
        const struct missing_service *missing = g_ptr_array_index(report->missing, i);

        fprintf(stderr, "iwarp-gen: %u cases need %s: %s\n", missing->cases, missing->what, missing->service);
    }
    report->command = g_strdup(job->command);
    report->catalogue = origin_catalogue();
    if (job->options->device_info)
        report->device_info = device_info(job);
    if (begin_load(job, status)) {
        run_all(job, report);
        if (job->load) {
            report->load =
                g_strdup_printf("%d connection%s with %s, %" G_GUINT64_FORMAT " round trips", job->options->load,
                                job->options->load == 1 ? "" : "s", load_what(job->load), load_round_trips(job->load));
            load_stop(job->load);
            job->load = NULL;
        }
        *status = command_test_write_all(job, report);
    }
    if (job->pairs)
        pairs_run_free(job->pairs);
}

static int run_chosen(struct job *job)
{
    const struct test_options *options = job->options;
    struct suite_report *report = suite_report_new();
    int status = COMMAND_DONE;

    report->device = g_strdup(options->device ? options->device : job->address);
    report->role = g_strdup(job->run->dut == DUT_RESPONDER ? "responder" : "initiator");
    report->version = g_strdup(IWARP_KIT_VERSION);
    report->started = now_text();
    report->capture = g_strdup(options->capture);
    suite_stop_on_signals(); /* the first ends the run with a report of the finished cases */
    if (command_test_reach(job->run, job->address, &status)) {
        if (job->run->services & NEED_RPC || job->soak > 0)
            fprintf(stderr, "iwarp-gen: --seed=%" G_GUINT64_FORMAT "\n", job->run->seed);
        run_and_write(job, report, &status);
    }
    reuse_end(job->run); /* also when the device could not be tested */
    if (job->run->listener >= 0)
        tcp_close(job->run->listener);
    if (job->run->rpc_listener)
        job->run->rpc_port->close(job->run);
    g_free(job->run->rpc_device);
    suite_report_free(report);
    return status;
}

/* Checks that the report can be written before it contacts the device. */
static int run_reported(struct job *job)
{
    return output_file_possible(job->options->output) ? run_chosen(job) : command_test_output_trouble(job->options);
}

static const char record_comment[] =
    "Recorded by iwarp-gen test at its end of live TCP connections. The octets of both streams, addresses and ports "
    "are real. Ethernet, IP and TCP headers are synthetic, and so are segment boundaries, sequence numbers, windows "
    "and acknowledgements. Errors of iwarp-gen are intended.";

/* False with errno. The process may have ended before. */
static bool end_recording(struct job *job)
{
    struct watch_recorder *recorder = &job->recorder;
    bool good;

    if (!recorder->file)
        return true;
    good = capture_file_close(recorder->file) && !recorder->failed;
    recorder->file = NULL;
    g_mutex_clear(&recorder->lock);
    job->run->recorder = NULL;
    return good;
}

static int run_recorded(struct job *job)
{
    const char *path = job->options->record;
    int status;

    if (!path)
        return run_reported(job);
    job->recorder.file = capture_file_open_commented(path, record_comment);
    if (!job->recorder.file)
        return command_fail("%s: %s", path, g_strerror(errno));
    g_mutex_init(&job->recorder.lock);
    job->run->recorder = &job->recorder;
    status = run_reported(job);
    if (!end_recording(job))
        status = command_fail("%s: %s", path, g_strerror(errno));
    return status;
}

/* A report for the same role of a device, whose results are taken over. */
static bool load_earlier(struct job *job, GError **error)
{
    const char *path = job->options->resume, *role = job->run->dut == DUT_RESPONDER ? "responder" : "initiator";

    if (!path)
        return true;
    job->earlier = suite_report_load(path, error);
    if (!job->earlier)
        return false;
    if (strcmp(job->earlier->role, role) == 0)
        return true;
    g_set_error(error, g_quark_from_static_string("iwarp-test"), 0, "--resume: %s is about a device that is %s", path,
                job->earlier->role);
    return false;
}

static int print_capture_filter(const struct capture_filter *of)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *text = capture_filter_text(of, &error);

    if (!text)
        return command_fail("%s", error->message);
    puts(text);
    return COMMAND_DONE;
}

/* The chosen cases of the suites; combinations follow once the device is known. */
static GArray *known_cases(const struct test_options *options, const struct talk_run *run, GError **error)
{
    GArray *chosen;

    if (options->strength > 0)
        return g_array_new(FALSE, FALSE, sizeof(struct chosen_case));
    chosen = choice_cases(options->suites, options->rules, options->skip, run->dut, error);
    if (!chosen || !run->rpc_port || choice_without_octets(chosen, options->suites, error))
        return chosen;
    g_array_unref(chosen);
    return NULL;
}

/* paths: ended by NULL; NULL: none. */
static bool command_test_load_waivers(GPtrArray *waivers, char *const *paths, GError **error)
{
    for (; paths && *paths; paths++)
        if (!waivers_load(waivers, *paths, true, error))
            return false;
    for (guint i = 0; i < waivers->len; i++) {
        const struct waiver *waiver = g_ptr_array_index(waivers, i);
        g_autofree char *why = NULL;

        if (!waiver->of_values || pairs_values_good(waiver->id, &why))
            continue;
        g_set_error(error, g_quark_from_static_string("iwarp-test"), 0, "%s: %s", waiver->where, why);
        return false;
    }
    return true;
}

static int test(const struct test_options *options, const char *address, char *command)
{
    struct talk_run run = {
        .dut = options->listen ? DUT_INITIATOR : DUT_RESPONDER,
        .listener = -1,
        .t_react = command_nanoseconds(options->timeout),
        .t_start = command_nanoseconds(options->start_timeout),
        .t_idle = command_nanoseconds(options->idle_timeout),
        .t_accept = command_nanoseconds(options->accept_timeout),
        .accept_given = options->accept_given,
        .t_recover = command_nanoseconds(options->recover_timeout),
        .t_settle = command_nanoseconds(options->settle),
        .jobs = (unsigned)options->jobs,
        .received_max = TALK_RECEIVED_MAX,
        .vouched_default = options->default_configuration,
    };
    g_autoptr(GError) error = NULL;
    g_autofree char *host = NULL, *port = NULL;
    g_autoptr(GPtrArray) waivers = NULL;
    g_autoptr(GArray) chosen = NULL;
    struct job job;
    int status;

    status = test_options_fit(options, address, run.dut);
    if (status != COMMAND_DONE || !test_options_take(options, address, &run, &status))
        return status;
    if (!choice_address(run.rpc_port ? verbs_address(address) : address, options->listen, &host, &port, &error))
        return command_fail("%s", error->message);
    if (options->capture_filter)
        return print_capture_filter(&(struct capture_filter){host, port, run.rpc_port != NULL});
    run.host = host;
    run.port = port;
    chosen = known_cases(options, &run, &error);
    if (!chosen)
        return command_fail("%s", error->message);
    waivers = waivers_new();
    if (!command_test_load_waivers(waivers, options->waivers, &error))
        return command_fail("%s", error->message);
    job = (struct job){
        .options = options, .run = &run, .address = address, .chosen = chosen, .waivers = waivers, .command = command};
    if (!test_options_soak(options, &job.soak, &status))
        return status;
    if (!command_wire_open(&options->wire, address, &status))
        return status;
    run.services |= options->wire.interface ? NEED_WIRE : 0;
    run.reuse = reuse_new(options->reuse);
    run.pace = isnan(options->pace) ? NULL : pace_new(command_nanoseconds(1 / options->pace));
    if (load_earlier(&job, &error))
        status = run_recorded(&job);
    else
        status = command_fail("%s", error->message);
    suite_report_free(job.earlier);
    reuse_free(run.reuse);
    pace_free(run.pace);
    nfs_run_free(run.nfs);
    return status;
}

int command_test(int argc, char **argv)
{
    static const struct command_usage usage = {
        "[rdma:]HOST:PORT | --listen [[rdma:]HOST:PORT]",
        "Tests a device for conformance: provokes reactions and judges them.",
        "The device is the Responder at HOST:PORT; with --listen it is an Initiator that connects again and again to "
        "HOST:PORT (default: a free port of this host, which is printed). rdma:HOST:PORT goes through an RDMA device "
        "of "
        "this host, of any kind, for the suites rpcrdma and nfs.\n\n"
        "Exit status: 0 all passed, 1 a failure, 2 wrong usage, the device could not be "
        "reached, or no case applies to it, 3 the device died, and the run ended there, or no case has a verdict, "
        "4 stopped by a signal.",
    };
    struct test_options options = {.timeout = 2,
                                   .start_timeout = 60,
                                   .idle_timeout = 120,
                                   .accept_timeout = NAN,
                                   .pace = NAN,
                                   .recover_timeout = 3,
                                   .reset_timeout = 300,
                                   .jobs = 1,
                                   .repeat = 1,
                                   .confirm = CONFIRM_DEFAULT};
    g_autofree char *service_help = test_service_names("the device's service: ", ", ");
    const GOptionEntry entries[] = {
        {"listen", 0, 0, G_OPTION_ARG_NONE, &options.listen, "the device is the Initiator", NULL},
        COMMAND_GROUP("Cases"),
        {"suite", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options.suites, "run only these suites (comma-separated)", "NAME"},
        {"rules", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options.rules,
         "run only these cases: ids, beginnings of ids, documents, layers or levels (comma-separated)", "SEL"},
        {"skip", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options.skip, "skip these cases", "SEL"},
        {"repeat", 0, 0, G_OPTION_ARG_INT, &options.repeat, "run each case N times (default 1)", "N"},
        {"confirm", 0, 0, G_OPTION_ARG_INT, &options.confirm,
         "run a failed case again until two runs agree, at most N runs (default 3; 1: believe the first)", "N"},
        {"stop-after", 0, 0, G_OPTION_ARG_INT, &options.stop_after, "end the run at the Nth failure", "N"},
        {"resume", 0, 0, G_OPTION_ARG_FILENAME, &options.resume,
         "keep the results of this JSON report, and run the other cases", "FILE"},
        {"jobs", 'j', 0, G_OPTION_ARG_INT, &options.jobs, "run N cases in parallel (default 1)", "N"},
        {"load", 0, 0, G_OPTION_ARG_INT, &options.load,
         "exchange data on N other connections, which cases must not affect", "N"},
        {"soak", 0, 0, G_OPTION_ARG_STRING, &options.soak,
         "repeat the cases in random order for this long (90s, 30m, 12h)", "DURATION"},
        {"strength", 0, 0, G_OPTION_ARG_INT, &options.strength,
         "instead of the suites, combine the values of any N parameters: 2, or 3", "N"},
        {"reuse", 0, 0, G_OPTION_ARG_NONE, &options.reuse,
         "suites rpcrdma, nfs: cases share connections (default if the device cannot take many connections)", NULL},
        {"connections-per-second", 0, 0, G_OPTION_ARG_DOUBLE, &options.pace, "open at most N connections per second",
         "N"},
        {"seed", 0, 0, G_OPTION_ARG_STRING, &options.seed,
         "seed of XIDs, owners, names and combinations, to repeat a run", "N"},
        COMMAND_GROUP("Report"),
        {"format", 0, 0, G_OPTION_ARG_STRING, &options.format, "text (default), json, junit, html, tap", "NAME"},
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &options.output, "write the report to FILE", "FILE"},
        {"transcript", 0, 0, G_OPTION_ARG_STRING, &options.transcript, "length of transcripts: short (default), full",
         "NAME"},
        {"device", 0, 0, G_OPTION_ARG_STRING, &options.device, "the device's name in the report", "NAME"},
        {"device-info", 0, 0, G_OPTION_ARG_STRING, &options.device_info,
         "put this command's output into the report: kernel, firmware, memory in use", "COMMAND"},
        {"waivers", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &options.waivers,
         "known deviations: a file (YAML), or the name of a shipped file", "FILE|NAME"},
        {"strict-waivers", 0, 0, G_OPTION_ARG_NONE, &options.strict_waivers, "an unused waiver is a failure", NULL},
        {"write-capture", 'w', 0, G_OPTION_ARG_FILENAME, &options.record,
         "record all octets sent and received, as pcapng", "FILE"},
        {"capture", 0, 0, G_OPTION_ARG_FILENAME, &options.capture,
         "rdma: name this capture, made beside the run, in the report", "FILE"},
        {"capture-filter", 0, 0, G_OPTION_ARG_NONE, &options.capture_filter,
         "print a pcap-filter(7) for this run's packets and exit", NULL},
        {"write", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_FILENAME, &options.record, NULL, NULL}, /* former name */
        COMMAND_GROUP("The device's service"),
        {"service", 0, 0, G_OPTION_ARG_STRING, &options.service, service_help, "NAME"},
        {"advert", 0, 0, G_OPTION_ARG_STRING, &options.advert,
         "our private data: IWT1 (default), LAB1, none; send: ask for the memory in a Send instead", "NAME"},
        {"mpa", 0, 0, G_OPTION_ARG_STRING, &options.mpa,
         "fix parts of the start-up: rev, ird, ord, crc, markers, rtr, data (rev=2,ird=4,crc=on)", "KEY=VALUE,..."},
        {"default-configuration", 0, 0, G_OPTION_ARG_NONE, &options.default_configuration,
         "the device is in its default configuration", NULL},
        {"export", 0, 0, G_OPTION_ARG_STRING, &options.export, "NFS: the directory to create files in (default /)",
         "PATH"},
        {"mount-port", 0, 0, G_OPTION_ARG_STRING, &options.mount_port,
         "NFS version 3: TCP port of MOUNT (default: ask rpcbind); with --listen: where to serve it", "N"},
        {"nfs-version", 0, 0, G_OPTION_ARG_STRING, &options.nfs_version,
         "3, 4.0, 4.1, 4.2 (comma-separated; default: all versions of the server)", "V"},
        COMMAND_WIRE_ENTRIES(&options.wire),
        COMMAND_GROUP("Times"),
        {"timeout", 0, 0, G_OPTION_ARG_DOUBLE, &options.timeout, "time for a reaction (default 2)", "SECONDS"},
        {"start-timeout", 0, 0, G_OPTION_ARG_DOUBLE, &options.start_timeout,
         "longest wait of a device for a start-up frame (default 60)", "SECONDS"},
        {"idle-timeout", 0, 0, G_OPTION_ARG_DOUBLE, &options.idle_timeout,
         "longest wait of a device for the rest of an FPDU (default 120)", "SECONDS"},
        {"accept-timeout", 0, 0, G_OPTION_ARG_DOUBLE, &options.accept_timeout,
         "longest wait for a connection (default 30)", "SECONDS"},
        {"recover-timeout", 0, 0, G_OPTION_ARG_DOUBLE, &options.recover_timeout,
         "how long a device may take after a case until it answers again (default 3)", "SECONDS"},
        {"settle", 0, 0, G_OPTION_ARG_DOUBLE, &options.settle,
         "pause between the start-up and the first FPDU (default 0)", "SECONDS"},
        COMMAND_GROUP("Commands to run"),
        {"before-each", 0, 0, G_OPTION_ARG_STRING, &options.before_each, "run before each case", "COMMAND"},
        {"reset-command", 0, 0, G_OPTION_ARG_STRING, &options.reset, "revives a dead device", "COMMAND"},
        {"reset-timeout", 0, 0, G_OPTION_ARG_DOUBLE, &options.reset_timeout,
         "time for this command, and until the device answers (default 300)", "SECONDS"},
        G_OPTION_ENTRY_NULL,
    };
    int status;

    g_autofree char *command = origin_command(argc, argv);

    if (!command_parse(&usage, entries, &argc, &argv, 0, 1, &status))
        return status;
    if (!options.format)
        options.format = g_strdup("text");
    options.accept_given = !isnan(options.accept_timeout);
    if (!options.accept_given)
        options.accept_timeout = ACCEPT_DEFAULT;
    if (argc < 2 && !options.listen)
        status = command_fail("expected: HOST:PORT of the device, or --listen (see: iwarp-gen test --help)");
    else
        status = test(&options, argc < 2 ? ":0" : argv[1], command);
    wire_close();
    command_clear(entries);
    return status;
}
