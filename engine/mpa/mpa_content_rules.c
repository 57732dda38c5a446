// SPDX-License-Identifier: GPL-2.0-or-later
/* What an FPDU in step shows besides Markers and CRC: length (3), one ULPDU per FPDU (3), PAD (4.1). */
#include "engine/mpa/mpa_framing.h"
#include "wire/invariant.h"
#include "wire/rdmap.h"

#include <stdio.h>
#include <string.h>

static void judge_pad(struct mpa_connection *mpa, unsigned side, const struct mpa_fpdu *fpdu)
{
    uint64_t end = fpdu->offset + fpdu->length - MPA_CRC_LEN;
    char found[sizeof "00 00 00"];

    if (fpdu->pad_length == 0)
        return;
    if ((fpdu->pad[0] | fpdu->pad[1] | fpdu->pad[2]) == 0) {
        verdict_passed(mpa->verdict, RULE_MPA_4_1_05);
        return;
    }
    snprintf(found, sizeof found, "%02x %02x %02x", fpdu->pad[0], fpdu->pad[1], fpdu->pad[2]);
    mpa_fail(mpa, side, RULE_MPA_4_1_05, end - fpdu->pad_length, end,
             "expected %u zero PAD octets; found PAD octets %.*s", fpdu->pad_length, fpdu->pad_length * 3 - 1, found);
}

/* A message whose length is fixed by its opcode is followed, in the same ULPDU, by another DDP segment. */
static bool glued(const struct mpa_framing_state *fs, const struct mpa_fpdu *fpdu, unsigned *fixed)
{
    uint8_t second[HEADER_VISIBLE];
    size_t rest;

    *fixed = mpa_fixed_ulpdu_length(fpdu->ulpdu, fpdu->ulpdu_length - fpdu->lacking);
    if (*fixed == 0 || (fpdu->lacking > 0 && *fixed + HEADER_VISIBLE > (unsigned)fpdu->ulpdu_length - fpdu->lacking) ||
        fpdu->ulpdu_length < *fixed + DDP_TAGGED_HEADER_LEN)
        return false;
    rest = fpdu->ulpdu_length - *fixed;
    put_be16(second, (uint16_t)rest);
    if (rest > sizeof second - MPA_LENGTH_LEN)
        rest = sizeof second - MPA_LENGTH_LEN;
    INVARIANT(*fixed + rest <= fpdu->ulpdu_length);
    for (size_t i = 0; i < rest; i++)
        second[MPA_LENGTH_LEN + i] = fpdu->ulpdu[*fixed + i];
    return mpa_octets_oddity(fs, second, MPA_LENGTH_LEN + rest) == 0;
}

/* Only fields that the receiver must ignore are odd. */
static bool only_reserved_odd(const struct mpa_framing_state *fs, const uint8_t *header, size_t n)
{
    const struct rdmap_opcode_info *info = n >= HEADER_VISIBLE_MIN ? rdmap_opcode_info(header[3] & 0x0F) : NULL;
    uint8_t other[HEADER_VISIBLE];

    if (!info)
        return false;
    for (size_t i = 0; i < n; i++)
        other[i] = header[i];
    other[2] &= 0xC3;
    other[3] &= 0xCF;
    for (size_t i = HEADER_VISIBLE_MIN; i < HEADER_VISIBLE_MIN + 4 && !info->tagged && !info->invalidates; i++)
        other[i] = 0;
    return mpa_octets_oddity(fs, other, n) == 0;
}

/*
 * A whole DDP header in which only the control octets are odd: the RDMAP octet of an Untagged segment, or the DDP octet
 * of a Tagged segment with its bits in the other order. DDP and RDMAP judge these.
 */
