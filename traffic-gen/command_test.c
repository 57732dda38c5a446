// SPDX-License-Identifier: GPL-2.0-or-later
/* iwarp-gen test. */
#include "traffic-gen/command.h"

int command_test(int argc, char **argv)
{
    static const struct command_usage usage = {"HOST:PORT", "Tests a device for conformance.", NULL};
    int status;

    if (!command_parse(&usage, NULL, &argc, &argv, 1, G_MAXINT, &status))
        return status;
    return command_fail("test is not part of this build yet");
}
