// SPDX-License-Identifier: GPL-2.0-or-later
/* Terminates: header, codes, header control bits, echoed headers (RFC 5040 section 4.8, RFC 5041 section 7.2). */
#include "tests/unit/support/rdmap_flow.h"

#include <stdio.h>

/* What the Initiator sends, and how its headers are echoed. */
#define SEND_HEADER     "4143 00000000 00000000 00000001 00000000"
#define SEND_ECHO       "0022" SEND_HEADER
#define WRITE_ECHO      "002e c140 11223344 0000000000001000"
#define READ_HEADER     "4141 00000000 00000001 00000001 00000000"
#define READ_REQUEST    "55667788 0000000000002000 00000040 11223344 0000000000003000"
#define READ_ECHO       "002e" READ_HEADER READ_REQUEST
#define INVALIDATE_ECHO "0022 4144 11223344 00000000 00000001 00000000"
#define ATOMIC_ECHO     "0046 414a 00000000 00000001 00000001 00000000"

enum what { NOTHING, SEND, WRITE, READ, INVALIDATE, ATOMIC, EMPTY_WRITE, EMPTY_READ, RSVD_SEND, WORD_SEND };

static const struct rdmap_read_request read_request = {0x55667788, 0x2000, 64, 0x11223344, 0x3000};
static const struct rdmap_atomic_request fetch_add = {
    .identifier = 7, .stag = 0x11223344, .to = 0x1000, .data = 1, .compare_mask = UINT64_MAX};

static void send_what(struct rdmap_flow *t, enum what what)
{
    struct ddp_segment segment = untagged_segment(RDMAP_SEND, 0, 1);
    struct rdmap_read_request empty = read_request;

    switch (what) {
    case NOTHING:
        break;
    case SEND:
        flow_segment(t, I, segment, NULL, 16);
        break;
    case WRITE:
        flow_write(t, I, 0x11223344, 0x1000, NULL, 32);
        break;
    case READ:
        flow_read_request(t, I, read_request);
        break;
    case INVALIDATE:
        segment.opcode = RDMAP_SEND_INVALIDATE;
        segment.stag = 0x11223344;
        flow_segment(t, I, segment, NULL, 16);
        break;
    case ATOMIC:
        flow_atomic(t, I, fetch_add);
        break;
    case EMPTY_WRITE:
        flow_write(t, I, 0x11223344, 0x1000, NULL, 0);
        break;
    case EMPTY_READ:
        empty.size = 0;
        flow_read_request(t, I, empty);
        break;
    case RSVD_SEND:
        segment.rsvd = 15;
        flow_segment(t, I, segment, NULL, 16);
        break;
    case WORD_SEND:
        segment.stag = 0x99;
        flow_segment(t, I, segment, NULL, 16);
        break;
    }
}

struct terminate_case {
    enum what what;
    const char *octets;   /* of the Terminate's payload */
    const char *findings; /* at the Terminate */
    const char *passed;
};

static void run(const struct terminate_case *cases, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct rdmap_flow *t = flow_new_reacting();
        uint8_t octets[256];
        char name[200];

        snprintf(name, sizeof name, "case %zu (%s)", i, cases[i].octets);
        send_what(t, cases[i].what);
        flow_terminate_octets(t, R, octets, octets_of(cases[i].octets, octets, sizeof octets));
        flow_close(t, R);
        findings_expect(&t->seen, R, cases[i].findings, name);
        findings_expect_passed(&t->seen, cases[i].passed ? cases[i].passed : "", name);
        flow_free(t);
    }
}

