// SPDX-License-Identifier: GPL-2.0-or-later
/* An MPA end in full operation: FPDUs out and in, errors, the end of the connection. */
#include "traffic-gen/ends/stack/mpa_end.h"

#include "traffic-gen/ends/stack/mpa_end_internal.h"
#include "wire/crc32c.h"
#include "wire/ddp.h"
#include "wire/octets.h"
#include "wire/rdmap.h"

#include <string.h>

enum { SPOIL_ROOM = MPA_FPDU_OCTETS_MAX + 64 };

static const int64_t t_startup_default = INT64_C(10) * 1000000000;

struct mpa_end *mpa_end_new(const struct mpa_end_wish *wish, const struct stream *stream,
                            const struct mpa_end_events *events)
{
    struct mpa_end *end = g_new0(struct mpa_end, 1);

    end->wish = *wish;
    mpa_end_set_private_data(end, wish->private_data, wish->private_length);
    if (end->wish.t_startup <= 0)
        end->wish.t_startup = t_startup_default;
    end->stream = *stream;
    end->events = *events;
    end->startup = g_byte_array_new();
    end->ulpdu = g_byte_array_new();
    end->octets = g_byte_array_new();
    return end;
}

void mpa_end_free(struct mpa_end *end)
{
    mpa_fpdu_reader_free(&end->reader);
    g_free(end->scratch);
    g_byte_array_unref(end->startup);
    g_byte_array_unref(end->ulpdu);
    g_byte_array_unref(end->octets);
    g_free(end);
}

void mpa_end_set_private_data(struct mpa_end *end, const uint8_t *p, uint16_t n)
{
    n = MIN(n, MPA_PRIVATE_DATA_MAX);
    if (n > 0)
        memmove(end->private_data, p, n);
    end->wish.private_data = end->private_data;
    end->wish.private_length = n;
}

void mpa_end_set_spoil(struct mpa_end *end, const struct mpa_end_spoil *spoil)
{
    end->spoil = spoil ? *spoil : (struct mpa_end_spoil){0};
}

const struct mpa_end_terms *mpa_end_get_terms(const struct mpa_end *end)
{
    return end->has_terms ? &end->terms : NULL;
}

/* ---- the end ---- */

static void end_report_end(struct mpa_end *end, bool reset)
{
    if (end->ended)
        return;
    end->ended = true;
    if (end->events.ended)
        end->events.ended(end->events.ctx, reset);
}

void mpa_end_close(struct mpa_end *end, bool reset)
{
    if (end->closed && !(reset && !end->ended))
        return;
    if (end->spoil.close && !end->spoil.close(end->spoil.ctx, &reset))
        return;
    end->closed = true;
    end->may_send = false;
    end->stream.close(end->stream.ctx, reset);
    if (reset) {
        end->deaf = true;
        end_report_end(end, true);
    }
}

bool mpa_end_closed(const struct mpa_end *end)
{
    return end->closed;
}

void mpa_end_fail(struct mpa_end *end, enum mpa_end_error error)
{
    if (end->deaf)
        return;
    end->deaf = true;
    if (end->events.error)
        end->events.error(end->events.ctx, error);
    mpa_end_close(end, false);
}

void mpa_end_receive_fin(struct mpa_end *end)
{
    if (end->ended)
        return;
    if (end->state != MPA_END_OPERATION && !end->closed)
        mpa_end_fail(end, MPA_END_CLOSED_EARLY);
    else if (end->reader.n > 0)
        mpa_end_fail(end, MPA_END_CUT_OFF);
    end_report_end(end, false);
}

void mpa_end_receive_reset(struct mpa_end *end)
{
    bool early = end->state != MPA_END_OPERATION && !end->closed;

    if (end->ended)
        return;
    end->closed = true; /* there is nowhere to write */
    end->may_send = false;
    if (early)
        mpa_end_fail(end, MPA_END_CLOSED_EARLY);
    end->deaf = true;
    end_report_end(end, true);
}

