// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An MPA end's start-up: RFC 5044 section 7.1, its Appendix C for revision 0, RFC 6581 for revision 2.
 *
 * Request          | Responder of revision 0 | 1                   | 2
 * 0                | accepts as 0            | accepts as 0 if permissive, else Reply of revision 1 and FIN
 * 1                | Reply of revision 0     | accepts             | accepts, without enhanced data
 * 2, S = 0         | closes                  | closes              | accepts, without enhanced data
 * 2, S = 1         | closes                  | closes              | accepts, enhanced
 */
#include "traffic-gen/ends/stack/mpa_end_internal.h"
#include "wire/octets.h"

#include <string.h>

enum { FRAME_MAX = MPA_STARTUP_HEADER_LEN + MPA_PRIVATE_DATA_MAX };

/* ---- this end's frame ---- */

static void end_startup_send_frame(struct mpa_end *end, struct mpa_startup frame)
{
    const struct mpa_end_spoil spoil = end->spoil;
    unsigned room = MPA_PRIVATE_DATA_MAX - (frame.flags & MPA_FLAG_S ? MPA_ENHANCED_LEN : 0);
    uint8_t octets[2 * FRAME_MAX];
    size_t n;

    frame.has_enhanced = frame.flags & MPA_FLAG_S;
    frame.ulp_data = end->wish.private_data;
    frame.ulp_length = (uint16_t)MIN(end->wish.private_length, room);
    mpa_startup_fix_length(&frame);
    if (spoil.frame)
        spoil.frame(spoil.ctx, &frame);
    n = mpa_startup_encode(&frame, octets, sizeof octets);
    if (spoil.octets)
        spoil.octets(spoil.ctx, octets, &n, sizeof octets);
    mpa_end_write(end, octets, n);
}

static uint8_t own_flags(const struct mpa_end_wish *wish)
{
    return (uint8_t)((wish->markers ? MPA_FLAG_M : 0) | (wish->crc ? MPA_FLAG_C : 0));
}

static void end_startup_send_request(struct mpa_end *end)
{
    const struct mpa_end_wish *wish = &end->wish;
    struct mpa_startup frame = {.kind = MPA_REQUEST, .flags = own_flags(wish), .revision = wish->revision};

    if (wish->revision == 0) /* the RDMA Consortium's revision has no other fields (Appendix C) */
        frame.flags = MPA_FLAG_M | MPA_FLAG_C;
    if (wish->revision == 2 && wish->enhanced) {
        frame.flags |= MPA_FLAG_S;
        frame.enhanced = wish->enhanced_data;
    }
    end_startup_send_frame(end, frame);
}

void mpa_end_start(struct mpa_end *end)
{
    if (end->state != MPA_END_IDLE || end->closed)
        return;
    end->state = MPA_END_WAIT_FRAME;
    end->since = end->stream.now(end->stream.ctx);
    if (end->wish.role == MPA_END_INITIATOR)
        end_startup_send_request(end);
}

/* ---- Responder ---- */

/* Sets the terms from both frames. The two M bits are independent: each governs what the other end sends (7.1.1). */
static void end_startup_settle(struct mpa_end *end, uint8_t revision, bool enhanced)
{
    const struct mpa_startup *peer = &end->peer;

    end->terms = (struct mpa_end_terms){
        .role = end->wish.role,
        .revision = revision,
        .markers_out = revision == 0 || peer->flags & MPA_FLAG_M,
        .markers_in = revision == 0 || end->wish.markers,
        .crc = revision == 0 || end->wish.crc || peer->flags & MPA_FLAG_C,
        .enhanced = enhanced,
        .ird = MPA_IRD_ORD_NOT_NEGOTIATED,
        .ord = MPA_IRD_ORD_NOT_NEGOTIATED,
        .peer_data = enhanced ? peer->ulp_data : peer->private_data,
        .peer_length = enhanced ? peer->ulp_length : peer->pd_length,
    };
    end->has_terms = true;
}

/* The Reply's IRD answers the Request's ORD, and its ORD the Request's IRD (RFC 6581 section 9.1). */
static void answer_enhanced(struct mpa_end *end)
{
    const struct mpa_enhanced *request = &end->peer.enhanced, *able = &end->wish.enhanced_data;
    const unsigned all = MPA_RTR_SEND | MPA_RTR_WRITE | MPA_RTR_READ, none = MPA_IRD_ORD_NOT_NEGOTIATED;
    struct mpa_enhanced reply = {.peer_to_peer = request->peer_to_peer};

    reply.ird = request->ord == none || able->ird == none ? request->ord : able->ird;
    reply.ord = request->ird == none || able->ord == none ? request->ird : MIN(able->ord, request->ird);
    if (request->peer_to_peer) {
        unsigned types = able->rtr ? able->rtr : all;

        end->terms.peer_to_peer = true;
        end->terms.rtr = (uint8_t)(types & request->rtr);
        /* Without a common type the Reply lists the supported types, and the Initiator terminates (9.2). */
        reply.rtr = end->terms.rtr ? end->terms.rtr : (uint8_t)types;
        if (reply.rtr & MPA_RTR_READ && reply.ird == 0)
            reply.ird = 1; /* an RTR Read counts as a Read in flight */
    }
    end->offer = reply;
    end->terms.ird = reply.ird;
    end->terms.ord = reply.ord;
}

