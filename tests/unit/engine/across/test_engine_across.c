// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rules across connections: records in, outcomes of the rules out. Each test is a pair of short connections.
 * rules/rpcrdma.cases and rules/nfs.cases have whole conversations.
 */
#include "engine/across/across.h"
#include "engine/across/across_lookups.h"
#include "tests/unit/support/support.h"
#include "wire/nfs.h"
#include "wire/rpcbind.h"

#include <stdlib.h>

enum { CLIENT = 0, SERVER = 1, FIRST = 1, SECOND = 1000 };

struct trace {
    struct rpcrdma_across *across;
    struct verdict verdict;
    struct rule_counts counts;
    struct finding last;
    unsigned excused;
};

static void on_finding(void *ctx, const struct finding *finding)
{
    struct trace *t = ctx;

    t->last = *finding;
}

static void on_excuse(void *ctx, enum rule_id rule, const struct place *place)
{
    struct trace *t = ctx;

    assert_true(rule == RULE_RPCR_4_5_12 || rule == RULE_RPCR_4_01);
    assert_true(place->frame > SECOND);
    t->excused++;
}

static void begin(struct trace *t)
{
    rpcrdma_across_free(t->across);
    memset(t, 0, sizeof *t);
    t->across = rpcrdma_across_new();
    assert_non_null(t->across);
    t->verdict = (struct verdict){.counts = &t->counts, .finding = on_finding, .ctx = t};
}

static void end(struct trace *t)
{
    rpcrdma_across_free(t->across);
}

/* A test on the trace `t`, which may begin again. */
#define TRACE(test) UNIT_TEST_ON(test, struct trace, t, begin, end)

static struct place at(unsigned side, uint32_t frame)
{
    return (struct place){.frame = frame,
                          .first_frame = frame,
                          .time_ns = (int64_t)frame * 1000000,
                          .offset = frame,
                          .side = (uint8_t)side};
}

/* A connection of client 1 and server 2 that begins with `frame`; host: the last octet of the client's address. */
static struct rpcrdma_across_record *connection_of(uint8_t host, uint32_t frame, unsigned n)
{
    struct rpcrdma_across_record *record = calloc(1, sizeof *record);

    assert_non_null(record);
    record->client = CLIENT;
    record->initiator_side = CLIENT;
    record->whole = true;
    record->endpoint[CLIENT] = (struct endpoint){.ip = 4, .address = {192, 0, 2, host}, .port = (uint16_t)frame};
    record->endpoint[SERVER] = (struct endpoint){.ip = 4, .address = {192, 0, 2, 2}, .port = 20049};
    record->start_ns = (int64_t)frame * 1000000;
    record->end_ns = record->start_ns + 100000000;
    record->calls = calloc(n + 1, sizeof *record->calls);
    record->n_calls = n;
    for (unsigned i = 0; i < n; i++)
        record->calls[i] = (struct rpcrdma_across_call){.xid = 7 + i,
                                                        .side = CLIENT,
                                                        .received = true,
                                                        .request_known = true,
                                                        .program = NFS_PROGRAM,
                                                        .version = 4,
                                                        .procedure = 1,
                                                        .hash = 99 + i,
                                                        .call = at(CLIENT, frame + 2 + i),
                                                        .answer = at(SERVER, frame + 10 + i)};
    return record;
}

static struct rpcrdma_across_record *connection(uint32_t frame, unsigned n)
{
    return connection_of(1, frame, n);
}

static bool add(struct trace *t, struct rpcrdma_across_record *record)
{
    const struct ulp_across_host host = {.verdict = &t->verdict, .excuse = on_excuse, .ctx = t};

    return rpcrdma_across_add(t->across, record, &host);
}

static void conclude(struct trace *t, const struct rpcrdma_across_record *record, int64_t now_ns)
{
    const struct ulp_across_host host = {.verdict = &t->verdict, .excuse = on_excuse, .ctx = t};

    rpcrdma_across_conclude(t->across, record, now_ns, &host);
}

static void expect(const struct trace *t, enum rule_id rule, unsigned passed, unsigned failed, unsigned inconclusive)
{
    assert_int_equal(rule_counts_of(&t->counts, rule).passed, passed);
    assert_int_equal(rule_counts_of(&t->counts, rule).failed, failed);
    assert_int_equal(rule_counts_of(&t->counts, rule).inconclusive, inconclusive);
}

/* ---- RDMA_ERROR settles a Call ---- */

static struct rpcrdma_across_record *failed(bool received)
{
    struct rpcrdma_across_record *record = connection(FIRST, 1);

    record->calls[0].outcome = RPCRDMA_FAILED;
    record->calls[0].received = received;
    return record;
}

