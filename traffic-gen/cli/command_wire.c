// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/cli/command_wire.h"

#include "traffic-gen/live/verbs/verbs.h"
#include "traffic-gen/live/wire/wire.h"

bool command_wire_open(const struct command_wire *wire, const char *peer, int *status)
{
    const struct wire_options options = {wire->interface, wire->address, wire->gateway};
    g_autofree char *why = NULL;

    if (!wire->interface && (wire->address || wire->gateway))
        *status = command_fail("--wire-%s: only with --wire=IF", wire->address ? "address" : "gateway");
    else if (!wire->interface)
        return true;
    else if (verbs_address(peer))
        *status = command_fail("--wire: not with %s, as an RDMA device brings its own TCP or needs none", peer);
    else if (!wire->address)
        *status = command_fail("--wire=%s: needs --wire-address=ADDRESS/PREFIX, a free address of that network such as "
                               "10.9.0.2/24",
                               wire->interface);
    else if (!wire_open(&options, &why))
        *status = command_fail("--wire: %s", why);
    else
        return true;
    return false;
}

void command_wire_close(struct command_wire *wire)
{
    wire_close();
    g_free(wire->interface);
    g_free(wire->address);
    g_free(wire->gateway);
}
