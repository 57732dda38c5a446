// SPDX-License-Identifier: GPL-2.0-or-later
/* Mutants for suite mpa, full operation. */
#include "traffic-gen/ends/mpa_end_internal.h"
#include "traffic-gen/mutants/misbehave.h"
#include "traffic-gen/suite/talk/talk.h"
#include "wire/crc32c.h"
#include "wire/octets.h"

#include <string.h>

enum { LATE_FPDUS = 30, ODD_TO = 0x0C0C, SMALL_ULPDU = 64, PAD_REFUSED = 2 };

/* ---- the FPDUs ---- */

static bool pad_is_zero(const struct mpa_fpdu *fpdu)
{
    for (unsigned i = 0; i < fpdu->pad_length; i++) {
        if (fpdu->pad[i] != 0)
            return false;
    }
    return true;
}

static bool pad_is_odd(const struct mpa_fpdu *fpdu)
{
    return fpdu->pad_length > 0 && fpdu->pad[0] == 0xA5;
}

static bool has_marker(const struct mpa_fpdu *fpdu, bool reserved, bool low_bits, bool elsewhere)
{
    for (unsigned i = 0; i < fpdu->n_markers; i++) {
        const struct mpa_marker *marker = &fpdu->markers[i];

        if ((reserved && marker->reserved != 0) || (low_bits && marker->fpduptr & 3) ||
            (elsewhere && (marker->fpduptr & ~3u) != marker->expected))
            return true;
    }
    return false;
}

/* Whatever was negotiated. */
static bool crc_is_wrong(const struct mpa_fpdu *fpdu)
{
    return crc32c(fpdu->octets, fpdu->length - MPA_CRC_LEN) != fpdu->crc;
}

static uint32_t crc_difference(const struct mpa_fpdu *fpdu)
{
    return crc32c(fpdu->octets, fpdu->length - MPA_CRC_LEN) ^ fpdu->crc;
}

static bool is_read_request(const struct mpa_fpdu *fpdu)
{
    return fpdu->ulpdu_length > 1 && (fpdu->ulpdu[1] & 0x0F) == RDMAP_READ_REQUEST;
}

static uint64_t tagged_offset(const struct mpa_fpdu *fpdu)
{
    return fpdu->ulpdu_length >= DDP_TAGGED_HEADER_LEN ? get_be64(fpdu->ulpdu + 6) : 0;
}

/* ---- options ---- */

static void without_crc(struct qp_options *options)
{
    options->mpa.crc = false;
}

static void with_markers(struct qp_options *options)
{
    options->mpa.markers = true;
}

/* ---- too strict ---- */

static int refuse_pad(void *ctx, const struct mpa_fpdu *fpdu, int error)
{
    (void)ctx;
    return error == MPA_END_RIGHT && !pad_is_zero(fpdu) ? MPA_END_BAD_CRC : error;
}

static int check_unused_crc(void *ctx, const struct mpa_fpdu *fpdu, int error)
{
    struct mutant *mutant = ctx;

    /* Most that do not use the field write zero. */
    return fpdu->crc != 0 && crc_is_wrong(fpdu) && mutant->seen++ > 0 ? MPA_END_BAD_CRC : error;
}

/* The Initiator starts with an FPDU of its own, so the first one is recognised by its CRC field. */
static int check_first_crc(void *ctx, const struct mpa_fpdu *fpdu, int error)
{
    (void)ctx;
    return fpdu->crc == 0xDEADBEEF ? MPA_END_BAD_CRC : error;
}

static int refuse_reserved(void *ctx, const struct mpa_fpdu *fpdu, int error)
{
    (void)ctx;
    return has_marker(fpdu, true, false, false) ? MPA_END_BAD_MARKER : error;
}

static int refuse_low_bits(void *ctx, const struct mpa_fpdu *fpdu, int error)
{
    (void)ctx;
    return has_marker(fpdu, false, true, false) ? MPA_END_BAD_MARKER : error;
}

static int refuse_length(void *ctx, const struct mpa_fpdu *fpdu, int error)
{
    (void)ctx;
    return fpdu->pad_length == PAD_REFUSED ? MPA_END_BAD_FPDU : error;
}

/* A part of an FPDU at the end of a segment, after a whole one. */
static int count_fpdus(void *ctx, const struct mpa_fpdu *fpdu, int error)
{
    struct mutant *mutant = ctx;

    (void)fpdu;
    mutant->seen++;
    return error;
}

static void refuse_unaligned(void *ctx)
{
    struct mutant *mutant = ctx;
    const struct mpa_end *mpa = qp_mpa(mutant->qp);

    if (mpa->state == MPA_END_OPERATION && !mpa->closed && mpa->reader.n > 0 && mutant->seen > 0)
        qp_terminate(mutant->qp, 2, 0, 3);
    mutant->seen = 0;
}

