// SPDX-License-Identifier: GPL-2.0-or-later
/* The Terminate header: RFC 5040 section 4.8. */
#include "plugins/ddp_rdmap/rdmap_plugin.h"

#include "engine/terminate/terminate_layout.h"

enum { AT_CONTROL = 0, AT_LENGTH = 4, AT_DDP = 6 };

struct place_in {
    struct rdmap_canvas *canvas;
    proto_tree *tree;
    int at; /* octet 0 of the Terminate header, in the ULPDU */
};

static proto_item *terminate_number(const struct place_in *in, int field, int at, int length, uint32_t value,
                                    const char *name)
{
    proto_item *item = proto_tree_add_uint(in->tree, field, in->canvas->tvb, in->at + at, length, value);

    if (name)
        proto_item_append_text(item, " (%s)", name);
    return item;
}

static void terminate_mark(proto_item *item, bool reread)
{
    if (reread)
        proto_item_set_generated(item);
}

enum { BIT_M = 0x8000, BIT_D = 0x4000, BIT_R = 0x2000 };

static void terminate_draw_flags(const struct place_in *in, const struct rdmap_terminate *terminate, bool reread)
{
    const int fields[] = {rdmap_hf.terminate_m, rdmap_hf.terminate_d, rdmap_hf.terminate_r};
    uint16_t flags = (uint16_t)((terminate->m ? BIT_M : 0) | (terminate->d ? BIT_D : 0) | (terminate->r ? BIT_R : 0) |
                                terminate->reserved);
    proto_item *item = terminate_number(in, rdmap_hf.terminate_flags, 2, 2, flags, NULL);
    struct place_in below = {in->canvas, proto_item_add_subtree(item, rdmap_ett.terminate_flags), in->at};

    proto_item_append_text(item, "%s%s%s", terminate->m ? ", M" : "", terminate->d ? ", D" : "",
                           terminate->r ? ", R" : "");
    terminate_mark(item, reread);
    for (unsigned i = 0; i < array_length(fields); i++)
        terminate_mark(proto_tree_add_boolean(below.tree, fields[i], in->canvas->tvb, in->at + 2, 2, flags), reread);
    terminate_mark(terminate_number(&below, rdmap_hf.terminate_reserved, 2, 2, flags, NULL), reread);
}

/* Marks bits that were read in another layout than that of RFC 5040: the packet has them in other places. */
static void draw_control(const struct place_in *in, const struct rdmap_terminate *terminate, bool reread)
{
    uint8_t first = (uint8_t)(terminate->layer << 4 | terminate->etype);

    terminate_mark(terminate_number(in, rdmap_hf.terminate_layer, 0, 1, first, NULL), reread);
    terminate_mark(terminate_number(in, rdmap_hf.terminate_etype, 0, 1, first,
                                    rdmap_terminate_etype_name(terminate->layer, terminate->etype)),
                   reread);
    terminate_mark(terminate_number(in, rdmap_hf.terminate_code, 1, 1, terminate->code,
                                    rdmap_terminate_code_name(terminate->layer, terminate->etype, terminate->code)),
                   reread);
    terminate_draw_flags(in, terminate, reread);
}

struct octets_of {
    const int *field;
    uint8_t at, length;
};

/* The fields that a header of `n` octets has. */
static void draw_octets_of(const struct place_in *in, const struct octets_of *rows, unsigned n_rows, int n)
{
    for (const struct octets_of *row = rows; row < rows + n_rows && row->at + row->length <= n; row++)
        proto_tree_add_item(in->tree, *row->field, in->canvas->tvb, in->at + row->at, row->length, ENC_BIG_ENDIAN);
}

/* The header may be cut after n octets, at least two. */
static void terminate_draw_ddp(const struct place_in *in, const struct ddp_segment *ddp, int n)
{
    const struct rdmap_opcode_info *info = rdmap_opcode_info(ddp->opcode);
    static const struct octets_of control[] = {
        {&rdmap_hf.terminated_tagged, 0, 1}, {&rdmap_hf.terminated_last, 0, 1}, {&rdmap_hf.terminated_rsvd, 0, 1},
        {&rdmap_hf.terminated_dv, 0, 1},     {&rdmap_hf.terminated_rv, 1, 1},   {&rdmap_hf.terminated_rsv, 1, 1},
        {&rdmap_hf.terminated_opcode, 1, 1},
    };
    static const struct octets_of tagged[] = {{&rdmap_hf.terminated_stag, 2, 4}, {&rdmap_hf.terminated_to, 6, 8}};
    const struct octets_of untagged[] = {
        {rdmap_names_stag(info) ? &rdmap_hf.terminated_invalidate : &rdmap_hf.terminated_reserved, 2, 4},
        {&rdmap_hf.terminated_qn, 6, 4},
        {&rdmap_hf.terminated_msn, 10, 4},
        {&rdmap_hf.terminated_mo, 14, 4},
    };
    struct place_in below = {in->canvas, NULL, in->at + AT_DDP};
    proto_item *item = proto_tree_add_item(in->tree, rdmap_hf.terminated_ddp, in->canvas->tvb, below.at, n, ENC_NA);

    below.tree = proto_item_add_subtree(item, rdmap_ett.terminated);
    if (n < ddp->header_len)
        proto_item_append_text(item, ": cut after %d octets", n);
    else if (ddp->tagged)
        proto_item_append_text(item, ": Tagged, STag 0x%08x, TO 0x%" PRIx64, ddp->stag, ddp->to);
    else
        proto_item_append_text(item, ": Untagged, QN %u, MSN %u, MO %u", ddp->qn, ddp->msn, ddp->mo);
    draw_octets_of(&below, control, array_length(control), n);
    if (ddp->tagged)
        draw_octets_of(&below, tagged, array_length(tagged), n);
    else
        draw_octets_of(&below, untagged, array_length(untagged), n);
}

