// SPDX-License-Identifier: GPL-2.0-or-later
/* Mutants for suite mpa, start-up. */
#include "support/advert.h"
#include "traffic-gen/ends/mpa_end_internal.h"
#include "traffic-gen/mutants/misbehave.h"
#include "wire/octets.h"

#include <string.h>

enum { ODD_REVISION = 0x2A };

static const int64_t late = INT64_C(1000000) * 1300, a_while = INT64_C(1000000) * 150, soon = INT64_C(1000000) * 200;

static struct mpa_end *mpa_of(void *ctx)
{
    const struct mutant *mutant = ctx;

    return qp_mpa(mutant->qp);
}

/* ---- what was received ---- */

static bool key_is(const struct mpa_end *mpa, const char *key)
{
    return mpa->startup->len >= MPA_KEY_LEN && memcmp(mpa->startup->data, key, MPA_KEY_LEN) == 0;
}

static bool key_ends_wrong(const struct mpa_end *mpa)
{
    return mpa->startup->len >= MPA_KEY_LEN && memcmp(mpa->startup->data, "MPA ID Re", 9) == 0 &&
           memcmp(mpa->startup->data + 10, " Fram", 5) == 0 && mpa->startup->data[15] != 'e';
}

static bool key_middle_wrong(const struct mpa_end *mpa)
{
    return mpa->startup->len >= MPA_KEY_LEN && memcmp(mpa->startup->data, "MPA xxxx", 8) == 0;
}

static bool is_http(const struct mpa_end *mpa)
{
    return mpa->startup->len >= 4 && memcmp(mpa->startup->data, "GET ", 4) == 0;
}

static bool is_long(const struct mpa_end *mpa)
{
    return key_is(mpa, mpa->wish.role == MPA_END_RESPONDER ? "MPA ID Req Frame" : "MPA ID Rep Frame") &&
           mpa->startup->len >= MPA_STARTUP_HEADER_LEN && mpa->startup->data[18] >= 2;
}

static bool is_odd_revision(const struct mpa_end *mpa)
{
    return mpa->startup->len >= MPA_STARTUP_HEADER_LEN && mpa->startup->data[17] == ODD_REVISION;
}

/* ---- continues ---- */

static int accept_key_end(void *ctx, struct mpa_startup *frame, int error)
{
    (void)frame;
    return key_ends_wrong(mpa_of(ctx)) ? MPA_END_RIGHT : error;
}

static int accept_key_middle(void *ctx, struct mpa_startup *frame, int error)
{
    (void)frame;
    return key_middle_wrong(mpa_of(ctx)) ? MPA_END_RIGHT : error;
}

static int accept_long(void *ctx, struct mpa_startup *frame, int error)
{
    (void)frame;
    return error == MPA_END_BAD_FRAME && is_long(mpa_of(ctx)) ? MPA_END_RIGHT : error;
}

/* Answers an unknown revision with its own, sends, and closes when nothing comes. */
static int accept_revision(void *ctx, struct mpa_startup *frame, int error)
{
    struct mutant *mutant = ctx;

    if (error == MPA_END_RIGHT && frame->revision == ODD_REVISION) {
        frame->revision = mpa_of(ctx)->wish.role == MPA_END_RESPONDER ? 1 : mpa_of(ctx)->wish.revision;
        mutant->since = g_get_monotonic_time() * 1000;
    }
    return error;
}

static void close_after_a_while(void *ctx)
{
    struct mutant *mutant = ctx;
    if (mutant->since && g_get_monotonic_time() * 1000 - mutant->since > a_while)
        qp_close(mutant->qp, false);
}

/* ---- rejects ---- */

static void reject(struct mpa_end *mpa)
{
    struct mpa_startup frame = {.kind = MPA_REPLY, .flags = MPA_FLAG_R | MPA_FLAG_C, .revision = 1};
    uint8_t octets[MPA_STARTUP_HEADER_LEN];

    mpa_end_write(mpa, octets, mpa_startup_encode(&frame, octets, sizeof octets));
}

