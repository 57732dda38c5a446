// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Entry points: how a TCP connection is claimed, and how its octets reach flow.c on the first pass and draw.c on all
 * passes.
 *
 * A connection is claimed when the heuristic finds the key of an MPA Request or Reply Frame anywhere in its stream, or
 * when the user assigns it ("Decode As", the port preference). Starting with the frame that holds the key, mpa is the
 * dissector of the conversation; earlier frames are left to others.
 */
#include "plugins/mpa/headers.h"
#include "plugins/mpa/mpa_plugin.h"

#include <epan/prefs-int.h>
#include <epan/prefs.h>

#include <string.h>

struct mpa_prefs mpa_prefs = {.verify_crc = 1, .accept_midstream = 1};

/* Bits of conversation_completeness, as the TCP dissector names them in tcp.completeness. */
enum { COMPLETE_SYN = 0x01, COMPLETE_SYN_ACK = 0x02 };

enum {
    KEY_DAMAGED_MIN = 12,
    IPV4_ADDRESS_LEN = 4,
    IPV6_ADDRESS_LEN = 16,
};

static dissector_handle_t mpa_handle;
static struct mpa_flow *flows; /* in this file, the latest first */

/*
 * Preferences of the TCP dissector; NULL: it has no such preference. Looked up once, because each segment needs them.
 */
static pref_t *analyze_pref, *relative_pref;

static pref_t *tcp_preference(const char *name)
{
    module_t *tcp = prefs_find_module("tcp");

    return tcp ? prefs_find_preference(tcp, name) : NULL;
}

static bool is_set(pref_t *pref)
{
    return pref && prefs_get_bool_value(pref, pref_current);
}

/*
 * Sequence numbers as on the wire: some rules concern their wrap. By default the TCP dissector passes relative numbers.
 */
struct numbers {
    uint32_t seq, ack;
    bool ack_known;
};

static struct numbers numbers_on_wire(const struct tcpinfo *tcp, const struct tcp_analysis *analysis)
{
    struct numbers numbers = {tcp->seq, tcp->lastackseq, tcp->flags & TCP_ACK};

    if (analysis && is_set(analyze_pref) && is_set(relative_pref)) {
        numbers.seq += analysis->fwd->base_seq;
        numbers.ack += analysis->rev->base_seq;
    }
    return numbers;
}

/* The last octets that a side sent, if a key may begin in them. */
struct tail {
    uint32_t frame; /* 0: none */
    int64_t time_ns;
    uint32_t port;
    struct numbers numbers;
    uint8_t length;
    uint8_t octets[MPA_KEY_LEN];
};

/* The plugin's data about a TCP conversation. */
struct claim {
    struct mpa_flow *flow; /* the latest flow; NULL: not claimed */
    bool tried, foreign;   /* by midstream(): with this flow, which is not claimed yet; unsuccessfully */
    struct tail tail[2];
    /* The latest SYNs, sent by initiator and responder; frame 0: none. */
    struct tcp_segment syn, syn_ack;
};

/*
 * The conversation of the latest segment, which is usually also that of the next segment: Wireshark's lookup costs a
 * tenth of what the plugins do for an FPDU. On the first pass it stays the same until another TCP conversation begins.
 */
static struct {
    conversation_t *conversation; /* NULL: none */
    guint32 streams;              /* TCP conversations so far */
    uint32_t port[2];
    int type;
    size_t length; /* of each address */
    uint8_t address[2][IPV6_ADDRESS_LEN];
} recent;

static bool is_recent(const packet_info *pinfo)
{
    return recent.conversation && !PINFO_FD_VISITED(pinfo) && recent.streams == get_tcp_stream_count() &&
           pinfo->srcport == recent.port[0] && pinfo->destport == recent.port[1] && pinfo->src.type == recent.type &&
           pinfo->dst.type == recent.type && memcmp(pinfo->src.data, recent.address[0], recent.length) == 0 &&
           memcmp(pinfo->dst.data, recent.address[1], recent.length) == 0;
}

