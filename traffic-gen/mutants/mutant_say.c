// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What mutants do instead of what is due:
 *
 *   take, drop               as if it were right; as if it had not come, or was not to be sent
 *   hang                     the connection stays
 *   term LAYER/ETYPE/CODE    an error where there is none, or another one
 *   error chunk, error vers, reply accept=N     these answers to a Call
 *   close, fin, rst          the end, of the queue pair or of MPA alone; a start-up frame is refused
 *   note, forget             counts (`seen`); starts again
 *   keep                     remembers STag, Tagged Offset and length (`kept.stag` ...), or stag=N, len=N
 *   send hex=HEX, echo from=N, write stag=N to=N len=N, answer sink=N sinkto=N len=N, call xid=N
 *                            a message of its own: octets; those received; a Write; a Read Response; a NULL Call
 *   mpa-reply reject, stream HEX, fpdu HEX     octets of its own, or instead of those that were due
 *   fill n=N, patch at=N word=N, flip     the Send has as many octets; a word, or the last octet, of what is sent
 *   point at=N to=N         of own-fpdu: its Marker at that place points to another one
 *   place, operate           what a Write or an Atomic Operation does to memory, though it is refused
 *   may-send                 before it may
 *   mute ms=N                every connection of the device for a while
 */
#include "traffic-gen/ends/mpa_end_internal.h"
#include "traffic-gen/ends/queue_pair_internal.h"
#include "traffic-gen/ends/rpc_header.h"
#include "traffic-gen/mutants/mutant.h"
#include "wire/atomic.h"
#include "wire/octets.h"

#include <string.h>

enum { ANSWER_MAX = 256, FILLER = 0xA5, OWN_XID = 0x7D000000 };

/* ---- words ---- */

static const struct word *mutant_say_word_at(const struct statement *statement, unsigned i)
{
    return i < statement->words->len ? &g_array_index(statement->words, struct word, i) : NULL;
}

static uint64_t mutant_say_value_of(struct scene *scene, const struct word *word)
{
    struct words_place place = {0};

    if (!word->is_number && word->text)
        place = scene_place(scene, word->text);
    return place.p ? words_get(&place) : word->number;
}

static uint64_t mutant_say_number_of(struct scene *scene, const struct statement *statement, const char *name,
                                     uint64_t otherwise)
{
    for (unsigned i = 0; i < statement->words->len; i++) {
        const struct word *word = mutant_say_word_at(statement, i);

        if (word->op && strcmp(word->name, name) == 0)
            return mutant_say_value_of(scene, word);
    }
    return otherwise;
}

/* The first word. */
static const char *mutant_say_first_of(const struct statement *statement)
{
    const struct word *word = mutant_say_word_at(statement, 0);

    return word ? word->name : "";
}

static void mutant_say_change(struct scene *scene, const struct statement *statement)
{
    for (unsigned i = 0; i < statement->words->len; i++) {
        struct word word = *mutant_say_word_at(statement, i);
        struct words_place place = scene_place(scene, word.name);

        if (!place.p)
            continue;
        word.number = mutant_say_value_of(scene, &word);
        words_set(&place, word_apply(&word, words_get(&place)));
        scene->changed = true;
    }
}

/* ---- judgements ---- */

static void mutant_say_take(struct scene *scene, const struct statement *words)
{
    (void)words;
    scene->verdict = TAKEN;
    scene->answer = RPC_END_SERVE;
}

static void mutant_say_drop(struct scene *scene, const struct statement *words)
{
    (void)words;
    scene->verdict = DROPPED;
    scene->answer = RPC_END_DISCARD;
}

static void mutant_say_terminate(struct scene *scene, const struct statement *words)
{
    unsigned layer = 0, etype = 0, code = 0;

    words_match(mutant_say_first_of(words), "%/%/%", &layer, &etype, &code);
    scene->cause = QP_CAUSE(layer, etype, code);
    scene->verdict = TERMINATED;
    if (scene->event == ON_RECEIVED || scene->event == ON_TICK)
        qp_terminate(scene->mutant->qp, layer, etype, code);
}

