// SPDX-License-Identifier: GPL-2.0-or-later
#include "tap/recorder.h"

#include "tap/assembly.h"
#include "tap/chunks.h"
#include "tap/headers.h"
#include "tap/link.h"
#include "wire/rpc.h"

#include <glib.h>
#include <string.h>

/* MOVED_MAX: twice the largest payload of Linux's NFS. Beyond it, segments of a message need octets to be written. */
enum { MOVED_MAX = 8 << 20, OFFERED_MAX = 4096 };

/* An RDMA Read begun by the server. */
struct begun {
    uint32_t psn, length;
    uint64_t lost; /* recorder->lost then */
    uint64_t call; /* the XID of the Call that offered the segment, as in TAP_WRITTEN; 0: unknown */
};

struct tapped {
    uint64_t id;
    struct link link;
    bool wanted;
    bool busy;                /* it has had messages */
    bool begun;               /* its set-up was recorded */
    bool ended, server_ended; /* and which side was first */
    bool side_known;          /* which side was first */
    bool closed;              /* the end was written, or is not known */
    uint64_t ended_ns;
    GHashTable *sent;    /* server: posted Sends without completion: `of`, PSN; client: Calls without Reply: XID, PSN */
    GHashTable *reads;   /* `of`, struct begun */
    GHashTable *offered; /* server: handles in Read lists, XID */
    struct headers *headers; /* NULL: file data are written, too */
};

/* A whole item, in its turn. */
struct turn {
    struct whole *whole;
    struct whole *exposed; /* by a Call of this host; NULL: nothing */
    bool waits;
    bool missed; /* only the event is there */
    uint64_t of; /* the XID for which it waits, as in TAP_WRITTEN */
};

struct recorder {
    struct recorder_options options;
    struct link_output out;
    struct assembly *assembly;
    GHashTable *connections; /* id: struct tapped */
    GQueue turns;
    uint32_t n_connections;
    uint64_t dropped;
    uint64_t lost;       /* the part of `dropped` for which the kernel had no room */
    uint64_t incomplete; /* items that are not written, or not whole; only their connections have a gap */
    uint64_t latest_ns;
    unsigned n_waiting;
    bool taking;        /* a record; otherwise turns are put */
    unsigned n_closing; /* connections that have ended, and whose end is still to be written */
};

static void tapped_free(gpointer p)
{
    struct tapped *tapped = p;

    g_hash_table_unref(tapped->sent);
    g_hash_table_unref(tapped->reads);
    g_hash_table_unref(tapped->offered);
    headers_free(tapped->headers);
    g_free(tapped);
}

static assembly_missed_fn on_missed;

struct recorder *recorder_new(const struct recorder_options *options, struct capture_file *file)
{
    struct recorder *recorder = g_new0(struct recorder, 1);

    recorder->options = *options;
    recorder->out = (struct link_output){.file = file, .snap = options->snap};
    recorder->assembly = assembly_new(on_missed, recorder);
    recorder->connections = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, tapped_free);
    return recorder;
}

static void turn_free(struct turn *turn)
{
    whole_free(turn->whole);
    whole_free(turn->exposed);
    g_free(turn);
}

void recorder_free(struct recorder *recorder)
{
    for (struct turn *turn; (turn = g_queue_pop_head(&recorder->turns));)
        turn_free(turn);
    g_hash_table_unref(recorder->connections);
    assembly_free(recorder->assembly);
    g_free(recorder);
}

/* ---- connections ---- */

static bool is_peer(const struct recorder_options *options, const struct link *link)
{
    const uint8_t *address = link->path.address[link->by_client ? LINK_SERVER : LINK_CLIENT];

    for (unsigned i = 0; i < options->n_peers; i++)
        if (options->peer[i].ip == (link->path.ipv6 ? 6 : 4) &&
            memcmp(options->peer[i].address, address, link->path.ipv6 ? 16 : 4) == 0)
            return true;
    return options->n_peers == 0;
}

static bool has_port(const struct recorder_options *options, const struct link *link)
{
    for (unsigned i = 0; i < options->n_ports; i++)
        if (link->path.port[0] == options->port[i] || link->path.port[1] == options->port[i])
            return true;
    return options->n_ports == 0;
}

