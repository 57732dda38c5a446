/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The upper layers without rules: NVMe, iSER, SRP, SMB Direct. The engine's guests recognise them (engine/rdma/ulp.h);
 * a Send is shown by the guest's description.
 */
#ifndef IWARP_PLUGINS_ULP_ULP_PLUGIN_H
#define IWARP_PLUGINS_ULP_ULP_PLUGIN_H

#include "plugins/common/passed.h"

void ulp_plugin_register(void);
void ulp_plugin_handoff(void);

/* First pass: the tap of struct stack_taps, on iWARP, and on InfiniBand and RoCE. */
void ulp_plugin_on_said(void *connection, const struct ulp_said *said);
void ulp_plugin_on_said_ib(void *connection, const struct ulp_said *said);
/* Payload that Wireshark's own dissectors of NVMe, iSER and SMB Direct did not accept. True: it was shown. */
bool ulp_plugin_call_ib(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree);

#endif