static void end_startup_send_reply(struct mpa_end *end, bool accept)
{
    struct mpa_startup frame = {
        .kind = MPA_REPLY,
        .flags = (uint8_t)(own_flags(&end->wish) | (accept ? 0 : MPA_FLAG_R)),
        .revision = end->terms.revision,
    };

    if (end->terms.revision == 0)
        frame.flags |= MPA_FLAG_M | MPA_FLAG_C;
    if (end->terms.enhanced) {
        frame.flags |= MPA_FLAG_S; /* also in a Reply that rejects (RFC 6581 section 6) */
        frame.enhanced = end->offer;
    }
    end_startup_send_frame(end, frame);
    if (!accept) {
        end->terms.rejected = true;
        mpa_end_fail(end, MPA_END_REJECTED);
        return;
    }
    mpa_end_begin_operation(end);
    if (end->events.established)
        end->events.established(end->events.ctx, &end->terms);
}

void mpa_end_reply(struct mpa_end *end, bool accept)
{
    if (end->state == MPA_END_WAIT_ULP && !end->deaf && !end->closed)
        end_startup_send_reply(end, accept);
}

static void receive_request(struct mpa_end *end)
{
    const struct mpa_startup *request = &end->peer;
    const unsigned able = end->wish.revision;
    bool s = request->flags & MPA_FLAG_S;
    unsigned revision = request->revision;

    if (revision == 0 && able > 0 && !end->wish.permissive) {
        /* C.2.1: the Reply names this end's revision, and the connection is closed gracefully. */
        end_startup_send_frame(end,
                               (struct mpa_startup){.kind = MPA_REPLY, .flags = own_flags(&end->wish), .revision = 1});
        mpa_end_fail(end, MPA_END_BAD_FRAME);
        return;
    }
    if (revision == 1 && able == 0)
        revision = 0;
    /* S belongs to revision 2; peers that know only revision 1 see a reserved bit. */
    if (revision > able || (revision == 2 && s && !request->has_enhanced) || (revision == 1 && able == 2 && s)) {
        mpa_end_fail(end, MPA_END_BAD_FRAME);
        return;
    }
    end_startup_settle(end, (uint8_t)revision, revision == 2 && s);
    if (end->terms.enhanced)
        answer_enhanced(end);
    if (end->wish.manual) {
        end->state = MPA_END_WAIT_ULP;
        if (end->events.requested)
            end->events.requested(end->events.ctx, &end->terms);
    } else {
        end_startup_send_reply(end, !end->wish.reject);
    }
}

/* ---- Initiator ---- */

/* True when this end can work with a Reply of that revision; *revision is the revision in use then. */
static bool end_startup_reply_fits(const struct mpa_end *end, uint8_t *revision)
{
    const struct mpa_startup *reply = &end->peer;
    bool s = reply->flags & MPA_FLAG_S;

    *revision = reply->revision;
    switch (end->wish.revision) {
    case 0:
        return reply->revision == 0;
    case 1:
        return reply->revision == 1 || (reply->revision == 0 && end->wish.permissive);
    default:
        if (end->wish.enhanced)
            return reply->revision == 2 && s && reply->has_enhanced;
        return (reply->revision == 1 || reply->revision == 2) && !s;
    }
}

/* Sets the terms of an enhanced Reply; true when they are acceptable, else *error is the reason. */
static bool end_startup_judge_enhanced(struct mpa_end *end, enum mpa_end_error *error)
{
    const struct mpa_enhanced *request = &end->wish.enhanced_data, *reply = &end->peer.enhanced;
    const unsigned none = MPA_IRD_ORD_NOT_NEGOTIATED;

    end->terms.ird = request->ird;
    end->terms.ord = MIN(request->ord, reply->ird); /* 0x3FFF is the largest value */
    end->terms.peer_to_peer = request->peer_to_peer;
    if (request->peer_to_peer)
        end->terms.rtr = request->rtr & reply->rtr;
    if (reply->ird == 0)
        end->terms.rtr &= (uint8_t)~MPA_RTR_READ;
    if (reply->peer_to_peer != request->peer_to_peer)
        *error = MPA_END_LOCAL;
    else if (request->ird != none && reply->ord != none && reply->ord > request->ird)
        *error = MPA_END_IRD_ORD;
    else if (request->peer_to_peer && end->terms.rtr == 0)
        *error = MPA_END_NO_RTR;
    else
        return true;
    return false;
}

