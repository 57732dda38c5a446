/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options to run a command on our own TCP: --wire, --wire-address, --wire-gateway. */
#ifndef IWARP_TRAFFIC_CLI_COMMAND_WIRE_H
#define IWARP_TRAFFIC_CLI_COMMAND_WIRE_H

#include "traffic-gen/cli/command.h"
#include "traffic-gen/live/wire/wire.h"

struct command_wire {
    char *interface, *address, *gateway, *fault;
};

#define COMMAND_WIRE_ENTRIES(wire)                                                                                     \
    COMMAND_GROUP("Own TCP"), {"wire",                                                                                 \
                               0,                                                                                      \
                               0,                                                                                      \
                               G_OPTION_ARG_STRING,                                                                    \
                               &(wire)->interface,                                                                     \
                               "use our own TCP on this network interface, not the kernel's",                          \
                               "IF"},                                                                                  \
        {"wire-address",  0, 0, G_OPTION_ARG_STRING, &(wire)->address, "its address, which no other host has",         \
         "ADDRESS/PREFIX"},                                                                                            \
    {                                                                                                                  \
        "wire-gateway", 0, 0, G_OPTION_ARG_STRING, &(wire)->gateway, "the gateway to other networks", "ADDRESS"        \
    }

/*
 * Does nothing without --wire. peer: HOST:PORT of the command. The command ends with wire_close() in any case. False:
 * *status, and the message has been printed.
 */
bool command_wire_open(const struct command_wire *wire, const char *peer, int *status);

#endif