static struct rpcrdma_across_record *refused(uint32_t frame)
{
    struct rpcrdma_across_record *record = connection(frame, 1);

    record->calls[0].refused = true;
    record->refusal = true;
    record->refused_by = CLIENT;
    record->cause = RDMA_REFUSED_MEMORY;
    record->refusal_place = at(CLIENT, frame + 20);
    return record;
}

/* Overlapping connections: the client had not seen the error, or the refusal, when it repeated the Call. */
TRACE(again_before_the_error)
{
    add(t, failed(true));
    add(t, connection(FIRST + 5, 1)); /* the Call in frame 8, the error in frame 11 */
    expect(t, RULE_NFSULB_6_7_2_02, 0, 0, 1);

    begin(t);
    add(t, refused(FIRST));
    add(t, connection(FIRST + 5, 1));
    expect(t, RULE_RPCR_3_4_3_03, 0, 0, 0);
}

TRACE(what_is_another_call)
{
    struct rpcrdma_across_record *second;

    for (unsigned how = 0; how < 6; how++) {
        begin(t);
        add(t, failed(true));
        second = how == 5 ? connection_of(3, SECOND, 1) : connection(SECOND, 1);
        switch (how) {
        case 0:
            second->calls[0].xid = 8;
            break;
        case 1:
            second->calls[0].hash = 1;
            break;
        case 2:
            second->calls[0].request_known = false;
            break;
        case 3:
            second->calls[0].reverse = true;
            break;
        case 4:
            second->calls[0].call.time_ns = 0; /* it is the earlier one */
            break;
        default: /* another client */
            break;
        }
        add(t, second);
        assert_int_equal(rule_counts_of(&t->counts, RULE_NFSULB_6_7_2_02).failed, 0);
    }
}

/* ---- slots and credits of a session ---- */

static struct rpcrdma_across_record *in_slot(uint32_t frame, struct rpcrdma_slot_use use)
{
    struct rpcrdma_across_record *record = connection(frame, 1);

    record->calls[0].use = use;
    record->calls[0].hash = frame; /* SEQUENCE's arguments, too, tell requests apart */
    return record;
}

TRACE(slots_of_requests_that_are_sent_again)
{
    static const struct rpcrdma_slot_use lost = {
        .known = true, .slot = 3, .sequence = 7, .session = 11, .arguments = 99};
    static const struct {
        struct rpcrdma_slot_use use;
        uint32_t xid;
        unsigned passed, failed, inconclusive;
    } cases[] = {
        {{true, false, false, 3, 7, 11, 99, 0}, 7, 1, 0, 0}, /* the same */
        {{true, false, false, 3, 7, 11, 98, 0}, 8, 0, 1, 0}, /* another request */
        {{true, false, false, 3, 7, 11, 98, 0}, 7, 0, 1, 0}, /* under its XID */
        {{true, true, false, 3, 7, 11, 98, 0}, 8, 0, 0, 1},  /* a SEQUENCE alone */
        {{true, false, false, 3, 8, 11, 98, 0}, 8, 0, 0, 0}, /* the next one in its slot */
        {{true, false, false, 3, 8, 11, 99, 0}, 7, 0, 1, 0}, /* the same, with another sequence */
        {{true, false, false, 2, 7, 11, 99, 0}, 7, 0, 1, 0}, /* in another slot */
        {{true, false, false, 2, 7, 11, 99, 0}, 8, 0, 0, 0}, /* an equal one in another slot */
        {{true, false, false, 3, 7, 12, 98, 0}, 7, 0, 0, 0}, /* in another session */
        {{0}, 7, 0, 0, 0},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct rpcrdma_across_record *second = in_slot(SECOND, cases[i].use);

        begin(t);
        second->calls[0].xid = cases[i].xid;
        add(t, in_slot(FIRST, lost));
        add(t, second);
        expect(t, RULE_NFS41_2_10_6_2_02, cases[i].passed, cases[i].failed, cases[i].inconclusive);
    }
    for (unsigned how = 0; how < 3; how++) {
        struct rpcrdma_across_record *first = in_slot(FIRST, lost), *second = in_slot(SECOND, cases[1].use);

        begin(t);
        second->calls[0].xid = 8;
        if (how == 0)
            first->calls[0].outcome = RPCRDMA_REPLIED;
        else if (how == 1)
            first->calls[0].damaged = true;
        else
            second->whole = false;
        add(t, first);
        add(t, second);
        expect(t, RULE_NFS41_2_10_6_2_02, 0, 0, how == 2);
    }
}

/* ---- callbacks ---- */

static struct rpcrdma_across_record *killed(uint32_t frame, bool callbacks)
{
    struct rpcrdma_across_record *record = connection(frame, 0);