static void answer_error(struct scene *scene, const struct statement *words)
{
    scene->verdict = ANSWERED;
    scene->answer = strcmp(mutant_say_first_of(words), "vers") == 0 ? RPC_END_SAY_VERS : RPC_END_SAY_CHUNK;
}

static void answer_reply(struct scene *scene, const struct statement *words)
{
    scene->verdict = ANSWERED;
    scene->answer =
        mutant_say_number_of(scene, words, "accept", 0) == RPC_GARBAGE_ARGS ? RPC_END_SAY_GARBAGE : RPC_END_SAY_UNAVAIL;
}

static void mutant_say_end(struct scene *scene, const struct statement *words)
{
    (void)words;
    scene->verdict = CLOSED;
    scene->answer = RPC_END_HANG_UP;
    if (scene->event != ON_FRAME && scene->event != ON_MESSAGE)
        qp_close(scene->mutant->qp, false);
}

static void mutant_say_finish(struct scene *scene, const struct statement *words)
{
    (void)words;
    mpa_end_close(scene->mpa, false);
}

/* A message is still being worked on: a reset gives up the Calls, and comes after that. */
static void mutant_say_reset(struct scene *scene, const struct statement *words)
{
    (void)words;
    if (scene->event != ON_MESSAGE) {
        qp_close(scene->mutant->qp, true);
        return;
    }
    scene->verdict = CLOSED;
    scene->answer = RPC_END_RESET;
}

/* ---- memory ---- */

static void mutant_say_note(struct scene *scene, const struct statement *words)
{
    (void)words;
    scene->mutant->seen++;
    scene->mutant->noted = g_get_monotonic_time();
    scene->age = 0;
}

static void mutant_say_forget(struct scene *scene, const struct statement *words)
{
    (void)words;
    scene->mutant->seen = 0;
}

static void mutant_say_keep(struct scene *scene, const struct statement *words)
{
    scene->mutant->kept_stag = (uint32_t)mutant_say_number_of(scene, words, "stag", scene->ddp.stag);
    scene->mutant->kept_to = scene->ddp.to;
    scene->mutant->kept_length = (uint32_t)mutant_say_number_of(scene, words, "len", scene->ddp.payload_len);
}

/* Memory of the device that the peer may write to. NULL: it is not. */
static uint8_t *open_memory(const struct scene *scene, uint32_t stag, uint64_t to, size_t n)
{
    const struct soft_qp *qp = soft_qp_of(scene->mutant->qp);
    uint8_t *p;

    return qp && n > 0 && memory_access_by(qp->memory, qp, stag, to, n, MEMORY_REMOTE_WRITE, &p) == MEMORY_OK ? p
                                                                                                              : NULL;
}

static void mutant_say_place(struct scene *scene, const struct statement *words)
{
    const struct ddp_segment *ddp = &scene->ddp;
    bool is_write = ddp->tagged && ddp->opcode == RDMAP_WRITE;
    uint8_t *p = is_write ? open_memory(scene, ddp->stag, ddp->to, ddp->payload_len) : NULL;

    (void)words;
    if (p)
        memcpy(p, ddp->payload, ddp->payload_len);
}

static void operate(struct scene *scene, const struct statement *words)
{
    uint8_t *p = open_memory(scene, scene->atomic.stag, scene->atomic.to, sizeof(uint64_t));
    uint64_t result;

    (void)words;
    if (p && rdmap_atomic_apply(&scene->atomic, get_be64(p), &result))
        put_be64(p, result);
}

static void be_mute(struct scene *scene, const struct statement *words)
{
    mutant_mute((int64_t)mutant_say_number_of(scene, words, "ms", 0));
}

/* ---- messages ---- */

static void mutant_say_post_send(const struct scene *scene, const uint8_t *p, size_t n)
{
    qp_post(scene->mutant->qp, &(struct qp_work){.kind = QP_SEND, .p = p, .n = n});
}

