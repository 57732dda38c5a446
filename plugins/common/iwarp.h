/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The protocol "iWARP" has what all protocols of the plugins share: the preference whether rules are judged. */
#ifndef IWARP_PLUGINS_COMMON_IWARP_H
#define IWARP_PLUGINS_COMMON_IWARP_H

#include "plugins/common/compat.h"

/* Connections that begin from now on are checked against the standards. */
bool iwarp_judges(void);
void iwarp_register(void);

#endif