    record->callback_at_end = true;
    record->callback = at(SERVER, frame + 9);
    record->callbacks = callbacks;
    record->reset[CLIENT] = true;
    return record;
}

TRACE(connections_that_callbacks_end)
{
    add(t, killed(FIRST, false));
    add(t, killed(SECOND, false));
    expect(t, RULE_BIDI_6_04, 0, 0, 0);
    add(t, killed(2 * SECOND, false));
    expect(t, RULE_BIDI_6_04, 0, 1, 0);
    add(t, killed(3 * SECOND, false)); /* reported once */
    expect(t, RULE_BIDI_6_04, 0, 1, 0);
    add(t, connection(4 * SECOND, 1));
    expect(t, RULE_BIDI_6_04, 1, 1, 0);

    begin(t); /* a client that took one is prepared */
    add(t, killed(FIRST, true));
    for (unsigned i = 1; i <= 3; i++)
        add(t, killed(i * SECOND, false));
    expect(t, RULE_BIDI_6_04, 0, 0, 0);

    for (unsigned one_end = 0; one_end < 2; one_end++) { /* a FIN leaves the other direction open, a DREQ does not */
        begin(t);
        for (unsigned i = 1; i <= 3; i++) {
            struct rpcrdma_across_record *record = killed(i * SECOND, false);

            record->reset[CLIENT] = false;
            record->fin[CLIENT] = true;
            record->one_end = one_end;
            add(t, record);
        }
        expect(t, RULE_BIDI_6_04, 0, one_end, 0);
    }
}

/* ---- delegations ---- */

TRACE(delegations_at_the_end)
{
    const int64_t second = 1000000000;
    struct rpcrdma_across_record *record;

    for (unsigned how = 0; how < 5; how++) {
        begin(t);
        record = connection(FIRST, 1);
        record->delegated = true;
        record->delegations = how != 1;
        record->fin[CLIENT] = how != 2; /* the server closed */
        record->fin[SERVER] = how == 2;
        record->end[CLIENT] = at(CLIENT, FIRST + 30);
        record->end[SERVER] = at(SERVER, FIRST + 31);
        add(t, record);
        if (how == 3)
            add(t, connection(SECOND, 1));
        conclude(t, record, how == 4 ? 60 * second : 100 * second);
        expect(t, RULE_BIDI_5_4_04, how == 1 || how == 3, how == 0, how == 2 || how == 4);
    }
}

/* ---- bounds ---- */

TRACE(old_ones_are_forgotten)
{
    struct rpcrdma_across_record *nobody = connection(FIRST, 1);

    nobody->client = -1;
    assert_false(add(t, nobody));
    add(t, failed(true));
    for (unsigned i = 1; i <= RPCRDMA_ACROSS_RECORDS_MAX; i++)
        add(t, connection(FIRST + 1, 0));
    rpcrdma_across_trim(t->across);
    add(t, connection(SECOND, 1));
    expect(t, RULE_NFSULB_6_7_2_02, 0, 0, 0);
}

/* Lookups of many other clients make room before the pair with too many records is trimmed. */
TRACE(a_pair_with_excess_is_forgotten)
{
    const struct endpoint server = {.ip = 4, .address = {192, 0, 2, 2}};
    const struct rpcbind_lookup lookup = {.version = 2};

    for (unsigned i = 0; i <= RPCRDMA_ACROSS_RECORDS_MAX; i++)
        add(t, connection(FIRST + i, 0));
    for (unsigned i = 0; i < RPCRDMA_ACROSS_PAIRS_MAX; i++) {
        const struct endpoint client = {.ip = 4, .address = {10, 0, (uint8_t)(i >> 8), (uint8_t)i}};
        const struct lookup_place place = {&client, &server, false, FIRST + i, 0};

        rpcrdma_across_lookup(t->across, &place, RPCBIND_UNREADABLE, &lookup);
    }
    rpcrdma_across_trim(t->across);
    add(t, connection(SECOND, 1));
}

/* ---- lookups ---- */

/* Between a client and rpcbind; on TCP a mark precedes the message in w, which has room for it. */
static void exchange(struct trace *t, uint8_t host, uint32_t frame, bool tcp, bool answer, struct xdr_writer *w)
{
    const struct endpoint client = {.ip = 4, .address = {192, 0, 2, host}, .port = 1022};
    const struct endpoint server = {.ip = 4, .address = {192, 0, 2, 2}, .port = RPCBIND_PORT};
    struct addressed_segment segment = {
        .source = answer ? server : client,
        .destination = answer ? client : server,
        .segment = {.frame = frame, .time_ns = (int64_t)frame * 1000000, .payload = w->p}};

    assert_false(w->failed);
    if (tcp)
        put_be32(w->p, 0x80000000 | (uint32_t)(w->at - RPCBIND_MARK_LEN));
    segment.segment.length = segment.segment.captured = (uint32_t)w->at;
    rpcrdma_across_rpcbind(t->across, &segment, tcp);
}

