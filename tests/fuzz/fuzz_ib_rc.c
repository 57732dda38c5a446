// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program of packets on one reliable connection, four octets each: side, operation, PSN near the expected one or
 * anywhere, octets. Requests are delivered in order and once; a Read's octets lie in the requested memory.
 */
#include "engine/ib/ib_rc.h"
#include "tests/fuzz/fuzz.h"

struct seen {
    bool any[2];
    uint64_t next[2];
    uint64_t octets;
    uint32_t latest[2]; /* frame of the last request delivered */
    bool managed;       /* start and MTU are known */
};

static void on_part(void *ctx, const struct ib_rc_part *part)
{
    struct seen *seen = ctx;
    unsigned side = part->place.side;

    HOLDS(part->n <= part->length && part->place.first_frame <= part->place.frame);
    if (part->kind == IB_MESSAGE_READ_RESPONSE) {
        HOLDS(part->memory_known && part->offset + part->length <= part->size);
        return;
    }
    if (part->kind == IB_MESSAGE_ATOMIC_ACK)
        return;
    HOLDS(!seen->any[side] || part->place.offset >= seen->next[side]);
    seen->any[side] = true;
    seen->next[side] = part->place.offset + 1;
    seen->octets += part->length;
    seen->latest[side] = part->place.frame;
}

static void on_hole(void *ctx, const struct ib_rc_hole *hole)
{
    struct seen *seen = ctx;

    /* It may precede delivered requests only if a Read turns out late to have fewer packets. */
    HOLDS(hole->from < hole->to || (hole->from == hole->to && !seen->managed));
    HOLDS(!seen->managed || !seen->any[hole->side] || hole->from >= seen->next[hole->side]);
    HOLDS(seen->managed ? hole->after == seen->latest[hole->side] : hole->after <= seen->latest[hole->side]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint8_t payload[4096];
    struct seen seen = {0};
    const struct ib_rc_events events = {.ctx = &seen, .part = on_part, .hole = on_hole};
    struct ib_rc *rc;
    uint32_t psn[2] = {0xFFFFF0, 7}, frame = 0;

    if (size < 1)
        return 0;
    rc = ib_rc_new(&(struct ib_rc_options){.limit = data[0] & 1 ? 3000 : 0});
    HOLDS(rc != NULL);
    ib_rc_listen(rc, &events);
    if (data[0] & 2) {
        seen.managed = (data[0] >> 2 & 7) < 5; /* a valid MTU */
        ib_rc_start(rc, 0, psn[0]);
        ib_rc_start(rc, 1, psn[1]);
        ib_rc_mtu(rc, 256u << (data[0] >> 2 & 7));
    }
    for (size_t i = 1; i + 4 <= size; i += 4) {
        unsigned side = data[i] >> 7, opcode = data[i] & 0x1F, asker;
        struct ib_packet packet = {.bth = {.opcode = (uint8_t)opcode}, .info = ib_opcode_info(opcode)};

        if (!packet.info)
            continue;
        asker = packet.info->response ? side ^ 1 : side;
        packet.headers = packet.info->headers;
        packet.reth = (struct ib_reth){data[i + 3] * 256u, 5, data[i + 2] * 64u};
        packet.aeth.syndrome = data[i + 3];
        packet.payload = payload;
        packet.payload_len = packet.info->payload ? data[i + 3] * 16u : 0;
        packet.payload_captured = packet.payload_len / (1 + (data[i] >> 5 & 1));
        if (data[i] & 0x40) /* anywhere near */
            psn[asker] += (uint32_t)(int8_t)data[i + 1] * (data[i + 2] & 1 ? 1 : 0x10001);
        psn[asker] &= IB_PSN_MASK;
        packet.bth.psn = psn[asker];
        frame++;
        ib_rc_packet(rc, side, &packet, frame, frame);
        if (!packet.info->response)
            psn[asker] = (psn[asker] + 1) & IB_PSN_MASK;
    }
    ib_rc_finish(rc);
    HOLDS(ib_rc_counts(rc)->octets[0] + ib_rc_counts(rc)->octets[1] >= seen.octets);
    ib_rc_free(rc);
    return 0;
}
