// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Wireshark's InfiniBand dissector passes on payload and private data, but no Acknowledges, no Atomics, no connection
 * management without private data, and no packets cut by the snap length. Therefore each of its frames is decapsulated
 * again on the first pass, in the same way as in iwarp-check. The packets go to engine/ib/ib_connections.h, whose
 * events go to the stack of the connection.
 */
#include "plugins/rpcrdma/ib_flow.h"
#include "plugins/common/by_frame.h"
#include "plugins/common/keep.h"
#include "plugins/ib/ib_plugin.h"
#include "plugins/rpcrdma/rpcrdma_plugin.h"
#include "plugins/ulp/ulp_plugin.h"

#include "engine/ib/ib_icrc_senders.h"
#include "engine/packet/decap.h"

#include <epan/wmem_scopes.h>
#include <wiretap/wtap.h>

#include <pcap/dlt.h>

/* First pass only. */
static struct ib_connections *connections; /* of this file; NULL before the first packet */
static struct decap *decap;
static struct ib_icrc_senders *icrc_senders;
static uint32_t fed; /* the latest frame */
static int64_t last_ns;

static struct by_frame frames; /* struct ib_frame */
static wmem_map_t *differing;  /* numbers of retransmissions that differ -> how; emptied with the file */
static wmem_map_t *forgotten;  /* numbers of frames whose queue pair had to make room; emptied with the file */
static uint32_t n_connections; /* one more than the highest number */

enum { UNPAIRED_MAX = 16384 }; /* as in iwarp-check with its default memory limit */

/* ---- frames ---- */

const struct ib_frame *ib_flow_frame(uint32_t number)
{
    return by_frame_get(&frames, number);
}

static struct ib_frame_more nothing_special;

static struct ib_frame_more *ib_flow_more_of(struct ib_frame *frame)
{
    if (frame->more == &nothing_special)
        frame->more = keep_new(sizeof *frame->more);
    return frame->more;
}

static struct ib_frame *flow_frame_of(struct ib_flow *flow, uint32_t number)
{
    struct ib_frame *frame = by_frame_get(&frames, number);

    if (!frame) {
        frame = keep_new(sizeof *frame);
        frame->connection = &flow->connection;
        frame->more = &nothing_special;
        by_frame_put(&frames, number, frame);
    }
    return frame;
}

const char *ib_flow_difference(uint32_t number)
{
    return wmem_map_lookup(differing, GUINT_TO_POINTER(number));
}

uint32_t ib_flow_connections(void)
{
    return n_connections;
}

bool ib_flow_is_forgotten(uint32_t number)
{
    return wmem_map_contains(forgotten, GUINT_TO_POINTER(number));
}

static void on_forgotten(void *ctx, uint32_t number)
{
    (void)ctx;
    wmem_map_insert(forgotten, GUINT_TO_POINTER(number), GUINT_TO_POINTER(number));
}

/* A packet may be reported in a later frame than its own. */
static void note_reported(struct ib_flow *flow, const struct place *place)
{
    uint32_t own = place->first_frame != 0 ? place->first_frame : place->frame;
    struct ib_frame *frame = flow_frame_of(flow, own);

    frame->side = place->side;
    frame->reported |= own == fed;
    if (own != place->frame) {
        ib_flow_more_of(frame)->taken_in = place->frame;
        flow_frame_of(flow, place->frame);
    }
}

/* ---- from the transport to the stack ---- */

static void flow_on_part(void *ctx, const struct ib_rc_part *part)
{
    struct ib_flow *flow = ctx;

    note_reported(flow, &part->place);
    if (flow->connection.rpcrdma)
        rpcrdma_ib_on_part(flow->connection.rpcrdma, part);
    flow->up.part(ctx, part);
}

static void flow_on_hole(void *ctx, const struct ib_rc_hole *hole)
{
    struct ib_flow *flow = ctx;

    if (flow->connection.rpcrdma)
        rpcrdma_ib_on_hole(flow->connection.rpcrdma, &flow->connection.verdict, hole);
    flow->up.hole(ctx, hole);
}

