// SPDX-License-Identifier: GPL-2.0-or-later
/* One connection. */
#include "traffic-gen/live/tcp/calls.h"
#include "traffic-gen/live/tcp/internal.h"
#include "traffic-gen/live/wire/wire.h"

#include <errno.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
    PILE_LEAST = 64 * 1024,
    RECEIVES_AT_ONCE = 4,
    TIMESTAMPS_LEN = 12,
    MSS_TICKS = 16,
    PIECES_MAX = 8,
    UNSENT_MAX = 128 * 1024
};

static const int64_t timeout_default_ns = INT64_C(10) * 1000000000;

/* ---- what TCP reports ---- */

static struct tcp_info info_of(const struct live_socket *socket)
{
    struct tcp_info info = {0};
    socklen_t n = sizeof info;

    getsockopt(socket->watch.fd, IPPROTO_TCP, TCP_INFO, &info, &n);
    return info;
}

/* Octets of this end that the peer has acknowledged. */
static uint64_t acked(const struct live_socket *socket)
{
    if (wire_is_open())
        return socket->written - MIN(wire_unacknowledged(socket->watch.fd), socket->written);
    return info_of(socket).tcpi_bytes_acked - socket->acked_base;
}

size_t live_unacknowledged(const struct live_socket *socket)
{
    if (socket->watch.fd < 0 || !socket->open)
        return 0;
    return socket->piled + (size_t)(socket->written - MIN(acked(socket), socket->written));
}

/* ---- the end ---- */

static void set_interest(struct live_socket *socket)
{
    uint32_t interest = (socket->peer_fin ? 0 : EPOLLIN) | (socket->first || !socket->open ? EPOLLOUT : 0);

    if (wire_is_open())
        interest = EPOLLIN; /* for any event */

    if (socket->watch.fd >= 0 && interest != socket->interest)
        live_watch_change(socket->loop, &socket->watch, interest);
    socket->interest = interest;
}

static void drop_pile(struct live_socket *socket)
{
    while (socket->first) {
        struct live_chunk *chunk = socket->first;

        socket->first = chunk->next;
        g_free(chunk);
    }
    socket->last = &socket->first;
    socket->piled = 0;
}

/* Closes the descriptor; `closed` follows in the loop's next turn. reset: with RST, if still open. */
static void socket_end(struct live_socket *socket, bool reset)
{
    socket->over = true;
    drop_pile(socket);
    if (socket->watch.fd < 0)
        return;
    calls_close(socket->watch.fd, reset);
    socket->watch.fd = -1;
}

static void end_when_both_closed(struct live_socket *socket)
{
    if (socket->fin_sent && socket->peer_fin)
        socket_end(socket, false);
}

static void socket_fail(struct live_socket *socket, char *why)
{
    if (socket->why)
        g_free(why);
    else
        socket->why = why;
    socket_end(socket, true);
}

/* This end's RST. */
static void socket_reset(struct live_socket *socket)
{
    if (socket->record && !socket->over)
        record_reset(socket->record, live_now(), true);
    socket_end(socket, true);
}

static void peer_reset(struct live_socket *socket)
{
    if (socket->over)
        return;
    if (socket->record)
        record_reset(socket->record, live_now(), false);
    socket_end(socket, false);
    if (socket->events.receive_reset && !socket->forgotten)
        socket->events.receive_reset(socket->events.ctx);
}

/* ---- writing ---- */

static void send_fin(struct live_socket *socket)
{
    if (!socket->fin_wanted || socket->fin_sent || socket->first || socket->watch.fd < 0)
        return;
    socket->fin_sent = true;
    socket->closing_since = live_now();
    calls_finish(socket->watch.fd);
    if (socket->record)
        record_fin(socket->record, live_now(), true);
    end_when_both_closed(socket);
}

/* Returns the octets accepted by TCP. 0: no room, or the connection is broken, which its next event reports. */
static size_t socket_send_octets(struct live_socket *socket, const uint8_t *p, size_t n)
{
    ssize_t sent = calls_send(socket->watch.fd, p, n);

    if (sent <= 0) {
        socket->broken |= sent < 0 && errno != EAGAIN && errno != EINTR;
        return 0;
    }
    socket->written += (size_t)sent;
    if (socket->record)
        record_sent(socket->record, live_now(), p, (size_t)sent);
    return (size_t)sent;
}

static void pile(struct live_socket *socket, const uint8_t *p, size_t n)
{
    struct live_chunk *chunk = g_malloc(sizeof *chunk + n);

    chunk->next = NULL;
    chunk->n = n;
    chunk->done = 0;
    memcpy(chunk->octets, p, n);
    *socket->last = chunk;
    socket->last = &chunk->next;
    socket->piled += n;
}