static int reject_key(void *ctx, struct mpa_startup *frame, int error)
{
    (void)frame;
    if (error == MPA_END_BAD_FRAME && key_ends_wrong(mpa_of(ctx)))
        reject(mpa_of(ctx));
    return error;
}

static int reject_long(void *ctx, struct mpa_startup *frame, int error)
{
    (void)frame;
    if (error == MPA_END_BAD_FRAME && is_long(mpa_of(ctx)))
        reject(mpa_of(ctx));
    return error;
}

static int answer_http(void *ctx, struct mpa_startup *frame, int error)
{
    static const char answer[] = "HTTP/1.1 400 Bad Request\r\n\r\n";

    (void)frame;
    if (error == MPA_END_BAD_FRAME && is_http(mpa_of(ctx)))
        mpa_end_write(mpa_of(ctx), (const uint8_t *)answer, sizeof answer - 1);
    return error;
}

/* ---- stays ---- */

static bool unless_long(void *ctx, bool *reset)
{
    (void)reset;
    return mpa_of(ctx)->ended || !is_long(mpa_of(ctx));
}

static bool unless_key(void *ctx, bool *reset)
{
    (void)reset;
    return mpa_of(ctx)->ended || !key_ends_wrong(mpa_of(ctx));
}

static bool unless_revision(void *ctx, bool *reset)
{
    (void)reset;
    return mpa_of(ctx)->ended || !is_odd_revision(mpa_of(ctx));
}

/* The peer has closed within its frame: this end does not. */
static bool unless_cut(void *ctx, bool *reset)
{
    const struct mpa_end *mpa = mpa_of(ctx);
    const size_t n = mpa->startup->len;
    size_t told;

    (void)reset;
    if (n <= MPA_STARTUP_HEADER_LEN)
        return true;
    told = get_be16(mpa->startup->data + MPA_STARTUP_HEADER_LEN - 2);
    return told > MPA_PRIVATE_DATA_MAX || n >= MPA_STARTUP_HEADER_LEN + told;
}

static bool unless_two_requests(void *ctx, bool *reset)
{
    (void)reset;
    return mpa_of(ctx)->ended || !key_is(mpa_of(ctx), "MPA ID Req Frame");
}

static bool unless_nothing(void *ctx, bool *reset)
{
    const struct mpa_end *mpa = mpa_of(ctx);

    (void)reset;
    return mpa->ended || mpa->state != MPA_END_WAIT_FRAME || mpa->startup->len > 0;
}

static bool unless_part(void *ctx, bool *reset)
{
    const struct mpa_end *mpa = mpa_of(ctx);

    (void)reset;
    return mpa->ended || mpa->state != MPA_END_WAIT_FRAME || mpa->startup->len == 0 || mpa->startup->len >= MPA_KEY_LEN;
}

/* Closes, but late. */
static bool unless_early(void *ctx, bool *reset)
{
    struct mutant *mutant = ctx;

    (void)reset;
    if (mpa_of(ctx)->ended || !key_ends_wrong(mpa_of(ctx)))
        return true;
    if (mutant->since == 0)
        mutant->since = g_get_monotonic_time() * 1000;
    return g_get_monotonic_time() * 1000 - mutant->since > late;
}

static void close_late(void *ctx)
{
    struct mutant *mutant = ctx;
    if (mutant->since)
        mpa_end_close(qp_mpa(mutant->qp), false);
}

/* ---- refuses what is allowed ---- */

static int refuse_res(void *ctx, struct mpa_startup *frame, int error)
{
    (void)ctx;
    return error == MPA_END_RIGHT && frame->flags & MPA_FLAGS_RES ? MPA_END_BAD_FRAME : error;
}

static int refuse_markers(void *ctx, struct mpa_startup *frame, int error)
{
    (void)ctx;
    return error == MPA_END_RIGHT && frame->flags & MPA_FLAG_M ? MPA_END_BAD_FRAME : error;
}