static void flow_on_sent_again(void *ctx, const struct place *place)
{
    struct ib_flow *flow = ctx;

    if (flow->connection.rpcrdma)
        rpcrdma_ib_on_sent_again(flow->connection.rpcrdma, place);
}

/* The packet may have come before its connection was known. */
static void flow_on_copy(void *ctx, const struct ib_rc_copy *copy)
{
    struct ib_flow *flow = ctx;
    struct ib_frame *frame = flow_frame_of(flow, copy->place.frame);

    frame->side = copy->place.side;
    frame->repeated = true;
    if (copy->difference)
        wmem_map_insert(differing, GUINT_TO_POINTER(copy->place.frame),
                        wmem_strdup(wmem_file_scope(), copy->difference));
    flow->up.copy(ctx, copy);
}

/* ---- from the stack to the layers ---- */

static void flow_give_part(void *ctx, const struct rdma_part *part)
{
    struct connection *connection = ctx;

    if (connection->rpcrdma)
        rpcrdma_flow_on_part(connection->rpcrdma, part);
}

static void flow_give_private_data(void *ctx, const struct rdma_private_data *data)
{
    struct connection *connection = ctx;

    if (connection->rpcrdma)
        rpcrdma_flow_on_private_data(connection->rpcrdma, data);
}

static void flow_give_refusal(void *ctx, const struct rdma_refusal *refusal)
{
    struct connection *connection = ctx;

    if (connection->rpcrdma)
        rpcrdma_flow_on_refusal(connection->rpcrdma, refusal);
}

static void flow_on_finding(void *ctx, const struct finding *finding)
{
    struct connection *connection = ctx;

    if (connection->rpcrdma)
        judge_take(&connection->rpcrdma->judge, finding);
}

/* ---- connections come and go ---- */

static const struct stack_options *flow_options(void)
{
    static struct stack_options options[3];
    const bool wanted = rpcrdma_ib_is_wanted(), forced = wanted && rpcrdma_ib_is_forced();
    struct stack_options *of = &options[wanted + forced];

    connection_options(of, wanted ? rpcrdma_flow_own(forced) : NULL, false);
    of->first = STACK_ULP;
    return of;
}

static struct endpoint flow_host_of(const struct ib_address *address)
{
    struct endpoint endpoint = {.ip = address->kind == IB_ADDRESS_IPV4 ? 4 : 6};

    if (address->kind == IB_ADDRESS_LID)
        endpoint.ip = 0;
    memcpy(endpoint.address, address->octets, sizeof endpoint.address);
    return endpoint;
}

static bool flow_on_open(void *ctx, struct ib_connection *connection, struct ib_rc_events *events)
{
    static const struct stack_taps taps = {.part = flow_give_part,
                                           .private_data = flow_give_private_data,
                                           .refusal = flow_give_refusal,
                                           .said = ulp_plugin_on_said_ib};
    const struct stack_setup setup = {.options = flow_options(), .taps = &taps};
    struct ib_flow *flow = wmem_new0(wmem_file_scope(), struct ib_flow);

    (void)ctx;
    flow->connection.number = connection->id;
    n_connections = MAX(n_connections, connection->id + 1);
    flow->connection.start_ns = connection->start_ns;
    for (unsigned side = 0; side < 2; side++)
        flow->connection.host[side] = flow_host_of(&connection->address[side]);
    if (!connection_begin(&flow->connection, &setup, flow_on_finding))
        return false;
    if (setup.options->own)
        rpcrdma_flow_begin(&flow->connection, &fed);
    flow->ib = (struct stack_ib){.stack = flow->connection.stack, .connection = connection};
    flow->up = stack_ib_events(&flow->ib);
    *events = flow->up;
    events->part = flow_on_part;
    events->hole = flow_on_hole;
    events->sent_again = flow_on_sent_again;
    events->copy = flow_on_copy;
    connection->host = flow;
    return true;
}

static void flow_on_managed(void *ctx, struct ib_connection *connection, unsigned side, const struct ib_cm *cm,
                            const struct place *place)
{
    struct ib_flow *flow = connection->host;

    (void)ctx;
    stack_ib_managed(&flow->ib, side, cm, place);
}

