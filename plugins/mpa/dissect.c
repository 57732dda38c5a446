// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Entry points: who claims a TCP connection, and how its octets reach flow.c on the first pass and draw.c on all.
 *
 * A connection is ours when the heuristic sees the key of an MPA Request or Reply Frame anywhere in its stream, or when
 * the user says so ("Decode As", the port preference). From the frame with the key on, the conversation's dissector is
 * mpa; earlier frames stay with whoever dissects them.
 */
#include "plugins/mpa/mpa_plugin.h"

#include <epan/prefs-int.h>
#include <epan/prefs.h>

#include <string.h>

struct mpa_prefs mpa_prefs = {.verify_crc = 1, .accept_midstream = 1};

/* Bits of conversation_completeness, as the TCP dissector names them in tcp.completeness. */
enum { COMPLETE_SYN = 0x01, COMPLETE_SYN_ACK = 0x02 };

enum { KEY_DAMAGED_MIN = 12 };

static dissector_handle_t mpa_handle;
static struct mpa_flow *flows; /* in this file, latest first */

static bool tcp_preference(const char *name)
{
    module_t *tcp = prefs_find_module("tcp");
    pref_t *pref = tcp == NULL ? NULL : prefs_find_preference(tcp, name);

    return pref != NULL && prefs_get_bool_value(pref, pref_current);
}

/*
 * Sequence numbers as they are on the wire: some rules are about their wrap. With its default preferences the TCP
 * dissector gives them relative to a base of its own.
 */
struct numbers {
    uint32_t seq, ack;
};

static struct numbers numbers_on_wire(const struct tcpinfo *tcp, const struct tcp_analysis *analysis)
{
    struct numbers numbers = {tcp->seq, tcp->lastackseq};

    if (analysis != NULL && tcp_preference("analyze_sequence_numbers") && tcp_preference("relative_sequence_numbers")) {
        numbers.seq += analysis->fwd->base_seq;
        numbers.ack += analysis->rev->base_seq;
    }
    return numbers;
}

/* The end of what one side sent last, when it may be the beginning of a key. */
struct tail {
    uint32_t frame; /* 0: none */
    int64_t time_ns;
    uint32_t port;
    struct numbers numbers;
    uint16_t flags;
    uint8_t length;
    uint8_t octets[MPA_KEY_LEN];
};

/* What a TCP conversation carries for us. */
struct claim {
    struct mpa_flow *flow; /* NULL: not claimed */
    struct tail tail[2];
};

static struct claim *claim_of(conversation_t *conversation)
{
    struct claim *claim = conversation_get_proto_data(conversation, mpa_proto);

    if (claim == NULL) {
        claim = wmem_new0(wmem_file_scope(), struct claim);
        conversation_add_proto_data(conversation, mpa_proto, claim);
    }
    return claim;
}

/* ---- the beginning of a connection ---- */

static bool syns_seen(const struct tcp_analysis *tcp)
{
    return tcp != NULL &&
           (tcp->conversation_completeness & (COMPLETE_SYN | COMPLETE_SYN_ACK)) == (COMPLETE_SYN | COMPLETE_SYN_ACK);
}

/*
 * Where the SYNs were captured, the engine may take the first octet for the first of the stream. The TCP dissector does
 * not pass SYNs on, but knows of them: bits 0 and 1 of conversation_completeness are SYN and SYN-ACK.
 */
static void tell_syns(struct mpa_flow *flow, packet_info *pinfo, const struct tcp_analysis *tcp,
                      const struct numbers *first, bool has_ack)
{
    struct mpa_flow_input syn = {.frame = pinfo->num, .time_ns = mpa_time_ns(pinfo), .flags = TCP_SYN};
    struct mpa_flow_input answer = syn;
    bool from_server;

    if (!syns_seen(tcp) || !has_ack)
        return;
    /* They are where either side stands before any octet of MPA. */
    from_server = pinfo->srcport == tcp->server_port;
    syn.side = from_server ? 1 : 0;
    syn.seq = (from_server ? first->ack : first->seq) - 1;
    answer.side = from_server ? 0 : 1;
    answer.seq = (from_server ? first->seq : first->ack) - 1;
    answer.flags = TCP_SYN | TCP_ACK;
    answer.ack = syn.seq + 1;
    mpa_flow_syn(flow, &syn);
    mpa_flow_syn(flow, &answer);
}

static struct mpa_flow *flow_begin(struct claim *claim, packet_info *pinfo)
{
    struct mpa_flow_options options = {
        /* With sequence analysis the TCP dissector passes on each octet once and in order, or never. */
        .eager_holes = tcp_preference("analyze_sequence_numbers"),
        .accept_midstream = mpa_prefs.accept_midstream,
    };

