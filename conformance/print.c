// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/print.h"

#include "wire/octets.h"

#include <inttypes.h>

char *print_time(int64_t time_ns, int64_t start_ns, char text[PRINT_TIME_SIZE])
{
    /* Unsigned, for a hostile capture may hold any times. */
    bool before = time_ns < start_ns;
    uint64_t ns = before ? (uint64_t)start_ns - (uint64_t)time_ns : (uint64_t)time_ns - (uint64_t)start_ns;

    snprintf(text, PRINT_TIME_SIZE, "%s%" PRIu64 ".%06" PRIu64, before ? "-" : "", ns / 1000000000,
             ns % 1000000000 / 1000);
    return text;
}

void print_begin(const struct print_target *target, enum direction direction, const struct place *place,
                 const char *layer)
{
    char time[PRINT_TIME_SIZE];

    fprintf(target->out, "%" PRIu32 " %s %c [%s: ", place->frame, print_time(place->time_ns, target->start_ns, time),
            direction == DIR_TO_INITIATOR ? '<' : '>', layer);
}

void print_end(const struct print_target *target)
{
    if (target->connection > 1)
        fprintf(target->out, "] connection %" PRIu32 "\n", target->connection);
    else
        fputs("]\n", target->out);
}

/* ---- startup frames ---- */

static void print_enhanced(FILE *out, const struct mpa_enhanced *enhanced)
{
    static const struct {
        unsigned bit;
        const char *name;
    } types[] = {{MPA_RTR_SEND, "send"}, {MPA_RTR_WRITE, "write"}, {MPA_RTR_READ, "read"}};
    const char *separator = "";

    fprintf(out, " mpav2: enhanced ird %u ord %u", enhanced->ird, enhanced->ord);
    if (enhanced->peer_to_peer)
        fputs(" p2p", out);
    if (enhanced->rtr == 0)
        return;
    fputc(' ', out);
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (!(enhanced->rtr & types[i].bit))
            continue;
        fprintf(out, "%s%s", separator, types[i].name);
        separator = "/";
    }
    fputs("-RTR", out);
}

void print_startup(const struct print_target *target, enum direction direction, const struct mpa_startup_event *event)
{
    static const struct {
        unsigned bit;
        char letter;
    } flags[] = {{MPA_FLAG_M, 'M'}, {MPA_FLAG_C, 'C'}, {MPA_FLAG_R, 'R'}, {MPA_FLAG_S, 'S'}};
    const struct mpa_startup *frame = &event->frame;
    const char *separator = " ";

    print_begin(target, direction, &event->place, "mpa");
    fputs(frame->kind == MPA_REQUEST ? "start-req" : "start-rep", target->out);
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        /* S is told by "mpav2: enhanced". */
        if (!(frame->flags & flags[i].bit) || (flags[i].bit == MPA_FLAG_S && frame->has_enhanced))
            continue;
        fprintf(target->out, "%s%c", separator, flags[i].letter);
        separator = "";
    }
    if (frame->flags & MPA_FLAGS_RES)
        fprintf(target->out, " res 0x%x", frame->flags & MPA_FLAGS_RES);
    if (frame->revision != (frame->has_enhanced ? 2 : 1))
        fprintf(target->out, " rev %u", frame->revision);
    fprintf(target->out, " pdlen %u", frame->pd_length);
    if (frame->has_enhanced)
        print_enhanced(target->out, &frame->enhanced);
    print_end(target);
}

/* ---- FPDUs ---- */

