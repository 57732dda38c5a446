// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/speak/sim/sim_trouble.h"

#include <glib.h>
#include <string.h>

enum kind { PROBABILITY, MILLISECONDS, OCTETS };
enum { ON_TCP = 1, ON_ROCE = 2, ON_BOTH = ON_TCP | ON_ROCE };

static const struct key {
    const char *name;
    enum kind kind;
    size_t offset; /* in struct sim_trouble */
    double min, max;
    unsigned on;
} keys[] = {
    {"loss", PROBABILITY, offsetof(struct sim_trouble, loss), 0, 0.5, ON_BOTH},
    {"reorder", PROBABILITY, offsetof(struct sim_trouble, reorder), 0, 0.5, ON_BOTH},
    {"dup", PROBABILITY, offsetof(struct sim_trouble, dup), 0, 0.5, ON_BOTH},
    {"resegment", PROBABILITY, offsetof(struct sim_trouble, resegment), 0, 0.5, ON_TCP},
    {"capture-loss", PROBABILITY, offsetof(struct sim_trouble, capture_loss), 0, 0.5, ON_BOTH},
    {"rnr", PROBABILITY, offsetof(struct sim_trouble, not_ready), 0, 0.5, ON_ROCE},
    {"delay", MILLISECONDS, offsetof(struct sim_trouble, delay_ns), 0, 1000, ON_BOTH},
    {"jitter", MILLISECONDS, offsetof(struct sim_trouble, jitter_ns), 0, 1000, ON_BOTH},
    {"window", OCTETS, offsetof(struct sim_trouble, window), 256, 1 << 22, ON_TCP},
    {"tso", OCTETS, offsetof(struct sim_trouble, segment_max), 1000, 65000, ON_TCP},
};

static const char *const units[] = {
    [PROBABILITY] = "a probability", [MILLISECONDS] = "milliseconds", [OCTETS] = "octets"};

static bool trouble_unknown(const char *part, unsigned on, char **error)
{
    GString *names = g_string_new(NULL);

    for (unsigned i = 0; i < G_N_ELEMENTS(keys); i++) {
        if (keys[i].on & on)
            g_string_append_printf(names, "%s%s=", names->len ? ", " : "", keys[i].name);
    }
    *error = g_strdup_printf("--net: '%s' is none of %s", part, names->str);
    g_string_free(names, TRUE);
    return false;
}

static bool trouble_apply(char *part, unsigned on, struct sim_trouble *trouble, char **error)
{
    char *value = strchr(part, '='), *end;
    const struct key *key = NULL;
    uint8_t *member;
    double number;

    for (unsigned i = 0; value && i < G_N_ELEMENTS(keys); i++) {
        if (keys[i].on & on && strlen(keys[i].name) == (size_t)(value - part) &&
            strncmp(keys[i].name, part, (size_t)(value - part)) == 0)
            key = &keys[i];
    }
    if (!key)
        return trouble_unknown(part, on, error);
    number = g_ascii_strtod(value + 1, &end);
    if (end == value + 1 || *end || !(number >= key->min && number <= key->max)) {
        *error =
            g_strdup_printf("--net: '%s' is not %s from %.10g to %.10g", part, units[key->kind], key->min, key->max);
        return false;
    }
    member = (uint8_t *)trouble + key->offset;
    switch (key->kind) {
    case PROBABILITY:
        *(double *)(void *)member = number;
        break;
    case MILLISECONDS:
        *(int64_t *)(void *)member = (int64_t)(number * 1e6);
        break;
    case OCTETS:
        *(uint32_t *)(void *)member = (uint32_t)number;
        break;
    }
    return true;
}

bool sim_trouble_parse(const char *text, bool roce, struct sim_trouble *trouble, char **error)
{
    char **parts = g_strsplit(text, ",", -1);
    bool good = true;

    for (unsigned i = 0; parts[i] && good; i++)
        good = trouble_apply(parts[i], roce ? ON_ROCE : ON_TCP, trouble, error);
    g_strfreev(parts);
    return good;
}
