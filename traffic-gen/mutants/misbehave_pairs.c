// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Mutants that fail only where two values meet (traffic-gen/pairs), each of which alone they take: the id names the
 * two.
 */
#include "traffic-gen/ends/mpa_end_internal.h"
#include "traffic-gen/mutants/misbehave.h"

#include <string.h>

enum { ROOMY = 256 /* octets of private data that fit */ };

static const struct mpa_end *mpa_of(void *ctx)
{
    const struct mutant *mutant = ctx;

    return qp_mpa(mutant->qp);
}

static uint16_t data_length(const struct mpa_startup *request)
{
    return request->has_enhanced ? request->ulp_length : request->pd_length;
}

static int no_room_with_markers(void *ctx, struct mpa_startup *frame, int error)
{
    (void)ctx;
    return frame->flags & MPA_FLAG_M && data_length(frame) > ROOMY ? MPA_END_BAD_FRAME : error;
}

static int no_read_without_ird(void *ctx, struct mpa_startup *frame, int error)
{
    (void)ctx;
    return frame->has_enhanced && frame->enhanced.ird == 0 && frame->enhanced.peer_to_peer &&
                   frame->enhanced.rtr & MPA_RTR_READ
               ? MPA_END_BAD_FRAME
               : error;
}

/* How often octets have come so far: a frame in pieces is complete only later. */
static void count_pieces(void *ctx)
{
    struct mutant *mutant = ctx;

    mutant->seen++;
}

static int no_pieces_of_revision_1(void *ctx, struct mpa_startup *frame, int error)
{
    const struct mutant *mutant = ctx;

    return frame->revision == 1 && mutant->seen > 0 ? MPA_END_BAD_FRAME : error;
}

static int no_check_with_markers(void *ctx, const struct mpa_fpdu *fpdu, int error)
{
    const struct mpa_startup *request = &mpa_of(ctx)->peer;

    (void)fpdu;
    return error == MPA_END_BAD_CRC && request->flags & MPA_FLAG_M && !(request->flags & MPA_FLAG_C) ? MPA_END_RIGHT
                                                                                                     : error;
}

static void bits_without_ord(void *ctx, struct mpa_startup *frame)
{
    const struct mpa_startup *request = &mpa_of(ctx)->peer;

    if (request->has_enhanced && request->enhanced.ord == 0 && !request->enhanced.peer_to_peer)
        frame->enhanced.rtr = request->enhanced.rtr;
}

/* The last octet of a message. */
static void change_octet(void *ctx, struct mpa_fpdu_plan *plan)
{
    const struct mpa_startup *request = &mpa_of(ctx)->peer;
    struct mutant *mutant = ctx;

    if (!(request->flags & MPA_FLAG_M) || !request->has_enhanced || request->enhanced.ord != 1 ||
        plan->ulpdu_octets < ROOMY || plan->ulpdu_octets > sizeof mutant->octets)
        return;
    memcpy(mutant->octets, plan->ulpdu, plan->ulpdu_octets);
    mutant->octets[plan->ulpdu_octets - 1] ^= 1;
    plan->ulpdu = mutant->octets;
}

const struct misbehaviour misbehave_pairs[] = {
    {RESPONDER("startup/M=1,pd=257", "closes after a Request with M = 1 and more than 256 octets of private data"),
     .mpa.judge_frame = no_room_with_markers},
    {RESPONDER("startup/ird=0,rtr=read", "closes after a Request with IRD 0 that offers an RTR Read"),
     .mpa.judge_frame = no_read_without_ird},
    {RESPONDER("startup/rev=1,cut=key", "closes after a Request of revision 1 in several segments"),
     .mpa.judge_frame = no_pieces_of_revision_1, .mpa.received = count_pieces},
    {RESPONDER("startup/M=1,C=0", "does not check CRCs when the Request has M = 1 and C = 0"),
     .mpa.judge_fpdu = no_check_with_markers},
    {RESPONDER("startup/ord=0,rtr=bits", "copies the types of RTR of a Request with A = 0 and ORD 0"),
     .mpa.frame = bits_without_ord},
    {RESPONDER("startup/M=1,ord=1", "changes an octet of long messages when the Request has M = 1 and ORD 1"),
     .mpa.plan = change_octet},
    {0},
};