static conversation_t *conversation_of(packet_info *pinfo)
{
    conversation_t *conversation;

    if (is_recent(pinfo))
        return recent.conversation;
    conversation = find_or_create_conversation(pinfo);
    recent.conversation = NULL;
    if (!compat_ports_identify_conversation() || pinfo->src.type != pinfo->dst.type ||
        (pinfo->src.type != AT_IPv4 && pinfo->src.type != AT_IPv6))
        return conversation;
    recent.conversation = conversation;
    recent.streams = get_tcp_stream_count();
    recent.port[0] = pinfo->srcport;
    recent.port[1] = pinfo->destport;
    recent.type = pinfo->src.type;
    recent.length = pinfo->src.type == AT_IPv4 ? IPV4_ADDRESS_LEN : IPV6_ADDRESS_LEN;
    memcpy(recent.address[0], pinfo->src.data, recent.length);
    memcpy(recent.address[1], pinfo->dst.data, recent.length);
    return conversation;
}

static struct claim *claim_of(conversation_t *conversation)
{
    struct claim *claim = conversation_get_proto_data(conversation, mpa_proto);

    if (!claim) {
        claim = wmem_new0(wmem_file_scope(), struct claim);
        conversation_add_proto_data(conversation, mpa_proto, claim);
    }
    return claim;
}

/* ---- the beginning of a connection ---- */

static bool syns_seen(const struct tcp_analysis *tcp)
{
    return tcp &&
           (tcp->conversation_completeness & (COMPLETE_SYN | COMPLETE_SYN_ACK)) == (COMPLETE_SYN | COMPLETE_SYN_ACK);
}

/* Sequence numbers of the first octet of either side's stream: of the sender of the current packet, and of its peer. */
struct starts {
    uint32_t sender, peer;
};

/* Copies what the header says in addition to sequence numbers. */
static void mpa_dissect_take_header(struct mpa_flow_input *input, const struct tcp_segment *segment)
{
    input->header = true;
    input->sack_permitted = segment->sack_permitted;
    input->df = segment->df;
    input->fragmented = segment->fragmented;
    input->mss = segment->mss;
    input->window = segment->window;
    input->window_scale = segment->window_scale;
}

static void mpa_dissect_take_syn(struct mpa_flow_input *input, const struct tcp_segment *syn)
{
    mpa_dissect_take_header(input, syn);
    input->frame = syn->frame;
    input->time_ns = syn->time_ns;
}

/*
 * If the SYNs were captured, the first octet is the first of the stream. The TCP dissector does not pass SYNs on, but
 * records them.
 */
static void tell_syns(const struct claim *claim, packet_info *pinfo, const struct tcp_analysis *tcp,
                      const struct starts *starts)
{
    struct mpa_flow_input mine = {.frame = pinfo->num,
                                  .time_ns = mpa_headers_time(pinfo),
                                  .side = 0,
                                  .flags = TCP_SYN,
                                  .sack_permitted = true, /* as far as is known */
                                  .seq = starts->sender - 1};
    struct mpa_flow_input theirs = mine, *opens, *answers;

    if (!syns_seen(tcp))
        return;
    theirs.side = 1;
    theirs.seq = starts->peer - 1;
    opens = pinfo->srcport == tcp->server_port ? &theirs : &mine;
    answers = opens == &mine ? &theirs : &mine;
    answers->flags |= TCP_ACK;
    answers->ack = opens->seq + 1;
    if (claim->syn.frame != 0 && claim->syn_ack.frame != 0 && claim->syn_ack.ack == claim->syn.seq + 1) {
        mpa_dissect_take_syn(opens, &claim->syn);
        mpa_dissect_take_syn(answers, &claim->syn_ack);
    }
    mpa_flow_syn(claim->flow, opens);
    mpa_flow_syn(claim->flow, answers);
}

