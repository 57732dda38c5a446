// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/rdma/ulp_signs.h"
#include "wire/invariant.h"

enum { SENDS_ENOUGH = 4, SENDS_ENOUGH_AT_PORT = 2 };

static bool is_port_of(const struct ulp_kind *kind, uint16_t port)
{
    for (unsigned i = 0; i < ULP_PORTS_MAX && kind->port[i] != 0; i++)
        if (kind->port[i] == port)
            return true;
    return false;
}

bool ulp_signs_port(const struct ulp_signs *signs, const struct ulp_kind *kind)
{
    return is_port_of(kind, signs->port[0]) != is_port_of(kind, signs->port[1]);
}

static const struct ulp_private_data *data_of(const struct ulp_signs *signs, unsigned opener_or_other)
{
    const struct ulp_private_data *data;

    if (signs->terms.initiator_side < 0)
        return NULL;
    data = &signs->data[((unsigned)signs->terms.initiator_side ^ opener_or_other) & 1u];
    INVARIANT(signs->terms.initiator_side < 2);
    return data->seen && data->p ? data : NULL;
}

const struct ulp_private_data *ulp_signs_request(const struct ulp_signs *signs)
{
    return data_of(signs, 0);
}

const struct ulp_private_data *ulp_signs_reply(const struct ulp_signs *signs)
{
    return data_of(signs, 1);
}

bool ulp_signs_opening(const struct ulp_signs *signs)
{
    return signs->send && signs->send->first && !signs->send->faulty &&
           signs->terms.initiator_side == (int)signs->send->side;
}

bool ulp_signs_enough(const struct ulp_signs *signs, const struct ulp_kind *kind)
{
    return signs->sends >= (ulp_signs_port(signs, kind) ? SENDS_ENOUGH_AT_PORT : SENDS_ENOUGH);
}

bool ulp_all_zero(const uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (p[i] != 0)
            return false;
    return true;
}

unsigned ulp_presumed_opener(const struct ulp_kind *const *kinds, const uint16_t port[2])
{
    for (; *kinds; kinds++)
        if (is_port_of(*kinds, port[0]) && !is_port_of(*kinds, port[1]))
            return 1;
    return 0;
}

const char *ulp_name(const struct ulp_name *names, uint8_t code)
{
    for (; names->name; names++)
        if (names->code == code)
            return names->name;
    return NULL;
}
