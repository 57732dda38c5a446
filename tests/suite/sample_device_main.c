// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The devices for tests of the suites, over TCP: "device responder|initiator HOST PORT [ID]". The responder prints its
 * port; the initiator connects again after each connection. With the id of a case it is the mutant that fails this
 * case.
 */
#include "traffic-gen/live/wire/wire.h"
#include "traffic-gen/tester/mutants/sample_device.h"
#include "traffic-gen/tester/suite/transport/tcp_socket.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CONNECTIONS_MAX = 64, LINGER_MS = 3000, TICK_MS = 10, CONNECTIONS_AT_ONCE = 4, WAITING_MAX = 32768 };

struct connection {
    int fd;
    struct sample_device *device;
    struct stream stream;
    bool closed, ended;
    int64_t ended_at;
};

static struct sample_device_options options = {.t_startup = 600 * INT64_C(1000000)};

static int64_t now(void *ctx)
{
    (void)ctx;
    return g_get_monotonic_time() * 1000;
}

static void on_write(void *ctx, const uint8_t *p, size_t n)
{
    struct connection *connection = ctx;

    if (connection->fd >= 0)
        tcp_write(connection->fd, p, n, now(NULL) + INT64_C(1000000000));
}

/* Few octets stay unacknowledged by the peer: a peer that reads nothing leaves its requests waiting here. */
static size_t room(void *ctx)
{
    const struct connection *connection = ctx;

    return connection->fd >= 0 && tcp_unacknowledged(connection->fd) > WAITING_MAX ? 0 : 1 << 20;
}

static void on_close(void *ctx, bool reset)
{
    struct connection *connection = ctx;

    connection->closed = true;
    if (connection->fd < 0)
        return;
    if (reset) {
        tcp_reset(connection->fd);
        connection->fd = -1;
    } else {
        tcp_finish(connection->fd);
    }
}

static struct connection *connection_new(int fd)
{
    struct connection *connection = g_new0(struct connection, 1);
    int mss = 0;
    socklen_t size = sizeof mss;

    if (wire_is_open())
        mss = wire_mss(fd);
    else
        getsockopt(fd, IPPROTO_TCP, TCP_MAXSEG, &mss, &size);
    connection->fd = fd;
    connection->stream = (struct stream){.ctx = connection,
                                         .write = on_write,
                                         .room = room,
                                         .close = on_close,
                                         .now = now,
                                         .mss = (uint16_t)CLAMP(mss, 64, 65535)};
    connection->device = sample_device_new(&options, &connection->stream);
    qp_start(sample_device_qp(connection->device));
    return connection;
}

static void receive(struct connection *connection)
{
    uint8_t octets[65536];
    size_t n;

    switch (tcp_read(connection->fd, octets, sizeof octets, &n)) {
    case TCP_READ_OCTETS:
        qp_receive(sample_device_qp(connection->device), octets, n);
        break;
    case TCP_READ_FIN:
        if (connection->ended) { /* an RST after the FIN looks the same */
            connection->closed = true;
            break;
        }
        connection->ended = true;
        connection->ended_at = now(NULL);
        qp_receive_fin(sample_device_qp(connection->device));
        break;
    case TCP_READ_RESET:
        qp_receive_reset(sample_device_qp(connection->device));
        connection->closed = connection->ended = true;
        break;
    default:
        break;
    }
}

static bool is_over(const struct connection *connection)
{
    return connection->fd < 0 || (connection->ended && connection->closed) ||
           (connection->ended && now(NULL) - connection->ended_at > LINGER_MS * INT64_C(1000000));
}

static void connection_free(struct connection *connection)
{
    if (connection->fd >= 0)
        tcp_close(connection->fd);
    sample_device_free(connection->device);
    g_free(connection);
}

/* "IF,ADDRESS/PREFIX" or "IF,ADDRESS/PREFIX,FAULT": its own TCP (traffic-gen/live/wire). */
static void open_wire(const char *text)
{
    g_auto(GStrv) parts = g_strsplit(text, ",", 3);
    g_autofree char *why = NULL;

    if (g_strv_length(parts) < 2 ||
        !wire_open(
            &(struct wire_options){parts[0], parts[1], NULL, parts[2] ? wire_fault_find(parts[2]) : WIRE_FAULT_NONE},
            &why)) {
        fprintf(stderr, "%s: %s\n", text, why ? why : "not IF,ADDRESS/PREFIX[,FAULT]");
        exit(2);
    }
}

