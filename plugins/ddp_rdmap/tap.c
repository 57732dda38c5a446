// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Statistics: -z rdmap,tree (messages, sizes, directions) and -z rdmap,srt (response times of Reads and Atomics); and
 * -z follow,rdmap (the octets of the Sends).
 */
#include "plugins/common/bins.h"
#include "plugins/common/follow.h"
#include "plugins/ddp_rdmap/rdmap_plugin.h"

#include <epan/dissectors/packet-tcp.h>
#include <epan/srt_table.h>
#include <epan/tap.h>

enum response { RESPONSE_NONE = -1, RESPONSE_READ, RESPONSE_FETCH_ADD, RESPONSE_CMP_SWAP, RESPONSES };

/* What a tap listener receives for each DDP Segment. */
struct news {
    const char *name; /* of the opcode */
    enum direction direction;
    uint32_t payload;
    bool ends;       /* L = 1: the message counts */
    uint64_t octets; /* of the message */
    enum response response;
    nstime_t request_time;
};

static const char *const response_names[RESPONSES] = {"RDMA Read", "FetchAdd", "CmpSwap"};
static const char *const direction_names[] = {"to the Responder", "to the Initiator", "unknown direction"};
static int tap = -1, sends = -1;

static enum response response_of(const struct rdmap_canvas *canvas, const struct rdmap_op *op)
{
    if (!canvas->ddp->last)
        return RESPONSE_NONE;
    if (canvas->ddp->opcode == RDMAP_READ_RESPONSE && op->kind == RDMAP_OP_READ)
        return RESPONSE_READ;
    if (canvas->ddp->opcode != RDMAP_ATOMIC_RESPONSE || !op->atomic)
        return RESPONSE_NONE;
    switch (op->atomic->atomic.opcode) {
    case RDMAP_ATOMIC_FETCH_ADD:
        return RESPONSE_FETCH_ADD;
    case RDMAP_ATOMIC_CMP_SWAP:
        return RESPONSE_CMP_SWAP;
    default:
        return RESPONSE_NONE;
    }
}

void rdmap_tap(struct rdmap_canvas *canvas)
{
    const struct rdmap_seg *seg = canvas->seg;
    struct news *news;

    if (!have_tap_listener(tap) || !canvas->passed || !seg || !seg->told)
        return;
    news = wmem_new0(canvas->pinfo->pool, struct news);
    news->name = canvas->info ? canvas->info->name : "unassigned opcode";
    news->direction = canvas->passed->direction;
    news->payload = (uint32_t)canvas->ddp->payload_len;
    news->ends = canvas->ddp->last;
    news->octets = seg->message_octets;
    news->response = RESPONSE_NONE;
    if (seg->answerable) {
        news->response = response_of(canvas, seg->op);
        news->request_time.secs = seg->op->time_ns / 1000000000;
        news->request_time.nsecs = (int)(seg->op->time_ns % 1000000000);
    }
    tap_queue_packet(tap, canvas->pinfo, news);
}

void rdmap_tap_send(const struct rdmap_canvas *canvas, tvbuff_t *message)
{
    if (have_tap_listener(sends))
        tap_queue_packet(sends, canvas->pinfo, message);
}

/* ---- -z rdmap,tree ---- */

static const char node_messages[] = "Messages", node_sizes[] = "Message sizes", node_octets[] = "Payload octets";
static int at_messages, at_octets;

static void tap_tree_init(stats_tree *tree)
{
    at_messages = stats_tree_create_node(tree, node_messages, 0, STAT_DT_INT, TRUE);
    at_octets = stats_tree_create_node(tree, node_octets, 0, STAT_DT_INT, TRUE);
}

static tap_packet_status tap_tree_packet(stats_tree *tree, packet_info *pinfo, epan_dissect_t *edt, const void *data,
                                         tap_flags_t flags)
{
    const struct news *news = data;
    const char *direction = direction_names[news->direction];
    int node;

    (void)pinfo, (void)edt, (void)flags;
    increase_stat_node(tree, node_octets, 0, TRUE, (int)news->payload);
    node = increase_stat_node(tree, direction, at_octets, TRUE, (int)news->payload);
    increase_stat_node(tree, news->name, node, FALSE, (int)news->payload);
    if (!news->ends)
        return TAP_PACKET_REDRAW;
    tick_stat_node(tree, node_messages, 0, TRUE);
    node = tick_stat_node(tree, direction, at_messages, TRUE);
    tick_stat_node(tree, news->name, node, FALSE);
    bins_add(tree, node_sizes, 0, news->octets);
    return TAP_PACKET_REDRAW;
}

/* ---- -z rdmap,srt ---- */

static void tap_times_init(struct register_srt *srt, GArray *tables)
{
    srt_stat_table *table = init_srt_table("RDMAP", NULL, tables, RESPONSES, "Operation", "rdmap.opcode", NULL);

    (void)srt;
    for (int i = 0; i < RESPONSES; i++)
        init_srt_table_row(table, i, response_names[i]);
}

static tap_packet_status tap_times_packet(void *data, packet_info *pinfo, epan_dissect_t *edt, const void *item,
                                          tap_flags_t flags)
{
    const srt_data_t *times = data;
    const struct news *news = item;

    (void)edt, (void)flags;
    if (news->response == RESPONSE_NONE)
        return TAP_PACKET_DONT_REDRAW;
    add_srt_table_data(g_array_index(times->srt_array, srt_stat_table *, 0), news->response, &news->request_time,
                       pinfo);
    return TAP_PACKET_REDRAW;
}

/* ---- registration ---- */

void rdmap_tap_register(void)
{
    tap = register_tap("rdmap");
    sends = register_tap("rdmap_follow");
    compat_register_follow_stream(rdmap_proto, "rdmap_follow", follow_filter_of_packet, follow_filter_of_stream,
                                  follow_filter_of_addresses, follow_name_of_port, follow_tvb_tap_listener,
                                  get_tcp_stream_count, NULL);
    register_srt_table(rdmap_proto, "rdmap", 1, tap_times_packet, tap_times_init, NULL);
}

void rdmap_tap_handoff(void)
{
    stats_tree_register_plugin("rdmap", "rdmap", "RDMAP", 0, tap_tree_packet, tap_tree_init, NULL);
}
