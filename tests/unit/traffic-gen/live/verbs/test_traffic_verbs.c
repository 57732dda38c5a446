// SPDX-License-Identifier: GPL-2.0-or-later
/* The verbs transport on the device of tests/rdma: connections, work, memory, errors. */
#include "tests/rdma/fake_device.h"
#include "tests/unit/support/support.h"
#include "traffic-gen/ends/nfs/nfs_end.h"
#include "traffic-gen/live/tcp/internal.h"
#include "traffic-gen/live/verbs/verbs.h"
#include "traffic-gen/live/verbs/verbs_calls.h"

#include <sys/epoll.h>

enum { OCTETS = 10000, COMPLETIONS_MAX = 64 };

/* ---- one side ---- */

struct side {
    struct live_loop *loop;
    struct verbs_link *link;
    struct qp *qp;
    struct memory *memory;
    struct qp_options options;
    char said[256]; /* private data of the peer */
    GByteArray *heard;
    uint32_t invalidated;
    enum qp_status statuses[COMPLETIONS_MAX];
    const uint8_t *sink; /* NULL: none */
    uint8_t found;       /* its first octet, when the first work was done */
    unsigned completions, established, ended, closed;
    uint64_t cookie; /* of the next work */
    bool orderly;
    enum qp_status broken;
    char *broken_why, *why;
    void (*then)(struct side *side); /* called once it is established */
};

static void on_established(void *ctx, const struct mpa_end_terms *terms)
{
    struct side *side = ctx;

    side->established++;
    assert_true(terms->peer_length < sizeof side->said);
    if (terms->peer_length > 0)
        memcpy(side->said, terms->peer_data, terms->peer_length);
    assert_ptr_equal(terms, qp_terms(side->qp));
    if (side->then)
        side->then(side);
}

static void on_received(void *ctx, const struct qp_message *message)
{
    struct side *side = ctx;

    if (message->n > 0)
        g_byte_array_append(side->heard, message->p, (guint)message->n);
    if (message->invalidated)
        side->invalidated = message->invalidated_stag;
    qp_repost(side->qp, 1);
}

static void on_completed(void *ctx, uint64_t cookie, enum qp_status status, uint64_t original)
{
    struct side *side = ctx;

    assert_int_equal(cookie, side->completions); /* in the order of posting */
    assert_true(side->completions < COMPLETIONS_MAX);
    if (side->completions == 0 && side->sink)
        side->found = *side->sink;
    side->statuses[side->completions++] = status;
}

static void on_broken(void *ctx, enum qp_status status, const char *why)
{
    struct side *side = ctx;

    assert_null(side->broken_why);
    side->broken = status;
    side->broken_why = g_strdup(why);
}

static void on_ended(void *ctx, bool orderly)
{
    struct side *side = ctx;

    side->ended++;
    side->orderly = orderly;
    assert_int_equal(qp_pending(side->qp), 0);
}

static void opened(void *ctx)
{
    struct side *side = ctx;
    const struct qp_events events = {.ctx = side,
                                     .established = on_established,
                                     .received = on_received,
                                     .completed = on_completed,
                                     .broken = on_broken,
                                     .ended = on_ended};

    side->memory = memory_new(1);
    side->qp = qp_new(&side->options, side->memory, verbs_stream(side->link), &events);
    assert_null(qp_mpa(side->qp));
    assert_null(qp_terms(side->qp));
    qp_start(side->qp);
}

static void closed(void *ctx, const char *why)
{
    struct side *side = ctx;

    side->closed++;
    side->why = g_strdup(why);
    if (!side->qp)
        return;
    assert_int_equal(side->ended, 1);
    assert_true(qp_closed(side->qp));
    assert_false(qp_post(side->qp, &(struct qp_work){.kind = QP_SEND}));
    qp_free(side->qp);
    memory_free(side->memory);
    side->qp = NULL;
}

static struct live_events events_of(struct side *side)
{
    return (struct live_events){.ctx = side, .opened = opened, .closed = closed};
}

/* ---- both ---- */

struct bench {
    struct live_watch hardware; /* the first member */
    struct live_loop *loop;
    char port[8];
    bool stepwise; /* the loop stops after each step of the hardware */
    struct verbs_listener *listener;
    struct side client, server;
    bool refuses;
};

static bool accept_one(void *ctx, struct verbs_link *link, struct live_events *events)
{
    struct bench *bench = ctx;

    bench->server.link = link;
    *events = events_of(&bench->server);
    return !bench->refuses;
}

