// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/rpcrdma/flow.h"
#include "plugins/common/keep.h"

#include "plugins/rpcrdma/ib_flow.h"

#include <epan/wmem_scopes.h>

enum { ENDED_MAX = 4096 /* judged together; each takes at most some 7 KiB */ };

static wmem_map_t *flows; /* connection -> struct rpcrdma_flow; emptied with the file */
static void *past;        /* of rpcrdma_ulp.across; NULL: memory is lacking */
static GPtrArray *ended;  /* struct rpcrdma_flow that have not been judged against the past yet */

struct rpcrdma_flow *rpcrdma_flow_find(uint32_t connection)
{
    return wmem_map_lookup(flows, GUINT_TO_POINTER(connection));
}

const struct kept_segment *rpcrdma_flow_segment(const struct rpcrdma_flow *flow, const struct place *place)
{
    return (const struct kept_segment *)judge_at(&flow->judge, place);
}

struct kept_segment *rpcrdma_flow_change(struct rpcrdma_flow *flow, const struct place *place)
{
    return (struct kept_segment *)judge_change_at(&flow->judge, place);
}

/* ---- segments that follow from others ---- */

/* A segment that is made, with room for the structures to which it points. */
struct made_segment {
    struct kept_segment segment;
    struct kept_move move;
};

/* The segments of an RDMA operation differ only in the place in the chunk. */
static void nth_segment(const struct record *first_record, const struct record *second_record, unsigned n,
                        struct record *out)
{
    const struct kept_segment *first = (const struct kept_segment *)first_record;
    const struct kept_segment *second = (const struct kept_segment *)second_record;
    struct made_segment *made = (struct made_segment *)out;

    if (!first->move || !second->move)
        return;
    made->move = *first->move;
    made->move.offset += n * (second->move->offset - first->move->offset);
    made->segment.move = &made->move;
}

static bool same_move(const struct kept_move *a, const struct kept_move *b)
{
    if (!a || !b)
        return a == b;
    return a->transaction == b->transaction && a->chunk == b->chunk && a->offer == b->offer && !a->request &&
           !b->request && a->offset == b->offset && a->length == b->length && !a->completes && !b->completes &&
           a->operation == b->operation;
}

static bool same_segment(const struct record *made, const struct record *record)
{
    const struct kept_segment *a = (const struct kept_segment *)made, *b = (const struct kept_segment *)record;

    return !a->message && !b->message && !a->packet && !b->packet && a->side == b->side && same_move(a->move, b->move);
}

static void keep_segment(struct record *made)
{
    struct kept_segment *segment = (struct kept_segment *)made;

    if (segment->move)
        segment->move = wmem_memdup(wmem_file_scope(), segment->move, sizeof *segment->move);
}

static union record_room made_room;
static const struct run_pattern pattern = {
    .nth = nth_segment, .same = same_segment, .keep = keep_segment, .room = &made_room};
_Static_assert(sizeof(struct made_segment) <= RECORD_MAX, "room for a record that is made");

/* The record of the latest segment is complete. */
static void rpcrdma_flow_settle(struct rpcrdma_flow *flow)
{
    struct kept_segment *segment = flow->latest_segment;
    struct kept_move *move = segment ? segment->move : NULL;

    flow->latest_segment = NULL;
    if (segment && judge_settle(&flow->judge, &segment->record, segment->side) && move)
        flow->spare_move = move;
}

static struct kept_segment *segment_new(struct rpcrdma_flow *flow, const struct place *place)
{
    struct kept_segment *segment = rpcrdma_flow_change(flow, place);

    if (segment)
        return segment;
    rpcrdma_flow_settle(flow);
    segment = flow->latest_segment = judge_new(&flow->judge, sizeof *segment);
    segment->side = place->side;
    if (flow->infiniband) {
        segment->packet = keep_new(sizeof *segment->packet);
        segment->packet->time_ns = place->time_ns;
        segment->packet->own_frame = place->first_frame != 0 ? place->first_frame : place->frame;
    }
    judge_keep(&flow->judge, &segment->record, place);
    if (flow->infiniband)
        rpcrdma_ib_keep(segment);
    return segment;
}

