// SPDX-License-Identifier: GPL-2.0-or-later
/* iwarp-gen connect: a scenario's initiating side. */
#include "traffic-gen/command_speak.h"

int command_connect(int argc, char **argv)
{
    static const struct command_usage usage = {
        "HOST:PORT SCENARIO|FILE.yaml",
        "Opens a TCP connection and plays the scenario on it as MPA Initiator (as Responder where the scenario has "
        "the\n"
        "Responder open the connection).",
        "Exit status: 0 it was played whole, 1 the peer did something else, 2 wrong usage, or nobody to connect to.",
    };
    struct speak_options options = SPEAK_DEFAULTS;
    const GOptionEntry entries[] = {
        SPEAK_ENTRIES(options),
        {"export", 0, 0, G_OPTION_ARG_STRING, &options.export, "NFS clients: what is mounted (default /)", "PATH"},
        {"mount-port", 0, 0, G_OPTION_ARG_STRING, &options.mount_port,
         "NFS clients of versions 2 and 3: TCP port of the server's MOUNT, or rpcbind to have it found; MOUNT is asked "
         "on "
         "the same connection otherwise",
         "PORT"},
        {"first-delay", 0, 0, G_OPTION_ARG_DOUBLE, &options.first_delay,
         "NFS clients: pause between start-up and first Call, for servers that need it", "SECONDS"},
        G_OPTION_ENTRY_NULL};
    int status;

    if (command_parse(&usage, entries, &argc, &argv, 2, 2, &status))
        status = speak(argv[1], argv[2], &options, false);
    speak_options_clear(&options);
    return status;
}
