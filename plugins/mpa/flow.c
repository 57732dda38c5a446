// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/mpa/flow.h"

#include "plugins/ddp_rdmap/rdmap_plugin.h"
#include "plugins/rpcrdma/rpcrdma_plugin.h"

#include "engine/terminate/terminate_hosts.h"
#include "wire/octets.h"

#include <epan/wmem_scopes.h>

#include <string.h>

enum {
    /* Used if the header is unknown: the largest possible window excludes no segment. */
    WINDOW_UNKNOWN = 65535,
    WINDOW_SCALE_UNKNOWN = 14,
};

/* ---- recording ---- */

static struct mpa_piece *piece_of_frame(struct mpa_flow *flow, uint32_t frame)
{
    return (struct mpa_piece *)judge_change_in_frame(&flow->judge, frame);
}

/* Reused for regular pieces; of file scope. */
static struct mpa_item *spare_items;
static struct mpa_piece_more *spare_more;

static struct mpa_piece *piece_new(struct mpa_flow *flow, const struct mpa_flow_input *input)
{
    struct mpa_piece *piece = judge_new(&flow->judge, sizeof *piece);

    piece->side = input->side;
    piece->key = input->key;
    piece->length = input->captured;
    piece->more = spare_more ? spare_more : wmem_new(wmem_file_scope(), struct mpa_piece_more);
    *piece->more = (struct mpa_piece_more){.last = &piece->items};
    spare_more = NULL;
    piece->next_in_frame = piece_of_frame(flow, input->frame);
    judge_keep_frame(&flow->judge, &piece->record, input->frame);
    return piece;
}

static uint64_t piece_end(const struct mpa_piece *piece)
{
    return piece->record.offset + piece->length;
}

/*
 * Octets of the piece wait for more octets. Ascending by offset, so that the first piece to be completed is the first
 * in the list.
 */
static void open_piece(struct mpa_flow *flow, struct mpa_piece *piece)
{
    struct mpa_open *open = &flow->open[piece->side];
    struct mpa_piece **link = &open->first;

    if (open->first && open->last->record.offset <= piece->record.offset) {
        open->last->more->next_open = piece;
        open->last = piece;
        return;
    }
    while (*link && (*link)->record.offset <= piece->record.offset)
        link = &(*link)->more->next_open;
    piece->more->next_open = *link;
    *link = piece;
    if (!piece->more->next_open)
        open->last = piece;
}

/* Octets up to `end` are part of an item: for the pieces that waited, sets the frame that completed the item. */
static void close_pieces(struct mpa_flow *flow, unsigned side, uint64_t start, uint64_t end, uint32_t frame)
{
    struct mpa_open *open = &flow->open[side];
    struct mpa_piece *piece;

    while ((piece = open->first) && piece->record.offset < end) {
        if (piece_end(piece) > start)
            piece->more->continued_in = frame;
        open->first = piece->more->next_open;
        piece->more->next_open = NULL;
    }
}

/* Whether the octets are in the data of the piece, and were not seen in an earlier piece. */
static bool mpa_flow_lies_in(const struct mpa_piece *piece, unsigned side, uint64_t offset, uint64_t length)
{
    return piece->placed && piece->side == side && offset >= piece->record.offset &&
           (!piece->more || offset >= piece->more->fresh) && offset + length <= piece_end(piece);
}

static struct mpa_piece *piece_of_side(struct mpa_flow *flow, uint32_t frame, unsigned side)
{
    struct mpa_piece *piece = piece_of_frame(flow, frame);

    while (piece && piece->side != side)
        piece = piece->next_in_frame;
    return piece;
}

/*
 * The piece that shows an item: the current one. At the end of the connection there is none; then it is the piece that
 * completed the item or, if that was not a segment of this side with octets, the piece with its first octets.
 */
static struct mpa_piece *piece_for(struct mpa_flow *flow, const struct place *place)
{
    struct mpa_piece *piece = flow->current;

    if (!piece)
        piece = piece_of_side(flow, place->frame, place->side);
    if (!piece)
        piece = piece_of_side(flow, place->first_frame, place->side);
    return piece;
}

/*
 * The piece of the frame that completed the item: an earlier piece than the current one if the connection has just been
 * recognised.
 */
static struct mpa_piece *own_piece_for(struct mpa_flow *flow, const struct place *place)
{
    struct mpa_piece *own = NULL;