/* The client asks its server; in Calls on UDP or, with a mark before them, on TCP. */
static void ask(struct trace *t, uint8_t host, uint32_t frame, bool tcp, const struct rpcbind_lookup *lookup)
{
    uint8_t p[100];
    struct xdr_writer w = {.p = p, .size = sizeof p, .at = tcp ? RPCBIND_MARK_LEN : 0};

    rpcbind_encode(lookup, lookup->xid ? lookup->xid : frame, &w);
    exchange(t, host, frame, tcp, false, &w);
}

static struct rpcbind_lookup of_program(uint32_t version, uint32_t procedure, uint32_t program_version,
                                        const char *netid)
{
    return (struct rpcbind_lookup){.version = version,
                                   .procedure = procedure,
                                   .program = NFS_PROGRAM,
                                   .program_version = program_version,
                                   .protocol = 6,
                                   .netid = (const uint8_t *)netid,
                                   .netid_len = (uint32_t)strlen(netid)};
}

TRACE(what_was_asked)
{
    static const struct {
        uint32_t version, procedure, program_version;
        const char *netid;
        unsigned passed, failed, inconclusive;
    } cases[] = {
        {4, 3, 4, "rdma", 0, 1, 0},  {3, 3, 4, "rdma6", 0, 1, 0}, {4, 9, 4, "rdma", 0, 1, 0},
        {4, 11, 4, "rdma", 0, 1, 0}, {4, 3, 3, "rdma", 1, 0, 0},  {4, 6, 4, "", 1, 0, 0},
        {2, 3, 3, "", 1, 0, 0},      {4, 3, 4, "tcp", 0, 0, 1},   {2, 3, 4, "", 0, 0, 1},
        {2, 4, 4, "", 0, 0, 1},      {4, 4, 4, "", 0, 0, 1},
    };

    for (size_t i = 0; i < 2 * ARRAY_LENGTH(cases); i++) {
        const size_t at = i / 2;
        struct rpcbind_lookup lookup =
            of_program(cases[at].version, cases[at].procedure, cases[at].program_version, cases[at].netid);

        begin(t);
        ask(t, 1, FIRST, i & 1, &lookup);
        assert_true(add(t, connection(SECOND, 2)));
        expect(t, RULE_NFSULB_6_3_02, cases[at].passed, cases[at].failed, cases[at].inconclusive);
        if (cases[at].failed) {
            assert_int_equal(t->last.place.frame, SECOND + 2);
            assert_int_equal(t->last.related_frame, FIRST);
        }
        /* Settled: the client connects again without asking. */
        assert_true(add(t, connection(SECOND + 500, 1)));
        expect(t, RULE_NFSULB_6_3_02, cases[at].passed + 1, cases[at].failed, cases[at].inconclusive);
    }
}

TRACE(who_asked_and_when)
{
    const struct rpcbind_lookup lookup = of_program(4, 3, 4, "rdma");
    struct rpcrdma_across_record *record;

    /* rpcbind is not in the capture */
    assert_true(add(t, connection(SECOND, 1)));
    expect(t, RULE_NFSULB_6_3_02, 0, 0, 0);
    ask(t, 9, SECOND + 1, false, &lookup); /* another client */
    assert_true(add(t, connection(SECOND + 100, 1)));
    expect(t, RULE_NFSULB_6_3_02, 0, 0, 0);
    ask(t, 1, SECOND + 300, false, &lookup); /* after this connection began */
    assert_true(add(t, connection(SECOND + 200, 1)));
    expect(t, RULE_NFSULB_6_3_02, 1, 0, 0);
    record = connection(SECOND + 400, 1); /* irrelevant for NFSv3; the questions stay */
    record->calls[0].version = 3;
    assert_true(add(t, record));
    expect(t, RULE_NFSULB_6_3_02, 1, 0, 0);
    record = connection(SECOND + 500, 1); /* began before the capture */
    record->whole = false;
    assert_true(add(t, record));
    expect(t, RULE_NFSULB_6_3_02, 1, 0, 1);
    ask(t, 1, SECOND + 600, true, &lookup); /* long ago */
    assert_true(add(t, connection(SECOND + 600 + 121000, 1)));
    expect(t, RULE_NFSULB_6_3_02, 1, 0, 2);
}

