// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/ddp_rdmap/rdmap_plugin.h"

#include "plugins/common/exports.h"

proto_plugin exported_plugin = {.register_protoinfo = rdmap_plugin_register, .register_handoff = rdmap_plugin_handoff};
