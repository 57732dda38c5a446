// SPDX-License-Identifier: GPL-2.0-or-later
/* iwarp-target: what a tester needs on the host of an RDMA device. */
#include "lab/target/roles.h"
#include "lab/target/trouble.h"

#include <stdio.h>

enum { FAILED = 1, USAGE = 2 };

int main(int argc, char **argv)
{
    struct target_options options;
    char why[512];

    setvbuf(stderr, NULL, _IOLBF, 0);
    switch (target_options_parse(&options, argc, argv, why, sizeof why)) {
    case OPTIONS_DONE:
        return 0;
    case OPTIONS_BAD:
        target_trouble_say("%s", why);
        return USAGE;
    case OPTIONS_RUN:
        break;
    }
    if (!trouble_device())
        return USAGE;
    return (options.connects ? initiator_run(&options) : responder_run(&options)) ? 0 : FAILED;
}