/* For any number of questions only so many are kept; and it is known that there were more. */
TRACE(asked_without_end)
{
    const struct rpcbind_lookup dump = of_program(4, 4, 0, ""), lookup = of_program(4, 3, 4, "rdma");

    for (uint32_t i = 0; i < 1000; i++)
        ask(t, 1, 2000 + i, false, i == 0 ? &lookup : &dump);
    assert_true(add(t, connection(FIRST, 1)));
    expect(t, RULE_NFSULB_6_3_02, 0, 0, 1);
    assert_true(add(t, connection(5000, 1)));
    expect(t, RULE_NFSULB_6_3_02, 0, 0, 2);
    for (uint32_t i = 0; i < 3u * RPCRDMA_ACROSS_PAIRS_MAX; i++) {
        struct addressed_segment segment = {
            .source = {.ip = 4, .address = {10, (uint8_t)(i >> 16), (uint8_t)(i >> 8), (uint8_t)i}},
            .destination = {.ip = 4, .address = {192, 0, 2, 2}, .port = RPCBIND_PORT},
            .segment = {.frame = 6000 + i, .length = 1}};

        rpcrdma_across_rpcbind(t->across, &segment, true);
    }
}

/* ---- MOUNT, NLM and NSM over TCP ---- */

enum { ASKED = 500, ANSWERED = 501, XID = 77 };

static void answer(struct trace *t, uint8_t host, uint32_t frame, bool tcp, uint32_t xid, const char *address,
                   uint32_t port)
{
    const struct rpc_message reply = {.xid = xid};
    uint8_t p[100];
    struct xdr_writer w = {.p = p, .size = sizeof p, .at = tcp ? RPCBIND_MARK_LEN : 0};

    rpc_reply_encode(&reply, NULL, &w);
    if (address)
        xdr_put_opaque(&w, address, (uint32_t)strlen(address));
    else
        xdr_put_u32(&w, port);
    exchange(t, host, frame, tcp, true, &w);
}

static struct rpcbind_lookup of_auxiliary(uint32_t version, uint32_t procedure, uint32_t program,
                                          uint32_t program_version, const char *netid)
{
    struct rpcbind_lookup lookup = of_program(version, procedure, program_version, netid);

    lookup.xid = XID;
    lookup.program = program;
    return lookup;
}

/* The server executes Calls of this version of NFS. */
static struct rpcrdma_across_record *of_nfs(uint32_t frame, uint32_t version)
{
    struct rpcrdma_across_record *record = connection(frame, 2);

    record->calls[1].version = version;
    record->calls[1].succeeded = true;
    return record;
}

static void judge(struct trace *t, struct rpcrdma_across_record *record)
{
    assert_true(add(t, record));
    conclude(t, record, record->end_ns);
}

static const struct rpcbind_lookup mount = {.xid = XID,
                                            .version = 2,
                                            .procedure = 3,
                                            .program = NFS_PROGRAM_MOUNT,
                                            .program_version = 3,
                                            .protocol = RPCBIND_TCP};

TRACE(auxiliary_answers)
{
    static const struct {
        uint32_t nfs, version, procedure, program, program_version;
        const char *netid, *address;
        bool tcp;
        uint32_t port;
        unsigned passed, failed, inconclusive;
    } cases[] = {
        {3, 2, 3, 100005, 3, "", NULL, false, 0, 0, 1, 0}, /* GETPORT over UDP */
        {3, 2, 3, 100005, 3, "", NULL, true, 0, 0, 1, 0},  /* and over TCP */
        {3, 2, 3, 100021, 4, "", NULL, false, 0, 0, 1, 0}, /* NLM */
        {2, 2, 3, 100024, 1, "", NULL, false, 0, 0, 1, 0}, /* NSM, of NFS version 2 */
        {3, 4, 3, 100005, 3, "tcp", "", true, 0, 0, 1, 0}, /* GETADDR */
        {3, 4, 9, 100005, 3, "tcp", "", true, 0, 0, 1, 0}, /* GETVERSADDR */
        {3, 2, 3, 100005, 3, "", NULL, false, 635, 1, 0, 0},
        {3, 3, 3, 100005, 3, "tcp", "192.0.2.2.2.123", true, 0, 1, 0, 0},
        {3, 4, 3, 100005, 3, "tcp", "", false, 0, 0, 0, 1}, /* it may be about UDP */
        {3, 4, 3, 100005, 3, "tcp6", "", true, 0, 0, 0, 1}, /* IPv6 is not in use */
        {3, 4, 3, 100005, 3, "udp", "", false, 0, 0, 0, 0}, /* not TCP */
        {3, 4, 3, 100005, 3, "rdma", "", true, 0, 0, 0, 0},
        {3, 4, 11, 100005, 3, "tcp", "", true, 0, 0, 0, 0}, /* GETADDRLIST: a list */
        {3, 2, 3, 100005, 1, "", NULL, false, 0, 0, 0, 0},  /* MOUNT version 1 is not needed */
        {2, 2, 3, 100005, 3, "", NULL, false, 0, 0, 0, 0},  /* nor is version 3, for NFS version 2 */
        {3, 2, 3, 100227, 3, "", NULL, false, 0, 0, 0, 0},  /* NFSACL */
        {4, 2, 3, 100005, 3, "", NULL, false, 0, 0, 0, 0},  /* NFSv4 */
    };

    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        const struct rpcbind_lookup lookup = of_auxiliary(cases[i].version, cases[i].procedure, cases[i].program,
                                                          cases[i].program_version, cases[i].netid);

        begin(t);
        ask(t, 1, ASKED, cases[i].tcp, &lookup);
        answer(t, 1, ANSWERED, cases[i].tcp, XID, cases[i].address, cases[i].port);
        judge(t, of_nfs(SECOND, cases[i].nfs));
        expect(t, RULE_NFSULB_5_1_01, cases[i].passed, cases[i].failed, cases[i].inconclusive);
        if (cases[i].failed) {
            assert_int_equal(t->last.place.frame, SECOND + 11);
            assert_int_equal(t->last.related_frame, ANSWERED);
            judge(t, of_nfs(2 * SECOND, cases[i].nfs)); /* reported once */
            expect(t, RULE_NFSULB_5_1_01, 0, 1, 0);
        }
    }
}