static int refuse_crc(void *ctx, struct mpa_startup *frame, int error)
{
    (void)ctx;
    return error == MPA_END_RIGHT && frame->flags & MPA_FLAG_C ? MPA_END_BAD_FRAME : error;
}

static void without_crc(struct qp_options *options)
{
    options->mpa.crc = false;
}

/* A rejection without its Reply: with its own private data, or without. */
static void swallow(const uint8_t *p, size_t *n, bool data)
{
    const size_t head = MPA_STARTUP_HEADER_LEN + (p[16] & MPA_FLAG_S ? MPA_ENHANCED_LEN : 0);

    if (*n >= MPA_STARTUP_HEADER_LEN && memcmp(p, "MPA ID Rep Frame", MPA_KEY_LEN) == 0 && p[16] & MPA_FLAG_R &&
        (*n > head) == data)
        *n = 0;
}

static void swallow_rejection(void *ctx, uint8_t *p, size_t *n, size_t size)
{
    (void)ctx;
    (void)size;
    swallow(p, n, false);
}

static void swallow_rejection_data(void *ctx, uint8_t *p, size_t *n, size_t size)
{
    (void)ctx;
    (void)size;
    swallow(p, n, true);
}

/* The Initiator's first message unframed, without an FPDU. */
static void unframed(void *ctx, uint8_t *p, size_t *n, size_t size)
{
    static const char hello[] = "hello, this is no FPDU at all";
    struct mutant *mutant = ctx;

    bool terminate = *n > 3 && (p[3] & 0x0F) == RDMAP_TERMINATE;

    if (mpa_of(ctx)->state != MPA_END_OPERATION || mutant->seen++ > 0 || size < sizeof hello || terminate)
        return;
    memcpy(p, hello, sizeof hello - 1);
    *n = sizeof hello - 1;
}

/* Loses what comes right after its Reply: an FPDU, or the one whose first octet came alone. */
static void note_reply(void *ctx, struct mpa_startup *frame)
{
    struct mutant *mutant = ctx;

    (void)frame;
    mutant->since = g_get_monotonic_time() * 1000;
}

static bool is_soon(const struct mutant *mutant)
{
    return g_get_monotonic_time() * 1000 - mutant->since < soon;
}

static void note_first_octet(void *ctx)
{
    struct mutant *mutant = ctx;
    const struct mpa_end *mpa = qp_mpa(mutant->qp);

    if (mpa->state == MPA_END_OPERATION && mpa->reader.n == 1 && is_soon(mutant))
        mutant->seen = 1;
}

static unsigned lose_noted(void *ctx, unsigned cause, const uint8_t *p, size_t n)
{
    struct mutant *mutant = ctx;
    bool noted = cause == 0 && mutant->seen == 1;

    (void)p;
    (void)n;
    if (noted)
        mutant->seen++;
    return noted ? QP_DROP : cause;
}

/* Only Reads, but not RTR Reads: other first FPDUs are harmless. */
static unsigned lose_first_read(void *ctx, unsigned cause, const uint8_t *p, size_t n)
{
    struct mutant *mutant = ctx;
    bool is_read = n > 1 && (p[1] & 0x0F) == RDMAP_READ_REQUEST;

    if (mpa_of(ctx)->terms.peer_to_peer || cause != 0)
        return cause;
    return mutant->seen++ == 0 && is_read && is_soon(mutant) ? QP_DROP : cause;
}

/* A first FPDU as soon as the Reply's header has come. */
static void speak_early(void *ctx)
{
    struct mutant *mutant = ctx;
    static const uint8_t fpdu[] = {0x00, 0x0e, 0xc1, 0x40, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4};
    struct mpa_end *mpa = qp_mpa(mutant->qp);

    if (mpa->state == MPA_END_WAIT_FRAME && mpa->startup->len > MPA_STARTUP_HEADER_LEN && mutant->seen++ == 0)
        mpa_end_write(mpa, fpdu, sizeof fpdu);
}

