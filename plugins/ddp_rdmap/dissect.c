// SPDX-License-Identifier: GPL-2.0-or-later
/* Entry points: ULPDUs from the mpa dissector. */
#include "plugins/ddp_rdmap/rdmap_plugin.h"

static dissector_handle_t ulpdu_handle;
static dissector_table_t ulpdu_table;

bool rdmap_is_enabled(void)
{
    return proto_is_protocol_enabled(find_protocol_by_id(rddp_proto));
}

bool rdmap_has_ulpdus(void)
{
    for (unsigned revision = 0; revision <= 2; revision++) {
        if (dissector_get_uint_handle(ulpdu_table, revision) != ulpdu_handle)
            return false;
    }
    return true;
}

static void dissect_find(struct rdmap_canvas *canvas, const struct passed *about)
{
    canvas->passed = about;
    canvas->flow = about ? about->connection->rdmap : NULL;
    canvas->seg = canvas->flow ? rdmap_flow_seg(canvas->flow, &about->place) : NULL;
}

bool rdmap_dissect_brief(packet_info *pinfo, const struct passed *about, const uint8_t *octets, size_t n)
{
    struct rdmap_canvas canvas = {.pinfo = pinfo};
    struct ddp_segment ddp;

    if (!ddp_segment_decode(&ddp, octets, n) || !ddp.tagged)
        return false;
    canvas.ddp = &ddp;
    canvas.info = rdmap_opcode_info(ddp.opcode);
    dissect_find(&canvas, about);
    return rdmap_draw_brief(&canvas);
}

static int rdmap_dissect_ulpdu(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data)
{
    struct rdmap_canvas canvas = {.tvb = tvb, .pinfo = pinfo, .root = tree};
    unsigned length = tvb_captured_length(tvb);
    struct ddp_segment ddp;

    canvas.fields = proto_field_is_referenced(tree, rddp_proto) || proto_field_is_referenced(tree, rdmap_proto);
    dissect_find(&canvas, passed_of(data));
    if (ddp_segment_decode(&ddp, tvb_get_ptr(tvb, 0, (int)length), length)) {
        ddp.lacking = tvb_reported_length(tvb) - length; /* cut by the snap length */
        canvas.ddp = &ddp;
        canvas.info = rdmap_opcode_info(ddp.opcode);
    }
    rdmap_draw(&canvas);
    return (int)length;
}

void rdmap_plugin_register(void)
{
    rdmap_fields_register();
    rdmap_payload_register();
    rdmap_tap_register();
    ulpdu_handle = register_dissector("rddp", rdmap_dissect_ulpdu, rddp_proto);
}

void rdmap_plugin_handoff(void)
{
    ulpdu_table = find_dissector_table(MPA_ULPDU_TABLE);
    for (unsigned revision = 0; revision <= 2; revision++)
        dissector_add_uint(MPA_ULPDU_TABLE, revision, ulpdu_handle);
    rdmap_payload_handoff();
    rdmap_builtin_handoff();
    rdmap_tap_handoff();
}