    claim->flow = mpa_flow_new(pinfo, &options);
    if (claim->flow == NULL)
        return NULL;
    claim->flow->number = flows == NULL ? 0 : flows->number + 1;
    claim->flow->next = flows;
    flows = claim->flow;
    return claim->flow;
}

static struct mpa_piece *feed(struct mpa_flow *flow, tvbuff_t *tvb, packet_info *pinfo, const struct tcpinfo *tcp,
                              const struct numbers *numbers)
{
    uint32_t captured = tvb_captured_length(tvb);
    struct mpa_flow_input input = {
        .frame = pinfo->num,
        .time_ns = mpa_time_ns(pinfo),
        .side = mpa_flow_side(flow, pinfo),
        .flags = (uint8_t)(tcp->flags & (TCP_FIN | TCP_SYN | TCP_RST | TCP_PSH | TCP_ACK)),
        .key = tcp->seq,
        .seq = numbers->seq,
        .ack = numbers->ack,
        .length = tvb_reported_length(tvb),
        .captured = captured,
        .octets = tvb_get_ptr(tvb, 0, (int)captured),
    };

    return mpa_flow_feed(flow, &input);
}

/* ---- the dissector of claimed connections ---- */

static int dissect(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    const struct tcpinfo *tcp = data;
    conversation_t *conversation;
    const struct tcp_analysis *analysis;
    const struct mpa_piece *piece;
    struct numbers numbers;
    struct claim *claim;

    /* A segment quoted in an ICMP error is no part of the stream. */
    if (tcp == NULL || pinfo->flags.in_error_pkt || tvb_captured_length(tvb) == 0)
        return 0;
    conversation = find_or_create_conversation(pinfo);
    claim = claim_of(conversation);
    if (claim->flow == NULL) {
        if (PINFO_FD_VISITED(pinfo) || flow_begin(claim, pinfo) == NULL)
            return 0;
        analysis = get_tcp_conversation_data(conversation, pinfo);
        numbers = numbers_on_wire(tcp, analysis);
        tell_syns(claim->flow, pinfo, analysis, &numbers, tcp->flags & TCP_ACK);
    }
    piece = mpa_flow_find(claim->flow, pinfo->num, mpa_flow_side(claim->flow, pinfo), tcp->seq);
    if (piece == NULL) {
        if (PINFO_FD_VISITED(pinfo))
            return 0;
        numbers = numbers_on_wire(tcp, get_tcp_conversation_data(conversation, pinfo));
        piece = feed(claim->flow, tvb, pinfo, tcp, &numbers);
    }
    if (piece->not_mpa)
        return 0;
    mpa_draw_piece(claim->flow, piece, tvb, pinfo, tree);
    return (int)tvb_captured_length(tvb);
}

/* ---- the heuristic ---- */

static bool is_key(const uint8_t *p)
{
    return mpa_startup_key_matches(MPA_REQUEST, p, MPA_KEY_LEN) == MPA_KEY_LEN ||
           mpa_startup_key_matches(MPA_REPLY, p, MPA_KEY_LEN) == MPA_KEY_LEN;
}

static bool is_key_so_far(const uint8_t *p, size_t n)
{
    return mpa_startup_key_matches(MPA_REQUEST, p, n) == n || mpa_startup_key_matches(MPA_REPLY, p, n) == n;
}

/*
 * A damaged key, as the engine accepts it: in the first octets of a connection that was captured from its SYN on, with
 * 12 octets right.
 */
static bool is_damaged_key(const uint8_t *p, size_t n)
{
    return n >= MPA_KEY_LEN && (mpa_startup_key_matches(MPA_REQUEST, p, MPA_KEY_LEN) >= KEY_DAMAGED_MIN ||
                                mpa_startup_key_matches(MPA_REPLY, p, MPA_KEY_LEN) >= KEY_DAMAGED_MIN);
}

