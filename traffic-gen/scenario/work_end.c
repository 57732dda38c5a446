// SPDX-License-Identifier: GPL-2.0-or-later
/* One end of a connection, which does the work of its side. */
#include "traffic-gen/scenario/work_nfs.h"
#include "traffic-gen/speak/say/statement.h"
#include "traffic-gen/speak/sim/random.h"

static const char *const role_names[] = {[INITIATOR] = "initiator", [RESPONDER] = "responder"};

struct work_end {
    const struct work *work;
    const struct work_connection *connection;
    enum role role;
    struct stream stream;
    struct work_end_events events;
    struct memory *memory;
    struct qp *qp;
    struct work_nfs_end *nfs; /* owns qp; NULL: plain work */
    uint8_t **octets;         /* of each region */
    uint8_t *pattern;         /* for work without a region */
    size_t pattern_size;
    unsigned carried; /* number of work items with a pattern */
    unsigned round;   /* index of the connection's next round */
    unsigned pending; /* posted and not completed */
    unsigned to_come; /* messages expected from the peer in the rounds so far */
    unsigned came;    /* messages received */
    bool started, led, ended, reported;
    bool waits; /* waits for wait_until before the next round */
    int64_t wait_until;
    char *how;     /* how the connection ended, for messages */
    char *trouble; /* the first error */
};

/* ---- memory ---- */

static uint8_t *scenario_work_end_octets_of(const struct work_region *region, enum role role, unsigned index)
{
    struct random_source random = {.state = (uint64_t)role << 32 | index};
    uint8_t *octets = g_malloc(MAX(region->octets, 1));

    for (uint64_t i = 0; i < region->octets; i++)
        octets[i] = region->fill >= 0 ? (uint8_t)region->fill : (uint8_t)random_next(&random);
    return octets;
}

static void register_regions(struct work_end *end)
{
    const GArray *regions = end->work->regions[end->role];

    end->memory = memory_new(end->role);
    end->octets = g_new0(uint8_t *, regions->len);
    for (unsigned i = 0; i < regions->len; i++) {
        const struct work_region *region = &g_array_index(regions, struct work_region, i);

        end->octets[i] = scenario_work_end_octets_of(region, end->role, i);
        memory_register_as(end->memory, region->stag, end->octets[i], region->octets, region->to, region->rights,
                           region->invalidable);
    }
}

/* The pattern differs by item and by octet. */
static const uint8_t *pattern_of(struct work_end *end, size_t n)
{
    unsigned number = end->carried++;

    if (end->pattern_size < n)
        end->pattern = g_realloc(end->pattern, end->pattern_size = n);
    for (size_t i = 0; i < n; i++)
        end->pattern[i] = (uint8_t)(i * 7 + number * 31 + 0x31);
    return end->pattern;
}

/* ---- events of the queue pair ---- */

static void scenario_work_end_on_received(void *ctx, const struct qp_message *message)
{
    struct work_end *end = ctx;

    (void)message;
    end->came++;
}

static void scenario_work_end_on_completed(void *ctx, uint64_t cookie, enum qp_status status, uint64_t original)
{
    struct work_end *end = ctx;

    (void)cookie, (void)status, (void)original;
    end->pending--;
}

static void scenario_work_end_on_terminated(void *ctx, bool ours, const struct rdmap_terminate *terminate)
{
    struct work_end *end = ctx;

    if (!end->how)
        end->how = g_strdup_printf("by the %s's Terminate %x/%x/%02x", role_names[ours ? end->role : !end->role],
                                   terminate->layer, terminate->etype, terminate->code);
}

static void scenario_work_end_on_failed(void *ctx, enum mpa_end_error error)
{
    static const char *const errors[] = {
        [MPA_END_CLOSED_EARLY] = "closed during start-up",
        [MPA_END_TIMEOUT] = "no start-up frame in time",
        [MPA_END_BAD_FRAME] = "wrong start-up frame",
        [MPA_END_REJECTED] = "rejected",
        [MPA_END_BAD_FPDU] = "wrong FPDU length",
        [MPA_END_BAD_CRC] = "wrong CRC",
        [MPA_END_BAD_MARKER] = "wrong Marker",
        [MPA_END_NO_RTR] = "no common RTR",
        [MPA_END_IRD_ORD] = "the Reply's ORD is more than the IRD offered",
        [MPA_END_LOCAL] = "the Reply contradicts the Request",
        [MPA_END_CUT_OFF] = "closed within an FPDU",
    };
    struct work_end *end = ctx;

    if (!end->how)
        end->how = g_strdup(errors[error]);
}

