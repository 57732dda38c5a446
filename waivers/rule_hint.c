// SPDX-License-Identifier: GPL-2.0-or-later
#include "waivers/rule_hint.h"

#include "engine/core/rule.h"
#include "support/closest.h"

#include <stdint.h>

char *rule_hint(const char *id, const char *otherwise)
{
    struct closest closest = closest_to(id, SIZE_MAX);

    for (unsigned i = 0; i < RULE_COUNT; i++)
        closest_consider(&closest, rule_catalogue[i].id);
    return closest_hint(&closest, otherwise);
}
