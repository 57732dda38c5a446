// SPDX-License-Identifier: GPL-2.0-or-later
/* First pass: the choice between the named upper layers, and the chosen layer's description of each Send. */
#include "plugins/common/judge.h"
#include "plugins/ulp/ulp_plugin.h"

#include "engine/stack/ulps.h"

struct ulp_flow {
    struct judge judge;
    wmem_map_t *sends;  /* iWARP: struct ulp_kept, by key */
    struct stack_ib ib; /* InfiniBand */
};

static struct stack_options options[2];             /* by payload_only; InfiniBand: the engine sees every packet */
static const struct ulp_kind *kinds[ULP_KINDS_MAX]; /* without RPC-over-RDMA, which has a plugin of its own */
static wmem_map_t *flows;                           /* iWARP: struct ulp_flow, by connection */
static wmem_map_t *ib_sends;                        /* struct ulp_kept, by the frame of the packet that ends the Send */

/* The default while no other kind is certain: it wants nothing. */
static void *ulp_flow_begin(const struct ulp_host *host)
{
    return arena_zeroed(host->arena, 1);
}

static const struct ulp_kind nobody = {.name = "unknown", .title = "unknown", .begin = ulp_flow_begin};

static uint64_t ulp_flow_key_of(const struct place *place)
{
    return place->offset << 1 | place->side;
}

static struct ulp_kept *ulp_flow_keep(const struct ulp_said *said)
{
    struct ulp_kept *kept = wmem_new(wmem_file_scope(), struct ulp_kept);

    *kept = (struct ulp_kept){.key = ulp_flow_key_of(&said->send->place),
                              .kind = said->kind,
                              .text = wmem_strdup(wmem_file_scope(), said->text)};
    return kept;
}

static void ulp_flow_on_said(void *ctx, const struct ulp_said *said)
{
    struct ulp_flow *flow = ctx;
    struct ulp_kept *kept = ulp_flow_keep(said);

    if (!flow->sends)
        flow->sends = wmem_map_new(wmem_file_scope(), g_int64_hash, g_int64_equal);
    wmem_map_insert(flow->sends, &kept->key, kept);
}

static void on_said_ib(void *ctx, const struct ulp_said *said)
{
    const struct place *place = &said->send->place;
    uint32_t own = place->first_frame != 0 ? place->first_frame : place->frame;

    (void)ctx;
    wmem_map_insert(ib_sends, GUINT_TO_POINTER(own), ulp_flow_keep(said));
}

static void ulp_flow_on_over(void *ctx)
{
    struct ulp_flow *flow = ctx;

    judge_over(&flow->judge);
}

static size_t ulp_flow_octets_of(const void *ctx)
{
    const struct ulp_flow *flow = ctx;

    return sizeof *flow + judge_octets(&flow->judge);
}

void ulp_flow_listen(const struct rdmap_listeners *connection, struct rdmap_listener *listener)
{
    static const struct stack_taps taps = {.said = ulp_flow_on_said};
    struct ulp_flow *flow = wmem_new0(wmem_file_scope(), struct ulp_flow);

    wmem_map_insert(flows, GUINT_TO_POINTER(connection->connection), flow);
    listener->over = ulp_flow_on_over;
    listener->octets = ulp_flow_octets_of;
    listener->ctx = flow;
    if (judge_begin(&flow->judge, &options[connection->payload_only], &taps, flow, connection->port))
        listener->entrance = stack_entrance(flow->judge.stack);
}

void ulp_flow_listen_ib(struct ib_listeners *listeners, dissector_handle_t payload)
{
    static const struct stack_taps taps = {.said = on_said_ib};
    static const uint16_t no_ports[2];
    struct ulp_flow *flow = wmem_new0(wmem_file_scope(), struct ulp_flow);
    struct ib_listener listener = ib_listener_of_stack(&flow->ib);

    if (!judge_begin(&flow->judge, &options[0], &taps, flow, no_ports))
        return;
    flow->ib = (struct stack_ib){.stack = flow->judge.stack, .connection = listeners->connection};
    listener.payload = payload;
    listener.over = ulp_flow_on_over;
    listener.ctx = flow;
    ib_listeners_add(listeners, &listener);
}

const struct ulp_kept *ulp_flow_find_ib(uint32_t frame)
{
    return wmem_map_lookup(ib_sends, GUINT_TO_POINTER(frame));
}

const struct ulp_kept *ulp_flow_find(uint32_t connection, const struct place *place)
{
    const struct ulp_flow *flow = wmem_map_lookup(flows, GUINT_TO_POINTER(connection));
    uint64_t key = ulp_flow_key_of(place);

    return flow && flow->sends ? wmem_map_lookup(flow->sends, &key) : NULL;
}

void ulp_flow_register(void)
{
    kinds[0] = &nobody;
    for (unsigned i = 1; i < ULP_KINDS_MAX - 1 && ulps[i]; i++)
        kinds[i] = ulps[i];
    for (unsigned payload_only = 0; payload_only < 2; payload_only++) {
        judge_options(&options[payload_only], STACK_ULP, STACK_ULP, payload_only);
        options[payload_only].ulps = kinds;
    }
    ib_sends = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), g_direct_hash, g_direct_equal);
    flows = wmem_map_new_autoreset(wmem_epan_scope(), wmem_file_scope(), g_direct_hash, g_direct_equal);
}
