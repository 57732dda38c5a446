// SPDX-License-Identifier: GPL-2.0-or-later
/* What the ends of a connection of `work` are made with. */
#include "traffic-gen/scenario/scenario_work.h"

#include <string.h>

enum { IRD_ORD_MAX = 0x3FFF, MSS_MIN = 128, RECEIVES_MAX = 65536, RECEIVE_SIZE_MAX = 1 << 24 };
enum { CREDITS_MAX = 1024, NFS_PORT = 20049 };
enum { THRESHOLD = 4096, CREDITS = 32 };
enum { RECEIVES = 64, RECEIVE_SIZE = 65536, READS = 8 };

enum kind { VALUE, INLINE, REVISION, DEPTH_IRD, DEPTH_ORD, RTR, TEXT, ISN, OPENS };

struct setting {
    struct member member; /* of struct rpc_end_options, or of struct work_connection; in others for its limits */
    enum kind kind;
    enum { ANY, PLAIN, NFS } when; /* which connections have it */
};

#define OPTION(NAME, PLACE, MIN, MAX)     MEMBER(NAME, struct rpc_end_options, PLACE, MIN, MAX)
#define CONNECTION(NAME, PLACE, MIN, MAX) MEMBER(NAME, struct work_connection, PLACE, MIN, MAX)

/* Of one side; those before `rtr` of both at once as well. */
static const struct setting side_settings[] = {
    {OPTION("mpa-revision", qp.mpa.revision, 0, 2), REVISION, ANY},
    {OPTION("also-revision-0", qp.mpa.permissive, 0, 0), VALUE, ANY},
    {OPTION("crc", qp.mpa.crc, 0, 0), VALUE, ANY},
    {OPTION("markers", qp.mpa.markers, 0, 0), VALUE, ANY},
    {OPTION("enhanced", qp.mpa.enhanced, 0, 0), VALUE, ANY},
    {OPTION("receives", qp.receives, 0, RECEIVES_MAX), VALUE, PLAIN},
    {OPTION("receive-size", qp.receive_size, 0, RECEIVE_SIZE_MAX), VALUE, PLAIN},
    {OPTION("repost", qp.repost, 0, 0), VALUE, PLAIN},
    {OPTION("send-size", send_size, 0, 0), INLINE, NFS},
    {OPTION("receive-size", receive_size, 0, 0), INLINE, NFS},
    {OPTION("credits", credits, 1, CREDITS_MAX), VALUE, NFS},
    {OPTION("remote-invalidation", remote_invalidation, 0, 0), VALUE, NFS},
    {OPTION("ird", qp.mpa.enhanced_data.ird, 0, IRD_ORD_MAX), DEPTH_IRD, ANY},
    {OPTION("ord", qp.mpa.enhanced_data.ord, 0, IRD_ORD_MAX), DEPTH_ORD, ANY},
    {OPTION("private-data", qp.mpa.private_data, 0, 0), TEXT, PLAIN},
    {OPTION("rtr", qp.mpa.enhanced_data.rtr, 0, 0), RTR, ANY},
    {OPTION("rejects", qp.mpa.reject, 0, 0), VALUE, ANY},
    {CONNECTION("initial-sequence-number", isn[0], 1, UINT32_MAX), ISN, ANY},
};
enum { SHARED_SETTINGS = 15 };

static const struct setting settings[] = {
    {CONNECTION("mss", mss, MSS_MIN, UINT16_MAX), VALUE, ANY},
    {CONNECTION("port", port, 1, UINT16_MAX), VALUE, ANY},
    {CONNECTION("opened-by", responder_opens, 0, 0), OPENS, ANY},
};

struct making {
    struct work *work;
    struct work_connection *connection;
    enum role role;
};

static char *connection_names_of(bool one_side)
{
    GString *s = g_string_new(one_side ? "" : "initiator, responder, nfs");

    for (unsigned i = 0; i < (one_side ? G_N_ELEMENTS(side_settings) : SHARED_SETTINGS); i++) {
        if (!strstr(s->str, side_settings[i].member.name))
            g_string_append_printf(s, "%s%s", s->len ? ", " : "", side_settings[i].member.name);
    }
    for (unsigned i = 0; !one_side && i < G_N_ELEMENTS(settings); i++)
        g_string_append_printf(s, ", %s", settings[i].member.name);
    return g_string_free(s, FALSE);
}

static bool read_private_data(struct reading *r, const yaml_node_t *node, struct work *work, struct mpa_end_wish *wish)
{
    const char *text = read_text(r, node, "text");

    if (!text)
        return false;
    wish->private_length = (uint16_t)strlen(text);
    wish->private_data = (const uint8_t *)g_string_chunk_insert(work->texts, text);
    return true;
}

