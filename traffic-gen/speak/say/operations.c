// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/speak/say/operations.h"

#include "traffic-gen/speak/say/carrier.h"
#include "wire/atomic.h"
#include "wire/octets.h"

#include <string.h>

enum {
    SEGMENTS_KEPT = 64, /* a power of two */
    ECHO_MAX = DDP_UNTAGGED_HEADER_LEN + RDMAP_READ_REQUEST_LEN,
    QUEUES = 4,
};

/* A request that its peer has not answered completely. */
struct waiting {
    enum rdmap_opcode opcode;
    struct rdmap_read_request read;
    struct rdmap_atomic_request atomic;
    uint32_t done; /* octets of the Read Response */
};

struct kept_segment {
    uint8_t octets[ECHO_MAX];
    uint16_t length, kept;
};

struct open_message {
    bool open;
    struct ddp_segment next; /* position of its next segment */
};

struct operations {
    GArray *waiting[2]; /* of struct waiting; `answered` skips answered ones, which are removed in bulk */
    unsigned answered[2];
    GHashTable *memory;
    struct kept_segment kept[2][SEGMENTS_KEPT];
    unsigned segments[2];
    struct open_message untagged[2][QUEUES], tagged[2];
    uint32_t reads, atomics;
    uint64_t written[2];
};

struct cell {
    uint64_t to, value;
    uint32_t stag;
};

static guint cell_hash(gconstpointer p)
{
    const struct cell *cell = p;

    return (guint)(cell->stag * 0x9E3779B1u ^ cell->to ^ cell->to >> 32);
}

static gboolean cell_equal(gconstpointer a, gconstpointer b)
{
    const struct cell *one = a, *other = b;

    return one->stag == other->stag && one->to == other->to;
}

struct operations *operations_new(void)
{
    struct operations *operations = g_new0(struct operations, 1);

    for (unsigned role = 0; role < 2; role++)
        operations->waiting[role] = g_array_new(FALSE, TRUE, sizeof(struct waiting));
    operations->memory = g_hash_table_new_full(cell_hash, cell_equal, g_free, NULL);
    return operations;
}

void operations_free(struct operations *operations)
{
    if (!operations)
        return;
    for (unsigned role = 0; role < 2; role++)
        g_array_unref(operations->waiting[role]);
    g_hash_table_unref(operations->memory);
    g_free(operations);
}

static enum role peer_of(enum role role)
{
    return role == INITIATOR ? RESPONDER : INITIATOR;
}

/* Waiting requests of role, the oldest first; NULL past the last. */
static struct waiting *waiting_at(struct conversation *c, enum role role, unsigned index)
{
    struct operations *operations = c->operations;

    index += operations->answered[role];
    return index < operations->waiting[role]->len ? &g_array_index(operations->waiting[role], struct waiting, index)
                                                  : NULL;
}

static void waiting_remove(struct conversation *c, enum role role, unsigned index)
{
    struct operations *operations = c->operations;
    GArray *waiting = operations->waiting[role];

    if (!waiting_at(c, role, index))
        return;
    if (index > 0) {
        g_array_remove_index(waiting, operations->answered[role] + index);
        return;
    }
    /* Answered requests are removed in bulk, so that a long conversation takes linear time. */
    if (++operations->answered[role] >= 64 && operations->answered[role] * 2 >= waiting->len) {
        g_array_remove_range(waiting, 0, operations->answered[role]);
        operations->answered[role] = 0;
    }
}

/* Memory that was never written is not zero, as in a real host. */
static uint64_t memory_get(struct conversation *c, uint32_t stag, uint64_t to)
{
    const struct cell key = {.stag = stag, .to = to};
    const struct cell *cell = g_hash_table_lookup(c->operations->memory, &key);

    return cell ? cell->value : UINT64_C(0x0102030405060708) + to;
}

static void memory_set(struct conversation *c, uint32_t stag, uint64_t to, uint64_t value)
{
    struct cell *cell = g_new(struct cell, 1);

    *cell = (struct cell){.stag = stag, .to = to, .value = value};
    g_hash_table_replace(c->operations->memory, cell, cell);
}

/* STags look real: an index that is hard to guess, and a key (RFC 5040 section 8.1.1). */
static uint32_t operations_stag_of(uint32_t kind, uint32_t number)
{
    uint32_t x = (kind * 0x01000193u + number) * 0x9E3779B1u;

    x ^= x >> 15;
    x *= 0x85EBCA6Bu;
    return x ^ x >> 13;
}

enum { PLAIN_READ_SINK = 0x00001200, PLAIN_READ_SOURCE = 0x00003400, PLAIN_WRITE_SINK = 0x00005600 };
enum stag_kind { STAG_OF_WRITES = 1, STAG_OF_SINKS = 3, STAG_OF_SOURCES = 5, STAG_OF_ATOMICS = 7, STAG_OF_SENDS = 9 };

