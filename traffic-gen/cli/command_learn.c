// SPDX-License-Identifier: GPL-2.0-or-later
/* iwarp-gen learn: infers the machine of a device. */
#include "support/output_file.h"
#include "support/printable.h"
#include "support/stderr_line.h"
#include "traffic-gen/cli/command_wire.h"
#include "traffic-gen/explore/learn/ask_device.h"
#include "traffic-gen/explore/learn/learner.h"
#include "traffic-gen/explore/learn/standard.h"
#include "traffic-gen/live/verbs/verbs.h"
#include "traffic-gen/tester/suite/expect/learn_device.h"
#include "traffic-gen/tester/suite/rpc/nfs_run.h"
#include "traffic-gen/tester/suite/rpc/rpc_port.h"
#include "traffic-gen/tester/suite/run/choice.h"
#include "traffic-gen/tester/suite/talk/talk_run.h"
#include "traffic-gen/tester/suite/transport/tcp_socket.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { JOBS_MAX = 32, CHECKS_MAX = 100000, SURE_QUIET_MS = 5000, CLOSE_MS = 500, FIRST_MS = 60000 };

static const int64_t ms = 1000000;

struct options {
    char *alphabet, *inputs, *machine, *format, *output, *compare, *against, *reset, *device, *seed;
    double quiet, recover_timeout, reset_timeout;
    gint jobs, checks;
    gboolean listen;
    struct command_wire wire;
};

static const struct format {
    const char *name;
    void (*write)(const struct machine *machine, FILE *out);
} formats[] = {{"text", machine_text}, {"json", machine_json}, {"svg", machine_svg}};

static const struct format *format_find(const char *name)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(formats); i++)
        if (strcmp(formats[i].name, name) == 0)
            return &formats[i];
    return NULL;
}

static void learn_note(const char *text)
{
    stderr_line("iwarp-gen", "%s", text);
}

struct job {
    const struct options *options;
    struct ask_device device;
    struct answers *answers;       /* NULL: the machine comes from a file */
    struct machine *machine, *old; /* old: from --compare, or NULL */
    struct learn_alphabet some;    /* --inputs */
    struct learn_input inputs[MACHINE_INPUTS_MAX];
    guint64 seed;
    int64_t began;
};

static bool write_machine(const struct job *job)
{
    const struct options *options = job->options;
    struct output_file out;
    bool good = output_file_open(&out, options->output);

    if (good) {
        format_find(options->format)->write(job->machine, out.file);
        good = output_file_finish(&out);
    }
    output_file_clear(&out);
    return good;
}

/* ---- comparisons ---- */

static void print_word(const struct job *job, const struct word *word)
{
    g_autoptr(GString) text = g_string_new(NULL);

    word_text(word, job->machine->inputs, text);
    fprintf(stderr, "iwarp-gen: after \"%s\": ", text->str);
}

/* A device may delay a close: one that comes later does not count. */
static bool is_still_so(struct job *job, const struct standard_difference *difference)
{
    struct question question = {.word = difference->word, .n_known = difference->word.n - 1};
    const struct manner manner = {.patience = (unsigned)MAX(SURE_QUIET_MS * ms / job->device.quiet, 1), .alone = true};
    struct answer answer = {0};
    g_autofree char *why = NULL;

    machine_run(job->machine, &question.word, question.known);
    return !ask_device(&job->device, &question, &answer, 1, &manner, &why) ||
           (answer.n == difference->word.n && answer.output[answer.n - 1] == difference->output);
}

static unsigned hold_against_standard(struct job *job)
{
    g_autoptr(GArray) differences = standard_compare(job->machine, job->device.alphabet->name);
    unsigned n = 0;

    for (guint i = 0; i < differences->len && !suite_stopped; i++) {
        const struct standard_difference *difference = &g_array_index(differences, struct standard_difference, i);
        const struct rule *rule = difference->rule < RULE_COUNT ? &rule_catalogue[difference->rule] : NULL;

        if (job->answers && !strstr(difference->output, "dead") && !is_still_so(job, difference))
            continue;
        n++;
        print_word(job, &difference->word);
        fprintf(stderr, "\"%s\"; due: %s", difference->output, difference->due);
        if (rule)
            fprintf(stderr, " (%s, %s section %s)", rule->id, rule->document, rule->section);
        fputc('\n', stderr);
    }
    fprintf(stderr, "iwarp-gen: %u difference%s from the standard\n", n, n == 1 ? "" : "s");
    return n;
}

