// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/ib/ib_plugin.h"

#include "plugins/common/exports.h"

proto_plugin exported_plugin = {.register_protoinfo = ib_plugin_register, .register_handoff = ib_plugin_handoff};
