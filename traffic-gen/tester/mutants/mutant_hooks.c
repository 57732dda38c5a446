// SPDX-License-Identifier: GPL-2.0-or-later
/* Events of the stack's ends: each becomes a scene, which is passed to the mutant's function. */
#include "traffic-gen/ends/stack/queue_pair_internal.h"
#include "traffic-gen/tester/mutants/mutant.h"
#include "wire/crc32c.h"

#include <string.h>

static int64_t mute_until;

void mutant_mute(uint64_t ms)
{
    mute_until = g_get_monotonic_time() + (int64_t)ms * 1000;
}

/* ---- octets ---- */

bool scene_key_is(const struct scene *scene, const char *pattern)
{
    char key[MPA_KEY_LEN + 1] = "";

    if (scene->p)
        memcpy(key, scene->p, MIN(scene->n, MPA_KEY_LEN));
    return g_pattern_match_simple(pattern, key);
}

uint8_t scene_octet(const struct scene *scene, size_t at)
{
    return scene->p && at < scene->n ? scene->p[at] : 0;
}

uint32_t scene_word(const struct scene *scene, size_t at)
{
    return scene->p && scene->n >= 4 && at <= scene->n - 4 ? get_be32(scene->p + at) : 0;
}

/* Everything that is about to be sent, *n octets; NULL: too many. */
static uint8_t *hooks_sent(struct scene *scene, size_t *n)
{
    uint8_t *octets = scene->mutant->octets;

    if (scene->send) {
        *n = scene->send->len;
        return scene->send->data;
    }
    *n = scene->plan ? scene->plan->ulpdu_octets : scene->work ? scene->work->n : 0;
    if (*n > sizeof scene->mutant->octets)
        return NULL;
    if (scene->plan) {
        memmove(octets, scene->plan->ulpdu, *n);
        scene->plan->ulpdu = octets;
    } else if (scene->work) {
        memmove(octets, scene->work->p, *n);
        scene->work->p = octets;
    }
    return octets;
}

uint8_t *scene_sent(struct scene *scene, ptrdiff_t at, size_t n)
{
    static uint8_t past[8];
    size_t all, from;
    uint8_t *octets = hooks_sent(scene, &all);

    from = at < 0 ? all + (size_t)at : (size_t)at;
    return octets && from <= all && n <= all - from ? octets + from : past;
}

/* ---- the connection ---- */

/* An FPDU of which only a part has come. */
static void hooks_add_rest(struct scene *scene)
{
    const struct mpa_end *mpa = scene->mpa;
    const uint8_t *p = mpa->reader.p;
    const size_t n = mpa->reader.n, ulpdu = n >= MPA_LENGTH_LEN ? get_be16(p) : 0;
    const uint64_t into_marker = (mpa->in_offset - mpa->framing_in.seq_start) % MPA_MARKER_PERIOD;

    scene->rest = n;
    scene->pad_at = MPA_LENGTH_LEN + ulpdu;
    scene->crc_at = scene->pad_at + mpa_pad_length((uint16_t)ulpdu);
    scene->into_marker = into_marker < MPA_MARKER_LEN ? into_marker : 0;
    scene->operation_octets = mpa->in_offset - mpa->framing_in.seq_start;
    scene->more = n + mpa->reader.rest_n > 0;
    if (n < MPA_LENGTH_LEN + DDP_UNTAGGED_HEADER_LEN + 12)
        return;
    scene->ddp.opcode = p[3] & 0x0F;
    scene->read.sink_stag = get_be32(p + MPA_LENGTH_LEN + DDP_UNTAGGED_HEADER_LEN);
    scene->read.sink_to = get_be64(p + MPA_LENGTH_LEN + DDP_UNTAGGED_HEADER_LEN + 4);
}

