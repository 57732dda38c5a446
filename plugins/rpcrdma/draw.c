// SPDX-License-Identifier: GPL-2.0-or-later
/* The tree of one Send: RFC 8166 section 4. */
#include "plugins/common/say.h"
#include "plugins/common/text_before.h"
#include "plugins/rpcrdma/rpcrdma_plugin.h"

#include "wire/octets.h"

void rpcrdma_link(proto_tree *tree, int field, tvbuff_t *tvb, uint32_t frame)
{
    if (frame != 0)
        proto_item_set_generated(proto_tree_add_uint(tree, field, tvb, 0, 0, frame));
}

void rpcrdma_number(proto_tree *tree, int field, tvbuff_t *tvb, uint64_t number)
{
    if (proto_registrar_get_ftype(field) == FT_UINT64)
        proto_item_set_generated(proto_tree_add_uint64(tree, field, tvb, 0, 0, number));
    else
        proto_item_set_generated(proto_tree_add_uint(tree, field, tvb, 0, 0, (uint32_t)number));
}

void rpcrdma_draw_remarks(struct rpcrdma_canvas *canvas)
{
    if (!canvas->segment)
        return;
    for (const struct remark *remark = canvas->segment->record.remarks; remark; remark = remark->next)
        findings_draw(&rpcrdma_findings, canvas->pinfo, canvas->item, canvas->tvb, remark);
}

void rpcrdma_draw_found(const struct remark *remarks, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree)
{
    proto_item *item = NULL;

    for (const struct remark *remark = remarks; remark; remark = remark->next) {
        if (!item)
            item = proto_tree_get_parent(proto_item_add_subtree(
                proto_tree_add_item(tree, rpcrdma_proto, tvb, 0, 0, ENC_NA), rpcrdma_ett.rpcrdma));
        findings_draw(&rpcrdma_findings, pinfo, item, tvb, remark);
    }
}

void rpcrdma_draw_bare(const struct connection *connection, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree)
{
    const struct rpcrdma_flow *flow = connection->rpcrdma;

    if (flow)
        rpcrdma_draw_found(judge_bare(&flow->judge, pinfo->num), tvb, pinfo, tree);
}

const char *rpcrdma_procedure_name(wmem_allocator_t *pool, const struct kept_transaction *t)
{
    const char *program = nfs_program_name(t->program);
    const struct nfs_procedure *procedure = nfs_procedure_find(t->program, t->version, t->procedure);
    const char *number =
        !procedure || !procedure->name ? wmem_strdup_printf(pool, "procedure %u", t->procedure) : procedure->name;

    if (!program)
        program = wmem_strdup_printf(pool, "program %u", t->program);
    return wmem_strdup_printf(pool, "%s v%u %s", program, t->version, number);
}

/* The last octets of the Send were not captured. */
static bool is_cut(const struct rpcrdma_canvas *canvas)
{
    return canvas->n < tvb_reported_length(canvas->tvb);
}

/* ---- the fixed header ---- */

static void draw_credit(struct rpcrdma_canvas *canvas)
{
    const struct kept_message *message = canvas->message;
    proto_item *item = proto_tree_add_item(canvas->tree, rpcrdma_hf.credit, canvas->tvb, 8, 4, ENC_BIG_ENDIAN);
    proto_tree *tree;

    if (message->kind != RPCRDMA_KIND_CALL && message->kind != RPCRDMA_KIND_REPLY)
        return;
    proto_item_append_text(item, message->kind == RPCRDMA_KIND_CALL ? " requested" : " granted");
    tree = proto_item_add_subtree(item, rpcrdma_ett.credit);
    if (message->kind == RPCRDMA_KIND_CALL && message->granted != 0) {
        rpcrdma_number(tree, rpcrdma_hf.credit_granted, canvas->tvb, message->granted);
        proto_item_append_text(item, ", %u granted", message->granted);
    }
    if (!message->transaction)
        return;
    rpcrdma_number(tree, rpcrdma_hf.credit_in_use, canvas->tvb, message->in_use);
    proto_item_append_text(item, ", %u in use", message->in_use);
}

