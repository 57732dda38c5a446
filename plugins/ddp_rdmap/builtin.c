// SPDX-License-Identifier: GPL-2.0-or-later
/* The fields of Wireshark's built-in iwarp_ddp_rdmap: plugins/common/builtin.h. */
#include "plugins/common/builtin.h"
#include "plugins/ddp_rdmap/rdmap_plugin.h"

#include "wire/atomic.h"

enum {
    SEGMENT = 1 << 0,
    TAGGED = 1 << 1,
    UNTAGGED = 1 << 2,
    /* the opcode */
    RESERVED = 1 << 3,
    INVALIDATES = 1 << 4,
    /* what follows the header */
    READ = 1 << 5,
    TERMINATE = 1 << 6,
    ATOMIC_REQUEST = 1 << 7,
    ATOMIC_RESPONSE = 1 << 8,
    FETCH_ADD = 1 << 9,
    CMP_SWAP = 1 << 10,
    /* of a Terminate */
    LAYER_RDMA = 1 << 11,
    LAYER_DDP = 1 << 12,
    LAYER_LLP = 1 << 13,
    LAYER_OTHER = 1 << 14,
    ETYPE_0 = 1 << 15,
    ETYPE_1 = 1 << 16,
    ETYPE_2 = 1 << 17,
    ETYPE_NOT_0 = 1 << 18,
    ETYPE_NOT_1 = 1 << 19,
    ETYPE_OTHER = 1 << 20,
    WITH_DDP = 1 << 21,
    WITHOUT_DDP = 1 << 22,
    WITH_RDMAP = 1 << 23,
};

static struct builtin_field rdmap_builtin_fields[] = {
    {"iwarp_ddp", SEGMENT, 0, 0, NULL},
    {"iwarp_ddp.control_field", SEGMENT, 0, 0, NULL},
    {"iwarp_ddp.tagged_flag", SEGMENT, 0, 1, NULL},
    {"iwarp_ddp.last_flag", SEGMENT, 0, 1, NULL},
    {"iwarp_ddp.rsvd", SEGMENT, 0, 1, NULL},
    {"iwarp_ddp.dv", SEGMENT, 0, 1, NULL},
    {"iwarp_ddp.rsvdulp", UNTAGGED, 1, 5, NULL},
    {"iwarp_ddp.tagged", TAGGED, 2, 0, NULL},
    {"iwarp_ddp.stag", TAGGED, 2, 4, NULL},
    {"iwarp_ddp.tagged_offset", TAGGED, 6, 8, NULL},
    {"iwarp_ddp.untagged", UNTAGGED, 6, 0, NULL},
    {"iwarp_ddp.qn", UNTAGGED, 6, 4, NULL},
    {"iwarp_ddp.msn", UNTAGGED, 10, 4, NULL},
    {"iwarp_ddp.mo", UNTAGGED, 14, 4, NULL},
    {"iwarp_rdma", SEGMENT, 1, 0, NULL},
    {"iwarp_rdma.control_field", SEGMENT, 1, 0, NULL},
    {"iwarp_rdma.version", SEGMENT, 1, 1, NULL},
    {"iwarp_rdma.rsv", SEGMENT, 1, 1, NULL},
    {"iwarp_rdma.opcode", SEGMENT, 1, 1, NULL},
    {"iwarp_rdma.reserved", RESERVED, 2, 4, NULL},
    {"iwarp_rdma.inval_stag", INVALIDATES, 2, 4, NULL},

    {"iwarp_rdma.rr", READ, 0, 0, NULL},
    {"iwarp_rdma.sinkstag", READ, 0, 4, NULL},
    {"iwarp_rdma.sinkto", READ, 4, 8, NULL},
    {"iwarp_rdma.rdmardsz", READ, 12, 4, NULL},
    {"iwarp_rdma.srcstag", READ, 16, 4, NULL},
    {"iwarp_rdma.srcto", READ, 20, 8, NULL},

    {"iwarp_rdma.atomic.reserved", ATOMIC_REQUEST, 0, 4, NULL},
    {"iwarp_rdma.atomic.opcode", ATOMIC_REQUEST, 0, 4, NULL},
    {"iwarp_rdma.atomic.request_identifier", ATOMIC_REQUEST, 4, 4, NULL},
    {"iwarp_rdma.atomic.remote_stag", ATOMIC_REQUEST, 8, 4, NULL},
    {"iwarp_rdma.atomic.remote_tagged_offset", ATOMIC_REQUEST, 12, 8, NULL},
    {"iwarp_rdma.atomic.add_data", FETCH_ADD, 20, 8, NULL},
    {"iwarp_rdma.atomic.add_mask", FETCH_ADD, 28, 8, NULL},
    {"iwarp_rdma.atomic.swap_data", CMP_SWAP, 20, 8, NULL},
    {"iwarp_rdma.atomic.swap_mask", CMP_SWAP, 28, 8, NULL},
    {"iwarp_rdma.atomic.compare_data", ATOMIC_REQUEST, 36, 8, NULL},
    {"iwarp_rdma.atomic.compare_mask", ATOMIC_REQUEST, 44, 8, NULL},
    {"iwarp_rdma.atomic.original_request_identifier", ATOMIC_RESPONSE, 0, 4, NULL},
    {"iwarp_rdma.atomic.original_remote_data_value", ATOMIC_RESPONSE, 4, 8, NULL},

