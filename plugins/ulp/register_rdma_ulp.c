// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/ulp/ulp_plugin.h"

#include "plugins/common/exports.h"

proto_plugin exported_plugin = {.register_protoinfo = ulp_plugin_register, .register_handoff = ulp_plugin_handoff};