int main(int argc, char **argv)
{
    struct connection *connections[CONNECTIONS_MAX];
    char *why = NULL;
    unsigned n = 0, at_once = CONNECTIONS_AT_ONCE; /* as Initiator */
    int listener = -1;

    if (argc < 4) {
        fprintf(
            stderr,
            "usage: %s responder|initiator HOST PORT [ID] [markers] [no-crc] [plain] [rev1] [p2p] [rpc] [v4] [calm] "
            "[alone] [wire=...]\n",
            argv[0]);
        return 2;
    }
    signal(SIGPIPE, SIG_IGN);
    options.role = strcmp(argv[1], "responder") == 0 ? DUT_RESPONDER : DUT_INITIATOR;
    for (int i = 4; i < argc; i++) {
        if (strcmp(argv[i], "markers") == 0)
            options.markers = true;
        else if (strcmp(argv[i], "no-crc") == 0)
            options.no_crc = true;
        else if (strcmp(argv[i], "plain") == 0)
            options.plain = true;
        else if (strcmp(argv[i], "rev1") == 0)
            options.revision = 1;
        else if (strcmp(argv[i], "p2p") == 0)
            options.peer_to_peer = true;
        else if (strcmp(argv[i], "ignorant") == 0)
            options.ignorant = true;
        else if (strcmp(argv[i], "rpc") == 0)
            options.rpc = true;
        else if (strcmp(argv[i], "v4") == 0)
            options.reads_by_v4 = true;
        else if (g_str_has_prefix(argv[i], "wire="))
            open_wire(argv[i] + strlen("wire="));
        else if (strcmp(argv[i], "calm") == 0)
            options.t_startup = 0;
        else if (strcmp(argv[i], "alone") == 0)
            at_once = 1;
        else if (strcmp(argv[i], "no-rtr-send") == 0)
            options.rtr = MPA_RTR_WRITE | MPA_RTR_READ;
        else if (!(options.how = misbehave_find(argv[i], options.role))) {
            fprintf(stderr, "no mutant '%s'\n", argv[i]);
            return 2;
        }
    }
    if (options.role == DUT_RESPONDER) {
        listener = tcp_listen(argv[2], argv[3], &why);
        if (listener < 0) {
            fprintf(stderr, "%s\n", why);
            return 2;
        }
        printf("%u\n", tcp_port(listener));
        fflush(stdout);
    }
    for (;;) {
        struct pollfd pollers[CONNECTIONS_MAX + 1];

        while (options.role == DUT_INITIATOR && n < at_once) {
            int fd = tcp_connect(argv[2], argv[3], NULL, INT64_C(1000000000), &why);

            if (fd < 0)
                return 0; /* iwarp-gen test is over */
            connections[n++] = connection_new(fd);
        }
        for (unsigned i = 0; i < n; i++)
            pollers[i] = (struct pollfd){connections[i]->fd, connections[i]->ended ? 0 : POLLIN, 0};
        pollers[n] = (struct pollfd){listener, POLLIN, 0};
        poll(pollers, n + 1, TICK_MS);
        for (unsigned i = 0; i < n; i++) {
            if (pollers[i].revents)
                receive(connections[i]);
            qp_pump(sample_device_qp(connections[i]->device));
            qp_tick(sample_device_qp(connections[i]->device));
        }
        if (listener >= 0 && n < CONNECTIONS_MAX && pollers[n].revents) {
            int fd = tcp_accept(listener, false, 0, &why);

            if (fd >= 0)
                connections[n++] = connection_new(fd);
            else
                g_clear_pointer(&why, g_free);
        }
        for (unsigned i = 0; i < n;) {
            if (is_over(connections[i])) {
                connection_free(connections[i]);
                connections[i] = connections[--n];
            } else {
                i++;
            }
        }
    }
}
