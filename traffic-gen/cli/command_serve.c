// SPDX-License-Identifier: GPL-2.0-or-later
/* iwarp-gen serve: a responder that real clients can use. */
#include "traffic-gen/cli/command_speak.h"
#include "traffic-gen/live/play/endpoint.h"
#include "traffic-gen/live/verbs/verbs.h"

#include <string.h>
#include <sys/resource.h>

static const struct endpoint_kind *const services[] = {&rping_server, &echo_server, &rpc_server, &sink_server,
                                                       &nfs_service};

enum { REVISION = 2 };
static const gdouble idle_default = -G_MAXDOUBLE; /* marks "not given" */

struct options {
    char *service, *record, *misbehave;
    struct command_wire wire;
    gint revision, connections, connections_max;
    gint64 size;
    gdouble idle_timeout;
    gboolean once, markers, crc, no_crc, verbose;
};

static const struct endpoint_kind *service_find(const char *name)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(services); i++) {
        if (strcmp(services[i]->name, name) == 0)
            return services[i];
    }
    return NULL;
}

static const char *service_name(unsigned index)
{
    return index < G_N_ELEMENTS(services) ? services[index]->name : NULL;
}

static char *service_names(void)
{
    GString *text = g_string_new(NULL);

    for (unsigned i = 0; i < G_N_ELEMENTS(services); i++)
        g_string_append_printf(text, "%s%s", i ? ", " : "", services[i]->name);
    return g_string_free(text, FALSE);
}

/* A line of --help for each service. */
static char *describe_services(void)
{
    GString *text = g_string_new("Services:");

    for (unsigned i = 0; i < G_N_ELEMENTS(services); i++)
        g_string_append_printf(text, "\n  %-8s %s", services[i]->name, services[i]->summary);
    g_string_append(
        text,
        "\n\nWith rdma: before the address it listens on RDMA devices (RoCE, InfiniBand, iWARP), for nfs and rpc.\n"
        "It ends after a signal (exit status 0) or --exit-after. Port 0: any free port, which is printed on "
        "standard error.");
    return g_string_free(text, FALSE);
}

