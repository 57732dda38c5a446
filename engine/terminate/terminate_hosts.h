/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How the hosts of a capture lay out the control word of Terminates (engine/terminate/terminate_layout.h): a connection
 * has at most one Terminate per direction, so what one Terminate proves counts for later connections. If threads share
 * a table, `turn` waits until everything before the calling thread's work is done: threads use the table one after
 * another, in the order of the capture, and what they read does not depend on their number.
 */
#ifndef IWARP_ENGINE_TERMINATE_TERMINATE_HOSTS_H
#define IWARP_ENGINE_TERMINATE_TERMINATE_HOSTS_H

#include "wire/endpoint.h"

enum { TERMINATE_LAYOUTS_MAX = 512 }; /* hosts with a layout other than the RFC's; later ones are not kept */

struct terminate_layouts {
    struct {
        struct endpoint host; /* port 0 */
        uint8_t layout;
    } known[TERMINATE_LAYOUTS_MAX];
    unsigned n;
    void (*turn)(void *ctx); /* called before the table is used; NULL: only one thread uses it */
    void *ctx;
};

/* The host whose Terminates a side of a connection sends. layouts NULL: nothing is remembered. Ports do not matter. */
struct terminate_host {
    struct terminate_layouts *layouts;
    struct endpoint host;
};

/* 0: unknown. */
uint8_t terminate_layouts_get(const struct terminate_host *of);
void terminate_layouts_put(const struct terminate_host *of, uint8_t layout);

#endif