/* The whole connection is claimed: its streams begin after the SYNs. */
static struct starts starts_of_connection(const struct tcp_analysis *tcp)
{
    return (struct starts){.sender = tcp->fwd->base_seq + 1, .peer = tcp->rev->base_seq + 1};
}

/*
 * The connection is claimed from the start-up frame, at numbers->seq. Anything that either side sent earlier is
 * streaming data, which the engine need not see. However, if that frame is a Reply, the other side's Request is
 * missing.
 */
static struct starts starts_of_startup(const struct tcp_analysis *tcp, const struct numbers *numbers,
                                       enum mpa_startup_kind kind)
{
    return (struct starts){.sender = numbers->seq, .peer = kind == MPA_REQUEST ? numbers->ack : tcp->rev->base_seq + 1};
}

/* Records the initial sequence numbers; sender: of the current packet. */
static void note_base(struct mpa_flow *flow, unsigned sender, const struct tcp_analysis *analysis)
{
    flow->base[sender] = analysis->fwd->base_seq;
    flow->base[1 - sender] = analysis->rev->base_seq;
}

static void flow_begin(struct claim *claim, packet_info *pinfo)
{
    const struct tcp_analysis *analysis = get_tcp_conversation_data(NULL, pinfo);
    struct mpa_flow *former = claim->flow;
    struct mpa_flow_options options = {
        /* With sequence analysis the TCP dissector passes each octet once and in order, or never. */
        .eager_holes = is_set(analyze_pref),
        .accept_midstream = mpa_prefs.accept_midstream,
        .payload_only = !mpa_tcp_header(pinfo),
    };

    mpa_flow_retire(mpa_headers_time(pinfo));
    claim->flow = mpa_flow_new(pinfo, &options);
    claim->flow->connection.tcp_stream = analysis ? analysis->stream : 0;
    claim->flow->former = former;
    claim->flow->first_frame = pinfo->num;
    if (analysis)
        note_base(claim->flow, 0, analysis);
    claim->flow->connection.number = flows ? flows->connection.number + 1 : 0;
    claim->flow->next = flows;
    flows = claim->flow;
}

/*
 * Octets that were held back come with a segment whose flags and ACK number belong to other octets. The number only
 * shows that octets of the other side are lost, or held back, too.
 */
static bool lags(struct mpa_flow *flow, unsigned side, const struct numbers *numbers)
{
    const struct tcp_side_facts *facts = mpa_flow_facts(flow, side);

    return facts && numbers->ack_known && (int32_t)(numbers->ack - facts->isn - (uint32_t)facts->next) > 0;
}

static struct mpa_flow_input input_of(struct mpa_flow *flow, tvbuff_t *tvb, packet_info *pinfo,
                                      const struct tcpinfo *tcp, const struct numbers *numbers)
{
    uint32_t captured = tvb_captured_length(tvb), length = tvb_reported_length(tvb);
    const struct mpa_header *header = mpa_tcp_header(pinfo);
    struct mpa_flow_input input = {
        .frame = pinfo->num,
        .time_ns = mpa_headers_time(pinfo),
        .side = mpa_flow_side(flow, pinfo),
        .flags = (uint8_t)((tcp->flags & (TCP_FIN | TCP_SYN | TCP_RST | TCP_PSH)) | (numbers->ack_known ? TCP_ACK : 0)),
        .df = true,
        .key = tcp->seq,
        .seq = numbers->seq,
        .ack = numbers->ack,
        .length = length,
        .captured = captured,
        .octets = tvb_get_ptr(tvb, 0, (int)captured),
    };

    if (header ? numbers->seq + length != header->segment.seq + header->segment.length : tcp->is_reassembled) {
        input.flags = lags(flow, 1u - input.side, numbers) ? TCP_ACK : 0;
        return input;
    }
    if (header)
        mpa_dissect_take_header(&input, &header->segment);
    return input;
}