    if (flow->current && place->frame < flow->current->record.frame)
        own = piece_of_side(flow, place->frame, place->side);
    return own ? own : piece_for(flow, place);
}

static void note_late(struct mpa_flow *flow, const struct mpa_piece *piece, const struct mpa_item *item,
                      const uint8_t *octets)
{
    struct mpa_item *late, **link;

    if (!flow->current || piece == flow->current)
        return;
    late = wmem_memdup(wmem_file_scope(), item, sizeof *item);
    if (!late->octets)
        late->octets = wmem_memdup(wmem_file_scope(), octets, item->length - item->fpdu.cut);
    /* The engine first reports one side, then the other. */
    link = &flow->current->more->late;
    while (*link && (*link)->place.frame <= late->place.frame)
        link = &(*link)->next;
    late->next = *link;
    *link = late;
}

static struct mpa_item *item_new(struct mpa_flow *flow, struct mpa_piece *piece, enum mpa_item_kind kind,
                                 const struct place *place, uint64_t offset, uint64_t length)
{
    struct mpa_item *item = spare_items, **last = piece->more ? piece->more->last : &piece->items;

    if (item)
        spare_items = item->next;
    else
        item = wmem_new(wmem_file_scope(), struct mpa_item);
    memset(item, 0, sizeof *item);
    item->kind = kind;
    item->place = *place;
    item->offset = offset;
    item->length = length > UINT32_MAX ? UINT32_MAX : (uint32_t)length;
    item->direction = DIR_UNKNOWN;
    item->state = flow->state;
    while (*last)
        last = &(*last)->next;
    *last = item;
    if (piece->more)
        piece->more->last = &item->next;
    if (piece->more && piece != flow->current)
        piece->regular = false;
    if (piece->more && piece->placed && piece->side == place->side && offset + length > piece->more->taken)
        piece->more->taken = offset + length;
    close_pieces(flow, place->side, offset, offset + length, piece->record.frame);
    return item;
}

void mpa_flow_on_startup(void *ctx, const struct mpa_startup_event *event)
{
    struct mpa_flow *flow = ctx;
    struct mpa_startup_seen *seen = &flow->startup[event->frame.kind];
    const struct place *place = &event->place;
    struct mpa_piece *piece = piece_for(flow, place);
    struct mpa_item *item;

    if (!piece)
        return;
    item = item_new(flow, piece, MPA_ITEM_STARTUP, place, place->offset, event->length);
    item->direction = event->direction;
    item->startup.kind = event->frame.kind;
    if (!mpa_flow_lies_in(piece, place->side, place->offset, event->length)) {
        size_t size = MPA_STARTUP_HEADER_LEN + (size_t)event->frame.pd_length;
        uint8_t *octets = wmem_alloc0(wmem_file_scope(), size);

        mpa_startup_encode(&event->frame, octets, size);
        if (item->length > size)
            item->length = (uint32_t)size;
        item->octets = octets;
    }
    if (seen->frame == 0) {
        seen->frame = piece->record.frame;
        seen->time_ns = place->time_ns;
    }
}

size_t mpa_item_run(const struct mpa_item *item, size_t *at, size_t wanted)
{
    size_t end = item->length;

    for (unsigned i = 0; i < item->fpdu.n_markers; i++) {
        size_t marker = (size_t)(item->fpdu.markers[i].offset - item->offset);

        if (marker <= *at && *at < marker + MPA_MARKER_LEN)
            *at = marker + MPA_MARKER_LEN;
        if (marker > *at) {
            end = marker < end ? marker : end;
            break;
        }
    }
    if (*at >= end)
        return 0;
    return end - *at < wanted ? end - *at : wanted;
}

/* Whether the octets after ULPDU_Length, without Markers, are the ULPDU. */
static bool holds_ulpdu(const struct mpa_item *item, const uint8_t *octets, const uint8_t *ulpdu)
{
    size_t at = item->fpdu.header_at + (size_t)MPA_LENGTH_LEN, left = item->fpdu.ulpdu_length, run;

    for (; left > 0; left -= run, at += run, ulpdu += run) {
        run = mpa_item_run(item, &at, left);
        if (run == 0 || (octets + at != ulpdu && memcmp(octets + at, ulpdu, run) != 0))
            return false;
    }
    return true;
}

