// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/ddp_rdmap/flow.h"

#include "plugins/common/keep.h"

#include <epan/wmem_scopes.h>

const struct rdmap_seg *rdmap_flow_seg(const struct rdmap_flow *flow, const struct place *place)
{
    return (const struct rdmap_seg *)judge_at(&flow->judge, place);
}

/* The current segment. */
static struct rdmap_seg *flow_current(const struct rdmap_flow *flow, const struct place *place)
{
    struct rdmap_seg *seg = flow->current;

    return seg && seg->record.offset == place->offset && seg->side == place->side ? seg : NULL;
}

static struct rdmap_seg_more nothing_more;

static struct rdmap_seg_more *more_of(struct rdmap_seg *seg)
{
    if (seg->more == &nothing_more)
        seg->more = wmem_new0(wmem_file_scope(), struct rdmap_seg_more);
    return seg->more;
}

/* ---- STags ---- */

static struct rdmap_stag_life *stag_used(struct rdmap_flow *flow, unsigned owner, uint32_t stag, uint32_t frame)
{
    struct rdmap_stag_life *life = wmem_map_lookup(flow->stags[owner], GUINT_TO_POINTER(stag)), *former = life;

    if (life && life->invalidated_in == 0)
        return life;
    life = wmem_new0(wmem_file_scope(), struct rdmap_stag_life);
    life->first_frame = frame;
    life->former_end = former ? former->invalidated_in : 0;
    wmem_map_insert(flow->stags[owner], GUINT_TO_POINTER(stag), life);
    return life;
}

static void note_stags(struct rdmap_flow *flow, struct rdmap_seg *seg, const struct ddp_segment *ddp)
{
    unsigned sender = seg->side & 1u, receiver = sender ^ 1u;
    const struct rdmap_opcode_info *info = rdmap_opcode_info(ddp->opcode);
    struct rdmap_read_request read;
    struct rdmap_atomic_request atomic;
    struct rdmap_stag_life *life;

    if (ddp->tagged) {
        seg->stag = stag_used(flow, receiver, ddp->stag, seg->record.frame);
    } else if (info->invalidates) {
        seg->stag = life = stag_used(flow, receiver, ddp->stag, seg->record.frame);
        if (ddp->last)
            life->invalidated_in = seg->record.frame;
    } else if (ddp->opcode == RDMAP_READ_REQUEST && ddp->lacking == 0 &&
               rdmap_read_request_decode(&read, ddp->payload, ddp->payload_len)) {
        seg->stag = stag_used(flow, sender, read.sink_stag, seg->record.frame);
        more_of(seg)->source = stag_used(flow, receiver, read.source_stag, seg->record.frame);
    } else if (ddp->opcode == RDMAP_ATOMIC_REQUEST && ddp->lacking == 0 &&
               rdmap_atomic_request_decode(&atomic, ddp->payload, ddp->payload_len)) {
        seg->stag = stag_used(flow, receiver, atomic.stag, seg->record.frame);
    }
}

/* ---- messages ---- */

static void flow_note_message(struct rdmap_flow *flow, struct rdmap_seg *seg, const struct rdmap_segment_event *event)
{
    const struct ddp_segment *ddp = &event->fpdu->ddp;
    struct rdmap_msg **open = &flow->open[seg->side & 1u][ddp->tagged ? 0 : 1 + (ddp->qn & 3u)], *msg = *open;

    if (event->index == 0 && ddp->last) {
        seg->alone = true;
        seg->message = event->message;
        return;
    }
    if (!msg || msg->number != event->message) {
        *open = msg = keep_new(sizeof *msg);
        msg->number = event->message;
        msg->first_frame = seg->record.frame;
        msg->to = ddp->to;
    }
    msg->segments = event->index + 1;
    msg->last_frame = seg->record.frame;
    msg->ended |= ddp->last;
    seg->msg = msg;
}

/* ---- gaps ---- */

/*
 * The engine finds a gap only when nothing can fill it any more, which is at a later segment: in a single pass, too
 * late to show the gap here.
 */
