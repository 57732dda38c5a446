// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/progress.h"

#include <stdio.h>
#include <unistd.h>

enum { BAR_WIDTH = 40, REDRAW_US = 100000, PATIENCE_US = 500000 };

void progress_init(struct progress *progress, size_t captures, enum tristate use)
{
    g_mutex_init(&progress->lock);
    progress->shown = use == ON || (use == UNKNOWN && isatty(STDERR_FILENO));
    progress->from = use == ON ? 0 : g_get_monotonic_time() + PATIENCE_US;
    progress->n = captures;
    progress->parts = g_new0(double, captures);
    progress->drawn = 0;
    progress->last_percent = -1;
}

static void progress_draw(struct progress *progress, gint64 now)
{
    double sum = 0;
    int percent, filled;

    for (size_t i = 0; i < progress->n; i++)
        sum += progress->parts[i];
    percent = (int)(100 * sum / (double)progress->n);
    if (percent == progress->last_percent)
        return;
    filled = percent * BAR_WIDTH / 100;
    fprintf(stderr, "\r[");
    for (int i = 0; i < BAR_WIDTH; i++)
        fputc(i < filled ? '#' : ' ', stderr);
    fprintf(stderr, "] %3d%%", percent);
    fflush(stderr);
    progress->drawn = now;
    progress->last_percent = percent;
}

void progress_tell(struct progress *progress, size_t capture, double part)
{
    gint64 now;

    if (!progress->shown || part < 0)
        return;
    now = g_get_monotonic_time();
    g_mutex_lock(&progress->lock);
    progress->parts[capture] = MIN(part, 1);
    if (now >= progress->from && (progress->drawn == 0 || now - progress->drawn >= REDRAW_US || part >= 1))
        progress_draw(progress, now);
    g_mutex_unlock(&progress->lock);
}

void progress_clear(struct progress *progress)
{
    if (progress->last_percent >= 0)
        fprintf(stderr, "\r%*s\r", BAR_WIDTH + 7, "");
    g_free(progress->parts);
    g_mutex_clear(&progress->lock);
}
