// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/rpcrdma/rpcrdma_plugin.h"

#include "plugins/common/exports.h"

proto_plugin exported_plugin = {.register_protoinfo = rpcrdma_plugin_register,
                                .register_handoff = rpcrdma_plugin_handoff};