static void scenario_work_end_on_ended(void *ctx, bool orderly)
{
    struct work_end *end = ctx;

    end->ended = true;
    if (!end->how)
        end->how = g_strdup(orderly ? "closed" : "reset");
}

/* ---- life ---- */

struct work_end *work_end_new(const struct work *work, unsigned connection, enum role role, const struct stream *stream,
                              const struct work_end_events *events)
{
    struct work_end *end = g_new0(struct work_end, 1);
    const struct qp_events qp_events = {
        .ctx = end,
        .received = scenario_work_end_on_received,
        .completed = scenario_work_end_on_completed,
        .terminated = scenario_work_end_on_terminated,
        .failed = scenario_work_end_on_failed,
        .ended = scenario_work_end_on_ended,
    };

    end->work = work;
    end->connection = &g_array_index(work->connections, struct work_connection, connection);
    end->role = role;
    end->stream = *stream;
    if (events)
        end->events = *events;
    register_regions(end);
    if (end->connection->nfs.on) {
        const struct nfs_end_events nfs_events = {.ctx = end,
                                                  .terminated = scenario_work_end_on_terminated,
                                                  .failed = scenario_work_end_on_failed,
                                                  .ended = scenario_work_end_on_ended};

        end->nfs = work_nfs_new(work, connection, role, stream, &nfs_events);
        end->qp = nfs_end_qp(work_nfs_of(end->nfs));
        end->round = end->connection->n_rounds; /* the client gets all rounds at once */
    } else {
        end->qp = qp_new(&end->connection->options[role].qp, end->memory, stream, &qp_events);
    }
    return end;
}

void work_end_settle(struct work_end *end, const struct nfs_client_place *place)
{
    if (end->nfs)
        nfs_end_settle(work_nfs_of(end->nfs), place);
}

void work_end_free(struct work_end *end)
{
    if (end->nfs)
        work_nfs_free(end->nfs);
    else
        qp_free(end->qp);
    memory_free(end->memory);
    for (unsigned i = 0; i < end->work->regions[end->role]->len; i++)
        g_free(end->octets[i]);
    g_free(end->octets);
    g_free(end->pattern);
    g_free(end->how);
    g_free(end->trouble);
    g_free(end);
}

bool work_end_busy(const struct work_end *end)
{
    return end->nfs && !end->ended && !work_nfs_is_done(end->nfs);
}

const char *work_end_trouble(const struct work_end *end)
{
    return end->trouble;
}

const uint8_t *work_end_region(const struct work_end *end, unsigned index)
{
    return end->octets[index];
}

void work_end_lead(struct work_end *end)
{
    end->led = true;
}

/* ---- rounds ---- */

static const struct work_round *round_of(const struct work_end *end)
{
    if (end->round >= end->connection->n_rounds)
        return NULL;
    return &g_array_index(end->work->rounds, struct work_round, end->connection->round + end->round);
}

static const struct work_item *scenario_work_end_item_of(const struct work_end *end, enum role role, unsigned index)
{
    return &g_array_index(end->work->items[role], struct work_item, index);
}

static void cannot(struct work_end *end, const struct work_item *item)
{
    if (!end->trouble)
        end->trouble = statement_trouble(end->work->name, item->line, item->number, "the %s can do this no more: %s",
                                         role_names[end->role], end->how ? end->how : "its memory does not have that");
}

static bool scenario_work_end_post(struct work_end *end, const struct work_item *item)
{
    struct qp_work work = item->post;

    if (item->from >= 0)
        work.p = end->octets[item->from] + item->from_offset;
    else if (work.kind == QP_SEND || work.kind == QP_WRITE)
        work.p = pattern_of(end, work.n);
    end->pending++;
    if (qp_post(end->qp, &work))
        return true;
    end->pending--;
    return false;
}