void mpa_end_tick(struct mpa_end *end)
{
    if (end->state == MPA_END_WAIT_FRAME && !end->deaf &&
        end->stream.now(end->stream.ctx) - end->since >= end->wish.t_startup)
        mpa_end_fail(end, MPA_END_TIMEOUT);
    else if (end->state == MPA_END_OPERATION && end->wish.t_rest > 0 && end->reader.n > 0 && !end->deaf &&
             end->stream.now(end->stream.ctx) - end->since >= end->wish.t_rest)
        mpa_end_fail(end, MPA_END_TIMEOUT);
    if (end->spoil.tick)
        end->spoil.tick(end->spoil.ctx);
}

/* ---- for people ---- */

const char *mpa_end_error_text(enum mpa_end_error error)
{
    static const char *const texts[] = {
        [MPA_END_CLOSED_EARLY] = "the peer closed the connection during the start-up",
        [MPA_END_TIMEOUT] = "the peer's start-up frame, or the rest of an FPDU, did not come in time",
        [MPA_END_BAD_FRAME] = "the peer's start-up frame is malformed",
        [MPA_END_REJECTED] = "the connection was rejected",
        [MPA_END_BAD_FPDU] = "an FPDU from the peer has an impossible length",
        [MPA_END_BAD_CRC] = "an FPDU from the peer has a wrong CRC",
        [MPA_END_BAD_MARKER] = "an FPDU from the peer has a wrong Marker",
        [MPA_END_NO_RTR] = "the two ends have no RTR type in common",
        [MPA_END_IRD_ORD] = "the peer asks for more Reads than were offered",
        [MPA_END_LOCAL] = "the peer's Reply contradicts the Request",
        [MPA_END_CUT_OFF] = "the peer closed the connection within an FPDU",
    };

    return texts[error];
}

/* ---- sending ---- */

void mpa_end_write(struct mpa_end *end, const uint8_t *p, size_t n)
{
    if (n == 0)
        return;
    end->out_offset += n;
    end->stream.write(end->stream.ctx, p, n);
}

size_t mpa_end_ulpdu_max(const struct mpa_end *end)
{
    uint16_t room = end->stream.segment_room ? end->stream.segment_room(end->stream.ctx) : end->stream.mss;

    return end->spoil.ulpdu_max ? end->spoil.ulpdu_max : mpa_mulpdu(room, end->framing_out.markers);
}

bool mpa_end_may_send(const struct mpa_end *end)
{
    return end->may_send && !end->closed;
}

uint64_t mpa_end_position(const struct mpa_end *end)
{
    return end->out_offset;
}

void mpa_end_more(struct mpa_end *end)
{
    end->more = true;
}

/* Faults need the ULPDU in one piece. */
static void join_ulpdu(struct mpa_end *end, struct mpa_fpdu_plan *plan)
{
    g_byte_array_set_size(end->ulpdu, 0);
    if (plan->ulpdu_octets > 0)
        g_byte_array_append(end->ulpdu, plan->ulpdu, plan->ulpdu_octets);
    if (plan->rest_octets > 0)
        g_byte_array_append(end->ulpdu, plan->rest, plan->rest_octets);
    plan->ulpdu = end->ulpdu->data;
    plan->ulpdu_octets = (uint16_t)(plan->ulpdu_octets + plan->rest_octets);
    plan->rest_octets = 0;
}

