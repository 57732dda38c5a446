// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Statistics: -z rpcrdma,tree (messages, sizes, chunks, credits) and -z rpcrdma,srt (response times by procedure); and
 * -z follow,rpcrdma (whole RPC messages, of a connection or of one of its transactions).
 */
#include "plugins/common/bins.h"
#include "plugins/common/follow.h"
#include "plugins/rpcrdma/rpcrdma_plugin.h"

#include <epan/conversation.h>
#include <epan/conversation_filter.h>
#include <epan/dissectors/packet-tcp.h>
#include <epan/proto_data.h>
#include <epan/srt_table.h>
#include <epan/tap.h>

enum { KINDS = RPCRDMA_REPLY_CHUNK + 1 };

/* What a tap listener receives for each Send. */
struct news {
    const char *message; /* "RDMA_MSG Call" */
    uint32_t octets;
    enum rpcrdma_kind kind;
    uint32_t credit, in_use;
    bool in_use_known;
    const struct kept_transaction *transaction; /* Calls: the offered memory */
    const char *procedure;                      /* answers: "NFS v3 READ"; NULL: unknown, or not the first answer */
    const uint64_t *operations;                 /* of such an answer: as in struct kept_transaction */
    bool callback;
    nstime_t call_time;
};

static int tap = -1, messages = -1;

static const char *const kind_names[] = {[RPCRDMA_KIND_UNKNOWN] = "",
                                         [RPCRDMA_KIND_CALL] = " Call",
                                         [RPCRDMA_KIND_REPLY] = " Reply",
                                         [RPCRDMA_KIND_ERROR] = ""};

static void take_off(nstime_t *time, int64_t ns)
{
    const nstime_t off = {.secs = (time_t)(ns / 1000000000), .nsecs = (int)(ns % 1000000000)};

    nstime_subtract(time, &off);
}

void rpcrdma_tap(struct rpcrdma_canvas *canvas)
{
    const struct kept_message *message = canvas->message;
    const struct kept_transaction *t = message->transaction;
    wmem_allocator_t *pool = canvas->pinfo->pool;
    struct news *news;

    if (!have_tap_listener(tap))
        return;
    news = wmem_new0(pool, struct news);
    news->message = message->empty ? "no octets"
                                   : wmem_strdup_printf(pool, "%s%s", rpcrdma_proc_name(canvas->header.proc),
                                                        kind_names[message->kind]);
    news->octets = tvb_reported_length(canvas->tvb);
    news->kind = message->kind;
    news->credit = canvas->header.credit;
    news->in_use = message->in_use;
    news->in_use_known = t != NULL;
    if (message->kind == RPCRDMA_KIND_CALL) {
        news->transaction = t;
    } else if (t && t->known && !message->repeated) {
        const struct nfs_procedure *procedure = nfs_procedure_find(t->program, t->version, t->procedure);

        news->procedure = rpcrdma_procedure_name(pool, t);
        news->operations = t->operations;
        news->callback = procedure && procedure->callback;
        news->call_time = canvas->pinfo->abs_ts; /* the start from which Wireshark computes the response time */
        take_off(&news->call_time, rpcrdma_response_ns(canvas));
    }
    tap_queue_packet(tap, canvas->pinfo, news);
}

/* ---- the transaction of a packet, for later requests ---- */

void rpcrdma_tap_belongs(const struct rpcrdma_canvas *canvas, const struct kept_transaction *t)
{
    if (canvas->root)
        p_set_proto_data(canvas->pinfo->pool, canvas->pinfo, rpcrdma_proto, 0, GUINT_TO_POINTER((unsigned)t->number));
}

unsigned rpcrdma_follow_transaction(packet_info *pinfo)
{
    return GPOINTER_TO_UINT(p_get_proto_data(pinfo->pool, pinfo, rpcrdma_proto, 0));
}

/* ---- -z follow,rpcrdma ---- */

/* What a follower receives for each RPC message. */
struct followed {
    tvbuff_t *message;
    uint64_t transaction;
};

