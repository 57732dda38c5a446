// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/explore/simulate/distort.h"

enum { DISTORTIONS_MAX = 3 };

static struct distortion distort_choose_one(struct random_source *random, unsigned packets)
{
    /* Loss is the most frequent trouble, and hides the most. */
    static const enum distortion_kind kinds[] = {DISTORT_LOSE, DISTORT_LOSE,   DISTORT_LOSE, DISTORT_LOSE,
                                                 DISTORT_LATE, DISTORT_CUT,    DISTORT_SNAP, DISTORT_DOUBLE,
                                                 DISTORT_SWAP, DISTORT_ONE_WAY};
    static const unsigned snaps[] = {54, 66, 90, 128, 200, 300}, bursts[] = {1, 1, 1, 1, 2, 3, 8};
    struct distortion distortion = {.kind = kinds[random_below(random, G_N_ELEMENTS(kinds))],
                                    .at = (unsigned)random_below(random, packets)};

    switch (distortion.kind) {
    case DISTORT_LOSE:
    case DISTORT_DOUBLE:
        distortion.n = bursts[random_below(random, G_N_ELEMENTS(bursts))];
        break;
    case DISTORT_SNAP:
        distortion.n = snaps[random_below(random, G_N_ELEMENTS(snaps))];
        break;
    case DISTORT_ONE_WAY:
        distortion.n = (unsigned)random_below(random, 2);
        break;
    case DISTORT_LATE:
    case DISTORT_CUT:
    case DISTORT_SWAP:
        break;
    }
    return distortion;
}

GArray *distort_choose(struct random_source *random, unsigned packets)
{
    GArray *distortions = g_array_new(FALSE, FALSE, sizeof(struct distortion));

    if (packets == 0 || random_chance(random, 0.3))
        return distortions;
    do {
        const struct distortion distortion = distort_choose_one(random, packets);

        g_array_append_val(distortions, distortion);
    } while (distortions->len < DISTORTIONS_MAX && random_chance(random, 0.3));
    return distortions;
}

static bool distort_loses(const struct distortion *distortion, unsigned packet, const struct frame_in_memory *frame)
{
    switch (distortion->kind) {
    case DISTORT_LOSE:
        return packet >= distortion->at && packet - distortion->at < distortion->n;
    case DISTORT_LATE:
        return packet < distortion->at;
    case DISTORT_CUT:
        return packet >= distortion->at;
    case DISTORT_ONE_WAY:
        return frame->to_client == (distortion->n == 0);
    case DISTORT_SNAP:
    case DISTORT_DOUBLE:
    case DISTORT_SWAP:
        break;
    }
    return false;
}

static void distort_remove(const struct distortion *distortion, const struct packets *packets, struct view *view)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < view->shown->len; i++) {
        unsigned packet = view_packet(view, i);

        if (!distort_loses(distortion, packet, packets_frame(packets, packet)))
            g_array_index(view->shown, unsigned, kept++) = packet;
    }
    g_array_set_size(view->shown, kept);
}

static void distort_double(const struct distortion *distortion, struct view *view)
{
    for (unsigned i = 0; i < view->shown->len; i++) {
        unsigned packet = view_packet(view, i);

        if (packet >= distortion->at && packet - distortion->at < distortion->n)
            g_array_insert_val(view->shown, ++i, packet);
    }
}

/* The packet and the next one that the same side sent to the same peer change places. */
static void distort_swap(const struct distortion *distortion, const struct packets *packets, struct view *view)
{
    const struct frame_in_memory *first = packets_frame(packets, distortion->at);
    unsigned at = 0, to;

    while (at < view->shown->len && view_packet(view, at) != distortion->at)
        at++;
    for (to = at + 1; to < view->shown->len; to++) {
        const struct frame_in_memory *frame = packets_frame(packets, view_packet(view, to));

        if (frame->client == first->client)
            break;
    }
    if (to < view->shown->len && packets_frame(packets, view_packet(view, to))->to_client == first->to_client) {
        unsigned other = view_packet(view, to);

        g_array_index(view->shown, unsigned, to) = distortion->at;
        g_array_index(view->shown, unsigned, at) = other;
    }
}

void distort(const GArray *distortions, const struct packets *packets, struct view *view)
{
    for (unsigned i = 0; i < distortions->len; i++) {
        const struct distortion *distortion = &g_array_index(distortions, struct distortion, i);

        if (distortion->kind == DISTORT_SNAP)
            view->octets = view->octets ? MIN(view->octets, distortion->n) : distortion->n;
        else if (distortion->kind == DISTORT_DOUBLE)
            distort_double(distortion, view);
        else if (distortion->kind == DISTORT_SWAP)
            distort_swap(distortion, packets, view);
        else
            distort_remove(distortion, packets, view);
    }
}

void distort_append_text(GString *out, const struct distortion *distortion)
{
    unsigned first = distortion->at + 1, last = distortion->at + distortion->n;

    switch (distortion->kind) {
    case DISTORT_LOSE:
        g_string_append_printf(out, "frames %u to %u are not captured", first, last);
        break;
    case DISTORT_LATE:
        g_string_append_printf(out, "the capture begins with frame %u", first);
        break;
    case DISTORT_CUT:
        g_string_append_printf(out, "the capture ends before frame %u", first);
        break;
    case DISTORT_ONE_WAY:
        g_string_append_printf(out, "only packets %s the clients are captured", distortion->n ? "to" : "from");
        break;
    case DISTORT_SNAP:
        g_string_append_printf(out, "%u octets of each packet are captured", distortion->n);
        break;
    case DISTORT_DOUBLE:
        g_string_append_printf(out, "frames %u to %u are captured twice", first, last);
        break;
    case DISTORT_SWAP:
        g_string_append_printf(out, "frame %u is captured after the next one of its side", first);
        break;
    }
}