/* Without Markers and faults the ULPDU is sent without a copy. */
static void end_send_pieces(struct mpa_end *end, const struct mpa_fpdu_plan *plan)
{
    uint8_t begin[MPA_LENGTH_LEN], tail[sizeof plan->pad + MPA_CRC_LEN] = {0};
    uint32_t crc;
    const struct stream_piece pieces[] = {
        {begin, sizeof begin},
        {plan->ulpdu, plan->ulpdu_octets},
        {plan->rest, plan->rest_octets},
        {tail, plan->pad_length + MPA_CRC_LEN},
    };

    put_be16(begin, plan->ulpdu_length);
    if (!plan->crc_fixed) {
        crc = crc32c(begin, sizeof begin);
        crc = crc32c_extend(crc, plan->ulpdu, plan->ulpdu_octets);
        crc = crc32c_extend(crc, plan->rest, plan->rest_octets);
        put_le32(tail + plan->pad_length, crc32c_extend(crc, tail, plan->pad_length));
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(pieces); i++)
        end->out_offset += pieces[i].n;
    end->stream.write_pieces(end->stream.ctx, pieces, G_N_ELEMENTS(pieces), end->more);
}

void mpa_end_send(struct mpa_end *end, const uint8_t *head, size_t head_n, const uint8_t *body, size_t body_n)
{
    const struct mpa_end_spoil spoil = end->spoil;
    struct mpa_fpdu_plan plan;
    size_t n = head_n + body_n, room;

    if (!mpa_end_may_send(end) || n > UINT16_MAX)
        return;
    mpa_fpdu_plan_init(&plan, &end->framing_out, end->out_offset, head, (uint16_t)n, end->terms.crc);
    plan.ulpdu_octets = (uint16_t)head_n;
    plan.rest = body;
    plan.rest_octets = (uint16_t)body_n;
    if (end->stream.write_pieces && !plan.framing.markers && !spoil.plan && !spoil.octets) {
        end_send_pieces(end, &plan);
        end->more = false;
        return;
    }
    end->more = false;
    if (spoil.plan) {
        join_ulpdu(end, &plan);
        spoil.plan(spoil.ctx, &plan);
    }
    room = spoil.plan || spoil.octets ? SPOIL_ROOM : mpa_fpdu_octets(&end->framing_out, end->out_offset, (uint16_t)n);
    if (end->octets->len < room)
        g_byte_array_set_size(end->octets, (guint)room);
    n = mpa_fpdu_encode(&plan, end->octets->data, end->octets->len);
    if (spoil.octets)
        spoil.octets(spoil.ctx, end->octets->data, &n, end->octets->len);
    mpa_end_write(end, end->octets->data, n);
}

/* ---- receiving ---- */

void mpa_end_begin_operation(struct mpa_end *end)
{
    /* The Marker grid begins with the first octet after the start-up frame (RFC 5044 section 4.3). */
    end->framing_out = (struct mpa_framing){.markers = end->terms.markers_out, .seq_start = end->out_offset};
    end->framing_in = (struct mpa_framing){.markers = end->terms.markers_in, .seq_start = end->in_offset};
    if (end->terms.markers_in)
        end->scratch = g_new(struct mpa_fpdu_scratch, 1);
    mpa_fpdu_reader_init(&end->reader, &end->framing_in, end->terms.crc, end->in_offset, end->scratch);
    end->state = MPA_END_OPERATION;
}

/* The RTR type of an FPDU (RFC 6581 section 9.2): a Send, Write or Read Request of no octets; 0: not an RTR. */
static unsigned end_rtr_type(const struct ddp_segment *ddp)
{
    struct rdmap_read_request read;

    if (!ddp->last || (!ddp->tagged && (ddp->msn != 1 || ddp->mo != 0)))
        return 0;
    switch (ddp->opcode) {
    case RDMAP_SEND:
        return !ddp->tagged && ddp->qn == DDP_QN_SEND && ddp->payload_len == 0 ? MPA_RTR_SEND : 0;
    case RDMAP_WRITE:
        return ddp->tagged && ddp->payload_len == 0 ? MPA_RTR_WRITE : 0;
    case RDMAP_READ_REQUEST:
        return !ddp->tagged && ddp->qn == DDP_QN_READ_REQUEST && ddp->payload_len == RDMAP_READ_REQUEST_LEN &&
                       rdmap_read_request_decode(&read, ddp->payload, ddp->payload_len) && read.size == 0
                   ? MPA_RTR_READ
                   : 0;
    default:
        return 0;
    }
}

