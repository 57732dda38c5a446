// SPDX-License-Identifier: GPL-2.0-or-later
/* Delegations of the stack's NFSv4 server, and the callbacks that want them back: RFC 8881 sections 10.2, 10.4, 20. */
#include "tests/unit/support/nfs4_client.h"
#include "traffic-gen/nfs/server/nfs_server_internal.h"

enum { DELEGATE_NONE = 0, DELEGATE_READ = 1, DELEGATE_WRITE = 2, DELEGATE_NONE_EXT = 3 };

struct both {
    struct v4_server on;
    struct v4_client a, b;
};

/* The callback that came last is one that the codec knows, whole. */
static uint32_t check_callback(const struct v4_client *t, struct rpc_message *header)
{
    const struct nfs_procedure *procedure;
    struct nfs_walk_events none = {0};
    struct nfs_walk_result result;

    assert_int_equal(rpc_decode(header, t->called.p, t->called.n), RPC_OK);
    assert_int_equal(header->type, RPC_CALL);
    assert_int_equal(header->prog, 0x40000000);
    procedure = nfs_procedure_find(header->prog, header->vers, header->proc);
    assert_non_null(procedure);
    assert_int_equal(nfs_walk(procedure, false, t->called.p + header->header_len, t->called.n - header->header_len,
                              header->header_len, &none, &result),
                     NFS_WALK_OK);
    assert_int_equal(result.left, 0);
    return header->proc;
}

/* Answers the last callback; sequence and recall: statuses of its operations. */
static void answer(struct v4_client *t, uint32_t sequence, uint32_t recall)
{
    struct rpc_message call, header = {.type = RPC_REPLY};
    uint8_t octets[64];
    struct xdr_writer w = {.p = octets, .size = sizeof octets};
    struct rpc_end_message reply;
    struct xdr_out out;
    struct xdr in = xdr_begin(t->called.p, t->called.n);
    uint64_t cookie = t->cookie;

    xdr_out_begin(&out);
    if (check_callback(t, &call) == 1)
        in.at = call.header_len + 4 + 4 + 4 + 4 + 4; /* tag, minor version, ident, count, CB_SEQUENCE */
    header.xid = call.xid;
    rpc_reply_encode(&header, NULL, &w);
    xdr_out_fixed(&out, octets, w.at);
    if (call.proc == 1) {
        xdr_out_u32(&out, sequence ? sequence : recall);
        xdr_out_opaque(&out, "", 0);
        xdr_out_u32(&out, sequence ? 1 : 2);
        xdr_out_u32(&out, 11);
        xdr_out_u32(&out, sequence);
        if (sequence == 0) {
            xdr_out_fixed(&out, in.p + in.at, 16 + 4 + 4 + 4);
            xdr_out_u32(&out, 0);
            xdr_out_u32(&out, 4);
            xdr_out_u32(&out, recall);
        }
    }
    xdr_out_take(&out, &reply);
    nfs_peer_replied(t->peer, cookie, &reply);
    g_free(reply.p);
}

static uint32_t callback_sequence(const struct v4_client *t)
{
    struct rpc_message call;

    assert_int_equal(check_callback(t, &call), 1);
    return get_be32(t->called.p + call.header_len + 20 + 16);
}

static int begin(void **state)
{
    struct both *both = g_new0(struct both, 1);
    struct rpc_message header;

    v4_server_begin(&both->on);
    v4_begin(&both->a, &both->on, 1, true);
    v4_begin(&both->b, &both->on, 1, true);
    v4_mount(&both->a, "a", true);
    v4_mount(&both->b, "b", true);
    /* The first SEQUENCE has made the server ask whether anybody is there. */
    assert_int_equal(both->a.calls, 1);
    assert_int_equal(check_callback(&both->a, &header), 0);
    answer(&both->a, 0, 0);
    *state = both;
    return 0;
}

