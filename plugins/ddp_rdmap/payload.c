// SPDX-License-Identifier: GPL-2.0-or-later
/* The upper layer's view: Sends, reassembled from their segments, and the octets of Tagged messages. */
#include "plugins/ddp_rdmap/rdmap_plugin.h"
#include "plugins/rpcrdma/rpcrdma_plugin.h"

#include <epan/decode_as.h>
#include <epan/dissectors/packet-iwarp-ddp-rdmap.h>
#include <epan/exceptions.h>

/* Dissectors in the built-in dissector's list read this many octets before they check the length. */
enum { BUILTIN_MIN = 16 };

static reassembly_table reassembly;
static dissector_table_t ports;
static heur_dissector_list_t sends, builtin;
static bool others; /* the built-in dissector's list has entries beyond Wireshark's own */

/* ---- reassembly ---- */

/* A message is identified by its record: one record, one reassembly. */
static void *whole_key(const packet_info *pinfo, const uint32_t id, const void *data)
{
    (void)pinfo, (void)id;
    return (void *)data;
}

static void whole_key_free(void *key)
{
    (void)key; /* the record has file scope */
}

static const reassembly_table_functions whole_functions = {
    .hash_func = g_direct_hash,
    .equal_func = g_direct_equal,
    .temporary_key_func = whole_key,
    .persistent_key_func = whole_key,
    .free_temporary_key_func = whole_key_free,
    .free_persistent_key_func = whole_key_free,
};

static const char *missing_text(wmem_allocator_t *pool, const struct rdmap_whole *whole)
{
    wmem_strbuf_t *text = wmem_strbuf_new(pool, "");
    uint32_t at = 0;

    for (unsigned i = 0; i <= whole->n_ranges; i++) {
        uint32_t to = i < whole->n_ranges ? whole->range[i].from : whole->end;

        if (to > at)
            wmem_strbuf_append_printf(text, "%s%u-%u", wmem_strbuf_get_len(text) > 0 ? ", " : "", at, to - 1);
        at = i < whole->n_ranges ? whole->range[i].to : at;
    }
    return wmem_strbuf_get_str(text);
}

static void draw_missing(struct rdmap_canvas *canvas, const struct rdmap_whole *whole)
{
    const char *text;
    proto_item *item;

    if (whole->spoilt) {
        rdmap_say(canvas, " [inconsistent segments]");
        return; /* the rules report their faults */
    }
    text = missing_text(canvas->pinfo->pool, whole);
    item = proto_tree_add_string(canvas->ddp_tree, rddp_hf.missing, canvas->tvb, 0, 0, text);
    proto_item_set_generated(item);
    expert_add_info_format(canvas->pinfo, item, &rdmap_ei.missing, "Octets %s of the message are missing", text);
    rdmap_say(canvas, " [octets %s missing]", text);
}

/* The message if this segment completes it, else NULL. */
static tvbuff_t *payload_put_together(struct rdmap_canvas *canvas, bool *shown)
{
    const struct ddp_segment *ddp = canvas->ddp;
    const struct rdmap_whole *whole = canvas->seg->more->whole;
    packet_info *pinfo = canvas->pinfo;
    bool fragmented = pinfo->fragmented;
    proto_item *item;
    fragment_head *head = NULL;
    tvbuff_t *message;

    *shown = false;
    /* Later passes only look up complete messages: reassembly throws on inconsistent fragments. */
    if (!whole->spoilt && (canvas->seg->completes || !PINFO_FD_VISITED(pinfo)))
        head = fragment_add(&reassembly, canvas->tvb, ddp->header_len, pinfo, 0, whole, ddp->mo,
                            (uint32_t)ddp->payload_len, !ddp->last);
    if (!canvas->seg->completes) {
        pinfo->fragmented = TRUE;
        if (whole->completed_in != 0) {
            rdmap_link(canvas->ddp_tree, rddp_hf.reassembled_in, canvas->tvb, whole->completed_in);
            rdmap_builtin_reassembled_in(canvas, whole->completed_in);
        } else if (ddp->last)
            draw_missing(canvas, whole);
        return NULL;
    }
    if (!head || !head->tvb_data)
        return NULL;
    message = tvb_new_chain(canvas->tvb, head->tvb_data);
    add_new_data_source(pinfo, message, "Reassembled Send");
    show_fragment_tree(head, &rddp_fragment_items, canvas->ddp_tree, pinfo, message, &item);
    rdmap_builtin_message(canvas, head, message);
    pinfo->fragmented = fragmented;
    *shown = true;
    return message;
}

/* ---- dissectors of payload ---- */

