// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * All layers of one connection above TCP, MPA first, driven by a little program in the input: start-up frames, good
 * FPDUs, FPDUs with octets changed, removed or inserted, holes, ends; segments cut anywhere. Faults are likely here, to
 * exercise the diagnosis and the search for the next FPDU, unlike with random octets.
 */
#include "engine/stack/stack.h"
#include "tests/fuzz/fuzz_input.h"
#include "wire/octets.h"

enum { STREAM_MAX = 1 << 17, ULPDU_MAX = 3000 };

struct line {
    uint8_t octets[STREAM_MAX];
    size_t n, sent;
    struct mpa_framing framing;
    bool crc;
    uint32_t msn;
    uint64_t last_end; /* of reported FPDUs */
};

static struct line lines[2];
static uint32_t frame;
static struct verdict verdict;
static struct rule_counts counts;

static unsigned take16(struct input *input)
{
    unsigned high = take(input);

    return high << 8 | take(input);
}

static void on_fpdu(void *ctx, const struct mpa_fpdu_event *event)
{
    struct line *line = &lines[event->place.side];
    const struct mpa_fpdu *fpdu = &event->fpdu;
    unsigned sum = 0;

    (void)ctx;
    HOLDS(event->place.side < 2 && event->place.frame >= 1 && event->place.frame <= frame);
    HOLDS(fpdu->offset + fpdu->length <= line->sent && fpdu->header >= fpdu->offset);
    for (unsigned i = 0; i < fpdu->ulpdu_length; i++)
        sum += fpdu->ulpdu[i];
    HOLDS(fpdu->cut < fpdu->length && fpdu->lacking <= fpdu->cut && fpdu->lacking <= fpdu->ulpdu_length);
    for (uint32_t i = 0; i < fpdu->length; i++)
        sum += fpdu->octets[i];
    for (unsigned i = 0; i < fpdu->n_markers; i++)
        HOLDS(fpdu->markers[i].offset >= fpdu->offset && fpdu->markers[i].offset < fpdu->offset + fpdu->length);
    HOLDS(!event->has_ddp ||
          (event->ddp.payload_len <= fpdu->ulpdu_length && event->ddp.lacking <= event->ddp.payload_len));
    line->last_end = fpdu->offset + fpdu->length + (sum & 0);
}

static void on_finding(void *ctx, const struct finding *finding)
{
    (void)ctx;
    HOLDS(finding->place.frame <= frame && strstr(finding->message, "expected"));
}

static void put(struct line *line, const void *octets, size_t n)
{
    if (n > STREAM_MAX - line->n)
        n = STREAM_MAX - line->n;
    memcpy(line->octets + line->n, octets, n);
    line->n += n;
}

/* Enough time after the previous segment to give up missing octets soon. */
enum { FRAME_NS = 50000000 };

static void segment(struct stack *stack, unsigned side, unsigned flags, const uint8_t *p, size_t n, size_t captured)
{
    frame++; /* not in the initializer: its expressions have no order, 6.7.9 */
    struct tcp_segment segment = {.frame = frame,
                                  .time_ns = (int64_t)frame * FRAME_NS,
                                  .side = (uint8_t)side,
                                  .flags = (uint8_t)flags,
                                  .window = UINT16_MAX,
                                  .window_scale = flags & TCP_SYN ? 7 : UINT8_MAX,
                                  .mss = flags & TCP_SYN ? 1460 : 0,
                                  .seq = (uint32_t)lines[side].sent + !(flags & TCP_SYN),
                                  .ack = (uint32_t)lines[1 - side].sent + 1,
                                  .length = (uint32_t)n,
                                  .captured = (uint32_t)captured};
    uint8_t *piece = malloc(captured + 1); /* of the exact size, so that the sanitizer sees any octet too many */

    HOLDS(piece != NULL);
    if (captured > 0)
        memcpy(piece, p, captured);
    segment.payload = piece;
    lines[side].sent += n;
    stack_segment(stack, &segment);
    free(piece);
}

static void flush(struct stack *stack, unsigned side, size_t size)
{
    struct line *line = &lines[side];

    while (line->sent < line->n) {
        size_t n = line->n - line->sent;

        if (size > 0 && n > size)
            n = size;
        segment(stack, side, TCP_ACK, line->octets + line->sent, n, n);
    }
}

static void say_startup(struct input *input, unsigned side)
{
    uint8_t octets[MPA_STARTUP_HEADER_LEN + MPA_PRIVATE_DATA_MAX] = {0};
    struct mpa_startup startup = {.kind = side == 0 ? MPA_REQUEST : MPA_REPLY,
                                  .flags = (uint8_t)take(input),
                                  .revision = (uint8_t)(take(input) & 3)};
    unsigned odd = take(input);

    startup.pd_length = odd & 0x7F;
    mpa_startup_encode(&startup, octets, sizeof octets);
    if (odd & 0x80) /* damages the key, or the length */
        octets[take(input) % MPA_STARTUP_HEADER_LEN] ^= (uint8_t)take(input);
    put(&lines[side], octets, MPA_STARTUP_HEADER_LEN + startup.pd_length);
}