static void side_init(struct side *side, struct live_loop *loop, enum mpa_end_role role, const char *says)
{
    *side = (struct side){.loop = loop, .heard = g_byte_array_new()};
    side->options = (struct qp_options){
        .mpa = {.role = role, .private_data = (const uint8_t *)says, .private_length = (uint16_t)strlen(says)},
        .receives = 4,
        .receive_size = 256,
        .ird = 8,
        .ord = 4,
    };
}

static void hardware_turn(struct live_watch *watch, uint32_t events)
{
    struct bench *bench = (struct bench *)(void *)watch;

    fake_turn(0);
    if (bench->stepwise)
        live_stop(bench->loop);
}

static void begin(struct bench *bench)
{
    GError *error = NULL;

    verbs_set_calls(&iwarp_verbs_calls);
    *bench = (struct bench){.hardware = {.fd = fake_reset(), .ready = hardware_turn}, .loop = live_loop_new()};
    assert_true(live_watch(bench->loop, &bench->hardware, EPOLLIN));
    side_init(&bench->client, bench->loop, MPA_END_INITIATOR, "client");
    side_init(&bench->server, bench->loop, MPA_END_RESPONDER, "the server");
    bench->listener =
        verbs_listen(bench->loop, "127.0.0.1", "0", 0, &(struct verbs_options){0}, accept_one, bench, &error);
    assert_non_null(bench->listener);
    g_snprintf(bench->port, sizeof bench->port, "%u", verbs_listener_port(bench->listener));
}

static void connect_to(struct bench *bench, const char *port)
{
    const int64_t timeout_ns = fake_device.silent ? 10000000 : INT64_C(20000000000);
    const struct verbs_options options = {.connect_timeout_ns = timeout_ns, .close_timeout_ns = timeout_ns};
    const struct live_events events = events_of(&bench->client);
    GError *error = NULL;

    bench->client.link = verbs_connect(bench->loop, "127.0.0.1", port, &options, &events, &error);
    assert_non_null(bench->client.link);
}

static void connect_both(struct bench *bench)
{
    connect_to(bench, bench->port);
}

/* Until nothing happens any more. */
static void run(struct bench *bench)
{
    const int64_t some_ns = 20000000;
    unsigned steps;

    do {
        steps = fake_device.steps;
        live_run(bench->loop, live_now() + some_ns);
    } while (fake_device.steps != steps);
}

static void side_clear(struct side *side)
{
    g_byte_array_unref(side->heard);
    g_free(side->broken_why);
    g_free(side->why);
}

static void end(struct bench *bench)
{
    verbs_listener_close(bench->listener);
    live_loop_end(bench->loop);
    live_loop_free(bench->loop);
    side_clear(&bench->client);
    side_clear(&bench->server);
    /* The device has all objects back. */
    assert_int_equal(fake_device.objects, 0);
    verbs_set_calls(NULL);
}

/* A test on `bench`. */
#define BENCH(test) UNIT_TEST_ON(test, struct bench, bench, begin, end)

static void post(struct side *side, struct qp_work work)
{
    if (side->completions + qp_pending(side->qp) == 0)
        side->cookie = 0;
    work.cookie = side->cookie++;
    assert_true(qp_post(side->qp, &work));
}

static void send_text(struct side *side, const char *text)
{
    post(side, (struct qp_work){.kind = QP_SEND, .p = (const uint8_t *)text, .n = strlen(text)});
}

static void assert_heard(const struct side *side, const char *text)
{
    assert_int_equal(side->heard->len, strlen(text));
    assert_memory_equal(side->heard->data, text, strlen(text));
}

/* ---- connections ---- */

BENCH(connection)
{
    bench->server.options.ird = 2;
    connect_both(bench);
    run(bench);
    assert_int_equal(bench->client.established, 1);
    assert_int_equal(bench->server.established, 1);
    assert_string_equal(bench->client.said, "the server");
    assert_string_equal(bench->server.said, "client");
    /* The lower of both limits. */
    assert_int_equal(qp_terms(bench->client.qp)->ord, 2);
    assert_int_equal(qp_terms(bench->server.qp)->ird, 2);
    assert_int_equal(qp_terms(bench->client.qp)->ird, 4);
    assert_int_equal(qp_terms(bench->server.qp)->ord, 4);
    assert_true(g_str_has_prefix(verbs_peer_name(bench->client.link), "127.0.0.1:"));
    assert_true(g_str_has_suffix(verbs_peer_name(bench->client.link), bench->port));
    assert_string_equal(verbs_device_name(bench->client.link), "fake0");
    send_text(&bench->client, "one");
    send_text(&bench->client, "two");
    qp_close(bench->client.qp, false); /* after the posted work */
    assert_false(qp_post(bench->client.qp, &(struct qp_work){.kind = QP_SEND}));
    run(bench);
    assert_heard(&bench->server, "onetwo");
    assert_int_equal(bench->client.completions, 2);
    assert_int_equal(bench->client.statuses[1], QP_OK);
    assert_int_equal(bench->client.closed + bench->server.closed, 2);
    assert_true(bench->client.orderly && bench->server.orderly);
    assert_null(bench->client.why);
    assert_null(bench->server.why);
}