void rpcrdma_tap_rpc(const struct rpcrdma_canvas *canvas, tvbuff_t *message)
{
    const struct kept_transaction *t =
        canvas->message ? canvas->message->transaction : canvas->segment->move->transaction;
    struct followed *news;

    if (!have_tap_listener(messages))
        return;
    news = wmem_new(canvas->pinfo->pool, struct followed);
    news->message = message;
    news->transaction = t ? t->number : 0;
    tap_queue_packet(messages, canvas->pinfo, news);
}

tap_packet_status rpcrdma_follow_packet(void *tapdata, packet_info *pinfo, epan_dissect_t *edt, const void *data,
                                        tap_flags_t flags)
{
    const follow_info_t *info = tapdata;
    const struct followed *news = data;

    if (info->substream_id != SUBSTREAM_UNUSED && info->substream_id != 0 && info->substream_id != news->transaction)
        return TAP_PACKET_DONT_REDRAW;
    return follow_tvb_tap_listener(tapdata, pinfo, edt, news->message, flags);
}

bool rpcrdma_follow_is_one(unsigned transaction)
{
    return transaction != 0 && transaction != UINT_MAX;
}

static char *filter_of_transaction(unsigned stream, unsigned transaction)
{
    char *connection = follow_filter_of_stream(stream, transaction), *both;

    if (!connection || !rpcrdma_follow_is_one(transaction))
        return connection;
    both = ws_strdup_printf("%s and rpcrdma.transaction == %u", connection, transaction);
    g_free(connection);
    return both;
}

static char *filter_of_packet(epan_dissect_t *edt, packet_info *pinfo, unsigned *stream, unsigned *transaction)
{
    char *connection = follow_filter_of_packet(edt, pinfo, stream, transaction);

    if (!connection)
        return NULL;
    g_free(connection);
    *transaction = rpcrdma_follow_transaction(pinfo);
    return filter_of_transaction(*stream, *transaction);
}

bool rpcrdma_follow_find(uint64_t transactions, unsigned number, bool before, unsigned *found)
{
    *found = number > transactions ? (unsigned)transactions : number;
    return number <= transactions || (before && transactions > 0);
}

static compat_bool find_transaction(unsigned stream, unsigned number, compat_bool before, unsigned *found)
{
    return rpcrdma_follow_find(rpcrdma_flow_transactions(false, stream), number, before, found);
}

/* ---- Conversation Filter: a transaction with the operations that move its data, on TCP ---- */

static compat_bool has_transaction(COMPAT_OF_PACKET)
{
    return pinfo->ptype == PT_TCP && rpcrdma_follow_is_one(rpcrdma_follow_transaction(pinfo)) &&
           find_conversation_pinfo(pinfo, 0);
}

static char *filter_of_selected(COMPAT_OF_PACKET)
{
    const struct tcp_analysis *tcp = get_tcp_conversation_data(find_conversation_pinfo(pinfo, 0), pinfo);

    return tcp ? filter_of_transaction(tcp->stream, rpcrdma_follow_transaction(pinfo)) : NULL;
}

/* ---- -z rpcrdma,tree ---- */

static const char node_messages[] = "Messages", node_sizes[] = "Inline sizes", node_credits[] = "Credits";
static const char node_requested[] = "requested", node_granted[] = "granted", node_in_use[] = "in use";
static const char *const node_chunks[KINDS] = {"Read chunk sizes", "Write chunk sizes", "Reply chunk sizes"};
static int at_messages, at_credits;

static void rpcrdma_tap_tree_init(stats_tree *tree)
{
    at_messages = stats_tree_create_node(tree, node_messages, 0, STAT_DT_INT, TRUE);
    at_credits = stats_tree_create_node(tree, node_credits, 0, STAT_DT_INT, TRUE);
    stats_tree_create_node(tree, node_requested, at_credits, STAT_DT_INT, FALSE);
    stats_tree_create_node(tree, node_granted, at_credits, STAT_DT_INT, FALSE);
    stats_tree_create_node(tree, node_in_use, at_credits, STAT_DT_INT, FALSE);
}