static bool has_addresses(const struct tap_event *event)
{
    static const uint8_t none[TAP_SOCKADDR];

    return memcmp(event->local, none, sizeof none) != 0;
}

/* NULL: nobody knows whose the event is. */
static struct tapped *tapped_of(struct recorder *recorder, const struct tap_event *event)
{
    struct tapped *tapped = g_hash_table_lookup(recorder->connections, &event->connection);

    if (tapped || !has_addresses(event))
        return tapped;
    tapped = g_new0(struct tapped, 1);
    tapped->id = event->connection;
    tapped->sent = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    tapped->reads = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
    tapped->offered = g_hash_table_new(NULL, NULL);
    if (recorder->options.headers)
        tapped->headers = headers_new();
    tapped->wanted = link_init(&tapped->link, recorder->n_connections, event) &&
                     is_peer(&recorder->options, &tapped->link) && has_port(&recorder->options, &tapped->link);
    recorder->n_connections += tapped->wanted;
    g_hash_table_insert(recorder->connections, &tapped->id, tapped);
    return tapped;
}

static void put_drops(struct recorder *recorder)
{
    recorder->out.failed |= !capture_file_drops(
        recorder->out.file, (int64_t)recorder->latest_ns + recorder->options.epoch_ns, recorder->dropped);
}

/* At once, for a reader that judges while the capture is written. */
static void recorder_drop(struct recorder *recorder, uint64_t n)
{
    recorder->dropped += n;
    put_drops(recorder);
}

static void recorder_skip(struct recorder *recorder, uint64_t n)
{
    GHashTableIter all;
    gpointer value;

    g_hash_table_iter_init(&all, recorder->connections);
    while (g_hash_table_iter_next(&all, NULL, &value)) {
        struct tapped *tapped = value;

        if (tapped->wanted)
            link_skip(&recorder->out, &tapped->link, (int64_t)recorder->latest_ns + recorder->options.epoch_ns,
                      (uint32_t)MIN(n, UINT32_MAX));
    }
}

/* Something of this connection is missing: a peer that causes this must not hide what others do. */
static void recorder_miss(struct recorder *recorder, struct tapped *tapped, int64_t time_ns)
{
    recorder->incomplete++;
    if (!tapped->closed)
        link_skip(&recorder->out, &tapped->link, time_ns, 1);
}

/* Earlier records come first, perhaps the set-up of the connection; later records wait for the item. */
static void queue_missed(struct recorder *recorder, const struct tap_event *event)
{
    GList *after = recorder->turns.tail;
    struct turn *turn = g_new(struct turn, 1);
    struct tap_event of = *event;

    of.n = 0;
    *turn = (struct turn){.whole = whole_of(&of, NULL), .missed = true};
    while (after && ((const struct turn *)after->data)->whole->event.time_ns > of.time_ns)
        after = after->prev;
    g_queue_insert_after(&recorder->turns, after, turn);
}

static void on_missed(void *ctx, const struct tap_event *event)
{
    struct recorder *recorder = ctx;
    struct tapped *tapped;

    if (recorder->taking) {
        queue_missed(recorder, event);
        return;
    }
    tapped = tapped_of(recorder, event);
    if (!tapped) {
        recorder_drop(recorder, 1);
        recorder_skip(recorder, 1);
    } else if (tapped->wanted) {
        recorder_miss(recorder, tapped, (int64_t)recorder->latest_ns + recorder->options.epoch_ns);
    }
}

/* ---- set-up and end ---- */

static void recorder_manage(struct recorder *recorder, struct tapped *tapped, int64_t time_ns, unsigned side,
                            const struct whole *whole, enum ib_cm_attribute attribute)
{
    struct ib_cm cm = {.attribute = (uint8_t)attribute,
                       .responder_resources = whole->event.ird,
                       .initiator_depth = whole->event.ord,
                       .reason = IB_CM_REJECT_CONSUMER,
                       .private_data = whole->octets->data,
                       .private_len = (uint8_t)MIN(whole->octets->len, TAP_PRIVATE_MAX)};

    if (!link_manage(&recorder->out, &tapped->link, time_ns, side, &cm, whole->event.total) &&
        recorder->options.snap == 0)
        recorder->incomplete++;
}