static bool only_control_odd(const struct mpa_framing_state *fs, const uint8_t *header, size_t n)
{
    static const uint8_t usual[] = {0x43, 0x41, 0x47, 0x4B}; /* RV 1 and a message of each queue */
    uint8_t other[HEADER_VISIBLE];
    uint32_t qn = n >= MPA_LENGTH_LEN + 10 ? get_be32(header + MPA_LENGTH_LEN + 6) : UINT32_MAX;

    for (size_t i = 0; i < n; i++)
        other[i] = header[i];
    if ((header[2] & 0xBF) == 0x01 && qn < sizeof usual) { /* RsvdULP as a whole may be odd */
        other[3] = usual[qn];
        other[4] = other[5] = other[6] = other[7] = 0;
    } else if ((header[2] & 0xFE) == 0x42 && (header[3] == 0x40 || header[3] == 0x42))
        other[2] = (uint8_t)(0x81 | (header[2] & 0x01) << 6);
    else
        return false;
    return mpa_octets_oddity(fs, other, n) == 0;
}

/*
 * The header of a Tagged segment or a Send without relevant oddities, as most are; such messages have no fixed length.
 */
static bool content_is_plain(const struct mpa_fpdu *fpdu)
{
    const uint8_t *ulpdu = fpdu->ulpdu;
    const struct rdmap_opcode_info *info;
    unsigned there;

    if (fpdu->ulpdu_length < DDP_TAGGED_HEADER_LEN || fpdu->ulpdu_length > MPA_ULPDU_MAX ||
        fpdu->ulpdu_length < fpdu->lacking + 2u || (ulpdu[1] & 0xF0) != 0x40)
        return false;
    info = rdmap_opcode_info(ulpdu[1] & 0x0F);
    if ((ulpdu[0] & 0xBF) == 0x81)
        return info && info->tagged;
    there = fpdu->ulpdu_length - fpdu->lacking;
    return (ulpdu[0] & 0xBF) == 0x01 && rdmap_is_send(ulpdu[1] & 0x0F) && there >= DDP_UNTAGGED_HEADER_LEN &&
           get_be32(ulpdu + 6) == DDP_QN_SEND;
}

/* Judges that the ULPDU is one whole DDP segment (3). */
static enum mpa_content content_judge_ulpdu(struct mpa_connection *mpa, unsigned side, const struct mpa_fpdu *fpdu)
{
    const struct mpa_framing_state *fs = mpa->side[side].framing;
    uint64_t end = fpdu->offset + fpdu->length;
    const uint8_t *ulpdu = fpdu->ulpdu;
    uint8_t header[HEADER_VISIBLE];
    size_t n = fpdu->ulpdu_length - fpdu->lacking;
    unsigned fixed;

