// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/rpcrdma/ib_flow.h"

#include "engine/ib/ib_icrc_senders.h"
#include "engine/packet/decap.h"

#include <epan/wmem_scopes.h>
#include <wiretap/wtap.h>

#include <pcap/dlt.h>

/* First pass only. */
static struct ib_connections *connections; /* of this file; NULL before its first packet */
static struct decap *decap;
static struct ib_icrc_senders *icrc_senders;
static uint32_t fed; /* the latest frame */
static int64_t last_ns;
static bool always_rpcrdma;

static wmem_map_t *frames; /* number -> struct ib_frame; emptied with the file */

/* ---- frames ---- */

const struct ib_frame *rpcrdma_ib_frame(uint32_t number)
{
    return wmem_map_lookup(frames, GUINT_TO_POINTER(number));
}

static struct ib_frame *frame_of(struct rpcrdma_flow *flow, uint32_t number)
{
    struct ib_frame *frame = wmem_map_lookup(frames, GUINT_TO_POINTER(number));

    if (!frame) {
        frame = wmem_new0(wmem_file_scope(), struct ib_frame);
        frame->flow = flow;
        wmem_map_insert(frames, GUINT_TO_POINTER(number), frame);
    }
    return frame;
}

void rpcrdma_ib_keep(struct rpcrdma_flow *flow, struct kept_segment *segment)
{
    struct ib_frame *frame = frame_of(flow, segment->record.frame);
    struct kept_segment **link = &frame->segments;

    while (*link)
        link = &(*link)->packet->next_in_frame;
    *link = segment;
    if (segment->packet->own_frame == segment->record.frame) {
        frame->side = segment->side;
    } else {
        struct ib_frame *own = frame_of(flow, segment->packet->own_frame);

        own->side = segment->side;
        own->taken_in = segment->record.frame;
    }
}

/* ---- Sends of several packets ---- */

void rpcrdma_ib_open_send(struct rpcrdma_flow *flow, struct kept_segment *segment, bool first)
{
    unsigned side = segment->side & 1u;

    segment->packet->of_send = true;
    if (first || !flow->open_send[side])
        flow->open_send[side] = segment;
    else
        flow->last_of_send[side]->packet->next_in_send = segment;
    flow->last_of_send[side] = segment;
}

/* A Send that is the payload of its frame need not be copied. */
static bool needs_octets(const struct kept_segment *first, const struct kept_segment *last)
{
    return first != last || last->packet->own_frame != last->record.frame || last->record.frame < fed;
}

static void note_answer(struct rpcrdma_flow *flow, const struct rpcrdma_message *message, struct kept_message *kept)
{
    unsigned side = message->side & 1u;

    if (message->kind == RPCRDMA_KIND_REPLY || message->kind == RPCRDMA_KIND_ERROR)
        flow->answers[side][flow->n_answers[side]++ % ANSWERS_KEPT] =
            (struct kept_answer){.offset = message->place.offset, .message = kept};
}

void rpcrdma_ib_close_send(struct rpcrdma_flow *flow, const struct rpcrdma_message *message)
{
    struct kept_segment *first = flow->open_send[message->side & 1u];
    struct kept_segment *last = rpcrdma_flow_change(flow, &message->place);

    flow->open_send[message->side & 1u] = NULL;
    if (!first || !last || !last->message || last != flow->last_of_send[message->side & 1u])
        return;
    note_answer(flow, message, last->message);
    last->message->first_in = first->packet->own_frame;
    last->message->last_in = last->packet->own_frame;
    for (struct kept_segment *segment = first; segment; segment = segment->packet->next_in_send)
        segment->packet->part_of = last->message;
    if (needs_octets(first, last)) {
        last->message->octets = wmem_memdup(wmem_file_scope(), message->p, message->n);
        last->message->n = message->n;
    }
}

/* ---- packets before their connection was known ---- */

void rpcrdma_ib_note_untold(struct rpcrdma_flow *flow, struct kept_segment *segment)
{
    if (!segment || segment->record.frame >= fed)
        return;
    if (!flow->untold)
        flow->untold = segment;
    else
        flow->last_untold->packet->next_untold = segment;
    flow->last_untold = segment;
}

const struct kept_segment *rpcrdma_ib_next_untold(struct rpcrdma_flow *flow)
{
    const struct kept_segment *segment = flow->untold;

    if (segment)
        flow->untold = segment->packet->next_untold;
    return segment;
}

/* ---- from the transport into the stack ---- */

static struct rpcrdma_flow *flow_of(struct stack_ib *ib)
{
    return (struct rpcrdma_flow *)((char *)ib - offsetof(struct rpcrdma_flow, ib));
}

