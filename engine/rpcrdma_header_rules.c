// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/rpcrdma_internal.h"

void rpcrdma_header_message(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *message)
{
    (void)rpcrdma;
    (void)message;
}
