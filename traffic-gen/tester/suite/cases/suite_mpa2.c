// SPDX-License-Identifier: GPL-2.0-or-later
/* Suite mpa2: the enhanced connection setup of RFC 6581. */
#include "traffic-gen/tester/suite/cases/suite_mpa2.h"
#include "traffic-gen/tester/suite/expect/expect.h"

#include <string.h>

/* ---- IRD and ORD ---- */

/* As many Reads at once as the device says it serves. */
void mpa2_all_reads(struct talk *talk, const struct suite_case *row)
{
    const struct talk_wish wish = {ENHANCED};
    unsigned reads, answered = 0;

    (void)row;
    if (!talk_start(talk, &wish))
        return;
    /* The Reply is binding: its IRD is the Responder's, its ORD limits the Responder's Reads (section 9.1). */
    reads = talk_is_initiator(talk) ? talk_frame(talk, false)->enhanced.ird : talk_frame(talk, true)->enhanced.ord;
    if (reads == 0 || reads == MPA_IRD_ORD_NOT_NEGOTIATED) {
        talk_not_applicable(talk, "no number of Reads was negotiated");
        return;
    }
    reads = MIN(reads, 128);
    talk_say(talk, "cork; %u* read; uncork", reads);
    while (answered < reads && talk_hear_opcode(talk, RDMAP_READ_RESPONSE))
        answered++;
    if (answered == reads)
        talk_passed(talk, "all of %u simultaneous Reads were answered", reads);
    else if (talk_usable_sign(talk) == SIGN_READ &&
             (talk_last(talk)->is_terminate || talk_last(talk)->what == TALK_SILENCE))
        talk_failed(talk, "only %u of %u simultaneous Reads were answered, then %s", answered, reads, talk_found(talk));
    else
        talk_inconclusive(talk, "only %u of %u simultaneous Reads were answered, then %s", answered, reads,
                          talk_found(talk));
}

/* ---- RTR ---- */

/* A = 0, which talk_start() would not accept when a case needs peer-to-peer mode. */
static bool start_without_model(struct talk *talk)
{
    const struct talk_wish wish = {CLIENT_SERVER};
    const struct mpa_startup *reply;

    if (!talk_open(talk) || !talk_send_frame(talk, &wish) || !(reply = talk_hear_frame(talk)) ||
        reply->flags & MPA_FLAG_R)
        return false;
    talk_begin_operation(talk);
    return talk_first_fpdu(talk);
}

/* The comparison for an odd RTR is the usual RTR; for the usual RTR it is a start-up without peer-to-peer mode. */
static bool say_rtr(struct talk *talk, const struct suite_case *row, bool odd)
{
    return odd || strpbrk(row->says, "([") ? row_say(talk, row, odd) : start_without_model(talk);
}

/* An RTR Read is answered as any other Read is. */
static enum life rtr_life(struct talk *talk, const struct suite_case *row)
{
    enum life life = LIFE_ANSWERS;

    if (strstr(row->says, "rtr-read") && talk_reads(talk) && talk_frame(talk, true)->enhanced.peer_to_peer)
        life = life_await(talk, SIGN_READ, talk_t_react(talk));
    /* A device that answers the RTR only when it receives more has accepted it: MPA2-9.2-25 is about such a delay. */
    return life == LIFE_ANSWERS || life == LIFE_MUTE ? life_probe(talk) : life;
}

void mpa2_takes_rtr(struct talk *talk, const struct suite_case *row)
{
    expect_taken(talk, row, say_rtr, rtr_life);
}

/* The types among these that the device accepts when each is offered alone. */
static uint8_t types_alone(struct talk *talk, uint8_t types)
{
    uint8_t known = 0;

    for (unsigned type = MPA_RTR_SEND; type <= MPA_RTR_READ; type <<= 1) {
        const struct talk_wish wish = {PEER_TO_PEER((uint8_t)type)};

        if (types & type && talk_start(talk, &wish) && life_probe(talk) == LIFE_ANSWERS)
            known |= (uint8_t)type;
    }
    return known;
}

/* The offered types that the Reply names; false: verdict is set. */
static bool names(struct talk *talk, uint8_t offered, uint8_t *named)
{
    const struct talk_wish wish = {PEER_TO_PEER(offered)};

    if (!talk_start(talk, &wish))
        return false;
    *named = talk_frame(talk, false)->enhanced.rtr;
    return true;
}

