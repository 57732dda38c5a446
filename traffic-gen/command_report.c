// SPDX-License-Identifier: GPL-2.0-or-later
/* iwarp-gen report. */
#include "traffic-gen/command.h"

int command_report(int argc, char **argv)
{
    static const struct command_usage usage = {"FILE...", "Puts results of tests together.", NULL};
    int status;

    if (!command_parse(&usage, NULL, &argc, &argv, 1, G_MAXINT, &status))
        return status;
    return command_fail("report is not part of this build yet");
}
