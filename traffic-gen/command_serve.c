// SPDX-License-Identifier: GPL-2.0-or-later
/* iwarp-gen serve. */
#include "traffic-gen/command.h"

int command_serve(int argc, char **argv)
{
    static const struct command_usage usage = {"HOST:PORT --service=NAME", "Serves real clients.", NULL};
    int status;

    if (!command_parse(&usage, NULL, &argc, &argv, 1, G_MAXINT, &status))
        return status;
    return command_fail("serve is not part of this build yet");
}
