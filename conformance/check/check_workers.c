// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Each thread has two batches that circulate: the reader fills one, the thread empties it and returns it. This bounds
 * memory, and a reader that is ahead waits. Without threads there is one batch. Batches are large if packets of many
 * shares alternate (conformance/check/check_batch.h says why). Otherwise, with threads, batches are small, so that
 * their octets are still in the cache; without threads, packets are processed in place. Shares use their common data
 * (the layouts of Terminates) in the order of the capture: a worker that needs them catches up with its current frame,
 * and waits until the other workers are beyond that frame, too. This is rare, so the worker polls. Workers never wait
 * in a circle: the worker at the earliest frame continues, and the reader hands over its packets before it waits for a
 * worker.
 */
#include "conformance/check/check_workers.h"

#include "conformance/check/check_batch.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

enum {
    BATCHES = 2, /* per thread */
    SMALL_ITEMS = 512,
    SMALL_OCTETS = 512 << 10,
    WINDOW = 256,     /* packets after which the size of batches is decided again */
    CHANGES_MIN = 16, /* changes of the share, from one packet to the next, that make batches large */
    TURN_POLL_NS = 20000,
};

/* The position after the last frame: the shares are finished in this order. */
static const uint64_t finish_begins = (uint64_t)UINT32_MAX + 1;

/* Batches in order of insertion. */
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
    struct batch *batches[BATCHES];
    struct batch *open;        /* filled by the reader; NULL: none */
    struct batch *work;        /* the current batch; NULL: none */
    uint64_t at;               /* the current frame */
    _Atomic uint64_t position; /* all work before this frame is done */
};

struct workers {
    struct share *const *shares;
    struct heap *heap;
    unsigned n;
    int64_t last_ns;
    struct terminate_layouts *layouts;
    uint32_t frame;             /* of the last packet */
    _Atomic uint64_t handed_on; /* the reader has handed over all frames up to this one */
    /* How often packets of different shares alternate. */
    unsigned latest_share, packets, changes;
    bool alternating;
    struct worker worker[]; /* without threads the first worker is the reader */
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

/* Waits for a batch; NULL: the queue is closed and empty. */
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

/* Waits until all batches are back. */
static void queue_await_all(struct queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    while (queue->n < BATCHES)
        pthread_cond_wait(&queue->filled, &queue->lock);
    pthread_mutex_unlock(&queue->lock);
}

/* NULL: a reader that has threads, or is not working */

static _Thread_local struct worker *self; /* NULL: a reader that has threads, or that does not work */

static void at_frame(void *ctx, uint32_t frame)
{
    struct worker *worker = ctx;

    worker->at = frame;
}

static void workers_work_on(struct worker *worker, struct batch *batch)
{
    const struct batch_events events = {worker, at_frame};

    if (batch->n == 0)
        return;
    self = worker;
    worker->work = batch;
    atomic_store(&worker->position, batch_first_frame(batch));
    batch_work(batch, worker->all->shares, &events);
    worker->work = NULL;
}

static void workers_finish_shares(struct worker *worker, unsigned step)
{
    struct workers *all = worker->all;

    self = worker;
    for (unsigned i = worker->number; i < CHECK_SHARES; i += step) {
        worker->at = finish_begins + i;
        atomic_store(&worker->position, worker->at);
        if (all->shares[i])
            share_finish(all->shares[i], all->last_ns);
    }
    atomic_store(&worker->position, UINT64_MAX);
    self = NULL;
}

static void *workers_work(void *ctx)
{
    struct worker *worker = ctx;
    struct batch *batch;

    heap_use(worker->all->heap);
    while ((batch = queue_take(&worker->todo))) {
        workers_work_on(worker, batch);
        queue_put(&worker->empty, batch);
    }
    workers_finish_shares(worker, worker->all->n);
    return NULL;
}

/* ---- turns ---- */

/* The worker will do nothing more before this position. */
static bool is_beyond(struct worker *worker, uint64_t position)
{
    return atomic_load(&worker->position) >= position ||
           (atomic_load(&worker->all->handed_on) >= position && queue_has(&worker->empty, BATCHES));
}

static void await_turn(void *ctx)
{
    static const struct timespec a_moment = {.tv_nsec = TURN_POLL_NS};
    struct workers *all = ctx;
    struct worker *worker = self;
    uint64_t at;

    if (!worker)
        return;
    at = worker->at;
    if (worker->work) {
        const struct batch_events events = {worker, at_frame};

        batch_catch_up(worker->work, all->shares, (uint32_t)at, &events);
        worker->at = at;
    }
    if (all->n == 0)
        return;
    atomic_store(&worker->position, at);
    for (unsigned i = 0; i < all->n; i++)
        while (&all->worker[i] != worker && !is_beyond(&all->worker[i], at))
            nanosleep(&a_moment, NULL);
}

/* ---- all ---- */

static void discard(struct worker *worker)
{
    for (unsigned i = 0; i < BATCHES; i++)
        batch_free(worker->batches[i]);
    queue_clear(&worker->todo);
    queue_clear(&worker->empty);
}

static bool workers_prepare(struct workers *workers, unsigned number, unsigned batches)
{
    struct worker *worker = &workers->worker[number];

    worker->all = workers;
    worker->number = number;
    queue_init(&worker->todo);
    queue_init(&worker->empty);
    for (unsigned i = 0; i < batches; i++) {
        worker->batches[i] = batch_new();
        if (!worker->batches[i])
            return false;
        queue_put(&worker->empty, worker->batches[i]);
    }
    return true;
}

static void start_threads(struct workers *workers, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        if (!workers_prepare(workers, i, BATCHES) ||
            pthread_create(&workers->worker[i].thread, NULL, workers_work, &workers->worker[i]) != 0) {
            discard(&workers->worker[i]); /* the workers created so far do the work */
            return;
        }
        workers->n++;
    }
}