/* Where a segment that holds only a part of an FPDU may end: not inside what variant names. The first FPDU is left to
 * other mutants.
 */
enum part { PART_LENGTH, PART_HEADER, PART_PAD, PART_CRC, PART_MARKER, PART_MANY };

enum { PARTS_MAX = 8 };

static int count_all(void *ctx, const struct mpa_fpdu *fpdu, int error)
{
    struct mutant *mutant = ctx;

    (void)fpdu;
    mutant->seen = 0;
    mutant->since++;
    return error;
}

static bool ends_in(struct mutant *mutant, const struct mpa_end *mpa, enum part part)
{
    const size_t n = mpa->reader.n, ulpdu = n >= MPA_LENGTH_LEN ? get_be16(mpa->reader.p) : 0;
    const size_t pad = MPA_LENGTH_LEN + ulpdu, crc = pad + mpa_pad_length((uint16_t)ulpdu);
    const uint64_t into_marker = (mpa->in_offset - mpa->framing_in.seq_start) % MPA_MARKER_PERIOD;

    switch (part) {
    case PART_LENGTH:
        return n == 1;
    case PART_HEADER:
        return n >= MPA_LENGTH_LEN && n < MPA_LENGTH_LEN + DDP_TAGGED_HEADER_LEN;
    case PART_PAD:
        return crc > pad && n >= pad && n <= crc;
    case PART_CRC:
        return n > crc;
    case PART_MARKER:
        return into_marker > 0 && into_marker < MPA_MARKER_LEN;
    case PART_MANY:
        return ++mutant->seen > PARTS_MAX;
    }
    return false;
}

static void refuse_part(void *ctx)
{
    struct mutant *mutant = ctx;
    const struct mpa_end *mpa = qp_mpa(mutant->qp);

    if (mpa->state == MPA_END_OPERATION && !mpa->closed && mpa->reader.n > 0 && mutant->since > 0 &&
        ends_in(mutant, mpa, (enum part)mutant->how->variant))
        qp_terminate(mutant->qp, 2, 0, 2);
}

static void answer_early(void *ctx)
{
    struct mutant *mutant = ctx;
    struct mpa_end *mpa = qp_mpa(mutant->qp);
    const uint8_t *p = mpa->reader.p, *sink;
    uint8_t answer[DDP_TAGGED_HEADER_LEN];

    if (mpa->state != MPA_END_OPERATION || mpa->reader.n < 2 + DDP_UNTAGGED_HEADER_LEN + 12 || mutant->seen ||
        (p[3] & 0x0F) != RDMAP_READ_REQUEST)
        return;
    mutant->seen = 1;
    sink = p + 2 + DDP_UNTAGGED_HEADER_LEN; /* STag and TO */
    mutant_tagged_header(RDMAP_READ_RESPONSE, get_be32(sink), get_be64(sink + 4), answer);
    mpa_end_send(mpa, answer, sizeof answer, NULL, 0);
}

/* The Request came in more than one segment. */
static void refuse_pieces(void *ctx)
{
    struct mutant *mutant = ctx;
    struct mpa_end *mpa = qp_mpa(mutant->qp);

    if (mpa->state == MPA_END_WAIT_FRAME && mpa->startup->len > 0 && mpa->startup->len < MPA_KEY_LEN)
        mutant->seen = 1;
    if (mutant->seen && mpa->state == MPA_END_OPERATION)
        qp_terminate(mutant->qp, 2, 0, 3);
}

/* ---- too lax ---- */

static int forgive_pad(void *ctx, const struct mpa_fpdu *fpdu, int error)
{
    (void)ctx;
    return error == MPA_END_BAD_CRC && pad_is_odd(fpdu) ? MPA_END_RIGHT : error;
}

static int forgive_damaged_pad(void *ctx, const struct mpa_fpdu *fpdu, int error)
{
    (void)ctx;
    return error == MPA_END_BAD_CRC && !pad_is_zero(fpdu) && !pad_is_odd(fpdu) ? MPA_END_RIGHT : error;
}

static int forgive_reserved(void *ctx, const struct mpa_fpdu *fpdu, int error)
{
    (void)ctx;
    return error == MPA_END_BAD_CRC && has_marker(fpdu, true, false, false) ? MPA_END_RIGHT : error;
}

static int forgive_marker(void *ctx, const struct mpa_fpdu *fpdu, int error)
{
    (void)ctx;
    return error == MPA_END_BAD_CRC && has_marker(fpdu, false, true, false) ? MPA_END_RIGHT : error;
}

