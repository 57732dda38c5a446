/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The upper layers that are only named, not judged: NVMe, iSER, SRP, SMB Direct. The engine's guests recognise them
 * (engine/rdma/ulp.h); a Send is shown by the guest's description.
 */
#ifndef IWARP_PLUGINS_ULP_ULP_PLUGIN_H
#define IWARP_PLUGINS_ULP_ULP_PLUGIN_H

#include "plugins/border/ib_listener.h"
#include "plugins/border/rdmap_listener.h"

void ulp_plugin_register(void);
void ulp_plugin_handoff(void);

/* The description of a Send. */
struct ulp_kept {
    uint64_t key; /* the place of the last segment in its direction, and the side */
    const struct ulp_kind *kind;
    const char *text; /* of file scope */
};

/* First pass: listens to the connection from now on. */
void ulp_flow_listen(const struct rdmap_listeners *connection, struct rdmap_listener *listener);
/* The same on InfiniBand and RoCE; payload: see struct ib_listener. */
void ulp_flow_listen_ib(struct ib_listeners *listeners, dissector_handle_t payload);
/* The Send whose last segment is at this place; NULL: no recognised Send. Valid as long as the file is open. */
const struct ulp_kept *ulp_flow_find(uint32_t connection, const struct place *place);
/* InfiniBand: the Send whose last packet is in this frame. */
const struct ulp_kept *ulp_flow_find_ib(uint32_t frame);
void ulp_flow_register(void);

#endif