static void hooks_add_mpa(struct scene *scene)
{
    const struct mpa_end *mpa = scene->mpa;

    scene->p = mpa->startup->data;
    scene->n = scene->startup = mpa->startup->len;
    if (scene->n >= MPA_STARTUP_HEADER_LEN)
        scene->frame_end = MPA_STARTUP_HEADER_LEN + (size_t)get_be16(scene->p + MPA_STARTUP_HEADER_LEN - 2);
    scene->frame = scene->peer = mpa->peer;
    if (mpa->state == MPA_END_OPERATION)
        hooks_add_rest(scene);
}

static struct scene hooks_begin(void *ctx, enum mutant_event event)
{
    struct mutant *mutant = ctx;
    struct scene scene = {
        .event = event, .mutant = mutant, .mpa = qp_mpa(mutant->qp), .mute = g_get_monotonic_time() < mute_until};

    if (scene.mpa)
        hooks_add_mpa(&scene);
    return scene;
}

/* ---- MPA ---- */

static int on_frame(void *ctx, struct mpa_startup *frame, int error)
{
    struct scene scene = hooks_begin(ctx, ON_FRAME);

    scene.error = error != MPA_END_RIGHT;
    scene.mutant->how->play(&scene);
    if (scene.changed)
        *frame = scene.frame;
    if (scene.verdict == AS_DUE)
        return error;
    return scene.verdict == TAKEN ? MPA_END_RIGHT : MPA_END_BAD_FRAME;
}

static const struct {
    int error;
    unsigned cause;
} fpdu_errors[] = {{MPA_END_BAD_CRC, QP_CAUSE(2, 0, 0x02)},
                   {MPA_END_BAD_MARKER, QP_CAUSE(2, 0, 0x03)},
                   {MPA_END_BAD_FPDU, QP_CAUSE(2, 0, 0x03)},
                   {MPA_END_NO_RTR, QP_CAUSE(2, 0, 0x07)}};

static void add_fpdu(struct scene *scene, const struct mpa_fpdu *fpdu)
{
    for (unsigned i = 0; i < fpdu->pad_length; i++)
        scene->pad = scene->pad << 8 | fpdu->pad[i];
    scene->pad_length = fpdu->pad_length;
    scene->crc = fpdu->crc;
    scene->crc_difference = crc32c(fpdu->octets, fpdu->length - MPA_CRC_LEN) ^ fpdu->crc; /* whatever was negotiated */
    for (unsigned i = 0; i < fpdu->n_markers; i++) {
        const struct mpa_marker *marker = &fpdu->markers[i];

        scene->marker_reserved |= marker->reserved;
        scene->marker_low_bits |= marker->fpduptr & 3;
    }
}

/* The ULPDU in the form that RDMAP uses. */
static void add_ulpdu(struct scene *scene, const uint8_t *p, size_t n)
{
    struct ddp_segment *ddp = &scene->ddp;

    scene->ulpdu = p;
    scene->ulpdu_n = n;
    *ddp = (struct ddp_segment){.opcode = n > 1 ? p[1] & 0x0F : UINT8_MAX};
    scene->read = (struct rdmap_read_request){0};
    if (!ddp_segment_decode(ddp, p, n))
        return;
    scene->p = ddp->payload;
    scene->n = ddp->payload_len;
    rdmap_read_request_decode(&scene->read, ddp->payload, ddp->payload_len);
    if (ddp->opcode == RDMAP_ATOMIC_REQUEST)
        rdmap_atomic_request_decode(&scene->atomic, ddp->payload, ddp->payload_len);
    else if (ddp->opcode == RDMAP_TERMINATE)
        rdmap_terminate_decode(&scene->terminate, ddp->payload, ddp->payload_len);
}

/* Likewise for a ULPDU of the mutant with changed fields. */
static void say_ulpdu(struct scene *scene)
{
    size_t n;
    uint8_t *octets = hooks_sent(scene, &n), *p = octets;

    if (!octets)
        return;
    p += ddp_header_encode(&scene->ddp, octets, n);
    if (scene->ddp.opcode == RDMAP_ATOMIC_REQUEST)
        rdmap_atomic_request_encode(&scene->atomic, p, n - (size_t)(p - octets));
}