/* The Initiator's first FPDU is left to another mutant. */
static int forgive_read(void *ctx, const struct mpa_fpdu *fpdu, int error)
{
    struct mutant *mutant = ctx;

    bool first = mutant->seen++ == 0 && qp_mpa(mutant->qp)->wish.role == MPA_END_RESPONDER;

    return !first && error == MPA_END_BAD_CRC && is_read_request(fpdu) ? MPA_END_RIGHT : error;
}

/* A Write is placed before its CRC is looked at. */
static int place_unchecked(void *ctx, const struct mpa_fpdu *fpdu, int error)
{
    struct ddp_segment ddp;

    if (error == MPA_END_BAD_CRC && ddp_segment_decode(&ddp, fpdu->ulpdu, fpdu->ulpdu_length))
        mutant_place(ctx, &ddp);
    return error;
}

/* A bit of the CRC field's last octet; a bit of the ULPDU would change every octet of the CRC. */
static int forgive_crc_field(void *ctx, const struct mpa_fpdu *fpdu, int error)
{
    (void)ctx;
    return error == MPA_END_BAD_CRC && crc_difference(fpdu) == 0x10000000 ? MPA_END_RIGHT : error;
}

static int forgive_ulpdu(void *ctx, const struct mpa_fpdu *fpdu, int error)
{
    (void)ctx;
    return error == MPA_END_BAD_CRC && pad_is_zero(fpdu) && __builtin_popcount(crc_difference(fpdu)) > 1 ? MPA_END_RIGHT
                                                                                                         : error;
}

/* Checks only what this end itself asked for. */
static int forgive_for_c0(void *ctx, const struct mpa_fpdu *fpdu, int error)
{
    struct mutant *mutant = ctx;

    return mutant->seen++ < LATE_FPDUS && error == MPA_END_BAD_CRC && tagged_offset(fpdu) == ODD_TO &&
                   !qp_mpa(mutant->qp)->wish.crc
               ? MPA_END_RIGHT
               : error;
}

static int forgive_late(void *ctx, const struct mpa_fpdu *fpdu, int error)
{
    struct mutant *mutant = ctx;

    (void)fpdu;
    return error == MPA_END_BAD_CRC && mutant->seen > LATE_FPDUS ? MPA_END_RIGHT : (mutant->seen++, error);
}

/* What is wrong is dropped when more follows it. */
static int drop_before_more(void *ctx, const struct mpa_fpdu *fpdu, int error)
{
    struct mutant *mutant = ctx;
    const struct mpa_end *mpa = qp_mpa(mutant->qp);

    (void)fpdu;
    mutant->since = error == MPA_END_BAD_CRC && mpa->reader.n + mpa->reader.rest_n > 0;
    return mutant->since ? MPA_END_RIGHT : error;
}

static unsigned drop_marked(void *ctx, unsigned cause, const uint8_t *p, size_t n)
{
    const struct mutant *mutant = ctx;

    (void)p;
    (void)n;
    return mutant->since ? QP_DROP : cause;
}

/* With its wrong length the FPDU took four octets of the next one: parsing resumes where that starts. */
static int find_next(void *ctx, const struct mpa_fpdu *fpdu, int error)
{
    const struct mutant *mutant = ctx;
    struct mpa_end *mpa = qp_mpa(mutant->qp);
    uint8_t answer[DDP_TAGGED_HEADER_LEN];

    if (error == MPA_END_BAD_CRC && fpdu->ulpdu_length == DDP_TAGGED_HEADER_LEN + 4 && mpa_end_may_send(mpa)) {
        mutant_tagged_header(RDMAP_READ_RESPONSE, TALK_SINK_STAG, 0, answer);
        mpa_end_send(mpa, answer, sizeof answer, NULL, 0);
    }
    return error;
}

/* ---- wrong codes, no end ---- */

static bool other_code(void *ctx, struct rdmap_terminate *message)
{
    (void)ctx;
    if (message->layer == RDMAP_LAYER_LLP && message->code == 2)
        message->code = 1;
    return true;
}

static bool note_terminate(void *ctx, struct rdmap_terminate *message)
{
    struct mutant *mutant = ctx;

    mutant->seen = message->layer == RDMAP_LAYER_LLP && message->code == 2;
    return true;
}

static bool stay_open(void *ctx, bool *reset)
{
    const struct mutant *mutant = ctx;

    (void)reset;
    return mutant->seen == 0 || qp_mpa(mutant->qp)->ended;
}

/* The rest of an FPDU is waited for without end. */
static bool wait_for_rest(void *ctx, bool *reset)
{
    const struct mutant *mutant = ctx;

    (void)reset;
    return qp_mpa(mutant->qp)->ended || qp_mpa(mutant->qp)->reader.n == 0;
}

