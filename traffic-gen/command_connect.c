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
    const GOptionEntry entries[] = {SPEAK_ENTRIES(options), G_OPTION_ENTRY_NULL};
    int status;

    if (command_parse(&usage, entries, &argc, &argv, 2, 2, &status))
        status = speak(argv[1], argv[2], &options, false);
    speak_options_clear(&options);
    return status;
}