/* No verdict is a failure: section 9.2 does not require a Responder to name all types that it supports. */
void mpa2_names_all_rtr(struct talk *talk, const struct suite_case *row)
{
    uint8_t named, known;

    (void)row;
    if (!names(talk, ALL_RTR, &named) || needs_question(talk) == SIGN_TCP)
        return;
    known = types_alone(talk, (uint8_t)(ALL_RTR & ~named));
    if (known)
        talk_inconclusive(talk, "offered alone, types %u (B 1, C 2, D 4) work; offered all, the Reply names %u", known,
                          named);
    else
        talk_passed(talk, "offered all types, the Reply names %u (B 1, C 2, D 4); others do not work alone either",
                    named);
}

void mpa2_names_some_rtr(struct talk *talk, const struct suite_case *row)
{
    const uint8_t both = MPA_RTR_WRITE | MPA_RTR_READ;
    const struct talk_wish wish = {PEER_TO_PEER(both), .wait_only = true};
    uint8_t named, known;

    (void)row;
    if (!names(talk, ALL_RTR, &named) || needs_question(talk) == SIGN_TCP)
        return;
    known = types_alone(talk, named & both);
    if (known == 0) {
        talk_not_applicable(talk, "the device accepts neither RTR Writes nor RTR Reads");
        return;
    }
    if (!talk_start(talk, &wish))
        return;
    named = talk_frame(talk, false)->enhanced.rtr;
    if ((named & both) == 0)
        talk_failed(talk, "offered alone, types %u (C 2, D 4) work; offered both, the Reply names %u", known, named);
    else
        talk_passed(talk, "offered alone, types %u (C 2, D 4) work; offered both, the Reply names %u", known, named);
}

#define BITS_WITHOUT_MODEL "mpa.a=0 mpa.rtr=7"

/* All bits except D: the zero-length Read that follows, which needs no memory of the device, has none of these types.
 */
#define BITS_WITHOUT_READ "mpa.a=0 mpa.rtr=3"

/* A = 0, but the bits are set; then a first FPDU that is not an RTR of these types. */
static bool say_bits(struct talk *talk, const struct suite_case *row, bool odd)
{
    const struct talk_wish wish = {CLIENT_SERVER, .frame = odd ? BITS_WITHOUT_READ : NULL, .wait_only = true};

    if (!expect_start_oddly(talk, &wish))
        return false;
    if (!talk_frame(talk, false) || !talk_is_open(talk))
        return true;
    return row_say_rest(talk, row, odd);
}

void mpa2_ignores_bits(struct talk *talk, const struct suite_case *row)
{
    const struct talk_wish wish = {ENHANCED, .frame = BITS_WITHOUT_MODEL, .wait_only = true};
    const struct talk_heard *heard;

    if (talk_is_initiator(talk)) {
        expect_taken(talk, row, say_bits, NULL);
        return;
    }
    if (!talk_start(talk, &wish))
        return;
    if (talk_frame(talk, false)->enhanced.peer_to_peer) {
        talk_not_applicable(talk, "the device's Request is for peer-to-peer mode");
        return;
    }
    heard = talk_hear(talk, talk_t_close(talk));
    if (heard->what != TALK_FPDU || heard->is_terminate || !heard->has_ddp)
        talk_inconclusive(talk, "expected the device to continue; found %s", talk_describe(talk, heard));
    else if (heard->ddp.payload_len == 0 && heard->ddp.opcode != RDMAP_READ_RESPONSE)
        talk_failed(talk, "expected no peer-to-peer mode; the device begins with %s", talk_describe(talk, heard));
    else
        talk_passed(talk, "%s", talk_describe(talk, heard));
}

/* ---- together with RFC 5044 ---- */

