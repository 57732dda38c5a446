// SPDX-License-Identifier: GPL-2.0-or-later
/* Mutants for suite mpa. */
#include "traffic-gen/test/misbehave.h"

static void without_crc(struct qp_options *options)
{
    options->mpa.crc = false;
}

static bool pad_is_zero(const struct mpa_fpdu *fpdu)
{
    for (unsigned i = 0; i < fpdu->pad_length; i++) {
        if (fpdu->pad[i] != 0)
            return false;
    }
    return true;
}

static int refuse_pad(void *ctx, const struct mpa_fpdu *fpdu, int error)
{
    (void)ctx;
    return error == MPA_END_RIGHT && !pad_is_zero(fpdu) ? MPA_END_BAD_CRC : error;
}

static int forgive_pad(void *ctx, const struct mpa_fpdu *fpdu, int error)
{
    (void)ctx;
    return error == MPA_END_BAD_CRC && !pad_is_zero(fpdu) ? MPA_END_RIGHT : error;
}

static int check_unused_crc(void *ctx, const struct mpa_fpdu *fpdu, int error)
{
    struct mutant *mutant = ctx;

    return mutant->seen++ > 0 && fpdu->crc != fpdu->crc_computed && fpdu->crc_computed != 0 ? MPA_END_BAD_CRC : error;
}

static int forgive_crc(void *ctx, const struct mpa_fpdu *fpdu, int error)
{
    (void)ctx;
    return error == MPA_END_BAD_CRC && pad_is_zero(fpdu) ? MPA_END_RIGHT : error;
}

const struct misbehaviour misbehave_mpa[] = {
    {.id = "MPA-4.1-06",
     .roles = DUT_ANY,
     .what = "takes a PAD that is not zero for an error",
     .mpa.judge_fpdu = refuse_pad},
    {.id = "MPA-4.1-07",
     .roles = DUT_ANY,
     .what = "computes the CRC over a PAD of zero",
     .mpa.judge_fpdu = forgive_pad},
    {.id = "MPA-4.1-11",
     .roles = DUT_ANY,
     .what = "checks CRCs that are not in use",
     .options = without_crc,
     .mpa.judge_fpdu = check_unused_crc},
    {.id = "MPA-8-02/crc", .roles = DUT_ANY, .what = "ignores wrong CRCs", .mpa.judge_fpdu = forgive_crc},
    {0},
};