static bool offer_to_own(struct rdmap_canvas *canvas, tvbuff_t *message)
{
    packet_info *pinfo = canvas->pinfo;
    bool from_responder = canvas->passed->direction == DIR_TO_INITIATOR;
    uint32_t responder = from_responder ? pinfo->srcport : pinfo->destport;
    uint32_t initiator = from_responder ? pinfo->destport : pinfo->srcport;
    void *data = (void *)canvas->passed;
    heur_dtbl_entry_t *entry;

    return compat_dissector_try_uint(ports, responder, message, pinfo, canvas->root, TRUE, data) > 0 ||
           compat_dissector_try_uint(ports, initiator, message, pinfo, canvas->root, TRUE, data) > 0 ||
           dissector_try_heuristic(sends, message, pinfo, canvas->root, &entry, data);
}

/*
 * Wireshark's own dissectors in the list accept Tagged segments and Read Requests only on connections where they have
 * accepted a Send. On other connections there is no need to offer them.
 */
static bool may_be_wanted(const struct rdmap_canvas *canvas)
{
    bool send = !canvas->ddp->tagged && canvas->ddp->opcode != RDMAP_READ_REQUEST;

    return send || others || canvas->flow->builtin_took;
}

static void look_for_others(const char *table, struct heur_dtbl_entry *entry, void *data)
{
    (void)table, (void)data;
    others |= strcmp(entry->short_name, "smb_direct_iwarp") != 0 && strcmp(entry->short_name, "rpcrdma_iwarp") != 0;
}

/* Describes the segment like the built-in dissector does; Sends are whole. */
static rdmap_info_t builtin_info(const struct ddp_segment *ddp, rdmap_request_t *request)
{
    rdmap_info_t info = {.opcode = ddp->opcode, .is_tagged = ddp->tagged, .last_flag = !ddp->tagged || ddp->last};

    if (ddp->tagged) {
        info.steering_tag = ddp->stag;
        info.tagged_offset = ddp->to;
    } else {
        info.queue_number = ddp->qn;
        info.message_seq_num = ddp->msn;
        info.message_offset = 0;
    }
    if (ddp->opcode == RDMAP_READ_REQUEST)
        info.read_request = request;
    return info;
}

static bool builtin_request(const struct ddp_segment *ddp, rdmap_request_t *request)
{
    struct rdmap_read_request read;

    if (!rdmap_read_request_decode(&read, ddp->payload, ddp->payload_len))
        return false;
    *request = (rdmap_request_t){
        .sink_stag = read.sink_stag,
        .sink_toffset = read.sink_to,
        .source_stag = read.source_stag,
        .source_toffset = read.source_to,
        .message_size = read.size,
    };
    return true;
}

/*
 * The list of the built-in dissector: SMB Direct and others. It also takes Tagged segments and Read Requests. Sends are
 * passed reassembled, because its dissectors would reassemble segments in order of arrival. The dissector of
 * RPC-over-RDMA accepts segments without showing anything: then the result is also false.
 */
static bool offer_to_builtin(struct rdmap_canvas *canvas, tvbuff_t *message)
{
    const struct ddp_segment *ddp = canvas->ddp;
    const bool reads = ddp->opcode == RDMAP_READ_REQUEST;
    packet_info *pinfo = canvas->pinfo;
    rdmap_request_t request;
    rdmap_info_t info = builtin_info(ddp, &request);
    heur_dtbl_entry_t *entry;
    const char *volatile saved = pinfo->current_proto;
    volatile bool taken = false, failed = false;
    const volatile unsigned items = canvas->root ? PTREE_DATA(canvas->root)->count : 0;

    if (!builtin || ddp->opcode > RDMA_TERMINATE || !may_be_wanted(canvas) ||
        (reads && !builtin_request(ddp, &request)) ||
        (!reads && !ddp->tagged && tvb_reported_length(message) < BUILTIN_MIN))
        return false;
    TRY
    {
        taken = dissector_try_heuristic(builtin, message, pinfo, canvas->root, &entry, &info);
    }
    CATCH_BOUNDS_AND_DISSECTOR_ERRORS
    {
        failed = true; /* the part that it could not dissect is shown as data */
    }
    ENDTRY;
    pinfo->current_proto = saved;
    canvas->flow->builtin_took |= taken || failed;
    return taken && !(canvas->root && PTREE_DATA(canvas->root)->count == items);
}

/* Whether the connection is known to carry RPC-over-RDMA. */
static bool is_rpcrdma(const struct rdmap_canvas *canvas)
{
    return canvas->passed && rpcrdma_knows(canvas->passed->connection);
}

/* Without a tree, nothing is shown for a Tagged segment unless a dissector takes its payload. */
static bool is_of_no_use(const struct rdmap_canvas *canvas)
{
    return !canvas->root && canvas->ddp->tagged && !is_rpcrdma(canvas) && !(canvas->flow && may_be_wanted(canvas));
}

