// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/speak/say/script.h"

#include "traffic-gen/speak/say/carrier.h"
#include "traffic-gen/speak/say/setups.h"
#include "traffic-gen/speak/say/verb.h"

#include <string.h>

enum { SAID_MAX = 256 << 20 };

static const struct verb *const tables[] = {message_verbs, connection_verbs, rpc_verbs, work_verbs};

const struct verb *verb_find(const char *name)
{
    for (unsigned t = 0; t < G_N_ELEMENTS(tables); t++) {
        for (const struct verb *verb = tables[t]; verb->name; verb++) {
            if (strcmp(verb->name, name) == 0)
                return verb;
        }
    }
    return NULL;
}

void verb_append_names(GString *names, bool has_side)
{
    for (unsigned t = 0; t < G_N_ELEMENTS(tables); t++) {
        for (const struct verb *verb = tables[t]; verb->name; verb++) {
            if (verb_fits(verb, has_side))
                g_string_append_printf(names, "%s%s", names->len ? ", " : "", verb->name);
        }
    }
}

const char *verb_name(const struct verb *verb)
{
    return verb->name;
}

bool verb_has_side(const struct verb *verb)
{
    return verb->time != BETWEEN_CONNECTIONS;
}

bool verb_fits(const struct verb *verb, bool has_side)
{
    return verb_has_side(verb) == has_side || (!has_side && verb->of_both);
}

bool verb_says_startup(const struct verb *verb)
{
    return strcmp(verb->name, "mpa-request") == 0 || strcmp(verb->name, "mpa-reply") == 0;
}

/* Events for the next segments. */
static void set_trouble(struct words *words, struct sim_how *how)
{
    const char *name = words_value(words, "net");
    const struct {
        const char *name;
        bool *flag;
    } kinds[] = {{"lost", &how->lose},   {"lost-before", &how->lose_before}, {"late", &how->late},
                 {"twice", &how->twice}, {"fragmented", &how->fragment},     {"uncaptured", &how->uncaptured}};

    for (unsigned i = 0; name && i < G_N_ELEMENTS(kinds); i++) {
        if (strcmp(kinds[i].name, name) == 0) {
            *kinds[i].flag = true;
            return;
        }
    }
    if (name)
        words_refuse(words, name);
}

/* When the next message is sent: once all that the peer sent has arrived, or all but `unread` octets, plus a delay. */
static void script_set_time(struct saying *s)
{
    struct conversation *c = s->c;
    struct words *words = &s->words;
    uint64_t unread = words_number(words, "unread", 0), all = carrier_all_of_peer(c, s->role);

    c->early = words_have(words, "early") || unread > 0;
    if (unread > 0)
        c->how.received = all - MIN(unread, all);
    c->how.acked = words_have(words, "acked");
    words_wait(words, &c->how.delay_ns);
}

struct script_player *script_begin(struct stage *stage, const char *source)
{
    struct script_player *player = g_new0(struct script_player, 1);

    player->stage = stage;
    player->source = source;
    player->setup = setup_rev1;
    player->octets = stage->octets;
    return player;
}

struct script_player *script_join(struct conversation *c, const char *source)
{
    struct script_player *player = script_begin(c->stage, source);

    player->conversation = c;
    player->started = player->joined = true;
    return player;
}

static void say_once(struct script_player *player, const struct statement *statement, unsigned index)
{
    struct saying s = {.player = player,
                       .role = statement->role,
                       .verb = statement->verb,
                       .index = index,
                       .words = words_of(statement, player->source, &player->error)};

    if (verb_has_side(statement->verb)) {
        s.c = player->conversation;
        script_set_time(&s);
        set_trouble(&s.words, &s.c->how);
        if (s.c->carrier->write && mpa_take_words(&s.words, verb_says_startup(statement->verb)))
            s.c->changes = &s.words;
    }
    if (words_good(&s.words))
        statement->verb->say(&s);
    if (s.c && s.c->changes == &s.words) {
        s.c->changes = NULL;
        if (!s.c->over)
            words_refuse_because(&s.words, statement->verb->name,
                                 "nothing is said here that words of MPA could change");
    }
    if (player->stage->impossible)
        words_refuse_because(&s.words, statement->verb->name, player->stage->impossible);
    if (player->stage->octets - player->octets > SAID_MAX)
        words_refuse_because(&s.words, statement->verb->name, "all messages together have more than 256 MiB");
    words_end(&s.words);
}

bool script_say(struct script_player *player, const struct statement *statement)
{
    if (statement->verb->time == STARTUP)
        script_open(player);
    else if (statement->verb->time == AFTER_STARTUP)
        script_start(player);
    for (unsigned i = 0; i < statement->times && !player->error; i++)
        say_once(player, statement, i);
    player->begun = true;
    return !player->error;
}

bool script_end(struct script_player *player, char **error)
{
    bool good = !player->error;

    if (good && !player->joined) {
        script_start(player);
        script_close(player);
    } else if (!good) {
        *error = player->error;
    }
    rpc_script_free(&player->rpc);
    for (unsigned role = 0; role < 2; role++) {
        if (player->before[role])
            g_byte_array_unref(player->before[role]);
    }
    g_free(player);
    return good;
}

bool script_play(struct stage *stage, const char *name, const GPtrArray *statements, char **error)
{
    struct script_player *player = script_begin(stage, name);

    for (unsigned i = 0; i < statements->len && script_say(player, statements->pdata[i]); i++)
        ;
    return script_end(player, error);
}