static const char *const operations[16] = {
    [RDMAP_WRITE] = "WRITE",
    [RDMAP_READ_REQUEST] = "READ-REQ",
    [RDMAP_READ_RESPONSE] = "READ-RESP",
    [RDMAP_SEND] = "SEND",
    [RDMAP_SEND_INVALIDATE] = "SEND-INV",
    [RDMAP_SEND_SE] = "SEND-SE",
    [RDMAP_SEND_SE_INVALIDATE] = "SEND-SE-INV",
    [RDMAP_TERMINATE] = "TERMINATE",
    [RDMAP_IMMEDIATE] = "IMM",
    [RDMAP_IMMEDIATE_SE] = "IMM-SE",
    [RDMAP_ATOMIC_REQUEST] = "ATOMIC-REQ",
    [RDMAP_ATOMIC_RESPONSE] = "ATOMIC-RESP",
};

/* RFC 5040 section 4.4: sink STag 4, sink TO 8, size 4, source STag 4, source TO 8. */
static void print_read_request(FILE *out, const uint8_t *p, size_t n)
{
    enum { READ_REQUEST_LEN = 28 };

    if (n >= READ_REQUEST_LEN)
        fprintf(out, " sink 0x%" PRIx32 " to %#" PRIx64 " size %" PRIu32 " src 0x%" PRIx32 " to %#" PRIx64, get_be32(p),
                get_be64(p + 4), get_be32(p + 12), get_be32(p + 16), get_be64(p + 20));
}

/* RFC 5040 section 4.8: layer and error type share the first octet. */
static void print_terminate(FILE *out, const uint8_t *p, size_t n)
{
    if (n >= 2)
        fprintf(out, " layer %u etype %u code 0x%02x", p[0] >> 4, p[0] & 0xFu, p[1]);
}

static void print_rdmap(FILE *out, const struct ddp_segment *ddp)
{
    fputs(" rdmap: ", out);
    if (ddp->rv != 1)
        fprintf(out, "v%u ", ddp->rv);
    if (operations[ddp->opcode & 0xFu] == NULL)
        fprintf(out, "opcode 0x%x", ddp->opcode);
    else
        fputs(operations[ddp->opcode & 0xFu], out);
    if (!ddp->tagged && ddp->mo == 0 && ddp->opcode == RDMAP_READ_REQUEST)
        print_read_request(out, ddp->payload, ddp->payload_len);
    if (!ddp->tagged && ddp->mo == 0 && ddp->opcode == RDMAP_TERMINATE)
        print_terminate(out, ddp->payload, ddp->payload_len);
    if (!ddp->tagged && (ddp->opcode == RDMAP_SEND_INVALIDATE || ddp->opcode == RDMAP_SEND_SE_INVALIDATE))
        fprintf(out, " stag 0x%" PRIx32, ddp->stag);
}

static void print_ddp(FILE *out, const struct ddp_segment *ddp)
{
    fprintf(out, " ddp: v%u %c%s", ddp->dv, ddp->tagged ? 'T' : 'U', ddp->last ? "L" : "");
    if (ddp->tagged)
        fprintf(out, " stag 0x%" PRIx32 " to %#" PRIx64, ddp->stag, ddp->to);
    else
        fprintf(out, " qn %" PRIu32 " msn %" PRIu32 " mo %" PRIu32, ddp->qn, ddp->msn, ddp->mo);
    print_rdmap(out, ddp);
}

void print_fpdu(const struct print_target *target, enum direction direction, const struct mpa_fpdu_event *event)
{
    print_begin(target, direction, &event->place, "mpa");
    fprintf(target->out, "ulplen %u", event->fpdu.ulpdu_length);
    if (event->fpdu.n_markers > 0)
        fprintf(target->out, " markers %u", event->fpdu.n_markers);
    if (event->crc == MPA_CRC_WRONG)
        fputs(" bad-crc", target->out);
    if (event->has_ddp)
        print_ddp(target->out, &event->ddp);
    print_end(target);
}

void print_skipped(const struct print_target *target, enum direction direction, uint64_t octets, const char *why,
                   const struct place *place)
{
    print_begin(target, direction, place, "mpa");
    fprintf(target->out, "skipped %" PRIu64 " octets: %s", octets, why);
    print_end(target);
}