    /* The control word as sent, whatever its layout. */
    {"iwarp_rdma.terminate", TERMINATE, 0, 0, NULL},
    {"iwarp_rdma.term_ctrl", TERMINATE, 0, 0, NULL},
    {"iwarp_rdma.term_layer", TERMINATE, 0, 1, NULL},
    {"iwarp_rdma.term_etype_rdma", LAYER_RDMA, 0, 1, NULL},
    {"iwarp_rdma.term_etype_ddp", LAYER_DDP, 0, 1, NULL},
    {"iwarp_rdma.term_etype_llp", LAYER_LLP, 0, 1, NULL},
    {"iwarp_rdma.term_etype", LAYER_OTHER, 0, 1, NULL},
    {"iwarp_rdma.term_errcode_rdma", LAYER_RDMA | ETYPE_NOT_0, 1, 1, NULL},
    {"iwarp_rdma.term_errcode_ddp_tagged", LAYER_DDP | ETYPE_1, 1, 1, NULL},
    {"iwarp_rdma.term_errcode_ddp_untagged", LAYER_DDP | ETYPE_2, 1, 1, NULL},
    {"iwarp_rdma.term_errcode_llp", LAYER_LLP | ETYPE_0, 1, 1, NULL},
    {"iwarp_rdma.term_errcode", LAYER_RDMA | ETYPE_0, 1, 1, NULL},
    {"iwarp_rdma.term_errcode", LAYER_DDP | ETYPE_OTHER, 1, 1, NULL},
    {"iwarp_rdma.term_errcode", LAYER_LLP | ETYPE_NOT_0, 1, 1, NULL},
    {"iwarp_rdma.term_errcode", LAYER_OTHER, 1, 1, NULL},
    {"iwarp_rdma.term_hdrct", TERMINATE, 2, 0, NULL},
    {"iwarp_rdma.term_hdrct_m", TERMINATE, 2, 1, NULL},
    {"iwarp_rdma.hdrct_d", TERMINATE, 2, 1, NULL},
    {"iwarp_rdma.hdrct_r", TERMINATE, 2, 1, NULL},
    {"iwarp_rdma.term_rsvd", TERMINATE, 2, 2, NULL},
    {"iwarp_rdma.term_ddp_seg_len", WITH_DDP, 4, 2, NULL},
    /* A copied DDP header has the length that the EType implies. */
    {"iwarp_rdma.term_ddp_h", WITH_DDP | ETYPE_1, 6, DDP_TAGGED_HEADER_LEN, NULL},
    {"iwarp_rdma.term_ddp_h", WITH_DDP | ETYPE_NOT_1, 6, DDP_UNTAGGED_HEADER_LEN, NULL},
    {"iwarp_rdma.term_rdma_h", WITH_RDMAP | WITHOUT_DDP, 4, RDMAP_READ_REQUEST_LEN, NULL},
    {"iwarp_rdma.term_rdma_h", WITH_RDMAP | WITH_DDP | ETYPE_1, 6 + DDP_TAGGED_HEADER_LEN, RDMAP_READ_REQUEST_LEN,
     NULL},
    {"iwarp_rdma.term_rdma_h", WITH_RDMAP | WITH_DDP | ETYPE_NOT_1, 6 + DDP_UNTAGGED_HEADER_LEN, RDMAP_READ_REQUEST_LEN,
     NULL},
};

/* Fields of a reassembled Send, in the order of struct fragment_items. */
static const char *const send_names[] = {
    "fragments",
    "fragment",
    "fragment.overlap",
    "fragment.overlap.conflict",
    "fragment.multipletails",
    "fragment.toolongfragment",
    "fragment.error",
    "fragment.count",
    "reassembled_in",
    "reassembled.length",
    "reassembled.data",
};
static int send_ids[array_length(send_names)];
static const fragment_items send_items = {
    &rdmap_ett.fragment, &rdmap_ett.fragments, &send_ids[0], &send_ids[1], &send_ids[2], &send_ids[3],  &send_ids[4],
    &send_ids[5],        &send_ids[6],         &send_ids[7], &send_ids[8], &send_ids[9], &send_ids[10], "segments",
};
static bool has_sends; /* Wireshark has all of these fields */

static struct builtin iwarp_ddp_rdmap = {"iwarp_ddp_rdmap", rdmap_builtin_fields, array_length(rdmap_builtin_fields),
                                         NULL};