static void send_at_once(struct side *side)
{
    send_text(side, "at once");
}

/* Posted in `established`, and before it: sent when the connection is established. */
BENCH(early_work)
{
    bench->client.then = send_at_once;
    connect_both(bench);
    run(bench);
    assert_heard(&bench->server, "at once");
    qp_close(bench->client.qp, true);
    run(bench);
    assert_false(bench->client.orderly);
}

UNIT_TEST(no_connection)
{
    static const struct {
        const char *port, *why; /* port NULL: the listener's */
        bool refuses, rejects, silent;
    } cases[] = {
        {"7", "nobody listens on this port", false, false, false},
        {NULL, "the server refused the connection", true, false, false},
        {NULL, "the server refused the connection", false, true, false},
        {NULL, "no answer in time", false, false, true},
    };

    for (unsigned i = 0; i < ARRAY_LENGTH(cases); i++) {
        g_autofree char *why = NULL;
        struct bench bench;
        const char *port;

        begin(&bench);
        port = cases[i].port ? cases[i].port : bench.port;
        why = g_strdup_printf("cannot connect to 127.0.0.1:%s: %s", port, cases[i].why);
        bench.refuses = cases[i].refuses;
        bench.server.options.mpa.reject = cases[i].rejects;
        fake_device.silent = cases[i].silent;
        connect_to(&bench, port);
        for (unsigned k = 0; k < 100 && !bench.client.closed; k++)
            run(&bench);
        assert_int_equal(bench.client.closed, 1);
        assert_string_equal(bench.client.why, why);
        assert_int_equal(bench.client.established, 0);
        end(&bench);
    }
}

/* A loop is freed while everything is in progress. */
UNIT_TEST(cut_short)
{
    unsigned established = 0;

    for (unsigned steps = 0; steps < 20; steps++) {
        struct bench bench;

        begin(&bench);
        bench.stepwise = true;
        connect_both(&bench);
        for (unsigned i = 0; i < steps; i++)
            live_run(bench.loop, live_now() + 2000000);
        established += bench.client.established;
        end(&bench);
    }
    assert_true(established > 0 && established < 20); /* the cuts are before and after it */
}

/* ---- memory ---- */

struct regions {
    uint8_t octets[OCTETS], sink[OCTETS];
    uint32_t stag, sink_stag;
};

static void register_both(struct bench *bench, struct regions *regions, unsigned rights, bool invalidable)
{
    regions->stag = memory_register(bench->server.memory, regions->octets, OCTETS, 0, rights, invalidable);
    regions->sink_stag = memory_register(bench->client.memory, regions->sink, OCTETS, 0, 0, false);
    assert_int_not_equal(regions->stag, 0);
    assert_int_equal(memory_base(bench->server.memory, regions->stag), (uintptr_t)regions->octets);
}

static void read_all(struct bench *bench, const struct regions *regions)
{
    post(&bench->client, (struct qp_work){.kind = QP_READ,
                                          .n = OCTETS,
                                          .remote_stag = regions->stag,
                                          .remote_to = (uintptr_t)regions->octets,
                                          .sink_stag = regions->sink_stag,
                                          .sink_to = (uintptr_t)regions->sink});
}

