// SPDX-License-Identifier: GPL-2.0-or-later
/* Conforming conversations of RFC 5044: framing, negotiation, startup. */
#include "traffic-gen/scenario.h"
#include "traffic-gen/setups.h"

static struct conversation *converse(struct stage *stage, const struct conversation_setup *setup)
{
    struct conversation *c = conversation_new(stage, setup);

    say_startup(c);
    say_traffic(c);
    say_close(c, INITIATOR);
    return c;
}

/* A Write whose FPDU ends so that the grid point that comes next (or the one after) lies `before_end` octets from its
 * end. */
static void say_write_to_grid(struct conversation *c, enum role role, uint64_t before_end, unsigned pad)
{
    const struct mpa_framing *framing = &c->framing[role];
    uint64_t at = sim_written(c->tcp, c->side[role]);
    uint64_t header = mpa_next_marker(framing, at) == at ? at + MPA_MARKER_LEN : at;
    uint64_t grid = mpa_next_marker(framing, header), interior = 0;

    if (grid - header < 64) {
        grid += MPA_MARKER_PERIOD;
        interior = MPA_MARKER_LEN;
    }
    /* Between the header and the grid point lie ULPDU_Length, ULPDU, PAD, and what of the CRC comes before it. */
    say_write(c, role,
              (size_t)(grid - header - interior - MPA_LENGTH_LEN - (MPA_CRC_LEN - before_end) - pad) -
                  DDP_TAGGED_HEADER_LEN);
}

/*
 * Every place that a Marker can take: before an FPDU, inside the ULPDU, between ULPDU or PAD and CRC, right behind a
 * CRC, twice and more often in one FPDU.
 */
static void say_marker_walk(struct conversation *c, enum role role)
{
    static const uint16_t sizes[] = {996, 1388, 606, 0, 1, 2, 3, 4, 5, 6, 686, 1286, 16};

    for (unsigned pad = 0; pad < 4; pad++) {
        say_write_to_grid(c, role, MPA_CRC_LEN, pad); /* the Marker stands before the CRC */
        say_write(c, role, 40);
        say_write_to_grid(c, role, 0, 0); /* the FPDU ends on the grid: the next one begins with its Marker */
        say_write_to_grid(c, role, 0, 0); /* and so does this one, filling the period */
        for (unsigned i = 0; i < 12; i++)
            say_write(c, role, 28); /* several FPDUs between two Markers */
    }
    for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        say_write(c, role, sizes[i]);
}

static void play_marker_walk(struct stage *stage)
{
    struct conversation *c = conversation_new(stage, &setup_rev1_markers);

    say_startup(c);
    say_marker_walk(c, INITIATOR);
    say_marker_walk(c, RESPONDER);
    say_send(c, INITIATOR, 24);
    say_close(c, INITIATOR);
}

/* The first two FPDUs are those of RFC 5044 Figures 5 and 6. */
static void play_figures(struct stage *stage)
{
    struct conversation *c = conversation_new(stage, &setup_rev1_markers);
    static const uint8_t zero[24];
    struct ddp_segment segment = {.last = true, .dv = 1, .rv = 1, .opcode = RDMAP_SEND, .msn = 1};

    say_startup(c);
    say_segment(c, INITIATOR, &segment, zero, sizeof(zero));
    c->msn[INITIATOR][DDP_QN_SEND] = 1;
    say_write(c, INITIATOR, 422); /* ends at 0x1EC of the grid, where Figure 6 begins */
    segment.msn = 2;
    say_segment(c, INITIATOR, &segment, zero, sizeof(zero));
    c->msn[INITIATOR][DDP_QN_SEND] = 2;
    say_traffic(c);
    say_close(c, INITIATOR);
}

/* Nothing follows the last FPDU, which ends exactly on the grid: no Marker is due (4.3). */
static void play_ends_on_grid(struct stage *stage)
{
    struct conversation *c = conversation_new(stage, &setup_rev1_markers);

    say_startup(c);
    say_send(c, INITIATOR, 502 - DDP_UNTAGGED_HEADER_LEN);
    say_send(c, RESPONDER, 502 - DDP_UNTAGGED_HEADER_LEN);
    say_close(c, INITIATOR);
}

