// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An RPC-over-RDMA end with a hostile peer. The first octet chooses client or server and its options, the second how
 * its Calls are made; the rest are messages of the peer: a length octet, an opcode octet and the octets, as ULPDUs with
 * correct DDP headers and FPDUs. The next octets answer the end's Read Requests. In every case each Call ends once, and
 * only while it is in flight.
 */
#include "tests/fuzz/fuzz.h"
#include "traffic-gen/ends/stack/rpc_sample.h"
#include "wire/octets.h"

enum { CALLS = 6, WRITTEN_MAX = 1 << 16, MESSAGES_MAX = 64 };

struct peer {
    struct rpc_end *end;
    unsigned replied[CALLS], ended, called;
    uint64_t later;
    bool closed, refuses;
    uint8_t asked[1024]; /* the end's latest octets */
    size_t asked_n;
};

static void on_write(void *ctx, const uint8_t *p, size_t n)
{
    struct peer *peer = ctx;

    HOLDS(n > 0 && !peer->closed);
    peer->asked_n = n < sizeof peer->asked ? n : sizeof peer->asked;
    memcpy(peer->asked, p, peer->asked_n);
}

static size_t on_room(void *ctx)
{
    (void)ctx;
    return SIZE_MAX;
}

static void on_close(void *ctx, bool reset)
{
    struct peer *peer = ctx;

    HOLDS(!peer->closed || reset);
    peer->closed = true;
}

static int64_t on_now(void *ctx)
{
    (void)ctx;
    return 1;
}

static void on_replied(void *ctx, uint64_t cookie, enum rpc_end_result result, const struct rpc_end_message *reply)
{
    struct peer *peer = ctx;

    HOLDS(cookie < CALLS && peer->replied[cookie]++ == 0);
    HOLDS((result == RPC_END_REPLIED) == (reply != NULL) && !peer->ended);
    if (reply) {
        unsigned sum = 0;

        for (size_t i = 0; i < reply->n; i++) /* all octets can be read */
            sum += reply->p[i];
        for (unsigned i = 0; i < reply->n_items; i++)
            HOLDS(reply->items[i].at <= reply->n && reply->items[i].n <= reply->n - reply->items[i].at);
        HOLDS(sum <= reply->n * 255);
    }
}

static void on_called(void *ctx, uint64_t id, const struct rpc_end_message *call, const struct rpc_message *header)
{
    struct peer *peer = ctx;
    struct rpc_end_message reply = {.n = 4096};
    unsigned sum = 0;

    for (size_t i = 0; i < call->n; i++)
        sum += call->p[i];
    HOLDS(call->n >= RPC_CALL_MIN && call->n <= RPC_END_CALL_MAX + RPC_END_SEGMENTS_MAX * 3u && sum <= call->n * 255);
    for (unsigned i = 0; i < call->n_items; i++)
        HOLDS(call->items[i].at <= call->n && call->items[i].n <= call->n - call->items[i].at);
    HOLDS(header->xid == get_be32(call->p));
    peer->called++;
    if (call->n % 8 == 4) { /* some Calls are answered after later ones, or never */
        if (peer->later)
            rpc_end_refuse(peer->end, peer->later);
        peer->later = id;
        return;
    }
    /* A Reply of the wanted length, with items anywhere. */
    reply.n = 24 + header->proc % 64 * 100 / 4 * 4;
    reply.p = g_malloc0(reply.n);
    put_be32(reply.p, header->xid);
    put_be32(reply.p + 4, RPC_REPLY);
    for (unsigned i = 0; i < 3; i++)
        reply.items[reply.n_items++] = (struct rpc_end_item){24 + i * 600, header->vers % 601};
    HOLDS(rpc_end_room(peer->end, id) > 0);
    rpc_end_reply(peer->end, id, &reply);
    HOLDS(!reply.p);
}

static void on_ended(void *ctx, bool orderly)
{
    struct peer *peer = ctx;

    (void)orderly;
    HOLDS(peer->ended++ == 0);
}

static void make_calls(struct rpc_end *end, unsigned how)
{
    static const struct rpc_sample samples[CALLS] = {
        {.procedure = "nfs3.write", .fields = "len=900"},
        {.procedure = "nfs3.read", .fields = "count=100"},
        {.procedure = "nfs40.compound", .fields = "putfh,read:100,read:60"},
        {.procedure = "nfs3.readdir"},
        {.procedure = "nfs3.getattr"},
        {.procedure = "nfs3.symlink"},
    };

    for (unsigned i = 0; i < CALLS; i++) {
        const struct rpc_end_how hows = {
            .long_call = how & 1,
            .reduce = how & 2,
            .segments = 1 + (how >> 2) % 4,
            .reply_max = how & 16 ? 2000 : 200,
            .results = {how & 32 ? 100 : 0, how & 64 ? SIZE_MAX : 60},
        };
        struct rpc_end_message call;

        HOLDS(rpc_sample_call(&samples[i], 0x11 + i, &call));
        rpc_end_call(end, &call, &hows, i);
        g_free(call.p);
    }
}

