// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/support/rpcrdma_talk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void talk_on_message(void *ctx, const struct rpcrdma_message *message)
{
    struct rpcrdma_talk *t = ctx;

    if (t->watch.message)
        t->watch.message(t->watch.ctx, message);
    nfs_connection_message(t->nfs, message);
}

static void talk_on_move(void *ctx, const struct rpcrdma_move *move)
{
    struct rpcrdma_talk *t = ctx;

    if (t->watch.move)
        t->watch.move(t->watch.ctx, move);
}

static void talk_on_payload(void *ctx, const struct rpcrdma_payload *payload)
{
    struct rpcrdma_talk *t = ctx;

    if (t->watch.payload)
        t->watch.payload(t->watch.ctx, payload);
    nfs_connection_payload(t->nfs, payload);
}

static void talk_on_retired(void *ctx, struct rpcrdma_transaction *transaction)
{
    struct rpcrdma_talk *t = ctx;

    if (t->watch.retired)
        t->watch.retired(t->watch.ctx, transaction);
    nfs_connection_retired(t->nfs, transaction);
}

static struct place talk_place(const struct rpcrdma_talk *t, unsigned side)
{
    return (struct place){.frame = t->frame,
                          .first_frame = t->frame,
                          .time_ns = t->time_ns,
                          .offset = t->end[side],
                          .side = (uint8_t)side};
}

static enum direction talk_direction(const struct rpcrdma_talk *t, unsigned side)
{
    if (t->parameters.initiator_side < 0)
        return DIR_UNKNOWN;
    return (unsigned)t->parameters.initiator_side == side ? DIR_TO_RESPONDER : DIR_TO_INITIATOR;
}

static void talk_step(struct rpcrdma_talk *t)
{
    t->frame++;
    t->time_ns += 1000000;
}

/* ---- beginning ---- */

/* Call after fields of parameters were changed. */
static void talk_parameters(struct rpcrdma_talk *t)
{
    struct rdma_terms terms = rdma_terms_of_mpa(&t->parameters);

    rpcrdma_connection_terms(t->rpcrdma, &terms);
}

struct rpcrdma_talk *talk_new_bare(const struct rpcrdma_options *options)
{
    struct rpcrdma_talk *t = calloc(1, sizeof *t);
    struct rpcrdma_events events = {.ctx = t,
                                    .message = talk_on_message,
                                    .move = talk_on_move,
                                    .payload = talk_on_payload,
                                    .retired = talk_on_retired};

    assert_non_null(t);
    findings_begin(&t->seen, findings_no_reaction);
    t->time_ns = 1000000000;
    t->credit[C] = t->credit[S] = 32;
    t->segment = 60000;
    t->msn[C] = t->msn[S] = 1;
    t->parameters = (struct mpa_parameters){.initiator_side = -1, .markers = {OFF, OFF}, .crc = ON, .midstream = true};
    t->rpcrdma = rpcrdma_connection_new(options, &events, &t->seen.verdict, NULL);
    assert_non_null(t->rpcrdma);
    t->nfs = nfs_connection_new(options, t->rpcrdma, &t->seen.verdict, NULL);
    assert_non_null(t->nfs);
    rpcrdma_connection_ports(t->rpcrdma, 45678, RPCRDMA_PORT);
    nfs_connection_ports(t->nfs, 45678, RPCRDMA_PORT);
    return t;
}

void talk_midstream(struct rpcrdma_talk *t)
{
    t->end[C] = t->end[S] = 100000;
    t->msn[C] = t->msn[S] = 1000;
    talk_parameters(t);
}

