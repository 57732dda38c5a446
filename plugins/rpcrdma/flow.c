// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/rpcrdma/flow.h"

#include "plugins/rpcrdma/ib_flow.h"

#include <epan/wmem_scopes.h>

enum { ENDED_MAX = 4096 /* judged together; each takes at most some 7 KiB */ };

static struct rpcrdma_flow *flows; /* in this file, the latest first */
static void *past;                 /* of rpcrdma_ulp.across; NULL: out of memory */
static GPtrArray *ended;           /* struct rpcrdma_flow that have not been judged against the past yet */

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

    return !a->message && !b->message && !a->packet && !b->packet && a->side == b->side &&
           a->refused_in == b->refused_in && same_move(a->move, b->move);
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
    judge_keep(&flow->judge, &segment->record, place);
    if (flow->infiniband)
        rpcrdma_ib_keep(segment, place);
    return segment;
}

/* ---- events of the engine ---- */

/* ctx: of the stack. */
static struct rpcrdma_flow *rpcrdma_flow_of(void *ctx)
{
    struct connection *connection = ctx;

    return connection->rpcrdma;
}

static void rpcrdma_flow_on_message(void *ctx, const struct rpcrdma_message *message)
{
    struct rpcrdma_flow *flow = rpcrdma_flow_of(ctx);

    rpcrdma_record_message(flow, message);
    if (flow->infiniband) {
        rpcrdma_ib_close_send(flow, message);
        rpcrdma_ib_note_untold(flow, &message->place);
    }
}

