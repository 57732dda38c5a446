// SPDX-License-Identifier: GPL-2.0-or-later
/* Answers to startup frames: RFC 5044 sections 7.1.1, 7.1.2, 8, C, RFC 6581 sections 6 to 10. */
#include "traffic-gen/say/fault.h"
#include "traffic-gen/say/setups.h"
#include "wire/octets.h"

#include <string.h>

static const int64_t second = 1000000000;

/* ---- startup frames that are not as they should be ---- */

static void say_damaged_frame(struct conversation *c, enum role role, size_t at, uint8_t value, size_t cut)
{
    struct mpa_startup frame;
    uint8_t octets[MPA_STARTUP_HEADER_LEN + MPA_PRIVATE_DATA_MAX];

    startup_frame_init(c, role, &frame);

    size_t n = mpa_startup_encode(&frame, octets, sizeof octets);

    octets[at] = value;
    say_octets(c, role, octets, n - cut);
    c->framing[role].seq_start = n - cut;
}

static void say_damaged_key(struct conversation *c, enum role role)
{
    say_damaged_frame(c, role, 7, 'r', 0);
}

static void say_513_octets(struct conversation *c, enum role role)
{
    struct mpa_startup frame;
    uint8_t octets[MPA_STARTUP_HEADER_LEN + MPA_PRIVATE_DATA_MAX + 1];

    startup_frame_init(c, role, &frame);
    memset(octets, 'x', sizeof octets);
    mpa_startup_encode(&frame, octets, sizeof octets);
    put_be16(octets + 18, MPA_PRIVATE_DATA_MAX + 1);
    say_octets(c, role, octets, sizeof octets);
    c->framing[role].seq_start = sizeof octets;
}

static struct conversation *open_rev1(struct stage *stage)
{
    return conversation_new(stage, &setup_rev1);
}

static struct conversation *open_rejecting(struct stage *stage)
{
    struct conversation_setup setup = setup_rev1;

    setup.wish[RESPONDER].flags |= MPA_FLAG_R;
    return conversation_new(stage, &setup);
}

/* Nothing happens until `role` gives up. */
static void leave_open(struct conversation *c, enum role role, int64_t seconds)
{
    pause_before_next(c, seconds * second);
    say_close(c, role);
}

/* ---- key ---- */

static void play_bad_key_accepted(struct stage *stage)
{
    struct conversation *c = open_rev1(stage);

    say_damaged_key(c, INITIATOR);
    say_reply(c);
    say_close(c, INITIATOR);
}

static void play_bad_key_rejected(struct stage *stage)
{
    struct conversation *c = open_rejecting(stage);

    say_damaged_key(c, INITIATOR);
    say_reply(c);
    say_close(c, INITIATOR);
}

static void play_bad_key_left_open(struct stage *stage)
{
    struct conversation *c = open_rev1(stage);

    say_damaged_key(c, INITIATOR);
    leave_open(c, INITIATOR, 20);
}

static void play_bad_key_closed(struct stage *stage)
{
    struct conversation *c = open_rev1(stage);

    say_damaged_key(c, INITIATOR);
    say_close(c, RESPONDER);
}

static void play_bad_key_closed_late(struct stage *stage)
{
    struct conversation *c = open_rev1(stage);

    say_damaged_key(c, INITIATOR);
    leave_open(c, RESPONDER, 20);
}

static void play_bad_reply_key_accepted(struct stage *stage)
{
    struct conversation *c = open_rev1(stage);

    say_request(c);
    say_damaged_key(c, RESPONDER);
    say_send(c, INITIATOR, 24);
    say_close(c, RESPONDER);
}

static void play_bad_reply_key_closed(struct stage *stage)
{
    struct conversation *c = open_rev1(stage);

    say_request(c);
    say_damaged_key(c, RESPONDER);
    say_close(c, INITIATOR);
}

static struct conversation *with_two_requests(struct stage *stage)
{
    struct conversation *c = open_rev1(stage);
    struct mpa_startup frame;

    say_request(c);
    startup_frame_init(c, INITIATOR, &frame);
    c->early = true;
    say_startup_frame(c, RESPONDER, &frame);
    return c;
}

static void play_two_requests_left_open(struct stage *stage)
{
    struct conversation *c = with_two_requests(stage);

    say_nothing(c, INITIATOR, 20 * second);
    say_close(c, INITIATOR);
}