static void draw_fixed(struct rpcrdma_canvas *canvas)
{
    if (canvas->n >= 4)
        proto_tree_add_item(canvas->tree, rpcrdma_hf.xid, canvas->tvb, 0, 4, ENC_BIG_ENDIAN);
    if (canvas->n >= 8)
        proto_tree_add_item(canvas->tree, rpcrdma_hf.version, canvas->tvb, 4, 4, ENC_BIG_ENDIAN);
    if (canvas->n >= 12)
        draw_credit(canvas);
    if (canvas->n >= 16)
        proto_tree_add_item(canvas->tree, rpcrdma_hf.proc, canvas->tvb, 12, 4, ENC_BIG_ENDIAN);
}

/* ---- RDMA_ERROR ---- */

static void draw_error(struct rpcrdma_canvas *canvas)
{
    const struct rpcrdma_header *header = &canvas->header;
    proto_item *item;

    if (canvas->n < RPCRDMA_ERR_CHUNK_LEN)
        return;
    item = proto_tree_add_item(canvas->tree, rpcrdma_hf.err, canvas->tvb, 16, 4, ENC_BIG_ENDIAN);
    if (header->err == RPCRDMA_ERR_VERS && header->status == RPCRDMA_OK) {
        proto_tree_add_item(canvas->tree, rpcrdma_hf.vers_low, canvas->tvb, 20, 4, ENC_BIG_ENDIAN);
        proto_tree_add_item(canvas->tree, rpcrdma_hf.vers_high, canvas->tvb, 24, 4, ENC_BIG_ENDIAN);
        proto_item_append_text(item, ", versions %u to %u", header->vers_low, header->vers_high);
    }
    expert_add_info_format(canvas->pinfo, item, &rpcrdma_ei.error, "The transaction failed: %s",
                           rpcrdma_err_name(header->err));
}

/* ---- faults of a header ---- */

static const char *fault_text(wmem_allocator_t *pool, const struct rpcrdma_header *header)
{
    switch (header->status) {
    case RPCRDMA_OK:
        break;
    case RPCRDMA_SHORT:
        return "The Send ends within the header";
    case RPCRDMA_BAD_PROC:
        return wmem_strdup_printf(pool, "Message type %u is not defined", header->fault);
    case RPCRDMA_BAD_DISCRIMINATOR:
        return wmem_strdup_printf(pool, "Expected 0 or 1; found 0x%08x", header->fault);
    case RPCRDMA_OVERRUN:
        return header->fault == 0 ? "The chunk lists extend beyond the end of the Send"
                                  : wmem_strdup_printf(pool, "%u segments do not fit into the Send", header->fault);
    case RPCRDMA_BAD_ERR:
        return wmem_strdup_printf(pool, "Error %u is not defined", header->fault);
    }
    return "";
}

static void rpcrdma_draw_fault(struct rpcrdma_canvas *canvas)
{
    const struct rpcrdma_header *header = &canvas->header;
    uint32_t at = header->fault_at < canvas->n ? header->fault_at : canvas->n;
    proto_item *item;

    if (header->status == RPCRDMA_OK || is_cut(canvas))
        return;
    item = proto_tree_add_item(canvas->tree, rpcrdma_hf.fault, canvas->tvb, (int)at, (int)(canvas->n - at), ENC_NA);
    expert_add_info_format(canvas->pinfo, item, &rpcrdma_ei.fault, "%s", fault_text(canvas->pinfo->pool, header));
}

void rpcrdma_draw_refused(const struct rpcrdma_canvas *canvas)
{
    const struct kept_message *message = canvas->message;
    uint32_t frame = canvas->segment ? canvas->segment->refused_in : 0;

    if (frame == 0 && message && message->kind == RPCRDMA_KIND_CALL && message->transaction)
        frame = message->transaction->refused_in;
    rpcrdma_link(canvas->tree, rpcrdma_hf.refused_in, canvas->tvb, frame);
}

/* ---- Calls and their answers ---- */

int64_t rpcrdma_response_ns(const struct rpcrdma_canvas *canvas)
{
    int64_t here = (int64_t)canvas->pinfo->abs_ts.secs * 1000000000 + canvas->pinfo->abs_ts.nsecs;
    int64_t received = kept_sent_of(canvas->message)->received_ns;

    return (received != 0 ? received : here) - canvas->message->transaction->call_time_ns;
}

