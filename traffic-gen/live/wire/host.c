// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/live/wire/host.h"

#include "traffic-gen/live/wire/neighbours.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

enum {
    FIRST_PORT = 49152, /* RFC 6335 section 6 */
    CONNECTIONS_MAX = 4096,
    LISTENERS_MAX = 16,
    FLAG_OF_SYN = 0x02,
    FLAG_OF_RST = 0x04,
    FLAG_OF_ACK = 0x10,
};

static const int64_t linger_ns = INT64_C(2) * 1000000000, orphan_ns = INT64_C(10) * 1000000000;

struct listening {
    uint16_t port; /* 0: free */
    uint16_t mss;
    unsigned limit;
    bool crosses, has_iss;
    uint32_t iss;
};

struct connection {
    struct wire_host *host;
    struct wire_tcp *tcp;
    struct endpoint theirs;
    uint16_t port;   /* this host's */
    bool announced;  /* its owner knows about it */
    bool released;   /* its owner no longer needs it */
    int64_t gone_at; /* when a released connection is forgotten */
};

struct wire_host {
    struct wire_place place;
    struct wire_host_events events;
    struct neighbours neighbours;
    GPtrArray *connections; /* struct connection */
    struct listening listening[LISTENERS_MAX];
    uint8_t *frame; /* FRAME_MAX */
    int64_t now;
};

/* ---- place in the network ---- */

static bool host_parse_ip(const char *text, uint8_t *ip, uint8_t out[16])
{
    memset(out, 0, 16);
    if (inet_pton(AF_INET, text, out) == 1)
        *ip = 4;
    else if (inet_pton(AF_INET6, text, out) == 1)
        *ip = 6;
    else
        return false;
    return true;
}

/* The address must allow a neighbour to answer: not a group's, and not local to a machine. */
static bool is_of_one_host(uint8_t ip, const uint8_t *address)
{
    if (ip == 4)
        return address[0] > 0 && address[0] < 224 && address[0] != 127;
    return address[0] != 0xFF && (address[0] | address[1] | address[2] | address[3]) != 0;
}

/* The same address has the same MAC in each run, as neighbours remember it. */
static void choose_mac(struct wire_self *self)
{
    static const uint8_t own[2] = {0x02, 0x69}; /* locally administered */

    memcpy(self->mac, own, sizeof own);
    memcpy(self->mac + 2, self->address + (self->ip == 4 ? 0 : 12), 4);
}

bool wire_place_parse(const char *address, const char *gateway, struct wire_place *out, char **why)
{
    const char *slash = strchr(address, '/');
    g_autofree char *host = slash ? g_strndup(address, (gsize)(slash - address)) : g_strdup(address);
    guint64 prefix;
    uint8_t ip = 0;

    *out = (struct wire_place){0};
    if (!host_parse_ip(host, &out->self.ip, out->self.address) || !is_of_one_host(out->self.ip, out->self.address))
        *why = g_strdup_printf("'%s' is not the address of a host such as 10.9.0.2/24 or 2001:db8::2/64", address);
    else if (!slash || !g_ascii_string_to_unsigned(slash + 1, 10, 1, out->self.ip == 4 ? 32 : 128, &prefix, NULL))
        *why = g_strdup_printf("'%s' lacks the length of the network's prefix: %s/%u", address, host,
                               out->self.ip == 4 ? 24 : 64);
    else if (gateway && (!host_parse_ip(gateway, &ip, out->gateway) || ip != out->self.ip))
        *why = g_strdup_printf("'%s' is not an IPv%u gateway address", gateway, out->self.ip);
    else {
        out->prefix = (unsigned)prefix;
        out->has_gateway = gateway != NULL;
        choose_mac(&out->self);
        return true;
    }
    return false;
}

