// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * "Follow" in Wireshark and -z follow in tshark, for whole RPC messages on RoCE and InfiniBand. Streams have the
 * numbers of the field rdma_ib.connection; sub-streams are transactions, 0: all of them. A packet does not tell the
 * queue pair of its sender, so the sides of the connection take the place of ports.
 */
#include "plugins/ib/ib_plugin.h"
#include "plugins/rpcrdma/rpcrdma_plugin.h"

#include <epan/follow.h>
#include <epan/to_str.h>

static char *filter_of_stream(unsigned stream, unsigned transaction)
{
    if (!rpcrdma_follow_is_one(transaction))
        return ws_strdup_printf("rdma_ib.connection == %u", stream);
    return ws_strdup_printf("rdma_ib.connection == %u and rpcrdma.transaction == %u", stream, transaction);
}

static char *ib_follow_filter_of_packet(epan_dissect_t *edt, packet_info *pinfo, unsigned *stream,
                                        unsigned *transaction)
{
    const struct ib_frame *frame = ib_flow_frame(pinfo->num);

    (void)edt;
    if (!frame)
        return NULL;
    *stream = frame->connection->number;
    *transaction = rpcrdma_follow_transaction(pinfo);
    return filter_of_stream(*stream, *transaction);
}

/* All connections between the hosts. */
static char *filter_of_addresses(address *source, address *destination, int source_side, int destination_side)
{
    const char *ip = source->type == AT_IPv6 ? "ipv6" : "ip";
    char *from = address_to_str(NULL, source), *to = address_to_str(NULL, destination);
    char *filter = ws_strdup_printf("rdma_ib.connection and %s.addr == %s and %s.addr == %s", ip, from, ip, to);

    (void)source_side, (void)destination_side;
    wmem_free(NULL, from);
    wmem_free(NULL, to);
    return filter;
}

static char *name_of_side(wmem_allocator_t *pool, unsigned side)
{
    return wmem_strdup_printf(pool, "side %u", side);
}

static tap_packet_status ib_follow_packet(void *tapdata, packet_info *pinfo, epan_dissect_t *edt, const void *data,
                                          tap_flags_t flags)
{
    const struct ib_frame *frame = ib_flow_frame(pinfo->num);
    const uint32_t source = pinfo->srcport, destination = pinfo->destport;
    tap_packet_status status;

    if (!frame)
        return TAP_PACKET_DONT_REDRAW;
    pinfo->srcport = 1 + frame->side; /* 0: unknown */
    pinfo->destport = 2 - frame->side;
    status = rpcrdma_follow_packet(tapdata, pinfo, edt, data, flags);
    pinfo->srcport = source;
    pinfo->destport = destination;
    return status;
}

static compat_bool ib_follow_find_transaction(unsigned stream, unsigned number, compat_bool before, unsigned *found)
{
    return rpcrdma_follow_find(rpcrdma_flow_transactions(true, stream), number, before, found);
}

void ib_follow_register(int proto)
{
    compat_register_follow_stream(proto, RPCRDMA_FOLLOW, ib_follow_filter_of_packet, filter_of_stream,
                                  filter_of_addresses, name_of_side, ib_follow_packet, ib_flow_connections,
                                  ib_follow_find_transaction);
}
