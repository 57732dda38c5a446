// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Each worker has a few batches that go round: the reader fills one, the worker empties it and gives it back. So memory
 * is bounded, and a reader that is ahead waits.
 *
 * What shares have in common (the layouts of Terminates) they use in the order of the capture: a worker that needs it
 * waits until the others are beyond the frame that it works on. That is rare, so it looks again every now and then.
 * Nobody waits in a circle: whoever is at the earliest frame goes on, and the reader hands on what it has before it
 * waits for one of them.
 */
#include "conformance/check/check_workers.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    BATCHES = 4, /* of a worker */
    SEGMENTS = 512,
    PAYLOAD = 512 << 10, /* above what libpcap gives at once */
    TURN_POLL_NS = 20000,
};

/* After the last frame: the shares are finished in this order. */
static const uint64_t finish_begins = (uint64_t)UINT32_MAX + 1;

struct batch {
    unsigned n;
    size_t used;
    struct {
        unsigned share;
        bool is_datagram;
        union {
            struct addressed_segment segment;
            struct ib_datagram datagram;
        };
    } item[SEGMENTS];
    uint8_t *payload;
    size_t size;
};

/* Batches in the order in which they were put in. */
struct queue {
    pthread_mutex_t lock;
    pthread_cond_t filled;
    struct batch *batch[BATCHES];
    unsigned first, n;
    bool closed;
};

struct worker {
    struct workers *all;
    unsigned number;
    pthread_t thread;
    struct queue todo, empty;
    struct batch batches[BATCHES];
    struct batch *open;        /* the reader's; NULL: none */
    _Atomic uint64_t position; /* the frame that it works on: those before it are done */
};

struct workers {
    struct share *const *shares;
    struct heap *heap;
    unsigned n;
    int64_t last_ns;
    struct terminate_layouts *layouts;
    uint32_t frame;             /* the last that came */
    _Atomic uint64_t handed_on; /* no frame up to this one is still the reader's */
    struct worker worker[];
};

/* ---- queues ---- */

static void queue_init(struct queue *queue)
{
    pthread_mutex_init(&queue->lock, NULL);
    pthread_cond_init(&queue->filled, NULL);
}

static void queue_clear(struct queue *queue)
{
    pthread_mutex_destroy(&queue->lock);
    pthread_cond_destroy(&queue->filled);
}

static void queue_put(struct queue *queue, struct batch *batch)
{
    pthread_mutex_lock(&queue->lock);
    queue->batch[(queue->first + queue->n++) % BATCHES] = batch;
    pthread_cond_signal(&queue->filled);
    pthread_mutex_unlock(&queue->lock);
}

static void queue_close(struct queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    queue->closed = true;
    pthread_cond_signal(&queue->filled);
    pthread_mutex_unlock(&queue->lock);
}

/* Waits for one; NULL: the queue is closed and empty. */
static struct batch *queue_take(struct queue *queue)
{
    struct batch *batch = NULL;

    pthread_mutex_lock(&queue->lock);
    while (queue->n == 0 && !queue->closed)
        pthread_cond_wait(&queue->filled, &queue->lock);
    if (queue->n > 0) {
        batch = queue->batch[queue->first];
        queue->first = (queue->first + 1) % BATCHES;
        queue->n--;
    }
    pthread_mutex_unlock(&queue->lock);
    return batch;
}

static bool queue_has(struct queue *queue, unsigned n)
{
    bool has;

    pthread_mutex_lock(&queue->lock);
    has = queue->n >= n;
    pthread_mutex_unlock(&queue->lock);
    return has;
}

/* Waits until all are back. */
static void queue_await_all(struct queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    while (queue->n < BATCHES)
        pthread_cond_wait(&queue->filled, &queue->lock);
    pthread_mutex_unlock(&queue->lock);
}

/* ---- turns ---- */

static _Thread_local struct worker *self; /* NULL: the reader */

/* The worker will do nothing more before this position. */
static bool is_beyond(struct worker *worker, uint64_t position)
{
    return atomic_load(&worker->position) > position ||
           (atomic_load(&worker->all->handed_on) >= position && queue_has(&worker->empty, BATCHES));
}

static void await_turn(void *ctx)
{
    static const struct timespec a_moment = {.tv_nsec = TURN_POLL_NS};
    struct workers *all = ctx;

    for (unsigned i = 0; self && i < all->n; i++)
        while (&all->worker[i] != self && !is_beyond(&all->worker[i], atomic_load(&self->position)))
            nanosleep(&a_moment, NULL);
}

/* ---- a worker ---- */

static void work_on(struct worker *worker, struct batch *batch, unsigned i)
{
    struct share *share = worker->all->shares[batch->item[i].share];

    if (batch->item[i].is_datagram) {
        atomic_store(&worker->position, batch->item[i].datagram.frame);
        share_datagram(share, &batch->item[i].datagram);
    } else {
        atomic_store(&worker->position, batch->item[i].segment.segment.frame);
        share_segment(share, &batch->item[i].segment);
    }
}

static void *work(void *ctx)
{
    struct worker *worker = ctx;
    struct workers *all = worker->all;
    struct batch *batch;

    self = worker;
    heap_use(all->heap);
    while ((batch = queue_take(&worker->todo))) {
        for (unsigned i = 0; i < batch->n; i++)
            work_on(worker, batch, i);
        batch->n = 0;
        batch->used = 0;
        queue_put(&worker->empty, batch);
    }
    for (unsigned i = worker->number; i < CHECK_SHARES; i += all->n) {
        atomic_store(&worker->position, finish_begins + i);
        share_finish(all->shares[i], all->last_ns);
    }
    atomic_store(&worker->position, UINT64_MAX);
    return NULL;
}

