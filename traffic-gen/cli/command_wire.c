// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/cli/command_wire.h"

#include "traffic-gen/live/verbs/verbs.h"

static int fail_no_fault(const char *name)
{
    GString *names = g_string_new(NULL);

    for (unsigned i = 0; wire_fault_name(i); i++)
        g_string_append_printf(names, "%s%s", i ? ", " : "", wire_fault_name(i));
    command_fail("--wire-fault: '%s' is not one of %s", name, names->str);
    g_string_free(names, TRUE);
    return COMMAND_TROUBLE;
}

/* An option that only works with --wire; NULL: none is given. */
static const char *given_alone(const struct command_wire *wire)
{
    if (wire->interface)
        return NULL;
    if (wire->address)
        return "address";
    if (wire->gateway)
        return "gateway";
    return wire->fault ? "fault" : NULL;
}

bool command_wire_open(const struct command_wire *wire, const char *peer, int *status)
{
    const enum wire_fault fault = wire->fault ? wire_fault_find(wire->fault) : WIRE_FAULT_NONE;
    const struct wire_options options = {wire->interface, wire->address, wire->gateway, fault};
    const char *alone = given_alone(wire);
    g_autofree char *why = NULL;

    if (!alone && !wire->interface)
        return true;
    if (alone)
        *status = command_fail("--wire-%s: only with --wire=IF", alone);
    else if (verbs_address(peer))
        *status = command_fail("--wire: not with %s, as an RDMA device brings its own TCP or needs none", peer);
    else if (!wire->address)
        *status = command_fail("--wire=%s: needs --wire-address=ADDRESS/PREFIX, a free address of that network such as "
                               "10.9.0.2/24",
                               wire->interface);
    else if (wire->fault && fault == WIRE_FAULT_NONE)
        *status = fail_no_fault(wire->fault);
    else if (!wire_open(&options, &why))
        *status = command_fail("--wire: %s", why);
    else
        return true;
    return false;
}
