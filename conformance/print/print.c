// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/print/print.h"

#include "conformance/model/guest.h"
#include "wire/rdmap.h"
#include "wire/rdmap_terminate.h"

#include <inttypes.h>

char *print_time(int64_t time_ns, int64_t start_ns, char text[PRINT_TIME_SIZE])
{
    /* Unsigned, so that the difference between two times of a hostile capture is always defined. */
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

/* ---- start-up frames ---- */

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

/* Prints what the upper layers find in the private data. */
void print_ulp_private_data(FILE *out, const uint8_t *p, size_t n)
{
    for (const struct guest_face *const *face = guest_faces; *face; face++)
        if ((*face)->print_private_data)
            (*face)->print_private_data(out, p, n);
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
        /* "mpav2: enhanced" implies flag S. */
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
    if (frame->ulp_length > 0)
        print_ulp_private_data(target->out, frame->ulp_data, frame->ulp_length);
    print_end(target);
}

/* ---- FPDUs ---- */

static void print_read_request(FILE *out, const uint8_t *p, size_t n)
{
    struct rdmap_read_request request;

    if (rdmap_read_request_decode(&request, p, n))
        fprintf(out, " sink 0x%" PRIx32 " to %#" PRIx64 " size %" PRIu32 " src 0x%" PRIx32 " to %#" PRIx64,
                request.sink_stag, request.sink_to, request.size, request.source_stag, request.source_to);
}

static void print_terminate(FILE *out, const uint8_t *p, size_t n)
{
    struct rdmap_terminate terminate;

    if (rdmap_terminate_decode(&terminate, p, n) == RDMAP_TERMINATE_SHORT)
        return;
    fprintf(out, " layer %u etype %u code 0x%02x%s%s%s", terminate.layer, terminate.etype, terminate.code,
            terminate.m ? " M" : "", terminate.d ? " D" : "", terminate.r ? " R" : "");
}

static void print_immediate(FILE *out, const uint8_t *p, size_t n)
{
    uint64_t data;

    if (rdmap_immediate_decode(&data, p, n))
        fprintf(out, " data 0x%016" PRIx64, data);
}

static void print_atomic_request(FILE *out, const uint8_t *p, size_t n)
{
    struct rdmap_atomic_request request;

    if (!rdmap_atomic_request_decode(&request, p, n))
        return;
    if (rdmap_atomic_name(request.opcode))
        fprintf(out, " %s", rdmap_atomic_name(request.opcode));
    else
        fprintf(out, " aopcode %u", request.opcode);
    fprintf(out, " id 0x%" PRIx32 " stag 0x%" PRIx32 " to %#" PRIx64 " data %#" PRIx64 " mask %#" PRIx64,
            request.identifier, request.stag, request.to, request.data, request.mask);
    if (request.opcode == RDMAP_ATOMIC_CMP_SWAP)
        fprintf(out, " compare %#" PRIx64 " mask %#" PRIx64, request.compare_data, request.compare_mask);
}

static void print_atomic_response(FILE *out, const uint8_t *p, size_t n)
{
    struct rdmap_atomic_response response;

    if (rdmap_atomic_response_decode(&response, p, n))
        fprintf(out, " id 0x%" PRIx32 " original %#" PRIx64, response.identifier, response.original);
}

/* The beginning of an untagged message for this operation. */
static void (*const bodies[16])(FILE *out, const uint8_t *p, size_t n) = {
    [RDMAP_READ_REQUEST] = print_read_request,     [RDMAP_TERMINATE] = print_terminate,
    [RDMAP_IMMEDIATE] = print_immediate,           [RDMAP_IMMEDIATE_SE] = print_immediate,
    [RDMAP_ATOMIC_REQUEST] = print_atomic_request, [RDMAP_ATOMIC_RESPONSE] = print_atomic_response,
};

static void print_rdmap(FILE *out, const struct ddp_segment *ddp)
{
    const struct rdmap_opcode_info *info = rdmap_opcode_info(ddp->opcode);

    fputs(" rdmap: ", out);
    if (ddp->rv != 1)
        fprintf(out, "v%u ", ddp->rv);
    if (info)
        fputs(info->token, out);
    else
        fprintf(out, "opcode 0x%x", ddp->opcode);
    if (!ddp->tagged && ddp->mo == 0 && bodies[ddp->opcode & 0xFu])
        bodies[ddp->opcode & 0xFu](out, ddp->payload, ddp->payload_len);
    if (!ddp->tagged && rdmap_invalidates(ddp->opcode))
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