static void socket_stream_write(void *ctx, const uint8_t *p, size_t n)
{
    struct live_socket *socket = ctx;
    size_t sent = 0;

    if (socket->over || !socket->open || socket->fin_wanted || n == 0)
        return;
    if (!socket->first)
        sent = socket_send_octets(socket, p, n);
    socket->shared = 0;
    if (sent == n)
        return;
    pile(socket, p + sent, n - sent);
    set_interest(socket);
}

/* The octets after the first `skip`, in one chunk. */
static void pile_pieces(struct live_socket *socket, const struct stream_piece *pieces, unsigned n, size_t skip)
{
    GByteArray *joined = g_byte_array_new();

    for (unsigned i = 0; i < n; i++) {
        size_t skipped = MIN(skip, pieces[i].n);

        if (pieces[i].n > skipped)
            g_byte_array_append(joined, pieces[i].p + skipped, (guint)(pieces[i].n - skipped));
        skip -= skipped;
    }
    if (joined->len > 0)
        pile(socket, joined->data, joined->len);
    g_byte_array_unref(joined);
}

/*
 * A short FPDU followed by another stays in TCP until the second is written, and both share a segment: an integral
 * number of FPDUs, as in RFC 5044 section 5.1. A separate segment for each message's last few octets would cost nearly
 * as much as a full one.
 */
static bool may_share(const struct live_socket *socket, size_t n, bool more)
{
    return more && socket->shared == 0 && n < socket->stream.mss / 4u;
}

static void stream_write_pieces(void *ctx, const struct stream_piece *pieces, unsigned n, bool more)
{
    struct live_socket *socket = ctx;
    struct iovec vectors[PIECES_MAX];
    const struct msghdr message = {.msg_iov = vectors, .msg_iovlen = n};
    size_t all = 0;
    ssize_t sent = 0;
    bool shares;

    if (socket->over || !socket->open || socket->fin_wanted || n > PIECES_MAX)
        return;
    for (unsigned i = 0; i < n; i++) {
        vectors[i] = (struct iovec){.iov_base = (void *)pieces[i].p, .iov_len = pieces[i].n};
        all += pieces[i].n;
    }
    shares = may_share(socket, all, more);
    if (!socket->first)
        sent = sendmsg(socket->watch.fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT | (shares ? MSG_MORE : MSG_EOR));
    if (sent < 0) {
        socket->broken |= errno != EAGAIN && errno != EINTR;
        sent = 0;
    }
    socket->written += (size_t)sent;
    socket->shared = shares && (size_t)sent == all ? all : 0;
    if ((size_t)sent == all)
        return;
    pile_pieces(socket, pieces, n, (size_t)sent);
    set_interest(socket);
}

/* Octets that the kernel does not accept at once are copied, so by default few are kept. */
static bool socket_has_room(const struct live_socket *socket)
{
    return socket->options.pile_max ? socket->piled < socket->options.pile_max : !socket->first;
}

static size_t socket_stream_room(void *ctx)
{
    struct live_socket *socket = ctx;

    if (socket_has_room(socket))
        return MAX(socket->options.pile_max, PILE_LEAST) - socket->piled;
    socket->starved = true;
    return 0;
}

static void socket_stream_close(void *ctx, bool with_reset)
{
    struct live_socket *socket = ctx;

    if (socket->over)
        return;
    if (with_reset) {
        socket_reset(socket);
        return;
    }
    if (!socket->fin_wanted)
        socket->closing_since = live_now();
    socket->fin_wanted = true;
    send_fin(socket);
}

static int64_t socket_stream_now(void *ctx)
{
    (void)ctx;
    return live_now();
}

static uint64_t socket_stream_unacknowledged(void *ctx)
{
    return live_unacknowledged(ctx);
}

static uint16_t stream_segment_room(void *ctx)
{
    const struct live_socket *socket = ctx;

    /* The path's MTU may have become smaller. */
    return (uint16_t)(socket->stream.mss / 2u > socket->shared ? socket->stream.mss - socket->shared
                                                               : socket->stream.mss);
}

static void read_mss(struct live_socket *socket)
{
    const uint16_t mss = calls_mss(socket->watch.fd);

    if (mss > 0)
        socket->stream.mss = mss;
}

/* Writes queued octets while there is room. */
static void socket_flush(struct live_socket *socket)
{
    while (socket->first) {
        struct live_chunk *chunk = socket->first;
        size_t sent = socket_send_octets(socket, chunk->octets + chunk->done, chunk->n - chunk->done);

        chunk->done += sent;
        socket->piled -= sent;
        if (sent > 0)
            socket->closing_since = live_now();
        if (chunk->done < chunk->n)
            break;
        socket->first = chunk->next;
        if (!socket->first)
            socket->last = &socket->first;
        g_free(chunk);
    }
    send_fin(socket);
    if (socket->starved && socket_has_room(socket) && !socket->over) {
        socket->starved = false;
        if (socket->events.room && !socket->forgotten)
            socket->events.room(socket->events.ctx);
    }
    set_interest(socket);
}

