// SPDX-License-Identifier: GPL-2.0-or-later
/* iwarp-gen listen: a scenario's responding side. */
#include "traffic-gen/cli/command_speak.h"

int command_listen(int argc, char **argv)
{
    static const struct command_usage usage = {
        "HOST:PORT SCENARIO|FILE",
        "Waits for a TCP connection and plays the scenario on it as MPA Responder (as Initiator if the scenario's "
        "Responder opens the connection). Port 0: any free port, which is printed on standard error.",
        "Exit status: 0 completed, 1 the peer deviated, 2 wrong usage, or cannot listen.",
    };
    struct speak_options options = SPEAK_DEFAULTS;
    const GOptionEntry entries[] = {SPEAK_ENTRIES(options), COMMAND_WIRE_ENTRIES(&options.wire), G_OPTION_ENTRY_NULL};
    int status;

    if (command_parse(&usage, entries, &argc, &argv, 2, 2, &status))
        status = speak(argv[1], argv[2], &options, true);
    wire_close();
    command_clear(entries);
    return status;
}