/* A new SYN was seen in the meantime. */
static bool base_changed(const struct mpa_flow *flow, unsigned sender, const struct tcp_analysis *analysis)
{
    return analysis && syns_seen(analysis) &&
           (flow->base[sender] != analysis->fwd->base_seq || flow->base[1 - sender] != analysis->rev->base_seq);
}

/* Feeds the octets of this frame on the first pass; NULL when out of memory. */
static struct mpa_piece *mpa_dissect_feed(struct claim *claim, tvbuff_t *tvb, packet_info *pinfo,
                                          const struct tcpinfo *tcp, const struct tcp_analysis *analysis)
{
    struct numbers numbers = numbers_on_wire(tcp, analysis);
    struct mpa_flow_input input;
    struct mpa_piece *piece;

    input = input_of(claim->flow, tvb, pinfo, tcp, &numbers);
    /* Wireshark begins a new conversation only at the SYN of its initiator. */
    if (mpa_flow_is_over(claim->flow, &input) || base_changed(claim->flow, input.side, analysis)) {
        mpa_flow_finish(claim->flow, input.time_ns);
        flow_begin(claim, pinfo);
        input.side = mpa_flow_side(claim->flow, pinfo);
    }
    if (analysis)
        note_base(claim->flow, input.side, analysis);
    piece = mpa_flow_feed(claim->flow, &input);
    if (!piece)
        claim->flow = claim->flow->former;
    return piece;
}

/* The connection to which the conversation belonged at this frame. */
static struct mpa_flow *flow_at(const struct claim *claim, uint32_t frame)
{
    struct mpa_flow *flow = claim->flow;

    while (flow->former && flow->first_frame > frame)
        flow = flow->former;
    return flow;
}

/* The whole connection is claimed. */
static void flow_begin_whole(struct claim *claim, packet_info *pinfo, const struct tcp_analysis *analysis)
{
    flow_begin(claim, pinfo);
    if (analysis) {
        struct starts starts = starts_of_connection(analysis);

        tell_syns(claim, pinfo, analysis, &starts);
    }
}

/* ---- segments that the TCP dissector does not pass ---- */

static bool is_recognised(const struct mpa_flow *flow)
{
    return flow->state->phase == MPA_PHASE_FULL_OPERATION;
}

static void note_taken(const packet_info *pinfo)
{
    struct mpa_header *header = mpa_tcp_header(pinfo);

    if (header)
        header->taken = true;
}

/*
 * The segment has no payload, or repeats octets that were all passed before, or follows the FIN. Octets that are held
 * back until others come will be passed; until then only the flags are used.
 */
static void feed_bare(struct mpa_flow *flow, const struct tcp_segment *segment, packet_info *pinfo)
{
    struct mpa_flow_input input = {.frame = segment->frame,
                                   .time_ns = segment->time_ns,
                                   .side = mpa_flow_side(flow, pinfo),
                                   .flags = segment->flags,
                                   .seq = segment->seq,
                                   .ack = segment->ack,
                                   .length = segment->length,
                                   .captured = segment->captured,
                                   .octets = segment->payload};
    const struct tcp_side_facts *facts = mpa_flow_facts(flow, input.side);

    if (!facts)
        return;
    mpa_dissect_take_header(&input, segment);
    if (!facts->fin && segment->length > 0 &&
        (int32_t)(segment->seq + segment->length - facts->isn - (uint32_t)facts->next) > 0) {
        if (segment->flags & (TCP_FIN | TCP_RST))
            input.seq += input.length;
        input.length = input.captured = 0;
    }
    mpa_flow_bare(flow, &input);
}

static void mpa_dissect_note_syn(struct claim *claim, const struct tcp_segment *segment)
{
    struct tcp_segment *syn = segment->flags & TCP_ACK ? &claim->syn_ack : &claim->syn;

    *syn = *segment;
    syn->payload = NULL;
}