/*
 * The kernel's part reports what the host does to a connection only if it has seen its set-up. For other connections,
 * nobody knows who ended them.
 */
static void note_end(struct recorder *recorder, struct tapped *tapped, uint64_t time_ns, bool by_server, bool known)
{
    if (tapped->ended)
        return;
    tapped->ended = true;
    tapped->server_ended = by_server;
    tapped->side_known = known;
    tapped->ended_ns = time_ns;
    recorder->n_closing++;
}

static void recorder_end(struct recorder *recorder, struct tapped *tapped, int64_t time_ns)
{
    struct ib_cm cm = {.attribute = IB_CM_DISCONNECT_REQUEST};

    if (!tapped->ended || tapped->closed)
        return;
    tapped->closed = true;
    recorder->n_closing--;
    if (tapped->wanted && tapped->side_known)
        link_manage(&recorder->out, &tapped->link, time_ns, tapped->server_ended ? LINK_SERVER : LINK_CLIENT, &cm, 0);
}

/*
 * Completions of what came before may be recorded after the end, so it is written once the kernel forgets the rest, or
 * after a while: a client may keep a connection that has ended for as long as the mount lasts.
 */
static void end_late_ones(struct recorder *recorder)
{
    GHashTableIter all;
    gpointer value;

    if (recorder->n_closing == 0)
        return;
    g_hash_table_iter_init(&all, recorder->connections);
    while (g_hash_table_iter_next(&all, NULL, &value)) {
        struct tapped *tapped = value;

        if (recorder->latest_ns > tapped->ended_ns + RECORDER_END_NS)
            recorder_end(recorder, tapped, (int64_t)recorder->latest_ns + recorder->options.epoch_ns);
    }
}

/* The number of a new connection may have belonged to another one, of which the end is lost. */
static bool is_another(const struct recorder *recorder, const struct tap_event *event)
{
    const struct tapped *tapped = g_hash_table_lookup(recorder->connections, &event->connection);

    if (!tapped || event->kind == TAP_CONNECT || event->kind == TAP_ASKED)
        return tapped != NULL;
    if (event->kind < TAP_LEAVE && tapped->closed)
        return true;
    return tapped->busy && has_addresses(event) && !link_is_of(&tapped->link, event);
}

static void forget_connection(struct recorder *recorder, struct tapped *tapped, int64_t time_ns)
{
    assembly_forget(recorder->assembly, tapped->id, (uint64_t)(time_ns - recorder->options.epoch_ns));
    recorder_end(recorder, tapped, time_ns);
    g_hash_table_remove(recorder->connections, &tapped->id);
}

/* ---- messages ---- */

static struct link_message message_of(const struct whole *whole, unsigned side)
{
    return (struct link_message){.side = side,
                                 .p = whole->octets->data,
                                 .n = whole->octets->len,
                                 .length = (size_t)whole->length,
                                 .handle = whole->event.handle,
                                 .address = whole->event.address,
                                 .invalidates = whole->event.invalidates};
}

/* The part of the octets that belongs to the segment at that offset. */
static struct link_message part_of(const struct whole *whole, uint64_t at, const struct rpcrdma_segment *segment,
                                   unsigned side)
{
    size_t there = whole && whole->octets->len > at ? whole->octets->len - (size_t)at : 0;

    return (struct link_message){.side = side,
                                 .p = there > 0 ? whole->octets->data + at : NULL,
                                 .n = MIN(there, segment->length),
                                 .length = segment->length,
                                 .handle = segment->handle,
                                 .address = segment->offset,
                                 .found = true};
}

/* Chunks have file data. */
static void cut_data(const struct tapped *tapped, struct link_message *message)
{
    if (tapped->headers)
        message->n = 0;
}

/* Whether segments up to this length are written. If not, they are missing: the peer chose their lengths. */
static bool is_plausible(struct recorder *recorder, struct tapped *tapped, int64_t time_ns, const struct whole *found,
                         uint64_t length)
{
    if (length <= MOVED_MAX || (found && length <= found->octets->len))
        return true;
    recorder_miss(recorder, tapped, time_ns);
    return false;
}