/* ---- events of the engine ---- */

static void rpcrdma_flow_on_message(void *ctx, const struct rpcrdma_message *message)
{
    struct rpcrdma_flow *flow = ctx;

    rpcrdma_record_message(flow, message);
    if (flow->infiniband) {
        rpcrdma_ib_close_send(flow, message);
        rpcrdma_ib_note_untold(flow, rpcrdma_flow_change(flow, &message->place));
    }
}

static void rpcrdma_flow_on_move(void *ctx, const struct rpcrdma_move *move)
{
    struct rpcrdma_flow *flow = ctx;

    rpcrdma_record_move(flow, move);
    if (flow->infiniband)
        rpcrdma_ib_note_untold(flow, rpcrdma_flow_change(flow, &move->place));
}

static void rpcrdma_flow_on_payload(void *ctx, const struct rpcrdma_payload *payload)
{
    (void)ctx;
    rpcrdma_record_payload(payload);
}

static void rpcrdma_flow_on_retired(void *ctx, struct rpcrdma_transaction *transaction)
{
    (void)ctx;
    transaction->host = NULL;
}

/* ---- events of the ddp_rdmap plugin ---- */

static void note_startup(struct rpcrdma_flow *flow, enum mpa_startup_kind kind, uint32_t frame, const uint8_t *p,
                         size_t n)
{
    struct kept_startup *startup = &flow->startup[kind];

    if (startup->frame != 0)
        return;
    startup->frame = frame;
    startup->told = p && rpcrdma_private_data_find(&startup->data, p, n) == RPCRDMA_PD_OK;
    if (!startup->told)
        startup->data =
            (struct rpcrdma_private_data){.send_size = RPCRDMA_INLINE_DEFAULT, .receive_size = RPCRDMA_INLINE_DEFAULT};
}

static void rpcrdma_flow_on_startup(void *ctx, const struct mpa_startup_event *event)
{
    struct rpcrdma_flow *flow = ctx;

    segment_new(flow, &event->place);
    note_startup(flow, event->frame.kind, event->place.frame, event->frame.private_data, event->frame.pd_length);
}

const struct rpcrdma_connection *rpcrdma_flow_connection(const struct rpcrdma_flow *flow)
{
    return rpcrdma_ulp_connection(stack_guest(flow->judge.stack, &rpcrdma_ulp));
}

/* RDMA operations are recorded only on connections that may carry RPC-over-RDMA. */
static bool may_be_rpcrdma(const struct rpcrdma_flow *flow)
{
    const struct rpcrdma_connection *rpcrdma = rpcrdma_flow_connection(flow);

    return rpcrdma && (rpcrdma_connection_is_announced(rpcrdma) || rpcrdma_connection_is_rpcrdma(rpcrdma));
}

static void rpcrdma_flow_on_segment(void *ctx, const struct rdmap_segment_event *event)
{
    if (!event->fpdu->ddp.tagged || may_be_rpcrdma(ctx))
        segment_new(ctx, &event->fpdu->place);
}

static void rpcrdma_flow_on_terminate(void *ctx, const struct rdmap_terminate_event *event)
{
    segment_new(ctx, &event->fpdu->place);
}

/* ---- events of InfiniBand ---- */

static void rpcrdma_flow_on_part(void *ctx, const struct rdma_part *part)
{
    if (part->kind == RDMA_SEND)
        rpcrdma_ib_open_send(ctx, segment_new(ctx, &part->place), part->index == 0);
    else if (may_be_rpcrdma(ctx))
        segment_new(ctx, &part->place);
}

static void rpcrdma_flow_on_private_data(void *ctx, const struct rdma_private_data *data)
{
    segment_new(ctx, &data->place);
    note_startup(ctx, data->place.side == 0 ? MPA_REQUEST : MPA_REPLY, data->place.frame, data->p, data->n);
}

static struct record *make_record(struct judge *judge, const struct place *place)
{
    struct rpcrdma_flow *flow = (struct rpcrdma_flow *)((char *)judge - offsetof(struct rpcrdma_flow, judge));

