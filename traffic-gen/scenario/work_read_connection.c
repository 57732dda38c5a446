// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads the options of both ends of a connection. */
#include "traffic-gen/scenario/work_read.h"

#include <string.h>

enum { IRD_ORD_MAX = 0x3FFF, RTR_ALL = 7, MSS_MIN = 128, RECEIVES_MAX = 65536, RECEIVE_SIZE_MAX = 1 << 24 };
enum { IO_MAX = 1 << 20, LIST_MIN = 512, IN_FLIGHT_MAX = 16, SEGMENTS_MAX = 16, CREDITS_MAX = 1024 };
enum { THRESHOLD_UNIT = 1024, THRESHOLD_MAX = 256 * THRESHOLD_UNIT, PRIVATE_MAX = 256 };
/* Defaults. */
enum { RECEIVES = 64, RECEIVE_SIZE = 65536, READS = 8, THRESHOLD = 4096, CREDITS = 32, NFS_PORT = 20049 };

#define OPTION(NAME, PLACE, MIN, MAX)     WORK_FIELD(NAME, struct rpc_end_options, PLACE, MIN, MAX)
#define CONNECTION(NAME, PLACE, MIN, MAX) WORK_FIELD(NAME, struct work_connection, PLACE, MIN, MAX)
#define CLIENT(NAME, PLACE, MIN, MAX)     WORK_FIELD(NAME, struct nfs_client_options, PLACE, MIN, MAX)

static const struct work_field connection_fields[] = {
    CONNECTION("mss", mss, MSS_MIN, UINT16_MAX),
    CONNECTION("port", port, 1, UINT16_MAX),
    CONNECTION("responder-opens", responder_opens, 0, 1),
};
/* Fields for both sides at once, or for one. */
static const struct work_field mpa_fields[] = {
    OPTION("also-rev0", qp.mpa.permissive, 0, 1),
    OPTION("enhanced", qp.mpa.enhanced, 0, 1),
    OPTION("markers", qp.mpa.markers, 0, 1),
};
static const struct work_field plain_fields[] = {
    OPTION("receives", qp.receives, 0, RECEIVES_MAX),
    OPTION("receive-size", qp.receive_size, 0, RECEIVE_SIZE_MAX),
    OPTION("repost", qp.repost, 0, 1),
};
static const struct work_field rpc_fields[] = {
    OPTION("send-size", send_size, 0, THRESHOLD_MAX),
    OPTION("receive-size", receive_size, 0, THRESHOLD_MAX),
    OPTION("credits", credits, 1, CREDITS_MAX),
    OPTION("remote-invalidation", remote_invalidation, 0, 1),
};
/* Fields for one side. */
static const struct work_field side_fields[] = {
    OPTION("crc", qp.mpa.crc, 0, 1),
    OPTION("reject", qp.mpa.reject, 0, 1),
    OPTION("ird", qp.mpa.enhanced_data.ird, 0, IRD_ORD_MAX),
    OPTION("ord", qp.mpa.enhanced_data.ord, 0, IRD_ORD_MAX),
    OPTION("rtr", qp.mpa.enhanced_data.rtr, 0, RTR_ALL),
};
static const struct work_field client_fields[] = {
    CLIENT("io", io_octets, 1, IO_MAX),
    CLIENT("list", list_octets, LIST_MIN, IO_MAX),
    CLIENT("inline-up-to", inline_octets, 1, IO_MAX),
    CLIENT("in-flight", depth, 1, IN_FLIGHT_MAX),
    CLIENT("chunk-segments", how.segments, 1, SEGMENTS_MAX),
    CLIENT("backchannel", backchannel, 0, 1),
    CLIENT("link-chunks", link_chunks, 0, 1),
};

static const char *const side_names[] = {[INITIATOR] = "I", [RESPONDER] = "R"};

static void connection_init(struct work_connection *connection)
{
    *connection = (struct work_connection){0};
    for (enum role role = INITIATOR; role <= RESPONDER; role++) {
        connection->options[role].qp = (struct qp_options){
            .mpa =
                {
                    .role = role == INITIATOR ? MPA_END_INITIATOR : MPA_END_RESPONDER,
                    .revision = 1,
                    .crc = true,
                },
            .receives = RECEIVES,
            .receive_size = RECEIVE_SIZE,
            .repost = true,
        };
    }
}

/* ---- NFS ---- */

static void read_version(struct words *words, struct nfs_client_options *client)
{
    static const struct {
        const char *name;
        unsigned version, minor;
    } versions[] = {{"2", 2, 0}, {"3", 3, 0}, {"4.0", 4, 0}, {"4.1", 4, 1}, {"4.2", 4, 2}};
    const char *name = words_value(words, "nfs");

    for (unsigned i = 0; i < G_N_ELEMENTS(versions); i++) {
        if (strcmp(versions[i].name, name) == 0) {
            client->version = versions[i].version;
            client->minor = versions[i].minor;
            return;
        }
    }
    words_refuse_because(words, "nfs", "the versions are 2, 3, 4.0, 4.1, 4.2");
}