static struct open_message *operations_open_message(struct conversation *c, enum role role,
                                                    const struct ddp_segment *segment)
{
    struct operations *operations = c->operations;

    if (segment->tagged)
        return &operations->tagged[role];
    return segment->qn < QUEUES ? &operations->untagged[role][segment->qn] : NULL;
}

static void operations_answer(struct conversation *c, enum role role, struct message *message)
{
    const struct waiting *waiting = waiting_at(c, peer_of(role), message->answers);

    if (message->opcode == RDMAP_READ_RESPONSE) {
        bool known = waiting && waiting->opcode == RDMAP_READ_REQUEST;

        message->segment.stag = known ? waiting->read.sink_stag : operations_stag_of(STAG_OF_SINKS, 0);
        message->segment.to = known ? waiting->read.sink_to + waiting->done : 0x2000;
        message->length = known ? waiting->read.size - waiting->done : 100;
    } else {
        bool known = waiting && waiting->opcode == RDMAP_ATOMIC_REQUEST;

        message->response.identifier = known ? waiting->atomic.identifier : 0x5A5A;
        message->response.original = known ? memory_get(c, waiting->atomic.stag, waiting->atomic.to) : 0;
    }
}

static void make_plain(enum role role, struct message *message)
{
    struct ddp_segment *segment = &message->segment;

    message->plain = true;
    switch (message->opcode) {
    case RDMAP_WRITE:
        segment->stag = PLAIN_WRITE_SINK + role;
        segment->to = 0x1000;
        break;
    case RDMAP_SEND_INVALIDATE:
    case RDMAP_SEND_SE_INVALIDATE:
        segment->stag = PLAIN_WRITE_SINK;
        break;
    case RDMAP_READ_REQUEST:
        message->read.sink_stag = PLAIN_READ_SINK + role;
        message->read.sink_to = 0x2000;
        message->read.source_stag = PLAIN_READ_SOURCE + role;
        message->read.source_to = 0x4000;
        break;
    case RDMAP_READ_RESPONSE:
        segment->stag = PLAIN_READ_SINK + peer_of(role);
        segment->to = 0x2000;
        break;
    default:
        break;
    }
}

void message_init(struct conversation *c, enum role role, enum rdmap_opcode opcode, struct message *message)
{
    const struct rdmap_opcode_info *info = rdmap_opcode_info(opcode);
    struct operations *operations = c->operations;
    unsigned answers = message->answers;
    bool fresh = message->fresh;

    *message = (struct message){
        .opcode = opcode,
        .segment =
            {.tagged = info->tagged, .last = true, .dv = c->version, .rv = c->version, .opcode = (uint8_t)opcode},
        .length = info->ulp_data ? 100 : 0,
        .answers = answers,
    };

    struct ddp_segment *segment = &message->segment;

    if (!info->tagged)
        segment->qn = (uint32_t)info->queue;

    const struct open_message *open = operations_open_message(c, role, segment); /* the queue is defined in RFC 5040 */

    message->continues = !fresh && open->open && open->next.opcode == opcode;
    if (!info->tagged) {
        message->last_msn = c->msn[role][segment->qn];
        segment->msn = message->last_msn + 1;
    }
    switch (opcode) {
    case RDMAP_WRITE:
        segment->stag = operations_stag_of(STAG_OF_WRITES, role);
        segment->to = 0x10000 + operations->written[role];
        break;
    case RDMAP_READ_REQUEST:
        message->read = (struct rdmap_read_request){
            .sink_stag = operations_stag_of(STAG_OF_SINKS, 1 + operations->reads * 2 + role),
            .sink_to = 0x20000 + UINT64_C(0x3010) * operations->reads,
            .size = 1000,
            .source_stag = operations_stag_of(STAG_OF_SOURCES, role),
            .source_to = 0x40000,
        };
        break;
    case RDMAP_SEND_INVALIDATE:
    case RDMAP_SEND_SE_INVALIDATE:
        segment->stag = operations_stag_of(STAG_OF_SENDS, segment->msn * 2 + role);
        break;
    case RDMAP_IMMEDIATE:
    case RDMAP_IMMEDIATE_SE:
        message->immediate = UINT64_C(0x0123456789ABCDEF) + segment->msn;
        break;
    case RDMAP_ATOMIC_REQUEST:
        message->atomic = (struct rdmap_atomic_request){
            .identifier = 0x1000 + operations->atomics,
            .stag = operations_stag_of(STAG_OF_ATOMICS, role),
            .to = 0x1000,
            .data = 1,
            .compare_mask = UINT64_MAX,
        };
        break;
    case RDMAP_READ_RESPONSE:
    case RDMAP_ATOMIC_RESPONSE:
        operations_answer(c, role, message);
        break;
    case RDMAP_SEND:
    case RDMAP_SEND_SE:
    case RDMAP_TERMINATE:
        break;
    }
    if (message->continues)
        *segment = open->next;
    if (c->plain)
        make_plain(role, message);
}