/* A device that speaks revision 2 still accepts revision 1. */
void mpa2_old_request(struct talk *talk, const struct suite_case *row)
{
    static const uint8_t nothing[1];
    const struct talk_wish enhanced = {ENHANCED};
    const struct talk_wish with = {.revision = 1}, without = {.revision = 1, .private_data = nothing};

    if (!talk_start(talk, &enhanced))
        return;
    if (talk_start(talk, row->variant == WITH_DATA ? &with : &without)) {
        talk_passed(talk, "%s", "a Request of revision 1 is accepted too");
        return;
    }
    if (talk_frame(talk, false) && talk_frame(talk, false)->flags & MPA_FLAG_R)
        talk_inconclusive(talk, "rejected, as the ULP may do: %s", talk_found(talk));
    else if (talk_last(talk)->what == TALK_FIN || talk_last(talk)->what == TALK_RESET)
        talk_failed(talk, "expected a Request of revision 1 accepted as an enhanced one is; found %s",
                    talk_found(talk));
}

/* A Read that is not answered, after others that were answered. */
static void judge_old_read(struct talk *talk, unsigned others)
{
    const struct talk_heard *heard = talk_last(talk);

    if (heard->is_terminate && others == 0)
        talk_inconclusive(
            talk, "the first Read is refused: %s; revision 1 leaves it to the layers above whether there are any",
            talk_describe(talk, heard));
    else
        talk_failed(talk, "expected a Read answered as on an enhanced connection; found %s after %u that were",
                    talk_describe(talk, heard), others);
}

/*
 * Reads, one at a time, because revision 1 does not say how many may be open at once. The ULPs agree whether Reads are
 * served at all (RFC 5040 section 6.1), so the first Read may be refused.
 */
void mpa2_old_reads(struct talk *talk, const struct suite_case *row)
{
    enum { TIMES = 3 };
    const struct talk_wish enhanced = {ENHANCED}, old = {.revision = 1};

    if (!talk_start(talk, &enhanced) || !talk_needs_reads(talk))
        return;
    if (!talk_start(talk, &old))
        return; /* others are about that */
    for (unsigned i = 0; i < TIMES; i++) {
        if (!row_say_rest(talk, row, true))
            return;
        if (!talk_hear_opcode(talk, RDMAP_READ_RESPONSE)) {
            judge_old_read(talk, i);
            return;
        }
    }
    talk_passed(talk, "%u Reads were answered, one after the other", (unsigned)TIMES);
}

/* Impossible or implausible values: each is answered or refused, and the device is still alive afterwards. */
void mpa2_odd_values(struct talk *talk, const struct suite_case *row)
{
    static const struct mpa_enhanced odd[] = {
        {.ird = 0, .ord = 0, .peer_to_peer = true, .rtr = MPA_RTR_READ},
        {.ird = 0x3FFE, .ord = 0x3FFE},
        {.ird = 0x3FFF, .ord = 0x3FFF},
        {.ird = 1, .ord = 0x3FFF, .peer_to_peer = true, .rtr = ALL_RTR},
        {.peer_to_peer = true, .rtr = 0, .ird = 4, .ord = 4},
    };

    (void)row;
    if (!talk_start(talk, &(struct talk_wish){ENHANCED}))
        return; /* it does not answer usual Requests either */
    for (unsigned i = 0; i < G_N_ELEMENTS(odd); i++) {
        const struct talk_wish wish = {ENHANCED, .data = odd[i]};
        const struct mpa_startup *reply;

        if (!talk_open(talk))
            return;
        talk_send_frame(talk, &wish);
        reply = talk_hear_frame(talk);
        if (!reply && talk_is_open(talk)) {
            talk_failed(talk, "expected a Reply or a close after a Request with A%d IRD %u ORD %u; found neither",
                        odd[i].peer_to_peer, odd[i].ird, odd[i].ord);
            return;
        }
        if (reply && !(reply->flags & MPA_FLAG_R) && reply->has_enhanced && odd[i].ird != 0x3FFF &&
            reply->enhanced.ord != 0x3FFF && reply->enhanced.ord > odd[i].ird) {
            talk_failed(talk, "expected an ORD of at most the Request's IRD; found ORD %u for IRD %u",
                        reply->enhanced.ord, odd[i].ird);
            return;
        }
    }
    if (talk_start(talk, &(struct talk_wish){ENHANCED}))
        talk_passed(talk, "each unusual Request was answered or refused, and a usual one was accepted afterwards");
    else
        talk_failed(talk, "expected a usual Request accepted after unusual ones; found %s", talk_found(talk));
}
