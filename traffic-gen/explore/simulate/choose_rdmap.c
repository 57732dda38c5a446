// SPDX-License-Identifier: GPL-2.0-or-later
/* Random messages of RDMAP: what RFC 5040, RFC 5044, RFC 6581 and RFC 7306 leave to the ends. */
#include "traffic-gen/explore/simulate/choose.h"

#include <string.h>

enum { IN_FLIGHT = 6, CONNECTIONS_MAX = 3 }; /* the start-up of revision 2 allows eight requests of a side */

struct phrase {
    const char *say;
    const char *answer; /* of the peer, later, in order; NULL: none */
};

static const char *const setups[] = {
    "rev1",
    "rev1 markers",
    "rev1 no-crc",
    "rev1 markers no-crc",
    "rev2",
    "rev2 markers",
    "rev1 mulpdu=128 mss=140",
    "rev1 mulpdu=688 mss=700",
    "rev2 mulpdu=288 mss=300",
    "rev1 responder-opens",
    "rev1 no-sack",
    "rev1 isnI={4294960000-4294967295}",
    "rev1 segments={2000-40000}",
    "rev2 ordI={6-8} irdR={8-9} ordR={6-8} irdI={8-9}",
};

static const struct phrase phrases[] = {
    {"send{|-se|-inv|-se-inv} len={len}", NULL},
    {"send len=0", NULL},
    {"send len={len} wait={1-4000}", NULL},
    {"write len={len} to={0-281474976710656}", NULL},
    {"write len={0-1}", NULL},
    {"read size={len} srcto={0-1099511627776}", "answer"},
    {"read size={len}", "answer"},
    {"fadd data={any}", "result"},
    {"fadd data={any} mask={any}", "result"},
    {"cswap data={any} cdata={any} mask={any}", "result"},
    {"imm{|-se} data={any}", NULL},
};
/* Version 0 of RDMAP has no Atomics and no Immediate Data. */
enum { OF_OLD_VERSION = 7 };

struct messages {
    struct phrasing *phrasing;
    GString *out;
    const char *waiting[2][IN_FLIGHT]; /* answers that are due to the requests of a side */
    unsigned n_waiting[2];
    unsigned unseen[2]; /* answers to a side since the side last waited for its peer */
    bool old;
};

static const char letters[] = "IR";

static void rdmap_answer(struct messages *messages, unsigned side)
{
    g_string_append_printf(messages->out, "; %c %s", letters[!side], messages->waiting[side][0]);
    messages->n_waiting[side]--;
    messages->unseen[side]++;
    messages->unseen[!side] = 0;
    memmove(&messages->waiting[side][0], &messages->waiting[side][1], sizeof messages->waiting[side] - sizeof(char *));
}

static void rdmap_say(struct messages *messages, unsigned side)
{
    const struct phrase *phrase =
        &phrases[phrase_below(messages->phrasing, messages->old ? OF_OLD_VERSION : G_N_ELEMENTS(phrases))];

    if (phrase->answer && messages->n_waiting[side] == IN_FLIGHT)
        rdmap_answer(messages, side);
    g_string_append_printf(messages->out, "; %c ", letters[side]);
    phrase_append(messages->out, messages->phrasing, phrase->say);
    /* A side that has not seen an answer still counts its request as open. */
    if (phrase_chance(messages->phrasing, 0.1) &&
        (!phrase->answer || messages->n_waiting[side] + messages->unseen[side] < IN_FLIGHT))
        g_string_append(messages->out, " early");
    else
        messages->unseen[side] = 0;
    if (phrase->answer)
        messages->waiting[side][messages->n_waiting[side]++] = phrase->answer;
}

static void rdmap_say_some(struct messages *messages, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        unsigned side = phrase_below(messages->phrasing, 2);

        if (messages->n_waiting[side] > 0 && phrase_chance(messages->phrasing, 0.4))
            rdmap_answer(messages, side);
        else
            rdmap_say(messages, side);
    }
    for (unsigned side = 0; side < 2; side++) {
        while (messages->n_waiting[side] > 0)
            rdmap_answer(messages, side);
    }
}

char *choose_rdmap(struct phrasing *phrasing, unsigned statements)
{
    struct messages messages = {.phrasing = phrasing, .out = g_string_new("with ")};
    unsigned connections = phrase_chance(phrasing, 0.2) ? 1 + phrase_below(phrasing, CONNECTIONS_MAX) : 1;

    messages.old = phrase_chance(phrasing, 0.08);
    phrase_append(messages.out, phrasing, messages.old ? "rev0" : setups[phrase_below(phrasing, G_N_ELEMENTS(setups))]);
    for (unsigned i = 0; i < connections; i++) {
        g_string_append(messages.out, i == 0 ? "; I send; R send" : "; next; I send; R send");
        rdmap_say_some(&messages, phrase_below(phrasing, statements + 1));
        if (phrase_chance(phrasing, 0.1))
            phrase_append(messages.out, phrasing, "; {I rst|R rst|R close|I term 0/0/00|I fin; R send; R fin}");
    }
    return g_string_free(messages.out, FALSE);
}