static void conforming(void **state)
{
    static const struct terminate_case cases[] = {
        {NOTHING, "00000000", "", "RDMAP-4.8-01 RDMAP-4.8-03 RDMAP-4.8-04 RDMAP-4.8-28 RDMAP-4.8-34 RDMAP-4.8-45"},
        {NOTHING, "00770000", "", "RDMAP-7.1-03"},
        {NOTHING, "00000000 [48]", "", "RDMAP-4.2-03"}, /* "set to zero" */
        {NOTHING, "20020000", "", "RDMAP-4.8-49"},
        {NOTHING, "20050000", "", NULL},
        {NOTHING, "10000000", "", "DDP-7.2-01 DDP-7.2-02"},
        {NOTHING, "02070000", "", NULL}, /* need not be about a segment */
        {NOTHING, "02ff0000", "", NULL},
        {SEND, "1202c000" SEND_ECHO, "",
         "RDMAP-4.8-02 RDMAP-4.8-25 RDMAP-4.8-26 RDMAP-4.8-30 RDMAP-4.8-31 RDMAP-4.8-32 RDMAP-4.8-33 RDMAP-4.8-35 "
         "RDMAP-4.8-48 DDP-7.2-15"},
        {SEND, "1205c000" SEND_ECHO, "", NULL},
        {SEND, "1000c000" SEND_ECHO, "", NULL}, /* Figure 10 */
        {WRITE, "1100c000" WRITE_ECHO, "", NULL},
        {WRITE, "0102c000" WRITE_ECHO, "", "RDMAP-4.8-46"}, /* RFC 5041 has no access rights code */
        {READ, "0100e000" READ_ECHO, "",
         "RDMAP-4.8-20 RDMAP-4.8-27 RDMAP-4.8-36 RDMAP-4.8-37 RDMAP-4.8-38 RDMAP-4.8-46"},
        {READ, "0207e000" READ_ECHO, "", NULL},                               /* 7.1(3) */
        {READ, "0207c000 002e" READ_HEADER, "", "RDMAP-4.8-21 RDMAP-4.8-47"}, /* Figure 10 */
        {INVALIDATE, "0109c000" INVALIDATE_ECHO, "", "RDMAP-4.8-12 RDMAP-4.8-50 RDMAP-7.2-04 RDMAP-7.2-05"},
        {INVALIDATE, "0209c000" INVALIDATE_ECHO, "", "RDMAP-4.8-12"},
        {ATOMIC, "0100c000" ATOMIC_ECHO, "", "RDMAPX-8.1-05"},
        {ATOMIC, "0206c000" ATOMIC_ECHO, "", NULL},
    };

    run(cases, ARRAY_LENGTH(cases));
}

static void codes(void **state)
{
    static const struct terminate_case cases[] = {
        {NOTHING, "50000000", "RDMAP-4.8-04", NULL},
        {NOTHING, "03000000", "RDMAP-4.8-03", NULL},
        {NOTHING, "21020000", "RDMAP-4.8-03", NULL},
        {READ, "0105e000" READ_ECHO, "RDMAP-4.8-20", NULL},
        {SEND, "0200c000" SEND_ECHO, "RDMAP-4.8-21", NULL},
        {SEND, "1200c000" SEND_ECHO, "DDP-7.2-01", NULL},
        {WRITE, "1105c000" WRITE_ECHO, "DDP-7.2-01", NULL},
        {NOTHING, "14000000", "DDP-7.2-01", NULL},
        {NOTHING, "10010000", "DDP-7.2-02", NULL},
        {NOTHING, "13000000", "DDP-7.2-14", NULL},
        {NOTHING, "20090000", "", NULL}, /* MPA-8-16 */
    };

    run(cases, ARRAY_LENGTH(cases));
}

static void parts(void **state)
{
    static const struct terminate_case cases[] = {
        {NOTHING, "0000", "RDMAP-4.8-01", NULL},
        {NOTHING, "", "RDMAP-4.8-01", NULL},
        {SEND, "1202c000" SEND_HEADER, "RDMAP-4.8-31", NULL}, /* no length field */
        {WRITE, "1100c000 c140 11223344 0000000000001000", "RDMAP-4.8-31", NULL},
        {READ, "0100e000" READ_HEADER READ_REQUEST, "RDMAP-4.8-31", NULL},
        {SEND, "1202c000", "RDMAP-4.8-31", NULL},
        {SEND, "1202c000 0022", "RDMAP-4.8-35", NULL},
        {SEND, "1202c000 0022 4143 00000000 00000000", "RDMAP-4.8-32", NULL},
        {READ, "0100e000 002e" READ_HEADER, "RDMAP-4.8-37", NULL},
        {READ, "0100e000 002e" READ_HEADER "55667788", "RDMAP-4.8-37", NULL},
        {SEND, "1202c000" SEND_ECHO "74657874", "RDMAP-4.2-03", NULL},
        {SEND, "1202c000" SEND_ECHO "[200]", "RDMAP-4.2-03", NULL},
        {NOTHING, "00000000 [20] 01020304", "RDMAP-7.1-03", NULL},
        {SEND, "1202d000" SEND_ECHO, "RDMAP-4.8-28", NULL},
        {NOTHING, "00000001", "RDMAP-4.8-28", NULL},
    };

    run(cases, ARRAY_LENGTH(cases));
}