static void rpcrdma_flow_on_move(void *ctx, const struct rpcrdma_move *move)
{
    struct rpcrdma_flow *flow = rpcrdma_flow_of(ctx);

    rpcrdma_record_move(flow, move);
    if (flow->infiniband)
        rpcrdma_ib_note_untold(flow, &move->place);
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

/* ---- events of iWARP ---- */

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

void rpcrdma_flow_on_startup(struct rpcrdma_flow *flow, const struct mpa_startup_event *event)
{
    segment_new(flow, &event->place);
    note_startup(flow, event->frame.kind, event->place.frame, event->frame.private_data, event->frame.pd_length);
}

const struct rpcrdma_connection *rpcrdma_flow_connection(const struct rpcrdma_flow *flow)
{
    return rpcrdma_ulp_connection(stack_guest(flow->connection->stack, &rpcrdma_ulp));
}

/* RDMA operations are recorded only on connections that may carry RPC-over-RDMA. */
static bool may_be_rpcrdma(const struct rpcrdma_flow *flow)
{
    const struct rpcrdma_connection *rpcrdma = rpcrdma_flow_connection(flow);

    return rpcrdma && (rpcrdma_connection_is_announced(rpcrdma) || rpcrdma_connection_is_rpcrdma(rpcrdma));
}

void rpcrdma_flow_on_segment(struct rpcrdma_flow *flow, const struct rdmap_segment_event *event)
{
    if (!event->fpdu->ddp.tagged || may_be_rpcrdma(flow))
        segment_new(flow, &event->fpdu->place);
}

static void flow_note_refused(struct kept_segment *segment, uint32_t frame)
{
    if (!segment || segment->refused_in != 0)
        return;
    segment->refused_in = frame;
    if (segment->move && segment->move->transaction->refused_in == 0)
        segment->move->transaction->refused_in = frame;
}

void rpcrdma_flow_on_terminate(struct rpcrdma_flow *flow, const struct rdmap_terminate_event *event)
{
    segment_new(flow, &event->fpdu->place);
    if (event->culprit_found)
        flow_note_refused(rpcrdma_flow_change(flow, &event->culprit), event->fpdu->place.frame);
}

/* ---- events of InfiniBand ---- */

void rpcrdma_flow_on_part(struct rpcrdma_flow *flow, const struct rdma_part *part)
{
    if (part->kind == RDMA_SEND)
        rpcrdma_ib_open_send(flow, segment_new(flow, &part->place), part->index == 0);
    else if (may_be_rpcrdma(flow))
        segment_new(flow, &part->place);
}

void rpcrdma_flow_on_refusal(struct rpcrdma_flow *flow, const struct rdma_refusal *refusal)
{
    /* The offset is that of the packet that the NAK names, the frame that of the latest packet of its message. */
    if (refusal->culprit_found)
        flow_note_refused((struct kept_segment *)judge_change_at_offset(&flow->judge, &refusal->culprit),
                          refusal->place.frame);
}

void rpcrdma_flow_on_private_data(struct rpcrdma_flow *flow, const struct rdma_private_data *data)
{
    segment_new(flow, &data->place);
    note_startup(flow, data->place.side == 0 ? MPA_REQUEST : MPA_REPLY, data->place.frame, data->p, data->n);
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

static struct ulp_across_host across_host(struct rpcrdma_flow *flow)
{
    return (struct ulp_across_host){
        .verdict = &flow->connection->verdict, .excuse = rpcrdma_flow_on_excuse, .ctx = flow};
}

static int in_order_of_begin(gconstpointer a, gconstpointer b)
{
    const struct connection *x = (*(const struct rpcrdma_flow *const *)a)->connection;
    const struct connection *y = (*(const struct rpcrdma_flow *const *)b)->connection;

    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
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
        const struct ulp_across_host host = across_host(flow);

        now_ns = MAX(now_ns, flow->record->end_ns);
        if (!rpcrdma_ulp.across->add(past, flow->record, &host))
            flow->record = NULL;
    }
    for (guint i = 0; i < ended->len; i++) {
        struct rpcrdma_flow *flow = g_ptr_array_index(ended, i);
        const struct ulp_across_host host = across_host(flow);

        if (flow->record)
            rpcrdma_ulp.across->conclude(past, flow->record, now_ns, &host);
        flow->record = NULL;
    }
    g_ptr_array_set_size(ended, 0);
    rpcrdma_ulp.across->trim(past);
}

void rpcrdma_flow_finish(struct rpcrdma_flow *flow, int64_t time_ns)
{
    struct connection *connection = flow->connection;

    rpcrdma_record_finish(flow);
    flow->record = stack_record(connection->stack);
    if (!flow->record)
        return;
    flow->record->endpoint[0] = connection->host[0];
    flow->record->endpoint[1] = connection->host[1];
    flow->record->start_ns = connection->start_ns;
    flow->record->end_ns = time_ns;
    g_ptr_array_add(ended, flow);
    if (ended->len == ENDED_MAX)
        rpcrdma_flow_judge_ended();
}

/* ---- life ---- */

const struct ulp_own *rpcrdma_flow_own(bool always)
{
    static const struct rpcrdma_taps taps = {.message = rpcrdma_flow_on_message,
                                             .move = rpcrdma_flow_on_move,
                                             .payload = rpcrdma_flow_on_payload,
                                             .retired = rpcrdma_flow_on_retired};
    static const struct rpcrdma_own own[2] = {{.taps = &taps}, {.options.always = true, .taps = &taps}};
    static const struct ulp_own lists[2][2] = {{{&rpcrdma_ulp, &own[0]}}, {{&rpcrdma_ulp, &own[1]}}};

    return lists[always];
}

struct rpcrdma_flow *rpcrdma_flow_begin(struct connection *connection, const uint32_t *now)
{
    struct rpcrdma_flow *flow = wmem_new0(wmem_file_scope(), struct rpcrdma_flow);

    flow->connection = connection;
    flow->infiniband = now != NULL;
    flow->now = now;
    flow->operations = wmem_map_new(wmem_file_scope(), g_int64_hash, g_int64_equal);
    if (flow->infiniband) {
        flow->judge.make_record = make_record;
    } else {
        flow->judge.runs.pattern = &pattern;
        flow->judge.runs.size = sizeof(struct kept_segment);
    }
    flow->next = flows;
    return flows = connection->rpcrdma = flow;
}

uint64_t rpcrdma_flow_transactions(bool infiniband, uint32_t stream)
{
    uint64_t most = 0;

    for (const struct rpcrdma_flow *flow = flows; flow; flow = flow->next) {
        if (flow->infiniband == infiniband &&
            (infiniband ? flow->connection->number : flow->connection->tcp_stream) == stream)
            most = MAX(most, flow->transactions);
    }
    return most;
}

void rpcrdma_flow_file_opened(void)
{
    flows = NULL;
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
}