static bool is_near(const struct wire_place *place, const uint8_t *address)
{
    const unsigned whole = place->prefix / 8, rest = place->prefix % 8;
    const uint8_t mask = (uint8_t)(0xFF00 >> rest);

    if (memcmp(address, place->self.address, whole) != 0)
        return false;
    return rest == 0 || ((address[whole] ^ place->self.address[whole]) & mask) == 0;
}

/* The next hop; NULL: no route. */
static const uint8_t *next_hop(const struct wire_place *place, const uint8_t *address)
{
    if (is_near(place, address))
        return address;
    return place->has_gateway ? place->gateway : NULL;
}

/* ---- sending ---- */

static void host_send_frame(void *ctx, const uint8_t *frame, size_t n)
{
    struct wire_host *host = ctx;

    host->events.send(host->events.ctx, frame, n);
}

static void host_send_segment(struct wire_host *host, const struct frame_path *path, const struct frame_tcp *segment)
{
    const uint8_t *hop = next_hop(&host->place, path->address[1]);

    if (hop)
        neighbours_send(&host->neighbours, hop, host->frame, frame_encode(path, segment, host->frame), host->now);
}

static void host_emit(struct wire_tcp *tcp, const struct frame_tcp *segment)
{
    struct connection *connection = tcp->owner;

    host_send_segment(connection->host, &tcp->path, segment);
}

static struct frame_path path_to(const struct wire_host *host, uint16_t port, const struct endpoint *to)
{
    struct frame_path path = {.ipv6 = to->ip == 6, .real = true, .port = {port, to->port}};

    memcpy(path.address[0], host->place.self.address, 16);
    memcpy(path.address[1], to->address, 16);
    return path;
}

/* ---- life ---- */

struct wire_host *wire_host_new(const struct wire_place *place, const struct wire_host_events *events)
{
    struct wire_host *host = g_new0(struct wire_host, 1);

    host->place = *place;
    host->events = *events;
    host->connections = g_ptr_array_new();
    host->frame = g_malloc(FRAME_MAX);
    neighbours_init(&host->neighbours, &host->place.self, host_send_frame, host);
    return host;
}

static void host_free_connection(struct connection *connection)
{
    wire_tcp_free(connection->tcp);
    g_free(connection);
}

void wire_host_free(struct wire_host *host)
{
    for (guint i = 0; i < host->connections->len; i++) {
        struct connection *each = g_ptr_array_index(host->connections, i);

        wire_tcp_reset(each->tcp, ECONNABORTED);
        host_free_connection(each);
    }
    g_ptr_array_unref(host->connections);
    neighbours_clear(&host->neighbours);
    g_free(host->frame);
    g_free(host);
}

void wire_host_announce(struct wire_host *host)
{
    uint8_t frame[WIRE_SMALL_FRAME];

    host_send_frame(host, frame, wire_packet_ask(&host->place.self, host->place.self.address, frame));
}

/* ---- connections ---- */

static struct connection *connection_of(const struct wire_host *host, uint16_t port, const struct endpoint *theirs)
{
    for (guint i = 0; i < host->connections->len; i++) {
        struct connection *each = g_ptr_array_index(host->connections, i);

        if (each->port == port && each->theirs.port == theirs->port &&
            memcmp(each->theirs.address, theirs->address, sizeof theirs->address) == 0)
            return each;
    }
    return NULL;
}

static struct connection *host_add_connection(struct wire_host *host, uint16_t port, const struct endpoint *theirs,
                                              uint16_t mss, unsigned limit)
{
    const unsigned room = host->place.mtu - (theirs->ip == 6 ? 60 : 40);
    const struct frame_path path = path_to(host, port, theirs);
    struct connection *connection = g_new0(struct connection, 1);

    connection->host = host;
    connection->theirs = *theirs;
    connection->port = port;
    connection->tcp =
        wire_tcp_new(&path, (uint16_t)(mss > 0 ? MIN(mss, room) : MIN(room, UINT16_MAX)), limit, host_emit, connection);
    connection->tcp->fault = host->place.fault;
    g_ptr_array_add(host->connections, connection);
    return connection;
}