static uint32_t talk_startup_octets(struct rpcrdma_talk *t, unsigned side, const void *ulp, size_t n)
{
    uint8_t pd[MPA_PRIVATE_DATA_MAX] = {0x00, 0x10, 0x00, 0x10};
    struct mpa_startup_event event = {0};
    struct rdma_private_data data;

    assert_true(MPA_ENHANCED_LEN + n <= sizeof pd);
    if (n > 0)
        memcpy(pd + MPA_ENHANCED_LEN, ulp, n);
    talk_step(t);
    event.frame = (struct mpa_startup){.kind = side == C ? MPA_REQUEST : MPA_REPLY,
                                       .flags = MPA_FLAG_C | MPA_FLAG_S,
                                       .revision = 2,
                                       .pd_length = (uint16_t)(MPA_ENHANCED_LEN + n),
                                       .has_enhanced = true,
                                       .enhanced = {.ird = 16, .ord = 16},
                                       .private_data = pd,
                                       .ulp_data = n > 0 ? pd + MPA_ENHANCED_LEN : NULL,
                                       .ulp_length = (uint16_t)n};
    event.length = MPA_STARTUP_HEADER_LEN + MPA_ENHANCED_LEN + n;
    event.place = talk_place(t, side);
    event.direction = side == C ? DIR_TO_RESPONDER : DIR_TO_INITIATOR;
    data = rdma_private_data_of_mpa(&event);
    rpcrdma_connection_private_data(t->rpcrdma, &data);
    t->end[side] += event.length;
    t->parameters.initiator_side = C;
    t->parameters.midstream = false;
    t->parameters.revision = 2;
    t->parameters.enhanced = t->parameters.ird_ord_known = true;
    t->parameters.ird = t->parameters.ord = 16;
    *(side == C ? &t->parameters.request_seen : &t->parameters.reply_seen) = true;
    t->parameters.startup_seen = t->parameters.request_seen && t->parameters.reply_seen;
    talk_parameters(t);
    return t->frame;
}

uint32_t talk_startup(struct rpcrdma_talk *t, unsigned side, bool remote_invalidation, uint32_t send_size,
                      uint32_t receive_size)
{
    struct rpcrdma_private_data data = {.version = RPCRDMA_PD_VERSION,
                                        .remote_invalidation = remote_invalidation,
                                        .send_size = send_size,
                                        .receive_size = receive_size};
    uint8_t block[RPCRDMA_PD_LEN];

    rpcrdma_private_data_encode(&data, block, sizeof block);
    return talk_startup_octets(t, side, block, sizeof block);
}

/* ---- segments ---- */

/* One FPDU; operation may be NULL. The caller fills in the message's members. */
static void talk_segment(struct rpcrdma_talk *t, unsigned side, struct ddp_segment ddp, struct rdmap_operation *op,
                         struct rdmap_segment_event segment)
{
    struct mpa_fpdu_event fpdu = {0};
    uint32_t header = ddp.tagged ? DDP_TAGGED_HEADER_LEN : DDP_UNTAGGED_HEADER_LEN;
    size_t ulpdu = header + ddp.payload_len;
    struct rdma_part part;
    uint32_t length = (uint32_t)((2 + ulpdu + 3) / 4 * 4 + 4);

    talk_step(t);
    ddp.dv = ddp.rv = 1;
    ddp.header_len = (uint8_t)header;
    fpdu.fpdu = (struct mpa_fpdu){
        .offset = t->end[side], .header = t->end[side], .length = length, .ulpdu_length = (uint16_t)ulpdu};
    fpdu.place = talk_place(t, side);
    fpdu.direction = talk_direction(t, side);
    fpdu.crc = MPA_CRC_VERIFIED;
    fpdu.has_ddp = true;
    fpdu.ddp = ddp;
    fpdu.number = t->number[side]++;
    fpdu.after_resync = t->resync;
    fpdu.acked_known = segment.acked_known = !t->acked_unknown;
    fpdu.acked = segment.acked = t->acked_unknown ? 0 : t->end[1 - side] - t->unreceived;
    t->resync = false;
    segment.fpdu = &fpdu;
    segment.in_message = true;
    segment.first_known = true;
    segment.complete = ddp.last;
    segment.faulty = t->faulty;
    segment.op = op;
    if (op) {
        segment.operation = op->number;
        op->segments++;
        op->octets += ddp.payload_len;
        if (op->side == side)
            op->place = fpdu.place;
    }
    rdma_part_of_rdmap(&part, &segment);
    if (t->infiniband) {
        part.psns.gaps_show_late = true;
        part.acked_known = false;
        part.psns.reads_open = part.kind == RDMA_READ ? t->reads_open : 0;
        part.psns.copy_ns = t->copy_ns > 0 ? t->copy_ns : INT64_MAX;
    }
    rpcrdma_connection_part(t->rpcrdma, &part);
    t->end[side] += length;
}