static void after_tcp(const struct mpa_header *header, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree)
{
    const struct tcp_segment *segment = &header->segment;
    conversation_t *conversation = is_recent(pinfo) ? recent.conversation : find_conversation_pinfo(pinfo, 0);
    struct claim *claim = conversation ? conversation_get_proto_data(conversation, mpa_proto) : NULL;

    if (!conversation)
        return;
    if (!PINFO_FD_VISITED(pinfo) && segment->flags & TCP_SYN)
        mpa_dissect_note_syn(claim ? claim : claim_of(conversation), segment);
    if (!claim || !claim->flow)
        return;
    if (!PINFO_FD_VISITED(pinfo) && !header->taken && !(segment->flags & TCP_SYN) &&
        !claim->flow->layers->mpa.payload_only)
        feed_bare(claim->flow, segment, pinfo);
    if (!claim->tried || is_recognised(claim->flow))
        mpa_draw_bare(flow_at(claim, pinfo->num), tvb, pinfo, tree);
    findings_mark(pinfo);
}

/* ---- the dissector of claimed connections ---- */

static int mpa_dissect(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    const struct tcpinfo *tcp = data;
    conversation_t *conversation;
    const struct mpa_piece *piece;
    struct mpa_flow *flow;
    struct claim *claim;

    /* A segment quoted in an ICMP error is not part of the stream. */
    if (!tcp || pinfo->flags.in_error_pkt || tvb_captured_length(tvb) == 0)
        return 0;
    note_taken(pinfo);
    conversation = conversation_of(pinfo);
    claim = claim_of(conversation);
    if (!claim->flow) {
        if (PINFO_FD_VISITED(pinfo))
            return 0;
        flow_begin_whole(claim, pinfo, get_tcp_conversation_data(conversation, pinfo));
    }
    flow = flow_at(claim, pinfo->num);
    piece = mpa_flow_find(flow, pinfo->num, mpa_flow_side(flow, pinfo), tcp->seq);
    if (!piece) {
        if (PINFO_FD_VISITED(pinfo))
            return 0;
        piece = mpa_dissect_feed(claim, tvb, pinfo, tcp, get_tcp_conversation_data(conversation, pinfo));
        if (!piece)
            return 0;
        flow = claim->flow;
    }
    if (piece->not_mpa)
        return 0;
    mpa_draw_piece(flow, piece, tvb, pinfo, tree);
    return (int)tvb_captured_length(tvb);
}

/* ---- the heuristic ---- */

/* Whether p[0..16) is a key, and of which frame. */
static bool is_key(const uint8_t *p, unsigned octets_right, enum mpa_startup_kind *kind)
{
    for (*kind = MPA_REQUEST; *kind <= MPA_REPLY; (*kind)++)
        if (mpa_startup_key_matches(*kind, p, MPA_KEY_LEN) >= octets_right)
            return true;
    return false;
}

static bool is_key_so_far(const uint8_t *p, size_t n)
{
    return mpa_startup_key_matches(MPA_REQUEST, p, n) == n || mpa_startup_key_matches(MPA_REPLY, p, n) == n;
}

static bool has_key(const uint8_t *p, size_t n, enum mpa_startup_kind *kind)
{
    const uint8_t *end = p + n;

    while ((size_t)(end - p) >= MPA_KEY_LEN && (p = memchr(p, 'M', (size_t)(end - p) - MPA_KEY_LEN + 1))) {
        if (is_key(p, MPA_KEY_LEN, kind))
            return true;
        p++;
    }
    return false;
}

/* How many octets at the end of p[0..n) may be the beginning of a key. */
static size_t key_at_end(const uint8_t *p, size_t n)
{
    for (size_t k = n < MPA_KEY_LEN - 1 ? n : MPA_KEY_LEN - 1; k > 0; k--)
        if (p[n - k] == 'M' && is_key_so_far(p + n - k, k))
            return k;
    return 0;
}