/* The other alphabet's inputs have the same names. */
static bool run_old(const struct job *job, const struct word *word, const char **outputs)
{
    struct word same = {0};

    for (unsigned i = 0; i < word->n; i++)
        for (unsigned k = 0; k < job->old->n_inputs; k++)
            if (job->old->inputs[k] == job->machine->inputs[word->input[i]])
                word_add(&same, k);
    if (same.n == word->n)
        machine_run(job->old, &same, outputs);
    return same.n == word->n;
}

static unsigned hold_against_old(const struct job *job)
{
    const char *now[WORD_MAX], *then[WORD_MAX];
    struct word word;

    if (!machine_differ(job->machine, job->old, &word)) {
        stderr_line("iwarp-gen", "the same machine as in %s", job->options->compare);
        return 0;
    }
    machine_run(job->machine, &word, now);
    if (run_old(job, &word, then)) {
        g_autofree gchar *name = printable_text(job->options->compare);

        print_word(job, &word);
        fprintf(stderr, "\"%s\", in %s \"%s\"\n", now[word.n - 1], name, then[word.n - 1]);
    }
    return 1;
}

/* ---- everything ---- */

static double learn_seconds(int64_t ns)
{
    return (double)ns / 1e9;
}

/* Prints where the time went, summed over connections that were open in parallel. */
static void print_costs(const struct job *job, unsigned n_states)
{
    const struct exchange_costs *costs = &job->device.costs, *signs = &job->device.signs;
    const unsigned asked = answers_asked(job->answers), again = answers_contradicted(job->answers);

    fprintf(stderr, "iwarp-gen: %u states after %u words in %.1f s; %u answer%s had to be asked again\n", n_states,
            asked, learn_seconds(talk_now() - job->began), again, again == 1 ? "" : "s");
    fprintf(stderr,
            "iwarp-gen: %u inputs: %.1f s until an answer, %.1f s of silence, %.1f s to connect, %.1f s to close; "
            "signs of life: %.1f s",
            costs->inputs, learn_seconds(costs->answers), learn_seconds(costs->silence), learn_seconds(costs->start),
            learn_seconds(costs->end), learn_seconds(signs->answers + signs->silence + signs->start + signs->end));
    if (job->device.resets > 0)
        fprintf(stderr, "; resets: %.1f s", learn_seconds(job->device.resets));
    fputc('\n', stderr);
}

static int learn_conclude(struct job *job)
{
    unsigned differences = 0;

    if (job->answers)
        print_costs(job, job->machine->n_states);
    if (!write_machine(job))
        return command_fail("%s: %s", job->options->output ? job->options->output : "standard output",
                            g_strerror(errno));
    if (job->old)
        differences += hold_against_old(job);
    if (job->options->against)
        differences += hold_against_standard(job);
    return differences > 0 ? COMMAND_FAILED : COMMAND_DONE;
}

/* The start-up does not matter for Calls; the server gets as long as a device that recovers. */
static bool find_startup(struct talk_run *run, char **why)
{
    const int64_t t_react = run->t_react;
    bool good;

    run->t_react = MAX(t_react, run->t_recover);
    good = learn_device(run, why);
    run->t_react = t_react;
    return good;
}

/* With --listen the device may only just be starting. */
static bool learn_begin(struct job *job, char **why)
{
    struct talk_run *run = job->device.run;
    const int64_t t_recover = run->t_recover;
    bool good;

    if (job->device.alphabet->rpc && !find_startup(run, why))
        return false;
    if (run->dut == DUT_INITIATOR)
        run->t_recover = MAX(FIRST_MS * ms, t_recover);
    good = ask_device_begin(&job->device, why);
    run->t_recover = t_recover;
    return good;
}