static void play_two_requests_closed(struct stage *stage)
{
    say_close(with_two_requests(stage), INITIATOR);
}

/* ---- flags and revision ---- */

static void play_flag(struct stage *stage, uint8_t flag, bool rejected)
{
    struct conversation_setup setup = setup_rev1;

    setup.wish[INITIATOR].flags |= flag;
    setup.wish[RESPONDER].flags |= rejected ? MPA_FLAG_R : 0;

    struct conversation *c = conversation_new(stage, &setup);

    say_startup(c);
    if (!rejected)
        say_traffic(c);
    say_close(c, INITIATOR);
}

static void play_r_rejected(struct stage *stage)
{
    play_flag(stage, MPA_FLAG_R, true);
}

static void play_r_accepted(struct stage *stage)
{
    play_flag(stage, MPA_FLAG_R, false);
}

static void play_res_rejected(struct stage *stage)
{
    play_flag(stage, 0x04, true);
}

static void play_res_accepted(struct stage *stage)
{
    play_flag(stage, 0x04, false);
}

static struct conversation *with_revision(struct stage *stage, uint8_t request, uint8_t reply)
{
    struct conversation_setup setup = setup_rev1;

    setup.wish[INITIATOR].revision = request;
    setup.wish[RESPONDER].revision = reply;

    struct conversation *c = conversation_new(stage, &setup);

    say_request(c);
    return c;
}

static void play_revision_ignored(struct stage *stage)
{
    struct conversation *c = with_revision(stage, 1, 7);

    say_reply(c);
    say_traffic(c);
    say_close(c, INITIATOR);
}

static void play_revision_left_open(struct stage *stage)
{
    leave_open(with_revision(stage, 7, 1), INITIATOR, 20);
}

static void play_revision_closed(struct stage *stage)
{
    say_close(with_revision(stage, 7, 1), RESPONDER);
}

static void play_rdmac_left_open(struct stage *stage)
{
    struct conversation_setup setup = setup_rev0;

    setup.wish[RESPONDER].revision = 1;

    struct conversation *c = conversation_new(stage, &setup);

    say_startup(c);
    leave_open(c, INITIATOR, 20);
}

static void play_enhanced_reply_to_revision_1(struct stage *stage, bool closed)
{
    struct conversation_setup setup = setup_rev1;

    setup.wish[RESPONDER] = setup_rev2.wish[RESPONDER];

    struct conversation *c = conversation_new(stage, &setup);

    say_startup(c);
    if (!closed)
        say_traffic(c);
    say_close(c, INITIATOR);
}

static void play_enhanced_reply_accepted(struct stage *stage)
{
    play_enhanced_reply_to_revision_1(stage, false);
}

static void play_enhanced_reply_refused(struct stage *stage)
{
    play_enhanced_reply_to_revision_1(stage, true);
}

/* ---- length ---- */

static struct conversation *with_private_data_cut_by_fin(struct stage *stage)
{
    struct conversation_setup setup = setup_rev1;

    setup.wish[INITIATOR].ulp_length = 16;

    struct conversation *c = conversation_new(stage, &setup);

    say_damaged_frame(c, INITIATOR, 0, 'M', 8);
    say_fin(c, INITIATOR);
    return c;
}

static void play_short_left_open(struct stage *stage)
{
    say_nothing(with_private_data_cut_by_fin(stage), RESPONDER, 20 * second);
}

static void play_short_closed(struct stage *stage)
{
    say_fin(with_private_data_cut_by_fin(stage), RESPONDER);
}

static void play_long_accepted(struct stage *stage)
{
    struct conversation *c = open_rev1(stage);

    say_513_octets(c, INITIATOR);
    say_reply(c);
    say_close(c, INITIATOR);
}

static void play_long_rejected(struct stage *stage)
{
    struct conversation *c = open_rejecting(stage);

    say_513_octets(c, INITIATOR);
    say_reply(c);
    say_close(c, INITIATOR);
}

static void play_long_left_open(struct stage *stage)
{
    struct conversation *c = open_rev1(stage);

    say_513_octets(c, INITIATOR);
    leave_open(c, INITIATOR, 20);
}

static void play_long_closed(struct stage *stage)
{
    struct conversation *c = open_rev1(stage);

    say_513_octets(c, INITIATOR);
    say_close(c, RESPONDER);
}