/* Reasons why an answer that MOUNT is not registered proves nothing. */
TRACE(auxiliary_neighbours)
{
    struct rpcrdma_across_record *record;
    struct rpcbind_lookup nfs = mount;

    nfs.program = NFS_PROGRAM;

    begin(t); /* nobody asked; another XID, another client, another transport */
    answer(t, 1, ANSWERED, false, XID, NULL, 0);
    ask(t, 1, ASKED, false, &mount);
    answer(t, 1, ANSWERED, false, XID + 1, NULL, 0);
    answer(t, 9, ANSWERED, false, XID, NULL, 0);
    answer(t, 1, ANSWERED, true, XID, NULL, 0);
    judge(t, of_nfs(SECOND, 3));
    expect(t, RULE_NFSULB_5_1_01, 0, 0, 0);

    begin(t); /* another question with the same XID, before the answer or after it */
    ask(t, 1, ASKED, false, &mount);
    ask(t, 1, ASKED, false, &nfs);
    answer(t, 1, ANSWERED, false, XID, NULL, 0);
    judge(t, of_nfs(SECOND, 3));
    expect(t, RULE_NFSULB_5_1_01, 0, 0, 0);

    begin(t); /* the server refuses this version of NFS */
    ask(t, 1, ASKED, false, &mount);
    answer(t, 1, ANSWERED, false, XID, NULL, 0);
    record = of_nfs(SECOND, 3);
    record->calls[1].succeeded = false;
    judge(t, record);
    expect(t, RULE_NFSULB_5_1_01, 0, 0, 0);

    begin(t); /* long before the connection; after it */
    ask(t, 1, ASKED, false, &mount);
    answer(t, 1, ANSWERED, false, XID, NULL, 0);
    judge(t, of_nfs(ANSWERED + 120001, 3));
    expect(t, RULE_NFSULB_5_1_01, 0, 0, 1);
    answer(t, 1, 200000, false, XID, NULL, 0);
    judge(t, of_nfs(199899, 3));
    expect(t, RULE_NFSULB_5_1_01, 0, 0, 2);

    begin(t); /* the service starts later, and is asked about again: with another XID, or in the same Call */
    ask(t, 1, ASKED, false, &mount);
    ask(t, 1, ASKED + 1, false, &mount);
    answer(t, 1, ASKED + 2, false, XID, NULL, 0);
    answer(t, 1, ASKED + 3, false, XID, NULL, 635);
    judge(t, of_nfs(SECOND, 3));
    expect(t, RULE_NFSULB_5_1_01, 1, 0, 0);
}

/* The first half of a message on TCP; another segment has the other half. */
static void half(struct trace *t, uint32_t frame, bool answer)
{
    static const uint8_t octets[] = {0x80, 0, 0, 28, 0, 0, 0, XID};
    const struct endpoint client = {.ip = 4, .address = {192, 0, 2, 1}, .port = 1022};
    const struct endpoint server = {.ip = 4, .address = {192, 0, 2, 2}, .port = RPCBIND_PORT};
    const struct addressed_segment segment = {.source = answer ? server : client,
                                              .destination = answer ? client : server,
                                              .segment = {.frame = frame,
                                                          .time_ns = (int64_t)frame * 1000000,
                                                          .payload = octets,
                                                          .length = sizeof octets,
                                                          .captured = sizeof octets}};

    rpcrdma_across_rpcbind(t->across, &segment, true);
}

