// SPDX-License-Identifier: GPL-2.0-or-later
/* RDMA Reads: RFC 5040 sections 4.4, 5.2. */
#include "engine/rdmap_internal.h"

bool rdmap_read_new(struct rdmap_connection *rdmap)
{
    (void)rdmap;
    return true;
}

void rdmap_read_free(struct rdmap_connection *rdmap)
{
    (void)rdmap;
}

void rdmap_read_request(struct rdmap_connection *rdmap, struct rdmap_step *step)
{
    (void)rdmap, (void)step;
}

void rdmap_read_response(struct rdmap_connection *rdmap, struct rdmap_step *step)
{
    (void)rdmap, (void)step;
}

void rdmap_read_broken_off(struct rdmap_connection *rdmap, unsigned side, struct rdmap_request *request)
{
    (void)rdmap, (void)side, (void)request;
}

void rdmap_read_finish(struct rdmap_connection *rdmap, int64_t time_ns)
{
    (void)rdmap, (void)time_ns;
}