static int end(void **state)
{
    struct both *both = *state;

    v4_end(&both->a);
    v4_end(&both->b);
    v4_server_end(&both->on);
    g_free(both);
    return 0;
}

/* Opens, and says what was delegated. */
static uint32_t open_for(struct v4_client *t, const char *owner, uint32_t share, struct v4_stateid *open,
                         struct v4_stateid *delegation)
{
    uint32_t kind;

    *delegation = (struct v4_stateid){0}; /* there may be none */
    assert_int_equal(v4_open(t, owner, "file", share, 0, true, open), 0);
    kind = (uint32_t)v4_number(t, "delegation");
    if (kind == DELEGATE_READ || kind == DELEGATE_WRITE) {
        const uint8_t *p = t->reply.p + nfs_results_last(&t->fields, "state_seqid")->at;

        delegation->seqid = get_be32(p);
        memcpy(delegation->other, p + 4, sizeof delegation->other);
    }
    return kind;
}

static uint32_t give_back(struct v4_client *t, const struct v4_stateid *delegation)
{
    return v4_ask(t, delegation, "/file,delegreturn");
}

static void test_read_delegations(void **state)
{
    struct both *both = *state;
    struct v4_stateid a, b, da, db;

    assert_int_equal(open_for(&both->a, "x", 1, &a, &da), DELEGATE_READ);
    answer(&both->b, 0, 0);
    /* Many may read. */
    assert_int_equal(open_for(&both->b, "x", 1, &b, &db), DELEGATE_READ);
    assert_int_equal(v4_read(&both->a, "file", &da, 0, 1), 0);
    assert_int_equal(v4_write(&both->a, "file", &da, 0, "x", 1), 10038);
    /* Who writes must wait until the other one has given it back. */
    assert_int_equal(v4_open(&both->b, "x", "file", 2, 0, false, &b), 10008);
    assert_int_equal(both->a.calls, 2);
    assert_int_equal(callback_sequence(&both->a), 1);
    assert_int_equal(v4_open(&both->b, "x", "file", 2, 0, false, &b), 10008);
    assert_int_equal(both->a.calls, 2); /* it is asked once */
    answer(&both->a, 0, 0);
    assert_int_equal(give_back(&both->a, &da), 0);
    assert_int_equal(give_back(&both->a, &da), 10025);
    assert_int_equal(v4_open(&both->b, "x", "file", 2, 0, false, &b), 0);
}

static void test_write_delegation(void **state)
{
    struct both *both = *state;
    struct v4_stateid a, b, delegation;

    assert_int_equal(open_for(&both->a, "x", 3, &a, &delegation), DELEGATE_WRITE);
    assert_int_equal(v4_write(&both->a, "file", &delegation, 0, "x", 1), 0);
    /* Even reading, or asking for the size, is in its way; asking for the mode is not. */
    assert_int_equal(v4_open(&both->b, "x", "file", 1, 0, false, &b), 10008);
    assert_int_equal(v4_ask(&both->b, NULL, "/file,getattr:0x10:mask1=2"), 10008);
    assert_int_equal(v4_ask(&both->b, NULL, "/file,getattr:0:mask1=2"), 0);
    assert_int_equal(v4_ask(&both->b, NULL, "/,remove:file"), 10008);
    /* Its own client is not hindered. */
    assert_int_equal(v4_ask(&both->a, NULL, "/file,getattr:0x10:masks=1"), 0);
    assert_int_equal(give_back(&both->a, &delegation), 0);
    assert_int_equal(v4_open(&both->b, "x", "file", 1, 0, false, &b), 0);
}