static void flow_on_close(void *ctx, struct ib_connection *connection, enum ib_connection_end why, int64_t now_ns)
{
    struct ib_flow *flow = connection->host;

    (void)ctx, (void)why;
    stack_ib_finish(&flow->ib, now_ns);
    if (flow->connection.rpcrdma)
        rpcrdma_flow_finish(flow->connection.rpcrdma, now_ns);
    connection_over(&flow->connection);
}

/* ---- packets ---- */

static bool ready(void)
{
    const struct ib_connections_options options = {
        .max_unpaired = UNPAIRED_MAX,
        .rc.at_once = true, /* a packet is drawn when its frame is dissected */
    };
    const struct ib_connection_events events = {
        .open = flow_on_open, .managed = flow_on_managed, .close = flow_on_close, .forgotten = on_forgotten};

    if (!decap)
        decap = decap_new(0);
    if (!connections)
        connections = ib_connections_new(&options, &events);
    if (!icrc_senders)
        icrc_senders = ib_icrc_senders_new();
    return decap && connections && icrc_senders;
}

/* wiretap has removed the header of ERF records, and the octets before an Ethernet frame. */
static int linktype_of_erf(const packet_info *pinfo)
{
    enum { INFINIBAND = 21, EXTENDED = 0x80 };

    return (pinfo->pseudo_header->erf.phdr.type & ~EXTENDED) == INFINIBAND ? DLT_INFINIBAND : DLT_EN10MB;
}

static int linktype_of(const packet_info *pinfo)
{
    int encapsulation = pinfo->rec->rec_header.packet_header.pkt_encap;
    static const struct {
        int encapsulation, linktype;
    } known[] = {
        {WTAP_ENCAP_ETHERNET, DLT_EN10MB}, {WTAP_ENCAP_SLL, DLT_LINUX_SLL}, {WTAP_ENCAP_SLL2, DLT_LINUX_SLL2},
        {WTAP_ENCAP_RAW_IP, DLT_RAW},      {WTAP_ENCAP_RAW_IP4, DLT_IPV4},  {WTAP_ENCAP_RAW_IP6, DLT_IPV6},
        {WTAP_ENCAP_NULL, DLT_NULL},       {WTAP_ENCAP_LOOP, DLT_LOOP},     {WTAP_ENCAP_INFINIBAND, DLT_INFINIBAND},
        {WTAP_ENCAP_NFLOG, DLT_NFLOG},
    };

    if (encapsulation == WTAP_ENCAP_ERF)
        return linktype_of_erf(pinfo);
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
                           .linktype = linktype_of(pinfo)};
}

void ib_flow_clock(const packet_info *pinfo)
{
    if (connections && !PINFO_FD_VISITED(pinfo))
        last_ns = (int64_t)pinfo->abs_ts.secs * 1000000000 + pinfo->abs_ts.nsecs;
}

/* Whether the latest packet is a retransmission. */
static bool is_repeated(struct ib_flow *flow, const struct ib_connection *connection)
{
    const struct ib_rc_counts *counts = ib_rc_counts(connection->rc);
    uint64_t before = flow->repeats;

    flow->repeats = counts->retransmitted[0] + counts->retransmitted[1] + counts->repeated_responses[0] +
                    counts->repeated_responses[1];
    return flow->repeats != before;
}

/* Retransmissions follow closely, so a search frame by frame is enough. */
static uint32_t copied_frame(const struct ib_frame *again, const struct ib_opcode_info *info)
{
    enum { FRAMES_BACK_MAX = 4096 };

    for (uint32_t number = fed - 1; number > 0 && fed - number <= FRAMES_BACK_MAX; number--) {
        const struct ib_frame *before = ib_flow_frame(number);
        const struct ib_opcode_info *its = before ? ib_frame_info(before) : NULL;

        if (its && before->connection == again->connection && before->side == again->side &&
            before->psn == again->psn && its->response == info->response)
            return number;
    }
    return 0;
}