/* The part of this host's memory, offered by the Call, that the other side will read. */
static void put_exposed(struct recorder *recorder, struct tapped *tapped, int64_t time_ns, const struct whole *call,
                        const struct whole *exposed, unsigned caller)
{
    struct chunk_segments segments;
    uint64_t at = 0;

    chunks_of_call(&segments, call->octets->data, call->octets->len);
    for (unsigned i = 0; i < segments.n; i++) {
        struct link_message part = part_of(exposed, at, &segments.segment[i], caller), request = part;
        uint32_t psn;

        if (!is_plausible(recorder, tapped, time_ns, exposed, at + part.length))
            break;
        cut_data(tapped, &part);
        request.side = !caller;
        psn = link_read(&recorder->out, &tapped->link, time_ns, &request);
        link_read_response(&recorder->out, &tapped->link, time_ns, psn, &part);
        at += part.length;
    }
}

/* The octets that the sender of this Reply has written into this host's memory. */
static void put_written(struct recorder *recorder, struct tapped *tapped, int64_t time_ns, const struct whole *reply,
                        unsigned answerer, uint64_t of)
{
    struct chunk_segments segments;
    struct whole *written = assembly_take(recorder->assembly, tapped->id, of, TAP_WRITTEN);
    uint64_t at = 0;

    chunks_of_reply(&segments, reply->octets->data, reply->octets->len);
    for (unsigned i = 0; i < segments.n; i++) {
        struct link_message part = part_of(written, at, &segments.segment[i], answerer);

        if (!is_plausible(recorder, tapped, time_ns, written, at + part.length))
            break;
        cut_data(tapped, &part);
        link_write(&recorder->out, &tapped->link, time_ns, &part);
        at += part.length;
    }
    whole_free(written);
}

static void remember_sent(struct tapped *tapped, uint64_t of, uint32_t psn)
{
    g_hash_table_insert(tapped->sent, g_memdup2(&of, sizeof of), GUINT_TO_POINTER(psn));
}

/* A posted Send of the host is over; received: by the other side. */
static void forget_sent(struct recorder *recorder, struct tapped *tapped, int64_t time_ns, const struct whole *whole,
                        uint64_t of, bool received)
{
    gpointer psn;

    if (!g_hash_table_lookup_extended(tapped->sent, &of, NULL, &psn))
        return;
    if (received)
        link_acknowledge(&recorder->out, &tapped->link, time_ns, whole->event.server ? LINK_CLIENT : LINK_SERVER,
                         GPOINTER_TO_UINT(psn));
    g_hash_table_remove(tapped->sent, &of);
}

static uint64_t xid_of(const struct whole *whole)
{
    uint32_t xid = 0;

    if (whole->octets->len >= sizeof xid)
        memcpy(&xid, whole->octets->data, sizeof xid);
    return xid;
}

/* A server answers a Call once it has read what the Call offers. */
static void note_offered(struct tapped *tapped, const struct whole *call)
{
    struct chunk_segments segments;

    chunks_of_call(&segments, call->octets->data, call->octets->len);
    if (g_hash_table_size(tapped->offered) > OFFERED_MAX)
        g_hash_table_remove_all(tapped->offered);
    for (unsigned i = 0; i < segments.n; i++)
        g_hash_table_insert(tapped->offered, GUINT_TO_POINTER(segments.segment[i].handle),
                            GUINT_TO_POINTER((guint)xid_of(call)));
}

/* Its octets never came; lost records count already. */
static void miss_read(struct recorder *recorder, struct tapped *tapped, int64_t time_ns, const struct begun *begun)
{
    if (begun && begun->lost == recorder->lost)
        recorder_miss(recorder, tapped, time_ns);
}