static void play_long_reply_left_open(struct stage *stage)
{
    struct conversation *c = open_rev1(stage);

    say_request(c);
    say_513_octets(c, RESPONDER);
    leave_open(c, RESPONDER, 20);
}

static void play_long_reply_closed(struct stage *stage)
{
    struct conversation *c = open_rev1(stage);

    say_request(c);
    say_513_octets(c, RESPONDER);
    say_close(c, INITIATOR);
}

static struct conversation *with_two_octets(struct stage *stage)
{
    struct conversation *c = conversation_new(stage, &setup_rev2);
    static const uint8_t data[2] = {0, 8};

    say_startup_frame(c, INITIATOR,
                      &(struct mpa_startup){.kind = MPA_REQUEST,
                                            .revision = 2,
                                            .flags = MPA_FLAG_C | MPA_FLAG_S,
                                            .pd_length = sizeof data,
                                            .ulp_data = data,
                                            .ulp_length = sizeof data});
    return c;
}

static void play_two_octets_accepted(struct stage *stage)
{
    struct conversation *c = with_two_octets(stage);

    say_reply(c);
    say_close(c, INITIATOR);
}

static void play_two_octets_closed(struct stage *stage)
{
    say_close(with_two_octets(stage), RESPONDER);
}

/* ---- silence ---- */

static void play_silent_responder(struct stage *stage)
{
    struct conversation *c = open_rev1(stage);

    say_request(c);
    leave_open(c, INITIATOR, 15);
}

/* The Initiator would wait for ever; the Responder ends it. */
static void play_patient_initiator(struct stage *stage)
{
    struct conversation *c = open_rev1(stage);

    say_request(c);
    leave_open(c, RESPONDER, 90);
}

/* ---- RFC 6581: IRD and ORD ---- */

static struct conversation *with_ord_above_ird(struct stage *stage)
{
    struct conversation_setup setup = setup_rev2;

    setup.wish[INITIATOR].enhanced.ird = 4;
    setup.wish[RESPONDER].enhanced.ord = 200;

    struct conversation *c = conversation_new(stage, &setup);

    say_startup(c);
    return c;
}

static void play_ird_bare_close(struct stage *stage)
{
    say_close(with_ord_above_ird(stage), INITIATOR);
}

static void play_ird_terminate(struct stage *stage)
{
    struct conversation *c = with_ord_above_ird(stage);

    say_terminate(c, INITIATOR, 0x2006);
    say_close(c, INITIATOR);
}

static void play_ird_terminate_left_open(struct stage *stage)
{
    struct conversation *c = with_ord_above_ird(stage);

    say_terminate(c, INITIATOR, 0x2006);
    leave_open(c, RESPONDER, 20);
}

static void play_ird_wrong_code(struct stage *stage)
{
    struct conversation *c = with_ord_above_ird(stage);

    say_terminate(c, INITIATOR, 0x2005);
    say_close(c, INITIATOR);
}

static void play_reads_refused(struct stage *stage, enum role asker)
{
    struct conversation_setup setup = setup_rev2;

    setup.wish[INITIATOR].enhanced = (struct mpa_enhanced){.ird = 4, .ord = 4};
    setup.wish[RESPONDER].enhanced = (struct mpa_enhanced){.ird = 4, .ord = 4};

    struct conversation *c = conversation_new(stage, &setup);

    say_startup(c);
    say_send(c, INITIATOR, 24);
    say_send(c, RESPONDER, 24);
    for (unsigned i = 0; i < 4; i++)
        say_read_request(c, asker, 100);

    enum role refuser = asker == INITIATOR ? RESPONDER : INITIATOR;
    struct ddp_segment last = {
        .last = true, .dv = 1, .rv = 1, .opcode = RDMAP_READ_REQUEST, .qn = DDP_QN_READ_REQUEST, .msn = 4};

    /* DDP, untagged buffer, no buffer available */
    say_terminate_about(c, refuser, 0x1202, &last, 46);
    say_close(c, refuser);
}

static void play_initiators_reads_refused(struct stage *stage)
{
    play_reads_refused(stage, INITIATOR);
}

static void play_responders_reads_refused(struct stage *stage)
{
    play_reads_refused(stage, RESPONDER);
}

/* ---- RFC 6581: RTR ---- */

static struct conversation *with_rtr_types(struct stage *stage, uint8_t offered, uint8_t supported)
{
    struct conversation_setup setup = setup_peer_to_peer(offered, supported);
    struct conversation *c = conversation_new(stage, &setup);

