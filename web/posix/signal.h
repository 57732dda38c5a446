/* SPDX-License-Identifier: GPL-2.0-or-later */
/* There are no signals: a run is cancelled by ending its worker. */
#ifndef IWARP_WEB_SIGNAL_H
#define IWARP_WEB_SIGNAL_H

#define SIGINT  2
#define SIGTERM 15

typedef int sig_atomic_t;
typedef unsigned char sigset_t;

struct sigaction {
    void (*sa_handler)(int number);
    sigset_t sa_mask;
    int sa_flags;
};

static inline int sigemptyset(sigset_t *set)
{
    *set = 0;
    return 0;
}

static inline int sigaction(int number, const struct sigaction *action, struct sigaction *former)
{
    (void)number, (void)action, (void)former;
    return 0;
}

#endif