void mpa_flow_on_fpdu(void *ctx, const struct mpa_fpdu_event *event)
{
    struct mpa_flow *flow = ctx;
    const struct mpa_fpdu *fpdu = &event->fpdu;
    struct mpa_piece *piece = own_piece_for(flow, &event->place);
    struct mpa_item *item;

    if (!piece)
        return;
    item = item_new(flow, piece, MPA_ITEM_FPDU, &event->place, fpdu->offset, fpdu->length);
    item->direction = event->direction;
    item->fpdu.number = event->number;
    item->fpdu.crc_computed = fpdu->crc_computed;
    item->fpdu.crc = event->crc;
    item->fpdu.after_resync = event->after_resync;
    item->fpdu.ulpdu_length = fpdu->ulpdu_length;
    item->fpdu.header_at = (uint8_t)(fpdu->header - fpdu->offset);
    item->fpdu.pad_length = fpdu->pad_length;
    item->fpdu.cut = fpdu->cut;
    item->fpdu.lacking = fpdu->lacking;
    memcpy(item->fpdu.pad, fpdu->pad, sizeof item->fpdu.pad);
    if (fpdu->n_markers > 0) {
        item->fpdu.n_markers = (uint16_t)fpdu->n_markers;
        item->fpdu.markers = wmem_memdup(wmem_file_scope(), fpdu->markers, fpdu->n_markers * sizeof *fpdu->markers);
    }
    if (!holds_ulpdu(item, fpdu->octets, fpdu->ulpdu))
        item->fpdu.ulpdu = wmem_memdup(wmem_file_scope(), fpdu->ulpdu, fpdu->ulpdu_length);
    if (!mpa_flow_lies_in(piece, event->place.side, fpdu->offset, fpdu->length))
        item->octets = wmem_memdup(wmem_file_scope(), fpdu->octets, fpdu->length);
    note_late(flow, piece, item, fpdu->octets);
}

static bool is_shown_as_hole(const struct mpa_piece *piece, unsigned side, uint64_t from, uint64_t to)
{
    for (const struct mpa_item *item = piece->items; item; item = item->next)
        if (item->kind == MPA_ITEM_HOLE && item->place.side == side && from >= item->offset &&
            to <= item->offset + item->length)
            return true;
    return false;
}

void mpa_flow_on_skipped(void *ctx, unsigned side, uint64_t from, uint64_t to, const char *why,
                         const struct place *place)
{
    struct mpa_flow *flow = ctx;
    struct mpa_piece *piece = piece_for(flow, place);
    struct mpa_item *item;

    if (!piece || is_shown_as_hole(piece, side, from, to))
        return;
    item = item_new(flow, piece, MPA_ITEM_SKIPPED, place, from, to - from);
    item->skipped.why = wmem_strdup(wmem_file_scope(), why);
}

void mpa_flow_on_changed(void *ctx, enum mpa_phase phase, const struct mpa_parameters *parameters)
{
    struct mpa_flow *flow = ctx;
    struct mpa_state *state = wmem_new(wmem_file_scope(), struct mpa_state);

    state->phase = phase;
    state->parameters = *parameters;
    flow->state = state;
}

/* ---- TCP streams ---- */

static void note_hole(struct mpa_flow *flow, struct mpa_piece *piece, unsigned side, const struct mpa_hole *hole)
{
    struct place place = {
        .frame = piece->record.frame, .first_frame = piece->record.frame, .offset = hole->from, .side = (uint8_t)side};
    struct mpa_item *item = item_new(flow, piece, MPA_ITEM_HOLE, &place, hole->from, hole->to - hole->from);

    item->hole.cause = hole->cause;
    item->hole.first = !flow->hole_told;
    flow->hole_told = true;
}

static void show_hole(struct mpa_flow *flow, struct mpa_piece *piece)
{
    struct mpa_hole *hole = &flow->unshown[piece->side];

    if (hole->any)
        note_hole(flow, piece, piece->side, hole);
    hole->any = false;
}

void mpa_flow_on_segment(void *ctx, const struct tcp_segment *segment, uint64_t offset, bool acked_known,
                         uint64_t acked)
{
    struct mpa_flow *flow = ctx;
    struct mpa_piece *piece = flow->current;

    (void)acked_known, (void)acked;
    if (piece && piece->side == segment->side && !piece->placed && segment->payload == flow->current_octets) {
        piece->record.offset = offset;
        piece->more->taken = offset;
        piece->placed = true;
        show_hole(flow, piece);
    }
}

