// SPDX-License-Identifier: GPL-2.0-or-later
/* How the talker sends: statements run on the socket as scenarios run on the simulated network. */
#include "traffic-gen/speak/say/carrier.h"
#include "traffic-gen/speak/say/operations.h"
#include "traffic-gen/speak/say/script.h"
#include "traffic-gen/speak/say/setups.h"
#include "traffic-gen/speak/say/words.h"
#include "traffic-gen/tester/suite/talk/talk_internal.h"

#include <string.h>

enum { MESSAGE_MAX = 4096, HARMLESS_STAG = 1 };

static const uint8_t usual_octets[MESSAGE_MAX] = "octets received in a case";

enum role talk_role(const struct talk *talk)
{
    return talk_is_initiator(talk) ? INITIATOR : RESPONDER;
}

/* ---- messages to this device ---- */

static const struct advert_memory *region_named(struct talk *talk, const struct words *words, const char *name)
{
    static const char *const names[REGION_COUNT] = {
        [REGION_ALL] = "all",      [REGION_READ_ONLY] = "read-only", [REGION_WRITE_ONLY] = "write-only",
        [REGION_LOCAL] = "local",  [REGION_FOREIGN] = "foreign",     [REGION_GONE] = "gone",
        [REGION_SHARED] = "shared"};

    for (unsigned i = 0; i < REGION_COUNT; i++) {
        if (strcmp(names[i], name) == 0)
            return talk_region(talk, (enum advert_region)i);
    }
    words_refuse(words, name);
    return NULL;
}

/* STag and Tagged Offset of a zero-length Write are not checked (RFC 5041 section 5.2). */
static struct advert_memory harmless_place(const struct talk *talk)
{
    return talk->startup.advert.n > REGION_ALL ? talk->startup.advert.regions[REGION_ALL]
                                               : (struct advert_memory){.stag = HARMLESS_STAG};
}

static void set_payload(const struct talk *talk, struct message *message, size_t n)
{
    message->payload = talk->saying.given ? talk->saying.given : usual_octets;
    message->length = talk->saying.given ? talk->saying.given_n : n;
}

/* Fills in messages before further words apply; memory: their target, NULL: no region is named. */
static void make_usual(struct talk *talk, struct message *message, const struct advert_memory *memory, bool at_end)
{
    const struct advert_memory place = memory ? *memory : harmless_place(talk);
    const uint64_t to = place.address + (at_end ? place.length : 0);

    switch (message->opcode) {
    case RDMAP_WRITE:
        message->segment.stag = place.stag;
        message->segment.to = to;
        set_payload(talk, message, memory ? TALK_MESSAGE : 0);
        break;
    case RDMAP_READ_REQUEST:
        message->read = (struct rdmap_read_request){.sink_stag = TALK_SINK_STAG, .sink_to = TALK_SINK_TO};
        if (memory) {
            message->read.source_stag = memory->stag;
            message->read.source_to = to;
            message->read.size = TALK_MESSAGE;
        }
        break;
    case RDMAP_SEND:
    case RDMAP_SEND_SE:
    case RDMAP_SEND_INVALIDATE:
    case RDMAP_SEND_SE_INVALIDATE:
        message->segment.stag = memory ? memory->stag : 0;
        set_payload(talk, message, TALK_MESSAGE);
        break;
    case RDMAP_READ_RESPONSE:
        if (memory) {
            message->segment.stag = memory->stag;
            message->segment.to = to;
        }
        set_payload(talk, message, TALK_MESSAGE);
        break;
    case RDMAP_ATOMIC_REQUEST: /* of zero, to the first word: harmless (RFC 7306 section 1.1) */
        message->atomic = (struct rdmap_atomic_request){
            .opcode = message->atomic.opcode,
            .identifier = 1,
            .stag = place.stag,
            .to = place.address,
            .compare_mask = message->atomic.opcode == RDMAP_ATOMIC_FETCH_ADD ? UINT64_MAX : 0};
        break;
    case RDMAP_IMMEDIATE:
    case RDMAP_IMMEDIATE_SE:
        message->immediate = UINT64_C(0x696D6D6564696174); /* "immediat" */
        break;
    default:
        break;
    }
}

static bool suite_talk_say_fill_in(struct conversation *c, struct words *words, struct message *message)
{
    struct talk *talk = c->socket;
    const char *name = words_value(words, "region");
    bool at_end = words_have(words, "end");
    const struct advert_memory *memory = NULL;

    if (!name && message->opcode == RDMAP_ATOMIC_REQUEST)
        name = "all";
    if (name && !(memory = region_named(talk, words, name))) {
        talk->saying.left_out = words_good(words); /* the verdict is set */
        return false;
    }
    make_usual(talk, message, memory, at_end);
    return true;
}

/* ---- the socket as a carrier ---- */

static void write_socket(struct conversation *c, enum role role, const uint8_t *p, size_t n, const struct sim_how *how)
{
    struct talk *talk = c->socket;

    (void)role;
    if (how->acked)
        talk_delivered(talk);
    if (how->delay_ns > 0)
        talk_sleep(talk, how->delay_ns);
    talk_write(talk, p, n);
}

