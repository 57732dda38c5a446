/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How the hosts of a capture lay out the control word of Terminates (engine/terminate/terminate_layout.h): a connection
 * has at most one Terminate per direction, so what one of them proves counts for the next connection.
 *
 * Where threads share a table, `turn` returns when everything before what its thread works on is done: then they use it
 * one after the other, in the order of the capture, and what they read does not depend on how many there are.
 */
#ifndef IWARP_ENGINE_TERMINATE_TERMINATE_HOSTS_H
#define IWARP_ENGINE_TERMINATE_TERMINATE_HOSTS_H

#include "wire/endpoint.h"

enum { TERMINATE_LAYOUTS_MAX = 512 }; /* hosts that do not lay it out as the RFC says; later ones are not kept */

struct terminate_layouts {
    struct {
        struct endpoint host; /* port 0 */
        uint8_t layout;
    } known[TERMINATE_LAYOUTS_MAX];
    unsigned n;
    void (*turn)(void *ctx); /* called before the table is used; NULL: it is used by one thread */
    void *ctx;
};

/* Whose Terminates a side of a connection sends. layouts NULL: nothing is remembered. Ports do not matter. */
struct terminate_host {
    struct terminate_layouts *layouts;
    struct endpoint host;
};

/* 0: not known. */
uint8_t terminate_layouts_get(const struct terminate_host *of);
void terminate_layouts_put(const struct terminate_host *of, uint8_t layout);

#endif