static void mutant_say_send_octets(struct scene *scene, const struct statement *words)
{
    GByteArray *octets = words_octets(NULL, mutant_say_word_at(words, 0)->text);

    mutant_say_post_send(scene, octets->data, octets->len);
    g_byte_array_unref(octets);
}

static void mutant_say_echo(struct scene *scene, const struct statement *words)
{
    size_t from = mutant_say_number_of(scene, words, "from", scene->ulpdu_n - scene->ddp.payload_len);

    if (from <= scene->ulpdu_n)
        mutant_say_post_send(scene, scene->ulpdu + from, scene->ulpdu_n - from);
}

static void post_write(struct scene *scene, const struct statement *words)
{
    static uint8_t filler[ANSWER_MAX * 8];
    const struct qp_work work = {.kind = QP_WRITE,
                                 .p = filler,
                                 .n = MIN(mutant_say_number_of(scene, words, "len", 0), sizeof filler),
                                 .remote_stag = (uint32_t)mutant_say_number_of(scene, words, "stag", 0),
                                 .remote_to = mutant_say_number_of(scene, words, "to", 0)};

    memset(filler, FILLER, sizeof filler);
    qp_post(scene->mutant->qp, &work);
}

/* A Read Response in one segment. */
static void mutant_say_answer_read(struct scene *scene, const struct statement *words)
{
    static const uint8_t octets[ANSWER_MAX] = "of memory that is none of yours";
    const struct ddp_segment segment = {.tagged = true,
                                        .last = true,
                                        .dv = 1,
                                        .rv = 1,
                                        .opcode = RDMAP_READ_RESPONSE,
                                        .stag =
                                            (uint32_t)mutant_say_number_of(scene, words, "sink", scene->read.sink_stag),
                                        .to = mutant_say_number_of(scene, words, "sinkto", scene->read.sink_to)};
    uint8_t header[DDP_TAGGED_HEADER_LEN];

    ddp_header_encode(&segment, header, sizeof header);
    mpa_end_send(scene->mpa, header, sizeof header, octets,
                 MIN(mutant_say_number_of(scene, words, "len", 0), sizeof octets));
}

static void post_call(struct scene *scene, const struct statement *words)
{
    uint8_t octets[RPC_NULL_SEND];

    rpc_null_send(octets, (uint32_t)mutant_say_number_of(scene, words, "xid", OWN_XID + scene->mutant->calls++));
    mutant_say_post_send(scene, octets, sizeof octets);
}

/* ---- octets ---- */

static void mutant_say_reject(struct scene *scene, const struct statement *words)
{
    const struct mpa_startup frame = {.kind = MPA_REPLY, .flags = MPA_FLAG_R | MPA_FLAG_C, .revision = 1};
    uint8_t octets[MPA_STARTUP_HEADER_LEN];

    (void)words;
    mpa_end_write(scene->mpa, octets, mpa_startup_encode(&frame, octets, sizeof octets));
}

static void stream(struct scene *scene, const struct statement *words)
{
    GByteArray *octets = words_octets(NULL, mutant_say_first_of(words));

    if (!scene->octets) {
        mpa_end_write(scene->mpa, octets->data, octets->len);
    } else if (octets->len <= scene->octets_size) {
        memcpy(scene->octets, octets->data, octets->len);
        scene->n = octets->len;
        scene->changed = true;
    }
    g_byte_array_unref(octets);
}

static void replace_ulpdu(struct scene *scene, const struct statement *words)
{
    GByteArray *octets = words_octets(NULL, mutant_say_first_of(words));
    struct mpa_fpdu_plan *plan = scene->plan;

    if (plan && octets->len <= sizeof scene->mutant->octets) {
        memcpy(scene->mutant->octets, octets->data, octets->len);
        plan->ulpdu = scene->mutant->octets;
        plan->ulpdu_octets = plan->ulpdu_length = (uint16_t)octets->len;
        plan->pad_length = (uint8_t)mpa_pad_length(plan->ulpdu_length);
    }
    g_byte_array_unref(octets);
}