void message_blame(struct conversation *c, enum role role, unsigned terminate, unsigned back, struct message *message)
{
    enum role peer = peer_of(role);
    struct operations *operations = c->operations;
    struct rdmap_terminate *t = &message->terminate;
    unsigned layer = terminate >> 12 & 0xF, etype = terminate >> 8 & 0xF;

    *t = (struct rdmap_terminate){.layer = (uint8_t)layer, .etype = (uint8_t)etype, .code = (uint8_t)terminate};
    if (operations->segments[peer] <= back)
        return;

    const struct kept_segment *kept = &operations->kept[peer][(operations->segments[peer] - 1 - back) % SEGMENTS_KEPT];

    rdmap_terminate_echo(t, kept->octets, kept->kept);
    t->segment_length = kept->length;
    /* Callers may add the fields. RFC 5040 section 4.8: they are absent for local errors and errors of the LLP. */
    if (layer > RDMAP_LAYER_DDP || etype == 0)
        t->m = t->d = t->has_length = t->has_ddp = false;
    else if (layer == RDMAP_LAYER_RDMA && etype == 1 && t->has_ddp && t->ddp.opcode == RDMAP_READ_REQUEST)
        t->r = t->has_read = rdmap_read_request_decode(&t->read, kept->octets + DDP_UNTAGGED_HEADER_LEN,
                                                       kept->kept - DDP_UNTAGGED_HEADER_LEN);
}

/* ---- sending ---- */

static size_t encode_rdmap_header(const struct message *message, enum rdmap_opcode opcode, uint8_t *out, size_t size)
{
    switch (opcode) {
    case RDMAP_READ_REQUEST:
        return rdmap_read_request_encode(&message->read, out, size);
    case RDMAP_IMMEDIATE:
    case RDMAP_IMMEDIATE_SE:
        return rdmap_immediate_encode(message->immediate, out, size);
    case RDMAP_ATOMIC_REQUEST:
        return rdmap_atomic_request_encode(&message->atomic, out, size);
    case RDMAP_ATOMIC_RESPONSE:
        return rdmap_atomic_response_encode(&message->response, out, size);
    case RDMAP_TERMINATE:
        return rdmap_terminate_encode(&message->terminate, out, size);
    case RDMAP_WRITE:
    case RDMAP_READ_RESPONSE:
    case RDMAP_SEND:
    case RDMAP_SEND_INVALIDATE:
    case RDMAP_SEND_SE:
    case RDMAP_SEND_SE_INVALIDATE:
        return 0;
    }
    return 0;
}

void segment_keep(struct conversation *c, enum role role, const uint8_t *ulpdu, uint16_t n)
{
    struct operations *operations = c->operations;
    struct kept_segment *kept = &operations->kept[role][operations->segments[role]++ % SEGMENTS_KEPT];

    kept->length = n;
    kept->kept = MIN(n, (uint16_t)sizeof kept->octets);
    memcpy(kept->octets, ulpdu, kept->kept);
}

/* Updates the state for later segments from the segment as sent: after a wrong number its sender goes on from there. */
static void operations_take_over(struct conversation *c, enum role role, const struct ddp_segment *segment,
                                 size_t payload, bool plain)
{
    struct open_message *open = operations_open_message(c, role, segment);

    if (!open)
        return;
    open->open = !segment->last;
    open->next = *segment;
    open->next.last = true;
    open->next.to += payload;
    open->next.mo += (uint32_t)payload;
    if (segment->tagged && segment->opcode == RDMAP_WRITE && segment->last && !plain)
        c->operations->written[role] = (segment->to + payload - 0x10000 + 7) & ~UINT64_C(7) & 0xFFFFF;
    if (!segment->tagged)
        c->msn[role][segment->qn] = segment->msn;
}

static void remember_request(struct conversation *c, enum role role, const struct message *message,
                             enum rdmap_opcode opcode)
{
    struct operations *operations = c->operations;
    struct waiting waiting = {.opcode = opcode, .read = message->read, .atomic = message->atomic};

    g_array_append_val(operations->waiting[role], waiting);
    if (opcode == RDMAP_ATOMIC_REQUEST)
        operations->atomics++;
    else if (!message->plain)
        operations->reads++;
}

static void finish_answer(struct conversation *c, enum role role, const struct message *message,
                          enum rdmap_opcode opcode, size_t payload)
{
    struct waiting *waiting = waiting_at(c, peer_of(role), message->answers);
    uint64_t result;