/* Takes the captured part of a start-up frame cut by the snap length, if that part includes the header. */
static void note_cut_startup(struct mpa_flow *flow, struct mpa_piece *piece, uint64_t to)
{
    const uint8_t *octets = flow->current_octets + (piece->more->taken - piece->record.offset);
    size_t length = (size_t)(to - piece->more->taken), need;
    struct place place = {.frame = piece->record.frame,
                          .first_frame = piece->record.frame,
                          .offset = piece->more->taken,
                          .side = piece->side,
                          .time_ns = flow->last_time_ns};
    struct mpa_startup frame;
    struct mpa_item *item;

    if (length < MPA_STARTUP_HEADER_LEN || mpa_startup_decode(&frame, &need, octets, length) != MPA_STARTUP_MORE)
        return;
    item = item_new(flow, piece, MPA_ITEM_STARTUP, &place, place.offset, length);
    item->startup.kind = frame.kind;
    item->startup.cut = (uint32_t)(need - length);
    if (flow->startup[frame.kind].frame == 0)
        flow->startup[frame.kind] = (struct mpa_startup_seen){place.frame, place.time_ns};
}

void mpa_flow_on_hole(void *ctx, unsigned side, uint64_t from, uint64_t to, enum hole_cause cause,
                      const struct octets_origin *next)
{
    struct mpa_flow *flow = ctx;
    struct mpa_piece *piece = flow->current;

    (void)next;
    if (!piece) {
        flow->unshown[side] = (struct mpa_hole){true, from, to, cause};
        return;
    }
    if (cause == HOLE_SNAP_LENGTH && piece->placed && piece->side == side && from <= piece_end(piece) &&
        from > piece->more->taken && flow->state->phase <= MPA_PHASE_STARTUP)
        note_cut_startup(flow, piece, from);
    note_hole(flow, piece, side, &(struct mpa_hole){true, from, to, cause});
}

static wmem_map_t *conflicts; /* frame -> struct mpa_conflict; emptied with the file */

void mpa_flow_on_conflict(void *ctx, unsigned side, uint64_t offset, uint8_t first, uint8_t repeated,
                          uint32_t first_frame, const struct tcp_segment *segment)
{
    struct mpa_conflict *conflict = wmem_new(wmem_file_scope(), struct mpa_conflict);

    (void)ctx, (void)side;
    *conflict = (struct mpa_conflict){.offset = offset, .first_frame = first_frame, .first = first, .again = repeated};
    wmem_map_insert(conflicts, GUINT_TO_POINTER(segment->frame), conflict);
}

const struct mpa_conflict *mpa_flow_conflict(uint32_t frame)
{
    return wmem_map_lookup(conflicts, GUINT_TO_POINTER(frame));
}

static struct terminate_layouts *layouts; /* for the capture file's hosts; NULL until the first connection */

/* Connections that both sides have closed, in the order in which they closed; segments may still come. */
static struct {
    struct mpa_flow *first, *last;
    unsigned n;
} closed;

enum { CLOSED_MAX = 128 };
static const int64_t linger_ns = 10000000000;

/* Connections with a stack, ordered by their latest segments. */
static struct {
    struct mpa_flow *oldest, *newest;
    size_t octets;
} open_flows;

enum {
    OCTETS_MAX = 512 << 20,  /* as in iwarp-check with its default memory limit */
    OCTETS_OF_FLOW = 2 << 10 /* estimate for a flow without stacks, its first piece, and Wireshark's own data */
};

/*
 * A flow that has only the beginning of a start-up frame needs no stack. When more octets come, a stack is created and
 * gets the earlier octets first, which has the same effect.
 */
struct mpa_asleep {
    struct mpa_flow_input syn[2], first;
    unsigned syns;
    struct mpa_piece *piece; /* the piece of `first`, whose octets are below; NULL: no octets have come yet */
    uint8_t octets[];
};

static struct stack_options layers[2][2][2][2]; /* by struct mpa_flow_options and rpcrdma_is_chosen() */

void mpa_flow_forget(void)
{
    memset(&closed, 0, sizeof closed);
    memset(&open_flows, 0, sizeof open_flows);
    layouts = NULL;
    spare_items = NULL;
    spare_more = NULL;
}

void mpa_flow_register(void)
{
    conflicts = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), g_direct_hash, g_direct_equal);
}

/* ---- room ---- */

static void leave_open(struct mpa_flow *flow)
{
    if (flow->octets == 0)
        return;
    *(flow->older ? &flow->older->newer : &open_flows.oldest) = flow->newer;
    *(flow->newer ? &flow->newer->older : &open_flows.newest) = flow->older;
    open_flows.octets -= flow->octets;
    flow->octets = 0;
}