static void note_gap(struct rdmap_flow *flow, struct rdmap_seg *seg, const struct ddp_segment *ddp)
{
    struct rdmap_queue_seen *seen = &flow->seen[seg->side & 1u][ddp->qn & 3u];
    uint32_t ahead = ddp->msn - seen->msn, mo = ahead == 0 ? seen->mo : 0;
    struct rdmap_gap gap = {.msn = seen->msn, .msns = ahead <= INT32_MAX ? ahead : 0, .from = mo, .to = mo};

    if (seen->known && ahead <= INT32_MAX && ddp->mo > mo)
        gap.to = ddp->mo;
    if (seen->known && (gap.msns > 0 || gap.to > gap.from)) {
        /* If a message has begun, only its end is missing. */
        if (gap.msns > 0 && seen->mo > 0) {
            gap.msn++;
            gap.msns--;
        }
        more_of(seg)->gap = wmem_memdup(wmem_file_scope(), &gap, sizeof gap);
    }
    if (seen->known && ahead > INT32_MAX)
        return;
    seen->known = true;
    seen->msn = ddp->last ? ddp->msn + 1 : ddp->msn;
    seen->mo = ddp->last ? 0 : ddp->mo + (uint32_t)(ddp->payload_len + ddp->lacking);
}

/* ---- reassembly ---- */

static void range_add(struct rdmap_whole *whole, uint32_t from, uint32_t to)
{
    unsigned at = 0, after;

    while (at < whole->n_ranges && whole->range[at].to < from)
        at++;
    for (after = at; after < whole->n_ranges && whole->range[after].from <= to; after++) {
        from = whole->range[after].from < from ? whole->range[after].from : from;
        to = whole->range[after].to > to ? whole->range[after].to : to;
    }
    if (after == at) { /* separate from all others */
        if (whole->n_ranges == RDMAP_WHOLE_RANGES) {
            whole->spoilt = true;
            return;
        }
        memmove(&whole->range[at + 1], &whole->range[at], (whole->n_ranges - at) * sizeof whole->range[0]);
        whole->n_ranges++;
    } else {
        memmove(&whole->range[at + 1], &whole->range[after], (whole->n_ranges - after) * sizeof whole->range[0]);
        whole->n_ranges -= after - at - 1;
    }
    whole->range[at].from = from;
    whole->range[at].to = to;
}

/*
 * An MSN identifies a message until the message is complete, or begins again. The messages of the engine cannot be
 * used: after a hole the engine does not continue a message that began before it.
 */
static struct rdmap_whole *flow_whole_of(struct rdmap_flow *flow, unsigned side, const struct ddp_segment *ddp)
{
    uint64_t key = (uint64_t)(side & 1u) << 34 | (uint64_t)(ddp->qn & 3u) << 32 | ddp->msn;
    struct rdmap_whole *whole = wmem_map_lookup(flow->wholes, &key);

    if (!whole || whole->completed_in != 0 || (ddp->mo == 0 && whole->first) || (ddp->last && whole->last)) {
        whole = wmem_new0(wmem_file_scope(), struct rdmap_whole);
        whole->key = key;
        wmem_map_insert(flow->wholes, &whole->key, whole);
    }
    return whole;
}

/* Notes segments that overlap, or lie beyond the last one. */
static void flow_note_ends(struct rdmap_whole *whole, const struct ddp_segment *ddp, uint32_t to)
{
    whole->first |= ddp->mo == 0;
    for (unsigned i = 0; i < whole->n_ranges; i++)
        whole->spoilt |= ddp->mo < whole->range[i].to && whole->range[i].from < to;
    whole->spoilt |= whole->last && to > whole->end;
    if (!ddp->last)
        return;
    whole->last = true;
    whole->end = to;
    whole->spoilt |= whole->n_ranges > 0 && whole->range[whole->n_ranges - 1].to > to;
}