static int hooks_on_fpdu(void *ctx, const struct mpa_fpdu *fpdu, int error)
{
    struct scene scene = hooks_begin(ctx, ON_FPDU);

    for (unsigned i = 0; i < G_N_ELEMENTS(fpdu_errors); i++) {
        if (fpdu_errors[i].error == error)
            scene.error = fpdu_errors[i].cause;
    }
    add_ulpdu(&scene, fpdu->ulpdu, fpdu->ulpdu_length);
    add_fpdu(&scene, fpdu);
    scene.mutant->how->play(&scene);
    scene.mutant->fpdus++;
    if (scene.verdict == TAKEN)
        return MPA_END_RIGHT;
    for (unsigned i = 0; scene.verdict == TERMINATED && i < G_N_ELEMENTS(fpdu_errors); i++) {
        if (fpdu_errors[i].cause == scene.cause)
            return fpdu_errors[i].error;
    }
    return error;
}

static void hooks_on_received(void *ctx)
{
    struct scene scene = hooks_begin(ctx, ON_RECEIVED);

    if (!scene.mpa->closed)
        scene.mutant->how->play(&scene);
}

static void hooks_on_tick(void *ctx)
{
    struct scene scene = hooks_begin(ctx, ON_TICK);

    scene.mutant->how->play(&scene);
}

static bool hooks_on_close(void *ctx, bool *reset)
{
    struct scene scene = hooks_begin(ctx, ON_CLOSE);

    (void)reset;
    scene.mutant->how->play(&scene);
    return scene.verdict != DROPPED;
}

static void on_own_frame(void *ctx, struct mpa_startup *frame)
{
    struct scene scene = hooks_begin(ctx, ON_OWN_FRAME);

    scene.frame = *frame;
    scene.mutant->how->play(&scene);
    if (!scene.changed)
        return;
    *frame = scene.frame;
    mpa_startup_fix_length(frame);
}

static void on_own_fpdu(void *ctx, struct mpa_fpdu_plan *plan)
{
    struct scene scene = hooks_begin(ctx, ON_OWN_FPDU);

    scene.plan = plan;
    scene.markers = plan->framing.markers;
    add_ulpdu(&scene, plan->ulpdu, plan->ulpdu_octets);
    scene.mutant->how->play(&scene);
    if (scene.changed)
        say_ulpdu(&scene);
}

static void on_own_octets(void *ctx, uint8_t *p, size_t *n, size_t size)
{
    struct scene scene = hooks_begin(ctx, ON_OWN_OCTETS);

    scene.octets = p;
    scene.octets_size = size;
    scene.p = p;
    scene.n = *n;
    scene.ddp.opcode = *n > 3 ? p[3] & 0x0F : UINT8_MAX;
    if (*n >= MPA_STARTUP_HEADER_LEN)
        scene.startup_data = *n - MIN(*n, MPA_STARTUP_HEADER_LEN + (size_t)(p[16] & MPA_FLAG_S ? MPA_ENHANCED_LEN : 0));
    scene.mutant->how->play(&scene);
    if (scene.changed)
        *n = scene.n;
    if (scene.verdict == DROPPED)
        *n = 0;
}

/* ---- queue pairs ---- */

static void add_header(struct scene *scene, const struct rpcrdma_header *header, const uint8_t *p, size_t n)
{
    scene->header = *header;
    scene->rpc_length = n - MIN(n, header->header_len);
    scene->rpc_xid = scene->rpc_length >= 4 ? get_be32(p + header->header_len) : 0;
    scene->rpc_proc = scene->rpc_length >= 24 ? get_be32(p + header->header_len + 20) : 0;
    scene->last = scene->rpc_length >= 4 ? get_be32(p + n - 4) : 0;
}

/* A Send in one segment may be an RPC-over-RDMA message. */
static void add_send(struct scene *scene)
{
    const struct ddp_segment *ddp = &scene->ddp;
    struct rpcrdma_header header;

    if (ddp->tagged || ddp->qn != DDP_QN_SEND)
        return;
    if (ddp->mo != 0 || rpcrdma_header_decode(&header, ddp->payload, ddp->payload_len) == RPCRDMA_SHORT)
        return;
    add_header(scene, &header, ddp->payload, ddp->payload_len);
    scene->call = header.proc == RPCRDMA_MSG && scene->rpc_length >= RPC_CALL_MIN &&
                  get_be32(ddp->payload + header.header_len + 4) == RPC_CALL;
}