/* Control words written from the wrong end: one finding, and the rest judged as meant. */
static void layouts(void **state)
{
    static const struct terminate_case cases[] = {
        {SEND, "21020300" SEND_ECHO, "RDMAP-4.8-02", "RDMAP-4.8-25 RDMAP-4.8-26 RDMAP-4.8-28 RDMAP-4.8-30"},
        {WRITE, "11000300" WRITE_ECHO, "RDMAP-4.8-02", NULL},
        {READ, "10010700" READ_ECHO, "RDMAP-4.8-02", "RDMAP-4.8-38"},
        {READ, "20070300 002e" READ_HEADER, "RDMAP-4.8-02", NULL},
        {SEND, "00c00212" SEND_ECHO, "RDMAP-4.8-02", NULL}, /* the word in little-endian order */
        {SEND, "48400300" SEND_ECHO, "RDMAP-4.8-02", NULL}, /* the bits of each octet reversed */
        {SEND, "2102c000" SEND_ECHO, "RDMAP-4.8-02", NULL}, /* nibbles swapped */
        {SEND, "12020300" SEND_ECHO, "RDMAP-4.8-02", NULL}, /* M, D, R at the wrong end */
        {SEND, "21020300 0010" SEND_HEADER, "RDMAP-4.8-02 RDMAP-4.8-30", NULL},
        /* Not proven: these are what they say. */
        {WRITE, "12000300" WRITE_ECHO, "DDP-7.2-01 RDMAP-4.2-03 RDMAP-4.8-28", NULL},
    };

    run(cases, ARRAY_LENGTH(cases));
}

/* One Terminate of a host with headers after it, then, in another connection, a word alone. */
static void learnt_layout(void **state)
{
    static const struct {
        uint8_t word[4];
        const char *ids;
    } words[] = {
        {{0x20, 0x06, 0, 0}, "RDMAP-4.8-02 RDMAP-4.8-26"}, /* 0/2/06, not 2/0/06 */
        {{0x02, 0x02, 0, 0}, "RDMAP-4.8-02"},              /* 2/0/02 */
        {{0x21, 0x06, 0, 0}, "RDMAP-4.8-02 RDMAP-4.8-26"}, /* 1/2/06 */
        {{0x00, 0x07, 0, 0}, ""},                          /* 0/0/07 in either way */
        {{0x11, 0x00, 0, 0}, "RDMAP-4.8-26"},              /* 1/1/00 in either way */
    };
    static const uint8_t after_headers[] = {0x21, 0x02, 0x03, 0x00, 0x00, 0x1A, 0x41, 0x43, 0, 0, 0, 0,
                                            0,    0,    0,    0,    0,    0,    0,    1,    0, 0, 0, 0};

    for (size_t i = 0; i < ARRAY_LENGTH(words); i++) {
        struct terminate_layouts layouts = {0};
        const struct terminate_host hosts[2] = {{&layouts, {.ip = 4, .address = {1}}},
                                                {&layouts, {.ip = 4, .address = {2}}}};
        struct rdmap_flow *t = flow_new_reacting();

        rdmap_connection_set_hosts(t->rdmap, hosts);
        flow_send(t, I, 8);
        flow_terminate_octets(t, R, after_headers, sizeof after_headers);
        flow_close(t, R);
        flow_expect(t, R, "RDMAP-4.8-02", "with headers");
        assert_int_equal(terminate_layouts_get(&hosts[I]), 0);
        assert_int_not_equal(terminate_layouts_get(&hosts[R]), 0);

        t = flow_new_reacting();
        rdmap_connection_set_hosts(t->rdmap, hosts);
        flow_send(t, I, 8);
        flow_terminate_octets(t, R, words[i].word, sizeof words[i].word);
        flow_close(t, R);
        flow_expect(t, R, words[i].ids, "alone");
    }
}

/* Without that it is read as written, except for the errors of MPA, for which there is no other evidence. */
static void word_alone(void **state)
{
    static const struct {
        uint8_t word[4];
        const char *ids;
    } words[] = {
        {{0x02, 0x02, 0, 0}, "RDMAP-4.8-02"},
        {{0x02, 0x03, 0, 0}, "RDMAP-4.8-02"},
        {{0x02, 0x04, 0, 0}, "RDMAP-4.8-21"},
        {{0x21, 0x06, 0, 0}, "RDMAP-4.8-03"},
        {{0x20, 0x02, 0, 0}, ""},
    };

    for (size_t i = 0; i < ARRAY_LENGTH(words); i++) {
        struct rdmap_flow *t = flow_new_reacting();

        flow_send(t, I, 8);
        flow_terminate_octets(t, R, words[i].word, sizeof words[i].word);
        flow_close(t, R);
        flow_expect(t, R, words[i].ids, "alone");
    }
}