BENCH(reads_and_writes)
{
    static struct regions regions;

    connect_both(bench);
    run(bench);
    for (unsigned i = 0; i < OCTETS; i++)
        regions.octets[i] = (uint8_t)(i * 7);
    register_both(bench, &regions, MEMORY_REMOTE_READ | MEMORY_REMOTE_WRITE, false);
    assert_int_equal(fake_device.windows, 0);
    read_all(bench, &regions);
    post(&bench->client, (struct qp_work){.kind = QP_WRITE,
                                          .p = (const uint8_t *)"written",
                                          .n = 7,
                                          .remote_stag = regions.stag,
                                          .remote_to = (uintptr_t)regions.octets + 100});
    /* Verbs have no such messages: completed as if the connection had ended before. */
    post(&bench->client, (struct qp_work){.kind = QP_IMMEDIATE, .immediate = 1});
    send_text(&bench->client, "after it");
    /* A sink that does not exist, or is too small. */
    assert_false(qp_post(bench->client.qp, &(struct qp_work){.kind = QP_READ, .n = 1, .sink_stag = 7}));
    assert_false(qp_post(bench->client.qp, &(struct qp_work){.kind = QP_READ,
                                                             .n = 2,
                                                             .sink_stag = regions.sink_stag,
                                                             .sink_to = (uintptr_t)regions.sink + OCTETS - 1}));
    run(bench);
    assert_int_equal(bench->client.completions, 4);
    assert_int_equal(bench->client.statuses[0], QP_OK);
    assert_int_equal(bench->client.statuses[1], QP_OK);
    assert_int_equal(bench->client.statuses[2], QP_FLUSHED);
    assert_int_equal(bench->client.statuses[3], QP_OK);
    assert_int_equal(regions.sink[99], regions.octets[99]);
    assert_memory_equal(regions.octets + 100, "written", 7);
    assert_heard(&bench->server, "after it");
}

/* Soft iWARP reports a Send before the earlier Read: the Read is done when its octets have arrived. */
BENCH(late_read)
{
    static struct regions regions = {.octets = {7}};

    connect_both(bench);
    run(bench);
    register_both(bench, &regions, MEMORY_REMOTE_READ, false);
    fake_device.reads_late = true;
    bench->client.sink = regions.sink;
    read_all(bench, &regions);
    send_text(&bench->client, "faster");
    run(bench);
    assert_heard(&bench->server, "faster");
    assert_int_equal(bench->client.completions, 2);
    assert_int_equal(bench->client.statuses[0], QP_OK);
    assert_int_equal(bench->client.statuses[1], QP_OK);
    assert_int_equal(bench->client.found, 7);
}

/* Through a memory window, which the peer ends. */
BENCH(invalidation)
{
    static struct regions regions;

    connect_both(bench);
    run(bench);
    assert_false(verbs_stream(bench->server.link)->no_remote_invalidation);
    register_both(bench, &regions, MEMORY_REMOTE_READ, true);
    assert_int_equal(fake_device.windows, 1);
    read_all(bench, &regions);
    post(&bench->client, (struct qp_work){.kind = QP_SEND, .invalidate = true, .remote_stag = regions.stag});
    run(bench);
    assert_int_equal(bench->client.statuses[0], QP_OK);
    assert_int_equal(bench->server.invalidated, regions.stag);
    assert_false(memory_invalidate(bench->server.memory, regions.stag)); /* it is gone */
    assert_int_equal(fake_device.windows, 0);
    read_all(bench, &regions);
    run(bench);
    assert_int_equal(bench->client.broken, QP_REMOTE_ACCESS);
    assert_int_equal(bench->client.statuses[2], QP_REMOTE_ACCESS);
    end(bench);

    /* Without windows, nobody may be told that regions can be invalidated. */
    begin(bench);
    fake_device.no_windows = true;
    connect_both(bench);
    run(bench);
    assert_true(verbs_stream(bench->server.link)->no_remote_invalidation);
    register_both(bench, &regions, MEMORY_REMOTE_READ, true);
    read_all(bench, &regions);
    run(bench);
    assert_int_equal(bench->client.statuses[0], QP_OK);
}

/* Every way in which a device ends a connection, on both sides. */
BENCH(access_refused)
{
    static struct regions regions;

    connect_both(bench);
    run(bench);
    register_both(bench, &regions, MEMORY_REMOTE_WRITE, false);
    read_all(bench, &regions);
    send_text(&bench->client, "never sent");
    run(bench);
    assert_int_equal(bench->client.broken, QP_REMOTE_ACCESS);
    assert_string_equal(bench->client.broken_why, "the peer refused access to its memory (remote access error)");
    assert_string_equal(bench->client.why, bench->client.broken_why);
    assert_int_equal(bench->client.completions, 2);
    assert_int_equal(bench->client.statuses[0], QP_REMOTE_ACCESS);
    assert_int_equal(bench->client.statuses[1], QP_FLUSHED);
    assert_false(bench->client.orderly);
    assert_int_equal(bench->server.closed, 1);
}