const char *rdmap_payload_brief(const struct rdmap_canvas *canvas)
{
    if (!is_rpcrdma(canvas))
        return may_be_wanted(canvas) ? NULL : "";
    return rpcrdma_move_brief(canvas->passed->connection, &canvas->passed->place);
}

/* The message, or the octets of the segment; *whole: no more octets will come. */
static tvbuff_t *payload_message_of(struct rdmap_canvas *canvas, tvbuff_t *payload, bool *whole)
{
    const struct ddp_segment *ddp = canvas->ddp;
    tvbuff_t *message;

    *whole = canvas->seg && canvas->seg->told; /* else the segment belongs to no message: most likely a wrong CRC */
    if (!*whole || ddp->tagged || !canvas->seg->more->whole)
        return payload;
    message = payload_put_together(canvas, whole);
    *whole |= ddp->mo == 0 && ddp->lacking > 0;
    return message ? message : payload;
}

/* True when a dissector has taken it. */
static bool payload_offer(struct rdmap_canvas *canvas, tvbuff_t *message, int answer)
{
    bool send = !canvas->ddp->tagged;

    if (send)
        rdmap_tap_send(canvas, message);
    return (send && offer_to_own(canvas, message)) ||
           (answer == RPCRDMA_SEGMENT_FOREIGN && offer_to_builtin(canvas, message));
}

void rdmap_payload(struct rdmap_canvas *canvas)
{
    const struct ddp_segment *ddp = canvas->ddp;
    tvbuff_t *message;
    bool whole;
    int answer;

    if (is_of_no_use(canvas))
        return;
    message = tvb_new_subset_remaining(canvas->tvb, ddp->header_len);
    answer = is_rpcrdma(canvas) ? rpcrdma_call_segment(message, canvas->pinfo, canvas->root, canvas->passed)
                                : RPCRDMA_SEGMENT_FOREIGN;
    if (!canvas->info || canvas->info->tagged != ddp->tagged)
        return;
    if (ddp->opcode == RDMAP_READ_REQUEST) {
        if (canvas->seg && canvas->seg->told && answer == RPCRDMA_SEGMENT_FOREIGN)
            offer_to_builtin(canvas, tvb_new_subset_length(message, 0, 0));
        return;
    }
    if (!canvas->info->ulp_data)
        return;
    message = payload_message_of(canvas, message, &whole);
    if (tvb_reported_length(message) == 0 || (whole && payload_offer(canvas, message, answer)))
        return;
    if (answer == RPCRDMA_SEGMENT_SHOWN || !canvas->root)
        return;
    call_data_dissector(message, canvas->pinfo, canvas->root);
}

/* ---- "Decode As" ---- */

static void source_prompt(packet_info *pinfo, char *result)
{
    snprintf(result, MAX_DECODE_AS_PROMPT_LEN, "Sends from port %u as", pinfo->srcport);
}

static gpointer source_value(packet_info *pinfo)
{
    return GUINT_TO_POINTER(pinfo->srcport);
}

static void destination_prompt(packet_info *pinfo, char *result)
{
    snprintf(result, MAX_DECODE_AS_PROMPT_LEN, "Sends to port %u as", pinfo->destport);
}

static gpointer destination_value(packet_info *pinfo)
{
    return GUINT_TO_POINTER(pinfo->destport);
}

static void register_ports(void)
{
    static build_valid_func source[] = {source_value}, destination[] = {destination_value};
    static decode_as_value_t values[] = {{source_prompt, 1, source}, {destination_prompt, 1, destination}};
    static decode_as_t entry = {
        .name = "rddp", /* the protocol in frames with Sends */
        .table_name = RDMAP_PORT_TABLE,
        .num_items = array_length(values),
        .values = values,
        .populate_list = decode_as_default_populate_list,
        .reset_value = decode_as_default_reset,
        .change_value = decode_as_default_change,
    };

    ports = register_dissector_table(RDMAP_PORT_TABLE, "RDMAP Send by TCP port", rdmap_proto, FT_UINT16, BASE_DEC);
    register_decode_as(&entry);
}

/* By now, all dissectors have been added to the list. */
void rdmap_payload_file_opened(void)
{
    others = false;
    if (builtin)
        heur_dissector_table_foreach("iwarp_ddp_rdmap", look_for_others, NULL);
}

void rdmap_payload_register(void)
{
    reassembly_table_register(&reassembly, &whole_functions);
    register_ports();
    sends = register_heur_dissector_list(RDMAP_SEND_LIST, rdmap_proto);
}

void rdmap_payload_handoff(void)
{
    if (has_heur_dissector_list("iwarp_ddp_rdmap"))
        builtin = find_heur_dissector_list("iwarp_ddp_rdmap");
}