static void on_part(void *ctx, const struct ib_rc_part *part)
{
    struct rpcrdma_flow *flow = flow_of(ctx);
    unsigned side = part->place.side & 1u;

    if (!part->packet->info->response) {
        flow->latest[side] = part->place.frame;
        flow->mark[side] = flow->judge.latest;
    }
    flow->up.part(ctx, part);
}

static void on_hole(void *ctx, const struct ib_rc_hole *hole)
{
    struct rpcrdma_flow *flow = flow_of(ctx);
    bool late = hole->after < flow->latest[hole->side & 1u]; /* requests after it have been judged */

    judge_withdraw(&flow->judge, late ? NULL : flow->mark[hole->side & 1u], hole->after);
    flow->up.hole(ctx, hole);
}

/* A side takes an answer with the last copy that is sent before it acknowledges it, as --stats has it. */
static void on_sent_again(void *ctx, const struct place *place)
{
    struct rpcrdma_flow *flow = flow_of(ctx);

    for (unsigned i = 0; i < ANSWERS_KEPT; i++) {
        const struct kept_answer *answer = &flow->answers[place->side & 1u][i];

        if (!answer->message || answer->offset != place->offset)
            continue;
        answer->message->received_in = place->frame;
        answer->message->received_ns = place->time_ns;
    }
}

/* ---- connections come and go ---- */

static bool on_open(void *ctx, struct ib_connection *connection, struct ib_rc_events *events)
{
    struct rpcrdma_flow *flow = rpcrdma_flow_of_ib(connection, always_rpcrdma);

    (void)ctx;
    connection->host = flow;
    if (!flow)
        return false;
    *events = flow->up = stack_ib_events(&flow->ib);
    events->part = on_part;
    events->hole = on_hole;
    events->sent_again = on_sent_again;
    return true;
}

static void on_managed(void *ctx, struct ib_connection *connection, unsigned side, const struct ib_cm *cm,
                       const struct place *place)
{
    struct rpcrdma_flow *flow = connection->host;

    (void)ctx;
    stack_ib_managed(&flow->ib, side, cm, place);
}

static void on_close(void *ctx, struct ib_connection *connection, enum ib_connection_end why, int64_t now_ns)
{
    struct rpcrdma_flow *flow = connection->host;

    (void)ctx, (void)why;
    stack_ib_finish(&flow->ib, now_ns);
}

/* ---- packets ---- */

static bool ready(void)
{
    const struct ib_connections_options options = {0};
    const struct ib_connection_events events = {.open = on_open, .managed = on_managed, .close = on_close};

    if (!decap)
        decap = decap_new(0);
    if (!connections)
        connections = ib_connections_new(&options, &events);
    if (!icrc_senders)
        icrc_senders = ib_icrc_senders_new();
    return decap && connections && icrc_senders;
}

static int linktype_of(int encapsulation)
{
    static const struct {
        int encapsulation, linktype;
    } known[] = {
        {WTAP_ENCAP_ETHERNET, DLT_EN10MB}, {WTAP_ENCAP_SLL, DLT_LINUX_SLL}, {WTAP_ENCAP_SLL2, DLT_LINUX_SLL2},
        {WTAP_ENCAP_RAW_IP, DLT_RAW},      {WTAP_ENCAP_RAW_IP4, DLT_IPV4},  {WTAP_ENCAP_RAW_IP6, DLT_IPV6},
        {WTAP_ENCAP_NULL, DLT_NULL},       {WTAP_ENCAP_LOOP, DLT_LOOP},     {WTAP_ENCAP_INFINIBAND, DLT_INFINIBAND},
        {WTAP_ENCAP_ERF, DLT_INFINIBAND}, /* wiretap has removed the record header */
    };

    for (size_t i = 0; i < array_length(known); i++) {
        if (known[i].encapsulation == encapsulation)
            return known[i].linktype;
    }
    return -1;
}

/* The frame as iwarp-check sees it. */
static struct packet packet_of(const packet_info *pinfo)
{
    tvbuff_t *tvb = get_data_source_tvb(pinfo->data_src->data);
    uint32_t captured = tvb_captured_length(tvb);

    return (struct packet){.frame = pinfo->num,
                           .time_ns = (int64_t)pinfo->abs_ts.secs * 1000000000 + pinfo->abs_ts.nsecs,
                           .length = MAX(tvb_reported_length(tvb), captured),
                           .captured = captured,
                           .data = tvb_get_ptr(tvb, 0, (int)captured),
                           .linktype = linktype_of(pinfo->rec->rec_header.packet_header.pkt_encap)};
}

void rpcrdma_ib_clock(const packet_info *pinfo)
{
    if (connections && !PINFO_FD_VISITED(pinfo))
        last_ns = (int64_t)pinfo->abs_ts.secs * 1000000000 + pinfo->abs_ts.nsecs;
}