static bool draw_is_unanswered(const struct kept_transaction *t)
{
    return t->outcome == RPCRDMA_OUTSTANDING && t->answer_frame == 0 && !t->copy_answered;
}

/* On the first pass, the answer is still to come. */
static void draw_unanswered(const struct rpcrdma_canvas *canvas)
{
    if (PINFO_FD_VISITED(canvas->pinfo) && draw_is_unanswered(canvas->message->transaction))
        proto_item_set_generated(proto_tree_add_boolean(canvas->tree, rpcrdma_hf.unanswered, canvas->tvb, 0, 0, 1));
}

static void draw_transaction(struct rpcrdma_canvas *canvas)
{
    const struct kept_message *message = canvas->message;
    const struct kept_transaction *t = message->transaction;
    proto_tree *tree = canvas->tree;

    if (message->kind != RPCRDMA_KIND_UNKNOWN || t)
        rpcrdma_number(tree, rpcrdma_hf.kind, canvas->tvb, message->kind);
    if (!t)
        return;
    rpcrdma_number(tree, rpcrdma_hf.transaction, canvas->tvb, t->number);
    rpcrdma_tap_belongs(canvas, t);
    proto_item_set_generated(proto_tree_add_boolean(tree, rpcrdma_hf.reverse, canvas->tvb, 0, 0, message->reverse));
    if (message->repeated)
        proto_item_set_generated(proto_tree_add_boolean(tree, rpcrdma_hf.repeated, canvas->tvb, 0, 0, 1));
    if (message->kind == RPCRDMA_KIND_CALL) {
        rpcrdma_link(tree, rpcrdma_hf.response_in, canvas->tvb, t->answer_frame);
        rpcrdma_link(tree, rpcrdma_hf.copy_of, canvas->tvb, t->copy_of);
        draw_unanswered(canvas);
    } else {
        int64_t ns = rpcrdma_response_ns(canvas);
        nstime_t time = {.secs = (time_t)(ns / 1000000000), .nsecs = (int)(ns % 1000000000)};

        rpcrdma_link(tree, rpcrdma_hf.response_to, canvas->tvb, t->call_frame);
        proto_item_set_generated(proto_tree_add_time(tree, rpcrdma_hf.time, canvas->tvb, 0, 0, &time));
        rpcrdma_link(tree, rpcrdma_hf.received_in, canvas->tvb, kept_sent_of(message)->received_in);
    }
}

static void draw_length(struct rpcrdma_canvas *canvas)
{
    const struct kept_message *message = canvas->message;
    proto_item *item;

    if (!canvas->more)
        rpcrdma_number(canvas->tree, rpcrdma_hf.send_length, canvas->tvb, tvb_reported_length(canvas->tvb));
    if (message->threshold == 0)
        return;
    item = proto_tree_add_uint(canvas->tree, rpcrdma_hf.threshold, canvas->tvb, 0, 0, message->threshold);
    proto_item_set_generated(item);
    proto_item_append_text(item, message->negotiated ? " (RFC 8797)" : " (default: not negotiated)");
}

/* ---- the whole Send ---- */

/* The RPC message to dissect here, if any. */
static const struct kept_rpc *rpc_of(const struct kept_message *message)
{
    const struct kept_transaction *t = message->transaction;

    if (message->kind == RPCRDMA_KIND_CALL && t && t->call && t->call->given_up)
        return t->call;
    return message->rpc;
}