/* A message in two segments is not read: question and answer are unknown. */
TRACE(auxiliary_messages_in_two_segments)
{
    ask(t, 1, ASKED, true, &mount);
    half(t, ANSWERED, true);
    judge(t, of_nfs(SECOND, 3));
    expect(t, RULE_NFSULB_5_1_01, 0, 0, 1);

    begin(t); /* on another transport */
    ask(t, 1, ASKED, false, &mount);
    half(t, ANSWERED, true);
    answer(t, 1, ANSWERED, false, XID, NULL, 0);
    judge(t, of_nfs(SECOND, 3));
    expect(t, RULE_NFSULB_5_1_01, 0, 1, 0);

    begin(t); /* MOUNT, NLM or NSM */
    half(t, ASKED, false);
    judge(t, of_nfs(SECOND, 3));
    expect(t, RULE_NFSULB_5_1_01, 0, 0, 3);
    judge(t, of_nfs(2 * SECOND, 4));
    expect(t, RULE_NFSULB_5_1_01, 0, 0, 3);
}

/* One client's port and XID for all its questions, each answered; and more questions than are kept. */
TRACE(auxiliary_questions_in_turn)
{
    struct rpcbind_lookup nlm = mount, many = mount;

    nlm.program = NFS_PROGRAM_NLM;
    nlm.program_version = 4;
    begin(t);
    ask(t, 1, ASKED, false, &mount);
    answer(t, 1, ANSWERED, false, XID, NULL, 635);
    ask(t, 1, ASKED + 10, false, &nlm);
    answer(t, 1, ANSWERED + 10, false, XID, NULL, 0);
    judge(t, of_nfs(SECOND, 3));
    expect(t, RULE_NFSULB_5_1_01, 1, 1, 0);
    assert_int_equal(t->last.related_frame, ANSWERED + 10);

    begin(t);
    for (many.xid = 1; many.xid <= 1000; many.xid++)
        ask(t, 1, ASKED, false, &many);
    answer(t, 1, ANSWERED, false, 1, NULL, 0); /* forgotten */
    judge(t, of_nfs(SECOND, 3));
    expect(t, RULE_NFSULB_5_1_01, 0, 0, 0);
    answer(t, 1, ANSWERED, false, 1000, NULL, 0);
    judge(t, of_nfs(SECOND + 1, 3));
    expect(t, RULE_NFSULB_5_1_01, 0, 1, 0);
}

/* ---- Calls that are cut off ---- */

/* The server resets the connection over its one Call. */
static struct rpcrdma_across_record *cut_off(uint8_t host, uint32_t frame)
{
    struct rpcrdma_across_record *record = connection_of(host, frame, 1);

    record->calls[0].outcome = RPCRDMA_OUTSTANDING;
    record->calls[0].answer = (struct place){0};
    record->cut = (struct rpcrdma_across_cut){
        .any = true, .reported = true, .rule = RULE_RPC_3_01, .place = at(SERVER, frame + 20), .shape = 77};
    record->cut.call = record->calls[0];
    record->reset[SERVER] = true;
    record->end[SERVER] = record->cut.place;
    record->end_ns = record->cut.place.time_ns;
    return record;
}

static void on_acquittal(void *ctx, enum rule_id rule, const struct place *place)
{
    struct trace *t = ctx;

    assert_true(rule == RULE_RPC_3_01 || rule == RULE_NFSULB_6_6_03);
    t->excused++;
}

/* Conclusions about `now`, with `other`, if any. */
static void judge_with(struct trace *t, struct rpcrdma_across_record *now, struct rpcrdma_across_record *other)
{
    const struct ulp_across_host host = {.verdict = &t->verdict, .excuse = on_acquittal, .ctx = t};
    bool later = !other || other->start_ns > now->start_ns;

    begin(t);
    if (!later)
        rpcrdma_across_add(t->across, other, &host);
    rpcrdma_across_add(t->across, now, &host);
    if (later && other)
        rpcrdma_across_add(t->across, other, &host);
    rpcrdma_across_conclude(t->across, now, now->end_ns, &host);
}

TRACE(cut_off_twice)
{
    struct rpcrdma_across_record *now = cut_off(1, SECOND);

    judge_with(t, now, cut_off(1, FIRST));
    assert_int_equal(t->excused, 1);
    expect(t, RULE_RPC_3_01, 0, 1, 0);
    assert_int_equal(t->last.severity, SEVERITY_WARNING);
    assert_int_equal(t->last.place.frame, SECOND + 20);
    now = cut_off(1, SECOND);
    now->cut.forgotten = true;
    now->cut.reported = false;
    judge_with(t, now, cut_off(1, FIRST));
    assert_int_equal(t->excused, 0);
    expect(t, RULE_RPC_3_01, 0, 0, 1);
}

