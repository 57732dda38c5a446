// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/check/check_budget.h"

#include <inttypes.h>

struct sums {
    GArray *connections;      /* struct weight */
    GArray *ended, *unpaired; /* uint32_t: frames */
    GArray *held;             /* size_t */
    size_t octets, awake_octets, held_octets;
};

/* A connection. */
struct weight {
    uint32_t frame;
    bool parked;
    size_t octets;
};

static void add_frame(GArray *frames, uint32_t frame)
{
    g_array_append_val(frames, frame);
}

static void on_connection(void *ctx, uint32_t frame, size_t octets, bool parked)
{
    struct sums *sums = ctx;
    struct weight weight = {frame, parked, octets};

    g_array_append_val(sums->connections, weight);
    sums->octets += octets;
    sums->awake_octets += parked ? 0 : octets;
}

static void budget_on_ended(void *ctx, uint32_t frame)
{
    add_frame(((struct sums *)ctx)->ended, frame);
}

static void on_unpaired(void *ctx, uint32_t frame)
{
    add_frame(((struct sums *)ctx)->unpaired, frame);
}

static void on_held(void *ctx, size_t octets)
{
    struct sums *sums = ctx;

    g_array_append_val(sums->held, octets);
    sums->held_octets += octets;
}

static gint budget_by_frame(gconstpointer a, gconstpointer b)
{
    uint32_t first = *(const uint32_t *)a, second = *(const uint32_t *)b;

    return (first > second) - (first < second);
}

static gint largest_first(gconstpointer a, gconstpointer b)
{
    size_t first = *(const size_t *)a, second = *(const size_t *)b;

    return (first < second) - (first > second);
}

static gint latest_first(gconstpointer a, gconstpointer b)
{
    const struct weight *first = a, *second = b;

    return (first->frame < second->frame) - (first->frame > second->frame);
}

/* The frame up to which idle connections are dropped, so that an eighth is free again; 0: there is room for all. */
static uint32_t line_of_connections(struct sums *sums, size_t most)
{
    size_t kept = 0;

    if (sums->octets <= most)
        return 0;
    g_array_sort(sums->connections, latest_first);
    for (guint i = 0; i < sums->connections->len; i++) {
        const struct weight *weight = &g_array_index(sums->connections, struct weight, i);

        if (kept + weight->octets > most - most / 8) {
            sums->octets = kept;
            return weight->frame;
        }
        kept += weight->octets;
    }
    return 0;
}

/* The frame up to which idle connections are parked, so that the others take at most `awake` octets; 0: none. */
static uint32_t line_of_parked(struct sums *sums, size_t awake)
{
    size_t kept = 0;

    g_array_sort(sums->connections, latest_first);
    for (guint i = 0; i < sums->connections->len; i++) {
        const struct weight *weight = &g_array_index(sums->connections, struct weight, i);

        kept += weight->parked ? 0 : weight->octets;
        if (kept > awake)
            return weight->frame;
    }
    return 0;
}

/* The frame up to which entries are dropped, so that an eighth of `most` is free again; 0: there are at most `most`. */
static uint32_t line_of(GArray *frames, unsigned most)
{
    if (frames->len <= most)
        return 0;
    g_array_sort(frames, budget_by_frame);
    return g_array_index(frames, uint32_t, frames->len - (most - most / 8) - 1);
}

/* The size above which a holder drops its packets, so that a quarter is free again; SIZE_MAX: there is room for all. */
static size_t line_of_held(struct sums *sums, size_t most)
{
    size_t line = SIZE_MAX;

    if (sums->held_octets <= most)
        return SIZE_MAX;
    g_array_sort(sums->held, largest_first);
    for (guint i = 0; i < sums->held->len && sums->held_octets > most - most / 4; i++) {
        line = g_array_index(sums->held, size_t, i);
        sums->held_octets -= line;
    }
    return line;
}

/* How many packets may come before the sums are computed again: each packet adds at most `each` to what is used. */
static uint32_t packets_until(size_t left, size_t most, size_t each)
{
    return (uint32_t)MIN(MAX(MAX(left, most / BUDGET_STEPS) / each, BUDGET_STEP), UINT32_MAX);
}

/* Plans the next computation, so that limits are exceeded by at most one step. */
static void plan(struct budget *budget, const struct sums *sums)
{
    size_t left = budget->connections > sums->octets ? budget->connections - sums->octets : 0;
    size_t unpaired = budget->unpaired > sums->unpaired->len ? budget->unpaired - sums->unpaired->len : 0;
    size_t held = sums->held_octets < budget->held ? budget->held - sums->held_octets : 0;

    budget->packets =
        MIN(packets_until(left, budget->connections, BUDGET_AWAKE), packets_until(unpaired, budget->unpaired, 1));
    budget->octets = (int64_t)MAX(held, budget->held / BUDGET_STEPS);
}

