// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/tester/suite/transport/pace.h"

#include "traffic-gen/tester/suite/transport/tcp_socket.h"

#include <glib.h>

enum { PACE_SLICE_US = 20000 };

struct pace {
    GMutex lock;
    int64_t between; /* in us, as the times below */
    int64_t next_at; /* when the next connection may be made */
};

struct pace *pace_new(int64_t between)
{
    struct pace *pace = g_new0(struct pace, 1);

    g_mutex_init(&pace->lock);
    pace->between = between / 1000;
    return pace;
}

void pace_free(struct pace *pace)
{
    if (!pace)
        return;
    g_mutex_clear(&pace->lock);
    g_free(pace);
}

/* When the caller may connect; moves the time for the next connection. */
static int64_t pace_turn(struct pace *pace)
{
    int64_t at;

    g_mutex_lock(&pace->lock);
    at = MAX(pace->next_at, g_get_monotonic_time());
    pace->next_at = at + pace->between;
    g_mutex_unlock(&pace->lock);
    return at;
}

int64_t pace_wait(struct pace *pace)
{
    const int64_t began = g_get_monotonic_time();
    int64_t at, now;

    if (!pace)
        return 0;
    at = pace_turn(pace);
    while ((now = g_get_monotonic_time()) < at && !suite_stopped)
        g_usleep((gulong)CLAMP(at - now, 1, PACE_SLICE_US));
    return (now - began) * 1000;
}