uint32_t talk_part(struct rpcrdma_talk *t, unsigned side, struct ddp_segment ddp, struct rdmap_operation *op,
                   const uint8_t *p, size_t n, struct rdmap_segment_event *part)
{
    size_t at = 0;

    do {
        size_t piece = n - at < t->segment ? n - at : t->segment;
        struct ddp_segment d = ddp;

        d.payload = p + at;
        d.payload_len = piece;
        d.last = ddp.last && at + piece == n;
        if (d.tagged)
            d.to += at;
        else
            d.mo += (uint32_t)at;
        part->message_octets += piece;
        talk_segment(t, side, d, op, *part);
        part->index++;
        at += piece;
    } while (at < n);
    return t->frame;
}

static uint32_t talk_segments(struct rpcrdma_talk *t, unsigned side, struct ddp_segment ddp, struct rdmap_operation *op,
                              const uint8_t *p, size_t n)
{
    struct rdmap_segment_event part = {.message = t->messages[side]++};

    return talk_part(t, side, ddp, op, p, n, &part);
}

/* ---- Sends ---- */

/* invalidate: Send with Invalidate of this STag. */
static uint32_t talk_send_as(struct rpcrdma_talk *t, unsigned side, uint8_t opcode, uint32_t invalidate, const void *p,
                             size_t n)
{
    bool invalidates = opcode == RDMAP_SEND_INVALIDATE || opcode == RDMAP_SEND_SE_INVALIDATE;
    struct rdmap_operation op = {.number = ++t->operations,
                                 .kind = RDMAP_OP_SEND,
                                 .opcode = opcode,
                                 .side = (uint8_t)side,
                                 .msn = t->msn[side],
                                 .invalidates = invalidates,
                                 .invalidate_stag = invalidate};
    struct ddp_segment ddp = {
        .last = true, .opcode = opcode, .stag = invalidate, .qn = DDP_QN_SEND, .msn = t->msn[side]++};

    return talk_segments(t, side, ddp, &op, p, n);
}

uint32_t talk_send_octets(struct rpcrdma_talk *t, unsigned side, const void *p, size_t n)
{
    return talk_send_as(t, side, RDMAP_SEND, 0, p, n);
}

struct rpcrdma_plan talk_plan(const struct rpcrdma_talk *t, unsigned side, uint32_t xid)
{
    return (struct rpcrdma_plan){.xid = xid,
                                 .vers = RPCRDMA_VERSION,
                                 .credit = t->credit[side],
                                 .proc = RPCRDMA_MSG,
                                 .vers_low = 1,
                                 .vers_high = 1};
}

size_t talk_put_message(struct rpcrdma_talk *t, const struct rpcrdma_plan *plan, const void *payload, size_t n)
{
    struct xdr_writer w = {.p = t->send, .size = sizeof t->send};

    rpcrdma_header_encode(plan, &w);
    assert_false(w.failed);
    assert_true(w.at + n <= sizeof t->send);
    if (n > 0)
        memcpy(t->send + w.at, payload, n);
    return w.at + n;
}

uint32_t talk_message(struct rpcrdma_talk *t, unsigned side, const struct rpcrdma_plan *plan, const void *payload,
                      size_t n)
{
    size_t length = talk_put_message(t, plan, payload, n);

    return talk_send_octets(t, side, t->send, length);
}

uint32_t talk_message_invalidate(struct rpcrdma_talk *t, unsigned side, uint32_t stag, const struct rpcrdma_plan *plan,
                                 const void *payload, size_t n)
{
    size_t length = talk_put_message(t, plan, payload, n);

    return talk_send_as(t, side, RDMAP_SEND_INVALIDATE, stag, t->send, length);
}

/* ---- RPC messages, built in out ---- */

size_t talk_words(uint8_t *out, size_t size, const uint32_t *words, size_t n)
{
    assert_true(4 * n <= size);
    for (size_t i = 0; i < n; i++)
        put_be32(out + 4 * i, words[i]);
    return 4 * n;
}

static size_t talk_append(struct xdr_writer *w, const void *p, size_t n)
{
    assert_false(w->failed);
    assert_true(w->at + n <= w->size);
    if (n > 0)
        memcpy(w->p + w->at, p, n);
    return w->at += n;
}

