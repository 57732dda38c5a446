// SPDX-License-Identifier: GPL-2.0-or-later
/* The symbols that Wireshark looks up in the shared object. */
#include "plugins/common/exports.h"

#include "plugins/common/compat.h"

#define EXPORTED __attribute__((visibility("default")))

EXPORTED extern const char plugin_version[];
EXPORTED extern const int plugin_want_major;
EXPORTED extern const int plugin_want_minor;
EXPORTED void plugin_register(void);
EXPORTED uint32_t plugin_describe(void);

const char plugin_version[] = IWARP_KIT_VERSION;
const int plugin_want_major = WIRESHARK_VERSION_MAJOR;
const int plugin_want_minor = WIRESHARK_VERSION_MINOR;

void plugin_register(void)
{
    proto_register_plugin(&exported_plugin);
}

/* Called since 4.2; 1: a dissector (WS_PLUGIN_DESC_DISSECTOR). */
uint32_t plugin_describe(void)
{
    return 1;
}
