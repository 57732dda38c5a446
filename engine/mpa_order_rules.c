// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/mpa_internal.h"

bool mpa_order_new(struct mpa_connection *mpa)
{
    (void)mpa;
    return true;
}

void mpa_order_free(struct mpa_connection *mpa)
{
    (void)mpa;
}

void mpa_order_startup(struct mpa_connection *mpa, unsigned side)
{
    (void)mpa, (void)side;
}

void mpa_order_octets(struct mpa_connection *mpa, unsigned side, uint64_t from, uint64_t to,
                      const struct octets_origin *origin)
{
    (void)mpa, (void)side, (void)from, (void)to, (void)origin;
}

size_t mpa_order_first_octets(struct mpa_connection *mpa, unsigned side, const uint8_t *p, size_t n, bool last)
{
    (void)mpa, (void)side, (void)p, (void)n, (void)last;
    return 0;
}

void mpa_order_after_reject(struct mpa_connection *mpa, unsigned side, uint64_t offset, const uint8_t *p, size_t n,
                            const struct octets_origin *origin)
{
    (void)mpa, (void)side, (void)offset, (void)p, (void)n, (void)origin;
}

void mpa_order_fpdu(struct mpa_connection *mpa, unsigned side, const struct mpa_fpdu_event *event)
{
    (void)mpa, (void)side, (void)event;
}

void mpa_order_finish(struct mpa_connection *mpa)
{
    (void)mpa;
}