static void read_calls(struct words *words, struct rpc_end_how *how)
{
    const char *calls = words_value(words, "calls");

    if (!calls)
        return;
    how->long_call = strcmp(calls, "long") == 0;
    how->reduce = strcmp(calls, "reduced") == 0;
    how->keep_inline = strcmp(calls, "unreduced") == 0;
    if (!how->long_call && !how->reduce && !how->keep_inline && strcmp(calls, "as-needed") != 0)
        words_refuse_because(words, "calls", "Calls are as-needed, long, reduced or unreduced");
}

static void read_client(struct words *words, struct work_connection *connection)
{
    connection->nfs.on = true;
    connection->port = NFS_PORT;
    for (enum role role = INITIATOR; role <= RESPONDER; role++) {
        struct rpc_end_options *options = &connection->options[role];

        options->qp.mpa.revision = 2;
        options->send_size = options->receive_size = THRESHOLD;
        options->credits = CREDITS;
        options->remote_invalidation = true;
    }
    read_version(words, &connection->nfs.client);
    read_calls(words, &connection->nfs.client.how);
    work_read_fields(words, client_fields, G_N_ELEMENTS(client_fields), "", &connection->nfs.client);
}

/* ---- sides ---- */

/* Revision 2 implies the enhanced set-up. */
static void read_revisions(struct words *words, struct rpc_end_options *options)
{
    static const char *const both[] = {"rev0", "rev1", "rev2"}, *const own[] = {"revI", "revR"};

    for (enum role role = INITIATOR; role <= RESPONDER; role++) {
        struct mpa_end_wish *mpa = &options[role].qp.mpa;

        for (unsigned i = 0; i < G_N_ELEMENTS(both); i++)
            mpa->revision = words_have(words, both[i]) ? (uint8_t)i : mpa->revision;
        mpa->revision = (uint8_t)words_number_within(words, own[role], mpa->revision, 0, 2);
        mpa->enhanced = mpa->revision == 2;
    }
}

static void read_private_data(struct words *words, struct work *work, const char *suffix, struct mpa_end_wish *mpa)
{
    g_autofree char *name = g_strconcat("private-data", suffix, NULL);
    const char *hex = words_value(words, name);
    GByteArray *octets = hex ? words_octets(words, hex) : NULL;

    if (!octets)
        return;
    if (octets->len > PRIVATE_MAX) {
        words_refuse_because(words, name, "more than 256 octets");
    } else {
        mpa->private_length = (uint16_t)octets->len;
        mpa->private_data =
            (const uint8_t *)g_string_chunk_insert_len(work->texts, (const char *)octets->data, (gssize)octets->len);
    }
    g_byte_array_unref(octets);
}

/* Reads words about both sides, or about one. */
static void read_shared(struct words *words, struct work *work, bool nfs, const char *suffix,
                        struct rpc_end_options *options)
{
    work_read_fields(words, mpa_fields, G_N_ELEMENTS(mpa_fields), suffix, options);
    if (nfs) {
        work_read_fields(words, rpc_fields, G_N_ELEMENTS(rpc_fields), suffix, options);
        return;
    }
    work_read_fields(words, plain_fields, G_N_ELEMENTS(plain_fields), suffix, options);
    read_private_data(words, work, suffix, &options->qp.mpa);
}

/* Sets values that follow from the words. */
static void settle_side(struct words *words, bool nfs, struct rpc_end_options *options)
{
    struct mpa_enhanced *enhanced = &options->qp.mpa.enhanced_data;

    enhanced->peer_to_peer = enhanced->rtr != 0;
    options->qp.ird = enhanced->ird == IRD_ORD_MAX ? READS : enhanced->ird;
    options->qp.ord = enhanced->ord == IRD_ORD_MAX ? READS : enhanced->ord;
    if (nfs && (options->send_size % THRESHOLD_UNIT || options->receive_size % THRESHOLD_UNIT))
        words_refuse_because(words, "nfs", "sizes of messages are multiples of 1024");
}

void work_read_connection(struct words *words, struct work *work, struct work_connection *connection)
{
    struct rpc_end_options *options = connection->options;
    uint16_t depth = (uint16_t)words_number_within(words, "depth", READS, 0, IRD_ORD_MAX);
    bool no_crc = words_have(words, "no-crc");

    connection_init(connection);
    if (words_given(words, "nfs"))
        read_client(words, connection);
    work_read_fields(words, connection_fields, G_N_ELEMENTS(connection_fields), "", connection);
    read_revisions(words, options);
    for (enum role role = INITIATOR; role <= RESPONDER; role++) {
        struct mpa_end_wish *mpa = &options[role].qp.mpa;
        g_autofree char *isn = g_strconcat("isn", side_names[role], NULL);

        mpa->crc = !no_crc;
        mpa->enhanced_data.ird = mpa->enhanced_data.ord = depth;
        read_shared(words, work, connection->nfs.on, "", &options[role]);
        read_shared(words, work, connection->nfs.on, side_names[role], &options[role]);
        work_read_fields(words, side_fields, G_N_ELEMENTS(side_fields), side_names[role], &options[role]);
        settle_side(words, connection->nfs.on, &options[role]);
        connection->isn[role] = (uint32_t)words_number_within(words, isn, 0, 1, UINT32_MAX);
    }
}