void rdmap_builtin_handoff(void)
{
    builtin_find(&iwarp_ddp_rdmap);
    has_sends = true;
    for (unsigned i = 0; i < array_length(send_names); i++) {
        char *name = g_strconcat("iwarp_rdma.send.", send_names[i], NULL);

        send_ids[i] = proto_registrar_get_id_byname(name);
        has_sends &= send_ids[i] >= 0;
        g_free(name);
    }
}

/* at: of the control word. */
static unsigned of_terminate(tvbuff_t *tvb, int at)
{
    static const unsigned layers[] = {LAYER_RDMA, LAYER_DDP, LAYER_LLP};
    static const unsigned etypes[] = {ETYPE_0 | ETYPE_NOT_1 | ETYPE_OTHER, ETYPE_1 | ETYPE_NOT_0,
                                      ETYPE_2 | ETYPE_NOT_0 | ETYPE_NOT_1};
    unsigned first, etype, bits;

    if (!tvb_bytes_exist(tvb, at, 1))
        return TERMINATE;
    first = tvb_get_uint8(tvb, at);
    etype = first & 0x0F;
    bits = tvb_bytes_exist(tvb, at, 3) ? tvb_get_uint8(tvb, at + 2) : 0;
    return TERMINATE | (first >> 4 < array_length(layers) ? layers[first >> 4] : LAYER_OTHER) |
           (etype < array_length(etypes) ? etypes[etype] : ETYPE_NOT_0 | ETYPE_NOT_1 | ETYPE_OTHER) |
           (bits & 0x40 ? WITH_DDP : WITHOUT_DDP) | (bits & 0x20 ? WITH_RDMAP : 0);
}

static unsigned of_atomic(tvbuff_t *tvb, int at)
{
    unsigned operation = tvb_bytes_exist(tvb, at, 4) ? tvb_get_uint8(tvb, at + 3) & 0x0F : UINT_MAX;

    return ATOMIC_REQUEST | (operation == RDMAP_ATOMIC_FETCH_ADD ? FETCH_ADD : 0) |
           (operation == RDMAP_ATOMIC_CMP_SWAP ? CMP_SWAP : 0);
}

/* Fields of the octets after the header. */
static unsigned of_operation(unsigned opcode, tvbuff_t *tvb, int at)
{
    switch (opcode) {
    case RDMAP_READ_REQUEST:
        return READ;
    case RDMAP_TERMINATE:
        return of_terminate(tvb, at);
    case RDMAP_ATOMIC_REQUEST:
        return of_atomic(tvb, at);
    case RDMAP_ATOMIC_RESPONSE:
        return ATOMIC_RESPONSE;
    default:
        return 0;
    }
}

static unsigned of_opcode(unsigned opcode)
{
    switch (opcode) {
    case RDMAP_READ_REQUEST:
    case RDMAP_SEND:
    case RDMAP_SEND_SE:
    case RDMAP_TERMINATE:
        return RESERVED;
    case RDMAP_SEND_INVALIDATE:
    case RDMAP_SEND_SE_INVALIDATE:
        return INVALIDATES;
    default:
        return 0;
    }
}

void rdmap_builtin_segment(struct rdmap_canvas *canvas)
{
    tvbuff_t *tvb = canvas->tvb;
    proto_tree *tree =
        tvb_captured_length(tvb) >= 2 ? builtin_tree(&iwarp_ddp_rdmap, canvas->root, tvb, 0, -1, rdmap_ett.rddp) : NULL;
    unsigned opcode;
    bool tagged;
    int header;

    canvas->builtin_tree = tree;
    if (!tree)
        return;
    tagged = tvb_get_uint8(tvb, 0) & 0x80;
    opcode = tvb_get_uint8(tvb, 1) & 0x0F;
    header = tagged ? DDP_TAGGED_HEADER_LEN : DDP_UNTAGGED_HEADER_LEN;
    builtin_add(&iwarp_ddp_rdmap, SEGMENT | (tagged ? TAGGED : UNTAGGED) | of_opcode(opcode), tree, tvb, 0, 0);
    if (tvb_captured_length(tvb) >= (unsigned)header)
        builtin_add(&iwarp_ddp_rdmap, of_operation(opcode, tvb, header), tree, tvb, header, 0);
}

void rdmap_builtin_message(const struct rdmap_canvas *canvas, fragment_head *head, tvbuff_t *message)
{
    proto_item *item;

    if (canvas->builtin_tree && has_sends)
        show_fragment_tree(head, &send_items, canvas->builtin_tree, canvas->pinfo, message, &item);
}

void rdmap_builtin_reassembled_in(const struct rdmap_canvas *canvas, uint32_t frame)
{
    if (canvas->builtin_tree && has_sends)
        proto_tree_add_uint(canvas->builtin_tree, *send_items.hf_reassembled_in, canvas->tvb, 0, 0, frame);
}
