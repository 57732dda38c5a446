// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/tester/suite/run/untested.h"

#include <glib.h>

#define WITH(rule, other)                                                                                              \
    {                                                                                                                  \
        RULE_##rule, RULE_##other, NULL                                                                                \
    }
#define NOT(rule, why)                                                                                                 \
    {                                                                                                                  \
        RULE_##rule, RULE_##rule, why                                                                                  \
    }

static const char ulp_chooses[] = "how the device's ULP closes is its own choice";
static const char own_pace[] = "how many Requests are outstanding at once depends on the device's own pace";
static const char ulp_registers[] = "what the device's ULP registers, and for how long, is its own choice";
static const char nothing_shared[] = "nothing asks the device to share an STag between streams";

static const char ulp_is_told[] = "what the device's ULP receives of a Reply cannot be seen";
static const char old_profile[] = "the suites test what RFC 8166 and RFC 8267 demand, not RFC 5666 and RFC 5667";

static const struct untested_rule rows[] = {
    WITH(DDP_2_3_02, DDP_7_2_05),
    WITH(DDP_5_2_05, DDP_4_1_02),
    NOT(DDP_6_2_1_04, "TCP delivers nothing after a FIN"),
    NOT(DDP_6_2_1_07, ulp_chooses),
    NOT(DDP_6_2_1_08, ulp_chooses),
    NOT(DDP_6_2_1_09, ulp_chooses),
    NOT(DDP_7_2_02, "no stimulus causes a local failure in the device"),
    WITH(DDP_8_1_01, DDP_7_1_11),
    WITH(DDP_8_2_03, DDP_8_2_01),
    WITH(DDP_8_3_1_03, DDP_8_2_01),
    WITH(DDP_8_3_1_04, DDP_8_2_01),
    WITH(DDP_8_3_1_05, DDP_7_1_14),
    WITH(RDMAP_5_2_1_16, RDMAP_7_2_09),
    NOT(RDMAP_5_4_09, "after a Terminate, even an invalid one, the device may continue or close"),
    WITH(RDMAP_8_1_1_01, RDMAP_7_2_10),
    WITH(RDMAP_8_1_1_02, RDMAP_7_2_10),
    WITH(RDMAP_8_1_1_03, RDMAP_7_2_12),
    NOT(RDMAP_8_1_1_07, nothing_shared),
    WITH(RDMAPX_5_1_1_07, RDMAPX_5_1_1_05),
    WITH(RDMAPX_5_1_1_08, RDMAPX_8_2_07),
    WITH(RDMAPX_5_1_2_08, RDMAPX_5_1_2_10),
    WITH(RDMAPX_5_1_2_11, RDMAPX_8_2_07),
    WITH(RDMAPX_8_2_06, RDMAPX_8_2_07),
    WITH(SEC_5_1_1_01, DDP_7_2_03),
    WITH(SEC_6_1_1_02, DDP_8_2_01),
    WITH(SEC_6_1_1_03, DDP_8_2_01),
    WITH(SEC_6_2_1_01, DDP_7_1_14),
    WITH(SEC_6_3_1_01, RDMAP_7_2_12),
    NOT(SEC_6_3_3_01, ulp_registers),
    NOT(SEC_6_4_3_3_02, own_pace),
    NOT(SEC_6_4_5_01, nothing_shared),
    NOT(RPCR_3_4_6_1_01, ulp_is_told),
    NOT(RPCR_3_4_6_2_04, ulp_is_told),
    NOT(RPCR_6_1_09, ulp_is_told),
    NOT(RPCR_6_1_10, ulp_is_told),
    WITH(RPCR_4_5_3_01, RPCR_4_4_1_01),
    NOT(RPCR_4_5_3_04, "what a server keeps for a client whose connection was lost is its own choice"),
    NOT(RPCR_8_1_1_01, "needs two simultaneous connections of one client"),
    NOT(RPCR_8_1_3_04, "nothing makes a client give up a Call"),
    NOT(BIDI_4_3_2_01, "how many Calls wait at a server while it waits for a Reply depends on its own pace"),
    WITH(NFSULB_6_5_2_03, NFSULB_6_5_2_06),
    NOT(NFSULB_6_4_2_09, "how soon a client gives up a Call cannot be seen"),
    NOT(RPCR0_3_7_02, old_profile),
    NOT(RPCR0_3_9_02, old_profile),
    NOT(RPCR0_3N_01, old_profile),
    NOT(RPCR0_4N_01, old_profile),
    NOT(RPCR0_4N_02, old_profile),
    NOT(RPCR0_4N_03, old_profile),
    NOT(RPCR0_4N_04, old_profile),
    NOT(RPCR0_4N_06, old_profile),
    NOT(RPCR0_5N_01, old_profile),
};

const struct untested_rule *untested_rule_at(unsigned index)
{
    return index < G_N_ELEMENTS(rows) ? &rows[index] : NULL;
}

bool case_decides_too(enum rule_id rule, enum rule_id with)
{
    if ((rule_catalogue[rule].judged == RULE_SAME && rule_carried_by(&rule_catalogue[rule], with)) ||
        (rule_catalogue[rule].judged == RULE_WITH && rule_judged_with(&rule_catalogue[rule], with)))
        return true;
    for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
        if (rows[i].rule == rule && !rows[i].why && rows[i].with == with)
            return true;
    }
    return false;
}