void budget_init(struct budget *budget, size_t limit)
{
    *budget = (struct budget){.limit = limit > 0 ? limit : BUDGET_DEFAULT};
    budget->held = budget->limit / BUDGET_HELD;
    budget->connections = MAX(budget->limit - budget->limit / 8, (size_t)BUDGET_LEAST * BUDGET_AWAKE);
    budget->ended = (unsigned)CLAMP(budget->limit / BUDGET_CONNECTION, BUDGET_LEAST, UINT32_MAX);
    budget->unpaired = (unsigned)CLAMP(budget->limit / BUDGET_UNPAIRED, BUDGET_LEAST, UINT32_MAX);
    budget->packets = MIN(packets_until(budget->connections, 0, BUDGET_AWAKE), budget->unpaired);
    budget->octets = (int64_t)budget->held;
}

static void sums_clear(struct sums *sums)
{
    g_array_unref(sums->connections);
    g_array_unref(sums->ended);
    g_array_unref(sums->unpaired);
    g_array_unref(sums->held);
}

static void budget_add_up(const struct budget *budget, struct sums *sums, struct share_listed *listed,
                          struct share *const *shares, unsigned n)
{
    const struct share_visit visit = {{sums, budget_on_ended, on_unpaired, on_held}, on_connection};

    *listed = (struct share_listed){0};
    *sums = (struct sums){.connections = g_array_new(FALSE, FALSE, sizeof(struct weight)),
                          .ended = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
                          .unpaired = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
                          .held = g_array_new(FALSE, FALSE, sizeof(size_t))};
    for (unsigned i = 0; i < n; i++)
        if (shares[i])
            share_kept(shares[i], &visit, listed);
    listed->full = listed->octets > budget->limit / BUDGET_LISTED;
    listed->overfull = listed->octets > budget->limit / BUDGET_LISTED * 2;
}

/* Computes the sums. Near the limit, idle connections are parked before any is dropped. */
static void add_up_parked(const struct budget *budget, struct sums *sums, struct share_listed *listed,
                          struct share *const *shares, unsigned n)
{
    uint32_t line;

    budget_add_up(budget, sums, listed, shares, n);
    if (sums->octets <= budget->connections / 2 || sums->awake_octets <= budget->connections / BUDGET_AWAKE_PART)
        return;
    line = line_of_parked(sums, budget->connections / BUDGET_AWAKE_PART / 2);
    for (unsigned i = 0; i < n; i++)
        if (shares[i])
            share_park(shares[i], line);
    sums_clear(sums);
    budget_add_up(budget, sums, listed, shares, n);
}

void budget_settle(struct budget *budget, struct share *const *shares, unsigned n, uint32_t frame, int64_t now_ns)
{
    struct sums sums;
    struct kept_limits limits;
    struct share_listed listed;

    add_up_parked(budget, &sums, &listed, shares, n);
    limits = (struct kept_limits){.connection = line_of_connections(&sums, budget->connections),
                                  .ended = line_of(sums.ended, budget->ended),
                                  .unpaired = line_of(sums.unpaired, budget->unpaired),
                                  .held = line_of_held(&sums, budget->held)};
    if ((limits.connection > 0 || limits.unpaired > 0) && budget->cut_short_frame == 0)
        budget->cut_short_frame = frame;
    if (limits.held < SIZE_MAX && budget->held_frame == 0)
        budget->held_frame = frame;
    for (unsigned i = 0; i < n; i++)
        if (shares[i])
            share_trim(shares[i], &limits, &listed, now_ns);
    plan(budget, &sums);
    sums_clear(&sums);
}

/* ---- messages ---- */

/* In the unit that the user gave. */
static gchar *size_text(size_t size)
{
    bool whole = size % (1 << 20) == 0;

    return g_strdup_printf("%zu %s", size >> (whole ? 20 : 10), whole ? "MiB" : "KiB");
}

gchar *budget_cut_short_text(const struct budget *budget, const char *file, uint64_t n)
{
    g_autofree gchar *size = size_text(budget->limit);

    return g_strdup_printf("%s: too many simultaneous connections for the memory limit of %s: from frame %" PRIu32
                           " on, a connection was judged only up to that frame, or not at all, %" PRIu64
                           " time%s; raise --memory-limit, or check fewer connections",
                           file, size, budget->cut_short_frame, n, n == 1 ? "" : "s");
}

gchar *budget_held_text(const struct budget *budget, const char *file)
{
    g_autofree gchar *size = size_text(budget->limit);

    return g_strdup_printf("%s: the memory limit of %s was reached at frame %" PRIu32
                           ": connections with most packets that waited for missing ones were judged without these",
                           file, size, budget->held_frame);
}