static void receive_reply(struct mpa_end *end)
{
    enum mpa_end_error error = MPA_END_BAD_FRAME;
    bool rejected = end->peer.flags & MPA_FLAG_R, fits, good;
    uint8_t revision;

    fits = end_startup_reply_fits(end, &revision);
    if (!fits && !rejected) {
        mpa_end_fail(end, MPA_END_BAD_FRAME);
        return;
    }
    end_startup_settle(end, revision, fits && end->wish.revision == 2 && end->wish.enhanced);
    if (rejected) {
        end->terms.rejected = true;
        mpa_end_fail(end, MPA_END_REJECTED);
        return;
    }
    good = !end->terms.enhanced || end_startup_judge_enhanced(end, &error);
    /* An error of the enhanced setup is reported by a Terminate in the first FPDU, which requires full operation. */
    mpa_end_begin_operation(end);
    end->may_send = true;
    if (!good) {
        mpa_end_fail(end, error);
        return;
    }
    if (end->events.established)
        end->events.established(end->events.ctx, &end->terms);
    if (end->events.may_send && mpa_end_may_send(end))
        end->events.may_send(end->events.ctx);
}

/* ---- the peer's frame ---- */

/* This end's judgement of the peer's frame: an enum mpa_end_error, or MPA_END_RIGHT. */
static bool end_startup_is_refused(struct mpa_end *end, int error)
{
    if (end->spoil.judge_frame)
        error = end->spoil.judge_frame(end->spoil.ctx, &end->peer, error);
    if (error != MPA_END_RIGHT)
        mpa_end_fail(end, (enum mpa_end_error)error);
    return error != MPA_END_RIGHT;
}

static void put_key(enum mpa_startup_kind kind, GByteArray *octets)
{
    const struct mpa_startup frame = {.kind = kind};
    uint8_t header[MPA_STARTUP_HEADER_LEN];

    mpa_startup_encode(&frame, header, sizeof header);
    memcpy(octets->data, header, MIN(octets->len, MPA_KEY_LEN));
}

/* True when the frame is complete; errors in it that are not refused are corrected. */
static bool end_startup_take_frame(struct mpa_end *end, enum mpa_startup_kind kind, size_t *need)
{
    GByteArray *frame = end->startup;
    enum mpa_startup_status status;

    if (mpa_startup_key_matches(kind, frame->data, frame->len) < MIN(frame->len, MPA_KEY_LEN)) {
        if (end_startup_is_refused(end, MPA_END_BAD_FRAME))
            return false;
        put_key(kind, frame);
    }
    status = mpa_startup_decode(&end->peer, need, frame->data, frame->len);
    if (frame->len >= MPA_STARTUP_HEADER_LEN && end->peer.pd_length > MPA_PRIVATE_DATA_MAX) {
        if (end_startup_is_refused(end, MPA_END_BAD_FRAME))
            return false;
        put_be16(frame->data + MPA_STARTUP_HEADER_LEN - 2, (uint16_t)(frame->len - MPA_STARTUP_HEADER_LEN));
        status = mpa_startup_decode(&end->peer, need, frame->data, frame->len);
    }
    if (status != MPA_STARTUP_OK && status != MPA_STARTUP_MORE)
        mpa_end_fail(end, MPA_END_BAD_FRAME);
    return status == MPA_STARTUP_OK;
}

/*
 * A frame has at most 532 octets, so only these are kept. No octets can follow it: the Initiator waits for the Reply,
 * and the Responder for the first FPDU (7.1.2), so the PD_Length would be wrong.
 */
void mpa_end_startup_receive(struct mpa_end *end, const uint8_t *p, size_t n)
{
    enum mpa_startup_kind kind = end->wish.role == MPA_END_INITIATOR ? MPA_REPLY : MPA_REQUEST;
    GByteArray *frame = end->startup;
    size_t taken = MIN(n, FRAME_MAX - MIN(frame->len, FRAME_MAX)), need;

    if (end->closed)
        return;
    if (end->state != MPA_END_WAIT_FRAME) {
        mpa_end_fail(end, MPA_END_BAD_FRAME);
        return;
    }
    g_byte_array_append(frame, p, (guint)taken);
    if (!end_startup_take_frame(end, kind, &need) ||
        end_startup_is_refused(end, frame->len > need || taken < n ? MPA_END_BAD_FRAME : MPA_END_RIGHT))
        return;
    if (kind == MPA_REQUEST)
        receive_request(end);
    else
        receive_reply(end);
}