/* One DDP Segment of the peer in an FPDU. */
static void say(struct rpc_end *end, uint64_t *offset, const struct ddp_segment *ddp, const uint8_t *p, size_t n)
{
    static const struct mpa_framing framing;
    uint8_t ulpdu[600], octets[MPA_FPDU_OCTETS_MAX];
    struct mpa_fpdu_plan plan;
    size_t at = ddp_header_encode(ddp, ulpdu, sizeof ulpdu);

    memcpy(ulpdu + at, p, n);
    mpa_fpdu_plan_init(&plan, &framing, *offset, ulpdu, (uint16_t)(at + n), false);
    n = mpa_fpdu_encode(&plan, octets, sizeof octets);
    *offset += n;
    qp_receive(rpc_end_qp(end), octets, n);
}

/* Answers the end's latest Read Request, if there is one. */
static bool answer_read(struct peer *peer, uint64_t *offset, const uint8_t *p, size_t n)
{
    struct ddp_segment asked, ddp = {.tagged = true, .last = true, .dv = 1, .rv = 1, .opcode = RDMAP_READ_RESPONSE};
    struct rdmap_read_request read;

    if (peer->asked_n < 6 || !ddp_segment_decode(&asked, peer->asked + 2, get_be16(peer->asked)) || asked.tagged ||
        asked.opcode != RDMAP_READ_REQUEST || !rdmap_read_request_decode(&read, asked.payload, asked.payload_len))
        return false;
    peer->asked_n = 0;
    ddp.stag = read.sink_stag;
    ddp.to = read.sink_to;
    say(peer->end, offset, &ddp, p, n < read.size ? n : read.size);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t frame[MPA_STARTUP_HEADER_LEN];
    struct peer peer = {0};
    const struct stream stream = {
        .ctx = &peer, .write = on_write, .room = on_room, .close = on_close, .now = on_now, .mss = 536};
    const struct rpc_end_events events = {.ctx = &peer, .replied = on_replied, .called = on_called, .ended = on_ended};
    struct rpc_end_options options = {
        .qp = {.mpa = {.revision = 1}, .ird = 4, .ord = 4},
        .send_size = 1024,
        .receive_size = 1024,
        .credits = 4,
    };
    struct mpa_startup start = {.revision = 1};
    uint64_t offset = 0;
    uint32_t msn = 0;
    unsigned how, flags;
    bool client;

    if (size < 2)
        return 0;
    flags = data[0];
    how = data[1];
    data += 2;
    size -= 2;
    client = flags & 1;
    options.remote_invalidation = flags & 2;
    options.backchannel_chunks = flags & 4;
    options.qp.ord = flags & 8 ? 0 : 4;
    options.qp.mpa.role = client ? MPA_END_INITIATOR : MPA_END_RESPONDER;
    peer.end = rpc_end_new(&options, &stream, &events, 1);
    start.kind = client ? MPA_REPLY : MPA_REQUEST;
    qp_start(rpc_end_qp(peer.end));
    qp_receive(rpc_end_qp(peer.end), frame, mpa_startup_encode(&start, frame, sizeof frame));
    make_calls(peer.end, how);
    for (unsigned i = 0; i < MESSAGES_MAX && size >= 2; i++) {
        size_t length = data[0] * 2u;
        struct ddp_segment ddp = {.last = true, .dv = 1, .rv = 1, .opcode = RDMAP_SEND, .qn = DDP_QN_SEND};

        if (data[1] % 4 == 1 && flags & 2) {
            ddp.opcode = RDMAP_SEND_INVALIDATE;
            ddp.stag = data[1];
        }
        data += 2;
        size -= 2;
        if (length > size)
            length = size;
        if (!answer_read(&peer, &offset, data, length)) {
            ddp.msn = ++msn;
            say(peer.end, &offset, &ddp, data, length);
        }
        data += length;
        size -= length;
    }
    if (flags & 16)
        qp_receive_reset(rpc_end_qp(peer.end));
    else
        qp_receive_fin(rpc_end_qp(peer.end));
    HOLDS(peer.ended == 1 && rpc_end_outstanding(peer.end) == 0);
    for (unsigned i = 0; i < CALLS; i++)
        HOLDS(peer.replied[i] == 1);
    rpc_end_free(peer.end);
    return 0;
}