/* ---- reading ---- */

static void receive_octets(struct live_socket *socket, const uint8_t *p, size_t n)
{
    if (socket->record)
        record_received(socket->record, live_now(), p, n, acked(socket), n == LIVE_RECEIVE);
    if (!socket->forgotten && socket->events.receive)
        socket->events.receive(socket->events.ctx, p, n);
}

static void socket_receive_fin(struct live_socket *socket)
{
    socket->peer_fin = true;
    if (socket->record) {
        record_acked(socket->record, live_now(), acked(socket));
        record_fin(socket->record, live_now(), false);
    }
    set_interest(socket);
    end_when_both_closed(socket);
    if (!socket->forgotten && socket->events.receive_fin)
        socket->events.receive_fin(socket->events.ctx);
}

/* Only EAGAIN means that the connection is intact. */
static void socket_receive(struct live_socket *socket)
{
    for (unsigned i = 0; i < RECEIVES_AT_ONCE && !socket->over && !socket->peer_fin; i++) {
        ssize_t n = calls_receive(socket->watch.fd, socket->loop->buffer, LIVE_RECEIVE);

        if (n > 0)
            receive_octets(socket, socket->loop->buffer, (size_t)n);
        else if (n == 0 && !socket->broken)
            socket_receive_fin(socket);
        else if (n < 0 && (errno == EAGAIN || errno == EINTR))
            return;
        else
            peer_reset(socket);
        if (n > 0 && n < LIVE_RECEIVE / 2)
            return;
    }
}

/* ---- connecting ---- */

static void try_next_address(struct live_socket *socket);

static void cannot_connect(struct live_socket *socket, const char *why)
{
    if (socket->watch.fd >= 0)
        calls_close(socket->watch.fd, true);
    socket->watch.fd = -1;
    if (socket->next_address)
        try_next_address(socket);
    else
        socket_fail(socket, g_strdup_printf("cannot connect to %s: %s", socket->peer, why));
}

static void try_next_address(struct live_socket *live)
{
    const struct addrinfo *address = live->next_address;
    int fd = calls_connect(address, live->options.mss), error = errno;

    live->next_address = address->ai_next;
    live_name(address->ai_addr, address->ai_addrlen, live->peer);
    live->watch.fd = fd;
    live->interest = EPOLLIN | (wire_is_open() ? 0 : EPOLLOUT);
    if (fd < 0)
        cannot_connect(live, wire_is_open() ? wire_trouble(error) : g_strerror(error));
    else if (!live_watch(live->loop, &live->watch, live->interest))
        cannot_connect(live, g_strerror(errno));
}

static void finish_connecting(struct live_socket *socket)
{
    int error = calls_outcome(socket->watch.fd);

    if (error == EINPROGRESS)
        return;
    if (error)
        cannot_connect(socket, g_strerror(error));
    else {
        freeaddrinfo(socket->addresses);
        socket->addresses = socket->next_address = NULL;
        live_socket_open(socket, false);
    }
}

static void report_opened(struct live_socket *socket)
{
    if (!socket->fresh)
        return;
    socket->fresh = false;
    set_interest(socket);
    if (socket->events.opened && !socket->forgotten)
        socket->events.opened(socket->events.ctx);
}

static void socket_on_ready(struct live_watch *watch, uint32_t events)
{
    struct live_socket *socket = (struct live_socket *)(void *)watch;

    if (wire_is_open())
        events |= EPOLLOUT | (wire_has_failed(watch->fd) ? EPOLLERR : 0);
    if (!socket->open) {
        finish_connecting(socket);
        if (!socket->open)
            return;
        report_opened(socket);
    }
    report_opened(socket);
    if (!socket->over && events & (EPOLLIN | EPOLLHUP | EPOLLERR))
        socket_receive(socket);
    /* After the peer's FIN only an RST can come, or an error because nobody reads. */
    if (!socket->over && socket->peer_fin && events & (EPOLLHUP | EPOLLERR))
        peer_reset(socket);
    if (!socket->over && socket->first && events & EPOLLOUT)
        socket_flush(socket);
}

/* ---- life ---- */

struct live_socket *live_socket_new(struct live_loop *loop, const struct live_options *options)
{
    struct live_socket *socket = g_new0(struct live_socket, 1);