static bool has_key(const uint8_t *p, size_t n)
{
    const uint8_t *end = p + n;

    while ((size_t)(end - p) >= MPA_KEY_LEN && (p = memchr(p, 'M', (size_t)(end - p) - MPA_KEY_LEN + 1)) != NULL) {
        if (is_key(p))
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

static void remember_tail(struct tail *tail, const uint8_t *p, size_t n, packet_info *pinfo, const struct tcpinfo *tcp,
                          const struct numbers *numbers)
{
    size_t k = key_at_end(p, n);

    tail->frame = k == 0 ? 0 : pinfo->num;
    tail->time_ns = mpa_time_ns(pinfo);
    tail->port = pinfo->srcport;
    tail->numbers = (struct numbers){numbers->seq + (uint32_t)(n - k), numbers->ack};
    tail->flags = tcp->flags;
    tail->length = (uint8_t)k;
    memcpy(tail->octets, p + n - k, k);
}

/* The tail of an earlier segment, with the octets at hand behind it: does it become a key? */
static bool completes_key(const struct tail *tail, const uint8_t *p, size_t n, const struct numbers *numbers)
{
    uint8_t key[MPA_KEY_LEN];
    size_t more = MPA_KEY_LEN - tail->length;

    if (tail->frame == 0 || tail->numbers.seq + tail->length != numbers->seq || n < more)
        return false;
    memcpy(key, tail->octets, tail->length);
    memcpy(key + tail->length, p, more);
    return is_key(key);
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
    const uint8_t *p;
    bool split = false;

    /* Claimed frames come by way of the conversation: one that is asked about again was not claimed. */
    if (tcp == NULL || n == 0 || pinfo->flags.in_error_pkt || PINFO_FD_VISITED(pinfo))
        return 0;
    p = tvb_get_ptr(tvb, 0, (int)n);
    conversation = find_or_create_conversation(pinfo);
    analysis = get_tcp_conversation_data(conversation, pinfo);
    numbers = numbers_on_wire(tcp, analysis);
    claim = conversation_get_proto_data(conversation, mpa_proto);
    if (claim != NULL) {
        if (claim->flow != NULL)
            return 0; /* given back by the dissector itself */
        tail = &claim->tail[claim->tail[0].frame != 0 && claim->tail[0].port == pinfo->srcport ? 0 : 1];
        split = tail->port == pinfo->srcport && completes_key(tail, p, n, &numbers);
    }
    if (!split && !has_key(p, n) && !(syns_seen(analysis) && is_damaged_key(p, n))) {
        if (key_at_end(p, n) > 0 || claim != NULL) {
            claim = claim_of(conversation);
            tail = &claim->tail[claim->tail[0].frame == 0 || claim->tail[0].port == pinfo->srcport ? 0 : 1];
            remember_tail(tail, p, n, pinfo, tcp, &numbers);
        }
        return 0;
    }
    claim = claim_of(conversation);
    if (flow_begin(claim, pinfo) == NULL)
        return 0;
    if (split) {
        struct mpa_flow_input input = {
            .frame = tail->frame,
            .time_ns = tail->time_ns,
            .side = 0,
            .flags = TCP_ACK,
            .key = tail->numbers.seq,
            .seq = tail->numbers.seq,
            .ack = tail->numbers.ack,
            .length = tail->length,
            .captured = tail->length,
            .octets = tail->octets,
        };

        tell_syns(claim->flow, pinfo, analysis, &tail->numbers, tail->flags & TCP_ACK);
        mpa_flow_feed(claim->flow, &input);
    } else {
        tell_syns(claim->flow, pinfo, analysis, &numbers, tcp->flags & TCP_ACK);
    }
    conversation_set_dissector_from_frame_number(conversation, pinfo->num, mpa_handle);
    return dissect(tvb, pinfo, tree, data) > 0;
}

/* ---- registration ---- */

static void file_opened(void)
{
    flows = NULL;
}

/* What only the end of a connection decides. Shown from the second pass on. */
static void first_pass_over(void)
{
    for (struct mpa_flow *flow = flows; flow != NULL; flow = flow->next)
        mpa_flow_finish(flow);
}

static void register_prefs(void)
{
    module_t *module = prefs_register_protocol(mpa_proto, NULL);

    prefs_register_bool_preference(module, "verify_crc", "Verify CRCs",
                                   "Whether to compare the CRC of FPDUs where the connection uses CRCs",
                                   &mpa_prefs.verify_crc);
    prefs_register_bool_preference(module, "accept_midstream", "Accept connections whose start is missing",
                                   "Whether to look for FPDUs, by their structure and CRC, in a connection without MPA "
                                   "Request and Reply Frames. Concerns "
                                   "connections given to MPA by \"Decode As\" or by port",
                                   &mpa_prefs.accept_midstream);
}

void mpa_register(void)
{
    mpa_fields_register();
    register_prefs();
    mpa_draw_register();
    mpa_handle = register_dissector("mpa", dissect, mpa_proto);
    register_init_routine(file_opened);
    register_postseq_cleanup_routine(first_pass_over);
}

void mpa_handoff(void)
{
    /* Also adds the port preference and the entry for "Decode As". */
    dissector_add_uint_range_with_preference("tcp.port", "", mpa_handle);
    heur_dissector_add("tcp", heuristic, "MPA over TCP", "mpa_tcp", mpa_proto, HEURISTIC_ENABLE);
    mpa_draw_handoff();
}