/* Whether the packet that was just taken is a retransmission. */
static bool is_repeated(struct rpcrdma_flow *flow, const struct ib_connection *connection)
{
    const struct ib_rc_counts *counts = ib_rc_counts(connection->rc);
    uint64_t before = flow->repeats;

    flow->repeats = counts->retransmitted[0] + counts->retransmitted[1] + counts->repeated_responses[0] +
                    counts->repeated_responses[1];
    return flow->repeats != before;
}

/* Retransmissions follow closely, and each frame is looked up. */
static uint32_t copied_frame(const struct ib_frame *again)
{
    enum { FRAMES_BACK_MAX = 4096 };

    for (uint32_t number = fed - 1; number > 0 && fed - number <= FRAMES_BACK_MAX; number--) {
        const struct ib_frame *frame = rpcrdma_ib_frame(number);

        if (frame && frame->info && frame->flow == again->flow && frame->side == again->side &&
            frame->psn == again->psn && frame->info->response == again->info->response)
            return number;
    }
    return 0;
}

/* Its own packet was given to the stack. */
static bool is_reported(const struct ib_frame *frame)
{
    for (const struct kept_segment *segment = frame->segments; segment; segment = segment->packet->next_in_frame) {
        if (segment->packet->own_frame == fed)
            return true;
    }
    return false;
}

static void take(const struct packet *whole, const struct ib_datagram *datagram)
{
    struct ib_packet packet;
    struct ib_arrival arrival;
    const struct ib_connection *connection;
    struct ib_frame *frame;

    if (ib_packet_decode(&packet, datagram->p, datagram->length, datagram->captured) != IB_DECODED)
        return;
    arrival = ib_arrival_of(datagram, &packet);
    if (ib_icrc_drops(icrc_senders, &arrival, ib_datagram_icrc(datagram, &packet))) { /* as iwarp-check does */
        connection = ib_connections_find(connections, &arrival);
        if (connection && packet.info && !packet.info->response)
            ib_rc_damaged(connection->rc, ib_connection_sender(connection, &arrival));
        return;
    }
    connection = ib_connections_packet(connections, &arrival);
    if (!connection || !connection->host)
        return;
    if (packet.info && packet.info->response) {
        unsigned other = other_side(ib_connection_sender(connection, &arrival));

        ib_icrc_acked(icrc_senders, &connection->address[other], ib_rc_damaged_acked(connection->rc, other));
    }
    frame = frame_of(connection->host, fed);
    frame->side = (uint8_t)ib_connection_sender(connection, &arrival);
    frame->repeated = is_repeated(connection->host, connection);
    frame->psn = packet.bth.psn;
    frame->info = packet.info;
    frame->waits = !frame->repeated && frame->info && !frame->info->response && !is_reported(frame);
    if (frame->repeated && frame->info)
        frame->copies = copied_frame(frame);
    frame->qp = packet.bth.qp;
    if (datagram->captured < datagram->length && ib_service_of(packet.bth.opcode) == IB_RC) {
        frame->cut = packet.info;
        frame->payload_captured = (uint32_t)packet.payload_captured;
        frame->payload_len = (uint32_t)packet.payload_len;
        if (packet.payload > whole->data && packet.payload <= whole->data + whole->captured)
            frame->payload_at = (uint32_t)(packet.payload - whole->data);
    }
}

void rpcrdma_ib_feed(const packet_info *pinfo, bool always)
{
    struct addressed_segment tcp = {0};
    struct ib_datagram datagram = {0};
    struct packet packet;

    if (pinfo->num <= fed || PINFO_FD_VISITED(pinfo) || !pinfo->data_src || !ready())
        return;
    fed = pinfo->num;
    always_rpcrdma = always;
    packet = packet_of(pinfo);
    last_ns = packet.time_ns;
    if (decap_packet(decap, &packet, &tcp, &datagram) != DECAP_IB)
        return;
    take(&packet, &datagram);
}

/* ---- the file ---- */

/* What only the end of the capture decides; shown from the second pass on. */
static void first_pass_over(void)
{
    if (connections)
        ib_connections_finish(connections, last_ns);
}

static void file_closed(void)
{
    ib_connections_free(connections);
    connections = NULL;
    decap_free(decap);
    decap = NULL;
    ib_icrc_senders_free(icrc_senders);
    icrc_senders = NULL;
    fed = 0;
}

void rpcrdma_ib_flow_register(void)
{
    register_cleanup_routine(file_closed);
    register_postseq_cleanup_routine(first_pass_over);
    frames = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), g_direct_hash, g_direct_equal);
}
