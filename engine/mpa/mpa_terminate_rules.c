// SPDX-License-Identifier: GPL-2.0-or-later
/* Terminate messages about MPA (layer 2, error type 0): RFC 5044 section 8, RFC 6581 section 8. */
#include "engine/mpa/mpa_reaction.h"
#include "engine/mpa/mpa_startup_state.h"
#include "engine/terminate/terminate_layout.h"

enum {
    TERMINATE_MPA = 0x20, /* layer 2 (LLP), error type 0 (MPA) */
    TERMINATE_CONTROL_LEN = 4,
    CODE_LAST_OF_5044 = 4,
    CODE_CATASTROPHIC = 5,
    CODE_LAST_OF_6581 = 7,
};

/* Codes 5 to 7 belong to the establishment of an enhanced connection. False when there is no such establishment. */
static bool judge_moment(struct mpa_connection *mpa, unsigned side, const struct mpa_fpdu_event *event, uint8_t code)
{
    struct verdict *v = mpa->verdict;
    bool initiator = initiator_of(mpa) == (int)side;

    if (!mpa->parameters.startup_seen || mpa->side[side].hole) {
        verdict_inconclusive(v, RULE_MPA2_8_02, LOST_OR(WHY_LATE), event->place.frame);
        return true;
    }
    if (!mpa->parameters.enhanced) {
        verdict_failed(
            v, RULE_MPA2_8_02, event->direction, &event->place, 0,
            "expected an MPA error code 1 to 4 on a connection without enhanced setup; found MPA error code %u", code);
        return false;
    }
    if (event->number == 0 && (initiator || code == CODE_CATASTROPHIC))
        verdict_passed(v, RULE_MPA2_8_02);
    else if (code == CODE_CATASTROPHIC) /* section 8 does not say how long this code may be used */
        verdict_inconclusive(v, RULE_MPA2_8_02, WHY_OPEN, event->place.frame);
    else
        verdict_failed(v, RULE_MPA2_8_02, event->direction, &event->place, 0,
                       "expected MPA error code %u only in the first FPDU of the Initiator; found that MPA error code "
                       "in FPDU %llu of the %s",
                       code, (unsigned long long)event->number + 1, initiator ? "Initiator" : "Responder");
    return true;
}

void mpa_judge_terminate(struct mpa_connection *mpa, unsigned side, const struct mpa_fpdu_event *event)
{
    const struct ddp_segment *ddp = &event->ddp;
    const uint8_t *control = ddp->payload;
    struct rdmap_terminate terminate;
    enum rdmap_terminate_status status;
    uint8_t code;

    if (mpa->reaction->terminated[side]) /* RDMAP-5.4-06 */
        return;
    if (ddp->payload_len < TERMINATE_CONTROL_LEN || ddp->lacking > 0 || control[0] != TERMINATE_MPA)
        return;
    /* A control word with a wrong layout only seems to be about MPA: RDMAP-4.8-02. */
    status = rdmap_terminate_decode(&terminate, ddp->payload, ddp->payload_len);
    if (rdmap_terminate_reread(&terminate, &status, ddp->payload, ddp->payload_len, &mpa->host[side]))
        return;
    code = control[1];
    if (code < 1 || code > CODE_LAST_OF_6581) {
        verdict_failed(mpa->verdict, RULE_MPA_8_16, event->direction, &event->place, 0,
                       "expected an MPA error code from 1 to 7; found MPA error code %u (%02x %02x %02x %02x)", code,
                       control[0], control[1], control[2], control[3]);
        return;
    }
    verdict_passed(mpa->verdict, RULE_MPA_8_16);
    if (code <= CODE_LAST_OF_5044)
        return;
    if (!judge_moment(mpa, side, event, code))
        return; /* the meaning of the code, and hence its layout, is undefined here */
    if (ddp->payload_len == TERMINATE_CONTROL_LEN && control[2] == 0 && control[3] == 0 && ddp->last && ddp->msn == 1 &&
        ddp->mo == 0)
        verdict_passed(mpa->verdict, RULE_MPA2_8_03);
    else
        verdict_failed(mpa->verdict, RULE_MPA2_8_03, event->direction, &event->place, 0,
                       "expected a Terminate of 22 octets with 20 %02x 00 00, Last = 1, MSN 1 and MO 0; found a "
                       "Terminate of %u octets with %02x %02x %02x %02x, Last = %u, MSN %u and MO %u",
                       code, event->fpdu.ulpdu_length, control[0], control[1], control[2], control[3], ddp->last,
                       ddp->msn, ddp->mo);
}