    if (content_is_plain(fpdu)) {
        VERDICT_PASSED(mpa->verdict, RULE_MPA_3_07, RULE_MPA_4_1_12, RULE_MPA_3_01);
        return MPA_CONTENT_SEGMENT;
    }
    n = n < HEADER_VISIBLE - MPA_LENGTH_LEN ? n : HEADER_VISIBLE - MPA_LENGTH_LEN;
    INVARIANT(n <= fpdu->ulpdu_length && fpdu->lacking <= fpdu->ulpdu_length);
    if (fpdu->ulpdu_length == 0) {
        /* If it is an RTR (RFC 6581), the rules about the RTR judge it. */
        if (mpa->parameters.peer_to_peer && initiator_of(mpa) == (int)side && mpa->side[side].fpdus == 0)
            return MPA_CONTENT_UNKNOWN;
        mpa_fail(mpa, side, RULE_MPA_3_07, fpdu->offset, end,
                 "expected a ULPDU of 1 to 64768 octets; found ULPDU_Length 0");
        return MPA_CONTENT_UNKNOWN;
    }
    verdict_passed(mpa->verdict, RULE_MPA_3_07);
    if (fpdu->ulpdu_length < DDP_TAGGED_HEADER_LEN) {
        mpa_fail(mpa, side, RULE_MPA_4_1_12, fpdu->offset, end,
                 "expected at least the 14 octets of a DDP header; found ULPDU_Length %u", fpdu->ulpdu_length);
        return MPA_CONTENT_UNKNOWN;
    }
    verdict_passed(mpa->verdict, RULE_MPA_4_1_12);
    if (n == 0) { /* no octet of the ULPDU was captured */
        verdict_inconclusive(mpa->verdict, RULE_MPA_3_01, WHY_CUT, mpa_place(mpa, side, fpdu->offset, end).frame);
        return MPA_CONTENT_SEGMENT;
    }
    put_be16(header, fpdu->ulpdu_length > MPA_ULPDU_MAX ? MPA_ULPDU_MAX : fpdu->ulpdu_length);
    memcpy(header + MPA_LENGTH_LEN, ulpdu, n);
    if (!(ulpdu[0] & 0x80) && fpdu->ulpdu_length < DDP_UNTAGGED_HEADER_LEN && (ulpdu[0] & 0xBF) == 0x01)
        return MPA_CONTENT_UNKNOWN; /* a truncated header: DDP-4.3-01 */
    if ((mpa_octets_oddity(fs, header, MPA_LENGTH_LEN + n) > HEADER_ODD_MAX &&
         !only_control_odd(fs, header, MPA_LENGTH_LEN + n) && !only_reserved_odd(fs, header, MPA_LENGTH_LEN + n)) ||
        (!(ulpdu[0] & 0x80) && fpdu->ulpdu_length < DDP_UNTAGGED_HEADER_LEN)) {
        mpa_fail(mpa, side, RULE_MPA_3_01, fpdu->offset, end,
                 "expected a ULPDU of one DDP segment with its header; found a ULPDU of %u octets beginning with %02x "
                 "%02x %02x %02x",
                 fpdu->ulpdu_length, ulpdu[0], ulpdu[1], ulpdu[2], ulpdu[3]);
        return MPA_CONTENT_FOREIGN;
    }
    if (glued(fs, fpdu, &fixed)) {
        mpa_fail(mpa, side, RULE_MPA_3_01, fpdu->offset, end,
                 "expected one ULPDU of %u octets; found a ULPDU of %u octets: another DDP segment (%02x %02x) follows "
                 "it in the FPDU",
                 fixed, fpdu->ulpdu_length, ulpdu[fixed], ulpdu[fixed + 1]);
        return MPA_CONTENT_SEGMENTS;
    }
    verdict_passed(mpa->verdict, RULE_MPA_3_01);
    return MPA_CONTENT_SEGMENT;
}

enum mpa_content mpa_judge_content(struct mpa_connection *mpa, unsigned side, const struct mpa_fpdu *fpdu,
                                   enum mpa_crc_verdict crc)
{
    enum mpa_content as_it_seems =
        fpdu->ulpdu_length >= DDP_TAGGED_HEADER_LEN ? MPA_CONTENT_SEGMENT : MPA_CONTENT_UNKNOWN;

    if (crc == MPA_CRC_WRONG && mpa_crc_expected(mpa, side)) {
        /* Nothing in the FPDU can be trusted (6), so nothing more is reported; hosts may still want to look. */
        if (mpa_crc_of_zero_pad(fpdu))
            judge_pad(mpa, side, fpdu);
        return as_it_seems;
    }
    /* The bounds of the ULPDU are a guess that Markers, if there are any, may refute. */
    if (mpa->side[side].framing->doubtful && fpdu->crc != fpdu->crc_computed)
        return as_it_seems;
    if (!fpdu->cut)
        judge_pad(mpa, side, fpdu);
    if (fpdu->ulpdu_length > MPA_ULPDU_MAX)
        mpa_fail(mpa, side, RULE_MPA_3_05, fpdu->offset, fpdu->offset + fpdu->length,
                 "expected a ULPDU_Length of at most 64768; found ULPDU_Length %u", fpdu->ulpdu_length);
    else
        verdict_passed(mpa->verdict, RULE_MPA_3_05);
    return content_judge_ulpdu(mpa, side, fpdu);
}