    socket->watch = (struct live_watch){.fd = -1, .ready = socket_on_ready};
    socket->loop = loop;
    socket->options = *options;
    if (socket->options.connect_timeout_ns <= 0)
        socket->options.connect_timeout_ns = timeout_default_ns;
    if (socket->options.close_timeout_ns <= 0)
        socket->options.close_timeout_ns = timeout_default_ns;
    socket->last = &socket->first;
    socket->stream = (struct stream){
        .ctx = socket,
        .write = socket_stream_write,
        .room = socket_stream_room,
        .unacknowledged = socket_stream_unacknowledged,
        .close = socket_stream_close,
        .now = socket_stream_now,
        .mss = 536,
        .segment_room = stream_segment_room,
        /* A recording consists of whole writes, as does our own TCP's stream. */
        .write_pieces = options->record || wire_is_open() ? NULL : stream_write_pieces,
    };
    socket->connect_deadline = live_now() + socket->options.connect_timeout_ns;
    socket->link.data = socket;
    g_queue_push_tail_link(&loop->sockets, &socket->link);
    return socket;
}

void live_socket_open(struct live_socket *socket, bool accepted)
{
    /* More octets would leave the processor's cache before TCP sends them. */
    const int on = 1, unsent = UNSENT_MAX;
    int fd = socket->watch.fd;
    const struct calls_ends ends = calls_ends(fd);
    struct tcp_info info = info_of(socket);

    setsockopt(fd, SOL_SOCKET, SO_OOBINLINE, &on, sizeof on); /* urgent data are octets of the stream (RFC 6093) */
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &unsent, sizeof unsent);
    read_mss(socket);
    if (ends.peer_n > 0)
        live_name((const struct sockaddr *)&ends.peer, ends.peer_n, socket->peer);
    socket->open = socket->fresh = true;
    socket->acked_base = info.tcpi_bytes_acked;
    if (accepted) {
        /* The first event reports `opened`; with our own TCP, the next tick. */
        socket->interest = EPOLLIN | (wire_is_open() ? 0 : EPOLLOUT);
        if (!live_watch(socket->loop, &socket->watch, socket->interest))
            socket_fail(socket, g_strdup_printf("cannot watch the connection: %s", g_strerror(errno)));
    }
    if (socket->options.record) {
        bool timestamps = info.tcpi_options & TCPI_OPT_TIMESTAMPS; /* TCP_MAXSEG does not include them */
        /* From the SYNs; the kernel sends less until the windows have grown. */
        uint32_t mss = MAX(socket->stream.mss + (timestamps ? TIMESTAMPS_LEN : 0u), info.tcpi_advmss);

        socket->record =
            record_new(socket->options.record, (const struct sockaddr *)&ends.own, (const struct sockaddr *)&ends.peer,
                       accepted, (uint16_t)MIN(mss, UINT16_MAX), live_now());
    }
}

struct live_socket *live_connect(struct live_loop *loop, const char *host, const char *port,
                                 const struct live_options *options, const struct live_events *events, GError **error)
{
    struct addrinfo *addresses = live_resolve(host, port, false, error);
    struct live_socket *socket;

    if (!addresses)
        return NULL;
    socket = live_socket_new(loop, options);
    socket->events = *events;
    socket->addresses = socket->next_address = addresses;
    try_next_address(socket);
    return socket;
}

void live_socket_end(struct live_socket *socket)
{
    socket_reset(socket);
}

void live_socket_free(struct live_socket *socket)
{
    socket_reset(socket);
    if (socket->record)
        record_free(socket->record);
    if (socket->addresses)
        freeaddrinfo(socket->addresses);
    g_queue_unlink(&socket->loop->sockets, &socket->link);
    if (socket->listener)
        live_listener_left(socket->listener);
    g_free(socket->why);
    g_free(socket);
}

bool live_socket_bury(struct live_socket *socket)
{
    if (!socket->over)
        return false;
    if (!socket->forgotten && socket->events.closed)
        socket->events.closed(socket->events.ctx, socket->why);
    live_socket_free(socket);
    return true;
}

void live_socket_tick(struct live_socket *socket, int64_t now)
{
    if (socket->over)
        return;
    if (!socket->open) {
        if (now >= socket->connect_deadline) {
            socket->next_address = NULL;
            cannot_connect(socket, "no answer in time");
        }
        return;
    }
    report_opened(socket);
    if (!socket->record && !socket->over && ++socket->ticks % MSS_TICKS == 0)
        read_mss(socket);
    if (socket->record && !socket->over)
        record_acked(socket->record, now, acked(socket));
    if (!socket->over && socket->fin_wanted && now - socket->closing_since >= socket->options.close_timeout_ns) {
        if (!socket->why)
            socket->why = g_strdup_printf("%s did not close in time", socket->peer);
        socket_reset(socket);
        return;
    }
    if (!socket->over && !socket->forgotten && socket->events.tick)
        socket->events.tick(socket->events.ctx);
}

const struct stream *live_stream(struct live_socket *socket)
{
    return &socket->stream;
}

const char *live_peer_name(const struct live_socket *socket)
{
    return socket->peer;
}

void live_forget(struct live_socket *socket)
{
    socket->forgotten = true;
    socket_reset(socket);
}