size_t talk_rpc_call(uint8_t *out, size_t size, uint32_t xid, uint32_t prog, uint32_t vers, uint32_t proc,
                     const void *args, size_t n)
{
    struct rpc_message call = {
        .xid = xid, .type = RPC_CALL, .rpcvers = RPC_VERSION, .prog = prog, .vers = vers, .proc = proc};
    struct xdr_writer w = {.size = size};

    w.p = out;
    rpc_call_encode(&call, NULL, NULL, &w);
    return talk_append(&w, args, n);
}

size_t talk_rpc_reply(uint8_t *out, size_t size, uint32_t xid, uint32_t accept_stat, const void *results, size_t n)
{
    struct rpc_message reply = {
        .xid = xid, .type = RPC_REPLY, .reply_stat = RPC_MSG_ACCEPTED, .accept_stat = accept_stat};
    struct xdr_writer w = {.size = size};

    w.p = out;
    rpc_reply_encode(&reply, NULL, &w);
    return talk_append(&w, results, n);
}

/* ---- Calls and Replies ---- */

uint32_t talk_call_with(struct rpcrdma_talk *t, unsigned side, const struct rpcrdma_plan *plan, uint32_t prog,
                        uint32_t vers, uint32_t proc, const void *args, size_t n)
{
    size_t length = talk_rpc_call(t->rpc, sizeof t->rpc, plan->xid, prog, vers, proc, args, n);

    return talk_message(t, side, plan, t->rpc, plan->proc == RPCRDMA_NOMSG ? 0 : length);
}

uint32_t talk_reply_with(struct rpcrdma_talk *t, unsigned side, const struct rpcrdma_plan *plan, const void *results,
                         size_t n)
{
    size_t length = talk_rpc_reply(t->rpc, sizeof t->rpc, plan->xid, RPC_SUCCESS, results, n);

    return talk_message(t, side, plan, t->rpc, plan->proc == RPCRDMA_NOMSG ? 0 : length);
}

uint32_t talk_call(struct rpcrdma_talk *t, unsigned side, uint32_t xid)
{
    struct rpcrdma_plan plan = talk_plan(t, side, xid);

    return talk_call_with(t, side, &plan, TALK_NFS, 3, 0, NULL, 0);
}

uint32_t talk_reply(struct rpcrdma_talk *t, unsigned side, uint32_t xid)
{
    struct rpcrdma_plan plan = talk_plan(t, side, xid);

    return talk_reply_with(t, side, &plan, NULL, 0);
}

/* ---- RDMA ---- */

uint32_t talk_write(struct rpcrdma_talk *t, unsigned side, uint32_t stag, uint64_t to, const void *p, size_t n)
{
    struct rdmap_operation op = {.number = ++t->operations,
                                 .kind = RDMAP_OP_WRITE,
                                 .opcode = RDMAP_WRITE,
                                 .side = (uint8_t)side,
                                 .stag = stag,
                                 .to = to};
    uint8_t *octets = calloc(1, n + 1);

    assert_non_null(octets);
    if (p)
        memcpy(octets, p, n);
    talk_segments(t, side,
                  (struct ddp_segment){.tagged = true, .last = true, .opcode = RDMAP_WRITE, .stag = stag, .to = to},
                  &op, octets, n);
    free(octets);
    return t->frame;
}

uint32_t talk_read_request(struct rpcrdma_talk *t, unsigned side, uint32_t stag, uint64_t to, uint32_t size)
{
    struct rdmap_read_request read = {
        .sink_stag = 0x51000000, .sink_to = 0, .size = size, .source_stag = stag, .source_to = to};
    uint8_t header[RDMAP_READ_REQUEST_LEN];
    struct rpcrdma_talk_read *r;

    assert_true(t->n_reads[side] < TALK_READS_MAX);
    r = &t->reads[side][t->n_reads[side]++];
    *r = (struct rpcrdma_talk_read){.op = {.number = ++t->operations,
                                           .kind = RDMAP_OP_READ,
                                           .opcode = RDMAP_READ_REQUEST,
                                           .side = (uint8_t)side,
                                           .read = read}};
    rdmap_read_request_encode(&read, header, sizeof header);
    return talk_segments(
        t, side,
        (struct ddp_segment){
            .last = true, .opcode = RDMAP_READ_REQUEST, .qn = DDP_QN_READ_REQUEST, .msn = (uint32_t)t->operations},
        &r->op, header, sizeof header);
}

