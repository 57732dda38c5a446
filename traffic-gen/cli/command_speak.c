// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/cli/command_speak.h"

#include "traffic-gen/cli/command_scenario.h"
#include "traffic-gen/live/play/session.h"
#include "traffic-gen/live/verbs/verbs.h"
#include "traffic-gen/speak/bulk/bulk.h"

#include <string.h>

static int speak_play(const char *address, const struct speak_options *options, const struct scenario_source *source,
                      const GPtrArray *faults, bool listens)
{
    static const int statuses[] = {
        [SESSION_PLAYED] = COMMAND_DONE, [SESSION_OTHERWISE] = COMMAND_FAILED, [SESSION_NOT_BEGUN] = COMMAND_TROUBLE};
    g_autofree char *host = NULL, *port = NULL, *why = NULL;
    const char *on_device = verbs_address(address);
    GError *error = NULL;
    int status;

    if (on_device && listens)
        return command_fail(
            "scenarios listen on TCP only; iwarp-gen serve rdma:HOST:PORT --service=nfs is a server on RDMA "
            "devices");
    if (on_device && options->record)
        return command_fail(
            "-w cannot be used with rdma: the packets of an RDMA device are not visible here; capture them "
            "with tcpdump or at the switch");
    if (options->source && !on_device)
        return command_fail("--source is only for rdma:HOST:PORT");
    if (!live_parse_address(on_device ? on_device : address, &host, &port, &error)) {
        status = command_fail("%s", error->message);
        g_error_free(error);
        return status;
    }
    status = statuses[session_play(&(struct session_options){.listens = listens,
                                                             .host = host,
                                                             .port = port,
                                                             .on_device = on_device,
                                                             .own_address = options->source,
                                                             .source = source,
                                                             .faults = faults,
                                                             .mtu = (unsigned)options->mtu,
                                                             .seed = (uint64_t)options->seed,
                                                             .timeout_ns = (int64_t)(options->timeout * 1e9),
                                                             .record = options->record,
                                                             .export = options->export,
                                                             .mount_port = options->mount_port,
                                                             .first_delay_ns = (int64_t)(options->first_delay * 1e9)},
                                   &why)];
    if (why)
        command_fail("%s", why);
    return status;
}

static int speak_check(const char *name, const struct speak_options *options, const struct scenario_source *source,
                       const GPtrArray *faults)
{
    int status;

    if (bulk_find(name))
        return command_fail("%s: this scenario describes a capture, it cannot be played live", name);
    if (!source->scenario)
        return command_fail_no_scenario(name);
    status = command_check_faults(source, faults);
    if (status == COMMAND_DONE)
        status = command_check_mtu(options->mtu);
    if (status != COMMAND_DONE)
        return status;
    if (options->count != 0 && !source->counted)
        return command_fail("--count is only for the scenarios operations and nfs-metadata, and for clients");
    if (options->script && source->scenario->script != options->script)
        return command_fail("--script is only for the scenario script");
    if (options->count < 0)
        return command_fail("--count: %d is negative", options->count);
    if (!(options->timeout > 0 && options->timeout < 1e6))
        return command_fail("--timeout: %g is not a number of seconds above 0", options->timeout);
    return COMMAND_DONE;
}

int speak(const char *address, const char *name, const struct speak_options *options, bool listens)
{
    struct scenario_source source = {0};
    GPtrArray *faults = NULL;
    char *error = NULL;
    int status;

    if (scenario_source_load(&source, name, options->script, (unsigned)MAX(options->count, 0), &error) &&
        options->inject)
        faults = faults_of_list(options->inject, &error);
    status = error ? command_fail("%s", error) : speak_check(name, options, &source, faults);
    if (status == COMMAND_DONE && command_wire_open(&options->wire, address, &status))
        status = speak_play(address, options, &source, faults, listens);
    g_free(error);
    if (faults)
        g_ptr_array_unref(faults);
    scenario_source_clear(&source);
    return status;
}
