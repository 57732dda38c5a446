// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/suite/rpc_port.h"

const struct rpc_port *rpc_port_verbs(void)
{
    return NULL;
}
