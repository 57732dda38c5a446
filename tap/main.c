// SPDX-License-Identifier: GPL-2.0-or-later
/* iwarp-tap: records NFS over RDMA where the kernel builds and parses it. */
#include "support/privileges.h"
#include "support/stderr_line.h"
#include "tap/fit.h"
#include "tap/keeper.h"
#include "tap/options.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { FAILED = 1, USAGE = 2, POLL_MS = 100, LOOK_MS = 20 };
#define NAME "iwarp-tap"

static volatile sig_atomic_t stopped;

static void on_signal(int number)
{
    (void)number;
    stopped = 1;
}

static int64_t clock_ns(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* Whether the program that started this one is gone, or wants it to end. */
static bool is_let_go(void)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};

    return poll(&input, 1, 0) != 0;
}

static bool has_lasted(const struct tap_options *options, int64_t since_ns)
{
    return options->duration_ns > 0 && clock_ns(CLOCK_MONOTONIC) - since_ns >= options->duration_ns;
}

/* The kernel's part of a recording. */
struct attached {
    const struct tap_options *options;
    struct probes *probes;
    struct keeper keeper;
    struct recorder *recorder; /* while records are read */
};

static bool is_enough(const struct attached *attached)
{
    const struct tap_options *options = attached->options;
    struct recorder_counts counts = recorder_counts(attached->recorder);

    return counts.failed || (options->packets > 0 && counts.packets >= options->packets) ||
           (options->octets > 0 && counts.octets >= options->octets);
}

static void on_record(void *ctx, const void *p, size_t n)
{
    const struct attached *attached = ctx;

    if (!is_enough(attached))
        recorder_take(attached->recorder, p, n);
}

/* Runs until a signal, or a limit. */
static bool record(const struct attached *attached, struct capture_file *file)
{
    const struct tap_options *options = attached->options;
    struct probes *probes = attached->probes;
    struct recorder *recorder = attached->recorder;
    int64_t since_ns = clock_ns(CLOCK_MONOTONIC);
    uint64_t left_out = 0, gaps;
    bool lives, read, last, full;

    do {
        int64_t now_ns = clock_ns(CLOCK_MONOTONIC);
        uint64_t lost = probes_lost(probes); /* records lost by now came after the records that wait */
        uint64_t all;

        lives = keeper_lives(&attached->keeper, &gaps);
        recorder_left_out(recorder, gaps);
        last = !lives || stopped || (options->child && is_let_go());
        read = probes_read(probes, last ? 0 : POLL_MS);
        recorder_lost(recorder, lost);
        all = probes_left_out(probes);
        recorder_left_out(recorder, all - left_out);
        left_out = all;
        recorder_reach(recorder, (uint64_t)now_ns);
        full = is_enough(attached) || has_lasted(options, since_ns) || !capture_file_flush(file);
    } while (read && !last && !full);
    recorder_lost(recorder, probes_lost(probes));
    if (!read)
        stderr_line(NAME, "cannot read from the kernel: %s", strerror(errno));
    else if (!lives)
        stderr_line(NAME, "the process that attaches the BPF programs has ended");
    return read && lives;
}

static void sum_up(const struct tap_options *options, const struct recorder_counts *counts)
{
    stderr_line(NAME,
                "%" PRIu64 " packets of %" PRIu32 " connection%s written to %s; %" PRIu64 " message%s lost, %" PRIu64
                " incomplete",
                counts->packets, counts->connections, counts->connections == 1 ? "" : "s",
                strcmp(options->file, "-") == 0 ? "standard output" : options->file, counts->dropped,
                counts->dropped == 1 ? "" : "s", counts->incomplete);
}

/* The programs are in the kernel: from here on this process needs no privileges. */
static int run_attached(struct tap_options *options, struct attached *attached, struct capture_file *file)
{
    struct recorder_counts counts;
    bool read;

    if (!privileges_drop(options->user, false)) {
        stderr_line(NAME, "cannot drop privileges: %s", strerror(errno));
        return FAILED;
    }
    attached->recorder = recorder_new(&options->recorder, file);
    if (!options->quiet)
        stderr_line(NAME, "recording");
    read = record(attached, file);
    recorder_finish(attached->recorder);
    counts = recorder_counts(attached->recorder);
    recorder_free(attached->recorder);
    if (!options->quiet)
        sum_up(options, &counts);
    return read ? 0 : FAILED;
}

