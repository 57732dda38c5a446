/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of DDP and RDMAP; what other layers call. */
#ifndef IWARP_PLUGINS_DDP_RDMAP_RDMAP_PLUGIN_H
#define IWARP_PLUGINS_DDP_RDMAP_RDMAP_PLUGIN_H

#include "plugins/common/passed.h"
#include "plugins/ddp_rdmap/fields.h"
#include "plugins/ddp_rdmap/flow.h"

void rdmap_plugin_register(void);
void rdmap_plugin_handoff(void);
void rdmap_payload_register(void);
void rdmap_payload_handoff(void);
void rdmap_payload_file_opened(void);
void rdmap_tap_register(void);
void rdmap_tap_handoff(void);

/* Whether the user has not disabled the layer. */
bool rdmap_is_enabled(void);
/* Whether ULPDUs of all revisions go to this layer: the user, or another plugin, may have set another dissector. */
bool rdmap_has_ulpdus(void);
/*
 * If no tree is wanted, a ULPDU without faults, octets[0..n), is first offered to this function. The function either
 * does all the work, mostly in the Info column, or does nothing and returns false. Calling a dissector would cost more.
 */
bool rdmap_dissect_brief(packet_info *pinfo, const struct passed *about, const uint8_t *octets, size_t n);

/* Shared by the functions that draw a segment. */
struct rdmap_canvas {
    const struct passed *passed;          /* NULL: not called by the mpa dissector */
    struct rdmap_flow *flow;              /* NULL: as above */
    const struct rdmap_seg *seg;          /* the record of the segment, or NULL */
    const struct ddp_segment *ddp;        /* its payload is the ULPDU's own octets */
    const struct rdmap_opcode_info *info; /* NULL: the opcode is not assigned */
    tvbuff_t *tvb;                        /* the ULPDU */
    packet_info *pinfo;
    proto_tree *root; /* the tree for protocols */
    proto_item *ddp_item, *rdmap_item;
    proto_tree *ddp_tree, *rdmap_tree;
    proto_tree *builtin_tree; /* of the built-in dissector's fields; NULL: none is wanted */
    bool fields;              /* fields are displayed, or used by a filter */
};

/* Adds to the Info column. */
#define rdmap_say(canvas, ...) col_append_fstr((canvas)->pinfo->cinfo, COL_INFO, __VA_ARGS__)

void rdmap_draw(struct rdmap_canvas *canvas);
/* Shows a Tagged segment without a tree, if possible; else does nothing and returns false. canvas->tvb is NULL. */
bool rdmap_draw_brief(struct rdmap_canvas *canvas);
/* Draws findings at a frame that belong to no segment in it, and then those of the upper layers. */
void rdmap_draw_bare(const struct connection *connection, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree);
/* Draws the fields after the DDP header, for opcodes that have any, and the links to other segments. */
void rdmap_draw_operation(struct rdmap_canvas *canvas);
void rdmap_draw_terminate(struct rdmap_canvas *canvas);
/* Adds the fields of the built-in dissector: plugins/common/builtin.h. */
void rdmap_builtin_segment(struct rdmap_canvas *canvas);
/* After that: the fields of a reassembled Send, and of a segment of a Send that is complete in this frame. */
void rdmap_builtin_message(const struct rdmap_canvas *canvas, fragment_head *head, tvbuff_t *message);
void rdmap_builtin_reassembled_in(const struct rdmap_canvas *canvas, uint32_t frame);
void rdmap_builtin_handoff(void);
/* Reassembles the segments of a message, and offers the message to the upper layer. */
void rdmap_payload(struct rdmap_canvas *canvas);
/* The text that the upper layer adds to the Info column for a Tagged segment; NULL: its payload must be offered. */
const char *rdmap_payload_brief(const struct rdmap_canvas *canvas);

/* Queues the segment for the statistics. */
void rdmap_tap(struct rdmap_canvas *canvas);
/* Queues a Send, reassembled, for "Follow". */
void rdmap_tap_send(const struct rdmap_canvas *canvas, tvbuff_t *message);

/*
 * Whether the word after the control octets is called Invalidate STag. RFC 7306 section 4.1 calls it so in its
 * messages, too, though they invalidate nothing.
 */
static inline bool rdmap_names_stag(const struct rdmap_opcode_info *info)
{
    return info && (info->invalidates || info->rfc_version_only);
}

/* Draws the lifetime of an STag. */
void rdmap_draw_stag_life(struct rdmap_canvas *canvas, proto_tree *tree, const struct rdmap_stag_life *life);

/* Adds a generated link to a frame, unless frame is 0. */
void rdmap_link(proto_tree *tree, int field, tvbuff_t *tvb, uint32_t frame);
void rdmap_duration(proto_tree *tree, int field, tvbuff_t *tvb, int64_t ns);

#endif
