// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Packets made from the input, from the link layer to the connections: link type (1), then for each packet its length
 * (1) and octets.
 */
#include "engine/ib/ib_connections.h"
#include "engine/packet/decap.h"
#include "engine/stack/stack.h"
#include "engine/tcp/connections.h"
#include "tests/fuzz/fuzz.h"

#include <pcap/dlt.h>

static volatile uint8_t touched;

static bool open_event(void *ctx, struct connection *connection)
{
    static const struct stack_options options = {.first = STACK_TCP, .last = STACK_TCP};
    const struct stack_setup setup = {.options = &options};
    struct stack *stack = stack_new(&setup);
    int *open = ctx;

    connection->host = stack;
    connection->tcp = stack ? stack_pair(stack) : NULL;
    *open += stack != NULL;
    return stack != NULL;
}

static void close_event(void *ctx, struct connection *connection, enum connection_end why, int64_t now_ns)
{
    int *open = ctx;

    (void)why;
    HOLDS(connection->segments > 0);
    stack_finish(connection->host, now_ns);
    stack_free(connection->host);
    --*open;
}

static bool open_ib_event(void *ctx, struct ib_connection *connection, struct ib_rc_events *events)
{
    (void)connection, (void)events;
    ++*(int *)ctx;
    return true;
}

static void close_ib_event(void *ctx, struct ib_connection *connection, enum ib_connection_end why, int64_t now_ns)
{
    (void)connection, (void)why, (void)now_ns;
    --*(int *)ctx;
}

static void take_ib(struct ib_connections *connections, const struct ib_datagram *ib)
{
    struct ib_packet packet;
    struct ib_arrival arrival = {.source = ib->source,
                                 .destination = ib->destination,
                                 .packet = &packet,
                                 .frame = ib->frame,
                                 .time_ns = ib->time_ns};

    HOLDS(ib->captured <= ib->length && (!ib->below || ib->below + ib->below_len == ib->p));
    if (ib->below)
        touched = (uint8_t)ib_icrc(ib->kind, ib->below, ib->below_len, ib->p, ib->captured);
    if (ib_packet_decode(&packet, ib->p, ib->length, ib->captured) == IB_DECODED)
        ib_connections_packet(connections, &arrival);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const int linktypes[] = {DLT_EN10MB, DLT_LINUX_SLL,  DLT_LINUX_SLL2, DLT_RAW,  DLT_NULL,
                                    DLT_LOOP,   DLT_INFINIBAND, DLT_ERF,        DLT_NFLOG};
    const struct connections_options options = {.max_connections = 4, .seed = 1, .linger_ns = 1000};
    int open = 0;
    const struct connection_events events = {.ctx = &open, .open = open_event, .close = close_event};
    const struct ib_connection_events ib_events = {.ctx = &open, .open = open_ib_event, .close = close_ib_event};
    struct packet packet = {0};
    if (size < 1)
        return 0;
    packet.linktype = linktypes[data[0] % (sizeof linktypes / sizeof linktypes[0])];
    data++;
    size--;
    struct decap *decap = decap_new(3000);
    struct connections *connections = connections_new(&options, &events);
    struct ib_connections *managed =
        ib_connections_new(&(struct ib_connections_options){.max_connections = 4, .linger_ns = 1000}, &ib_events);
    while (decap && connections && managed && size > 1) {
        uint32_t n = data[0];
        if (n > size - 1)
            n = (uint32_t)(size - 1);
        uint8_t *copy = malloc(n ? n : 1);
        if (!copy)
            break;
        memcpy(copy, data + 1, n);
        packet.frame++;
        packet.time_ns += 100;
        packet.captured = n;
        packet.length = n + (n & 1); /* every other packet is cut */
        packet.data = copy;
        struct addressed_segment segment;
        struct ib_datagram ib;
        enum decap_status status = decap_packet(decap, &packet, &segment, &ib);
        if (status == DECAP_IB)
            take_ib(managed, &ib);
        if (status == DECAP_TCP) {
            HOLDS(segment.segment.captured <= segment.segment.length);
            for (uint32_t i = 0; i < segment.segment.captured; i++)
                touched = segment.segment.payload[i];
            connections_segment(connections, &segment);
        }
        free(copy);
        data += 1 + n;
        size -= 1 + n;
    }
    if (connections)
        connections_finish(connections, packet.time_ns);
    if (managed)
        ib_connections_finish(managed, packet.time_ns);
    ib_connections_free(managed);
    HOLDS(open == 0);
    connections_free(connections);
    decap_free(decap);
    return 0;
}
