// SPDX-License-Identifier: GPL-2.0-or-later
/* iwarp-gen connect: a scenario's initiating side, or a client of a service. */
#include "traffic-gen/cli/command_chaos.h"
#include "traffic-gen/cli/command_speak.h"
#include "traffic-gen/live/play/endpoint.h"
#include "traffic-gen/live/verbs/verbs.h"

#include <string.h>

enum { CLIENTS = 4, SIZE_MAX_OCTETS = 16 << 20, REVISION = 2, START_UP_MIN = 10, RESTART = 60 /* seconds */ };
#define SIZE_DEFAULT G_MININT64 /* the client's default */

static const struct client_row {
    const struct endpoint_kind *kind;
    size_t size;
    uint64_t count;
    const char *help;
} clients[CLIENTS] = {
    {&rping_client, 64, 0, "ping an rping server, until a signal comes or --count times"},
    {&write_client, 65536, 1000, "transfer octets by RDMA Writes to a service that advertises its memory"},
    {&read_client, 65536, 1000, "transfer octets by RDMA Reads"},
    {&send_client, 65536, 1000, "transfer octets by Sends"},
};

struct options {
    struct speak_options speak;
    gboolean chosen[CLIENTS];
    gint64 size;
    gint revision;
    gboolean verify, markers, no_crc, peer_to_peer, plain, verbose;
    char *device, *misbehave, *chaos, *restart;
    double restart_timeout;
};

static int connect_check(const struct options *options)
{
    if (options->size != SIZE_DEFAULT && (options->size < 1 || options->size > SIZE_MAX_OCTETS))
        return command_fail("--size: %" G_GINT64_FORMAT " is not from 1 to %d", options->size, SIZE_MAX_OCTETS);
    if (options->speak.count < 0)
        return command_fail("--count: %d is negative", options->speak.count);
    if (options->revision < 0 || options->revision > 2)
        return command_fail("--revision: %d is not 0, 1 or 2", options->revision);
    if (!(options->speak.timeout > 0 && options->speak.timeout < 1e6))
        return command_fail("--timeout: %g is not a number of seconds above 0", options->speak.timeout);
    if (!(options->speak.first_delay >= 0 && options->speak.first_delay < 1e6))
        return command_fail("--first-delay: %g is not a number of seconds from 0", options->speak.first_delay);
    return COMMAND_DONE;
}

static int run_client(const char *address, const struct options *options, const struct client_row *client)
{
    static const int statuses[] = {
        [CLIENT_DONE] = COMMAND_DONE, [CLIENT_FAILED] = COMMAND_FAILED, [CLIENT_NOT_CONNECTED] = COMMAND_TROUBLE};
    g_autofree char *host = NULL, *port = NULL, *why = NULL;
    g_autoptr(GError) error = NULL;
    int status = connect_check(options);
    const struct endpoint_options endpoint = {
        .revision = (unsigned)options->revision,
        .markers = options->markers,
        .crc = options->no_crc ? ENDPOINT_CRC_AS_PEER : ENDPOINT_CRC_DEFAULT,
        .peer_to_peer = options->peer_to_peer,
        .plain = options->plain,
        .count = options->speak.count ? (uint64_t)options->speak.count : client->count,
        .size = options->size == SIZE_DEFAULT ? client->size : (size_t)options->size,
        .verify = options->verify,
        .first_delay_ns = (int64_t)(options->speak.first_delay * 1e9),
        .t_startup = (int64_t)(MAX(options->speak.timeout, START_UP_MIN) * 1e9),
        .verbose = options->verbose,
    };

    if (status != COMMAND_DONE)
        return status;
    if (!live_parse_address(address, &host, &port, &error))
        return command_fail("%s", error->message);
    status = statuses[client_run(host, port, client->kind, &endpoint, (int64_t)(options->speak.timeout * 1e9),
                                 options->speak.record, &why)];
    if (why)
        command_fail("%s", why);
    return status;
}

/* A device for iwarp-gen test --listen: it connects again and again while somebody listens. */
static int run_device(const char *address, const struct options *options)
{
    static const struct endpoint_kind *const devices[] = {&echo_device, &rpc_device};
    const struct endpoint_options endpoint = {
        .revision = (unsigned)options->revision,
        .markers = options->markers,
        .crc = options->no_crc ? ENDPOINT_CRC_AS_PEER : ENDPOINT_CRC_DEFAULT,
        .peer_to_peer = options->peer_to_peer,
        .plain = options->plain,
        .misbehave = options->misbehave,
        .on_device = verbs_address(address) != NULL,
    };
    const struct endpoint_kind *kind = NULL;
    g_autofree char *host = NULL, *port = NULL, *why = NULL;
    g_autoptr(GError) error = NULL;
    unsigned connections = 0;
    int status = connect_check(options);

    for (unsigned i = 0; i < G_N_ELEMENTS(devices); i++) {
        if (strcmp(devices[i]->name, options->device) == 0)
            kind = devices[i];
    }
    if (status != COMMAND_DONE)
        return status;
    if (!kind)
        return command_fail("--as-device: '%s' is not echo or rpc", options->device);
    if (endpoint.on_device && !kind->on_devices)
        return command_fail("--as-device: only rpc works on an RDMA device");
    if (!live_parse_address(endpoint.on_device ? verbs_address(address) : address, &host, &port, &error))
        return command_fail("%s", error->message);
    if (!kind->open(&endpoint, &why))
        return command_fail("%s", why);
    while (client_run(host, port, kind, &endpoint, (int64_t)(options->speak.timeout * 1e9), NULL, &why) !=
           CLIENT_NOT_CONNECTED) {
        if (g_strcmp0(why, CLIENT_STOPPED) == 0)
            return command_fail("%s", why), COMMAND_FAILED;
        g_clear_pointer(&why, g_free);
        connections++;
    }
    /* The test run is over: nobody listens any more. */
    return connections > 0 ? COMMAND_DONE : command_fail("%s", why);
}