/* Puts the title of the Send before `at`. */
static char *title_before(char *at, const struct rpcrdma_canvas *canvas)
{
    static const char *const kinds[] = {[RPCRDMA_KIND_UNKNOWN] = "",
                                        [RPCRDMA_KIND_CALL] = " Call",
                                        [RPCRDMA_KIND_REPLY] = " Reply",
                                        [RPCRDMA_KIND_ERROR] = ""};
    const struct rpcrdma_header *header = &canvas->header;

    if (canvas->n < RPCRDMA_FIXED_LEN && canvas->n >= 4 && is_cut(canvas))
        return text_before(hex_to_str_back_len(text_before(at, " [header cut]"), get_be32(canvas->p), 8), ", XID ");
    if (canvas->n < RPCRDMA_FIXED_LEN)
        return text_before(uint_to_str_back(text_before(at, " octets"), canvas->n), ", ");
    if (canvas->message->reverse)
        at = text_before(at, ", reverse direction");
    at = text_before(text_before(hex_to_str_back_len(at, header->xid, 8), ", XID "), kinds[canvas->message->kind]);
    if (header->proc == RPCRDMA_ERROR && canvas->n >= RPCRDMA_ERR_CHUNK_LEN)
        at = text_before(text_before(at, rpcrdma_err_name(header->err)), " ");
    return text_before(text_before(at, rpcrdma_proc_name(header->proc)), ", ");
}

static void draw_title(struct rpcrdma_canvas *canvas, const struct kept_rpc *rpc)
{
    const struct kept_transaction *t = canvas->message->transaction;
    char room[128], *end = room + sizeof room - 1, *text;

    *end = '\0';
    text = title_before(end, canvas);
    col_set_str(canvas->pinfo->cinfo, COL_PROTOCOL, "RPC-over-RDMA");
    say(canvas->pinfo->cinfo, text, (size_t)(end - text));
    if (canvas->item)
        proto_item_append_text(canvas->item, "%s", text);
    if (canvas->message->kind != RPCRDMA_KIND_CALL || rpc || !t)
        return;
    /* The RPC message is dissected with the last Read Response. */
    if (t->known)
        col_append_fstr(canvas->pinfo->cinfo, COL_INFO, ", %s", rpcrdma_procedure_name(canvas->pinfo->pool, t));
    if (t->call && t->call->complete_in != 0)
        col_append_fstr(canvas->pinfo->cinfo, COL_INFO, " (complete in %u)", t->call->complete_in);
}

/* The part of a Call that Wireshark's RPC dissector needs: up to the procedure. */
enum { RPC_CALL_SEEN = 24 };

/* The RPC message begins after the header. */
static bool is_inline(const struct rpcrdma_header *header)
{
    return header->proc == RPCRDMA_MSG || header->proc == RPCRDMA_MSGP;
}

static bool draw_is_whole(const struct rpcrdma_header *header)
{
    return header->status == RPCRDMA_OK || header->status == RPCRDMA_BAD_ERR;
}

static void rpcrdma_draw_links(struct rpcrdma_canvas *canvas, const struct kept_rpc *rpc)
{
    const struct kept_message *message = canvas->message;
    const struct kept_sent *sent = kept_sent_of(message);

    if (sent->first_in != sent->last_in)
        rpcrdma_link(canvas->tree, rpcrdma_hf.send_first_in, canvas->tvb, sent->first_in);
    if (message->kind == RPCRDMA_KIND_CALL && !rpc && message->transaction && message->transaction->call) {
        rpcrdma_link(canvas->tree, rpcrdma_hf.complete_in, canvas->tvb, message->transaction->call->complete_in);
        rpcrdma_builtin_rebuilt_in(canvas, message->transaction->call->complete_in);
    }
}

/* Shows the part after the header. */
static void show_payload(struct rpcrdma_canvas *canvas, const struct kept_rpc *rpc)
{
    const struct rpcrdma_header *header = &canvas->header;
    const struct kept_message *message = canvas->message;
    uint32_t enough = message->kind == RPCRDMA_KIND_CALL ? RPC_CALL_SEEN : RPC_REPLY_MIN;

    if (rpc)
        rpcrdma_show_rpc(canvas, rpc, message->reverse);
    else if (!draw_is_whole(header))
        return;
    else if (is_cut(canvas) && is_inline(header) && canvas->n >= header->header_len + enough)
        rpcrdma_show_beginning(canvas);
    else if (header->header_len < canvas->n)
        rpcrdma_show_rest(canvas);
}

/* Draws information that is not in the header. */
static void draw_context(struct rpcrdma_canvas *canvas, const struct kept_rpc *rpc)
{
    draw_transaction(canvas);
    rpcrdma_draw_refused(canvas);
    draw_length(canvas);
    rpcrdma_draw_links(canvas, rpc);
}

