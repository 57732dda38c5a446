/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Times of day. */
#ifndef IWARP_SUPPORT_UTC_H
#define IWARP_SUPPORT_UTC_H

#include <glib.h>

/*
 * "2026-11-21T10:45:00.004512Z": nanoseconds since 1970, which may be negative, truncated to `decimals` decimals, 1 to
 * 9. g_free() it.
 */
gchar *utc_text(gint64 time_ns, unsigned decimals);

#endif
