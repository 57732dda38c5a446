// SPDX-License-Identifier: GPL-2.0-or-later
/* The private data of a start-up frame of MPA: RFC 8797 section 4. */
#include "plugins/rpcrdma/rpcrdma_plugin.h"

#include "wire/rpcrdma_private_data.h"

static int hf_block, hf_identifier, hf_version, hf_flags, hf_reserved, hf_r, hf_send_size, hf_receive_size;
static int ett_block = -1, ett_flags = -1; /* Wireshark 4.0 requires -1 */

#define ROW(field, name, abbrev, type, base, strings, mask, blurb)                                                     \
    {                                                                                                                  \
        &hf_##field,                                                                                                   \
        {                                                                                                              \
            name, "rpcrdma.private_data" abbrev, type, base, strings, mask, blurb, HFILL                               \
        }                                                                                                              \
    }

static hf_register_info rows[] = {
    ROW(block, "RPC-over-RDMA private data", "", FT_NONE, BASE_NONE, NULL, 0x0, "RFC 8797 section 4"),
    ROW(identifier, "Format identifier", ".identifier", FT_UINT32, BASE_HEX, NULL, 0x0,
        "0xf6ab0e18 identifies RPC-over-RDMA private data"),
    ROW(version, "Version", ".version", FT_UINT8, BASE_DEC, NULL, 0x0, "Version of the private data format"),
    ROW(flags, "Flags", ".flags", FT_UINT8, BASE_HEX, NULL, 0x0, "RFC 8797 section 4.1"),
    ROW(reserved, "Reserved", ".flags.reserved", FT_UINT8, BASE_HEX, NULL, RPCRDMA_PD_FLAGS_RESERVED,
        "Reserved, sent as zero"),
    ROW(r, "R: Remote invalidation", ".flags.r", FT_BOOLEAN, 8, TFS(&tfs_supported_not_supported), RPCRDMA_PD_FLAG_R,
        "The sender of this frame supports remote invalidation"),
    ROW(send_size, "Send size", ".send_size", FT_UINT32, BASE_DEC, NULL, 0x0,
        "Largest Send of the sender of this frame, in octets; encoded in units of 1024, less one"),
    ROW(receive_size, "Receive size", ".receive_size", FT_UINT32, BASE_DEC, NULL, 0x0,
        "Largest Send that the sender of this frame can receive, in octets; encoded in units of 1024, less one"),
};

void rpcrdma_private_data_register(void)
{
    static int *const subtrees[] = {&ett_block, &ett_flags};

    proto_register_field_array(rpcrdma_proto, rows, array_length(rows));
    proto_register_subtree_array(subtrees, array_length(subtrees));
}

void rpcrdma_draw_private_data(proto_tree *tree, tvbuff_t *tvb, int at, int length)
{
    static int *const flags[] = {&hf_reserved, &hf_r, NULL};
    struct rpcrdma_private_data data;
    proto_item *item;
    proto_tree *below;

    if (rpcrdma_private_data_find(&data, tvb_get_ptr(tvb, at, length), (size_t)length) != RPCRDMA_PD_OK)
        return;
    at += (int)data.offset;
    item = proto_tree_add_item(tree, hf_block, tvb, at, RPCRDMA_PD_LEN, ENC_NA);
    proto_item_append_text(item, ": send size %u, receive size %u%s", data.send_size, data.receive_size,
                           data.remote_invalidation ? ", remote invalidation" : "");
    below = proto_item_add_subtree(item, ett_block);
    proto_tree_add_item(below, hf_identifier, tvb, at, 4, ENC_BIG_ENDIAN);
    proto_tree_add_item(below, hf_version, tvb, at + 4, 1, ENC_NA);
    proto_tree_add_bitmask(below, tvb, at + 5, hf_flags, ett_flags, flags, ENC_BIG_ENDIAN);
    proto_tree_add_uint(below, hf_send_size, tvb, at + 6, 1, data.send_size);
    proto_tree_add_uint(below, hf_receive_size, tvb, at + 7, 1, data.receive_size);
}