static unsigned hooks_on_ulpdu(void *ctx, unsigned cause, const uint8_t *p, size_t n)
{
    struct scene scene = hooks_begin(ctx, ON_ULPDU);

    scene.error = cause;
    add_ulpdu(&scene, p, n);
    if (scene.ulpdu_n > 1 && scene.ddp.payload)
        add_send(&scene);
    scene.mutant->how->play(&scene);
    if (scene.verdict == DROPPED || scene.verdict == TAKEN)
        return scene.verdict == TAKEN ? 0 : QP_DROP;
    return scene.verdict == TERMINATED ? scene.cause : cause;
}

static bool on_own_term(void *ctx, struct rdmap_terminate *message)
{
    struct scene scene = hooks_begin(ctx, ON_OWN_TERM);

    scene.terminate = *message;
    scene.error = QP_CAUSE(message->layer, message->etype, message->code);
    scene.mutant->how->play(&scene);
    *message = scene.terminate;
    return scene.verdict != DROPPED;
}

static void on_own_result(void *ctx, const struct rdmap_atomic_request *operation, uint64_t *left, uint64_t *original)
{
    struct scene scene = hooks_begin(ctx, ON_OWN_RESULT);

    scene.atomic = *operation;
    scene.left = *left;
    scene.original = *original;
    scene.mutant->how->play(&scene);
    *left = scene.left;
    *original = scene.original;
}

/* ---- RPC-over-RDMA ---- */

static void hooks_add_chunks(struct scene *scene, const struct rpcrdma_header *header, const uint8_t *p)
{
    struct rpcrdma_chunk chunk = rpcrdma_write_begin(header);
    struct rpcrdma_segment first = {0};

    for (uint32_t i = 0; i < MIN(header->read.n, SCENE_READS); i++)
        scene->reads[i] = rpcrdma_read_segment_at(header, p, i);
    for (uint32_t i = 0; i < header->read.n; i++)
        scene->reads_length += rpcrdma_read_segment_at(header, p, i).target.length;
    if (rpcrdma_write_next(header, p, &chunk)) {
        scene->write0_n = chunk.n;
        first = chunk.n > 0 ? rpcrdma_segment_at(&chunk, p, 0) : first;
        scene->write0_length = first.length;
    }
    chunk = header->has_reply ? rpcrdma_reply_chunk(header) : (struct rpcrdma_chunk){0};
    if (chunk.n > 0) {
        first = rpcrdma_segment_at(&chunk, p, 0);
        scene->reply0_length = first.length;
        for (uint32_t i = 0; i < chunk.n; i++)
            scene->reply_length += rpcrdma_segment_at(&chunk, p, i).length;
    }
    scene->ddp.stag = first.handle;
    scene->ddp.to = first.offset;
    scene->ddp.payload_len = first.length;
}

static enum rpc_end_answer hooks_on_message(void *ctx, const struct rpc_end_incoming *in, enum rpc_end_answer due)
{
    struct scene scene = hooks_begin(ctx, ON_MESSAGE);

    scene.p = in->p;
    scene.n = in->n;
    scene.sent = in->p;
    scene.call = in->call;
    add_header(&scene, in->header, in->p, in->p ? in->n : 0);
    scene.sound = in->p && in->header->status == RPCRDMA_OK && in->header->vers == RPCRDMA_VERSION;
    if (in->p && in->header->status != RPCRDMA_SHORT)
        hooks_add_chunks(&scene, in->header, in->p);
    scene.mutant->how->play(&scene);
    return scene.verdict == AS_DUE ? due : scene.answer;
}

static void hooks_on_private_data(void *ctx, struct rpcrdma_private_data *peer, const uint8_t *p, size_t n)
{
    struct scene scene = hooks_begin(ctx, ON_PRIVATE_DATA);

    scene.pd = *peer;
    scene.p = p;
    scene.n = n;
    scene.mutant->how->play(&scene);
    *peer = scene.pd;
}