    return place->frame == 0 ? NULL : &segment_new(flow, place)->record;
}

/* ---- the end ---- */

static void rpcrdma_flow_on_excuse(void *ctx, enum rule_id rule, const struct place *place)
{
    struct rpcrdma_flow *flow = ctx;

    judge_forget(&flow->judge, rule, place);
}

static int in_order_of_begin(gconstpointer a, gconstpointer b)
{
    const struct rpcrdma_flow *x = *(const struct rpcrdma_flow *const *)a, *y = *(const struct rpcrdma_flow *const *)b;

    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return (x->connection > y->connection) - (x->connection < y->connection);
}

static void forget_ended(void)
{
    for (guint i = 0; i < ended->len; i++)
        rpcrdma_ulp.across->free_record(((struct rpcrdma_flow *)g_ptr_array_index(ended, i))->record);
    g_ptr_array_set_size(ended, 0);
}

/* Applies rules across connections, as far as payload shows: a proof from one connection may be refuted by another. */
void rpcrdma_flow_judge_ended(void)
{
    int64_t now_ns = INT64_MIN;

    if (!past) {
        forget_ended();
        return;
    }
    g_ptr_array_sort(ended, in_order_of_begin);
    for (guint i = 0; i < ended->len; i++) {
        struct rpcrdma_flow *flow = g_ptr_array_index(ended, i);
        const struct ulp_across_host host = {
            .verdict = &flow->judge.verdict, .excuse = rpcrdma_flow_on_excuse, .ctx = flow};

        now_ns = MAX(now_ns, flow->record->end_ns);
        if (!rpcrdma_ulp.across->add(past, flow->record, &host))
            flow->record = NULL;
    }
    for (guint i = 0; i < ended->len; i++) {
        struct rpcrdma_flow *flow = g_ptr_array_index(ended, i);
        const struct ulp_across_host host = {
            .verdict = &flow->judge.verdict, .excuse = rpcrdma_flow_on_excuse, .ctx = flow};

        if (flow->record)
            rpcrdma_ulp.across->conclude(past, flow->record, now_ns, &host);
        flow->record = NULL;
    }
    g_ptr_array_set_size(ended, 0);
    rpcrdma_ulp.across->trim(past);
}

static void on_finish(void *ctx, int64_t time_ns)
{
    struct rpcrdma_flow *flow = ctx;

    rpcrdma_record_finish(flow);
    flow->record = stack_record(flow->judge.stack);
    if (!flow->record)
        return;
    flow->record->endpoint[0] = flow->endpoint[0];
    flow->record->endpoint[1] = flow->endpoint[1];
    flow->record->start_ns = flow->start_ns;
    flow->record->end_ns = time_ns;
    g_ptr_array_add(ended, flow);
    if (ended->len == ENDED_MAX)
        rpcrdma_flow_judge_ended();
}

/* ---- life ---- */

static const struct stack_taps taps = {.startup = rpcrdma_flow_on_startup,
                                       .segment = rpcrdma_flow_on_segment,
                                       .terminate = rpcrdma_flow_on_terminate,
                                       .part = rpcrdma_flow_on_part,
                                       .private_data = rpcrdma_flow_on_private_data};

static const struct rpcrdma_taps rpcrdma_taps = {.message = rpcrdma_flow_on_message,
                                                 .move = rpcrdma_flow_on_move,
                                                 .payload = rpcrdma_flow_on_payload,
                                                 .retired = rpcrdma_flow_on_retired};

static struct rpcrdma_flow *flow_new(uint32_t connection, bool always, bool payload_only)
{
    struct rpcrdma_flow *flow = wmem_new0(wmem_file_scope(), struct rpcrdma_flow);

    flow->connection = connection;
    flow->operations = wmem_map_new(wmem_file_scope(), g_int64_hash, g_int64_equal);
    judge_options(&flow->layers, STACK_ULP, STACK_ULP, payload_only);
    flow->rpcrdma = (struct rpcrdma_own){.options.always = always, .taps = &rpcrdma_taps};
    flow->own[0] = (struct ulp_own){&rpcrdma_ulp, &flow->rpcrdma};
    flow->layers.own = flow->own;
    return flow;
}