static bool is_listening(const struct wire_host *host, uint16_t port)
{
    for (unsigned i = 0; i < LISTENERS_MAX; i++) {
        if (host->listening[i].port == port)
            return true;
    }
    return false;
}

static uint16_t free_port(const struct wire_host *host, const struct endpoint *to)
{
    uint16_t port;

    do
        port = (uint16_t)g_random_int_range(FIRST_PORT, UINT16_MAX + 1);
    while (is_listening(host, port) || (to && connection_of(host, port, to)));
    return port;
}

struct wire_tcp *wire_host_connect(struct wire_host *host, const struct endpoint *to, const struct wire_opening *how,
                                   int64_t now)
{
    static const struct wire_opening usual;
    struct connection *connection;

    how = how ? how : &usual;
    host->now = now;
    errno = to->ip != host->place.self.ip                       ? EAFNOSUPPORT
            : !next_hop(&host->place, to->address)              ? ENETUNREACH
            : host->connections->len >= CONNECTIONS_MAX         ? ENOBUFS
            : memcmp(to->address, host->place.self.address, 16) ? 0
                                                                : EADDRNOTAVAIL;
    if (errno != 0)
        return NULL;
    connection = host_add_connection(host, free_port(host, to), to, how->mss, how->limit);
    connection->announced = true;
    if (how->has_iss)
        connection->tcp->iss = how->iss;
    wire_tcp_connect(connection->tcp, how->early, how->n_early, now);
    return connection->tcp;
}

static bool is_own_or_any(const struct wire_host *host, const struct endpoint *at)
{
    static const uint8_t any[16];

    if (at->ip != 0 && at->ip != host->place.self.ip)
        return false;
    return memcmp(at->address, any, sizeof any) == 0 || memcmp(at->address, host->place.self.address, 16) == 0;
}

uint16_t wire_host_listen(struct wire_host *host, const struct endpoint *at, uint16_t mss, unsigned limit)
{
    struct listening *place = NULL;

    for (unsigned i = 0; i < LISTENERS_MAX && !place; i++)
        place = host->listening[i].port == 0 ? &host->listening[i] : NULL;
    errno = !is_own_or_any(host, at) ? EADDRNOTAVAIL : !place ? EMFILE : EADDRINUSE;
    if (errno != EADDRINUSE || (at->port != 0 && is_listening(host, at->port)))
        return 0;
    *place = (struct listening){.port = at->port ? at->port : free_port(host, NULL), .mss = mss, .limit = limit};
    return place->port;
}

void wire_host_unlisten(struct wire_host *host, uint16_t port)
{
    for (unsigned i = 0; i < LISTENERS_MAX; i++) {
        if (host->listening[i].port == port)
            host->listening[i].port = 0;
    }
}

void wire_host_cross(struct wire_host *host, uint16_t port, bool on)
{
    for (unsigned i = 0; i < LISTENERS_MAX; i++) {
        if (host->listening[i].port == port)
            host->listening[i].crosses = on;
    }
}

void wire_host_begin_at(struct wire_host *host, uint16_t port, const uint32_t *iss)
{
    for (unsigned i = 0; i < LISTENERS_MAX; i++) {
        if (host->listening[i].port == port) {
            host->listening[i].has_iss = iss;
            host->listening[i].iss = iss ? *iss : 0;
        }
    }
}

void wire_host_release(struct wire_host *host, struct wire_tcp *tcp, bool orderly, int64_t now)
{
    struct connection *connection = tcp->owner;

    host->now = now;
    connection->released = true;
    /* Unread octets would be lost silently (RFC 2525 section 2.17). */
    if (!orderly || tcp->state != WIRE_OPEN || wire_tcp_unread(tcp) > 0)
        wire_tcp_reset(tcp, ECONNABORTED);
    else
        wire_tcp_finish(tcp, now);
    connection->gone_at = now + (tcp->state == WIRE_OVER ? (tcp->error == 0 ? linger_ns : 0) : orphan_ns);
}

