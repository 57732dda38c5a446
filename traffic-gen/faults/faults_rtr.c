// SPDX-License-Identifier: GPL-2.0-or-later
/* RTR, outstanding reads, Terminates of the establishment, versions: RFC 6581 sections 5 to 9, RFC 5044 Appendix C. */
#include "traffic-gen/say/fault.h"
#include "traffic-gen/say/setups.h"
#include "wire/octets.h"

#include <string.h>

/* ---- versions ---- */

static void ddp_1_rdmap_0(struct fpdu_write *w)
{
    w->ulpdu[1] &= 0x3F;
}

/* ---- RTR ---- */

static struct conversation *begin(struct stage *stage, uint8_t offered, uint8_t supported)
{
    struct conversation_setup setup = setup_peer_to_peer(offered, supported);
    struct conversation *c = conversation_new(stage, &setup);

    say_startup(c);
    return c;
}

static void end(struct conversation *c)
{
    say_send(c, RESPONDER, 40);
    say_traffic(c);
    say_close(c, INITIATOR);
}

static void play_type_not_common(struct stage *stage)
{
    struct conversation *c = begin(stage, MPA_RTR_WRITE | MPA_RTR_READ, MPA_RTR_READ);

    say_rtr(c, MPA_RTR_WRITE);
    end(c);
}

static void play_send_before_rtr(struct stage *stage)
{
    struct conversation *c = begin(stage, RTR_ALL, RTR_ALL);

    say_send(c, INITIATOR, 24);
    say_rtr(c, MPA_RTR_WRITE);
    end(c);
}

static void play_empty_rtr(struct stage *stage)
{
    struct conversation *c = begin(stage, RTR_ALL, RTR_ALL);

    say_fpdu(c, INITIATOR, (const uint8_t *)"", 0);
    say_error_close(c, INITIATOR, 0x1000); /* DDP, local catastrophic: there is no header to echo */
}

static void play_send_with_payload(struct stage *stage)
{
    struct conversation *c = begin(stage, MPA_RTR_SEND, MPA_RTR_SEND);

    say_send(c, INITIATOR, 4);
    end(c);
}

static void play_write_with_payload(struct stage *stage)
{
    struct conversation *c = begin(stage, MPA_RTR_WRITE, MPA_RTR_WRITE);

    say_write(c, INITIATOR, 4);
    end(c);
}

static void play_read_with_size(struct stage *stage)
{
    struct conversation *c = begin(stage, MPA_RTR_READ, MPA_RTR_READ);

    say_read(c, INITIATOR, 8);
    end(c);
}

static void play_read_unanswered(struct stage *stage)
{
    struct conversation *c = begin(stage, MPA_RTR_READ, MPA_RTR_READ);

    say_read_request(c, INITIATOR, 0);
    say_send(c, RESPONDER, 40);
    say_send(c, INITIATOR, 24);
    say_close(c, INITIATOR);
}

static void play_msn_again(struct stage *stage)
{
    struct conversation *c = begin(stage, MPA_RTR_SEND, MPA_RTR_SEND);

    say_rtr(c, MPA_RTR_SEND);
    c->msn[INITIATOR][DDP_QN_SEND] = 0;
    say_send(c, INITIATOR, 24);
    say_error_close(c, INITIATOR, 0x1203); /* DDP, untagged buffer, MSN range */
}

static void play_read_without_ird(struct stage *stage)
{
    struct conversation_setup setup = setup_peer_to_peer(MPA_RTR_READ, MPA_RTR_READ);

    setup.wish[INITIATOR].enhanced.ord = 0;
    setup.wish[RESPONDER].enhanced.ird = 0;

    struct conversation *c = conversation_new(stage, &setup);

    say_startup(c);
    say_rtr(c, MPA_RTR_READ);
    say_send(c, RESPONDER, 40);
    say_send(c, INITIATOR, 40);
    say_close(c, INITIATOR);
}

/* ---- reads ---- */

static void play_too_many_reads(struct stage *stage, enum role asker)
{
    struct conversation_setup setup = setup_rev2;
    enum role answerer = asker == INITIATOR ? RESPONDER : INITIATOR;

    setup.wish[INITIATOR].enhanced = (struct mpa_enhanced){.ird = 1, .ord = 1};
    setup.wish[RESPONDER].enhanced = (struct mpa_enhanced){.ird = 1, .ord = 1};

    struct conversation *c = conversation_new(stage, &setup);

    say_startup(c);
    say_send(c, INITIATOR, 24);
    say_send(c, RESPONDER, 24);
    say_read_request(c, asker, 100);
    say_read_request(c, asker, 200);
    say_read_response(c, answerer, 100);
    say_read_response(c, answerer, 200);
    say_send(c, asker, 24);
    say_close(c, INITIATOR);
}

static void play_initiator_reads(struct stage *stage)
{
    play_too_many_reads(stage, INITIATOR);
}

static void play_responder_reads(struct stage *stage)
{
    play_too_many_reads(stage, RESPONDER);
}

/* ---- Terminates ---- */

static void play_terminate(struct stage *stage, const struct conversation_setup *setup, uint16_t terminate)
{
    struct conversation *c = conversation_new(stage, setup);

    say_startup(c);
    say_send(c, INITIATOR, 24);
    say_send(c, RESPONDER, 24);
    say_terminate(c, RESPONDER, terminate);
    say_close(c, RESPONDER);
}

