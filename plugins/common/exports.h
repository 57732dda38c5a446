/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What makes a shared object a plugin of Wireshark. */
#ifndef IWARP_PLUGINS_COMMON_EXPORTS_H
#define IWARP_PLUGINS_COMMON_EXPORTS_H

#include <epan/proto.h>

/* Each plugin has one: how it registers its protocols, and what it does once all plugins have. */
extern proto_plugin exported_plugin;

#endif