static void play_private_data(struct stage *stage)
{
    struct conversation_setup setup = setup_rev1;

    setup.wish[INITIATOR].ulp_length = MPA_PRIVATE_DATA_MAX;
    setup.wish[RESPONDER].ulp_length = MPA_PRIVATE_DATA_MAX;
    converse(stage, &setup);

    setup.wish[INITIATOR].ulp_length = 1;
    setup.wish[RESPONDER].ulp_length = 3;
    converse(stage, &setup);
}

static void play_streaming_first(struct stage *stage)
{
    static const char hello[] = "HELLO upper/1.0 rdma=yes\r\n", ok[] = "OK rdma\r\n", last[] = "GO\r\n";
    struct conversation *c = conversation_new(stage, &setup_rev1);

    say_streaming(c, INITIATOR, hello, sizeof(hello) - 1);
    say_streaming(c, RESPONDER, ok, sizeof(ok) - 1);
    say_streaming(c, INITIATOR, last, sizeof(last) - 1);
    say_startup(c);
    say_traffic(c);
    say_close(c, RESPONDER);
}

/* The Responder's last streaming words are what makes the Initiator begin, who accepted the TCP connection. */
static void play_streaming_responder_last(struct stage *stage)
{
    static const char hello[] = "HELLO\n", ok[] = "OK\n";
    struct conversation_setup setup = setup_rev1_markers;

    setup.responder_opens = true;

    struct conversation *c = conversation_new(stage, &setup);

    say_streaming(c, RESPONDER, hello, sizeof(hello) - 1);
    say_streaming(c, INITIATOR, ok, sizeof(ok) - 1);
    say_streaming(c, RESPONDER, ok, sizeof(ok) - 1);
    say_startup(c);
    say_traffic(c);
    say_close(c, INITIATOR);
}

/* Rejected, then a second attempt on a new TCP connection. */
static void play_reject(struct stage *stage)
{
    struct conversation_setup setup = setup_rev1;

    setup.wish[INITIATOR].ulp_length = 20;
    setup.wish[RESPONDER].flags |= MPA_FLAG_R;
    setup.wish[RESPONDER].ulp_length = 12;

    struct conversation *c = conversation_new(stage, &setup);

    say_startup(c);
    say_close(c, INITIATOR);

    struct conversation_setup again = setup_rev1;

    again.after = c->tcp;
    converse(stage, &again);
}

/* After the rejection the connection goes on in streaming mode (7.1.2 rule 3). */
static void play_reject_then_streaming(struct stage *stage)
{
    static const char words[] = "then without RDMA, in plain octets\r\n";
    struct conversation_setup setup = setup_rev1;

    setup.wish[RESPONDER].flags |= MPA_FLAG_R;

    struct conversation *c = conversation_new(stage, &setup);

    say_startup(c);
    say_streaming(c, INITIATOR, words, sizeof(words) - 1);
    say_streaming(c, RESPONDER, words, sizeof(words) - 1);
    say_close(c, INITIATOR);
}

/* The Responder's upper layer closes instead of answering: legal (7.1.3). */
static void play_no_reply_close(struct stage *stage)
{
    struct conversation *c = conversation_new(stage, &setup_rev1);

    say_request(c);
    say_close(c, RESPONDER);
}

static void play_half_close(struct stage *stage)
{
    struct conversation *c = conversation_new(stage, &setup_rev1);

    say_startup(c);
    say_send(c, INITIATOR, 100);
    say_fin(c, INITIATOR);
    say_write(c, RESPONDER, 5000);
    say_send(c, RESPONDER, 60);
    say_fin(c, RESPONDER);
}

/* The ends report an error of RDMAP by a Terminate; MPA has nothing to complain about. */
static void play_terminate(struct stage *stage)
{
    struct conversation *c = conversation_new(stage, &setup_rev1);

    say_startup(c);
    say_traffic(c);
    say_terminate(c, RESPONDER, 0x0000); /* RDMAP, local catastrophic error */
    say_close(c, RESPONDER);
}

