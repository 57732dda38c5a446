// SPDX-License-Identifier: GPL-2.0-or-later
/* Packets made of the input, from the link layer to the connections: link type (1), then per packet length (1) and
 * octets. */
#include "conformance/decap.h"
#include "tests/fuzz/fuzz.h"

#include <pcap/dlt.h>

static volatile uint8_t touched;

static bool open_event(void *ctx, struct connection *connection)
{
    static const struct stack_options options = {.first = STACK_TCP, .last = STACK_TCP};
    const struct stack_setup setup = {.options = &options};
    int *open = ctx;

    connection->stack = stack_new(&setup);
    *open += connection->stack != NULL;
    return connection->stack != NULL;
}

static void close_event(void *ctx, struct connection *connection, enum connection_end why, int64_t now_ns)
{
    int *open = ctx;

    (void)why;
    HOLDS(connection->segments > 0);
    stack_finish(connection->stack, now_ns);
    stack_free(connection->stack);
    --*open;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const int linktypes[] = {DLT_EN10MB, DLT_LINUX_SLL, DLT_LINUX_SLL2, DLT_RAW, DLT_NULL, DLT_LOOP};
    const struct connections_options options = {.max_connections = 4, .seed = 1, .linger_ns = 1000};
    int open = 0;
    const struct connection_events events = {.ctx = &open, .open = open_event, .close = close_event};
    struct packet packet = {0};
    if (size < 1)
        return 0;
    packet.linktype = linktypes[data[0] % (sizeof linktypes / sizeof linktypes[0])];
    data++;
    size--;
    struct decap *decap = decap_new(3000);
    struct connections *connections = connections_new(&options, &events);
    while (decap && connections && size > 1) {
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
        packet.length = n + (n & 1); /* every other one is cut */
        packet.data = copy;
        struct addressed_segment segment;
        if (decap_packet(decap, &packet, &segment) == DECAP_TCP) {
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
    HOLDS(open == 0);
    connections_free(connections);
    decap_free(decap);
    return 0;
}
