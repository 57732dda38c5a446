/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes a shared object a Wireshark plugin. */
#ifndef IWARP_PLUGINS_COMMON_EXPORTS_H
#define IWARP_PLUGINS_COMMON_EXPORTS_H

#include <epan/proto.h>

/* Each plugin defines this: how to register its protocols, and what to do once all plugins have registered. */
extern proto_plugin exported_plugin;

#endif