void wire_host_ends(const struct wire_tcp *tcp, struct endpoint *ours, struct endpoint *theirs)
{
    const struct connection *connection = tcp->owner;

    *theirs = connection->theirs;
    *ours = (struct endpoint){.ip = theirs->ip, .port = connection->port};
    memcpy(ours->address, connection->host->place.self.address, sizeof ours->address);
}

bool wire_host_narrow(struct wire_host *host, const struct wire_tcp *tcp, uint16_t mtu)
{
    const struct connection *connection = tcp->owner;
    const uint8_t *hop = next_hop(&host->place, connection->theirs.address);
    const uint8_t *mac = hop ? neighbours_find(&host->neighbours, hop) : NULL;
    uint8_t frame[WIRE_SMALL_FRAME];
    struct endpoint ours;

    wire_host_ends(tcp, &ours, &(struct endpoint){0});
    if (!mac)
        return false;
    host_send_frame(host, frame,
                    wire_packet_too_big(&host->place.self, mac, &connection->theirs, &ours,
                                        tcp->irs + 1 + (uint32_t)tcp->rcv, mtu, frame));
    return true;
}

/* ---- receiving ---- */

/* RFC 9293 section 3.10.7.1: there is no such connection. */
static void host_refuse(struct wire_host *host, const struct wire_packet *in)
{
    const struct frame_path path = path_to(host, in->destination.port, &in->source);
    const uint32_t length = (uint32_t)in->payload_length + (in->flags & 1) + (in->flags >> 1 & 1);
    const bool has_ack = in->flags & FLAG_OF_ACK;
    const struct frame_tcp reset = {.seq = has_ack ? in->ack : 0,
                                    .ack = has_ack ? 0 : in->seq + length,
                                    .flags = (uint8_t)(FLAG_OF_RST | (has_ack ? 0 : FLAG_OF_ACK))};

    if (!(in->flags & FLAG_OF_RST))
        host_send_segment(host, &path, &reset);
}

static void host_take_syn(struct wire_host *host, const struct wire_packet *in)
{
    const struct listening *place = NULL;
    struct wire_tcp *tcp;

    for (unsigned i = 0; i < LISTENERS_MAX && in->destination.port != 0 && !place; i++)
        place = host->listening[i].port == in->destination.port ? &host->listening[i] : NULL;
    if (!place || (in->flags & (FLAG_OF_SYN | FLAG_OF_RST | FLAG_OF_ACK)) != FLAG_OF_SYN) {
        host_refuse(host, in);
        return;
    }
    if (host->connections->len >= CONNECTIONS_MAX)
        return; /* its SYN will be repeated */
    tcp = host_add_connection(host, place->port, &in->source, place->mss, place->limit)->tcp;
    if (place->has_iss)
        tcp->iss = place->iss;
    (place->crosses ? wire_tcp_cross : wire_tcp_accept)(tcp, in, host->now);
}

/* A peer that opens the same connection again has lost the old one (RFC 9293 section 3.6.1). */
static bool is_reopened(const struct connection *connection, const struct wire_packet *in)
{
    return connection->released && connection->tcp->state == WIRE_OVER && in->flags & FLAG_OF_SYN &&
           !(in->flags & FLAG_OF_ACK);
}

static void host_report(struct wire_host *host, struct connection *connection)
{
    if (connection->released)
        return;
    if (connection->announced) {
        host->events.changed(host->events.ctx, connection->tcp);
    } else if (connection->tcp->state == WIRE_OPEN && is_listening(host, connection->port)) {
        connection->announced = true;
        host->events.accepted(host->events.ctx, connection->port, connection->tcp);
    } else if (connection->tcp->state == WIRE_OPEN || connection->tcp->state == WIRE_OVER) {
        wire_host_release(host, connection->tcp, false, host->now);
    }
}