static uint64_t written_socket(const struct conversation *c, enum role role)
{
    const struct talk *talk = c->socket;

    return role == talk_role(talk) ? talk->connection.out_offset : talk->connection.in_offset;
}

static void connect_socket(struct conversation *c)
{
    c->setup.ulpdu_max = MPA_ULPDU_MAX; /* the case decides where a message is cut */
}

static uint64_t all_of_peer_socket(const struct conversation *c, enum role role)
{
    return written_socket(c, role == INITIATOR ? RESPONDER : INITIATOR);
}

static void silence_socket(struct conversation *c, enum role role, const struct sim_how *how)
{
    (void)role;
    talk_sleep(c->socket, how->delay_ns);
}

static void end_socket(struct conversation *c, enum role role, bool reset, const struct sim_how *how)
{
    (void)role;
    (void)how;
    if (reset)
        talk_reset(c->socket);
    else
        talk_finish(c->socket);
}

static const struct carrier carrier_socket = {
    .name = "socket",
    .connect = connect_socket,
    .all_of_peer = all_of_peer_socket,
    .startup = say_own_startup,
    .message = say_message_in_fpdus,
    .silence = silence_socket,
    .end = end_socket,
    .write = write_socket,
    .written = written_socket,
    .fill_in = suite_talk_say_fill_in,
};

void talk_begin_saying(struct talk *talk)
{
    talk->saying.stage = stage_new_live(&carrier_socket);
    talk->saying.said = conversation_new(talk->saying.stage, &setup_rev1);
    talk->saying.said->socket = talk;
}

void talk_end_saying(struct talk *talk)
{
    if (talk->saying.stage)
        stage_free(talk->saying.stage);
    talk->saying.stage = NULL;
    talk->saying.said = NULL;
}

/* ---- statements ---- */

/* "ask" and "startup" depend on the device; other verbs are those of scripts. The caller frees it. */
static char *as_statement(struct talk *talk, const char *text)
{
    char side = talk_is_initiator(talk) ? 'I' : 'R';
    const char *rest = text + strcspn(text, " ");
    size_t n = (size_t)(rest - text);

    if (n == strlen("ask") && memcmp(text, "ask", n) == 0)
        return g_strdup_printf("%c %s%s", side, talk_question(talk, talk_usable_sign(talk)), rest);
    if (n == strlen("startup") && memcmp(text, "startup", n) == 0)
        return g_strdup_printf("%c %s%s", side, side == 'I' ? "mpa-request" : "mpa-reply", rest);
    return g_strdup_printf("%c %s", side, text);
}

static bool suite_talk_say_one(struct talk *talk, const char *text, char **error)
{
    g_autofree char *statement = as_statement(talk, text);
    g_autoptr(GPtrArray) statements = script_parse("case", statement, error);
    struct script_player *player;

    if (!statements)
        return false;
    player = script_join(talk->saying.said, "case");
    for (unsigned i = 0; i < statements->len && script_say(player, statements->pdata[i]); i++)
        ;
    return script_end(player, error);
}

bool talk_say_octets(struct talk *talk, const void *p, size_t n, const char *format, ...)
{
    g_autofree char *text = NULL, *error = NULL;
    g_auto(GStrv) parts = NULL;
    bool good = talk->saying.said != NULL;
    va_list args;

    va_start(args, format);
    text = g_strdup_vprintf(format, args);
    va_end(args);
    parts = g_strsplit(text, ";", -1);
    talk->saying.left_out = false;
    for (unsigned i = 0; good && parts[i]; i++) {
        talk->saying.given = p;
        talk->saying.given_n = n;
        good = !*g_strstrip(parts[i]) || (suite_talk_say_one(talk, parts[i], &error) && !talk->saying.left_out);
    }
    talk->saying.given = NULL;
    if (error && !talk->saying.left_out)
        talk_inconclusive(talk, "what is to be said cannot be: %s", error);
    return good;
}

bool talk_ask(struct talk *talk, enum talk_sign sign, const char *words)
{
    const char *question;

    talk->saying.given = NULL;
    question = talk_question(talk, sign);
    return *question && talk_say_octets(talk, talk->saying.given, talk->saying.given_n, "%s %s", question, words);
}

GByteArray *talk_octets(struct talk *talk, const void *p, size_t n, const char *format, ...)
{
    g_autofree char *text = NULL;
    enum role role = talk_role(talk);
    GByteArray *octets;
    va_list args;
    bool good;

    if (!talk->saying.said)
        return NULL;
    va_start(args, format);
    text = g_strdup_vprintf(format, args);
    va_end(args);
    cork(talk->saying.said, role);
    good = talk_say_octets(talk, p, n, "%s", text);
    octets = talk->saying.said->corked[role];
    talk->saying.said->corked[role] = NULL;
    talk->saying.said->is_corked[role] = false;
    if (good)
        return octets;
    g_byte_array_unref(octets);
    return NULL;
}

bool talk_echoes_message(const struct ddp_segment *echo)
{
    return echo->payload_len == TALK_MESSAGE && memcmp(echo->payload, usual_octets, TALK_MESSAGE) == 0;
}