static struct stack_entrance upward(struct rpcrdma_flow *flow)
{
    return (struct stack_entrance){.ctx = flow, .finish = on_finish};
}

void rpcrdma_flow_over(void *ctx)
{
    struct rpcrdma_flow *flow = ctx;

    judge_over(&flow->judge);
}

struct in_stream {
    uint32_t tcp_stream;
    uint64_t transactions;
};

static void count_transactions(void *key, void *value, void *data)
{
    const struct rpcrdma_flow *flow = value;
    struct in_stream *in = data;

    (void)key;
    if (flow->tcp_stream == in->tcp_stream && flow->transactions > in->transactions)
        in->transactions = flow->transactions;
}

uint64_t rpcrdma_flow_transactions(uint32_t tcp_stream)
{
    struct in_stream in = {.tcp_stream = tcp_stream};

    wmem_map_foreach(flows, count_transactions, &in);
    return in.transactions;
}

static size_t rpcrdma_flow_octets_of(const void *ctx)
{
    const struct rpcrdma_flow *flow = ctx;

    return sizeof *flow + judge_octets(&flow->judge);
}

void rpcrdma_flow_listen(const struct rdmap_listeners *connection, struct rdmap_listener *listener, bool always)
{
    struct rpcrdma_flow *flow = flow_new(connection->connection, always, connection->payload_only);

    flow->judge.runs.pattern = &pattern;
    flow->judge.runs.size = sizeof(struct kept_segment);
    flow->tcp_stream = connection->tcp_stream;
    flow->endpoint[0] = connection->host[0];
    flow->endpoint[1] = connection->host[1];
    flow->start_ns = connection->start_ns;
    flow->judge.next = upward(flow);
    wmem_map_insert(flows, GUINT_TO_POINTER(flow->connection), flow);
    listener->over = rpcrdma_flow_over;
    listener->octets = rpcrdma_flow_octets_of;
    listener->ctx = flow;
    listener->knows = &flow->recognised;
    if (judge_begin(&flow->judge, &flow->layers, &taps, flow, connection->port))
        listener->entrance = stack_entrance(flow->judge.stack);
}

static struct endpoint rpcrdma_flow_endpoint_of(const struct ib_address *address)
{
    struct endpoint endpoint = {.ip = address->kind == IB_ADDRESS_IPV4 ? 4 : 6};

    if (address->kind == IB_ADDRESS_LID)
        endpoint.ip = 0;
    memcpy(endpoint.address, address->octets, sizeof endpoint.address);
    return endpoint;
}

struct rpcrdma_flow *rpcrdma_flow_of_ib(const struct ib_connection *connection, bool always)
{
    static const uint16_t no_ports[2];
    struct rpcrdma_flow *flow = flow_new(connection->id, always, false);

    flow->infiniband = true;
    for (unsigned side = 0; side < 2; side++)
        flow->endpoint[side] = rpcrdma_flow_endpoint_of(&connection->address[side]);
    flow->start_ns = connection->start_ns;
    flow->judge.make_record = make_record;
    flow->judge.next = upward(flow);
    if (!judge_begin(&flow->judge, &flow->layers, &taps, flow, no_ports))
        return NULL;
    flow->ib = (struct stack_ib){.stack = flow->judge.stack, .connection = connection};
    return flow;
}

void rpcrdma_flow_file_opened(void)
{
    rpcrdma_ulp.across->free(past);
    past = rpcrdma_ulp.across->begin();
}

static void rpcrdma_flow_file_closed(void)
{
    forget_ended();
    rpcrdma_ulp.across->free(past);
    past = NULL;
}

void rpcrdma_flow_register(void)
{
    ended = g_ptr_array_new();
    register_cleanup_routine(rpcrdma_flow_file_closed);
    flows = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), g_direct_hash, g_direct_equal);
}