static void put_send(struct recorder *recorder, struct tapped *tapped, int64_t time_ns, const struct turn *turn,
                     bool posted)
{
    const struct whole *whole = turn->whole;
    uint64_t of = turn->of;
    unsigned sender = posted == (bool)whole->event.server ? LINK_SERVER : LINK_CLIENT;
    struct link_message message = message_of(whole, sender);
    /* The responder moves chunks, so their moves are seen only on a server. */
    bool seen_written = whole->event.server && sender == LINK_SERVER;
    bool seen_read = whole->event.server && sender == LINK_CLIENT;
    uint32_t psn;

    if (tapped->headers)
        message.n = headers_length(tapped->headers, sender == LINK_SERVER, message.p, message.n);
    /* A client's Sends are hardly ever completed, but who answers a Call has received it. */
    if (!posted && !whole->event.server && chunks_are_of(RPC_REPLY, whole->octets->data, whole->octets->len))
        forget_sent(recorder, tapped, time_ns, whole, of, true);
    if (seen_read)
        note_offered(tapped, whole);
    if (!seen_written)
        put_written(recorder, tapped, time_ns, whole, sender, of);
    psn = link_send(&recorder->out, &tapped->link, time_ns, &message);
    if (!seen_read)
        put_exposed(recorder, tapped, time_ns, whole, turn->exposed, sender);
    if (!posted)
        link_acknowledge(&recorder->out, &tapped->link, time_ns, !sender, psn);
    else if (whole->event.server)
        remember_sent(tapped, whole->event.of, psn);
    else if (chunks_are_of(RPC_CALL, whole->octets->data, whole->octets->len))
        remember_sent(tapped, of, psn);
}

static void put_read(struct recorder *recorder, struct tapped *tapped, int64_t time_ns, const struct whole *whole)
{
    struct link_message message = message_of(whole, LINK_SERVER);
    struct begun *begun = g_new(struct begun, 1);

    message.length = whole->event.total;
    miss_read(recorder, tapped, time_ns, g_hash_table_lookup(tapped->reads, &whole->event.of));
    *begun = (struct begun){
        .psn = link_read(&recorder->out, &tapped->link, time_ns, &message),
        .length = whole->event.total,
        .lost = recorder->lost,
        .call = GPOINTER_TO_UINT(g_hash_table_lookup(tapped->offered, GUINT_TO_POINTER(message.handle)))};
    g_hash_table_insert(tapped->reads, g_memdup2(&whole->event.of, sizeof whole->event.of), begun);
}

static void put_read_octets(struct recorder *recorder, struct tapped *tapped, int64_t time_ns,
                            const struct whole *whole)
{
    const struct begun *begun = g_hash_table_lookup(tapped->reads, &whole->event.of);
    struct link_message message = message_of(whole, LINK_CLIENT);

    if (!begun)
        return;
    message.length = begun->length;
    message.n = MIN(message.n, message.length);
    cut_data(tapped, &message);
    link_read_response(&recorder->out, &tapped->link, time_ns, begun->psn, &message);
    g_hash_table_remove(tapped->reads, &whole->event.of);
}

static void put_turn(struct recorder *recorder, const struct turn *turn)
{
    const struct whole *whole = turn->whole;
    const struct tap_event *event = &whole->event;
    struct tapped *tapped;
    unsigned host = event->server ? LINK_SERVER : LINK_CLIENT;
    int64_t time_ns = (int64_t)event->time_ns + recorder->options.epoch_ns;

    if (is_another(recorder, event))
        forget_connection(recorder, g_hash_table_lookup(recorder->connections, &event->connection), time_ns);
    tapped = tapped_of(recorder, event);
    if (!tapped) {
        if (event->kind != TAP_SENT && event->kind != TAP_READ_OCTETS)
            recorder_drop(recorder, 1);
        return;
    }
    tapped->begun |= event->kind < TAP_REJECTED;
    tapped->busy |= event->kind >= TAP_HEAD;
    if ((!tapped->wanted || tapped->closed) && event->kind != TAP_GONE)
        return;
    if (turn->missed) {
        recorder_miss(recorder, tapped, time_ns);
        return;
    }
    switch ((enum tap_kind)event->kind) {
    case TAP_CONNECT:
    case TAP_ASKED:
        recorder_manage(recorder, tapped, time_ns, LINK_CLIENT, whole, IB_CM_REQUEST);
        break;
    case TAP_ACCEPT:
        recorder_manage(recorder, tapped, time_ns, LINK_SERVER, whole, IB_CM_REPLY);
        break;
    case TAP_ACCEPTED:
        if (host == LINK_CLIENT)
            recorder_manage(recorder, tapped, time_ns, LINK_SERVER, whole, IB_CM_REPLY);
        recorder_manage(recorder, tapped, time_ns, LINK_CLIENT, &(struct whole){.octets = whole->octets}, IB_CM_READY);
        break;
    case TAP_REJECTED:
        recorder_manage(recorder, tapped, time_ns, LINK_SERVER, whole, IB_CM_REJECT);
        break;
    case TAP_LEAVE:
        note_end(recorder, tapped, event->time_ns, event->server, true);
        break;
    case TAP_LEFT:
        note_end(recorder, tapped, event->time_ns, !event->server, tapped->begun);
        break;
    case TAP_GONE:
        forget_connection(recorder, tapped, time_ns);
        break;
    case TAP_HEAD:
        put_send(recorder, tapped, time_ns, turn, true);
        break;
    case TAP_RECEIVED:
        put_send(recorder, tapped, time_ns, turn, false);
        break;
    case TAP_SENT:
        forget_sent(recorder, tapped, time_ns, whole, event->of, event->status == 0);
        break;
    case TAP_WRITE: {
        struct link_message message = message_of(whole, LINK_SERVER);

        cut_data(tapped, &message);
        link_write(&recorder->out, &tapped->link, time_ns, &message);
        break;
    }
    case TAP_READ:
        put_read(recorder, tapped, time_ns, whole);
        break;
    case TAP_READ_OCTETS:
        put_read_octets(recorder, tapped, time_ns, whole);
        break;
    case TAP_BODY:
    case TAP_EXPOSED:
    case TAP_WRITTEN:
    case TAP_KINDS:
        break;
    }
}