    say_startup(c);
    return c;
}

static void play_rtr_refused(struct stage *stage)
{
    struct conversation *c = with_rtr_types(stage, MPA_RTR_SEND, MPA_RTR_SEND);

    say_rtr(c, MPA_RTR_SEND);
    say_error_close(c, INITIATOR, 0x02FF); /* RDMAP, remote operation error, unspecified */
}

static void play_rtr_stag_refused(struct stage *stage)
{
    struct conversation *c = with_rtr_types(stage, MPA_RTR_WRITE, MPA_RTR_WRITE);

    say_rtr(c, MPA_RTR_WRITE);
    say_error_close(c, INITIATOR, 0x1100); /* DDP, tagged buffer, invalid STag */
}

static struct conversation *without_common_type(struct stage *stage)
{
    return with_rtr_types(stage, MPA_RTR_SEND, MPA_RTR_READ);
}

static void play_no_common_type_bare_close(struct stage *stage)
{
    say_close(without_common_type(stage), INITIATOR);
}

static void play_no_common_type_left_open(struct stage *stage)
{
    struct conversation *c = without_common_type(stage);

    say_terminate(c, INITIATOR, 0x2007);
    leave_open(c, RESPONDER, 20);
}

static void play_no_common_type_wrong_code(struct stage *stage)
{
    struct conversation *c = without_common_type(stage);

    say_terminate(c, INITIATOR, 0x2005);
    say_close(c, INITIATOR);
}

static void play_no_common_type_wrong_layer(struct stage *stage)
{
    struct conversation *c = without_common_type(stage);

    say_terminate(c, INITIATOR, 0x0207);
    say_close(c, INITIATOR);
}

static void play_types_without_a(struct stage *stage, bool rtr)
{
    struct conversation_setup setup = setup_peer_to_peer(MPA_RTR_WRITE, MPA_RTR_WRITE);

    setup.wish[RESPONDER].enhanced.peer_to_peer = false;

    struct conversation *c = conversation_new(stage, &setup);

    say_startup(c);
    if (rtr)
        say_rtr(c, MPA_RTR_WRITE);
    say_traffic(c);
    say_close(c, INITIATOR);
}

static void play_types_without_a_used(struct stage *stage)
{
    play_types_without_a(stage, true);
}

static void play_types_without_a_ignored(struct stage *stage)
{
    play_types_without_a(stage, false);
}

static struct conversation *with_contradiction(struct stage *stage)
{
    struct conversation_setup setup = setup_rev2;

    setup.wish[RESPONDER].enhanced.peer_to_peer = true;
    setup.wish[RESPONDER].enhanced.rtr = MPA_RTR_WRITE;

    struct conversation *c = conversation_new(stage, &setup);

    say_startup(c);
    return c;
}

static void play_contradiction_wrong_code(struct stage *stage)
{
    struct conversation *c = with_contradiction(stage);

    say_terminate(c, INITIATOR, 0x2006);
    say_close(c, INITIATOR);
}

static void play_contradiction_terminated(struct stage *stage)
{
    struct conversation *c = with_contradiction(stage);

    say_terminate(c, INITIATOR, 0x2005);
    say_close(c, INITIATOR);
}

static void play_unenhanced_reply(struct stage *stage, bool rtr)
{
    struct conversation_setup setup = setup_peer_to_peer(MPA_RTR_WRITE, 0);

    setup.wish[RESPONDER] = (struct startup_wish){.revision = 1, .flags = MPA_FLAG_C};

    struct conversation *c = conversation_new(stage, &setup);

    say_startup(c);
    if (rtr) {
        say_rtr(c, MPA_RTR_WRITE);
        say_send(c, INITIATOR, 24);
        say_send(c, RESPONDER, 24);
    }
    say_close(c, INITIATOR);
}

static void play_rtr_after_unenhanced_reply(struct stage *stage)
{
    play_unenhanced_reply(stage, true);
}

static void play_close_after_unenhanced_reply(struct stage *stage)
{
    play_unenhanced_reply(stage, false);
}

/* A stimulus answered wrongly, and properly. */
#define PAIR(id_, scenario_, also_, wrong_, play_wrong, right_, play_right)                                            \
    {.id = id_, .scenario = scenario_, .also = also_, .summary = wrong_, .play = play_wrong},                          \
    {                                                                                                                  \
        .id = id_ "+ok", .scenario = scenario_, .also = also_, .summary = right_, .play = play_right                   \
    }