/* at: the struct rpc_end_options or struct work_connection that has it. */
static bool connection_apply(struct reading *r, const struct setting *s, const yaml_node_t *node, struct making *m,
                             void *at)
{
    struct qp_options *options = &((struct rpc_end_options *)at)->qp;
    struct mpa_enhanced *enhanced = &options->mpa.enhanced_data;
    void *member = (uint8_t *)at + s->member.offset;

    switch (s->kind) {
    case INLINE: /* 0: neither is said */
        return read_threshold(r, node, 0, member);
    case RTR:
        if (!read_rtr_types(r, node, &enhanced->rtr))
            return false;
        enhanced->peer_to_peer = enhanced->rtr != 0;
        return true;
    case TEXT:
        return read_private_data(r, node, m->work, &options->mpa);
    case OPENS:
        return read_opener(r, node, member);
    case ISN:
        return read_member(r, &s->member, node, (uint8_t *)m->connection + m->role * sizeof m->connection->isn[0]);
    default:
        break;
    }
    if (!read_member(r, &s->member, node, at))
        return false;
    if (s->kind == REVISION)
        options->mpa.enhanced = options->mpa.revision == 2;
    else if (s->kind == DEPTH_IRD)
        options->ird = enhanced->ird == IRD_ORD_MAX ? READS : enhanced->ird;
    else if (s->kind == DEPTH_ORD)
        options->ord = enhanced->ord == IRD_ORD_MAX ? READS : enhanced->ord;
    return true;
}

static bool is_for(const struct setting *s, const char *name, const struct making *m)
{
    return strcmp(s->member.name, name) == 0 && (s->when == ANY || (s->when == NFS) == m->connection->nfs.on);
}

/* Also what only the other kind of connection has. */
static bool connection_unknown(struct reading *r, const yaml_node_t *key, const char *name, bool one_side,
                               const struct making *m)
{
    g_autofree char *allowed = connection_names_of(one_side);

    for (unsigned i = 0; i < G_N_ELEMENTS(side_settings); i++) {
        if (strcmp(side_settings[i].member.name, name) == 0 && side_settings[i].when != ANY)
            return complain(r, key, NULL, "%s %s `nfs`", name, m->connection->nfs.on ? "does not go with" : "needs");
    }
    return complain(r, key, allowed, "'%s' is nothing that %s has", name, one_side ? "one side" : "a connection");
}

static bool connection_read_side(struct reading *r, void *context, const yaml_node_t *key, const char *name,
                                 const yaml_node_t *value)
{
    struct making *m = context;

    for (unsigned i = 0; i < G_N_ELEMENTS(side_settings); i++) {
        if (is_for(&side_settings[i], name, m))
            return connection_apply(r, &side_settings[i], value, m, &m->connection->options[m->role]);
    }
    return connection_unknown(r, key, name, true, m);
}

static bool is_side(const char *name, enum role *role)
{
    *role = *name == 'r' ? RESPONDER : INITIATOR;
    return strcmp(name, "initiator") == 0 || strcmp(name, "responder") == 0;
}

static bool read_shared(struct reading *r, void *context, const yaml_node_t *key, const char *name,
                        const yaml_node_t *value)
{
    struct making *m = context;
    enum role role;

    if (is_side(name, &role) || strcmp(name, "nfs") == 0)
        return true; /* after, or before, what is said of both */
    for (unsigned i = 0; i < SHARED_SETTINGS; i++) {
        if (is_for(&side_settings[i], name, m))
            return connection_apply(r, &side_settings[i], value, m, &m->connection->options[INITIATOR]) &&
                   connection_apply(r, &side_settings[i], value, m, &m->connection->options[RESPONDER]);
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(settings); i++) {
        if (strcmp(settings[i].member.name, name) == 0)
            return connection_apply(r, &settings[i], value, m, m->connection);
    }
    return connection_unknown(r, key, name, false, m);
}

static bool read_one_side(struct reading *r, void *context, const yaml_node_t *key, const char *name,
                          const yaml_node_t *value)
{
    struct making *m = context;
    g_autofree char *allowed = NULL;

    (void)key;
    if (!is_side(name, &m->role))
        return true;
    allowed = connection_names_of(true);
    return read_mapping(r, value, allowed, connection_read_side, m);
}

/* It decides what else there may be. */
static bool read_nfs(struct reading *r, void *context, const yaml_node_t *key, const char *name,
                     const yaml_node_t *value)
{
    struct making *m = context;
    struct work_connection *connection = m->connection;

    (void)key;
    if (strcmp(name, "nfs") != 0)
        return true;
    if (!connection->nfs.on) {
        connection->nfs.on = true;
        connection->port = NFS_PORT;
        for (unsigned role = 0; role < 2; role++) {
            struct rpc_end_options *options = &connection->options[role];

            options->qp.mpa.revision = 2;
            options->qp.mpa.enhanced = true;
            options->send_size = options->receive_size = THRESHOLD;
            options->credits = CREDITS;
            options->remote_invalidation = true;
        }
    }
    return read_work_nfs(r, value, &connection->nfs);
}

bool read_work_connection(struct reading *r, struct work *work, const yaml_node_t *node,
                          struct work_connection *connection)
{
    struct making m = {.work = work, .connection = connection};
    g_autofree char *allowed = connection_names_of(false);

    return read_mapping(r, node, allowed, read_nfs, &m) && read_mapping(r, node, allowed, read_shared, &m) &&
           read_mapping(r, node, allowed, read_one_side, &m);
}

void work_connection_init(struct work_connection *connection)
{
    *connection = (struct work_connection){0};
    for (enum role role = INITIATOR; role <= RESPONDER; role++) {
        connection->options[role].qp = (struct qp_options){
            .mpa =
                {
                    .role = role == INITIATOR ? MPA_END_INITIATOR : MPA_END_RESPONDER,
                    .revision = 1,
                    .crc = true,
                    .enhanced_data = {.ird = READS, .ord = READS},
                },
            .receives = RECEIVES,
            .receive_size = RECEIVE_SIZE,
            .repost = true,
            .ird = READS,
            .ord = READS,
        };
    }
}