static void change_pointer(void *ctx, uint8_t marker[MPA_MARKER_LEN], uint64_t offset, unsigned index)
{
    const struct mutant *mutant = ctx;

    (void)offset;
    (void)index;
    if (get_be16(marker + 2) == mutant->pointer)
        put_be16(marker + 2, mutant->pointer_spoilt);
}

static void mutant_say_point(struct scene *scene, const struct statement *words)
{
    scene->mutant->pointer = (uint16_t)mutant_say_number_of(scene, words, "at", 0);
    scene->mutant->pointer_spoilt = (uint16_t)mutant_say_number_of(scene, words, "to", 0);
    scene->plan->marker_hook = change_pointer;
    scene->plan->hook_ctx = scene->mutant;
}

static void mutant_say_fill(struct scene *scene, const struct statement *words)
{
    if (scene->send)
        g_byte_array_set_size(scene->send, (guint)mutant_say_number_of(scene, words, "n", scene->send->len));
}

/* Octets of what is about to be sent, n of them, which may be changed. NULL: too many. */
static uint8_t *changeable(struct scene *scene, size_t *n)
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
        memcpy(octets, scene->plan->ulpdu, *n);
        scene->plan->ulpdu = octets;
    } else if (scene->work) {
        memcpy(octets, scene->work->p, *n);
        scene->work->p = octets;
    }
    return octets;
}

static void patch(struct scene *scene, const struct statement *words)
{
    size_t at = mutant_say_number_of(scene, words, "at", 0), n;
    uint8_t *octets = changeable(scene, &n);

    if (octets && n >= sizeof(uint32_t) && at <= n - sizeof(uint32_t))
        put_be32(octets + at, (uint32_t)mutant_say_number_of(scene, words, "word", 0));
}

static void flip(struct scene *scene, const struct statement *words)
{
    size_t n;
    uint8_t *octets = changeable(scene, &n);

    (void)words;
    if (octets && n > 0)
        octets[n - 1] ^= 1;
}

static void mutant_say_may_send(struct scene *scene, const struct statement *words)
{
    (void)words;
    scene->mpa->may_send = true;
}

/* ---- all ---- */

/* In the words, * is one without a value. */
static const struct mutant_say says[] = {
    {"take", "", mutant_say_take},
    {"drop", "", mutant_say_drop},
    {"hang", "", mutant_say_drop},
    {"term", "*", mutant_say_terminate},
    {"error", "*", answer_error},
    {"reply", "accept", answer_reply},
    {"close", "", mutant_say_end},
    {"fin", "", mutant_say_finish},
    {"rst", "", mutant_say_reset},
    {"note", "", mutant_say_note},
    {"forget", "", mutant_say_forget},
    {"keep", "stag len", mutant_say_keep},
    {"place", "", mutant_say_place},
    {"operate", "", operate},
    {"mute", "ms", be_mute},
    {"send", "hex", mutant_say_send_octets},
    {"echo", "from", mutant_say_echo},
    {"write", "stag to len", post_write},
    {"answer", "sink sinkto len", mutant_say_answer_read},
    {"call", "xid", post_call},
    {"mpa-reply", "*", mutant_say_reject},
    {"stream", "*", stream},
    {"fpdu", "*", replace_ulpdu},
    {"fill", "n", mutant_say_fill},
    {"point", "at to", mutant_say_point},
    {"patch", "at word", patch},
    {"flip", "", flip},
    {"may-send", "", mutant_say_may_send},
};

const struct mutant_say *mutant_say_find(const char *name)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(says); i++) {
        if (strcmp(says[i].name, name) == 0)
            return &says[i];
    }
    return NULL;
}

void mutant_carry_out(struct scene *scene, const struct mutant_statement *statement)
{
    if (statement->say)
        statement->say->say(scene, statement->words);
    else
        mutant_say_change(scene, statement->words);
}
