// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/mpa/mpa_plugin.h"

#include "plugins/common/exports.h"

proto_plugin exported_plugin = {.register_protoinfo = mpa_register, .register_handoff = mpa_handoff};