/* ---- in order ---- */

static bool octets_follow(const struct recorder *recorder, uint64_t connection, uint64_t of)
{
    for (const GList *link = recorder->turns.head; link; link = link->next) {
        const struct tap_event *event = &((const struct turn *)link->data)->whole->event;

        if (event->kind == TAP_READ_OCTETS && event->connection == connection && event->of == of)
            return true;
    }
    return false;
}

/*
 * Whether a Read for the Call that this Reply of a server answers has no octets, not even after the Reply. miss: it is
 * missing.
 */
static bool is_unread(struct recorder *recorder, const struct turn *reply, bool miss)
{
    const struct whole *whole = reply->whole;
    struct tapped *tapped = NULL;
    gpointer of, value;
    GHashTableIter all;

    if (whole->event.kind == TAP_HEAD && whole->event.server && reply->of != 0)
        tapped = g_hash_table_lookup(recorder->connections, &whole->event.connection);
    if (!tapped || g_hash_table_size(tapped->reads) == 0 ||
        chunks_are_of(RPC_CALL, whole->octets->data, whole->octets->len))
        return false;
    g_hash_table_iter_init(&all, tapped->reads);
    while (g_hash_table_iter_next(&all, &of, &value)) {
        const struct begun *begun = value;

        if (begun->call != reply->of || octets_follow(recorder, tapped->id, *(const uint64_t *)of))
            continue;
        if (!miss)
            return true;
        miss_read(recorder, tapped, (int64_t)whole->event.time_ns + recorder->options.epoch_ns, begun);
        g_hash_table_iter_remove(&all);
    }
    return false;
}

static void put_turns(struct recorder *recorder, bool all)
{
    const struct turn *first;

    while ((first = g_queue_peek_head(&recorder->turns))) {
        const struct tap_event *event = &first->whole->event;
        bool late = recorder->latest_ns > event->time_ns + RECORDER_WAIT_NS;
        bool broken = assembly_awaits(recorder->assembly, event->connection, event->time_ns);

        if (!late && !all && recorder->turns.length < RECORDER_QUEUE &&
            (first->waits || broken || is_unread(recorder, first, false)))
            return;
        is_unread(recorder, first, true);
        if (broken)
            assembly_give_up(recorder->assembly, event->connection, event->time_ns);
        recorder->n_waiting -= first->waits;
        put_turn(recorder, first);
        turn_free(g_queue_pop_head(&recorder->turns));
    }
}

/* The octets for which a Reply waits have arrived. */
static void wake(struct recorder *recorder, const struct tap_event *event)
{
    for (GList *link = recorder->n_waiting > 0 ? recorder->turns.head : NULL; link; link = link->next) {
        struct turn *turn = link->data;

        if (!turn->waits || turn->of != event->of || turn->whole->event.connection != event->connection)
            continue;
        turn->waits = false;
        recorder->n_waiting--;
        return;
    }
}