static void header_bits(void **state)
{
    static const struct terminate_case cases[] = {
        {SEND, "12024000" SEND_ECHO, "RDMAP-4.8-25", NULL},
        {SEND, "12020000", "RDMAP-4.8-26", NULL},
        {SEND, "12028000 0022", "RDMAP-4.8-26", NULL},
        {READ, "01000000", "RDMAP-4.8-26", NULL},
        {READ, "0100c000 002e" READ_HEADER, "RDMAP-4.8-27", NULL},
        {READ, "01002000" READ_REQUEST, "RDMAP-4.8-27", NULL},
        {SEND, "02060000", "RDMAP-4.8-26", NULL}, /* a note */
        {SEND, "0000c000" SEND_ECHO, "RDMAP-4.8-34", NULL},
        {SEND, "00008000 0022", "RDMAP-4.8-45", NULL},
        {READ, "00002000" READ_REQUEST, "RDMAP-7.1-03", NULL},
        {SEND, "2002c000" SEND_ECHO, "RDMAP-4.8-49", NULL},
        {READ, "1203e000" READ_ECHO, "RDMAP-4.8-48", NULL},
        {SEND, "0207e000" SEND_ECHO READ_REQUEST, "RDMAP-4.8-47", NULL},
        {INVALIDATE, "0109e000" INVALIDATE_ECHO READ_REQUEST, "RDMAP-4.8-36", NULL}, /* a note */
        {ATOMIC, "0207e000" ATOMIC_ECHO READ_REQUEST, "RDMAPX-8.1-05", NULL},
    };

    run(cases, ARRAY_LENGTH(cases));
}

static void segment_at_fault(void **state)
{
    static const struct terminate_case cases[] = {
        {SEND, "1202c000 0022 4143 00000000 00000000 00000005 00000000", "RDMAP-4.8-33", NULL},
        {SEND, "1202c000 0010" SEND_HEADER, "RDMAP-4.8-30", NULL},
        {WRITE, "1201c000" WRITE_ECHO, "DDP-7.2-15", NULL},
        {SEND, "1100c000" SEND_ECHO, "DDP-7.2-15", NULL},
        {WRITE, "0100c000" WRITE_ECHO, "RDMAP-4.8-46", NULL},
        {SEND, "0101c000" SEND_ECHO, "RDMAP-4.8-46", NULL},
        {SEND, "0109c000" SEND_ECHO, "RDMAP-4.8-50", NULL},
        {SEND, "0209c000" SEND_ECHO, "RDMAP-4.8-50", NULL},
        {SEND, "0205c000" SEND_ECHO, "RDMAP-4.8-50", NULL},
        {SEND, "0206c000" SEND_ECHO, "RDMAP-4.8-50", NULL},
        {READ, "0104e000" READ_ECHO, "RDMAP-4.8-50", NULL},
        {WRITE, "1103c000" WRITE_ECHO, "DDP-7.2-16", NULL},
        {WRITE, "1104c000" WRITE_ECHO, "DDP-7.2-16", NULL},
        {SEND, "1201c000" SEND_ECHO, "DDP-7.2-16", NULL},
        {SEND, "1204c000" SEND_ECHO, "DDP-7.2-16", NULL},
        {SEND, "1206c000" SEND_ECHO, "DDP-7.2-16", NULL},
        {INVALIDATE, "0100c000" INVALIDATE_ECHO, "RDMAP-7.2-04", NULL},
        {INVALIDATE, "0103c000" INVALIDATE_ECHO, "RDMAP-7.2-05", NULL},
        {INVALIDATE, "0102c000" INVALIDATE_ECHO, "RDMAP-4.8-12", NULL},
        {READ, "0100e000 002e" READ_HEADER "55667788 0000000000002000 00000020 11223344 0000000000003000",
         "RDMAP-4.8-38", NULL},
        {EMPTY_WRITE, "1100c000 000e c140 11223344 0000000000001000", "DDP-5.2-16", NULL},
        {EMPTY_READ, "0100e000 002e" READ_HEADER "55667788 0000000000002000 00000000 11223344 0000000000003000",
         "RDMAP-5.2.1-17", NULL},
        {RSVD_SEND, "02ffc000 0022 7d43 00000000 00000000 00000001 00000000", "DDP-4.1-11", NULL},
        {RSVD_SEND, "1202c000 0022 7d43 00000000 00000000 00000001 00000000", "", NULL}, /* no buffer */
        {WORD_SEND, "0209c000 0022 4143 00000099 00000000 00000001 00000000", "RDMAP-4.1-30", NULL},
    };

    run(cases, ARRAY_LENGTH(cases));
}

