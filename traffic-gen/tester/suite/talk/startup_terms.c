// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/tester/suite/talk/startup_terms.h"

#include <string.h>

#define STARTUP_ERROR g_quark_from_static_string("iwarp-test-terms")

enum { ALL_RTR = MPA_RTR_SEND | MPA_RTR_WRITE | MPA_RTR_READ };

/* ---- --mpa ---- */

struct word {
    const char *name;
    unsigned value;
};

static const struct word revisions[] = {{"1", 1}, {"2", 2}}, switches[] = {{"off", 0}, {"none", 0}, {"on", 1}},
                         rtr_types[] = {{"none", 0},
                                        {"send", MPA_RTR_SEND},
                                        {"write", MPA_RTR_WRITE},
                                        {"read", MPA_RTR_READ}},
                         data_words[] = {
                             {"advert", PRIVATE_DATA_ADVERT}, {"rpc", PRIVATE_DATA_RPC}, {"none", PRIVATE_DATA_NONE}};

static const struct key {
    const char *name;
    enum startup_field field;
    const struct word *words; /* NULL: takes a number of Reads */
    unsigned n_words;
    bool set; /* several words may be joined by + */
    const char *allowed;
} keys[] = {
    {"rev", STARTUP_REVISION, revisions, G_N_ELEMENTS(revisions), false, "1 or 2"},
    {"ird", STARTUP_IRD, NULL, 0, false, "0 to 16383"},
    {"ord", STARTUP_ORD, NULL, 0, false, "0 to 16383"},
    {"crc", STARTUP_CRC, switches, G_N_ELEMENTS(switches), false, "on or off"},
    {"markers", STARTUP_MARKERS, switches, G_N_ELEMENTS(switches), false, "on or off"},
    {"rtr", STARTUP_RTR, rtr_types, G_N_ELEMENTS(rtr_types), true, "none, or some of send, write, read, joined by +"},
    {"data", STARTUP_DATA, data_words, G_N_ELEMENTS(data_words), false, "advert, rpc or none"},
};

static bool word_value(const struct key *key, const char *text, unsigned *value)
{
    for (unsigned i = 0; i < key->n_words; i++) {
        if (strcmp(key->words[i].name, text) == 0) {
            *value = key->words[i].value;
            return true;
        }
    }
    return false;
}

static bool key_value(const struct key *key, const char *text, unsigned *value)
{
    g_auto(GStrv) parts = g_strsplit(text, "+", -1);
    guint64 number;
    unsigned part;

    if (!key->words) {
        if (!g_ascii_string_to_unsigned(text, 10, 0, MPA_IRD_ORD_NOT_NEGOTIATED, &number, NULL))
            return false;
        *value = (unsigned)number;
        return true;
    }
    if (!key->set)
        return word_value(key, text, value);
    *value = 0;
    for (unsigned i = 0; parts[i]; i++) {
        if (!word_value(key, parts[i], &part) || (part == 0 && parts[1]))
            return false;
        *value |= part;
    }
    return parts[0] != NULL;
}

static void terms_take(struct startup_terms *to, enum startup_field field, unsigned value)
{
    switch (field) {
    case STARTUP_REVISION:
        to->revision = (uint8_t)value;
        to->enhanced = value == 2;
        break;
    case STARTUP_IRD:
        to->data.ird = (uint16_t)value;
        break;
    case STARTUP_ORD:
        to->data.ord = (uint16_t)value;
        break;
    case STARTUP_CRC:
        to->no_crc = !value;
        break;
    case STARTUP_MARKERS:
        to->markers = value;
        break;
    case STARTUP_RTR:
        to->data.rtr = (uint8_t)value;
        to->data.peer_to_peer = value != 0;
        break;
    case STARTUP_DATA:
        to->words = (enum startup_private_data)value;
        break;
    }
}

static bool parse_one(struct startup_given *out, const char *text, GError **error)
{
    const char *equals = strchr(text, '=');
    unsigned value;

    for (unsigned i = 0; equals && i < G_N_ELEMENTS(keys); i++) {
        if (strlen(keys[i].name) != (size_t)(equals - text) || strncmp(text, keys[i].name, strlen(keys[i].name)) != 0)
            continue;
        if (!key_value(&keys[i], equals + 1, &value)) {
            g_set_error(error, STARTUP_ERROR, 0, "--mpa: '%s' is not %s=%s", text, keys[i].name, keys[i].allowed);
            return false;
        }
        terms_take(&out->terms, keys[i].field, value);
        out->fields |= keys[i].field;
        return true;
    }
    g_set_error(error, STARTUP_ERROR, 0,
                "--mpa: '%s' is not KEY=VALUE, with KEY one of rev, ird, ord, crc, markers, rtr, data", text);
    return false;
}

bool startup_parse(struct startup_given *out, const char *text, GError **error)
{
    g_auto(GStrv) parts = g_strsplit(text, ",", -1);

    for (unsigned i = 0; parts[i]; i++) {
        if (!parse_one(out, parts[i], error))
            return false;
    }
    if (out->fields & STARTUP_REVISION && out->terms.revision < 2 &&
        out->fields & (STARTUP_IRD | STARTUP_ORD | STARTUP_RTR)) {
        g_set_error(error, STARTUP_ERROR, 0, "--mpa: ird, ord and rtr need revision 2 (RFC 6581), not rev=1");
        return false;
    }
    return true;
}