/* Non-permissive ends part as Appendix C.2.1 and C.2.2 say. */
static void play_rdmac_refused(struct stage *stage)
{
    struct conversation_setup setup = setup_rev0;

    setup.wish[RESPONDER].revision = 1;

    struct conversation *c = conversation_new(stage, &setup);

    say_startup(c);
    say_close(c, RESPONDER);

    struct conversation_setup other = setup_rev0;

    other.wish[INITIATOR].revision = 1;
    c = conversation_new(stage, &other);
    say_startup(c);
    say_close(c, INITIATOR);
}

/* Nothing is said for a while, twice; then the conversation goes on. */
static void play_idle(struct stage *stage)
{
    struct conversation *c = conversation_new(stage, &setup_rev1);

    say_startup(c);
    say_send(c, INITIATOR, 10);
    say_send(c, RESPONDER, 10);
    pause_before_next(c, INT64_C(40000000000));
    say_send(c, INITIATOR, 11);
    pause_before_next(c, INT64_C(1000000000));
    say_send(c, RESPONDER, 12);
    say_close(c, RESPONDER);
}

/* ULPDUs up to the largest that section 3 allows, on a path that carries them in one segment. */
static void play_jumbo(struct stage *stage)
{
    struct conversation *c = conversation_new(stage, &setup_rev1);

    say_startup(c);
    say_write(c, INITIATOR, MPA_ULPDU_MAX - DDP_TAGGED_HEADER_LEN);
    say_send(c, RESPONDER, 10);
    say_write(c, INITIATOR, 20000);
    say_read(c, INITIATOR, 200000);
    say_close(c, INITIATOR);
}

/* A large ULPDU with more than a hundred Markers in it. */
static void play_jumbo_markers(struct stage *stage)
{
    struct conversation *c = conversation_new(stage, &setup_rev1_markers);

    say_startup(c);
    say_write(c, INITIATOR, 64000);
    say_send(c, RESPONDER, 10);
    say_read(c, INITIATOR, 100000);
    say_close(c, INITIATOR);
}

static const struct scenario scenarios[] = {
    {"marker-walk", "Markers at every place that they can take", play_marker_walk, 0, NULL, NULL},
    {"figures", "begins with the FPDUs of RFC 5044 Figures 5 and 6", play_figures, 0, NULL, NULL},
    {"ends-on-grid", "the last FPDU ends where a Marker would be due", play_ends_on_grid, 0, NULL, NULL},
    {"private-data", "512, 1 and 3 octets of Private Data", play_private_data, 0, NULL, NULL},
    {"streaming-first", "delayed startup after streaming data of both sides", play_streaming_first, 0, NULL, NULL},
    {"streaming-responder-last", "delayed startup, the Responder speaks last in streaming mode",
     play_streaming_responder_last, 0, NULL, NULL},
    {"reject", "rejected, then accepted on a new connection", play_reject, 0, NULL, NULL},
    {"reject-then-streaming", "rejected, then plain octets on the same connection", play_reject_then_streaming, 0, NULL,
     NULL},
    {"no-reply-close", "the Responder closes instead of replying", play_no_reply_close, 0, NULL, NULL},
    {"half-close", "the Responder goes on after the Initiator's FIN", play_half_close, 0, NULL, NULL},
    {"terminate", "ended by a Terminate of RDMAP", play_terminate, 0, NULL, NULL},
    {"rdmac-refused", "RDMAC and non-permissive IETF part without FPDUs", play_rdmac_refused, 0, NULL, NULL},
    {"idle", "long silences", play_idle, 0, NULL, NULL},
    {"jumbo", "ULPDUs up to 64768 octets", play_jumbo, 65535, NULL, NULL},
    {"jumbo-markers", "large ULPDUs with many Markers", play_jumbo_markers, 65535, NULL, NULL},
};

const struct scenario_table mpa_scenarios = {scenarios, sizeof(scenarios) / sizeof(scenarios[0])};
