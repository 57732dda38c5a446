// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The DDP and RDMAP layers of one connection, driven by a little program in the input: FPDUs of both sides with headers
 * near the right ones, holes, skipped octets, ends, pauses. MSN, MO and TO advance by themselves unless the input
 * changes them, to reach operations in flight, answers and Terminates, unlike with random octets.
 */
#include "engine/ddp_rdmap/rdmap.h"
#include "tests/fuzz/fuzz_input.h"
#include "wire/octets.h"

#include <string.h>

enum { ULPDU_MAX = 256 };

struct sender {
    uint64_t offset;
    uint64_t number;
    uint32_t msn[4], mo[4];
    uint64_t to;
};

static struct verdict verdict;
static struct rule_counts counts;

static void on_operation(void *ctx, const struct rdmap_operation *operation, const struct place *place)
{
    (void)ctx;
    HOLDS(operation->number != 0 && place->frame != 0);
}

/* One FPDU: opcode and queue from the input, the counters as expected or off by a number from the input. */
static void fpdu(struct rdmap_connection *rdmap, struct sender *sender, unsigned side, struct input *input,
                 uint32_t frame, int64_t now)
{
    uint8_t ulpdu[ULPDU_MAX] = {0};
    unsigned control = take(input), shape = take(input), off = take(input), length = take(input) % 128;
    struct ddp_segment ddp = {.dv = 1, .rv = 1, .last = !(shape & 1), .opcode = control & 15, .tagged = control & 0x80};
    struct mpa_fpdu_event event = {.direction = side ? DIR_TO_INITIATOR : DIR_TO_RESPONDER, .number = sender->number++};
    size_t n;

    ddp.qn = control >> 4 & 3;
    ddp.stag = off & 1 ? take(input) : 0x1000;
    if (ddp.tagged) {
        ddp.to = off & 2 ? (uint64_t)0 - take(input) : sender->to;
        sender->to = ddp.to + length;
    } else {
        ddp.msn = sender->msn[ddp.qn] + (off & 4 ? take(input) - 128u : 0);
        ddp.mo = off & 8 ? take(input) : sender->mo[ddp.qn];
        sender->mo[ddp.qn] = ddp.last ? 0 : ddp.mo + length;
        sender->msn[ddp.qn] += ddp.last;
    }
    if (off & 16) {
        ddp.dv = take(input) & 3;
        ddp.rv = take(input) & 3;
        ddp.rsvd = take(input) & 15;
    }
    n = ddp_header_encode(&ddp, ulpdu, sizeof ulpdu);
    for (unsigned i = 0; i < length && n < sizeof ulpdu; i++)
        ulpdu[n++] = (uint8_t)(shape & 2 ? take(input) : i % 5);
    if (shape & 4)
        n = take(input) % (n + 1);
    event.fpdu = (struct mpa_fpdu){.offset = sender->offset,
                                   .header = sender->offset,
                                   .length = (uint32_t)n + 6,
                                   .octets = ulpdu,
                                   .ulpdu_length = (uint16_t)n,
                                   .ulpdu = ulpdu};
    sender->offset += n + 6;
    event.place = (struct place){
        .frame = frame, .first_frame = frame, .time_ns = now, .offset = event.fpdu.offset, .side = (uint8_t)side};
    event.crc = shape & 8 ? MPA_CRC_WRONG : MPA_CRC_VERIFIED;
    event.after_resync = shape & 16;
    event.faulty = shape & 32;
    event.acked_known = !(shape & 64);
    event.has_ddp = ddp_segment_decode(&event.ddp, ulpdu, n);
    rdmap_connection_fpdu(rdmap, &event);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input input = {data, size};
    struct rdmap_events events = {.operation = on_operation};
    struct rdmap_options options = {.operations_max = 8, .stags_max = 4};
    struct mpa_parameters parameters = {.startup_seen = true, .request_seen = true, .reply_seen = true, .revision = 2};
    struct sender senders[2] = {{.offset = 20, .msn = {1, 1, 1, 1}}, {.offset = 20, .msn = {1, 1, 1, 1}}};
    struct rdmap_connection *rdmap;
    uint32_t frame = 1;
    int64_t now = 1;

    verdict = (struct verdict){.counts = &counts};
    rdmap = rdmap_connection_new(&options, &events, &verdict, NULL);
    if (!rdmap)
        return 0;
    parameters.ird = (uint16_t)take(&input);
    parameters.ord = (uint16_t)take(&input);
    parameters.ird_ord_known = take(&input) & 1;
    rdmap_connection_parameters(rdmap, MPA_PHASE_FULL_OPERATION, &parameters);
    for (; input.n > 0; frame++) {
        unsigned step = take(&input), side = step & 1;
        struct place place = {.frame = frame,
                              .first_frame = frame,
                              .time_ns = now,
                              .offset = senders[side].offset,
                              .side = (uint8_t)side};

        now += step & 2 ? 3000000000 : 100000;
        rdmap_connection_acked(rdmap, side, !(step & 4), senders[!side].offset);
        switch (step >> 3 & 15) {
        case 0:
            rdmap_connection_skipped(rdmap, side);
            senders[side].offset += 100;
            break;
        case 1:
            if (step & 0x80)
                rdmap_connection_end(rdmap, side, false, &place);
            break;
        case 2:
            if (step & 0x80)
                rdmap_connection_end(rdmap, side, true, &place);
            break;
        default:
            fpdu(rdmap, &senders[side], side, &input, frame, now);
        }
    }
    rdmap_connection_finish(rdmap, now);
    rdmap_connection_free(rdmap);
    return 0;
}