BENCH(receives)
{
    static uint8_t long_one[257];

    fake_device.impatient = true;
    connect_both(bench);
    run(bench);
    for (unsigned i = 0; i < 5; i++) /* four Receives; the test's own loop has not run, so none is reposted */
        send_text(&bench->client, "x");
    run(bench);
    assert_int_equal(bench->client.broken, QP_NO_RECEIVE);
    assert_int_equal(bench->client.statuses[3], QP_OK);
    assert_int_equal(bench->client.statuses[4], QP_NO_RECEIVE);
    end(bench);

    begin(bench);
    connect_both(bench);
    run(bench);
    for (unsigned i = 0; i < 3 * 4; i++) { /* reposted */
        send_text(&bench->client, "x");
        run(bench);
    }
    assert_heard(&bench->server, "xxxxxxxxxxxx");
    post(&bench->client, (struct qp_work){.kind = QP_SEND, .p = long_one, .n = sizeof long_one});
    run(bench);
    assert_int_equal(bench->client.broken, QP_REMOTE_INVALID);
    assert_int_equal(bench->server.broken, QP_LOCAL_LENGTH);
}

BENCH(reports)
{
    connect_both(bench);
    run(bench);
    fake_report(IBV_EVENT_PORT_ACTIVE);
    run(bench);
    assert_null(bench->client.broken_why);
    fake_report(IBV_EVENT_QP_ACCESS_ERR);
    run(bench);
    assert_int_equal(bench->client.broken, QP_LOCAL_ACCESS);
    assert_int_equal(bench->client.closed + bench->server.closed, 2);
    assert_null(bench->server.broken_why); /* an event concerns one queue pair */
}

/* ---- missing parts ---- */

UNIT_TEST(nothing_there)
{
    struct bench bench;
    GError *error = NULL;

    begin(&bench);
    fake_device.absent = true;
    assert_false(verbs_possible(&error));
    assert_non_null(strstr(error->message, "no RDMA device on this host"));
    assert_non_null(strstr(error->message, "modprobe rdma_rxe"));
    g_clear_error(&error);
    assert_null(
        verbs_connect(bench.loop, "127.0.0.1", "1", &(struct verbs_options){0}, &(struct live_events){0}, &error));
    g_clear_error(&error);
    fake_device.absent = false;
    assert_null(verbs_listen(bench.loop, "192.0.2.1", "0", 0, &(struct verbs_options){0}, accept_one, &bench, &error));
    assert_non_null(strstr(error->message, "no RDMA device has this address"));
    g_clear_error(&error);
    end(&bench);
}

BENCH(refused_memory)
{
    static struct regions regions;

    connect_both(bench);
    fake_device.refuse_memory = ENOMEM; /* already for the Receive buffers */
    run(bench);
    assert_int_equal(bench->client.closed, 1);
    assert_non_null(strstr(bench->client.why, "Receive buffers: Cannot allocate memory"));
    end(bench);

    begin(bench);
    connect_both(bench);
    run(bench);
    fake_device.refuse_memory = EINVAL;
    assert_int_equal(memory_register(bench->client.memory, regions.octets, OCTETS, 0, MEMORY_REMOTE_READ, true), 0);
    assert_int_equal(bench->client.broken, QP_LOCAL_ERROR);
    assert_string_equal(bench->client.broken_why, "registering memory with the device: Invalid argument");
    run(bench);
    assert_int_equal(bench->client.closed, 1);
    end(bench);

    begin(bench);
    connect_both(bench);
    run(bench);
    fake_device.send_queue_full = ENOMEM;
    assert_true(qp_post(bench->client.qp, &(struct qp_work){.kind = QP_SEND}));
    run(bench);
    assert_int_equal(bench->client.broken, QP_LOCAL_ERROR);
    assert_int_equal(bench->client.statuses[0], QP_FLUSHED);
}

UNIT_TEST(addresses)
{
    assert_string_equal(verbs_address("rdma:[fd01::1]:20049"), "[fd01::1]:20049");
    assert_string_equal(verbs_address("rdma::20049"), ":20049");
    assert_null(verbs_address("192.0.2.1:20049"));
    assert_null(verbs_address("rdma"));
}

/* ---- NFS ---- */

struct mount {
    struct bench *bench;
    struct verbs_link *link;
    struct nfs_server *server;
    struct nfs_end *end;
    bool client, done;
    uint64_t octets_read;
    char *trouble;
};