/* Options for a scenario, a client, or a device. */
static int connect_check_uses(const struct options *options, const struct client_row *client)
{
    const char *const clients_only = "--rping, --write, --read and --send", *const start_ups =
                                                                                "clients and --as-device";
    const bool starts = client || options->device, scenario = !starts && !options->chaos,
               rping = client && client->kind == &rping_client;
    const struct command_only rows[] = {
        {options->misbehave, options->device, "--misbehave", "--as-device"},
        {options->size != SIZE_DEFAULT, client, "--size", clients_only},
        {options->verify, rping, "--verify", "--rping"},
        {options->verbose, rping, "--verbose", "--rping"},
        {options->revision != REVISION, starts, "--revision", start_ups},
        {options->plain, starts, "--plain", start_ups},
        {options->peer_to_peer, starts, "--peer-to-peer", start_ups},
        {options->markers, starts, "--markers", start_ups},
        {options->no_crc, starts, "--no-crc", start_ups},
        {options->speak.inject, scenario, "--inject", "scenarios"},
        {options->speak.script, scenario, "--script", "the scenario script"},
        {options->speak.mtu, scenario, "--mtu", "scenarios"},
        {options->speak.export, scenario || options->chaos, "--export", "scenarios with an NFS client, and --chaos"},
        {options->speak.mount_port, scenario, "--mount-port", "scenarios with an NFS client"},
        {options->speak.source, scenario, "--source", "scenarios on RDMA devices"},
        {options->restart, options->chaos, "--restart-command", "--chaos"},
        {options->restart_timeout != RESTART, options->restart, "--restart-timeout", "--restart-command"},
        {options->speak.record, !options->device && !options->chaos, "-w", "scenarios and clients"},
    };

    return command_check_only(rows, G_N_ELEMENTS(rows));
}

static int choose_client(const struct options *options, const struct client_row **client)
{
    *client = NULL;
    for (unsigned i = 0; i < CLIENTS; i++) {
        if (!options->chosen[i])
            continue;
        if (*client)
            return command_fail("--%s and --%s exclude each other", (*client)->kind->name, clients[i].kind->name);
        *client = &clients[i];
    }
    return COMMAND_DONE;
}

/* An NFS client of its own. */
static int run_chaos(int argc, char **argv, const struct options *options, const struct client_row *client)
{
    const struct chaos_options chaos = {.seed = options->chaos,
                                        .export = options->speak.export,
                                        .steps = options->speak.count,
                                        .timeout = options->speak.timeout,
                                        .first_delay = options->speak.first_delay,
                                        .restart = options->restart,
                                        .t_restart = options->restart_timeout};

    if (client || options->device || argc != 2)
        return command_fail("--chaos: takes only HOST:PORT of an NFS server (see: iwarp-gen connect --help)");
    if (verbs_address(argv[1]))
        return command_fail("--chaos: needs a server at HOST:PORT, whose TCP connections it can break");
    return command_chaos(argv[1], &chaos);
}

static int connect_run(int argc, char **argv, const struct options *options)
{
    const struct client_row *client;
    int status = choose_client(options, &client);

    if (status == COMMAND_DONE)
        status = connect_check_uses(options, client);
    if (status != COMMAND_DONE)
        return status;
    if (options->chaos && !command_wire_open(&options->speak.wire, argv[1], &status))
        return status;
    if (options->chaos)
        return run_chaos(argc, argv, options, client);
    if (verbs_address(argv[1]) && client)
        return command_fail("rdma: is only for scenarios with an NFS client, and --as-device=rpc");
    /* speak() opens it after its own checks. */
    if ((options->device || client) && !command_wire_open(&options->speak.wire, argv[1], &status))
        return status;
    if (options->device)
        return argc == 2 ? run_device(argv[1], options) : command_fail("--as-device: takes no scenario");
    if (client && argc == 2)
        return run_client(argv[1], options, client);
    if (!client && argc == 3)
        return speak(argv[1], argv[2], &options->speak, false);
    return command_fail("expected: HOST:PORT and a scenario, or HOST:PORT and one of --rping, --write, --read, --send, "
                        "--as-device, --chaos (see: iwarp-gen connect --help)");
}