/* The status that a version 3 procedure has for the file, or for its name in the root. */
static uint32_t version3(struct both *both, uint32_t procedure, bool by_name, const uint32_t *words, unsigned n_words)
{
    const uint32_t header[] = {1, RPC_CALL, RPC_VERSION, NFS_PROGRAM, 3, procedure, 0, 0, 0, 0};
    struct nfs_server *server = both->b.peer->server;
    struct rpc_end_message call, reply;
    struct xdr_out out;
    uint8_t handle[NFS_HANDLE_OCTETS];
    uint64_t id;
    uint32_t status;

    assert_int_equal(nfs_tree_lookup(server->tree, 1, "file", 4, &id), NFS_TREE_OK);
    nfs_handle_encode(server, by_name ? 1 : id, handle);
    xdr_out_begin(&out);
    for (size_t i = 0; i < ARRAY_LENGTH(header); i++)
        xdr_out_u32(&out, header[i]);
    xdr_out_opaque(&out, handle, sizeof handle);
    if (by_name)
        xdr_out_opaque(&out, "file", 4);
    for (unsigned i = 0; i < n_words; i++)
        xdr_out_u32(&out, words[i]);
    xdr_out_take(&out, &call);
    assert_true(nfs_server_call(both->b.peer, &call, 0, &reply));
    status = get_be32(reply.p + 24);
    g_free(call.p);
    g_free(reply.p);
    return status;
}

static void test_version3(void **state)
{
    static const uint32_t read[] = {0, 0, 100}, write[] = {0, 0, 0, 2, 0}, size[] = {0, 0, 0, 1, 0, 0, 0, 0, 0};
    struct both *both = *state;
    struct v4_stateid open, delegation;

    assert_int_equal(open_for(&both->a, "x", 1, &open, &delegation), DELEGATE_READ);
    nfs_tree_set(both->b.peer->server->tree, 1,
                 &(struct nfs_node_change){.set = NFS_SET_MODE, .mode = 0777}); /* nobody writes there, too */
    assert_int_equal(version3(both, 6, false, read, ARRAY_LENGTH(read)), 0);
    for (unsigned i = 0; i < 2; i++) {
        uint32_t expected = i == 0 ? 10008 : 0;

        nfs_tree_set(both->b.peer->server->tree, 2, &(struct nfs_node_change){.set = NFS_SET_MODE, .mode = 0666});
        assert_int_equal(version3(both, 7, false, write, ARRAY_LENGTH(write)), expected);
        assert_int_equal(version3(both, 2, false, size, ARRAY_LENGTH(size)), expected);
        assert_int_equal(version3(both, 12, true, NULL, 0), expected);
        if (i == 0)
            assert_int_equal(give_back(&both->a, &delegation), 0);
    }
}

static void test_wishes(void **state)
{
    struct both *both = *state;
    struct v4_stateid open, delegation;

    assert_int_equal(open_for(&both->b, "x", 1, &open, &delegation), DELEGATE_NONE); /* no answer to CB_NULL yet */
    assert_int_equal(v4_close(&both->b, "file", &open), 0);
    assert_int_equal(open_for(&both->a, "x", 1 | 0x400, &open, &delegation), DELEGATE_NONE_EXT);
    assert_int_equal(open_for(&both->a, "y", 3 | 0x100, &open, &delegation), DELEGATE_READ);
    assert_int_equal(open_for(&both->a, "z", 1, &open, &delegation), DELEGATE_NONE); /* it has one */
}

