// SPDX-License-Identifier: GPL-2.0-or-later
/* iwarp-gen listen. */
#include "traffic-gen/command.h"

int command_listen(int argc, char **argv)
{
    static const struct command_usage usage = {"HOST:PORT SCENARIO", "Speaks a scenario as MPA Responder over TCP.",
                                               NULL};
    int status;

    if (!command_parse(&usage, NULL, &argc, &argv, 1, G_MAXINT, &status))
        return status;
    return command_fail("listen is not part of this build yet");
}