static void carry_out(struct work_end *end, const struct work_item *item)
{
    switch (item->kind) {
    case WORK_POST:
        if (!scenario_work_end_post(end, item))
            cannot(end, item);
        break;
    case WORK_RECEIVES:
        qp_repost(end->qp, item->receives);
        break;
    case WORK_TERMINATE:
        qp_terminate(end->qp, item->terminate >> 12, item->terminate >> 8 & 0xF, item->terminate & 0xFF);
        break;
    case WORK_CLOSE:
        qp_close(end->qp, false);
        break;
    case WORK_RESET:
        qp_close(end->qp, true);
        break;
    case WORK_JOB:    /* done by the client */
    case WORK_CHANGE: /* done by the server */
        break;
    }
}

static unsigned messages_of(const struct work_end *end, const struct work_round *round, enum role role)
{
    unsigned n = 0;

    for (unsigned i = 0; i < round->n[role]; i++) {
        const struct work_item *item = scenario_work_end_item_of(end, role, round->from[role] + i);

        n += item->kind == WORK_POST && (item->post.kind == QP_SEND || item->post.kind == QP_IMMEDIATE);
    }
    return n;
}

bool work_end_next(struct work_end *end)
{
    const struct work_round *round = round_of(end);

    end->waits = false;
    if (!round) {
        if (end->role == INITIATOR && !work_end_busy(end))
            qp_close(end->qp, false);
        return false;
    }
    end->round++;
    end->to_come += messages_of(end, round, !end->role);
    for (unsigned i = 0; i < round->n[end->role]; i++)
        carry_out(end, scenario_work_end_item_of(end, end->role, round->from[end->role] + i));
    return true;
}

/* ---- unled ---- */

static void scenario_work_end_finish(struct work_end *end)
{
    const struct work_round *round;

    if (end->reported)
        return;
    end->reported = true;
    while ((round = round_of(end))) {
        if (round->n[end->role] > 0)
            cannot(end, scenario_work_end_item_of(end, end->role, round->from[end->role]));
        end->round++;
    }
    if (end->events.done)
        end->events.done(end->events.ctx, end->trouble);
}

static void scenario_work_end_go_on(struct work_end *end)
{
    const struct work_round *round;

    if (end->nfs && work_nfs_trouble(end->nfs) && !end->trouble)
        end->trouble = g_strdup(work_nfs_trouble(end->nfs));
    if (end->ended && qp_closed(end->qp)) {
        scenario_work_end_finish(end);
        return;
    }
    while (!end->led && end->started && end->pending == 0 && end->came >= end->to_come && !end->ended) {
        int64_t now = end->stream.now(end->stream.ctx);

        round = round_of(end);
        if (round && round->wait_ns > 0 && !end->waits) {
            end->waits = true;
            end->wait_until = now + round->wait_ns;
        }
        if ((end->waits && now < end->wait_until) || !work_end_next(end))
            return;
    }
}

void work_end_start(struct work_end *end)
{
    end->started = true;
    qp_start(end->qp);
    scenario_work_end_go_on(end);
}

void work_end_receive(struct work_end *end, const uint8_t *p, size_t n)
{
    qp_receive(end->qp, p, n);
    scenario_work_end_go_on(end);
}

void work_end_receive_fin(struct work_end *end)
{
    qp_receive_fin(end->qp);
    scenario_work_end_go_on(end);
}

void work_end_receive_reset(struct work_end *end)
{
    qp_receive_reset(end->qp);
    scenario_work_end_go_on(end);
}

void work_end_room(struct work_end *end)
{
    qp_pump(end->qp);
    scenario_work_end_go_on(end);
}

void work_end_tick(struct work_end *end)
{
    qp_tick(end->qp);
    if (end->nfs)
        nfs_end_tick(work_nfs_of(end->nfs));
    scenario_work_end_go_on(end);
}

/* ---- on a stream in memory ---- */

static void scenario_work_end_receive(void *end, const uint8_t *p, size_t n)
{
    work_end_receive(end, p, n);
}

static void scenario_work_end_receive_fin(void *end)
{
    work_end_receive_fin(end);
}

static void scenario_work_end_receive_reset(void *end)
{
    work_end_receive_reset(end);
}

static void scenario_work_end_tick(void *end)
{
    work_end_tick(end);
}

void work_end_attach(struct work_end *end, struct pair *pair, unsigned side)
{
    pair_attach(pair, side,
                &(struct pair_end){.end = end,
                                   .receive = scenario_work_end_receive,
                                   .receive_fin = scenario_work_end_receive_fin,
                                   .receive_reset = scenario_work_end_receive_reset,
                                   .tick = scenario_work_end_tick});
}