/* The ICRC is wrong, so the receiver drops the packet: the same as in iwarp-check. */
static void flow_drop(const struct ib_arrival *arrival)
{
    const struct ib_connection *connection = ib_connections_find(connections, arrival);
    const struct ib_opcode_info *info = arrival->packet->info;

    if (connection && info && !info->response)
        ib_rc_damaged(connection->rc, ib_connection_sender(connection, arrival), arrival->packet);
}

static void note_cut(struct ib_frame_more *more, const struct packet *whole, const struct ib_packet *packet)
{
    more->cut = packet->info;
    more->qp = packet->bth.qp;
    more->payload_captured = (uint32_t)packet->payload_captured;
    more->payload_len = (uint32_t)packet->payload_len;
    if (packet->payload > whole->data && packet->payload <= whole->data + whole->captured)
        more->payload_at = (uint32_t)(packet->payload - whole->data);
}

/* The packet of this frame was given to its connection. */
static struct ib_frame *note_frame(struct ib_flow *flow, const struct ib_connection *connection,
                                   const struct ib_arrival *arrival)
{
    const struct ib_packet *packet = arrival->packet;
    struct ib_frame *frame = flow_frame_of(flow, fed);

    frame->side = (uint8_t)ib_connection_sender(connection, arrival);
    frame->repeated = is_repeated(flow, connection);
    frame->psn = packet->bth.psn;
    frame->opcode = packet->bth.opcode;
    frame->given = true;
    frame->waits = !frame->repeated && packet->info && !packet->info->response && !frame->reported;
    if (frame->repeated && packet->info)
        ib_flow_more_of(frame)->copies = copied_frame(frame, packet->info);
    return frame;
}

static void flow_take(const struct packet *whole, const struct ib_datagram *datagram)
{
    struct ib_packet packet;
    struct ib_arrival arrival;
    const struct ib_connection *connection;
    struct ib_frame *frame;
    enum icrc_status icrc;

    if (ib_packet_decode(&packet, datagram->p, datagram->length, datagram->captured) != IB_DECODED)
        return;
    packet.tap = datagram->tap;
    arrival = ib_arrival_of(datagram, &packet);
    icrc = ib_datagram_icrc(datagram, &packet);
    packet.icrc_wrong = icrc == ICRC_WRONG;
    if (ib_is_other_version(&packet))
        return;
    if (ib_icrc_drops(icrc_senders, &arrival, icrc)) {
        flow_drop(&arrival);
        return;
    }
    connection = ib_connections_packet(connections, &arrival);
    if (!connection || !connection->host)
        return;
    if (packet.info && packet.info->response) {
        unsigned other = other_side(ib_connection_sender(connection, &arrival));

        ib_icrc_acked(icrc_senders, &connection->address[other], ib_rc_damaged_acked(connection->rc, other));
    }
    frame = note_frame(connection->host, connection, &arrival);
    if (datagram->captured < datagram->length && ib_service_of(packet.bth.opcode) == IB_RC)
        note_cut(ib_flow_more_of(frame), whole, &packet);
}

void ib_flow_feed(const packet_info *pinfo)
{
    struct addressed_segment tcp = {0};
    struct ib_datagram datagram = {0};
    struct packet packet;

    if (pinfo->num <= fed || PINFO_FD_VISITED(pinfo) || !pinfo->data_src || !ready())
        return;
    fed = pinfo->num;
    packet = packet_of(pinfo);
    last_ns = packet.time_ns;
    if (decap_packet(decap, &packet, &tcp, &datagram) == DECAP_IB)
        flow_take(&packet, &datagram);
}

/* ---- the file ---- */

/* Events that only the end of the capture decides; shown from the second pass on. */
void ib_flow_first_pass_over(void)
{
    if (connections)
        ib_connections_finish(connections, last_ns);
}

static void flow_file_closed(void)
{
    ib_connections_free(connections);
    connections = NULL;
    decap_free(decap);
    decap = NULL;
    ib_icrc_senders_free(icrc_senders);
    icrc_senders = NULL;
    frames = (struct by_frame){NULL, 0};
    fed = n_connections = 0;
}

void ib_flow_register(void)
{
    register_cleanup_routine(flow_file_closed);
    differing = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), g_direct_hash, g_direct_equal);
    forgotten = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), g_direct_hash, g_direct_equal);
}