static void on_own_header(void *ctx, struct rpcrdma_plan *plan)
{
    struct scene scene = hooks_begin(ctx, ON_OWN_HEADER);
    bool has_segment = plan->n_writes > 0 && plan->writes[0].n > 0;

    scene.header.proc = plan->proc;
    scene.header.credit = plan->credit;
    scene.header.write.n = plan->n_writes;
    scene.write0_n = plan->n_writes > 0 ? plan->writes[0].n : 0;
    scene.write0_length = has_segment ? plan->writes[0].segments[0].length : 0;
    scene.mutant->how->play(&scene);
    plan->credit = scene.header.credit;
    if (scene.changed && has_segment) /* the segments are its own */
        ((struct rpcrdma_segment *)plan->writes[0].segments)->length = scene.write0_length;
}

static void on_own_send(void *ctx, GByteArray *octets)
{
    struct scene scene = hooks_begin(ctx, ON_OWN_SEND);

    scene.send = octets;
    scene.p = octets->data;
    scene.n = octets->len;
    scene.mutant->how->play(&scene);
}

static bool hooks_on_work(void *ctx, struct qp_work *work)
{
    struct scene scene = hooks_begin(ctx, ON_WORK);

    scene.work = work;
    scene.invalidate = work->invalidate;
    scene.p = work->kind == QP_SEND ? work->p : NULL;
    scene.n = work->n;
    scene.ddp.payload_len = work->n;
    scene.ddp.stag = work->remote_stag;
    scene.ddp.to = work->remote_to;
    scene.mutant->how->play(&scene);
    work->remote_stag = scene.ddp.stag;
    work->remote_to = scene.ddp.to;
    work->invalidate = scene.invalidate;
    return scene.verdict != DROPPED;
}

/* ---- hooks ---- */

static bool hooks_has(const struct misbehaviour *how, enum mutant_event event)
{
    return how->events >> event & 1;
}

struct mpa_end_spoil mutant_mpa_hooks(const struct misbehaviour *how)
{
    return (struct mpa_end_spoil){
        .judge_frame = hooks_has(how, ON_FRAME) ? on_frame : NULL,
        .judge_fpdu = hooks_on_fpdu, /* always: it counts FPDUs */
        .received = hooks_has(how, ON_RECEIVED) ? hooks_on_received : NULL,
        .tick = hooks_has(how, ON_TICK) ? hooks_on_tick : NULL,
        .close = hooks_has(how, ON_CLOSE) ? hooks_on_close : NULL,
        .frame = hooks_has(how, ON_OWN_FRAME) ? on_own_frame : NULL,
        .plan = hooks_has(how, ON_OWN_FPDU) ? on_own_fpdu : NULL,
        .octets = hooks_has(how, ON_OWN_OCTETS) ? on_own_octets : NULL,
    };
}

struct qp_spoil mutant_qp_hooks(const struct misbehaviour *how)
{
    return (struct qp_spoil){.judge = hooks_has(how, ON_ULPDU) ? hooks_on_ulpdu : NULL,
                             .terminate = hooks_has(how, ON_OWN_TERM) ? on_own_term : NULL,
                             .atomic = hooks_has(how, ON_OWN_RESULT) ? on_own_result : NULL};
}

struct rpc_end_spoil mutant_rpc_hooks(const struct misbehaviour *how)
{
    return (struct rpc_end_spoil){.decide = hooks_has(how, ON_MESSAGE) ? hooks_on_message : NULL,
                                  .peer = hooks_has(how, ON_PRIVATE_DATA) ? hooks_on_private_data : NULL,
                                  .header = hooks_has(how, ON_OWN_HEADER) ? on_own_header : NULL,
                                  .octets = hooks_has(how, ON_OWN_SEND) ? on_own_send : NULL,
                                  .work = hooks_has(how, ON_WORK) ? hooks_on_work : NULL};
}