static bool prepare(struct worker *worker)
{
    queue_init(&worker->todo);
    queue_init(&worker->empty);
    for (unsigned i = 0; i < BATCHES; i++) {
        worker->batches[i].payload = malloc(PAYLOAD);
        worker->batches[i].size = PAYLOAD;
        if (!worker->batches[i].payload)
            return false;
        queue_put(&worker->empty, &worker->batches[i]);
    }
    return true;
}

static void discard(struct worker *worker)
{
    for (unsigned i = 0; i < BATCHES; i++)
        free(worker->batches[i].payload);
    queue_clear(&worker->todo);
    queue_clear(&worker->empty);
}

/* ---- all ---- */

struct workers *workers_new(struct share *const *shares, unsigned n, struct terminate_layouts *layouts,
                            struct heap *heap)
{
    struct workers *workers = calloc(1, sizeof *workers + n * sizeof workers->worker[0]);

    if (!workers)
        return NULL;
    workers->shares = shares;
    workers->layouts = layouts;
    workers->heap = heap;
    for (unsigned i = 0; i < n; i++) {
        struct worker *worker = &workers->worker[i];

        worker->all = workers;
        worker->number = i;
        if (!prepare(worker) || pthread_create(&worker->thread, NULL, work, worker) != 0) {
            discard(worker); /* those that there are do it */
            break;
        }
        workers->n++;
    }
    if (workers->n == 0) {
        free(workers);
        return NULL;
    }
    layouts->ctx = workers;
    layouts->turn = await_turn;
    return workers;
}

static void hand_over(struct worker *worker)
{
    if (worker->open)
        queue_put(&worker->todo, worker->open);
    worker->open = NULL;
}

static void hand_over_all(struct workers *workers)
{
    for (unsigned i = 0; i < workers->n; i++)
        hand_over(&workers->worker[i]);
    atomic_store(&workers->handed_on, workers->frame);
}

/* Room for so many octets of payload; an empty batch grows if it must. */
static bool has_room(struct batch *batch, size_t octets)
{
    if (batch->n == SEGMENTS)
        return false;
    if (batch->size - batch->used >= octets)
        return true;
    if (batch->used > 0)
        return false;
    uint8_t *larger = realloc(batch->payload, octets);

    if (!larger)
        return false;
    batch->payload = larger;
    batch->size = octets;
    return true;
}

/* A batch with room for an item and so many octets of payload; NULL: out of memory. */
static struct batch *open_batch(struct workers *workers, unsigned share, size_t octets)
{
    struct worker *worker = &workers->worker[share % workers->n];

    if (worker->open && !has_room(worker->open, octets))
        hand_over(worker);
    if (!worker->open) {
        if (!queue_has(&worker->empty, 1))
            hand_over_all(workers);
        worker->open = queue_take(&worker->empty);
    }
    return has_room(worker->open, octets) ? worker->open : NULL;
}

/* A copy of the octets in the batch. */
static const uint8_t *keep(struct batch *batch, const uint8_t *p, size_t octets)
{
    uint8_t *copy = batch->payload + batch->used;

    if (octets > 0)
        memcpy(copy, p, octets);
    batch->used += octets;
    return copy;
}

bool workers_segment(struct workers *workers, unsigned share, const struct addressed_segment *segment)
{
    struct batch *batch = open_batch(workers, share, segment->segment.captured);

    if (!batch)
        return false;
    batch->item[batch->n].share = share;
    batch->item[batch->n].is_datagram = false;
    batch->item[batch->n].segment = *segment;
    batch->item[batch->n++].segment.segment.payload = keep(batch, segment->segment.payload, segment->segment.captured);
    workers->frame = segment->segment.frame;
    return true;
}

bool workers_datagram(struct workers *workers, unsigned share, const struct ib_datagram *datagram)
{
    struct batch *batch = open_batch(workers, share, datagram->below_len + (size_t)datagram->captured);
    struct ib_datagram *copy;

    if (!batch)
        return false;
    batch->item[batch->n].share = share;
    batch->item[batch->n].is_datagram = true;
    copy = &batch->item[batch->n++].datagram;
    *copy = *datagram;
    if (datagram->below)
        copy->below = keep(batch, datagram->below, datagram->below_len);
    copy->p = keep(batch, datagram->p, datagram->captured);
    workers->frame = datagram->frame;
    return true;
}

void workers_pause(struct workers *workers)
{
    hand_over_all(workers);
    for (unsigned i = 0; i < workers->n; i++)
        queue_await_all(&workers->worker[i].empty);
}

void workers_finish(struct workers *workers, int64_t last_ns)
{
    workers->last_ns = last_ns;
    hand_over_all(workers);
    atomic_store(&workers->handed_on, UINT32_MAX);
    for (unsigned i = 0; i < workers->n; i++)
        queue_close(&workers->worker[i].todo);
    for (unsigned i = 0; i < workers->n; i++)
        pthread_join(workers->worker[i].thread, NULL);
    for (unsigned i = 0; i < workers->n; i++)
        discard(&workers->worker[i]);
    workers->layouts->turn = NULL;
    free(workers);
}