    if (!waiting || waiting->opcode != (opcode == RDMAP_READ_RESPONSE ? RDMAP_READ_REQUEST : RDMAP_ATOMIC_REQUEST))
        return;
    if (opcode == RDMAP_READ_RESPONSE) {
        waiting->done += (uint32_t)payload;
    } else if (!message->keeps_memory &&
               rdmap_atomic_apply(&waiting->atomic, memory_get(c, waiting->atomic.stag, waiting->atomic.to), &result)) {
        memory_set(c, waiting->atomic.stag, waiting->atomic.to, result);
    }
    if (message->segment.last)
        waiting_remove(c, peer_of(role), message->answers);
}

static void finish_message(struct conversation *c, enum role role, const struct message *message, size_t total)
{
    enum rdmap_opcode opcode = message->opcode;

    if (opcode == RDMAP_READ_REQUEST || opcode == RDMAP_ATOMIC_REQUEST)
        remember_request(c, role, message, opcode);
    else if (opcode == RDMAP_READ_RESPONSE || opcode == RDMAP_ATOMIC_RESPONSE)
        finish_answer(c, role, message, opcode, total);
    if (opcode == RDMAP_WRITE && message->has_value)
        memory_set(c, message->segment.stag, message->segment.to, message->value);
}

void message_said(struct conversation *c, enum role role, const struct message *message, size_t octets)
{
    operations_take_over(c, role, &message->segment, octets, message->plain);
    finish_message(c, role, message, octets);
}

/* Writes the part after the DDP header that all segments of a message have. */
struct said {
    const struct message *message;
    uint8_t head[MESSAGE_HEADER_MAX];
    size_t head_len;
};

static struct said said_of(const struct message *message)
{
    struct said said = {.message = message};

    said.head_len = encode_rdmap_header(message, message->opcode, said.head, sizeof said.head);
    if (message->has_value) {
        put_be64(said.head + said.head_len, message->value);
        said.head_len += 8;
    }
    return said;
}

/* Octet i of a segment whose payload begins at octet `done` of the message. */
static uint8_t said_octet(const struct said *said, const struct ddp_segment *segment, size_t done, size_t i)
{
    if (done + i < said->head_len)
        return said->head[done + i];
    if (said->message->payload)
        return said->message->payload[done + i - said->head_len];
    if (said->message->plain)
        return (uint8_t)(i * 7 + (segment->tagged ? segment->to : segment->msn + segment->mo));
    return (uint8_t)((done + i) * 7 + segment->msn + 0x31);
}

static size_t ulpdu_limit(const struct conversation *c, enum role role, const struct message *message)
{
    if (message->limit)
        return message->limit;
    return c->setup.ulpdu_max ? c->setup.ulpdu_max : mpa_mulpdu(c->emss, c->framing[role].markers);
}

void say_message_changed(struct conversation *c, enum role role, const struct message *message,
                         void (*change)(void *context, uint8_t *ulpdu, uint16_t *n), void *context)
{
    static _Thread_local uint8_t ulpdu[ULPDU_ROOM];
    struct ddp_segment segment = message->segment;
    const struct said said = said_of(message);
    const size_t header = ddp_header_encode(&segment, ulpdu, sizeof ulpdu);
    const size_t limit = ulpdu_limit(c, role, message), total = said.head_len + message->length;
    const bool last = segment.last;
    size_t done = 0;

    if (c->over)
        return;
    if (!c->carrier->write) {
        c->stage->impossible = "it changes octets of a ULPDU";
        return;
    }
    do {
        size_t part = MIN(total - done, limit - header);
        uint16_t n = (uint16_t)(header + part);

        segment.last = last && done + part == total;
        ddp_header_encode(&segment, ulpdu, sizeof ulpdu);
        for (size_t i = 0; i < part; i++)
            ulpdu[header + i] = said_octet(&said, &segment, done, i);
        operations_take_over(c, role, &segment, part, message->plain);
        if (change)
            change(context, ulpdu, &n);
        say_fpdu(c, role, ulpdu, n);
        segment.to += part;
        segment.mo += (uint32_t)part;
        done += part;
    } while (done < total);
    finish_message(c, role, message, total);
}

void say_message(struct conversation *c, enum role role, const struct message *message)
{
    c->carrier->message(c, role, message);
}

void say_plain(struct conversation *c, enum role role, enum rdmap_opcode opcode, uint32_t n)
{
    struct message message = {0};
    bool plain = c->plain;

    c->plain = true;
    message_init(c, role, opcode, &message);
    if (opcode == RDMAP_READ_REQUEST)
        message.read.size = n;
    else
        message.length = n;
    say_message(c, role, &message);
    c->plain = plain;
}