static size_t octets_of(const struct mpa_flow *flow)
{
    const struct connection *connection = &flow->connection;

    return OCTETS_OF_FLOW + connection_octets(connection) + (connection->rdmap ? sizeof *connection->rdmap : 0) +
           (connection->rpcrdma ? sizeof *connection->rpcrdma : 0);
}

/* A segment of the connection was taken. The connections that have been idle for longest make room. */
static void note_open(struct mpa_flow *flow)
{
    leave_open(flow);
    flow->octets = octets_of(flow);
    flow->older = open_flows.newest;
    flow->newer = NULL;
    *(flow->older ? &flow->older->newer : &open_flows.oldest) = flow;
    open_flows.newest = flow;
    open_flows.octets += flow->octets;
    while (open_flows.octets > OCTETS_MAX && open_flows.oldest != flow) {
        open_flows.oldest->made_room = true;
        mpa_flow_finish(open_flows.oldest, 0);
    }
}

/* ---- life ---- */

/* A host uses one layout of Terminates in all its connections. Addresses of other kinds are not recorded. */
static struct terminate_host mpa_flow_host_of(const address *host)
{
    struct terminate_host of = {.host.ip = host->type == AT_IPv4 ? 4 : 6};

    if ((host->type != AT_IPv4 && host->type != AT_IPv6) || (size_t)host->len > sizeof of.host.address)
        return of;
    memcpy(of.host.address, host->data, (size_t)host->len);
    if (!layouts)
        layouts = wmem_new0(wmem_file_scope(), struct terminate_layouts);
    of.layouts = layouts;
    return of;
}

/* The pieces of bulk data differ only in their places and numbers. */
static void nth_piece(const struct record *first_record, const struct record *second_record, unsigned n,
                      struct record *out)
{
    const struct mpa_piece *first = (const struct mpa_piece *)first_record;
    const struct mpa_piece *second = (const struct mpa_piece *)second_record;
    struct mpa_piece *piece = (struct mpa_piece *)out;

    piece->next_in_frame = NULL;
    piece->items = NULL;
    piece->key += n * (second->key - first->key);
    piece->number += n * (second->number - first->number);
}

static union record_room made_room;
static const struct run_pattern pattern = {.nth = nth_piece, .room = &made_room};
_Static_assert(sizeof(struct mpa_piece) <= RECORD_MAX, "room for a record that is made");

static const struct stack_options *layers_for(const struct mpa_flow_options *options, const uint16_t port[2])
{
    bool chosen = rpcrdma_is_chosen(port);
    struct stack_options *of = &layers[options->eager_holes][options->accept_midstream][options->payload_only][chosen];

    connection_options(of, rpcrdma_is_enabled() ? rpcrdma_flow_own(chosen) : NULL, options->payload_only);
    of->last = rdmap_is_enabled() ? STACK_ULP : STACK_MPA;
    of->tcp.eager_holes = options->eager_holes;
    of->tcp.at_once = true; /* a piece is drawn when its frame is dissected */
    of->mpa.accept_midstream = options->accept_midstream;
    return of;
}

/* The same state for all connections. */
static const struct mpa_state *first_state(const struct mpa_options *options)
{
    static struct mpa_state first;
    static bool known;
    struct verdict nobody = {.muted = true};
    struct mpa_connection *mpa = known ? NULL : mpa_connection_new(options, NULL, &nobody, NULL);

    if (mpa) {
        first.phase = mpa_connection_phase(mpa);
        first.parameters = *mpa_connection_parameters(mpa);
        known = true;
    }
    mpa_connection_free(mpa);
    return &first;
}

struct mpa_flow *mpa_flow_new(packet_info *pinfo, const struct mpa_flow_options *options)
{
    struct mpa_flow *flow = wmem_new0(wmem_file_scope(), struct mpa_flow);

    copy_address_wmem(wmem_file_scope(), &flow->side0, &pinfo->src);
    flow->port[0] = (uint16_t)pinfo->srcport;
    flow->port[1] = (uint16_t)pinfo->destport;
    flow->connection.start_ns = mpa_time_ns(pinfo);
    flow->layers = layers_for(options, flow->port);
    flow->judge.runs.pattern = &pattern;
    flow->judge.runs.size = sizeof(struct mpa_piece);
    flow->host[0] = mpa_flow_host_of(&pinfo->src);
    flow->host[1] = mpa_flow_host_of(&pinfo->dst);
    for (unsigned side = 0; side < 2; side++)
        flow->connection.host[side] = flow->host[side].host;
    flow->brief = flow->layers->last == STACK_ULP && rdmap_has_ulpdus();
    flow->asleep = wmem_new0(wmem_file_scope(), struct mpa_asleep);
    flow->state = first_state(&flow->layers->mpa);
    return flow;
}