static void play_code_9(struct stage *stage)
{
    play_terminate(stage, &setup_rev1, 0x2009);
}

static void play_code_6_on_revision_1(struct stage *stage)
{
    play_terminate(stage, &setup_rev1, 0x2006);
}

/* A Terminate 20 07 that carries the header of a segment, as Terminates of the upper layers do. */
static void play_terminate_with_header(struct stage *stage)
{
    struct conversation_setup setup = setup_peer_to_peer(MPA_RTR_SEND, MPA_RTR_READ);
    struct conversation *c = conversation_new(stage, &setup);
    struct ddp_segment about = {.last = true, .dv = 1, .rv = 1, .opcode = RDMAP_SEND, .msn = 1};

    say_startup(c);
    say_terminate_about(c, INITIATOR, 0x2007, &about, 22);
    say_close(c, INITIATOR);
}

static void play_version_by_direction(struct stage *stage)
{
    struct conversation *c = conversation_new(stage, &setup_rev1);

    say_startup(c);
    say_send(c, INITIATOR, 24);
    c->version = 0;
    say_send(c, RESPONDER, 24);
    c->version = 1;
    say_error_close(c, RESPONDER, 0x1206);
}

static void play_version_0_without_startup(struct stage *stage)
{
    struct conversation *c = conversation_new(stage, &setup_rev0);

    say_send(c, INITIATOR, 24);
    say_send(c, RESPONDER, 24);
    say_write(c, INITIATOR, 3000);
    say_send(c, INITIATOR, 24);
    say_close(c, INITIATOR);
}

static const struct fault faults[] = {
    {.id = "MPA-C.1-01",
     .scenario = "rev1",
     .summary = "DDP version 1 and RDMAP version 0 in one Send",
     .index = 2,
     .fpdu = ddp_1_rdmap_0,
     .aftermath = TERMINATED,
     .terminate = 0x0205}, /* RDMAP, remote operation error, invalid RDMAP version */
    {.id = "MPA-C.1-03",
     .scenario = "rev1",
     .summary = "version 1 to the Responder, version 0 to the Initiator",
     .play = play_version_by_direction},
    {.id = "MPA-C-01",
     .scenario = "rdmac",
     .summary = "FPDUs of version 0 without startup frames",
     .play = play_version_0_without_startup},
    {.id = "MPA2-1.1-01",
     .scenario = "rtr-choice",
     .summary = "an FPDU with ULPDU_Length 0 as RTR",
     .also = "MPA-3-07",
     .play = play_empty_rtr},
    {.id = "MPA2-5-02",
     .scenario = "rtr-choice",
     .summary = "a Send with data before the RTR",
     .play = play_send_before_rtr},
    {.id = "MPA2-9.1-15",
     .scenario = "reads-at-limit",
     .summary = "two Read Requests outstanding, Reply with IRD 1",
     .play = play_initiator_reads},
    {.id = "MPA2-9.1-15/atomics",
     .scenario = "reads-at-limit",
     .summary = "five Atomic Requests outstanding, Reply with IRD 4; the fifth is refused",
     .script = "with rev2 ird=4; I send; R send; I 5* fadd; R term 1/2/02"},
    {.id = "MPA2-9.1-28",
     .scenario = "reads-at-limit",
     .summary = "two Read Requests of the Responder outstanding, Reply with ORD 1",
     .play = play_responder_reads},
    {.id = "MPA2-9.2-12",
     .scenario = "rtr-choice",
     .summary = "RTR Write although only Read is common",
     .play = play_type_not_common},
    {.id = "MPA2-9.2-21",
     .scenario = "rtr-send",
     .summary = "RTR Send with four octets of payload",
     .play = play_send_with_payload},
    {.id = "MPA2-9.2-22",
     .scenario = "rtr-write",
     .summary = "RTR Write with four octets of payload",
     .play = play_write_with_payload},
    {.id = "MPA2-9.2-23", .scenario = "rtr-read", .summary = "RTR Read of eight octets", .play = play_read_with_size},
    {.id = "MPA2-9.2-24",
     .scenario = "rtr-read",
     .summary = "no Read Response to the RTR Read",
     .play = play_read_unanswered},
    {.id = "MPA2-9.2-27", .scenario = "rtr-send", .summary = "MSN 1 again after an RTR Send", .play = play_msn_again},
    {.id = "MPA2-9.2-28",
     .scenario = "rtr-read",
     .summary = "RTR Read although the Reply has IRD 0",
     .play = play_read_without_ird},
    {.id = "MPA2-9.2-28/refused",
     .scenario = "rtr-read",
     .summary = "RTR Read although the Reply has IRD 0, which is refused",
     .script = "with rev2 ordI=0 irdR=0 rtrI=4 rtrR=4; I read size=0; R term 1/2/02"},
    {.id = "MPA-8-16", .scenario = "terminate", .summary = "Terminate 20 09", .play = play_code_9},
    {.id = "MPA2-8-02",
     .scenario = "terminate",
     .summary = "Terminate 20 06 under revision 1",
     .play = play_code_6_on_revision_1},
    {.id = "MPA2-8-03",
     .scenario = "rtr-none",
     .summary = "Terminate 20 07 with a DDP header in it",
     .play = play_terminate_with_header},
};

const struct fault_table rtr_faults = {faults, sizeof faults / sizeof faults[0]};
