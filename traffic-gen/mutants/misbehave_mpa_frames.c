// SPDX-License-Identifier: GPL-2.0-or-later
/* Mutants for suite mpa: frames at the limits of what is allowed, and what comes with them. */
#include "traffic-gen/ends/mpa_end_internal.h"
#include "traffic-gen/mutants/misbehave.h"

static struct mpa_end *mpa_of(void *ctx)
{
    const struct mutant *mutant = ctx;

    return qp_mpa(mutant->qp);
}

/* ---- refuses what is allowed ---- */

static int refuse_rejected(void *ctx, struct mpa_startup *frame, int error)
{
    (void)ctx;
    return error == MPA_END_RIGHT && frame->flags & MPA_FLAG_R ? MPA_END_BAD_FRAME : error;
}

/* Private Data of variant octets. */
static int refuse_data(void *ctx, struct mpa_startup *frame, int error)
{
    const struct mutant *mutant = ctx;

    return error == MPA_END_RIGHT && frame->pd_length == mutant->how->variant ? MPA_END_BAD_FRAME : error;
}

/* ---- continues ---- */

static void wait_for_ever(struct qp_options *options)
{
    options->mpa.t_rest = 0;
}

static int accept_rejected(void *ctx, struct mpa_startup *frame, int error)
{
    (void)ctx;
    frame->flags &= (uint8_t)~MPA_FLAG_R;
    return error;
}

/* Forgets what follows the Reply: variant octets (0: more than one). */
static int forget_rest(void *ctx, struct mpa_startup *frame, int error)
{
    const struct mutant *mutant = ctx;
    const struct mpa_end *mpa = mpa_of(ctx);
    size_t rest = mpa->startup->len - MIN(mpa->startup->len, MPA_STARTUP_HEADER_LEN + (size_t)frame->pd_length);

    if (mpa_startup_key_matches(MPA_REPLY, mpa->startup->data, mpa->startup->len) < MPA_KEY_LEN ||
        frame->pd_length > MPA_PRIVATE_DATA_MAX)
        return error;
    return error == MPA_END_BAD_FRAME && rest > 0 && (rest == 1) == (mutant->how->variant == 1) ? MPA_END_RIGHT : error;
}

static int forgive_first(void *ctx, const struct mpa_fpdu *fpdu, int error)
{
    struct mutant *mutant = ctx;

    (void)fpdu;
    return mutant->seen++ == 0 && error == MPA_END_BAD_CRC ? MPA_END_RIGHT : error;
}

static int take_enhanced(void *ctx, struct mpa_startup *frame, int error)
{
    struct mutant *mutant = ctx;

    if (error == MPA_END_RIGHT && frame->revision == 1 && frame->flags & MPA_FLAG_S) {
        mutant->seen = 1;
        frame->revision = 2;
        frame->has_enhanced = true;
        frame->enhanced = (struct mpa_enhanced){.ird = 4, .ord = 4};
        frame->ulp_length = 0;
    }
    return error;
}

static void answer_enhanced(void *ctx, struct mpa_startup *frame)
{
    const struct mutant *mutant = ctx;

    if (mutant->seen)
        frame->revision = 1;
}

/* ---- stays ---- */

static bool unless_revision_0(void *ctx, bool *reset)
{
    const struct mpa_end *mpa = mpa_of(ctx);

    (void)reset;
    return mpa->ended || mpa->startup->len < MPA_STARTUP_HEADER_LEN || mpa->startup->data[17] != 0;
}

/* After a Request with a FIN the device accepts connections, but is mute for a while. */
static const int64_t mute_ns = INT64_C(1200000000);
static int64_t mute_until;

static bool is_mute(void)
{
    return g_get_monotonic_time() * 1000 < mute_until;
}

static void grow_mute(void *ctx)
{
    struct mutant *mutant = ctx;
    const struct mpa_end *mpa = mpa_of(ctx);

    if (mpa->ended && mpa->state == MPA_END_OPERATION && mpa->in_offset > 0 &&
        mpa->in_offset == mpa->framing_in.seq_start && mutant->seen++ == 0)
        mute_until = g_get_monotonic_time() * 1000 + mute_ns;
}

static int refuse_when_mute(void *ctx, struct mpa_startup *frame, int error)
{
    (void)ctx;
    (void)frame;
    return is_mute() ? MPA_END_BAD_FRAME : error;
}

static bool unless_mute(void *ctx, bool *reset)
{
    (void)reset;
    return !is_mute() || mpa_of(ctx)->ended;
}

#define DATA(octets)                                                                                                   \
    {RESPONDER("MPA-7.1.2-10/" #octets, "has no room for " #octets " octets of Private Data"),                         \
     .mpa.judge_frame = refuse_data, .variant = (octets)},                                                             \
    {                                                                                                                  \
        INITIATOR("MPA-7.1.2-22/" #octets, "has no room for " #octets " octets of Private Data"),                      \
            .mpa.judge_frame = refuse_data, .variant = (octets)                                                        \
    }

const struct misbehaviour misbehave_mpa_frames[] = {
    {RESPONDER("MPA-7.1.1-19", "heeds R in a Request"), .mpa.judge_frame = refuse_rejected},
    DATA(256),
    DATA(257),
    DATA(512),
    {RESPONDER("MPA-7.1.2-10/fin", "is mute after a Request with a FIN"), .mpa.tick = grow_mute,
     .mpa.judge_frame = refuse_when_mute, .mpa.close = unless_mute},
    {INITIATOR("MPA-7.1.2-19", "continues whatever R says"), .mpa.judge_frame = accept_rejected},
    {INITIATOR("MPA-7.1.2-22/segment", "forgets what follows the Reply"), .mpa.judge_frame = forget_rest},
    {INITIATOR("MPA-7.1.2-22/octet", "forgets an octet after the Reply"), .options = wait_for_ever,
     .mpa.judge_frame = forget_rest, .variant = 1},
    {RESPONDER("MPA-7.1.2-24", "does not check the first FPDU"), .mpa.judge_fpdu = forgive_first},
    {RESPONDER("MPA-C.2.1-01", "does not close after a Request of revision 0"), .mpa.close = unless_revision_0},
    {RESPONDER("MPA2-6-04", "takes S as enhanced in revision 1"), .mpa.judge_frame = take_enhanced,
     .mpa.frame = answer_enhanced},
    {0},
};