enum first_fpdu { FIRST_ORDINARY, FIRST_RTR, FIRST_WRONG };

/* Peer-to-peer: the Initiator begins with an RTR of a common type, or sends a Terminate when there is none. */
static enum first_fpdu end_judge_first(const struct mpa_end *end, const struct mpa_fpdu *fpdu)
{
    struct ddp_segment ddp;

    if (!end->terms.peer_to_peer)
        return FIRST_ORDINARY;
    if (!ddp_segment_decode(&ddp, fpdu->ulpdu, fpdu->ulpdu_length))
        return FIRST_WRONG;
    if (!ddp.tagged && ddp.opcode == RDMAP_TERMINATE)
        return FIRST_ORDINARY;
    return end_rtr_type(&ddp) & end->terms.rtr ? FIRST_RTR : FIRST_WRONG;
}

/* Returns an enum mpa_end_error, or MPA_END_RIGHT. */
static int judge_framing(const struct mpa_end *end, const struct mpa_fpdu *fpdu)
{
    /* No field of an FPDU is trusted before its CRC is verified (section 6). */
    if (end->terms.crc && fpdu->crc != fpdu->crc_computed)
        return MPA_END_BAD_CRC;
    if (fpdu->ulpdu_length == 0)
        return MPA_END_BAD_FPDU;
    for (unsigned i = 0; i < fpdu->n_markers; i++) {
        /* RESERVED (4.2) and the two low bits of FPDUPTR (4.3) are ignored. */
        if ((fpdu->markers[i].fpduptr & ~3u) != fpdu->markers[i].expected)
            return MPA_END_BAD_MARKER;
    }
    return MPA_END_RIGHT;
}

static void receive_fpdu(struct mpa_end *end, const struct mpa_fpdu *fpdu)
{
    bool first = end->wish.role == MPA_END_RESPONDER && !end->may_send && !end->closed;
    enum first_fpdu judged = FIRST_ORDINARY;
    int error = judge_framing(end, fpdu);

    if (error == MPA_END_RIGHT && first) {
        judged = end_judge_first(end, fpdu);
        if (judged == FIRST_WRONG)
            error = MPA_END_NO_RTR;
    }
    if (end->spoil.judge_fpdu)
        error = end->spoil.judge_fpdu(end->spoil.ctx, fpdu, error);
    if (error != MPA_END_RIGHT) {
        mpa_end_fail(end, (enum mpa_end_error)error);
        return;
    }
    if (first)
        end->may_send = true;
    if (end->events.ulpdu)
        end->events.ulpdu(end->events.ctx, fpdu->ulpdu, fpdu->ulpdu_length, judged == FIRST_RTR);
    if (first && end->events.may_send && mpa_end_may_send(end))
        end->events.may_send(end->events.ctx);
}

static void end_take_octets(struct mpa_end *end, const uint8_t *p, size_t n)
{
    struct mpa_fpdu fpdu;

    if (end->state != MPA_END_OPERATION) {
        end->in_offset += n;
        mpa_end_startup_receive(end, p, n);
        return;
    }
    if (!mpa_fpdu_reader_feed(&end->reader, end->in_offset, p, n))
        return;
    end->in_offset += n;
    if (end->wish.t_rest > 0)
        end->since = end->stream.now(end->stream.ctx);
    while (!end->deaf && mpa_fpdu_reader_next(&end->reader, &fpdu) == MPA_FPDU_OK)
        receive_fpdu(end, &fpdu);
    if (end->deaf) /* the rest stays in p and is never read */
        mpa_fpdu_reader_restart(&end->reader, end->in_offset);
    else
        mpa_fpdu_reader_save(&end->reader);
}

void mpa_end_receive(struct mpa_end *end, const uint8_t *p, size_t n)
{
    if (end->deaf || end->ended || n == 0)
        return;
    end_take_octets(end, p, n);
    if (end->spoil.received)
        end->spoil.received(end->spoil.ctx);
}
