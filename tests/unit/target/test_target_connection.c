// SPDX-License-Identifier: GPL-2.0-or-later
/* Connections of iwarp-target on the device of tests/rdma: its reactions to a Send that requests an operation. */
#include "lab/target/connection.h"
#include "tests/rdma/fake_device.h"
#include "tests/unit/support/support.h"
#include "wire/octets.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <string.h>

enum { TURNS = 2000, WORD = UINT32_C(0x10), RECEIVES = 2, SIZE = 64 };

static const struct target_options options = {.region = 4096, .ird = 4, .ord = 4};

/* Both ends: the device's, and a tester's, which has memory of the same kind, but does not echo. */
static struct bench {
    struct rdma_event_channel *events;
    struct rdma_cm_id *listener;
    struct connection *device, *tester;
} bench;

static struct connection *begin(struct rdma_cm_id *id, bool echo)
{
    struct connection *c = connection_new(id, &options);

    assert_non_null(c);
    c->plan = (struct plan){.receives = RECEIVES, .size = SIZE, .echo = echo};
    assert_true(connection_open(c));
    assert_true(connection_post_receives(c));
    return c;
}

static void take_event(struct rdma_cm_id *id, enum rdma_cm_event_type event)
{
    struct rdma_conn_param terms;
    uint8_t words[ADVERT_MAX];

    if (event == RDMA_CM_EVENT_ADDR_RESOLVED) {
        assert_int_equal(rdma_resolve_route(id, 100), 0);
    } else if (event == RDMA_CM_EVENT_ROUTE_RESOLVED) {
        bench.tester = begin(id, false);
        connection_terms(bench.tester, &terms, words);
        assert_int_equal(rdma_connect(id, &terms), 0);
    } else if (event == RDMA_CM_EVENT_CONNECT_REQUEST) {
        bench.device = begin(id, true);
        connection_terms(bench.device, &terms, words);
        assert_int_equal(rdma_accept(id, &terms), 0);
    } else if (event == RDMA_CM_EVENT_ESTABLISHED) {
        ((struct connection *)id->context)->established = true;
    }
}

static void turn(void)
{
    struct rdma_cm_event *event;

    fake_turn(1);
    while (rdma_get_cm_event(bench.events, &event) == 0) {
        struct rdma_cm_id *id = event->id;
        const enum rdma_cm_event_type type = event->event;

        rdma_ack_cm_event(event);
        take_event(id, type);
    }
    if (bench.device && bench.tester) {
        connection_work(bench.device);
        connection_work(bench.tester);
    }
}

static void setup(bool atomics)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct rdma_cm_id *id;

    bench = (struct bench){0};
    fake_reset();
    fake_become(true);
    fake_device.atomics = atomics;
    bench.events = rdma_create_event_channel();
    fcntl(bench.events->fd, F_SETFL, O_NONBLOCK);
    assert_int_equal(rdma_create_id(bench.events, &bench.listener, NULL, RDMA_PS_TCP), 0);
    assert_int_equal(rdma_bind_addr(bench.listener, (struct sockaddr *)&at), 0);
    assert_int_equal(rdma_listen(bench.listener, 1), 0);
    at.sin_port = rdma_get_src_port(bench.listener);
    assert_int_equal(rdma_create_id(bench.events, &id, NULL, RDMA_PS_TCP), 0);
    assert_int_equal(rdma_resolve_addr(id, NULL, (struct sockaddr *)&at, 100), 0);
    for (unsigned i = 0; i < TURNS && !(bench.tester && bench.tester->established); i++)
        turn();
    assert_true(bench.device && bench.tester->established);
}

static void teardown(void)
{
    connection_free(bench.device);
    connection_free(bench.tester);
    rdma_destroy_id(bench.listener);
    rdma_destroy_event_channel(bench.events);
    assert_int_equal(fake_device.objects, 0);
}

/* The word of the tester's memory that its messages name. */
static uint64_t *word(void)
{
    return (uint64_t *)(void *)(bench.tester->memory.region[REGION_ALL].octets + WORD);
}

static void ask(enum advert_operation operation, uint64_t data, uint64_t compare, uint8_t octets[ADVERT_REQUEST_LEN])
{
    const struct memory_region *scratch = &bench.tester->memory.scratch;
    const struct memory_region *all = &bench.tester->memory.region[REGION_ALL];
    const struct advert_request request = {.operation = operation,
                                           .address = (uintptr_t)all->octets + WORD,
                                           .stag = all->registered->rkey,
                                           .data = data,
                                           .compare = compare};
    struct ibv_sge piece = {(uintptr_t)scratch->octets, ADVERT_REQUEST_LEN, scratch->registered->lkey};
    struct ibv_send_wr work = {
        .wr_id = UINT64_MAX, .sg_list = &piece, .num_sge = 1, .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED};
    struct ibv_send_wr *bad;

    advert_request_encode(&request, octets);
    memcpy(scratch->octets, octets, ADVERT_REQUEST_LEN);
    assert_int_equal(ibv_post_send(bench.tester->id->qp, &work, &bad), 0);
    for (unsigned i = 0; i < 40; i++)
        turn();
}

/* The octets of the first Receive posted at that end; each is posted again. */
static bool has_had(const struct connection *c, unsigned receive, const uint8_t octets[ADVERT_REQUEST_LEN])
{
    return memcmp(c->memory.receives.octets + (size_t)receive * SIZE, octets, ADVERT_REQUEST_LEN) == 0;
}

/* More messages than Receives: each Receive is posted again. */
UNIT_TEST(test_atomics)
{
    uint8_t octets[ADVERT_REQUEST_LEN];

    setup(true);
    *word() = UINT64_C(0xFFFFFFFF);
    for (unsigned i = 0; i < 2 * RECEIVES; i++)
        ask(ADVERT_FETCH_ADD, 1, 0, octets);
    assert_true(*word() == UINT64_C(0x100000003));
    ask(ADVERT_CMP_SWAP, 7, UINT64_C(0x100000003), octets);
    assert_true(*word() == 7);
    ask(ADVERT_CMP_SWAP, 9, 8, octets);
    assert_true(*word() == 7);
    for (unsigned i = 0; i < RECEIVES; i++)
        assert_false(has_had(bench.tester, i, octets)); /* no echo */
    teardown();
}

/* Immediate Data, and an unknown operation. */
UNIT_TEST(test_others_are_echoed)
{
    uint8_t octets[ADVERT_REQUEST_LEN];

    setup(true);
    ask(ADVERT_IMMEDIATE_SE, 7, 0, octets);
    assert_true(has_had(bench.tester, 0, octets));
    ask((enum advert_operation)17, 7, 0, octets);
    assert_true(has_had(bench.tester, 1, octets));
    teardown();
}

UNIT_TEST(test_a_device_without_atomics)
{
    uint8_t octets[ADVERT_REQUEST_LEN];

    setup(false);
    *word() = 1;
    ask(ADVERT_FETCH_ADD, 1, 0, octets);
    assert_true(*word() == 1);
    assert_true(has_had(bench.tester, 0, octets));
    teardown();
}