static void with_private_data(struct conversation_setup *setup)
{
    setup->wish[INITIATOR].ulp_length = setup->wish[RESPONDER].ulp_length = 4;
}

static void four_octets_beyond(struct startup_write *w)
{
    g_byte_array_append(w->octets, (const guint8 *)"four", 4);
}

static const struct fault faults[] = {
    PAIR("MPA-7.1.1-02", "rev1", "MPA-7.1.1-01", "a Request with a damaged key is accepted", play_bad_key_accepted,
         "a Request with a damaged key is closed upon", play_bad_key_closed),
    PAIR("MPA-7.1.1-05", "rev1", "MPA-7.1.1-04", "an FPDU after a Reply with a damaged key",
         play_bad_reply_key_accepted, "a Reply with a damaged key is closed upon", play_bad_reply_key_closed),
    PAIR("MPA-7.1.1-19", "rev1", "MPA-7.1.1-18", "a Request with R = 1 is rejected", play_r_rejected,
         "a Request with R = 1 is accepted", play_r_accepted),
    PAIR("MPA-7.1.1-22", "rev1", "MPA-7.1.1-21", "a Request with a Res bit is rejected", play_res_rejected,
         "a Request with a Res bit is accepted", play_res_accepted),
    PAIR("MPA-7.1.1-24", "rev1", "MPA-7.1.1-23", "FPDUs after a Reply of revision 7", play_revision_ignored,
         "a Request of revision 7 is closed upon", play_revision_closed),
    PAIR("MPA-7.1.1-25", "rev1", "MPA-7.1.1-23", "a Request of revision 7, and nothing happens",
         play_revision_left_open, "a Request of revision 7 is closed upon", play_revision_closed),
    PAIR("MPA-7.1.1-30", "private-data", "MPA-7.1.1-28", "Private Data cut by FIN, and nothing happens",
         play_short_left_open, "Private Data cut by FIN, closed upon", play_short_closed),
    PAIR("MPA-7.1.1-31", "private-data", "MPA-7.1.1-34", "513 octets of Private Data are accepted", play_long_accepted,
         "513 octets of Private Data are closed upon", play_long_closed),
    PAIR("MPA-7.1.2-04", "rev1", "MPA-7.1.1-01", "a Request with a damaged key is rejected instead of closed upon",
         play_bad_key_rejected, "a Request with a damaged key is closed upon", play_bad_key_closed),
    {.id = "MPA-7.1.2-04/open",
     .scenario = "private-data",
     .also = "MPA-7.1.1-34",
     .summary = "513 octets of Private Data, and nothing happens",
     .play = play_long_left_open},
    {.id = "MPA-7.1.2-10",
     .scenario = "rev1",
     .summary = "no answer to a Request until the Initiator gives up",
     .play = play_silent_responder},
    PAIR("MPA-7.1.2-17", "private-data", "MPA-7.1.1-34", "Reply with 513 octets of Private Data, and nothing happens",
         play_long_reply_left_open, "Reply with 513 octets of Private Data is closed upon", play_long_reply_closed),
    PAIR("MPA-7.1.2-26", "rev1", "MPA-7.1.1-01", "a Request with a damaged key, and nothing happens",
         play_bad_key_left_open, "a Request with a damaged key is closed upon", play_bad_key_closed),
    PAIR("MPA-7.1.2-34", "rev1", "MPA-7.1.2-32", "two Initiators, and nothing happens", play_two_requests_left_open,
         "two Initiators part", play_two_requests_closed),
    PAIR("MPA-7.1.2-40", "private-data", "MPA-7.1.1-34", "513 octets of Private Data are rejected, not closed upon",
         play_long_rejected, "513 octets of Private Data are closed upon", play_long_closed),
    {.id = "MPA-7.1.2-41",
     .scenario = "rev1",
     .summary = "the Initiator waits for a Reply for more than a minute",
     .play = play_patient_initiator},
    {.id = "MPA-7.1.2-41+ok",
     .scenario = "rev1",
     .summary = "the Initiator gives up after a quarter of a minute",
     .also = "MPA-7.1.2-10",
     .play = play_silent_responder},
    PAIR("MPA-8-09", "rev1", "MPA-7.1.1-01", "a Request with a damaged key is closed upon after 20 seconds",
         play_bad_key_closed_late, "a Request with a damaged key is closed upon at once", play_bad_key_closed),
    {.id = "MPA-C.2.1-01",
     .scenario = "rdmac-refused",
     .summary = "Request of revision 0, Reply of revision 1, and nothing happens",
     .also = "MPA-C.2.5-01",
     .play = play_rdmac_left_open},
    PAIR("MPA2-6-09", "rev2", "MPA2-6-08", "a Request with S = 1 and two octets of Private Data is accepted",
         play_two_octets_accepted, "a Request with S = 1 and two octets of Private Data is closed upon",
         play_two_octets_closed),
    {.id = "MPA2-8-01",
     .scenario = "rtr-none",
     .summary = "no common RTR type: Terminate 02 07",
     .play = play_no_common_type_wrong_layer},
    {.id = "MPA2-9.1-03",
     .scenario = "reads-at-limit",
     .summary = "the Responder refuses the reads that its Reply allowed",
     .play = play_initiators_reads_refused},
    {.id = "MPA2-9.1-14",
     .scenario = "reads-at-limit",
     .summary = "the Initiator refuses the reads that the Reply announced",
     .play = play_responders_reads_refused},
    PAIR("MPA2-9.1-16", "rev2", "MPA2-9.1-10", "more ORD than can be served: closed without Terminate",
         play_ird_bare_close, "more ORD than can be served: Terminate 20 06", play_ird_terminate),
    PAIR("MPA2-9.1-17", "rev2", "MPA2-9.1-10", "Terminate 20 06, and the connection stays",
         play_ird_terminate_left_open, "Terminate 20 06 and close", play_ird_terminate),
    PAIR("MPA2-9.1-18", "rev2", "MPA2-9.1-10", "more ORD than can be served: Terminate 20 05", play_ird_wrong_code,
         "more ORD than can be served: Terminate 20 06", play_ird_terminate),
    {.id = "MPA2-9.2-05",
     .scenario = "rtr-send",
     .summary = "the Responder refuses the RTR that it had named",
     .play = play_rtr_refused},
    {.id = "MPA2-9.2-13",
     .scenario = "rtr-none",
     .summary = "no common RTR type: closed without Terminate",
     .play = play_no_common_type_bare_close},
    {.id = "MPA2-9.2-14",
     .scenario = "rtr-none",
     .summary = "no common RTR type: Terminate 20 07, and the connection stays",
     .play = play_no_common_type_left_open},
    {.id = "MPA2-9.2-15",
     .scenario = "rtr-none",
     .summary = "no common RTR type: Terminate 20 05",
     .play = play_no_common_type_wrong_code},
    PAIR("MPA2-9.2-20", "rev2", "MPA2-9.2-06", "RTR although the Reply has A = 0", play_types_without_a_used,
         "types without A in the Reply are ignored", play_types_without_a_ignored),
    {.id = "MPA2-9.2-26",
     .scenario = "rtr-write",
     .also = "DDP-5.2-16", /* which says the same of every zero-length message */
     .summary = "the Responder complains of the STag of an RTR Write",
     .play = play_rtr_stag_refused},
    PAIR("MPA2-9.3-04", "rev2", "MPA2-9.2-18", "Reply with A = 1 to A = 0: Terminate 20 06",
         play_contradiction_wrong_code, "Reply with A = 1 to A = 0: Terminate 20 05", play_contradiction_terminated),
    PAIR("MPA2-10-11", "rev2", "MPA2-10-01", "RTR after an unenhanced Reply", play_rtr_after_unenhanced_reply,
         "close after an unenhanced Reply", play_close_after_unenhanced_reply),
    PAIR("MPA2-10-12", "rev1", "MPA2-10-02", "FPDUs after an enhanced Reply to revision 1",
         play_enhanced_reply_accepted, "close after an enhanced Reply to revision 1", play_enhanced_reply_refused),
    {.id = "MPA-7.1.1-30/answered",
     .scenario = "private-data",
     .also = "MPA-7.1.1-28",
     .summary = "a Request with four octets more than PD_Length tells is accepted, and what follows it answered",
     .setup = with_private_data,
     .startup_octets = four_octets_beyond},
};

const struct fault_table startup_reaction_faults = {faults, sizeof faults / sizeof faults[0]};