static size_t good_fpdu(struct input *input, struct line *line, uint8_t *out, size_t size)
{
    static uint8_t ulpdu[ULPDU_MAX];
    unsigned kind = take(input);
    struct ddp_segment ddp = {.tagged = kind & 1,
                              .last = true,
                              .dv = 1,
                              .rv = 1,
                              .opcode = kind & 1 ? RDMAP_WRITE : RDMAP_SEND,
                              .msn = line->msn++};
    size_t n = 18 + take16(input) % (ULPDU_MAX - 18);
    struct mpa_fpdu_plan plan;

    memset(ulpdu, (int)(kind >> 1), n);
    ddp_header_encode(&ddp, ulpdu, sizeof ulpdu);
    mpa_fpdu_plan_init(&plan, &line->framing, line->n, ulpdu, (uint16_t)n, line->crc);
    if (kind & 0x80) {
        unsigned what = take(input);

        plan.ulpdu_length = (uint16_t)(plan.ulpdu_length + (what & 1 ? take(input) % 16 : 0));
        plan.pad_length = what & 2 ? (uint8_t)(take(input) % 8) : plan.pad_length;
        plan.crc_present = !(what & 4);
        plan.framing.markers ^= (what & 8) != 0;
        plan.framing.seq_start += what & 16 ? 4 * (take(input) % 128) : 0;
    }
    return mpa_fpdu_encode(&plan, out, size);
}

static void run(struct stack *stack, struct input *input)
{
    static uint8_t room[2 * MPA_FPDU_OCTETS_MAX];

    while (input->n > 0) {
        unsigned op = take(input), side = op >> 7;
        struct line *line = &lines[side];
        size_t n, at;

        switch (op & 15) {
        default: /* usually a good FPDU */
            n = good_fpdu(input, line, room, sizeof room);
            put(line, room, n);
            break;
        case 8: /* octets changed */
            n = good_fpdu(input, line, room, sizeof room);
            at = take16(input);
            if (n > 0)
                room[at % n] ^= (uint8_t)take(input);
            put(line, room, n);
            break;
        case 9: /* octets cut off */
            n = good_fpdu(input, line, room, sizeof room);
            at = take16(input);
            put(line, room, n > 0 ? at % n : 0);
            break;
        case 10: /* octets inserted */
            n = take(input) % 40;
            for (size_t i = 0; i < n; i++)
                room[i] = (uint8_t)take(input);
            put(line, room, n);
            break;
        case 11:
            flush(stack, side, 0);
            break;
        case 12:
            flush(stack, side, 1 + take(input));
            break;
        case 13:
            flush(stack, side, 0);
            n = 1 + take16(input) % 4000;
            memset(room, 0, n);
            put(line, room, n);
            if (op & 16) { /* cut at the snap length */
                at = take(input) % 96;
                n = line->n - line->sent;
                segment(stack, side, TCP_ACK, line->octets + line->sent, n, at < n ? at : n);
            } else { /* not captured, but received */
                line->sent = line->n;
                segment(stack, 1 - side, TCP_ACK, NULL, 0, 0);
            }
            break;
        case 14:
            if (op & 0x40) {
                flush(stack, side, 0);
                segment(stack, side, TCP_FIN | TCP_ACK, NULL, 0, 0);
            } else if (op & 0x20) {
                segment(stack, side, TCP_RST | TCP_ACK, NULL, 0, 0);
            }
            break;
        case 15:
            say_startup(input, side);
            break;
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input input = {data, size};
    static const struct stack_taps taps = {.fpdu = on_fpdu};
    struct stack_options options;
    struct stack_setup setup = {.options = &options, .taps = &taps, .verdict = &verdict};
    unsigned flags = take(&input), modes = take(&input);
    struct stack *stack;

    stack_options_init(&options, NULL);
    options.mpa.assume_crc = modes & 1 ? ON : UNKNOWN;
    options.mpa.assume_markers_to_initiator = options.mpa.assume_markers_to_responder = modes & 2 ? ON : UNKNOWN;
    verdict = (struct verdict){.counts = &counts, .finding = on_finding};
    frame = 0;
    stack = stack_new(&setup);
    HOLDS(stack != NULL);
    lines[0].sent = lines[1].sent = 0;
    for (unsigned side = 0; side < 2; side++) {
        struct line *line = &lines[side];

        line->n = 0;
        line->msn = 1;
        line->crc = flags & 0x40;
        if (!(modes & 4))
            segment(stack, side, side == 0 ? TCP_SYN : TCP_SYN | TCP_ACK, NULL, 0, 0);
        if (!(modes & 8)) {
            uint8_t octets[MPA_STARTUP_HEADER_LEN];
            struct mpa_startup startup = {
                .kind = side == 0 ? MPA_REQUEST : MPA_REPLY, .flags = flags & (MPA_FLAG_M | MPA_FLAG_C), .revision = 1};

            mpa_startup_encode(&startup, octets, sizeof octets);
            put(line, octets, sizeof octets);
        }
        line->framing = (struct mpa_framing){.markers = flags & MPA_FLAG_M, .seq_start = line->n};
        flush(stack, side, 0);
    }
    run(stack, &input);
    flush(stack, 0, 0);
    flush(stack, 1, 0);
    stack_finish(stack, (int64_t)frame * FRAME_NS);
    stack_free(stack);
    return 0;
}