uint8_t mpa_flow_side(const struct mpa_flow *flow, const packet_info *pinfo)
{
    /* On loopback both addresses may be equal, but then the ports differ. */
    return pinfo->srcport == flow->port[0] && addresses_equal(&pinfo->src, &flow->side0) ? 0 : 1;
}

static struct tcp_segment segment_of(const struct mpa_flow_input *input)
{
    return (struct tcp_segment){
        .frame = input->frame,
        .time_ns = input->time_ns,
        .side = input->side,
        .flags = input->flags,
        .sack_permitted = input->sack_permitted,
        .df = input->df,
        .fragmented = input->fragmented,
        .mss = input->mss,
        .window = input->header ? input->window : WINDOW_UNKNOWN,
        .window_scale = input->header ? input->window_scale : WINDOW_SCALE_UNKNOWN,
        .seq = input->seq,
        .ack = input->ack,
        .length = input->length,
        .captured = input->captured,
        .payload = input->octets,
    };
}

/* ---- regular pieces ---- */

static unsigned pad_of(unsigned ulpdu_length)
{
    return (0u - (MPA_LENGTH_LEN + ulpdu_length)) & 3u;
}

/* An FPDU that is fully determined by its octets, p, and its place. */
static bool is_regular_fpdu(const struct mpa_piece *piece, const struct mpa_item *item, const uint8_t *p)
{
    const struct mpa_item *first = piece->items;
    unsigned n = item->fpdu.ulpdu_length;

    return item->kind == MPA_ITEM_FPDU && !item->octets && !item->fpdu.ulpdu && item->fpdu.n_markers == 0 &&
           item->fpdu.cut == 0 && item->fpdu.header_at == 0 && !item->fpdu.after_resync &&
           item->fpdu.crc != MPA_CRC_WRONG && item->fpdu.crc == first->fpdu.crc && item->state == piece->state &&
           item->direction == first->direction && item->place.side == piece->side &&
           item->place.frame == piece->record.frame && item->place.first_frame == piece->record.frame &&
           get_be16(p) == n && item->fpdu.pad_length == pad_of(n) &&
           item->length == MPA_LENGTH_LEN + n + pad_of(n) + MPA_CRC_LEN;
}

static bool is_regular(const struct mpa_piece *piece, const uint8_t *octets)
{
    uint64_t at = piece->record.offset, number = piece->items ? piece->items->fpdu.number : 0;

    if (!piece->placed || piece->repeated || piece->not_mpa || piece->more->late ||
        piece->more->fresh > piece->record.offset)
        return false;
    for (const struct mpa_item *item = piece->items; item; item = item->next, number++) {
        if (item->offset != at || item->offset + item->length > piece_end(piece) ||
            !is_regular_fpdu(piece, item, octets + (at - piece->record.offset)) || item->fpdu.number != number)
            return false;
        at += item->length;
    }
    return piece->items && at == piece_end(piece);
}

/* Called before the next piece: until then the latest piece is being drawn. */
static void forget_items(struct mpa_flow *flow, uint32_t next_frame)
{
    struct mpa_piece *piece = flow->latest;

    flow->latest = NULL;
    if (!piece || !piece->regular || !piece->more)
        return;
    piece->number = piece->items->fpdu.number;
    piece->crc = (uint8_t)piece->items->fpdu.crc;
    piece->direction = (uint8_t)piece->items->direction;
    *piece->more->last = spare_items;
    spare_items = piece->items;
    spare_more = piece->more;
    piece->items = NULL;
    piece->more = NULL;
    if (!piece->next_in_frame && piece->record.frame != next_frame)
        judge_settle(&flow->judge, &piece->record, piece->side);
}

struct mpa_item *mpa_flow_items(const struct mpa_piece *piece, tvbuff_t *tvb, const packet_info *pinfo)
{
    struct mpa_item *first = NULL, **link = &first;
    uint64_t number = piece->number;