/* Whether a Reply says that the server has written into the client's memory. */
static bool says_written(const struct whole *whole)
{
    struct chunk_segments segments;

    if (whole->event.kind != TAP_RECEIVED || whole->event.server)
        return false;
    chunks_of_reply(&segments, whole->octets->data, whole->octets->len);
    return segments.n > 0;
}

static void queue(struct recorder *recorder, struct whole *whole)
{
    struct turn *turn = g_new(struct turn, 1);
    const struct tap_event *event = &whole->event;

    *turn = (struct turn){.whole = whole, .waits = says_written(whole), .of = xid_of(whole)};
    if (event->kind == TAP_HEAD) /* its request is used again before the turn comes */
        turn->exposed = assembly_take(recorder->assembly, event->connection, event->of, TAP_EXPOSED);
    recorder->n_waiting += turn->waits;
    g_queue_push_tail(&recorder->turns, turn);
}

void recorder_left_out(struct recorder *recorder, uint64_t n)
{
    if (n == 0)
        return;
    put_turns(recorder, true);
    recorder_drop(recorder, n);
    recorder_skip(recorder, n);
}

void recorder_lost(struct recorder *recorder, uint64_t total)
{
    if (total <= recorder->lost)
        return;
    assembly_note_loss(recorder->assembly);
    recorder_left_out(recorder, total - recorder->lost);
    recorder->lost = total;
}

/* A record has the lower half of the total, which may be older than the known total. */
static uint64_t lost_before(const struct recorder *recorder, const struct tap_event *event)
{
    uint32_t more = event->lost - (uint32_t)recorder->lost;

    return recorder->lost + (more > INT32_MAX ? 0 : more);
}

static struct whole *recorder_add(struct recorder *recorder, const struct tap_event *event, const uint8_t *octets)
{
    struct whole *whole;

    recorder->taking = true;
    whole = assembly_add(recorder->assembly, event, octets);
    recorder->taking = false;
    return whole;
}

void recorder_take(struct recorder *recorder, const void *p, size_t n)
{
    const uint8_t *octets = (const uint8_t *)p + sizeof(struct tap_event);
    struct tap_event event;
    struct whole *whole;

    if (n < sizeof event) {
        recorder_drop(recorder, 1);
        return;
    }
    memcpy(&event, p, sizeof event);
    if (event.kind == 0 || event.kind >= TAP_KINDS || event.n > n - sizeof event || event.n > event.length ||
        event.n > TAP_BLOCK) {
        recorder_drop(recorder, 1);
        return;
    }
    recorder_lost(recorder, lost_before(recorder, &event));
    recorder->latest_ns = MAX(recorder->latest_ns, event.time_ns);
    if (event.kind < TAP_HEAD || event.kind == TAP_SENT || event.kind == TAP_READ)
        whole = whole_of(&event, octets);
    else
        whole = recorder_add(recorder, &event, octets);
    if (whole)
        queue(recorder, whole);
    if (event.kind == TAP_WRITTEN && (event.length == 0 || event.last))
        wake(recorder, &event);
    put_turns(recorder, false);
}

void recorder_reach(struct recorder *recorder, uint64_t now_ns)
{
    recorder->latest_ns = MAX(recorder->latest_ns, now_ns);
    put_turns(recorder, false);
    end_late_ones(recorder);
}

struct recorder_counts recorder_counts(const struct recorder *recorder)
{
    return (struct recorder_counts){.packets = recorder->out.packets,
                                    .octets = capture_file_octets(recorder->out.file),
                                    .connections = recorder->n_connections,
                                    .dropped = recorder->dropped,
                                    .incomplete = recorder->incomplete,
                                    .failed = recorder->out.failed};
}

void recorder_finish(struct recorder *recorder)
{
    int64_t time_ns;
    GHashTableIter all;
    gpointer value;

    put_turns(recorder, true);
    time_ns = (int64_t)recorder->latest_ns + recorder->options.epoch_ns;
    assembly_end(recorder->assembly);
    g_hash_table_iter_init(&all, recorder->connections);
    while (g_hash_table_iter_next(&all, NULL, &value))
        recorder_end(recorder, value, time_ns);
    put_drops(recorder);
}