void rpcrdma_draw_message(struct rpcrdma_canvas *canvas)
{
    const struct rpcrdma_header *header = &canvas->header;
    const struct kept_message *message = canvas->message;
    const struct kept_rpc *rpc = rpc_of(message);

    canvas->item = proto_tree_add_item(canvas->root, rpcrdma_proto, canvas->tvb, 0,
                                       draw_is_whole(header) ? (int)header->header_len : (int)canvas->n, ENC_NA);
    canvas->tree = proto_item_add_subtree(canvas->item, rpcrdma_ett.rpcrdma);
    draw_title(canvas, rpc);
    rpcrdma_builtin_message(canvas);
    if (canvas->root)
        draw_fixed(canvas);
    if (header->proc == RPCRDMA_ERROR)
        draw_error(canvas);
    else if (canvas->root && header->proc <= RPCRDMA_MSGP && canvas->n >= RPCRDMA_FIXED_LEN)
        rpcrdma_draw_lists(canvas);
    rpcrdma_draw_fault(canvas);
    if (canvas->root)
        draw_context(canvas, rpc);
    rpcrdma_draw_remarks(canvas);
    rpcrdma_tap(canvas);
    if (message->call_given_up && !PINFO_FD_VISITED(canvas->pinfo))
        rpcrdma_tell_rpc(canvas, message->transaction);
    show_payload(canvas, rpc);
}

void rpcrdma_draw_empty(struct rpcrdma_canvas *canvas)
{
    static const char text[] = ", Send of no octets";

    canvas->item = proto_tree_add_item(canvas->root, rpcrdma_proto, canvas->tvb, 0, 0, ENC_NA);
    canvas->tree = proto_item_add_subtree(canvas->item, rpcrdma_ett.rpcrdma);
    col_set_str(canvas->pinfo->cinfo, COL_PROTOCOL, "RPC-over-RDMA");
    col_append_str(canvas->pinfo->cinfo, COL_INFO, text);
    proto_item_append_text(canvas->item, "%s", text);
    draw_length(canvas);
    rpcrdma_draw_remarks(canvas);
    rpcrdma_tap(canvas);
}

/* ---- Sends without a record ---- */

enum { CREDITS_PLAUSIBLE = 65536 };

/* The same test as in engine/rpcrdma/rpcrdma_recognise.c, as far as the header was captured. */
static bool is_plausible(const struct rpcrdma_canvas *canvas)
{
    const struct rpcrdma_header *header = &canvas->header;

    if (canvas->n < RPCRDMA_HEADER_MIN || header->vers != RPCRDMA_VERSION || header->credit >= CREDITS_PLAUSIBLE ||
        header->status != RPCRDMA_OK)
        return false;
    return is_inline(header)
               ? canvas->n >= header->header_len + 8 && get_be32(canvas->p + header->header_len) == header->xid &&
                     get_be32(canvas->p + header->header_len + 4) <= RPC_REPLY
               : header->proc == RPCRDMA_NOMSG;
}

bool rpcrdma_is_unrecorded(struct rpcrdma_canvas *canvas, bool certain)
{
    canvas->n = tvb_captured_length(canvas->tvb);
    if (canvas->n < 4)
        return false;
    canvas->p = tvb_get_ptr(canvas->tvb, 0, (int)canvas->n);
    rpcrdma_header_decode(&canvas->header, canvas->p, canvas->n);
    return certain || is_plausible(canvas);
}

void rpcrdma_draw_unrecorded(struct rpcrdma_canvas *canvas)
{
    const struct rpcrdma_header *header = &canvas->header;
    struct kept_message message = {.kind = RPCRDMA_KIND_UNKNOWN};

    if (header->proc == RPCRDMA_ERROR)
        message.kind = RPCRDMA_KIND_ERROR;
    else if (header->status == RPCRDMA_OK && is_inline(header) && canvas->n >= header->header_len + 8)
        message.kind =
            get_be32(canvas->p + header->header_len + 4) == RPC_CALL ? RPCRDMA_KIND_CALL : RPCRDMA_KIND_REPLY;
    canvas->message = &message;
    rpcrdma_draw_message(canvas);
    canvas->message = NULL;
}
