/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * RoCE and InfiniBand for every upper layer. Wireshark's InfiniBand dissector shows the transport; these files follow
 * its reliable connections in the same way as iwarp-check, and offer their payload to RPC-over-RDMA and to
 * plugins/ulp/.
 */
#ifndef IWARP_PLUGINS_IB_IB_PLUGIN_H
#define IWARP_PLUGINS_IB_IB_PLUGIN_H

#include "plugins/common/passed.h"

#include "engine/stack/stack_ib.h"

void ib_plugin_register(void);
void ib_plugin_handoff(void);

/* ---- ib_flow.c: connections and frames ---- */

struct ib_flow {
    struct stack_ib ib; /* first pass only; the first member, so that its events are those of the flow */
    struct connection connection;
    /* First pass only. */
    struct ib_rc_events up; /* into the stack */
    uint64_t repeats;       /* retransmissions up to this frame */
};

/* First pass; a second call for the same frame has no effect. */
void ib_flow_feed(const packet_info *pinfo);
/* For each frame of any protocol: the last frame determines the end time of the capture. */
void ib_flow_clock(const packet_info *pinfo);
/* NULL: the packet belongs to no known connection. Memory is of file scope. */
const struct ib_frame *ib_flow_frame(uint32_t number);
/* How the retransmission in that frame differs from the first transmission; NULL: it does not, or is none. */
const char *ib_flow_difference(uint32_t number);
/* Later passes: the packet was the only one of its queue pair, which was forgotten for lack of room. */
bool ib_flow_is_forgotten(uint32_t number);
/* One more than the highest number of a connection. */
uint32_t ib_flow_connections(void);
/* The first pass is over. */
void ib_flow_first_pass_over(void);
void ib_flow_register(void);

/* ib_follow.c */
void ib_follow_register(int proto);

/* ---- ib_others.c: the other dissectors of Wireshark's list ---- */

#define IB_LIST      "infiniband.payload"
#define IB_HEURISTIC "rdma_ib"

static inline bool ib_entry_is_enabled(const heur_dtbl_entry_t *entry)
{
    return entry->enabled && (!entry->protocol || proto_is_protocol_enabled(entry->protocol));
}

/* Removes the layer that Wireshark added for this plugin, which shows nothing itself. */
void ib_others_leave(packet_info *pinfo);
/* To be called after ib_others_leave(), before the plugin returns. */
void ib_others_return(packet_info *pinfo);
/*
 * Calls the other dissectors, except those of the protocol `except` (-1: all). True: one of them accepts the payload.
 */
bool ib_others_ask(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data, int except);
void ib_others_register(void);

#endif