static void host_take_segment(struct wire_host *host, const struct wire_packet *in)
{
    struct connection *connection = connection_of(host, in->destination.port, &in->source);

    if (connection && is_reopened(connection, in)) {
        g_ptr_array_remove_fast(host->connections, connection);
        g_clear_pointer(&connection, host_free_connection);
    }
    if (!connection) {
        host_take_syn(host, in);
        return;
    }
    if (connection->released && connection->tcp->state == WIRE_OVER && connection->tcp->error != 0)
        host_refuse(host, in);
    else
        wire_tcp_input(connection->tcp, in, host->now);
    host_report(host, connection);
}

static bool is_to_us(const struct wire_host *host, const uint8_t *address)
{
    return memcmp(address, host->place.self.address, 16) == 0;
}

static void take_question(struct wire_host *host, const struct wire_packet *in)
{
    uint8_t frame[WIRE_SMALL_FRAME];
    size_t n;

    neighbours_learn(&host->neighbours, in->source.address, in->mac, in->has_mac, is_to_us(host, in->target));
    if (!is_to_us(host, in->target))
        return;
    n = wire_packet_answer(&host->place.self, in, frame);
    if (n > 0)
        host_send_frame(host, frame, n);
}

void wire_host_input(struct wire_host *host, uint8_t *frame, size_t n, bool sums_due, int64_t now)
{
    struct wire_packet in;

    host->now = now;
    wire_packet_parse(frame, n, sums_due && host->place.fault != WIRE_FAULT_CHECKSUM, &in);
    if (in.kind == PACKET_OTHER || in.source.ip != host->place.self.ip)
        return;
    if (in.kind == PACKET_QUESTION) {
        take_question(host, &in);
    } else if (in.kind == PACKET_ANSWER) {
        neighbours_learn(&host->neighbours, in.target, in.mac, in.has_mac, false);
    } else if (in.kind == PACKET_TOO_BIG) {
        struct connection *connection = connection_of(host, in.source.port, &in.destination);

        if (connection && memcmp(in.source.address, host->place.self.address, sizeof in.source.address) == 0)
            wire_tcp_too_big(connection->tcp, in.mtu, in.seq, host->now);
    } else if (is_to_us(host, in.destination.address) && is_of_one_host(in.source.ip, in.source.address)) {
        if (in.kind == PACKET_TCP) {
            host_take_segment(host, &in);
        } else {
            wire_packet_echo(&host->place.self, frame, &in);
            host_send_frame(host, frame, (size_t)(in.payload - frame) + in.payload_length);
        }
    }
}

/* ---- timers ---- */

/* A released connection whose time is over. */
static bool is_gone(const struct connection *connection, int64_t now)
{
    return connection->released && now >= connection->gone_at;
}

void wire_host_tick(struct wire_host *host, int64_t now)
{
    host->now = now;
    neighbours_tick(&host->neighbours, now);
    for (guint i = host->connections->len; i-- > 0;) {
        struct connection *each = g_ptr_array_index(host->connections, i);
        const int64_t timer = each->tcp->timer;

        wire_tcp_tick(each->tcp, now);
        if (timer != 0 && now >= timer)
            host_report(host, each);
        if (!is_gone(each, now))
            continue;
        wire_tcp_reset(each->tcp, ETIMEDOUT);
        g_ptr_array_remove_index_fast(host->connections, i);
        host_free_connection(each);
    }
}

int64_t wire_host_due(const struct wire_host *host)
{
    int64_t due = neighbours_due(&host->neighbours);

    for (guint i = 0; i < host->connections->len; i++) {
        const struct connection *each = g_ptr_array_index(host->connections, i);

        if (each->tcp->timer != 0)
            due = MIN(due, each->tcp->timer);
        if (each->released)
            due = MIN(due, each->gone_at);
    }
    return due;
}
