/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Signs that a host, or the path to it, failed before a connection ended: packets sent into a long silence, and
 * retransmissions. Such a connection may be ended by a host in the middle, or by a restarted host.
 */
#ifndef IWARP_ENGINE_PACKET_PATH_TROUBLE_H
#define IWARP_ENGINE_PACKET_PATH_TROUBLE_H

#include <stdbool.h>
#include <stdint.h>

static const int64_t path_silence_ns = INT64_C(5) * 1000000000;
/* Retransmissions never come sooner: the capture has a packet twice, or in another order. */
static const int64_t path_resend_ns = 1000000;

enum path_sign {
    PATH_SIGN_OF_LIFE,
    PATH_NEW,
    PATH_AGAIN
}; /* a packet without content, with new content, or with repeated content */

struct path_trouble {
    struct {
        bool choked;        /* its TCP window is 0: the other side cannot send */
        bool heard, silent; /* silent: has sent nothing new since the other side sent something after a silence */
        int64_t heard_ns, new_ns;
    } side[2];
    bool resent; /* by either side; resent_ns: the latest */
    int64_t resent_ns;
};

/* A packet of `side`. */
static inline void path_trouble_packet(struct path_trouble *path, unsigned side, enum path_sign sign, int64_t time_ns)
{
    unsigned other = 1 - side;

    if (sign == PATH_NEW) {
        if (time_ns - path->side[other].heard_ns >= path_silence_ns && path->side[other].heard)
            path->side[other].silent = true;
        path->side[side].silent = false;
        path->side[side].new_ns = time_ns;
    } else if (sign == PATH_AGAIN && time_ns - path->side[side].new_ns >= path_resend_ns) {
        path->resent = true;
        path->resent_ns = time_ns;
    }
    path->side[side].heard = true;
    path->side[side].heard_ns = time_ns;
}

#endif