static tap_packet_status rpcrdma_tap_tree_packet(stats_tree *tree, packet_info *pinfo, epan_dissect_t *edt,
                                                 const void *data, tap_flags_t flags)
{
    const struct news *news = data;

    (void)pinfo, (void)edt, (void)flags;
    tick_stat_node(tree, node_messages, 0, TRUE);
    tick_stat_node(tree, news->message, at_messages, FALSE);
    if (news->octets > 0)
        bins_add(tree, node_sizes, 0, news->octets);
    if (news->kind == RPCRDMA_KIND_CALL || news->kind == RPCRDMA_KIND_REPLY)
        tick_stat_node(tree, node_credits, 0, TRUE); /* by hand: averages do not count in the node above */
    if (news->kind == RPCRDMA_KIND_CALL)
        avg_stat_node_add_value_int(tree, node_requested, at_credits, FALSE, bins_bounded(news->credit));
    if (news->kind == RPCRDMA_KIND_REPLY)
        avg_stat_node_add_value_int(tree, node_granted, at_credits, FALSE, bins_bounded(news->credit));
    if (news->kind == RPCRDMA_KIND_CALL && news->in_use_known)
        avg_stat_node_add_value_int(tree, node_in_use, at_credits, FALSE, bins_bounded(news->in_use));
    for (unsigned i = 0; news->transaction && i < news->transaction->n_chunks; i++) {
        const struct kept_chunk *chunk = &news->transaction->chunks[i];

        bins_add(tree, node_chunks[chunk->kind], 0, chunk->length);
    }
    return TAP_PACKET_REDRAW;
}

/* ---- -z rpcrdma,srt ---- */

static void rpcrdma_tap_times_init(struct register_srt *srt, GArray *tables)
{
    (void)srt;
    init_srt_table("RPC-over-RDMA", NULL, tables, 0, "Procedure", NULL, NULL);
}

/* The row of this procedure, created with its first answer. */
static int rpcrdma_tap_row_of(srt_stat_table *table, const char *procedure)
{
    int row = 0;

    while (row < table->num_procs && strcmp(table->procedures[row].procedure, procedure) != 0)
        row++;
    if (row == table->num_procs)
        init_srt_table_row(table, row, procedure);
    return row;
}

/* "NFS v4 COMPOUND with READ" */
static const char *operation_name(wmem_allocator_t *pool, const struct news *news, uint32_t op)
{
    const char *name = nfs_op_name(op, news->callback);

    return name ? wmem_strdup_printf(pool, "%s with %s", news->procedure, name)
                : wmem_strdup_printf(pool, "%s with operation %" G_GUINT32_FORMAT, news->procedure, op);
}

static tap_packet_status rpcrdma_tap_times_packet(void *data, packet_info *pinfo, epan_dissect_t *edt, const void *item,
                                                  tap_flags_t flags)
{
    const srt_data_t *times = data;
    const struct news *news = item;
    srt_stat_table *table;

    (void)edt, (void)flags;
    if (!news->procedure)
        return TAP_PACKET_DONT_REDRAW;
    table = g_array_index(times->srt_array, srt_stat_table *, 0);
    add_srt_table_data(table, rpcrdma_tap_row_of(table, news->procedure), &news->call_time, pinfo);
    for (uint32_t op = 0; op < KEPT_OPERATIONS_MAX; op++) {
        if (news->operations[op / 64] >> op % 64 & 1)
            add_srt_table_data(table, rpcrdma_tap_row_of(table, operation_name(pinfo->pool, news, op)),
                               &news->call_time, pinfo);
    }
    return TAP_PACKET_REDRAW;
}

/* ---- registration ---- */

void rpcrdma_tap_register(void)
{
    tap = register_tap("rpcrdma");
    messages = register_tap(RPCRDMA_FOLLOW);
    compat_register_follow_stream(rpcrdma_proto, RPCRDMA_FOLLOW, filter_of_packet, filter_of_transaction,
                                  follow_filter_of_addresses, follow_name_of_port, rpcrdma_follow_packet,
                                  get_tcp_stream_count, find_transaction);
    compat_register_conversation_filter("rpcrdma", "RPC-over-RDMA transaction", has_transaction, filter_of_selected);
    register_srt_table(rpcrdma_proto, "rpcrdma", 1, rpcrdma_tap_times_packet, rpcrdma_tap_times_init, NULL);
}

void rpcrdma_tap_handoff(void)
{
    stats_tree_register_plugin("rpcrdma", "rpcrdma", "RPC-over-RDMA", 0, rpcrdma_tap_tree_packet, rpcrdma_tap_tree_init,
                               NULL);
}
