// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/tester/suite/transport/lateness.h"

#include <glib.h>
#include <stdbool.h>

enum { SLEEP_US = 10000, NOTED_US = 20000, KEPT = 64 };

/* The latest delays. When a delay is dropped to make room, the next one kept includes it. */
struct delay {
    int64_t ended_us, us;
};

struct lateness {
    GThread *thread;
    GMutex lock;
    GCond changed;
    bool over;
    int64_t due_us; /* when the thread should wake up */
    struct delay delays[KEPT];
    unsigned n;
};

static gpointer measure(gpointer data)
{
    struct lateness *lateness = data;

    g_mutex_lock(&lateness->lock);
    while (!lateness->over) {
        int64_t now;

        lateness->due_us = g_get_monotonic_time() + SLEEP_US;
        g_cond_wait_until(&lateness->changed, &lateness->lock, lateness->due_us);
        now = g_get_monotonic_time();
        if (now - lateness->due_us > NOTED_US) {
            if (lateness->n == KEPT) {
                lateness->delays[1].us = MAX(lateness->delays[0].us, lateness->delays[1].us);
                for (unsigned i = 1; i < KEPT; i++)
                    lateness->delays[i - 1] = lateness->delays[i];
                lateness->n--;
            }
            lateness->delays[lateness->n++] = (struct delay){now, now - lateness->due_us};
        }
    }
    g_mutex_unlock(&lateness->lock);
    return NULL;
}

struct lateness *lateness_start(void)
{
    struct lateness *lateness = g_new0(struct lateness, 1);

    g_mutex_init(&lateness->lock);
    g_cond_init(&lateness->changed);
    lateness->due_us = g_get_monotonic_time() + SLEEP_US;
    lateness->thread = g_thread_new("lateness", measure, lateness);
    return lateness;
}

void lateness_stop(struct lateness *lateness)
{
    if (!lateness)
        return;
    g_mutex_lock(&lateness->lock);
    lateness->over = true;
    g_cond_signal(&lateness->changed);
    g_mutex_unlock(&lateness->lock);
    g_thread_join(lateness->thread);
    g_cond_clear(&lateness->changed);
    g_mutex_clear(&lateness->lock);
    g_free(lateness);
}

int64_t lateness_since(struct lateness *lateness, int64_t began)
{
    int64_t longest;

    if (!lateness)
        return 0;
    g_mutex_lock(&lateness->lock);
    longest = MAX(g_get_monotonic_time() - lateness->due_us, 0); /* overdue until now */
    for (unsigned i = 0; i < lateness->n; i++)
        if (lateness->delays[i].ended_us * 1000 > began)
            longest = MAX(longest, lateness->delays[i].us);
    g_mutex_unlock(&lateness->lock);
    return longest * 1000;
}