#define PART(row, text, part)                                                                                          \
    {                                                                                                                  \
        BOTH(row, text), .mpa.judge_fpdu = count_all, .mpa.received = refuse_part, .variant = (part)                   \
    }

const struct misbehaviour misbehave_mpa[] = {
    {BOTH("MPA-4.1-06", "treats a nonzero PAD as an error"), .mpa.judge_fpdu = refuse_pad},
    {BOTH("MPA-4.1-07", "computes the CRC over a zero PAD"), .mpa.judge_fpdu = forgive_pad},
    {BOTH("MPA-4.1-11", "checks CRCs that are not in use"), .options = without_crc, .mpa.judge_fpdu = check_unused_crc},
    {BOTH("MPA-4.2-03", "treats a nonzero RESERVED in a Marker as an error"), .options = with_markers,
     .mpa.judge_fpdu = refuse_reserved},
    {BOTH("MPA-4.2-04", "computes the CRC with RESERVED as zero"), .options = with_markers,
     .mpa.judge_fpdu = forgive_reserved},
    {BOTH("MPA-4.2-06", "checks the low bits of FPDUPTR"), .options = with_markers, .mpa.judge_fpdu = refuse_low_bits},
    {BOTH("MPA-4.4-09", "checks the CRC of the first FPDU although CRC is off"), .options = without_crc,
     .mpa.judge_fpdu = check_first_crc},
    {BOTH("MPA-4.4-19", "answers Read Requests with a wrong CRC"), .mpa.judge_fpdu = forgive_read},
    {BOTH("MPA-4.4-19/memory", "places a Write before it checks the CRC"), .mpa.judge_fpdu = place_unchecked},
    {RESPONDER("MPA-4.5-07", "cuts its messages into segments of 64 octets"), .mpa.ulpdu_max = SMALL_ULPDU},
    {BOTH("MPA-5.1-06", "wants FPDUs to end with their segment"), .mpa.judge_fpdu = count_fpdus,
     .mpa.received = refuse_unaligned},
    PART("MPA-5.1-06/length", "wants the ULPDU_Length in one segment", PART_LENGTH),
    PART("MPA-5.1-06/header", "wants the DDP header in one segment", PART_HEADER),
    PART("MPA-5.1-06/pad", "wants the PAD in one segment with its neighbours", PART_PAD),
    PART("MPA-5.1-06/crc", "wants the CRC field in one segment", PART_CRC),
    {BOTH("MPA-5.1-06/marker", "wants Markers in one segment"), .options = with_markers, .mpa.judge_fpdu = count_all,
     .mpa.received = refuse_part, .variant = PART_MARKER},
    PART("MPA-5.1-06/octets", "loses FPDUs that come in many segments", PART_MANY),
    {BOTH("MPA-5.2-01", "loses FPDUs with two octets of PAD"), .mpa.judge_fpdu = refuse_length},
    {BOTH("MPA-6-06", "answers a Read Request before its FPDU is complete"), .mpa.received = answer_early},
    {BOTH("MPA-7.1.1-16/own-c0", "checks CRCs only if it asked for CRC itself"), .options = without_crc,
     .mpa.judge_fpdu = forgive_for_c0},
    {BOTH("MPA-7.1.1-16/late", "checks only the CRCs of the first FPDUs"), .mpa.judge_fpdu = forgive_late},
    {BOTH("MPA-7.1.2-42", "waits for the rest of an FPDU without end"), .mpa.close = wait_for_rest},
    {BOTH("MPA-7.1.5-04", "wants the start-up frame in one segment"), .mpa.received = refuse_pieces},
    {BOTH("MPA-8-02/crc", "ignores the last octet of the CRC"), .mpa.judge_fpdu = forgive_crc_field},
    {BOTH("MPA-8-02/ulpdu", "does not notice damaged ULPDUs"), .mpa.judge_fpdu = forgive_ulpdu},
    {BOTH("MPA-8-02/pad", "does not notice a damaged PAD"), .mpa.judge_fpdu = forgive_damaged_pad},
    {BOTH("MPA-8-02/marker", "does not notice damaged Markers"), .options = with_markers,
     .mpa.judge_fpdu = forgive_marker},
    {BOTH("MPA-8-05", "reports a wrong CRC with another code"), .qp.terminate = other_code},
    {BOTH("MPA-8-12/crc", "continues after an FPDU with a wrong CRC"), .mpa.judge_fpdu = drop_before_more,
     .qp.judge = drop_marked},
    {BOTH("MPA-8-12/length", "finds the next FPDU after one with a wrong length"), .mpa.judge_fpdu = find_next},
    {BOTH("MPA-8-14", "leaves the connection open after its Terminate"), .mpa.close = stay_open,
     .qp.terminate = note_terminate},
    {0},
};
