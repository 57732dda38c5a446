// SPDX-License-Identifier: GPL-2.0-or-later
/* The symbols that Wireshark looks up in the shared object. */
#include "plugins/common/iwarp.h"
#include "plugins/common/judge.h"
#include "plugins/ddp_rdmap/rdmap_plugin.h"
#include "plugins/ib/ib_plugin.h"
#include "plugins/mpa/mpa_plugin.h"
#include "plugins/rpcrdma/rpcrdma_plugin.h"
#include "plugins/ulp/ulp_plugin.h"

#define EXPORTED __attribute__((visibility("default")))

EXPORTED extern const char plugin_version[];
EXPORTED extern const int plugin_want_major;
EXPORTED extern const int plugin_want_minor;
EXPORTED void plugin_register(void);
EXPORTED uint32_t plugin_describe(void);

const char plugin_version[] = IWARP_KIT_VERSION;
const int plugin_want_major = WIRESHARK_VERSION_MAJOR;
const int plugin_want_minor = WIRESHARK_VERSION_MINOR;

static void file_opened(void)
{
    judge_file_opened();
    mpa_file_opened();
    rdmap_payload_file_opened();
    rpcrdma_flow_file_opened();
}

/* Connections end before what they prove about each other is judged. */
static void first_pass_over(void)
{
    mpa_first_pass_over();
    ib_flow_first_pass_over();
    rpcrdma_flow_judge_ended();
}

static void register_protocols(void)
{
    register_init_routine(file_opened);
    register_postseq_cleanup_routine(first_pass_over);
    iwarp_register();
    mpa_register();
    rdmap_plugin_register();
    ib_plugin_register();
    rpcrdma_plugin_register();
    ulp_plugin_register();
}

static void hand_off(void)
{
    mpa_handoff();
    rdmap_plugin_handoff();
    ib_plugin_handoff();
    rpcrdma_plugin_handoff();
    ulp_plugin_handoff();
}

void plugin_register(void)
{
    static proto_plugin plugin = {.register_protoinfo = register_protocols, .register_handoff = hand_off};

    proto_register_plugin(&plugin);
}

/* Called since 4.2; 1: a dissector (WS_PLUGIN_DESC_DISSECTOR). */
uint32_t plugin_describe(void)
{
    return 1;
}