static int command_learn_run(struct job *job)
{
    const struct learn_alphabet *alphabet = job->device.alphabet;
    const struct asker asker = {ask_device, &job->device};
    const struct learner_options how = {.checks = (unsigned)job->options->checks, .seed = (unsigned)job->seed};
    g_autofree char *why = NULL;
    int status;

    job->began = talk_now();
    suite_stop_on_signals();
    job->machine->device = job->options->device ? job->options->device : job->device.address;
    job->machine->n_inputs = alphabet->n;
    for (unsigned i = 0; i < alphabet->n; i++)
        job->machine->inputs[i] = g_intern_string(alphabet->inputs[i].name);
    job->device.inputs = job->machine->inputs;
    if (!learn_begin(job, &why))
        return command_fail("%s: %s", job->device.address, why);
    job->answers = answers_new(alphabet->n, job->machine->inputs, &asker);
    if (learner_infer(job->machine, job->answers, &how, &why))
        status = learn_conclude(job);
    else
        status = (command_fail("%s: %s", job->device.address, why), COMMAND_FAILED);
    answers_free(job->answers);
    return status;
}

static int learn_numbers_fit(const struct options *options)
{
    const struct command_range ranges[] = {{"-j", options->jobs, 1, JOBS_MAX, NULL},
                                           {"--checks", options->checks, 0, CHECKS_MAX, NULL},
                                           {"--quiet", options->quiet, 0.01, 60, NULL},
                                           {"--recover-timeout", options->recover_timeout, 0.01, 3600, NULL},
                                           {"--reset-timeout", options->reset_timeout, 0.01, 3600, NULL}};

    return command_check_ranges(ranges, G_N_ELEMENTS(ranges));
}

static bool take_inputs(struct job *job)
{
    const struct options *options = job->options;
    const struct learn_alphabet *whole = learn_alphabet(options->alphabet);
    g_autofree char *unknown = NULL;

    if (!whole) {
        command_fail("--alphabet: '%s' is not startup, rpc or reply", options->alphabet);
        return false;
    }
    if (!options->machine && whole->initiator != options->listen) {
        command_fail(whole->initiator ? "--alphabet=%s is for an Initiator: it needs --listen"
                                      : "--alphabet=%s is for a Responder: it cannot be used with --listen",
                     whole->name);
        return false;
    }
    job->device.alphabet = options->inputs ? &job->some : whole;
    if (!options->inputs)
        return true;
    if (learn_alphabet_choose(whole, options->inputs, job->inputs, &job->some, &unknown))
        return true;
    command_fail("--inputs: '%s' is not an input of %s, or is repeated (see: iwarp-gen list inputs)",
                 unknown ? unknown : options->inputs, whole->name);
    return false;
}

/* Inputs that end a connection need TCP; an RDMA device cannot send them. */
static void leave_out_ends(struct job *job)
{
    const struct learn_alphabet *all = job->device.alphabet;
    unsigned n = 0;

    for (unsigned i = 0; i < all->n; i++)
        if (!all->inputs[i].ends)
            job->inputs[n++] = all->inputs[i];
    job->some = *all;
    job->some.inputs = job->inputs;
    job->some.n = n;
    job->device.alphabet = &job->some;
}

/* rdma:HOST:PORT: messages go through an RDMA device, which makes all lower layers. */
static int learn_take_port(struct job *job, struct talk_run *run, const char *address)
{
    g_autoptr(GError) error = NULL;

    if (!verbs_address(address))
        return COMMAND_DONE;
    if (!job->device.alphabet->rpc)
        return command_fail("--alphabet=%s: not for a device at rdma:HOST:PORT, as an RDMA device makes the octets; "
                            "use --alphabet=rpc",
                            job->device.alphabet->name);
    leave_out_ends(job);
    if (job->some.n == 0)
        return command_fail("--inputs: %s: not for a device at rdma:HOST:PORT, whose connections an RDMA device ends",
                            job->options->inputs);
    if (!verbs_possible(&error))
        return command_fail("%s: %s", address, error->message);
    run->rpc_port = &rpc_port_verbs;
    return COMMAND_DONE;
}