    for (unsigned at = 0, n; !piece->more && at < piece->length; at += (*link)->length, link = &(*link)->next) {
        struct mpa_item *item = *link = wmem_new0(pinfo->pool, struct mpa_item);

        n = tvb_get_ntohs(tvb, (int)at);
        item->kind = MPA_ITEM_FPDU;
        item->length = MPA_LENGTH_LEN + n + pad_of(n) + MPA_CRC_LEN;
        item->offset = piece->record.offset + at;
        item->place = (struct place){.frame = piece->record.frame,
                                     .first_frame = piece->record.frame,
                                     .offset = item->offset,
                                     .side = piece->side,
                                     .time_ns = mpa_time_ns(pinfo)};
        item->state = piece->state;
        item->direction = (enum direction)piece->direction;
        item->fpdu.number = number++;
        item->fpdu.crc = (enum mpa_crc_verdict)piece->crc;
        item->fpdu.ulpdu_length = (uint16_t)n;
        item->fpdu.pad_length = (uint8_t)pad_of(n);
        tvb_memcpy(tvb, item->fpdu.pad, (int)(at + MPA_LENGTH_LEN + n), pad_of(n));
        item->fpdu.crc_computed = tvb_get_letohl(tvb, (int)(at + item->length - MPA_CRC_LEN));
    }
    *link = piece->items;
    return first;
}

/* ---- segments ---- */

static void note_closed(struct mpa_flow *flow)
{
    if (flow->closed || tcp_pair_state(stack_tcp(flow->connection.stack)) != TCP_PAIR_CLOSED)
        return;
    flow->closed = true;
    if (closed.first)
        closed.last->next_closed = flow;
    else
        closed.first = flow;
    closed.last = flow;
    closed.n++;
}

static void mpa_flow_give(struct mpa_flow *flow, const struct mpa_flow_input *input)
{
    struct tcp_segment segment = segment_of(input);

    stack_segment(flow->connection.stack, &segment);
    note_closed(flow);
}

static void take_in(struct mpa_flow *flow, struct mpa_piece *piece, const struct mpa_flow_input *input)
{
    piece->more->fresh = tcp_pair_facts(stack_tcp(flow->connection.stack), input->side)->next;
    flow->current = piece;
    flow->current_octets = input->octets;
    mpa_flow_give(flow, input);
    piece->state = flow->state;
    piece->not_mpa = flow->state->phase == MPA_PHASE_NOT_MPA && !piece->items;
    piece->repeated = piece->placed && piece_end(piece) <= piece->more->fresh;
    if (piece->placed && !piece->repeated && piece->more->taken < piece_end(piece))
        open_piece(flow, piece);
    piece->regular = is_regular(piece, input->octets);
    flow->current = NULL;
    flow->current_octets = NULL;
}

/* True: the flow has a stack now. False: out of memory, and the flow is over. */
static bool mpa_flow_wake(struct mpa_flow *flow)
{
    const struct stack_setup setup = {.options = flow->layers,
                                      .taps = &mpa_above_taps,
                                      .port = {flow->port[0], flow->port[1]},
                                      .host = {flow->host[0], flow->host[1]}};
    struct mpa_asleep *asleep = flow->asleep;

    flow->asleep = NULL;
    if (!connection_begin(&flow->connection, &setup, mpa_above_on_finding))
        return false;
    for (unsigned i = 0; i < asleep->syns; i++)
        mpa_flow_syn(flow, &asleep->syn[i]);
    if (asleep->piece) {
        asleep->piece->placed = false;
        take_in(flow, asleep->piece, &asleep->first);
    }
    wmem_free(wmem_file_scope(), asleep);
    return true;
}

static bool is_awake(struct mpa_flow *flow)
{
    return flow->connection.stack || (flow->asleep && mpa_flow_wake(flow));
}

/*
 * The first octets, in which the engine finds nothing until more come. The engine does not wait for more Private Data
 * than allowed.
 */
static bool sleeps_on(const struct mpa_flow *flow, const struct mpa_flow_input *input)
{
    struct mpa_startup frame;
    size_t need;

    return flow->asleep && !flow->asleep->piece && !(input->flags & (TCP_FIN | TCP_SYN | TCP_RST)) &&
           input->captured == input->length && input->length >= MPA_KEY_LEN &&
           mpa_startup_decode(&frame, &need, input->octets, input->captured) == MPA_STARTUP_MORE &&
           need <= MPA_STARTUP_HEADER_LEN + MPA_PRIVATE_DATA_MAX;
}