static const struct nfs_job jobs[] = {
    {.kind = NFS_JOB_WRITE, .path = "file", .octets = 300000, .pattern = 3},
    {.kind = NFS_JOB_READ, .path = "file", .octets = 300000, .pattern = 3},
    {.kind = NFS_JOB_FILES, .path = "", .count = 60},
    {.kind = NFS_JOB_LIST, .path = "", .count = 61},
};

static void mount_opened(void *ctx)
{
    struct mount *mount = ctx;
    const struct rpc_end_options rpc = {
        .qp = {.mpa = {.role = mount->client ? MPA_END_INITIATOR : MPA_END_RESPONDER}, .ird = 8, .ord = 8},
        .send_size = 4096,
        .receive_size = 4096,
        .remote_invalidation = true,
        .credits = 8,
    };
    const struct nfs_end_options options = {.rpc = &rpc, .stream = verbs_stream(mount->link), .seed = 1};
    const struct nfs_client_options client = {.version = 4, .minor = 1, .depth = 4, .inline_octets = 1024, .seed = 9};

    mount->end = mount->client ? nfs_end_new_client(&options, &client, jobs, ARRAY_LENGTH(jobs))
                               : nfs_end_new_server(&options, mount->server, false);
    qp_start(nfs_end_qp(mount->end));
}

static void mount_tick(void *ctx)
{
    struct mount *mount = ctx;

    qp_tick(nfs_end_qp(mount->end));
    nfs_end_tick(mount->end);
}

static void mount_closed(void *ctx, const char *why)
{
    struct mount *mount = ctx;

    mount->done = true;
    mount->trouble = g_strdup(nfs_end_trouble(mount->end) ? nfs_end_trouble(mount->end) : why);
    if (mount->client)
        mount->octets_read = nfs_end_report(mount->end)->octets_read;
    nfs_end_free(mount->end);
}

static struct live_events mount_events(struct mount *mount)
{
    return (struct live_events){.ctx = mount, .opened = mount_opened, .tick = mount_tick, .closed = mount_closed};
}

static bool accept_mount(void *ctx, struct verbs_link *link, struct live_events *events)
{
    struct mount *mount = ctx;

    mount->link = link;
    *events = mount_events(mount);
    return true;
}

static int64_t now(void *ctx)
{
    return live_now();
}

UNIT_TEST(nfs)
{
    for (unsigned without = 0; without < 2; without++) {
        const struct nfs_server_options options = {
            .tree = nfs_tree_new(now, NULL, 16 << 20, 1000), .seed = 1, .now = now};
        struct bench bench;
        struct mount server = {.bench = &bench, .server = nfs_server_new(&options)};
        struct mount client = {.bench = &bench, .client = true};
        const struct live_events events = mount_events(&client);
        int64_t until = live_now() + INT64_C(20000000000);

        begin(&bench);
        fake_device.no_windows = without;
        verbs_listener_close(bench.listener);
        bench.listener =
            verbs_listen(bench.loop, "127.0.0.1", "0", 1, &(struct verbs_options){0}, accept_mount, &server, NULL);
        g_snprintf(bench.port, sizeof bench.port, "%u", verbs_listener_port(bench.listener));
        client.link = verbs_connect(bench.loop, "127.0.0.1", bench.port, &(struct verbs_options){0}, &events, NULL);
        while (!(client.done && server.done) && live_now() < until)
            run(&bench);
        assert_null(client.trouble);
        assert_null(server.trouble);
        assert_int_equal(client.octets_read, 300000);
        end(&bench);
        nfs_server_free(server.server);
        nfs_tree_free(options.tree);
    }
}

/* soft iWARP reports its own error when the peer has closed during a send. */
UNIT_TEST(lost_stream)
{
    for (unsigned iwarp = 0; iwarp < 2; iwarp++) {
        struct bench bench;

        begin(&bench);
        fake_become(iwarp);
        connect_both(&bench);
        run(&bench);
        fake_device.stream_gone = true;
        send_text(&bench.client, "too late");
        if (iwarp)
            fake_report(IBV_EVENT_QP_FATAL);
        run(&bench);
        assert_int_equal(bench.client.closed, 1);
        assert_int_equal(bench.client.completions, 1);
        assert_int_equal(bench.client.statuses[0], iwarp ? QP_FLUSHED : QP_LOCAL_ERROR);
        assert_int_equal(bench.client.broken_why != NULL, !iwarp);
        assert_int_equal(bench.client.why != NULL, !iwarp);
        assert_false(bench.client.orderly);
        end(&bench);
    }
}