/* Whether the current octets follow those of an earlier segment that may begin a key. */
static bool mpa_dissect_continues(const struct tail *tail, const struct numbers *numbers)
{
    return tail->frame != 0 && tail->numbers.seq + tail->length == numbers->seq;
}

static bool completes_key(const struct tail *tail, const uint8_t *p, size_t n, const struct numbers *numbers,
                          enum mpa_startup_kind *kind)
{
    uint8_t key[MPA_KEY_LEN];
    size_t more = MPA_KEY_LEN - tail->length;

    if (!mpa_dissect_continues(tail, numbers) || n < more)
        return false;
    memcpy(key, tail->octets, tail->length);
    memcpy(key + tail->length, p, more);
    return is_key(key, MPA_KEY_LEN, kind);
}

static void remember_tail(struct tail *tail, const uint8_t *p, size_t n, packet_info *pinfo,
                          const struct numbers *numbers)
{
    size_t k;

    if (mpa_dissect_continues(tail, numbers) && n < (size_t)MPA_KEY_LEN - tail->length) {
        memcpy(tail->octets + tail->length, p, n);
        if (is_key_so_far(tail->octets, tail->length + n)) {
            tail->length += (uint8_t)n;
            return;
        }
    }
    k = key_at_end(p, n);
    tail->frame = k == 0 ? 0 : pinfo->num;
    tail->time_ns = mpa_headers_time(pinfo);
    tail->port = pinfo->srcport;
    tail->numbers = (struct numbers){numbers->seq + (uint32_t)(n - k), numbers->ack, true};
    tail->length = (uint8_t)k;
    memcpy(tail->octets, p + n - k, k);
}

static struct tail *tail_of(struct claim *claim, uint32_t port)
{
    return &claim->tail[claim->tail[0].frame == 0 || claim->tail[0].port == port ? 0 : 1];
}

/* As in the engine, a damaged key counts if it is in the first octets of a connection. */
static bool begins_startup(const uint8_t *p, size_t n, bool first, enum mpa_startup_kind *kind)
{
    return has_key(p, n, kind) || (first && n >= MPA_KEY_LEN && is_key(p, KEY_DAMAGED_MIN, kind));
}

static void feed_tail(struct mpa_flow *flow, const struct tail *tail)
{
    struct mpa_flow_input input = {
        .frame = tail->frame,
        .time_ns = tail->time_ns,
        .side = 0,
        .flags = TCP_ACK,
        .df = true,
        .key = tail->numbers.seq,
        .seq = tail->numbers.seq,
        .ack = tail->numbers.ack,
        .length = tail->length,
        .captured = tail->length,
        .octets = tail->octets,
    };

    mpa_flow_feed(flow, &input);
}

static compat_bool heuristic(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    const struct tcpinfo *tcp = data;
    size_t n = tvb_captured_length(tvb);
    conversation_t *conversation;
    struct claim *claim;
    struct tail *tail = NULL;
    struct numbers numbers;
    const struct tcp_analysis *analysis;
    enum mpa_startup_kind kind;
    struct starts starts;
    const uint8_t *p;
    bool split = false, first;

    /* Claimed frames reach mpa_dissect() through the conversation, so a visited frame was not claimed. */
    if (!tcp || n == 0 || pinfo->flags.in_error_pkt || PINFO_FD_VISITED(pinfo))
        return 0;
    p = tvb_get_ptr(tvb, 0, (int)n);
    conversation = find_or_create_conversation(pinfo);
    analysis = get_tcp_conversation_data(conversation, pinfo);
    if (!analysis)
        return 0;
    numbers = numbers_on_wire(tcp, analysis);
    claim = conversation_get_proto_data(conversation, mpa_proto);
    if (claim && claim->flow && !claim->tried)
        return 0; /* mpa_dissect() has rejected it */
    if (claim) {
        tail = tail_of(claim, pinfo->srcport);
        split = completes_key(tail, p, n, &numbers, &kind);
    }
    first = syns_seen(analysis) && numbers.seq == analysis->fwd->base_seq + 1;
    if (!split && !begins_startup(p, n, first, &kind)) {
        if (key_at_end(p, n) > 0 || claim) {
            claim = claim_of(conversation);
            remember_tail(tail_of(claim, pinfo->srcport), p, n, pinfo, &numbers);
        }
        return 0;
    }
    claim = claim_of(conversation);
    flow_begin(claim, pinfo);
    claim->tried = false;
    starts = starts_of_startup(analysis, split ? &tail->numbers : &numbers, kind);
    tell_syns(claim, pinfo, analysis, &starts);
    if (split)
        feed_tail(claim->flow, tail);
    conversation_set_dissector_from_frame_number(conversation, pinfo->num, mpa_handle);
    return mpa_dissect(tvb, pinfo, tree, data) > 0;
}