TRACE(cut_off_and_answered)
{
    struct rpcrdma_across_record *other = connection(SECOND, 1);

    other->calls[0].outcome = RPCRDMA_REPLIED;
    judge_with(t, cut_off(1, FIRST), other);
    assert_int_equal(t->excused, 1);
    expect(t, RULE_RPC_3_01, 0, 0, 1);
    other = connection(SECOND, 1);
    other->calls[0].outcome = RPCRDMA_REPLIED;
    other->calls[0].hash++; /* another Call */
    judge_with(t, cut_off(1, FIRST), other);
    assert_int_equal(t->excused, 0);
    other = connection(SECOND, 0);
    other->served[1] = UINT64_C(1) << (77 - 64); /* one like it */
    judge_with(t, cut_off(1, FIRST), other);
    assert_int_equal(t->excused, 1);
    other = connection(FIRST, 0);
    other->served[1] = UINT64_C(1) << (77 - 64);
    judge_with(t, cut_off(1, SECOND), other);
    assert_int_equal(t->excused, 1);
}

TRACE(cut_off_together)
{
    struct rpcrdma_across_record *other = cut_off(9, FIRST + 1);

    judge_with(t, cut_off(1, FIRST), other); /* another client's */
    assert_int_equal(t->excused, 1);
    other = cut_off(9, FIRST + 100); /* not open at the same time */
    judge_with(t, cut_off(1, FIRST), other);
    assert_int_equal(t->excused, 0);
    other = cut_off(9, FIRST + 1);
    other->reset[SERVER] = false; /* the client closes */
    other->fin[CLIENT] = true;
    other->end[CLIENT] = other->end[SERVER];
    judge_with(t, cut_off(1, FIRST), other);
    assert_int_equal(t->excused, 0);
    other = cut_off(9, FIRST + 1);
    other->endpoint[SERVER].address[0]++; /* another server */
    judge_with(t, cut_off(1, FIRST), other);
    assert_int_equal(t->excused, 0);
}

/* ---- answers that make a client close ---- */

static struct rpcrdma_across_record *dropped(uint32_t frame, enum rule_id rule)
{
    struct rpcrdma_across_record *record = connection(frame, 1);

    record->drop = (struct rpcrdma_across_drop){
        .any = true, .rule = rule, .place = at(CLIENT, frame + 20), .culprit = at(SERVER, frame)};
    record->reset[CLIENT] = true;
    record->end[CLIENT] = record->drop.place;
    return record;
}

static struct rpcrdma_across_record *closed(uint32_t frame, enum rule_id rule)
{
    struct rpcrdma_across_record *record = dropped(frame, rule);

    record->drop.closed = true;
    record->reset[CLIENT] = false;
    return record;
}

TRACE(dropped_over_an_answer)
{
    static const enum rule_id rule = RULE_NFSULB_6_6_03;
    struct rpcrdma_across_record *now = dropped(SECOND, rule), *other = connection(FIRST, 1);

    judge_with(t, now, dropped(FIRST, rule));
    assert_int_equal(t->excused, 1);
    expect(t, rule, 0, 1, 0);
    assert_int_equal(t->last.severity, SEVERITY_WARNING);
    judge_with(t, dropped(SECOND, rule), dropped(FIRST, RULE_EXP_3_9_03)); /* another answer */
    assert_int_equal(t->excused, 0);
    other->reset[CLIENT] = true; /* as after any answer */
    judge_with(t, dropped(SECOND, rule), other);
    assert_int_equal(t->excused, 1);
    expect(t, rule, 0, 0, 1);
}

/*
 * Clients end any connection with a close: this one must be back at once, and must not continue after another such
 * answer.
 */
TRACE(closed_over_an_answer)
{
    enum { LATER = SECOND + 3000 };
    enum rule_id rule = RULE_EXP_3_9_03;
    struct rpcrdma_across_record *now = closed(SECOND, rule), *other = closed(FIRST, rule);

    judge_with(t, now, other);
    assert_int_equal(t->last.rule, rule);
    assert_int_equal(t->last.severity, SEVERITY_WARNING);
    judge_with(t, closed(LATER, rule), closed(FIRST, rule));
    assert_int_equal(rule_counts_of(&t->counts, rule).failed, 0);
    now = closed(SECOND, rule);
    now->tolerated = (uint16_t)(rule + 1);
    judge_with(t, now, closed(FIRST, rule));
    assert_int_equal(rule_counts_of(&t->counts, rule).failed, 0);
    assert_int_equal(rule_counts_of(&t->counts, rule).inconclusive, 1);
}
