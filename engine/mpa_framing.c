// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/mpa_framing.h"

#include <stdlib.h>

bool mpa_framing_begin(struct mpa_connection *mpa, unsigned side, uint64_t at)
{
    struct mpa_side *s = &mpa->side[side];

    if (s->framing == NULL)
        s->framing = calloc(1, sizeof *s->framing);
    if (mpa->scratch == NULL)
        mpa->scratch = malloc(sizeof *mpa->scratch);
    if (s->framing == NULL || mpa->scratch == NULL)
        return false;
    s->framing->start = at;
    s->framing->framing = (struct mpa_framing){.markers = mpa->parameters.markers[side] == ON, .seq_start = at};
    s->cursor = at;
    s->state = SIDE_FPDUS;
    return true;
}

static void emit(struct mpa_connection *mpa, unsigned side, const struct mpa_fpdu *fpdu)
{
    struct mpa_side *s = &mpa->side[side];
    struct mpa_fpdu_event event = {
        .fpdu = *fpdu,
        .place = mpa_place(mpa, side, fpdu->offset, fpdu->offset + fpdu->length),
        .direction = direction_of(mpa, side),
        .crc = mpa->parameters.crc == ON    ? fpdu->crc == fpdu->crc_computed ? MPA_CRC_VERIFIED : MPA_CRC_WRONG
               : mpa->parameters.crc == OFF ? MPA_CRC_NOT_USED
                                            : MPA_CRC_UNKNOWN,
        .number = s->fpdus,
    };

    event.has_ddp = ddp_segment_decode(&event.ddp, fpdu->ulpdu, fpdu->ulpdu_length);
    if (s->fpdus++ == 0) {
        s->first_fpdu = event.place;
        s->first_fpdu_end = fpdu->offset + fpdu->length;
        s->first_fpdu_bad = event.crc == MPA_CRC_WRONG;
    }
    s->fpdu_octets += fpdu->length;
    s->good_crcs += event.crc == MPA_CRC_VERIFIED;
    s->bad_crcs += event.crc == MPA_CRC_WRONG;
    if (mpa->events.fpdu != NULL)
        mpa->events.fpdu(mpa->events.ctx, &event);
    mpa_order_fpdu(mpa, side, &event);
    mpa_judge_fpdu_content(mpa, side, &event);
    mpa_reaction_fpdu(mpa, side, &event);
    mpa_tcp_fpdu(mpa, side, &event);
}

void mpa_framing_octets(struct mpa_connection *mpa, unsigned side)
{
    struct mpa_side *s = &mpa->side[side];
    struct mpa_fpdu fpdu;
    size_t need;

    while (mpa_window_end(&s->window) > s->cursor &&
           mpa_fpdu_parse(&fpdu, &need, &s->framing->framing, true, s->cursor, mpa_window_at(&s->window, s->cursor),
                          (size_t)(mpa_window_end(&s->window) - s->cursor), mpa->scratch) == MPA_FPDU_OK) {
        emit(mpa, side, &fpdu);
        s->cursor += fpdu.length;
    }
    mpa_window_drop(&s->window, s->cursor);
}

void mpa_framing_hole(struct mpa_connection *mpa, unsigned side, uint64_t from, uint64_t to)
{
    mpa_skipped(mpa, side, from, to, "octets missing in the capture");
    mpa_ignore(mpa, side);
}

void mpa_framing_end(struct mpa_connection *mpa, unsigned side, bool fin)
{
    (void)mpa, (void)side, (void)fin;
}

void mpa_framing_free(struct mpa_side *side)
{
    free(side->framing);
    side->framing = NULL;
}