static bool flow_is_complete(const struct rdmap_whole *whole)
{
    return whole->last && !whole->spoilt &&
           (whole->end == 0 || (whole->n_ranges == 1 && whole->range[0].from == 0 && whole->range[0].to == whole->end));
}

static void note_whole(struct rdmap_flow *flow, struct rdmap_seg *seg, const struct ddp_segment *ddp)
{
    struct rdmap_whole *whole;
    uint32_t to;

    if ((ddp->mo == 0 && ddp->last) || ddp->payload_len > INT32_MAX || ddp->mo > INT32_MAX - (uint32_t)ddp->payload_len)
        return;
    to = ddp->mo + (uint32_t)ddp->payload_len;
    whole = more_of(seg)->whole = flow_whole_of(flow, seg->side, ddp);
    flow_note_ends(whole, ddp, to);
    if (whole->spoilt)
        return;
    if (ddp->payload_len > 0)
        range_add(whole, ddp->mo, to);
    if (flow_is_complete(whole)) {
        whole->completed_in = seg->record.frame;
        seg->completes = true;
    }
}

/* ---- operations ---- */

enum { OPS_MIN = 8 };

/* Where the operation is, or belongs, in flow->ops. */
static unsigned op_place_for(const struct rdmap_flow *flow, uint64_t number)
{
    unsigned from = 0, to = flow->n_ops;

    while (from < to) {
        unsigned middle = from + (to - from) / 2;

        if (flow->ops[middle]->number < number)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

static struct rdmap_op *op_of(struct rdmap_flow *flow, const struct rdmap_operation *operation)
{
    unsigned at = op_place_for(flow, operation->number);
    struct rdmap_op *op;

    if (at < flow->n_ops && flow->ops[at]->number == operation->number)
        return flow->ops[at];
    if (flow->n_ops == flow->ops_room) {
        flow->ops_room = flow->ops_room == 0 ? OPS_MIN : 2 * flow->ops_room;
        flow->ops = wmem_realloc(wmem_file_scope(), flow->ops, flow->ops_room * sizeof(struct rdmap_op *));
    }
    memmove(&flow->ops[at + 1], &flow->ops[at], (flow->n_ops - at) * sizeof(struct rdmap_op *));
    flow->ops[at] = op = keep_new(sizeof *op);
    flow->n_ops++;
    op->number = operation->number;
    op->kind = operation->kind;
    op->frame = operation->place.frame;
    op->time_ns = operation->place.time_ns;
    return op;
}

/* A Read or Atomic began, continued, or was answered. */
static struct rdmap_op *record_op(struct rdmap_flow *flow, const struct rdmap_operation *operation)
{
    struct rdmap_op *op = op_of(flow, operation);

    op->answer_frame = operation->answered ? operation->last_answer.frame : 0;
    if (op->kind == RDMAP_OP_ATOMIC) {
        if (!op->atomic)
            op->atomic = wmem_new(wmem_file_scope(), struct rdmap_operation);
        *op->atomic = *operation;
    }
    return op;
}

static void flow_note_latest_write(struct rdmap_flow *flow, const struct rdmap_operation *operation)
{
    if (operation->number <= flow->latest_write[operation->side & 1u].operation)
        return;
    flow->latest_write[operation->side & 1u].operation = operation->number;
    flow->latest_write[operation->side & 1u].frame = operation->place.frame;
}

/* ---- events of the engine ---- */

static void record_segment(struct rdmap_flow *flow, struct rdmap_seg *seg, const struct rdmap_segment_event *event)
{
    const struct ddp_segment *ddp = &event->fpdu->ddp;

    seg->told = true;
    seg->in_message = event->in_message;
    if (!event->in_message)
        return;
    seg->index = event->index;
    seg->message_octets = event->message_octets;
    seg->first_known = event->first_known;
    flow_note_message(flow, seg, event);
    note_stags(flow, seg, ddp);
    if (!ddp->tagged)
        note_gap(flow, seg, ddp);
    if (!ddp->tagged && ddp->qn == DDP_QN_SEND && rdmap_opcode_info(ddp->opcode)->ulp_data)
        note_whole(flow, seg, ddp);
}

/* The segments of a message differ only in their places and in the octets before them. */
static void nth_seg(const struct record *first_record, const struct record *second_record, unsigned n,
                    struct record *out)
{
    const struct rdmap_seg *first = (const struct rdmap_seg *)first_record;
    const struct rdmap_seg *second = (const struct rdmap_seg *)second_record;
    struct rdmap_seg *seg = (struct rdmap_seg *)out;

    seg->index += n * (second->index - first->index);
    seg->message_octets += n * (second->message_octets - first->message_octets);
}

static union record_room made_room;
static const struct run_pattern pattern = {.nth = nth_seg, .room = &made_room};
_Static_assert(sizeof(struct rdmap_seg) <= RECORD_MAX, "room for a record that is made");

void rdmap_flow_on_fpdu(struct rdmap_flow *flow, const struct mpa_fpdu_event *event)
{
    struct rdmap_seg *seg = flow->current;

    if (seg)
        judge_settle(&flow->judge, &seg->record, seg->side);
    seg = judge_new(&flow->judge, sizeof *seg);
    seg->more = &nothing_more;
    seg->side = event->place.side;
    judge_keep(&flow->judge, &seg->record, &event->place);
    flow->current = seg;
}

void rdmap_flow_on_segment(struct rdmap_flow *flow, const struct rdmap_segment_event *event)
{
    struct rdmap_seg *seg = flow_current(flow, &event->fpdu->place);

    if (seg)
        record_segment(flow, seg, event);
}

void rdmap_flow_on_operation(struct rdmap_flow *flow, const struct rdmap_operation *operation,
                             const struct place *place)
{
    bool answerable = operation->kind == RDMAP_OP_READ || operation->kind == RDMAP_OP_ATOMIC;
    struct rdmap_op *op = answerable ? record_op(flow, operation) : NULL;
    struct rdmap_seg *seg = flow_current(flow, place);

    if (operation->kind == RDMAP_OP_WRITE)
        flow_note_latest_write(flow, operation);
    if (!seg)
        return;
    seg->answerable = answerable;
    if (answerable)
        seg->op = op;
    else
        seg->operation = operation->number;
    if (operation->kind == RDMAP_OP_IMMEDIATE && operation->after_write != 0 &&
        operation->after_write == flow->latest_write[operation->side & 1u].operation)
        more_of(seg)->after_write = flow->latest_write[operation->side & 1u].frame;
}

static void record_blame(const struct rdmap_flow *flow, struct rdmap_seg *seg,
                         const struct rdmap_terminate_event *event)
{
    struct rdmap_blame *blame = wmem_new0(wmem_file_scope(), struct rdmap_blame);
    blame->terminate = *event->terminate;
    blame->terminate.trailing = NULL;
    blame->found = event->culprit_found;
    if (event->culprit_found) {
        const struct rdmap_seg *culprit = rdmap_flow_seg(flow, &event->culprit);

        blame->frame = event->culprit.frame;
        more_of(seg)->blames = culprit ? rdmap_seg_operation(culprit) : 0;
    }
    more_of(seg)->blame = blame;
}

void rdmap_flow_on_terminate(struct rdmap_flow *flow, const struct rdmap_terminate_event *event)
{
    struct rdmap_seg *seg = flow_current(flow, &event->fpdu->place);

    if (seg)
        record_blame(flow, seg, event);
}

/* ---- life ---- */

void rdmap_flow_begin(struct connection *connection)
{
    struct rdmap_flow *flow = wmem_new0(wmem_file_scope(), struct rdmap_flow);

    flow->wholes = wmem_map_new(wmem_file_scope(), g_int64_hash, g_int64_equal);
    for (unsigned side = 0; side < 2; side++)
        flow->stags[side] = wmem_map_new(wmem_file_scope(), g_direct_hash, g_direct_equal);
    flow->judge.runs.pattern = &pattern;
    flow->judge.runs.size = sizeof(struct rdmap_seg);
    connection->rdmap = flow;
}