struct workers *workers_new(struct share *const *shares, unsigned n, struct terminate_layouts *layouts,
                            struct heap *heap)
{
    struct workers *workers = calloc(1, sizeof *workers + (n > 0 ? n : 1) * sizeof workers->worker[0]);

    if (!workers)
        return NULL;
    workers->shares = shares;
    workers->layouts = layouts;
    workers->heap = heap;
    layouts->ctx = workers;
    layouts->turn = await_turn;
    start_threads(workers, n);
    if (workers->n > 0)
        return workers;
    workers->worker[0] = (struct worker){.number = 0};
    if (workers_prepare(workers, 0, 1))
        return workers;
    discard(&workers->worker[0]);
    free(workers);
    return NULL;
}

unsigned workers_of(const struct workers *workers, unsigned share)
{
    return workers->n == 0 ? 0 : share % workers->n;
}

static void workers_hand_over(struct worker *worker)
{
    if (!worker->open)
        return;
    if (worker->all->n == 0) {
        workers_work_on(worker, worker->open);
        return; /* the batch stays open */
    }
    queue_put(&worker->todo, worker->open);
    worker->open = NULL;
}

static void hand_over_all(struct workers *workers)
{
    for (unsigned i = 0; i < (workers->n > 0 ? workers->n : 1); i++)
        workers_hand_over(&workers->worker[i]);
    atomic_store(&workers->handed_on, workers->frame);
}

static bool is_full(const struct workers *workers, struct batch *batch, size_t octets)
{
    if (!batch_has_room(batch, octets))
        return true;
    return !workers->alternating && batch->n > 0 && (batch->n >= SMALL_ITEMS || batch->used + octets > SMALL_OCTETS);
}

/* A batch with room for an item with this many octets of payload; NULL: out of memory. */
static struct batch *open_batch(struct workers *workers, unsigned share, size_t octets)
{
    struct worker *worker = &workers->worker[workers_of(workers, share)];

    if (worker->open && is_full(workers, worker->open, octets))
        workers_hand_over(worker);
    if (!worker->open) {
        if (!queue_has(&worker->empty, 1))
            hand_over_all(workers);
        worker->open = queue_take(&worker->empty);
    }
    return batch_has_room(worker->open, octets) ? worker->open : NULL;
}

/* Counts a packet of the share. */
static void watch(struct workers *workers, unsigned share)
{
    workers->changes += share != workers->latest_share;
    workers->latest_share = share;
    if (++workers->packets < WINDOW)
        return;
    workers->alternating = workers->changes >= CHANGES_MIN;
    workers->packets = workers->changes = 0;
}

/* The reader works on this packet itself, without copying it; no earlier packet waits. */
static bool workers_at_once(struct workers *workers, uint32_t frame)
{
    if (workers->n > 0 || workers->alternating)
        return false;
    workers_hand_over(&workers->worker[0]);
    self = &workers->worker[0];
    workers->worker[0].at = frame;
    return true;
}

bool workers_segment(struct workers *workers, unsigned share, struct addressed_segment *segment)
{
    struct batch *batch;

    watch(workers, share);
    if (workers_at_once(workers, segment->segment.frame)) {
        share_segment(workers->shares[share], segment);
        return true;
    }
    batch = open_batch(workers, share, segment->segment.captured);
    if (!batch)
        return false;
    batch_segment(batch, share, segment);
    workers->frame = segment->segment.frame;
    return true;
}

bool workers_datagram(struct workers *workers, unsigned share, const struct ib_datagram *datagram)
{
    struct batch *batch;

    watch(workers, share);
    if (workers_at_once(workers, datagram->frame)) {
        share_datagram(workers->shares[share], datagram);
        return true;
    }
    batch = open_batch(workers, share, datagram->below_len + (size_t)datagram->captured);
    if (!batch)
        return false;
    batch_datagram(batch, share, datagram);
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
    if (workers->n == 0)
        workers_finish_shares(&workers->worker[0], 1);
    for (unsigned i = 0; i < (workers->n > 0 ? workers->n : 1); i++)
        discard(&workers->worker[i]);
    workers->layouts->turn = NULL;
    free(workers);
}
