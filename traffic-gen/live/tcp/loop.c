// SPDX-License-Identifier: GPL-2.0-or-later
/* The loop: one thread, epoll, and ticks. */
#include "traffic-gen/live/tcp/internal.h"

#include <errno.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

enum { TICK_NS = 10 * 1000 * 1000, READY_MAX = 128 };

static int64_t loop_clock_ns(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

int64_t live_now(void)
{
    static int64_t since_epoch; /* difference of the real clock and the steady clock at the start */

    if (since_epoch == 0)
        since_epoch = loop_clock_ns(CLOCK_REALTIME) - loop_clock_ns(CLOCK_MONOTONIC);
    return loop_clock_ns(CLOCK_MONOTONIC) + since_epoch;
}

/* ---- life ---- */

static void on_wake(struct live_watch *watch, uint32_t events)
{
    uint64_t count;

    (void)events;
    while (read(watch->fd, &count, sizeof count) > 0)
        ;
}

struct live_loop *live_loop_new(void)
{
    struct live_loop *loop = g_new0(struct live_loop, 1);

    loop->epoll = epoll_create1(EPOLL_CLOEXEC);
    loop->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    loop->buffer = g_malloc(LIVE_RECEIVE);
    loop->wake_watch = (struct live_watch){.fd = loop->wake, .ready = on_wake};
    live_watch(loop, &loop->wake_watch, EPOLLIN);
    return loop;
}

static const struct live_part *part_of(const GList *link)
{
    return (const struct live_part *)(const void *)link; /* the link is its first member */
}

void live_part_join(struct live_loop *loop, struct live_part *part, void *owner)
{
    part->link = (GList){.data = owner};
    g_queue_push_tail_link(&loop->parts, &part->link);
}

void live_part_leave(struct live_loop *loop, struct live_part *part)
{
    g_queue_unlink(&loop->parts, &part->link);
}

void live_loop_end(struct live_loop *loop)
{
    while (loop->listeners.head)
        live_listener_close(loop->listeners.head->data);
    for (GList *link = loop->sockets.head; link; link = link->next)
        live_socket_end(link->data);
    while (loop->sockets.head)
        live_socket_bury(loop->sockets.head->data);
    for (GList *link = loop->parts.head; link; link = link->next)
        part_of(link)->end(link->data);
    while (loop->parts.head)
        part_of(loop->parts.head)->bury(loop->parts.head->data);
}

void live_loop_free(struct live_loop *loop)
{
    live_stop_on_signals(NULL);
    while (loop->listeners.head)
        live_listener_close(loop->listeners.head->data);
    while (loop->sockets.head)
        live_socket_free(loop->sockets.head->data);
    while (loop->closed_listeners.head)
        live_listener_free(loop->closed_listeners.head->data);
    while (loop->parts.head)
        part_of(loop->parts.head)->free(loop->parts.head->data);
    close(loop->wake);
    close(loop->epoll);
    g_free(loop->buffer);
    g_free(loop);
}

bool live_watch(struct live_loop *loop, struct live_watch *watch, uint32_t events)
{
    struct epoll_event event = {.events = events, .data.ptr = watch};

    return epoll_ctl(loop->epoll, EPOLL_CTL_ADD, watch->fd, &event) == 0;
}

void live_watch_change(struct live_loop *loop, struct live_watch *watch, uint32_t events)
{
    struct epoll_event event = {.events = events, .data.ptr = watch};

    epoll_ctl(loop->epoll, EPOLL_CTL_MOD, watch->fd, &event);
}

void live_watch_end(struct live_loop *loop, struct live_watch *watch)
{
    if (watch->fd >= 0)
        epoll_ctl(loop->epoll, EPOLL_CTL_DEL, watch->fd, NULL);
    watch->fd = -1;
}

/* ---- stopping ---- */

void live_stop(struct live_loop *loop)
{
    const uint64_t one = 1;
    int kept = errno;

    loop->stopped = 1;
    /* A failed write means that it is full, which wakes the loop too. */
    if (write(loop->wake, &one, sizeof one) < 0)
        errno = kept;
}

bool live_stopped(const struct live_loop *loop)
{
    return loop->stopped;
}

static struct live_loop *volatile stopped_by_signals;

static void on_signal(int number)
{
    struct live_loop *loop = stopped_by_signals;

    signal(number, SIG_DFL);
    if (loop)
        live_stop(loop);
}

void live_stop_on_signals(struct live_loop *loop)
{
    static const int numbers[] = {SIGINT, SIGTERM};
    struct sigaction action = {.sa_handler = loop ? on_signal : SIG_DFL};

    if (!loop && !stopped_by_signals)
        return;
    stopped_by_signals = loop;
    for (unsigned i = 0; i < G_N_ELEMENTS(numbers); i++)
        sigaction(numbers[i], &action, NULL);
}

/* ---- running ---- */

static bool bury(struct live_loop *loop)
{
    bool some = false;

    while (loop->closed_listeners.head)
        live_listener_free(loop->closed_listeners.head->data);
    for (GList *link = loop->sockets.head, *next; link; link = next) {
        next = link->next;
        some |= live_socket_bury(link->data);
    }
    for (GList *link = loop->parts.head, *next; link; link = next) {
        next = link->next;
        some |= part_of(link)->bury(link->data);
    }
    return some;
}

/* An event may end any socket, so the list's next element is read afterwards; events free no socket. */
static void loop_tick(struct live_loop *loop)
{
    int64_t now = live_now();

    if (now < loop->next_tick)
        return;
    loop->next_tick = now + TICK_NS;
    for (GList *link = loop->sockets.head; link; link = link->next)
        live_socket_tick(link->data, now);
    for (GList *link = loop->listeners.head; link; link = link->next)
        live_listener_tick(link->data);
    for (GList *link = loop->parts.head; link; link = link->next)
        part_of(link)->tick(link->data, now);
}

static int loop_timeout_ms(const struct live_loop *loop, int64_t until_ns)
{
    int64_t now = live_now(),
            until = MIN(until_ns, loop->sockets.length || loop->parts.length ? loop->next_tick : INT64_MAX);

    if (until == INT64_MAX && loop->listeners.length == 0)
        return 0;
    if (until == INT64_MAX)
        return -1;
    return until <= now ? 0 : (int)MIN((until - now + 999999) / 1000000, 1000);
}

bool live_run(struct live_loop *loop, int64_t until_ns)
{
    struct epoll_event ready[READY_MAX];

    loop->stopped = 0;
    while (!loop->stopped) {
        if (bury(loop))
            continue;
        if (loop->sockets.length == 0 && loop->listeners.length == 0 && loop->parts.length == 0)
            return true;
        if (live_now() >= until_ns)
            return false;

        int n = epoll_wait(loop->epoll, ready, READY_MAX, loop_timeout_ms(loop, until_ns));

        /* Sockets and listeners stay allocated until bury(), whatever an event does. */
        for (int i = 0; i < n; i++) {
            struct live_watch *watch = ready[i].data.ptr;

            if (watch->fd >= 0)
                watch->ready(watch, ready[i].events);
        }
        loop_tick(loop);
    }
    return true;
}