/* Each connection needs a descriptor, and the usual limit is 1024. */
static void raise_descriptor_limit(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

static int fail_service(const char *name, const char *names)
{
    const char *guess = command_guess(name, service_name);

    if (guess)
        return command_fail("--service: '%s' is not one of %s (did you mean '%s'?)", name, names, guess);
    return command_fail("--service: '%s' is not one of %s (see: iwarp-gen serve --help)", name, names);
}

static int check_service(const struct options *options, const struct endpoint_kind *kind)
{
    g_autofree char *names = service_names();

    if (!options->service)
        return command_fail("expected --service=NAME, one of %s (see: iwarp-gen serve --help)", names);
    if (!kind)
        return fail_service(options->service, names);
    if (options->misbehave && !kind->misbehaves)
        return command_fail("--misbehave is only for the services echo, rpc and nfs");
    if (options->size != 0 && kind != &sink_server)
        return command_fail("--size is only for the service sink");
    for (unsigned i = 0; i < G_N_ELEMENTS(services); i++) {
        if (services[i] != kind && services[i]->configured && services[i]->configured())
            return command_fail(
                "options of the service %s cannot be used with --service=%s (see: iwarp-gen serve --help)",
                services[i]->name, kind->name);
    }
    return COMMAND_DONE;
}

static int serve_check_numbers(const struct options *options)
{
    if (options->idle_timeout != idle_default && !(options->idle_timeout >= 0.01 && options->idle_timeout <= 3600))
        return command_fail("--idle-timeout: %g is not from 0.01 to 3600 seconds", options->idle_timeout);
    if (options->revision < 0 || options->revision > 2)
        return command_fail("--revision: %d is not 0, 1 or 2", options->revision);
    if (options->connections < 0 || options->connections_max < 0)
        return command_fail("--exit-after, --at-once: the number of connections is negative");
    if (options->size < 0 || options->size > G_MAXUINT32)
        return command_fail("--size: %" G_GINT64_FORMAT " is not from 0 to %u", options->size, G_MAXUINT32);
    if (options->crc && options->no_crc)
        return command_fail("--crc and --no-crc contradict each other");
    return COMMAND_DONE;
}

static int serve_check(const struct options *options, const struct endpoint_kind *kind)
{
    int status = check_service(options, kind);

    return status == COMMAND_DONE ? serve_check_numbers(options) : status;
}

/* Layers below the operations belong to the RDMA device. */
static int check_on_devices(const struct options *options, const struct endpoint_kind *kind)
{
    const struct command_only rows[] = {
        {options->record, false, "-w",
         "HOST:PORT: the packets of an RDMA device are not visible here; capture them with tcpdump or at the "
         "switch"},
        {options->revision != REVISION, false, "--revision", "HOST:PORT: an RDMA device chooses the revision"},
        {options->markers, false, "--markers", "HOST:PORT"},
        {options->crc, false, "--crc", "HOST:PORT"},
        {options->no_crc, false, "--no-crc", "HOST:PORT"},
        {options->idle_timeout != idle_default, false, "--idle-timeout", "HOST:PORT"},
    };

    if (!kind->on_devices)
        return command_fail("the service %s does not run on RDMA devices, only nfs and rpc do", kind->name);
    return command_check_only(rows, G_N_ELEMENTS(rows));
}

static int serve_run(const char *address, const struct options *options)
{
    const struct endpoint_kind *kind = service_find(options->service ? options->service : "");
    g_autofree char *host = NULL, *port = NULL, *why = NULL;
    g_autoptr(GError) error = NULL;
    const char *on_devices = verbs_address(address);
    int status = serve_check(options, kind);

    if (status == COMMAND_DONE && on_devices)
        status = check_on_devices(options, kind);
    if (status != COMMAND_DONE)
        return status;
    if (!live_parse_address(on_devices ? on_devices : address, &host, &port, &error))
        return command_fail("%s", error->message);
    raise_descriptor_limit();
    if (!command_wire_open(&options->wire, address, &status))
        return status;
    if (!serve(&(struct serve_options){.host = host,
                                       .port = port,
                                       .on_devices = on_devices,
                                       .kind = kind,
                                       .connections = options->once ? 1 : (unsigned)options->connections,
                                       .connections_max = (unsigned)options->connections_max,
                                       .record = options->record,
                                       .endpoint = {.revision = (unsigned)options->revision,
                                                    .markers = options->markers,
                                                    .crc = options->crc      ? ENDPOINT_CRC_ON
                                                           : options->no_crc ? ENDPOINT_CRC_AS_PEER
                                                                             : ENDPOINT_CRC_DEFAULT,
                                                    .size = (size_t)options->size,
                                                    .t_rest = options->idle_timeout == idle_default
                                                                  ? 0
                                                                  : (int64_t)(options->idle_timeout * 1e9),
                                                    .misbehave = options->misbehave,
                                                    .verbose = options->verbose}},
               &why))
        status = command_fail("%s", why);
    return status;
}

/* Options of services follow the common ones. */
static GArray *all_entries(const GOptionEntry *common)
{
    GArray *entries = g_array_new(TRUE, FALSE, sizeof(GOptionEntry));

    for (; common->long_name; common++)
        g_array_append_val(entries, *common);
    for (unsigned i = 0; i < G_N_ELEMENTS(services); i++) {
        for (const GOptionEntry *own = services[i]->entries; own && own->long_name; own++)
            g_array_append_val(entries, *own);
    }
    return entries;
}

int command_serve(int argc, char **argv)
{
    struct options options = {.revision = REVISION, .idle_timeout = idle_default};
    const GOptionEntry common[] = {
        {"service", 0, 0, G_OPTION_ARG_STRING, &options.service, "the service", "NAME"},
        {"write-capture", 'w', 0, G_OPTION_ARG_FILENAME, &options.record,
         "record all octets sent and received, as pcapng", "FILE"},
        {"verbose", 'v', 0, G_OPTION_ARG_NONE, &options.verbose, "report each connection on standard error", NULL},
        COMMAND_GROUP("Connections"),
        {"once", 0, 0, G_OPTION_ARG_NONE, &options.once, "exit after one connection", NULL},
        {"exit-after", 0, 0, G_OPTION_ARG_INT, &options.connections, "exit after N connections", "N"},
        {"connections", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_INT, &options.connections, NULL, NULL}, /* former name */
        {"at-once", 0, 0, G_OPTION_ARG_INT, &options.connections_max,
         "serve at most N connections at a time; others wait", "N"},
        {"idle-timeout", 0, 0, G_OPTION_ARG_DOUBLE, &options.idle_timeout,
         "wait for the rest of an FPDU (default 60; echo, rpc: 10)", "SECONDS"},
        COMMAND_GROUP("Start-up"),
        {"revision", 0, 0, G_OPTION_ARG_INT, &options.revision, "highest revision of MPA (default 2)", "N"},
        {"markers", 0, 0, G_OPTION_ARG_NONE, &options.markers, "ask for Markers", NULL},
        {"crc", 0, 0, G_OPTION_ARG_NONE, &options.crc, "insist on CRC", NULL},
        {"no-crc", 0, 0, G_OPTION_ARG_NONE, &options.no_crc, "use CRC only when the client wants it", NULL},
        COMMAND_WIRE_ENTRIES(&options.wire),
        {"wire-fault", 0, 0, G_OPTION_ARG_STRING, &options.wire.fault,
         "an error of this TCP, for tests that must fail: order, again, overlap ...", "NAME"},
        COMMAND_GROUP("For some services"),
        {"size", 0, 0, G_OPTION_ARG_INT64, &options.size, "sink: octets of its memory (default 1 MiB)", "N"},
        {"misbehave", 0, 0, G_OPTION_ARG_STRING, &options.misbehave,
         "give a wrong answer to this stimulus: echo, rpc (iwarp-gen list mutants), nfs (write-lost, executed-again, "
         "lost-at-restart, verifier-kept, delay)",
         "ID"},
        G_OPTION_ENTRY_NULL,
    };
    g_autofree char *description = describe_services();
    const struct command_usage usage = {
        "[rdma:]HOST:PORT --service=NAME",
        "Serves real clients as a conforming Responder.",
        description,
    };
    g_autoptr(GArray) all = all_entries(common);
    const GOptionEntry *entries = (const GOptionEntry *)(void *)all->data;
    int status;

    if (command_parse(&usage, entries, &argc, &argv, 1, 1, &status))
        status = serve_run(argv[1], &options);
    wire_close();
    command_clear(entries);
    return status;
}
