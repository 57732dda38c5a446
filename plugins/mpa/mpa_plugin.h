/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files of MPA. */
#ifndef IWARP_PLUGINS_MPA_MPA_PLUGIN_H
#define IWARP_PLUGINS_MPA_MPA_PLUGIN_H

#include "plugins/common/passed.h"
#include "plugins/mpa/fields.h"
#include "plugins/mpa/flow.h"

/* Preferences. */
struct mpa_prefs {
    compat_bool verify_crc;
    compat_bool accept_midstream;
};

extern struct mpa_prefs mpa_prefs;

void mpa_register(void);
void mpa_handoff(void);
void mpa_file_opened(void);
void mpa_first_pass_over(void);
void mpa_draw_register(void);
void mpa_draw_handoff(void);

/*
 * Draws what flow.c recorded for a call by the TCP dissector; tvb holds the octets of that call. Called on every pass,
 * on the first pass right after recording. Calls the next layer for each ULPDU.
 */
void mpa_draw_piece(const struct mpa_flow *flow, const struct mpa_piece *piece, tvbuff_t *tvb, packet_info *pinfo,
                    proto_tree *tree);

/* Draws findings of any layer at the frame of a segment that belong to nothing else that was drawn. */
void mpa_draw_bare(const struct mpa_flow *flow, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree);

/* Shared by the functions that draw an item. */
struct mpa_canvas {
    const struct mpa_flow *flow;
    const struct mpa_piece *piece;
    const struct mpa_item *items; /* of the piece */
    const struct mpa_item *item;
    tvbuff_t *tvb; /* holds the item */
    unsigned at;   /* where the item begins in tvb */
    packet_info *pinfo;
    proto_tree *root;  /* the tree for protocols */
    proto_item *proto; /* the protocol's item */
    proto_tree *tree;  /* below the protocol's item */
    bool named;        /* the Info column has text from this plugin */
};

/* Adds a separator to the Info column if it has text. */
void mpa_info_next(struct mpa_canvas *canvas);
#define mpa_info(canvas, ...) (mpa_info_next(canvas), col_append_fstr((canvas)->pinfo->cinfo, COL_INFO, __VA_ARGS__))

/* What the layers above must know about the item. */
struct passed mpa_passed(const struct mpa_canvas *canvas);
void mpa_draw_startup(struct mpa_canvas *canvas);
/* Draws the FPDU without its ULPDU; *next is the tvb of the ULPDU for the next layer. */
void mpa_draw_fpdu(struct mpa_canvas *canvas, tvbuff_t **next);
/* Add the fields of the built-in dissector: plugins/common/builtin.h. The start-up frame has at least its header. */
void mpa_builtin_startup(const struct mpa_canvas *canvas, enum mpa_startup_kind kind);
void mpa_builtin_fpdu(const struct mpa_canvas *canvas);
void mpa_builtin_handoff(void);
/* Whether the FPDU has an expert item, which is needed even if its fields are not. */
bool mpa_crc_is_remarked(const struct mpa_item *item);

#endif