const struct misbehaviour misbehave_mpa_startup[] = {
    {BOTH("MPA-4.3-01", "refuses M = 1"), .mpa.judge_frame = refuse_markers},
    {BOTH("MPA-4.4-01", "refuses C = 1"), .options = without_crc, .mpa.judge_frame = refuse_crc},
    {BOTH("MPA-4.4-03", "has CRC off by default"), .options = without_crc},
    {RESPONDER("MPA-7.1.1-02/end", "ignores the last octet of the key"), .mpa.judge_frame = accept_key_end},
    {RESPONDER("MPA-7.1.1-02/middle", "ignores the middle of the key"), .mpa.judge_frame = accept_key_middle},
    {INITIATOR("MPA-7.1.1-05", "ignores the last octet of the key"), .mpa.judge_frame = accept_key_end},
    {BOTH("MPA-7.1.1-22", "treats Res bits as an error"), .mpa.judge_frame = refuse_res},
    {BOTH("MPA-7.1.1-24", "ignores Rev"), .mpa.judge_frame = accept_revision, .mpa.tick = close_after_a_while},
    {BOTH("MPA-7.1.1-25", "does not close after an unknown Rev"), .mpa.close = unless_revision},
    {BOTH("MPA-7.1.1-30", "stays when the peer closes within its frame"), .mpa.close = unless_cut},
    {BOTH("MPA-7.1.1-31", "accepts more than 512 octets of Private Data"), .mpa.judge_frame = accept_long},
    {RESPONDER("MPA-7.1.2-04/key", "rejects a Request with a wrong key"), .mpa.judge_frame = reject_key},
    {RESPONDER("MPA-7.1.2-04/pd-length", "leaves a connection with too much Private Data open"),
     .mpa.close = unless_long},
    {RESPONDER("MPA-7.1.2-04/http", "answers a web browser"), .mpa.judge_frame = answer_http},
    {RESPONDER("MPA-7.1.2-05", "closes instead of rejecting"), .mpa.octets = swallow_rejection},
    {RESPONDER("MPA-7.1.2-12", "loses a Read Request that comes right after its Reply"), .mpa.frame = note_reply,
     .qp.judge = lose_first_read},
    {RESPONDER("MPA-7.1.2-12/cut", "loses an FPDU whose first octet comes right after its Reply"),
     .mpa.frame = note_reply, .mpa.received = note_first_octet, .qp.judge = lose_noted},
    {INITIATOR("MPA-7.1.2-16", "does not wait for the whole Reply"), .mpa.received = speak_early},
    {INITIATOR("MPA-7.1.2-17", "leaves a connection with too much Private Data open"), .mpa.close = unless_long},
    {INITIATOR("MPA-7.1.2-18", "continues whatever the Private Data say"), .ignored_flags = ADVERT_REJECT},
    {INITIATOR("MPA-7.1.2-22", "sends its data without FPDUs"), .mpa.octets = unframed},
    {BOTH("MPA-7.1.2-26", "does not close after a wrong key"), .mpa.close = unless_key},
    {RESPONDER("MPA-7.1.2-29", "closes instead of rejecting with Private Data"), .mpa.octets = swallow_rejection_data},
    {INITIATOR("MPA-7.1.2-34", "does not close after a Request"), .mpa.close = unless_two_requests},
    {RESPONDER("MPA-7.1.2-35", "waits for a Request without end"), .mpa.close = unless_nothing},
    {RESPONDER("MPA-7.1.2-40", "rejects a Request with too much Private Data"), .mpa.judge_frame = reject_long},
    {INITIATOR("MPA-7.1.2-41/nothing", "waits for a Reply without end"), .mpa.close = unless_nothing},
    {BOTH("MPA-7.1.2-41/key", "waits for the rest of a frame without end"), .mpa.close = unless_part},
    {BOTH("MPA-8-09", "closes late after a wrong key"), .mpa.close = unless_early, .mpa.tick = close_late},
    {0},
};