static int learn_take_options(struct job *job)
{
    const struct options *options = job->options;
    g_autoptr(GError) error = NULL;

    if (!format_find(options->format))
        return command_fail("--format: '%s' is not text, json or svg", options->format);
    if (!take_inputs(job))
        return COMMAND_TROUBLE;
    if (options->against && strcmp(options->against, "standard") != 0)
        return command_fail("--against: '%s' is not standard (for an earlier machine: --compare)", options->against);
    if (options->seed && !g_ascii_string_to_unsigned(options->seed, 10, 0, UINT32_MAX, &job->seed, NULL))
        return command_fail("--seed: '%s' is not from 0 to 4294967295", options->seed);
    if (options->compare && !(job->old = machine_load(options->compare, &error)))
        return command_fail("%s", error->message);
    if (!output_file_possible(options->output))
        return command_fail("%s: %s", options->output, g_strerror(errno));
    return learn_numbers_fit(options);
}

/* A machine from a file: converted or compared. */
static int learn_take_up(const struct options *options)
{
    struct job job = {.options = options, .device.alphabet = &learn_alphabets[0]};
    g_autoptr(GError) error = NULL;
    int status = learn_take_options(&job);

    if (status == COMMAND_DONE)
        job.machine = machine_load(options->machine, &error);
    if (job.machine)
        status = learn_conclude(&job);
    else if (error)
        status = command_fail("%s", error->message);
    g_free(job.machine);
    g_free(job.old);
    return status;
}

/* The address to which an Initiator connects repeatedly. */
static int learn_listen_for_device(struct talk_run *run)
{
    g_autofree char *why = NULL;

    run->dut = DUT_INITIATOR;
    run->listener = tcp_listen(run->host, run->port, &why);
    if (run->listener < 0)
        return command_fail("--listen: %s", why);
    fprintf(stderr, "iwarp-gen: listening on port %u\n", tcp_port(run->listener));
    return COMMAND_DONE;
}

static int learn_at(const struct options *options, const char *address)
{
    g_autofree char *host = NULL, *port = NULL;
    g_autoptr(GError) error = NULL;
    struct machine machine = {0};
    struct talk_run run = {
        .dut = DUT_RESPONDER,
        .listener = -1,
        .sign = SIGN_TCP, /* none is requested */
        .t_react = MAX((int64_t)(options->quiet * 1e9), CLOSE_MS * ms),
        .t_start = 60 * 1000 * ms,
        .t_idle = 120 * 1000 * ms,
        .t_accept = 10 * 1000 * ms,
        .t_recover = (int64_t)(options->recover_timeout * 1e9),
        .received_max = TALK_RECEIVED_MAX,
    };
    struct job job = {.options = options,
                      .machine = &machine,
                      .device = {.run = &run,
                                 .alphabet = &learn_alphabets[0],
                                 .jobs = (unsigned)options->jobs,
                                 .quiet = (int64_t)(options->quiet * 1e9),
                                 .address = address,
                                 .reset = options->reset,
                                 .note = learn_note,
                                 .t_reset = (int64_t)(options->reset_timeout * 1e9)}};
    int status = learn_take_options(&job);

    if (status == COMMAND_DONE)
        status = learn_take_port(&job, &run, address);
    if (status == COMMAND_DONE &&
        !choice_address(run.rpc_port ? verbs_address(address) : address, options->listen, &host, &port, &error))
        status = command_fail("%s", error->message);
    run.host = host;
    run.port = port;
    if (status == COMMAND_DONE && command_wire_open(&options->wire, address, &status) && options->listen)
        status = learn_listen_for_device(&run);
    if (status == COMMAND_DONE) {
        run.seed = (uint32_t)job.seed;
        run.nfs = nfs_run_new();
        if (job.device.alphabet->rpc) {
            run.services = run.has = NEED_RPC | NEED_RECEIVES;
            run.t_settle = job.device.quiet; /* some devices lose messages right after their Reply */
            run.terms.words = PRIVATE_DATA_RPC;
        }
        status = command_learn_run(&job);
        nfs_run_free(run.nfs);
    }
    if (run.listener >= 0)
        tcp_close(run.listener);
    g_free(run.rpc_device);
    g_free(job.old);
    return status;
}