/* A Read that breaks off after 32 of 64 octets. */
static void partly_answered(void **state)
{
    static const struct {
        struct rdmap_read_request echo;
        const char *findings, *passed;
    } cases[] = {
        {{0x55667788, 0x2020, 32, 0x11223344, 0x3020},
         "",
         "RDMAP-4.8-39 RDMAP-4.8-40 RDMAP-4.8-41 RDMAP-4.8-42 RDMAP-4.8-43"},
        {{0x55667788, 0x2030, 16, 0x11223344, 0x3030}, "", NULL}, /* made ready, not sent */
        {{0x55667789, 0x2020, 32, 0x11223344, 0x3020}, "RDMAP-4.8-39", NULL},
        {{0x55667788, 0x2000, 32, 0x11223344, 0x3020}, "RDMAP-4.8-40", NULL},
        {{0x55667788, 0x2000, 64, 0x11223344, 0x3000}, "RDMAP-4.8-40", NULL},
        {{0x55667788, 0x2020, 64, 0x11223344, 0x3020}, "RDMAP-4.8-41", NULL},
        {{0x55667788, 0x2020, 32, 0x11223345, 0x3020}, "RDMAP-4.8-42", NULL},
        {{0x55667788, 0x2020, 32, 0x11223344, 0x3000}, "RDMAP-4.8-43", NULL},
    };

    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct rdmap_flow *t = flow_new_reacting();
        struct rdmap_terminate terminate;
        char name[32];

        snprintf(name, sizeof name, "case %zu", i);
        flow_read_request(t, I, read_request);
        terminate = flow_blame(t->last[I], t->last_len[I], 0, 1, 1);
        terminate.read = cases[i].echo;
        flow_response(t, R, 0x55667788, 0x2000, 32, false);
        flow_terminate_as(t, R, terminate);
        flow_close(t, R);
        findings_expect(&t->seen, R, cases[i].findings, name);
        findings_expect_passed(&t->seen, cases[i].passed ? cases[i].passed : "", name);
        flow_free(t);
    }
}

/* What was not captured cannot be missed. */
static void context_lacking(void **state)
{
    struct rdmap_flow *t = flow_new_reacting();
    struct rdmap_terminate terminate;

    flow_send(t, I, 16);
    terminate = flow_blame(t->last[I], t->last_len[I], 1, 2, 2);
    flow_hole(t, I, 100);
    flow_send(t, I, 16);
    terminate.ddp.msn = 3;
    flow_terminate_as(t, R, terminate);
    flow_close(t, R);
    flow_expect(t, R, "", "hole");

    /* The sender of the Terminate had received more than the capture has shown so far. */
    t = flow_new_reacting();
    flow_send(t, I, 16);
    terminate = flow_blame(t->last[I], t->last_len[I], 1, 2, 2);
    terminate.ddp.msn = 2;
    {
        uint8_t payload[RDMAP_TERMINATE_LEN_MAX];
        size_t n = rdmap_terminate_encode(&terminate, payload, sizeof payload);

        flow_segment_acked(t, R, untagged_segment(RDMAP_TERMINATE, 2, 1), payload, n, t->end[I] + 100);
    }
    flow_close(t, R);
    flow_expect(t, R, "", "ahead");

    /* The capture begins after all that the other side had sent. */
    t = flow_new_reacting();
    rdmap_connection_parameters(t->rdmap, MPA_PHASE_FULL_OPERATION,
                                &(struct mpa_parameters){.initiator_side = -1, .midstream = true, .crc = ON});
    t->end[I] = 0;
    terminate.ddp.msn = 1;
    flow_terminate_as(t, R, terminate);
    flow_close(t, R);
    flow_expect(t, R, "", "late");
}

/* Two Writes with one header and different lengths: either may be meant. */
static void same_header_twice(void **state)
{
    struct rdmap_flow *t = flow_new_reacting();
    struct rdmap_terminate terminate;

    flow_write(t, I, 0x11223344, 0x1000, NULL, 32);
    terminate = flow_blame(t->last[I], t->last_len[I], 1, 1, 1);
    flow_write(t, I, 0x11223344, 0x1000, NULL, 64);
    flow_terminate_as(t, R, terminate);
    flow_close(t, R);
    flow_expect(t, R, "+RDMAP-4.8-30", "same header");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conforming),
        cmocka_unit_test(codes),
        cmocka_unit_test(parts),
        cmocka_unit_test(layouts),
        cmocka_unit_test(learnt_layout),
        cmocka_unit_test(word_alone),
        cmocka_unit_test(header_bits),
        cmocka_unit_test(segment_at_fault),
        cmocka_unit_test(partly_answered),
        cmocka_unit_test(context_lacking),
        cmocka_unit_test(same_header_twice),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