/* ---- the ladder ---- */

/*
 * Peer-to-peer mode comes late: it is for devices whose own side may speak first, and some do not survive an early end
 * in this mode. The simplest verbs programs ask for IRD and ORD 1.
 */
static const struct rung {
    struct startup_terms terms;
    bool no_words;
} ladder[] = {
    {{.revision = 2, .enhanced = true, .data = {.ird = STARTUP_READS, .ord = STARTUP_READS}}, false},
    {{.revision = 2, .enhanced = true, .data = {.ird = 1, .ord = 1}}, false},
    {{.revision = 2, .enhanced = true, .data = {.ird = 1, .ord = 1}}, true},
    {{.revision = 2,
      .enhanced = true,
      .data = {.peer_to_peer = true, .rtr = ALL_RTR, .ird = STARTUP_READS, .ord = STARTUP_READS}},
     false},
    {{.revision = 2, .enhanced = true, .no_crc = true, .data = {.ird = STARTUP_READS, .ord = STARTUP_READS}}, false},
    {{.revision = 1}, false},
    {{.revision = 1, .no_crc = true}, false},
    {{.revision = 1}, true},
    {{.revision = 2}, false},
};

_Static_assert(G_N_ELEMENTS(ladder) <= STARTUP_OFFERS_MAX, "room for each rung");

static void fix(struct startup_terms *terms, const struct startup_given *given)
{
    if (given->fields & STARTUP_REVISION) {
        terms->revision = given->terms.revision;
        terms->enhanced = given->terms.enhanced;
    } else if (given->fields & (STARTUP_IRD | STARTUP_ORD | STARTUP_RTR)) {
        terms->revision = 2;
        terms->enhanced = true;
    }
    if (!terms->enhanced)
        terms->data = (struct mpa_enhanced){0};
    else if (terms->data.ird == 0 && terms->data.ord == 0)
        terms->data.ird = terms->data.ord = STARTUP_READS;
    if (given->fields & STARTUP_IRD)
        terms->data.ird = given->terms.data.ird;
    if (given->fields & STARTUP_ORD)
        terms->data.ord = given->terms.data.ord;
    if (given->fields & STARTUP_CRC)
        terms->no_crc = given->terms.no_crc;
    if (given->fields & STARTUP_MARKERS)
        terms->markers = given->terms.markers;
    if (given->fields & STARTUP_RTR) {
        terms->data.rtr = given->terms.data.rtr;
        terms->data.peer_to_peer = given->terms.data.peer_to_peer;
    }
    if (given->fields & STARTUP_DATA)
        terms->words = given->terms.words;
}

static bool same(const struct startup_terms *a, const struct startup_terms *b)
{
    return a->revision == b->revision && a->enhanced == b->enhanced && a->no_crc == b->no_crc &&
           a->markers == b->markers && a->words == b->words && a->data.peer_to_peer == b->data.peer_to_peer &&
           a->data.rtr == b->data.rtr && a->data.ird == b->data.ird && a->data.ord == b->data.ord;
}

unsigned startup_offers(const struct startup_given *given, enum startup_private_data words,
                        struct startup_terms out[STARTUP_OFFERS_MAX])
{
    unsigned n = 0;

    for (unsigned i = 0; i < G_N_ELEMENTS(ladder); i++) {
        struct startup_terms terms = ladder[i].terms;
        bool known = false;

        terms.words = ladder[i].no_words ? PRIVATE_DATA_NONE : words;
        fix(&terms, given);
        for (unsigned k = 0; k < n; k++)
            known |= same(&out[k], &terms);
        if (!known)
            out[n++] = terms;
    }
    return n;
}

char *startup_text(const struct startup_terms *terms)
{
    GString *text = g_string_new(NULL);

    g_string_append_printf(text, "MPA revision %u", terms->revision ? terms->revision : 1);
    if (terms->enhanced) {
        g_string_append_printf(text, ", IRD %u, ORD %u", terms->data.ird, terms->data.ord);
        if (terms->data.peer_to_peer)
            g_string_append_printf(text, ", peer-to-peer%s%s%s", terms->data.rtr & MPA_RTR_SEND ? " Send" : "",
                                   terms->data.rtr & MPA_RTR_WRITE ? " Write" : "",
                                   terms->data.rtr & MPA_RTR_READ ? " Read" : "");
    } else if (terms->revision == 2)
        g_string_append(text, " without enhanced data");
    g_string_append_printf(text, ", CRC %s, Markers %s", terms->no_crc ? "off" : "on", terms->markers ? "on" : "off");
    if (terms->words != PRIVATE_DATA_ADVERT)
        g_string_append(text, terms->words == PRIVATE_DATA_RPC ? ", private data of RFC 8797" : ", no private data");
    return g_string_free(text, FALSE);
}