static void sleep_on(struct mpa_flow *flow, struct mpa_piece *piece, const struct mpa_flow_input *input)
{
    struct mpa_asleep *asleep =
        wmem_realloc(wmem_file_scope(), flow->asleep, sizeof *flow->asleep + (size_t)input->captured);

    memcpy(asleep->octets, input->octets, input->captured);
    asleep->first = *input;
    asleep->first.octets = asleep->octets;
    asleep->piece = piece;
    flow->asleep = asleep;
    piece->placed = true; /* the piece may be drawn before the stack is created */
}

void mpa_flow_syn(struct mpa_flow *flow, const struct mpa_flow_input *syn)
{
    struct mpa_asleep *asleep = flow->asleep;
    struct tcp_segment segment = segment_of(syn);

    if (asleep && !asleep->piece && asleep->syns < G_N_ELEMENTS(asleep->syn))
        asleep->syn[asleep->syns++] = *syn;
    else if (is_awake(flow))
        stack_segment(flow->connection.stack, &segment);
}

bool mpa_flow_is_over(struct mpa_flow *flow, const struct mpa_flow_input *input)
{
    struct tcp_segment segment = segment_of(input);

    if (flow->asleep && !flow->asleep->piece) /* the flow has just begun */
        return false;
    if (!is_awake(flow))
        return tcp_remains_reused(&flow->remains, &segment, false);
    return tcp_boundary(stack_tcp(flow->connection.stack), &segment, NULL) == TCP_BEGINS;
}

const struct tcp_side_facts *mpa_flow_facts(struct mpa_flow *flow, unsigned side)
{
    return is_awake(flow) ? tcp_pair_facts(stack_tcp(flow->connection.stack), side) : NULL;
}

struct mpa_piece *mpa_flow_feed(struct mpa_flow *flow, const struct mpa_flow_input *input)
{
    bool sleeps = sleeps_on(flow, input);
    struct mpa_piece *piece;

    if (flow->asleep && !sleeps && !mpa_flow_wake(flow))
        return NULL;
    forget_items(flow, input->frame);
    flow->latest = piece = piece_new(flow, input);
    flow->last_time_ns = input->time_ns;
    piece->state = flow->state;
    if (sleeps) {
        sleep_on(flow, piece, input);
    } else if (mpa_flow_is_finished(flow)) { /* late: nothing more is looked for in the flow */
        piece->repeated = true;
        piece->unread = flow->made_room;
        return piece;
    } else {
        take_in(flow, piece, input);
    }
    note_open(flow);
    return piece;
}

void mpa_flow_bare(struct mpa_flow *flow, const struct mpa_flow_input *input)
{
    struct tcp_segment segment = segment_of(input);

    if (!is_awake(flow) || tcp_boundary(stack_tcp(flow->connection.stack), &segment, NULL) != TCP_GOES_ON)
        return;
    flow->last_time_ns = input->time_ns;
    mpa_flow_give(flow, input);
    note_open(flow);
}

/* ---- the end ---- */

bool mpa_flow_is_finished(const struct mpa_flow *flow)
{
    return !flow->connection.stack && !flow->asleep;
}

void mpa_flow_finish(struct mpa_flow *flow, int64_t time_ns)
{
    leave_open(flow); /* also if memory for the stack is lacking: making room continues until there is some */
    if (!is_awake(flow))
        return;
    time_ns = MAX(time_ns, flow->last_time_ns);
    stack_finish(flow->connection.stack, time_ns);
    if (flow->connection.rpcrdma)
        rpcrdma_flow_finish(flow->connection.rpcrdma, time_ns);
    flow->remains = tcp_remains(stack_tcp(flow->connection.stack));
    connection_over(&flow->connection);
}

void mpa_flow_retire(int64_t now_ns)
{
    while (closed.first && (closed.n > CLOSED_MAX || now_ns - closed.first->last_time_ns > linger_ns)) {
        struct mpa_flow *flow = closed.first;

        closed.first = flow->next_closed;
        closed.n--;
        mpa_flow_finish(flow, now_ns);
    }
}

const struct mpa_piece *mpa_flow_find(const struct mpa_flow *flow, uint32_t frame, uint8_t side, uint32_t key)
{
    const struct mpa_piece *piece = (const struct mpa_piece *)judge_in_frame(&flow->judge, frame);

    while (piece && (piece->side != side || piece->key != key))
        piece = piece->next_in_frame;
    return piece;
}