/* ---- FPDUs without a captured start ---- */

/*
 * Opt-in: follows each connection until it is known whether its octets are FPDUs. From then on the conversation is
 * claimed; earlier frames are drawn on later passes.
 */
static compat_bool midstream(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    const struct tcpinfo *tcp = data;
    conversation_t *conversation;
    const struct tcp_analysis *analysis;
    const struct mpa_piece *piece;
    struct claim *claim;

    if (!tcp || tvb_captured_length(tvb) == 0 || pinfo->flags.in_error_pkt || !mpa_prefs.accept_midstream)
        return 0;
    conversation = find_or_create_conversation(pinfo);
    analysis = get_tcp_conversation_data(conversation, pinfo);
    claim = claim_of(conversation);
    if (claim->foreign || (claim->flow && !claim->tried))
        return 0;
    if (PINFO_FD_VISITED(pinfo))
        return claim->flow && is_recognised(claim->flow) && mpa_dissect(tvb, pinfo, tree, data) > 0;
    if (!claim->flow)
        flow_begin_whole(claim, pinfo, analysis);
    claim->tried = true;
    note_taken(pinfo);
    piece = mpa_dissect_feed(claim, tvb, pinfo, tcp, analysis);
    if (!piece || piece->not_mpa || claim->flow->state->phase == MPA_PHASE_NOT_MPA) {
        claim->foreign = true;
        claim->flow = NULL;
        return 0;
    }
    if (!is_recognised(claim->flow))
        return 0;
    conversation_set_dissector_from_frame_number(conversation, pinfo->num, mpa_handle);
    mpa_draw_piece(claim->flow, piece, tvb, pinfo, tree);
    return 1;
}

/* ---- ports that belong to others ---- */

/*
 * Ports where servers of RDMA's upper layers listen, on which other protocols run over plain TCP: NVMe (4420) and iSCSI
 * (3260), and a port that was assigned twice (5445, SMB Direct). Wireshark asks the owner of a port before it asks
 * heuristics, and the owner may take anything. Therefore the plugin looks for MPA first, and then asks the owner.
 */
static struct shared_port {
    uint32_t port;
    dissector_handle_t owner; /* NULL: the port has no owner */
} shared_ports[] = {{.port = 3260}, {.port = 4420}, {.port = 5445}};

static dissector_handle_t shared_handle;

#define START_HEURISTIC     "mpa_tcp"
#define MIDSTREAM_HEURISTIC "mpa_midstream_tcp"

static bool is_enabled(const char *name)
{
    const heur_dtbl_entry_t *entry = find_heur_dissector_by_unique_short_name(name);

    return entry && entry->enabled;
}

static bool is_mpa(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    return proto_is_protocol_enabled(find_protocol_by_id(mpa_proto)) &&
           ((is_enabled(START_HEURISTIC) && heuristic(tvb, pinfo, tree, data)) ||
            (is_enabled(MIDSTREAM_HEURISTIC) && midstream(tvb, pinfo, tree, data)));
}