int command_connect(int argc, char **argv)
{
    static const struct command_usage usage = {
        "[rdma:]HOST:PORT SCENARIO|FILE | HOST:PORT --rping|--write|--read|--send|--as-device=NAME|--chaos=SEED",
        "Opens a TCP connection and plays the scenario on it as MPA Initiator (as Responder if the scenario's "
        "Responder opens the connection); or uses a service; or acts as a device for iwarp-gen test --listen.",
        "With rdma: before the address an RDMA device connects (RoCE, InfiniBand, iWARP), for NFS clients and "
        "--as-device=rpc.\n"
        "Exit status: 0 success, 1 the peer deviated, 2 wrong usage, or no peer to connect to.",
    };
    struct options options = {
        .speak = SPEAK_DEFAULTS, .size = SIZE_DEFAULT, .revision = REVISION, .restart_timeout = RESTART};
    const GOptionEntry entries[] = {
        SPEAK_ENTRIES(options.speak),
        COMMAND_GROUP("Scenarios with an NFS client"),
        {"export", 0, 0, G_OPTION_ARG_STRING, &options.speak.export, "path to mount (default /)", "PATH"},
        {"mount-port", 0, 0, G_OPTION_ARG_STRING, &options.speak.mount_port,
         "versions 2 and 3: TCP port of MOUNT, or rpcbind (default: the same connection)", "PORT"},
        {"source", 0, 0, G_OPTION_ARG_STRING, &options.speak.source,
         "rdma: connect from this address, which selects device and GID", "ADDRESS"},
        COMMAND_WIRE_ENTRIES(&options.speak.wire),
        COMMAND_GROUP("Chaos"),
        {"chaos", 0, 0, G_OPTION_ARG_STRING, &options.chaos,
         "be an NFSv4.1 client whose connections break; --count: steps (default 200)", "SEED"},
        {"restart-command", 0, 0, G_OPTION_ARG_STRING, &options.restart,
         "--chaos: restarts the server, and ends when it runs again", "COMMAND"},
        {"restart-timeout", 0, 0, G_OPTION_ARG_DOUBLE, &options.restart_timeout, "time for this command (default 60)",
         "SECONDS"},
        COMMAND_GROUP("Clients of services"),
        {"rping", 0, 0, G_OPTION_ARG_NONE, &options.chosen[0], clients[0].help, NULL},
        {"write", 0, 0, G_OPTION_ARG_NONE, &options.chosen[1], clients[1].help, NULL},
        {"read", 0, 0, G_OPTION_ARG_NONE, &options.chosen[2], clients[2].help, NULL},
        {"send", 0, 0, G_OPTION_ARG_NONE, &options.chosen[3], clients[3].help, NULL},
        {"size", 0, 0, G_OPTION_ARG_INT64, &options.size,
         "octets of each message (default 64 with --rping, else 65536)", "N"},
        {"verify", 0, 0, G_OPTION_ARG_NONE, &options.verify, "--rping: compare the octets that come back", NULL},
        {"verbose", 'v', 0, G_OPTION_ARG_NONE, &options.verbose, "--rping: print the octets sent", NULL},
        {"first-delay", 0, 0, G_OPTION_ARG_DOUBLE, &options.speak.first_delay,
         "pause between start-up and first message, for servers that need it", "SECONDS"},
        COMMAND_GROUP("Start-up of clients and devices"),
        {"revision", 0, 0, G_OPTION_ARG_INT, &options.revision, "revision of MPA (default 2)", "N"},
        {"plain", 0, 0, G_OPTION_ARG_NONE, &options.plain, "revision 2 without the enhanced data of RFC 6581", NULL},
        {"peer-to-peer", 0, 0, G_OPTION_ARG_NONE, &options.peer_to_peer, "peer-to-peer mode: start with an RTR", NULL},
        {"markers", 0, 0, G_OPTION_ARG_NONE, &options.markers, "ask for Markers", NULL},
        {"no-crc", 0, 0, G_OPTION_ARG_NONE, &options.no_crc, "do not ask for CRC", NULL},
        COMMAND_GROUP("Devices for iwarp-gen test --listen"),
        {"as-device", 0, 0, G_OPTION_ARG_STRING, &options.device, "be a device, echo or rpc: connect again and again",
         "NAME"},
        {"device", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_STRING, &options.device, NULL, NULL}, /* former name */
        {"misbehave", 0, 0, G_OPTION_ARG_STRING, &options.misbehave,
         "give a wrong answer to this stimulus (iwarp-gen list mutants)", "ID"},
        G_OPTION_ENTRY_NULL,
    };
    int status;

    if (command_parse(&usage, entries, &argc, &argv, 1, 2, &status))
        status = connect_run(argc, argv, &options);
    wire_close();
    command_clear(entries);
    return status;
}