/* Until the kernel is fit, or a signal or the time limit ends the waiting. FIT_NEVER: the reason was reported. */
static enum fit await_kernel(const struct tap_options *options)
{
    char why[PROBES_ERROR_SIZE] = "";
    int64_t since_ns = clock_ns(CLOCK_MONOTONIC);
    enum fit fit = probes_permitted(why) ? fit_kernel(probes_sys, why, sizeof why) : FIT_NEVER;

    if (fit == FIT_LATER && options->now) {
        stderr_line(NAME, "%s: load it, or mount by RDMA, and begin again", why);
        return FIT_NEVER;
    }
    if (fit == FIT_LATER)
        stderr_line(NAME, "%s: waiting for it", why);
    while (fit == FIT_LATER && !stopped && !(options->child && is_let_go()) && !has_lasted(options, since_ns)) {
        poll(NULL, 0, LOOK_MS);
        fit = fit_kernel(probes_sys, why, sizeof why);
    }
    if (fit == FIT_NEVER)
        stderr_line(NAME, "%s", why);
    return fit;
}

static bool attach(const struct tap_options *options, struct attached *attached)
{
    const struct probes_options wanted = {
        .snap = options->recorder.snap, .chunks = !options->recorder.headers, .ctx = attached, .record = on_record};
    char error[PROBES_ERROR_SIZE] = "";
    const char *no_pages = NULL;

    attached->probes = probes_open(&wanted, &no_pages, error);
    if (!attached->probes || !keeper_start(&attached->keeper, attached->probes, options->user, error)) {
        stderr_line(NAME, "%s", error);
        return false;
    }
    if (no_pages && wanted.chunks)
        stderr_line(NAME, "%s", no_pages);
    return true;
}

static struct capture_file *open_capture(const struct tap_options *options)
{
    return capture_file_open_commented(options->file,
                                       "Recorded by iwarp-tap: RPC-over-RDMA messages in an invented transport");
}

/* Wireshark shows the error once its pipe has been opened and closed. */
static int refuse(const struct tap_options *options)
{
    struct capture_file *file = options->now && options->file ? open_capture(options) : NULL;

    if (file)
        (void)capture_file_close(file);
    return USAGE;
}

/* A kernel that never became fit gives an empty capture. */
static int run(struct tap_options *options, struct attached *attached)
{
    enum fit fit = await_kernel(options);
    struct capture_file *file;
    int status = 0;

    if (fit == FIT_NEVER || (fit == FIT_YES && !attach(options, attached)))
        return refuse(options);
    file = open_capture(options);
    if (!file) {
        stderr_line(NAME, "%s: %s", options->file, strerror(errno));
        return USAGE;
    }
    if (fit == FIT_YES)
        status = run_attached(options, attached, file);
    if (!capture_file_close(file)) {
        stderr_line(NAME, "%s: %s", options->file, strerror(errno));
        return FAILED;
    }
    return status;
}

int main(int argc, char **argv)
{
    const struct sigaction stop = {.sa_handler = on_signal};
    struct sigaction hangup;
    struct tap_options options;
    struct attached attached = {.options = &options, .keeper = {.run = -1, .said = -1}};
    char why[512] = "";
    int status;

    switch (tap_options_parse(&options, argc, argv, why, sizeof why)) {
    case TAP_DONE:
        return 0;
    case TAP_WRONG:
        stderr_line(NAME, "%s", why);
        return refuse(&options);
    case TAP_RUN:
        break;
    }
    if (strcmp(options.file, "-") == 0 && isatty(STDOUT_FILENO)) {
        stderr_line(NAME, "refusing to write a capture to a terminal: use -w FILE, or a pipe");
        return USAGE;
    }
    sigaction(SIGINT, &stop, NULL);
    sigaction(SIGTERM, &stop, NULL);
    sigaction(SIGHUP, NULL, &hangup);
    if (hangup.sa_handler == SIG_DFL) /* nohup ignores it */
        sigaction(SIGHUP, &stop, NULL);
    signal(SIGPIPE, SIG_IGN);
    options.recorder.epoch_ns = clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_MONOTONIC);
    status = run(&options, &attached);
    keeper_stop(&attached.keeper);
    probes_close(attached.probes);
    return status;
}