uint32_t talk_read_response(struct rpcrdma_talk *t, unsigned side, const void *p, size_t n)
{
    struct rpcrdma_talk_read *r = &t->reads[1 - side][0];
    uint8_t *octets = calloc(1, n + 1);
    bool last = r->got + n >= r->op.read.size;
    struct place first;

    assert_true(t->n_reads[1 - side] > 0);
    assert_non_null(octets);
    if (p)
        memcpy(octets, p, n);
    first = talk_place(t, side);
    first.frame = first.first_frame = t->frame + 1;
    if (r->got == 0) {
        r->op.first_answer = first;
        r->part.message = t->messages[side]++;
    }
    talk_part(t, side,
              (struct ddp_segment){.tagged = true,
                                   .last = last,
                                   .opcode = RDMAP_READ_RESPONSE,
                                   .stag = r->op.read.sink_stag,
                                   .to = r->op.read.sink_to + r->got},
              &r->op, octets, n, &r->part);
    r->got += (uint32_t)n;
    free(octets);
    if (last) {
        memmove(r, r + 1, (t->n_reads[1 - side] - 1) * sizeof *r);
        t->n_reads[1 - side]--;
    }
    return t->frame;
}

/* ---- the rest ---- */

void talk_lose(struct rpcrdma_talk *t, unsigned side, uint64_t octets, unsigned sends)
{
    t->end[side] += octets;
    t->msn[side] += sends;
    t->resync = true;
    rpcrdma_connection_skipped(t->rpcrdma, side);
}

void talk_hole(struct rpcrdma_talk *t, unsigned side)
{
    talk_lose(t, side, 1000, 1);
}

void talk_wait(struct rpcrdma_talk *t, int64_t nanoseconds)
{
    t->time_ns += nanoseconds;
}

void talk_end(struct rpcrdma_talk *t, unsigned side, bool reset)
{
    struct rdma_closing closing = {.missing = {t->missing[0], t->missing[1]},
                                   .forgotten = t->forgotten,
                                   .bare = t->bare || t->forgotten,
                                   .silent = t->silent,
                                   .resent = t->resent_ns != 0,
                                   .resent_ns = t->resent_ns,
                                   .acked = t->unacknowledged ? 0 : t->end[1 - side]};
    struct place place;

    talk_step(t);
    place = talk_place(t, side);
    rpcrdma_connection_closing(t->rpcrdma, &closing);
    rpcrdma_connection_end(t->rpcrdma, side, reset, &place);
}

void talk_finish(struct rpcrdma_talk *t)
{
    rpcrdma_connection_finish(t->rpcrdma, t->time_ns);
    nfs_connection_finish(t->nfs);
}

void talk_close(struct rpcrdma_talk *t, unsigned first)
{
    talk_end(t, first, false);
    talk_end(t, 1 - first, false);
}

void talk_free(struct rpcrdma_talk *t)
{
    rpcrdma_connection_free(t->rpcrdma);
    nfs_connection_free(t->nfs);
    free(t);
}

void talk_greet(struct rpcrdma_talk *t)
{
    talk_call(t, C, TALK_GREETING_XID);
    talk_reply(t, S, TALK_GREETING_XID);
}

struct rpcrdma_talk *talk_new_with(const struct rpcrdma_options *options)
{
    struct rpcrdma_talk *t = talk_new_bare(options);

    talk_startup(t, C, true, 4096, 4096);
    talk_startup(t, S, true, 4096, 4096);
    talk_greet(t);
    return t;
}

struct rpcrdma_talk *talk_new(void)
{
    const struct rpcrdma_options options = {.profile = PROFILE_IETF};

    return talk_new_with(&options);
}

/* ---- the outcome ---- */

void talk_expect(struct rpcrdma_talk *t, enum rule_id rule, enum rule_severity severity, uint32_t frame)
{
    talk_finish(t);
    findings_expect_one(&t->seen, rule, severity, frame);
    talk_free(t);
}

void talk_expect_nothing(struct rpcrdma_talk *t)
{
    talk_finish(t);
    findings_expect(&t->seen, -1, "", "found");
    talk_free(t);
}