/* Answers that do not help, and none at all. */
static void test_trouble(void **state)
{
    struct both *both = *state;
    struct v4_stateid a, b, delegation;

    assert_int_equal(open_for(&both->a, "x", 1, &a, &delegation), DELEGATE_READ);
    assert_int_equal(v4_open(&both->b, "x", "file", 2, 0, false, &b), 10008);
    answer(&both->a, 0, 10025); /* not known yet: it is asked again when it matters */
    assert_int_equal(v4_open(&both->b, "x", "file", 2, 0, false, &b), 10008);
    assert_int_equal(both->a.calls, 3);
    assert_int_equal(callback_sequence(&both->a), 2);
    answer(&both->a, 10008, 0); /* the slot is busy there: the same sequence again */
    assert_int_equal(v4_open(&both->b, "x", "file", 2, 0, false, &b), 10008);
    assert_int_equal(callback_sequence(&both->a), 2);
    nfs_peer_replied(both->a.peer, both->a.cookie, NULL);
    nfs_peer_replied(both->a.peer, both->a.cookie, NULL); /* a cookie is good once */
    /* A lease's time later it is taken away. */
    for (unsigned i = 0; i < 4; i++) {
        both->on.now += INT64_C(30) * 1000000000;
        assert_int_equal(v4_nothing(&both->a), 0);
        assert_int_equal(v4_nothing(&both->b), 0);
    }
    assert_int_equal(v4_open(&both->b, "x", "file", 2, 0, false, &b), 0);
    assert_int_equal(v4_read(&both->a, "file", &delegation, 0, 1), 10087);
    assert_int_equal(v4_nothing(&both->a), 0);
    assert_int_equal(v4_number(&both->a, "flags") & 0x40, 0x40); /* SEQ4_STATUS_RECALLABLE_STATE_REVOKED */
    assert_int_equal(v4_ask(&both->a, &delegation, "free_stateid"), 0);
    assert_int_equal(v4_nothing(&both->a), 0);
    assert_int_equal(v4_number(&both->a, "flags") & 0x40, 0);
}

/* The connection that callbacks went over is gone; another one takes its place. */
static void test_connection_lost(void **state)
{
    struct both *both = *state;
    struct v4_stateid a, b, delegation;
    struct nfs_peer_events events = {.ctx = &both->a, .call = v4_called};

    assert_int_equal(open_for(&both->a, "x", 1, &a, &delegation), DELEGATE_READ);
    nfs_peer_free(both->a.peer);
    both->a.peer = nfs_peer_new(both->on.server, &events);
    assert_int_equal(v4_nothing(&both->a), 0);
    assert_int_equal(v4_number(&both->a, "flags") & 0x201, 0x201); /* CB_PATH_DOWN, CB_PATH_DOWN_SESSION */
    assert_int_equal(v4_open(&both->b, "x", "file", 2, 0, false, &b), 10008);
    assert_int_equal(both->a.calls, 1);
    assert_int_equal(v4_ask(&both->a, NULL, "!bind_conn_to_session"), 0);
    assert_int_equal(v4_number(&both->a, "dir"), 3);
    assert_int_equal(v4_nothing(&both->a), 0);
    assert_int_equal(both->a.calls, 2);
    answer(&both->a, 0, 0); /* of CB_NULL; what waited goes out at once */
    assert_int_equal(both->a.calls, 3);
    assert_int_equal(callback_sequence(&both->a), 1);
    answer(&both->a, 0, 0);
    assert_int_equal(give_back(&both->a, &delegation), 0);
    assert_int_equal(v4_open(&both->b, "x", "file", 2, 0, false, &b), 0);
}

/* A client that has asked for no backchannel, and one on a transport that has none, are not told that it is gone. */
static void test_no_backchannel(void **state)
{
    struct both *both = *state;

    for (unsigned wanted = 0; wanted < 2; wanted++) {
        struct v4_client t;

        v4_begin(&t, &both->on, 1, !wanted);
        v4_mount(&t, wanted ? "c" : "d", wanted);
        assert_int_equal(v4_nothing(&t), 0);
        assert_int_equal(v4_number(&t, "flags"), 0);
        assert_int_equal(t.calls, 0);
        v4_end(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_read_delegations, begin, end),
        cmocka_unit_test_setup_teardown(test_write_delegation, begin, end),
        cmocka_unit_test_setup_teardown(test_version3, begin, end),
        cmocka_unit_test_setup_teardown(test_wishes, begin, end),
        cmocka_unit_test_setup_teardown(test_trouble, begin, end),
        cmocka_unit_test_setup_teardown(test_connection_lost, begin, end),
        cmocka_unit_test_setup_teardown(test_no_backchannel, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
