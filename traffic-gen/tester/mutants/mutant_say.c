// SPDX-License-Identifier: GPL-2.0-or-later
/* What mutants do in place of the conforming action: the statements of mutant_words.def. */
#include "traffic-gen/ends/stack/queue_pair_internal.h"
#include "traffic-gen/ends/stack/rpc_header.h"
#include "traffic-gen/tester/mutants/mutant.h"
#include "wire/atomic.h"

#include <string.h>

enum { ANSWER_MAX = 256, FILLER = 0xA5 };

/* ---- judgements ---- */

void mutant_decide(struct scene *scene, enum scene_verdict verdict, enum rpc_end_answer answer)
{
    scene->verdict = verdict;
    scene->answer = answer;
}

void mutant_terminate(struct scene *scene, unsigned cause)
{
    scene->cause = cause;
    scene->verdict = TERMINATED;
    if (scene->event == ON_RECEIVED || scene->event == ON_TICK)
        qp_terminate(scene->mutant->qp, cause >> 12, cause >> 8 & 0xF, cause & 0xFF);
}

void mutant_close(struct scene *scene)
{
    mutant_decide(scene, CLOSED, RPC_END_HANG_UP);
    if (scene->event != ON_FRAME && scene->event != ON_MESSAGE)
        qp_close(scene->mutant->qp, false);
}

/* A message is still being processed: a reset gives up the Calls, and comes later. */
void mutant_reset(struct scene *scene)
{
    if (scene->event != ON_MESSAGE)
        qp_close(scene->mutant->qp, true);
    else
        mutant_decide(scene, CLOSED, RPC_END_RESET);
}

/* ---- memory ---- */

void mutant_note(struct scene *scene)
{
    scene->mutant->seen++;
    scene->mutant->noted = g_get_monotonic_time();
}

void mutant_keep(struct scene *scene, uint64_t stag, uint64_t len)
{
    scene->mutant->kept_stag = (uint32_t)stag;
    scene->mutant->kept_to = scene->ddp.to;
    scene->mutant->kept_length = (uint32_t)len;
}

/* Memory of the device that the peer may write to. NULL: the range is not writable. */
static uint8_t *open_memory(const struct scene *scene, uint32_t stag, uint64_t to, size_t n)
{
    const struct soft_qp *qp = soft_qp_of(scene->mutant->qp);
    uint8_t *p;

    return qp && n > 0 && memory_access_by(qp->memory, qp, stag, to, n, MEMORY_REMOTE_WRITE, &p) == MEMORY_OK ? p
                                                                                                              : NULL;
}

void mutant_place(struct scene *scene)
{
    const struct ddp_segment *ddp = &scene->ddp;
    bool is_write = ddp->tagged && ddp->opcode == RDMAP_WRITE;
    uint8_t *p = is_write ? open_memory(scene, ddp->stag, ddp->to, ddp->payload_len) : NULL;

    if (p)
        memcpy(p, ddp->payload, ddp->payload_len);
}

void mutant_operate(struct scene *scene)
{
    uint8_t *p = open_memory(scene, scene->atomic.stag, scene->atomic.to, sizeof(uint64_t));
    uint64_t result;

    if (p && rdmap_atomic_apply(&scene->atomic, get_be64(p), &result))
        put_be64(p, result);
}

/* ---- messages ---- */

static void mutant_say_post_send(const struct scene *scene, const uint8_t *p, size_t n)
{
    qp_post(scene->mutant->qp, &(struct qp_work){.kind = QP_SEND, .p = p, .n = n});
}

void mutant_send(struct scene *scene, struct mutant_octets octets)
{
    mutant_say_post_send(scene, octets.p, octets.n);
}

void mutant_echo(struct scene *scene, uint64_t from)
{
    if (from <= scene->ulpdu_n)
        mutant_say_post_send(scene, scene->ulpdu + from, scene->ulpdu_n - from);
}

void mutant_write(struct scene *scene, uint64_t stag, uint64_t to, uint64_t len)
{
    static uint8_t filler[ANSWER_MAX * 8];
    const struct qp_work work = {
        .kind = QP_WRITE, .p = filler, .n = MIN(len, sizeof filler), .remote_stag = (uint32_t)stag, .remote_to = to};

    memset(filler, FILLER, sizeof filler);
    qp_post(scene->mutant->qp, &work);
}

/* A Read Response in one segment. */
void mutant_answer_read(struct scene *scene, uint64_t sink, uint64_t sink_to, uint64_t len)
{
    static const uint8_t octets[ANSWER_MAX] = "of memory that is not yours";
    const struct ddp_segment segment = {.tagged = true,
                                        .last = true,
                                        .dv = 1,
                                        .rv = 1,
                                        .opcode = RDMAP_READ_RESPONSE,
                                        .stag = (uint32_t)sink,
                                        .to = sink_to};
    uint8_t header[DDP_TAGGED_HEADER_LEN];

    ddp_header_encode(&segment, header, sizeof header);
    mpa_end_send(scene->mpa, header, sizeof header, octets, MIN(len, sizeof octets));
}

void mutant_call(struct scene *scene, uint64_t xid)
{
    uint8_t octets[RPC_NULL_SEND];

    rpc_null_send(octets, (uint32_t)xid);
    mutant_say_post_send(scene, octets, sizeof octets);
}

/* ---- octets ---- */

void mutant_reject(struct scene *scene)
{
    const struct mpa_startup frame = {.kind = MPA_REPLY, .flags = MPA_FLAG_R | MPA_FLAG_C, .revision = 1};
    uint8_t octets[MPA_STARTUP_HEADER_LEN];

    mpa_end_write(scene->mpa, octets, mpa_startup_encode(&frame, octets, sizeof octets));
}

void mutant_stream(struct scene *scene, struct mutant_octets octets)
{
    if (!scene->octets) {
        mpa_end_write(scene->mpa, octets.p, octets.n);
    } else if (octets.n <= scene->octets_size) {
        memcpy(scene->octets, octets.p, octets.n);
        scene->n = octets.n;
        scene->changed = true;
    }
}

void mutant_replace_ulpdu(struct scene *scene, struct mutant_octets octets)
{
    struct mpa_fpdu_plan *plan = scene->plan;

    if (!plan || octets.n > sizeof scene->mutant->octets)
        return;
    plan->ulpdu = memcpy(scene->mutant->octets, octets.p, octets.n);
    plan->ulpdu_octets = plan->ulpdu_length = (uint16_t)octets.n;
    plan->pad_length = (uint8_t)mpa_pad_length(plan->ulpdu_length);
}

static void change_pointer(void *ctx, uint8_t marker[MPA_MARKER_LEN], uint64_t offset, unsigned index)
{
    const struct mutant *mutant = ctx;

    (void)offset;
    (void)index;
    if (get_be16(marker + 2) == mutant->pointer)
        put_be16(marker + 2, mutant->pointer_spoilt);
}

void mutant_point(struct scene *scene, uint64_t at, uint64_t to)
{
    scene->mutant->pointer = (uint16_t)at;
    scene->mutant->pointer_spoilt = (uint16_t)to;
    scene->plan->marker_hook = change_pointer;
    scene->plan->hook_ctx = scene->mutant;
}
