// SPDX-License-Identifier: GPL-2.0-or-later
#include "support/utc.h"

#include <stdbool.h>

gchar *utc_text(gint64 time_ns, unsigned decimals)
{
    enum { NS_PER_S = 1000000000 };
    bool before = time_ns % NS_PER_S < 0;
    gint64 seconds = time_ns / NS_PER_S - before;
    g_autoptr(GDateTime) time = g_date_time_new_from_unix_utc(seconds);
    g_autofree gchar *date = g_date_time_format(time, "%Y-%m-%dT%H:%M:%S");
    g_autofree gchar *part = g_strdup_printf("%09d", (int)(time_ns % NS_PER_S) + (before ? NS_PER_S : 0));

    return g_strdup_printf("%s.%.*sZ", date, (int)decimals, part);
}