int command_learn(int argc, char **argv)
{
    static const struct command_usage usage = {
        "[rdma:]HOST:PORT | --listen [HOST]:PORT | --machine=FILE",
        "Infers the state machine of a device by asking it.",
        "The device is the Responder at HOST:PORT; with --listen it is an Initiator that connects again and again. "
        "rdma:HOST:PORT goes through an RDMA device of this host, for --alphabet=rpc. "
        "Each question is a fresh connection and a sequence of inputs; the device's messages until it is silent are "
        "the "
        "output. The result is the smallest machine that explains all answers, as a table, a picture or JSON.\n\n"
        "Exit status: 0 learned, 1 a difference, or no machine explains the answers, 2 wrong usage, or the device "
        "could "
        "not be reached.",
    };
    struct options options = {.quiet = 0.2, .recover_timeout = 3, .reset_timeout = 300, .jobs = 2, .checks = 300};
    const GOptionEntry entries[] = {
        {"alphabet", 0, 0, G_OPTION_ARG_STRING, &options.alphabet,
         "set of inputs: startup (default), rpc, reply (default with --listen); see 'iwarp-gen list inputs'", "NAME"},
        {"listen", 0, 0, G_OPTION_ARG_NONE, &options.listen, "the device is the Initiator", NULL},
        {"inputs", 0, 0, G_OPTION_ARG_STRING, &options.inputs, "only these inputs (comma-separated)", "NAMES"},
        {"jobs", 'j', 0, G_OPTION_ARG_INT, &options.jobs, "parallel connections (default 2)", "N"},
        {"checks", 0, 0, G_OPTION_ARG_INT, &options.checks,
         "random sequences that the machine must predict (default 300)", "N"},
        {"seed", 0, 0, G_OPTION_ARG_STRING, &options.seed, "seed of these sequences (default 0)", "N"},
        COMMAND_GROUP("Result"),
        {"machine", 0, 0, G_OPTION_ARG_FILENAME, &options.machine,
         "instead of HOST:PORT: an earlier machine (JSON), of this --alphabet", "FILE"},
        {"format", 0, 0, G_OPTION_ARG_STRING, &options.format, "text (default), json, svg", "NAME"},
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &options.output, "write the machine to FILE", "FILE"},
        {"device", 0, 0, G_OPTION_ARG_STRING, &options.device, "the device's name in the machine", "NAME"},
        {"compare", 0, 0, G_OPTION_ARG_FILENAME, &options.compare,
         "compare with an earlier machine (JSON): prints a difference", "FILE"},
        {"against", 0, 0, G_OPTION_ARG_STRING, &options.against,
         "standard: name the rule for each answer that the standards forbid", "NAME"},
        COMMAND_GROUP("Times"),
        {"quiet", 0, 0, G_OPTION_ARG_DOUBLE, &options.quiet, "silence that completes an output (default 0.2)",
         "SECONDS"},
        {"recover-timeout", 0, 0, G_OPTION_ARG_DOUBLE, &options.recover_timeout,
         "how long a device may take until it accepts connections again (default 3)", "SECONDS"},
        COMMAND_GROUP("Commands to run"),
        {"reset-command", 0, 0, G_OPTION_ARG_STRING, &options.reset, "revives a dead device", "COMMAND"},
        {"reset-timeout", 0, 0, G_OPTION_ARG_DOUBLE, &options.reset_timeout, "time for this command (default 300)",
         "SECONDS"},
        COMMAND_WIRE_ENTRIES(&options.wire),
        G_OPTION_ENTRY_NULL,
    };
    int status;

    if (!command_parse(&usage, entries, &argc, &argv, 0, 1, &status))
        return status;
    if (!options.format)
        options.format = g_strdup("text");
    if (!options.alphabet)
        options.alphabet = g_strdup(options.listen ? "reply" : "startup");
    if ((argc == 2 || options.listen) == (options.machine != NULL))
        status = command_fail("expected: HOST:PORT, --listen, or --machine=FILE (see: iwarp-gen learn --help)");
    else if (options.machine && options.wire.interface)
        status = command_fail("--wire: not with --machine, which asks no device");
    else
        status = options.machine ? learn_take_up(&options) : learn_at(&options, argc == 2 ? argv[1] : ":0");
    wire_close();
    command_clear(entries);
    return status;
}
