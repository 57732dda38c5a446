// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/core/rule.h"

#include "wire/invariant.h"

#include <strings.h>

const struct rule *rule_find(const char *id)
{
    for (size_t i = 0; i < RULE_COUNT; i++)
        if (strcasecmp(rule_catalogue[i].id, id) == 0)
            return &rule_catalogue[i];
    return NULL;
}

enum rule_id rule_number(const struct rule *rule)
{
    INVARIANT(rule >= rule_catalogue && rule < rule_catalogue + RULE_COUNT);
    return (enum rule_id)(rule - rule_catalogue);
}

bool rule_carried_by(const struct rule *rule, enum rule_id id)
{
    return rule->same == id;
}

bool rule_judged_with(const struct rule *rule, enum rule_id id)
{
    for (unsigned i = 0; i < rule->n_with; i++)
        if (rule->with[i] == id)
            return true;
    return false;
}

bool rule_binds_on(const struct rule *rule, enum rule_transport transport)
{
    return rule->transport == RULE_ON_ANY || transport == RULE_ON_ANY || rule->transport == transport;
}

const char *rule_severity_name(enum rule_severity severity)
{
    static const char *const names[] = {"note", "warning", "error"};
    return names[severity];
}

const char *rule_observe_name(enum rule_observe observe)
{
    static const char *const names[] = {"wire", "wire-1way", "reaction", "endpoint", "meta"};
    return names[observe];
}

const char *rule_verification(const struct rule *rule)
{
    switch (rule->observe) {
    case OBSERVE_WIRE:
    case OBSERVE_WIRE_1WAY:
        return rule->judged == RULE_NOT_JUDGED ? "none" : "passive";
    case OBSERVE_REACTION:
        return rule->judged == RULE_NOT_JUDGED ? "active" : "passive+active";
    case OBSERVE_ENDPOINT:
    case OBSERVE_META:
        return "none";
    }
    return "none";
}