static int dissect_shared(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    if (is_mpa(tvb, pinfo, tree, data))
        return (int)tvb_captured_length(tvb);
    for (size_t i = 0; i < array_length(shared_ports); i++) {
        if (shared_ports[i].port != pinfo->match_uint)
            continue;
        pinfo->can_desegment += pinfo->can_desegment > 0; /* we call it, instead of TCP */
        return call_dissector_only(shared_ports[i].owner, tvb, pinfo, tree, data);
    }
    return 0;
}

/* Preferences may have assigned the ports to their owners again. The user's choices by "Decode As" stay. */
static void share_ports(void)
{
    dissector_table_t table = find_dissector_table("tcp.port");

    for (size_t i = 0; i < array_length(shared_ports); i++) {
        struct shared_port *shared = &shared_ports[i];
        dissector_handle_t owner = dissector_get_default_uint_handle("tcp.port", shared->port);

        if (!owner || owner == shared_handle || owner == mpa_handle ||
            owner != dissector_get_uint_handle(table, shared->port))
            continue;
        shared->owner = owner;
        dissector_add_uint("tcp.port", shared->port, shared_handle);
    }
}

/* ---- registration ---- */

void mpa_file_opened(void)
{
    share_ports();
    mpa_headers_forget();
    flows = NULL;
    recent.conversation = NULL;
    mpa_flow_forget();
}

/* Events decided at the end of connections, in the order of their beginnings; shown from the second pass on. */
void mpa_first_pass_over(void)
{
    struct mpa_flow *latest = NULL, *flow;

    for (flow = flows; flow; flow = flow->next) {
        flow->later = latest;
        latest = flow;
    }
    for (flow = latest; flow; flow = flow->later)
        mpa_flow_finish(flow, mpa_headers_end());
}

static void register_prefs(void)
{
    module_t *module = prefs_register_protocol(mpa_proto, NULL);

    prefs_register_bool_preference(module, "verify_crc", "Verify CRCs",
                                   "Whether to verify the CRC of FPDUs on connections that use CRCs",
                                   &mpa_prefs.verify_crc);
    prefs_register_bool_preference(module, "accept_midstream", "Accept connections without a captured start",
                                   "Whether to search for FPDUs, by their structure and CRC, on connections whose MPA "
                                   "Request and Reply Frames were not captured. Applies to "
                                   "connections assigned to MPA by \"Decode As\" or by port",
                                   &mpa_prefs.accept_midstream);
}

void mpa_register(void)
{
    mpa_fields_register();
    register_prefs();
    mpa_draw_register();
    mpa_flow_register();
    mpa_handle = register_dissector("mpa", mpa_dissect, mpa_proto);
    /* This has a protocol of its own: if MPA is disabled, the owners of these ports are still called. */
    mpa_headers_register(after_tcp);
    shared_handle =
        create_dissector_handle(dissect_shared, proto_register_protocol("MPA, or the owner of the port",
                                                                        "MPA or owner of the port", "mpa_or_owner"));
}

void mpa_handoff(void)
{
    /* Also adds the port preference and the entry for "Decode As". */
    dissector_add_uint_range_with_preference("tcp.port", "", mpa_handle);
    heur_dissector_add("tcp", midstream, "MPA over TCP without a captured start", MIDSTREAM_HEURISTIC, mpa_proto,
                       HEURISTIC_DISABLE);
    heur_dissector_add("tcp", heuristic, "MPA over TCP", START_HEURISTIC, mpa_proto, HEURISTIC_ENABLE);
    analyze_pref = tcp_preference("analyze_sequence_numbers");
    relative_pref = tcp_preference("relative_sequence_numbers");
    mpa_headers_handoff();
    mpa_draw_handoff();
}