static void draw_read(const struct place_in *in, int after)
{
    tvbuff_t *tvb = in->canvas->tvb;
    int at = in->at + after;
    proto_item *item = proto_tree_add_item(in->tree, rdmap_hf.terminated_read, tvb, at, RDMAP_READ_REQUEST_LEN, ENC_NA);
    proto_tree *tree = proto_item_add_subtree(item, rdmap_ett.terminated);

    proto_tree_add_item(tree, rdmap_hf.terminated_sink_stag, tvb, at, 4, ENC_BIG_ENDIAN);
    proto_tree_add_item(tree, rdmap_hf.terminated_sink_to, tvb, at + 4, 8, ENC_BIG_ENDIAN);
    proto_tree_add_item(tree, rdmap_hf.terminated_size, tvb, at + 12, 4, ENC_BIG_ENDIAN);
    proto_tree_add_item(tree, rdmap_hf.terminated_source_stag, tvb, at + 16, 4, ENC_BIG_ENDIAN);
    proto_tree_add_item(tree, rdmap_hf.terminated_source_to, tvb, at + 20, 8, ENC_BIG_ENDIAN);
}

static void draw_culprit(struct rdmap_canvas *canvas)
{
    const struct rdmap_blame *blame = canvas->seg ? canvas->seg->more->blame : NULL;
    const struct rdmap_opcode_info *info;
    const char *text;

    if (!blame || !blame->found)
        return;
    info = blame->terminate.has_ddp ? rdmap_opcode_info(blame->terminate.ddp.opcode) : NULL;
    text = wmem_strdup_printf(canvas->pinfo->pool, ", caused by %s%sframe %u", info ? info->name : "",
                              info ? " in " : "", blame->frame);
    rdmap_say(canvas, "%s", text);
    proto_item_append_text(canvas->rdmap_item, "%s", text);
    rdmap_link(canvas->rdmap_tree, rdmap_hf.caused_by, canvas->tvb, blame->frame);
    if (canvas->seg->more->blames)
        proto_item_set_generated(proto_tree_add_uint64(canvas->rdmap_tree, rdmap_hf.caused_by_operation, canvas->tvb, 0,
                                                       0, canvas->seg->more->blames));
}

void rdmap_draw_terminate(struct rdmap_canvas *canvas)
{
    const struct ddp_segment *ddp = canvas->ddp;
    struct place_in in = {canvas, canvas->rdmap_tree, ddp->header_len};
    struct rdmap_terminate terminate = {0};
    enum rdmap_terminate_status status = rdmap_terminate_decode(&terminate, ddp->payload, ddp->payload_len);
    const char *layout, *code;
    int end = AT_LENGTH;

    if (status == RDMAP_TERMINATE_SHORT)
        return;
    layout = rdmap_terminate_reread(&terminate, &status, ddp->payload, ddp->payload_len, NULL);
    if (layout)
        proto_item_set_generated(proto_tree_add_string(in.tree, rdmap_hf.terminate_layout, canvas->tvb,
                                                       in.at + AT_CONTROL, AT_LENGTH, layout));
    draw_control(&in, &terminate, layout != NULL);
    if (terminate.has_length) {
        terminate_number(&in, rdmap_hf.terminate_length, AT_LENGTH, 2, terminate.segment_length, NULL);
        end = AT_DDP;
    }
    if (terminate.d && ddp->payload_len >= AT_DDP + 2) {
        struct ddp_segment enclosed;
        size_t n = ddp->payload_len - AT_DDP;

        if (ddp_segment_decode(&enclosed, ddp->payload + AT_DDP, n))
            n = enclosed.header_len;
        terminate_draw_ddp(&in, &enclosed, (int)n);
        end = AT_DDP + (int)n;
    }
    if (terminate.has_read) {
        draw_read(&in, end);
        end += RDMAP_READ_REQUEST_LEN;
    }
    if ((size_t)end < ddp->payload_len)
        proto_tree_add_item(in.tree, rdmap_hf.terminate_trailing, canvas->tvb, in.at + end,
                            (int)(ddp->payload_len - (size_t)end), ENC_NA);
    code = rdmap_terminate_code_name(terminate.layer, terminate.etype, terminate.code);
    if (!code)
        code = rdmap_terminate_etype_name(terminate.layer, terminate.etype);
    proto_item_append_text(canvas->rdmap_item, ": %s", code ? code : "undefined error");
    rdmap_say(canvas, ": %s (%u/%u/0x%02x)", code ? code : "undefined error", terminate.layer, terminate.etype,
              terminate.code);
    expert_add_info_format(canvas->pinfo, canvas->rdmap_item, &rdmap_ei.terminate, "The RDMAP stream is terminated: %s",
                           code ? code : "undefined error");
    draw_culprit(canvas);
}
