/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Packets of a simulated network in memory, and views: captures that show a part of these packets. */
#ifndef IWARP_TRAFFIC_EXPLORE_SIMULATE_PACKETS_H
#define IWARP_TRAFFIC_EXPLORE_SIMULATE_PACKETS_H

#include "support/frames/capture_file.h"
#include "traffic-gen/explore/simulate/choose.h"

struct frame_in_memory {
    int64_t time_ns;
    size_t at, n;   /* its octets */
    uint8_t client; /* number of the host that talks with the server */
    bool to_client;
};

struct packets {
    GByteArray *octets;
    GArray *frames; /* struct frame_in_memory */
};

/* A capture of the packets: what it shows, in its order. Frame number i + 1 of the capture is packet shown[i]. */
struct view {
    GArray *shown;   /* unsigned: numbers of packets, from 0 */
    unsigned octets; /* of each packet; 0: all */
};

void packets_init(struct packets *packets);
void packets_clear(struct packets *packets);

/*
 * Plays the plan; *provoked: its fault was put into the conversation. False with *error (for g_free()) when a script
 * cannot be played.
 */
bool packets_play(const struct plan *plan, struct packets *packets, bool *provoked, char **error);

struct view *view_of_all(const struct packets *packets);
void view_free(struct view *view);
/* Writes it as a capture. False with errno set. */
bool view_write(const struct view *view, const struct packets *packets, const char *path);

static inline const struct frame_in_memory *packets_frame(const struct packets *packets, unsigned number)
{
    return &g_array_index(packets->frames, struct frame_in_memory, number);
}

static inline unsigned view_packet(const struct view *view, unsigned index)
{
    return g_array_index(view->shown, unsigned, index);
}

/* The octets of the packet that the view shows. */
static inline size_t view_captured(const struct view *view, const struct frame_in_memory *frame)
{
    return view->octets ? MIN(frame->n, view->octets) : frame->n;
}

#endif
