/* SPDX-License-Identifier: GPL-2.0-or-later */
/* There is one thread: no other can be created, and no lock is ever held by another. */
#ifndef IWARP_WEB_PTHREAD_H
#define IWARP_WEB_PTHREAD_H

#include <errno.h>
#include <stddef.h>

#define __NEED_pthread_t
#define __NEED_pthread_once_t
#define __NEED_pthread_mutex_t
#define __NEED_pthread_cond_t
#include <bits/alltypes.h>

#define PTHREAD_ONCE_INIT 0

static inline int pthread_create(pthread_t *thread, const void *attributes, void *(*run)(void *ctx), void *ctx)
{
    (void)thread, (void)attributes, (void)run, (void)ctx;
    return EAGAIN;
}

static inline int pthread_join(pthread_t thread, void **result)
{
    (void)thread, (void)result;
    return EINVAL;
}

static inline int pthread_once(pthread_once_t *once, void (*run)(void))
{
    if (*once == 0) {
        *once = 1;
        run();
    }
    return 0;
}

#define IWARP_WEB_NO_WAIT(name, type)                                                                                  \
    static inline int name(type *object)                                                                               \
    {                                                                                                                  \
        (void)object;                                                                                                  \
        return 0;                                                                                                      \
    }

IWARP_WEB_NO_WAIT(pthread_mutex_lock, pthread_mutex_t)
IWARP_WEB_NO_WAIT(pthread_mutex_unlock, pthread_mutex_t)
IWARP_WEB_NO_WAIT(pthread_mutex_destroy, pthread_mutex_t)
IWARP_WEB_NO_WAIT(pthread_cond_signal, pthread_cond_t)
IWARP_WEB_NO_WAIT(pthread_cond_destroy, pthread_cond_t)

static inline int pthread_mutex_init(pthread_mutex_t *mutex, const void *attributes)
{
    (void)mutex, (void)attributes;
    return 0;
}

static inline int pthread_cond_init(pthread_cond_t *condition, const void *attributes)
{
    (void)condition, (void)attributes;
    return 0;
}

static inline int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
    (void)condition, (void)mutex;
    return 0;
}

#endif
