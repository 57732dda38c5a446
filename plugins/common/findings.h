/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How findings are shown, in the same way under every protocol: header fields to filter by, and an expert info for each
 * rule that has findings of its own. The expert infos are made from the catalogue, so that Wireshark's Expert
 * Information groups findings by rule, with the requirement of the rule.
 */
#ifndef IWARP_PLUGINS_COMMON_FINDINGS_H
#define IWARP_PLUGINS_COMMON_FINDINGS_H

#include "plugins/common/compat.h"

#include "plugins/common/record.h"

#include <epan/expert.h>

/* The header fields of a protocol. */
struct finding_fields {
    int rule, related;
    int severity[SEVERITY_ERROR + 1]; /* by enum rule_severity */
    int any, text;                    /* iwarp.finding and iwarp.finding.text, which every protocol has */
};

/*
 * Registers the header fields of a protocol, PROTOCOL.rule and below. protocol: its name in filters; related: the last
 * part of the name of the field for another frame.
 */
void findings_register(struct finding_fields *fields, int id, const char *protocol, const char *related);
/*
 * Registers the expert infos of a layer's rules, such as PROTOCOL.rule.mpa_4_1_05: once, before any finding is drawn.
 */
void findings_register_layer(expert_module_t *module, const char *protocol, const char *layer);

/* Attaches the finding to an item that has a subtree. */
void findings_draw(const struct finding_fields *fields, packet_info *pinfo, proto_item *at, tvbuff_t *tvb,
                   const struct remark *remark);

/*
 * Called for a frame once its findings are drawn: marks it in the Info column, which is all that the packet list shows
 * of findings without the profile.
 */
void findings_mark(packet_info *pinfo);

#endif
