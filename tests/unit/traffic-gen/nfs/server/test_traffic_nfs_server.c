// SPDX-License-Identifier: GPL-2.0-or-later
/* The NFS server's RPC part, MOUNT, and every procedure of versions 2 and 3. */
#include "tests/unit/support/nfs_client.h"

enum { V3 = 3, V2 = 2 };

struct handle {
    uint8_t p[32];
};

/* ---- RPC ---- */

static void turned_down(void **state)
{
    static const struct {
        uint32_t program, version, number, accept, low, high;
    } cases[] = {
        {100003, 3, 0, RPC_SUCCESS, 0, 0},
        {100003, 3, 22, RPC_PROC_UNAVAIL, 0, 0},
        {100003, 3, UINT32_MAX, RPC_PROC_UNAVAIL, 0, 0},
        {100005, 2, 0, RPC_PROG_MISMATCH, 1, 3},
        {100005, 3, 6, RPC_PROC_UNAVAIL, 0, 0},
        {100021, 4, 0, RPC_PROG_UNAVAIL, 0, 0},
        {100003, 3, 1, RPC_GARBAGE_ARGS, 0, 0},
        {100003, 2, 18, RPC_PROC_UNAVAIL, 0, 0},
    };
    struct nfs_client client;

    client_begin(&client);
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        client_call(&client, cases[i].program, cases[i].version, cases[i].number);
        assert_int_equal(client_send(&client), cases[i].accept);
        assert_int_equal(client.header.low, cases[i].low);
        assert_int_equal(client.header.high, cases[i].high);
    }
    client_call(&client, 100003, 99, 0);
    assert_int_equal(client_send(&client), RPC_PROG_MISMATCH);
    assert_int_equal(client.header.low, 2);
    assert_true(client.header.high == 3 || client.header.high == 4);
    client.uid = UINT32_MAX;
    client_call(&client, 100003, 3, 0);
    assert_int_equal(client_send(&client), RPC_SUCCESS);
    client_end(&client);
}

static void denied(void **state)
{
    static const struct {
        const char *call; /* after the XID */
        const char *reply;
    } cases[] = {
        /* RPC version 3; a body above 400 octets; AUTH_SYS without a body; RPCSEC_GSS; 17 groups; octets after them */
        {"00000000 00000003 000186a3 00000003 00000000 [16]", "00000001 00000001 00000000 00000002 00000002"},
        {"00000000 00000002 000186a3 00000003 00000000 00000001 00000191 [500]", "00000001 00000001 00000001 00000001"},
        {"00000000 00000002 000186a3 00000003 00000000 00000001 00000000 [8]", "00000001 00000001 00000001 00000001"},
        {"00000000 00000002 000186a3 00000003 00000000 00000006 00000000 [8]", "00000001 00000001 00000001 00000001"},
        {"00000000 00000002 000186a3 00000003 00000000 00000001 00000058 [16] 00000011 [76]",
         "00000001 00000001 00000001 00000001"},
        {"00000000 00000002 000186a3 00000003 00000000 00000001 00000018 [32]", "00000001 00000001 00000001 00000001"},
        /* too short, or no Call: nothing can be said */
        {"00000000 00000002 000186a3 00000003", NULL},
        {"00000001 00000002 000186a3 00000003 00000000 [16]", NULL},
        {"00000002 00000002 000186a3 00000003 00000000 [16]", NULL},
    };
    struct nfs_client client;
    uint8_t octets[600] = {0xab, 0xcd, 0xef, 0x01}, expected[64] = {0xab, 0xcd, 0xef, 0x01};

    client_begin(&client);
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct rpc_end_message call = {.p = octets}, reply = {0};

        call.n = 4 + octets_of(cases[i].call, octets + 4, sizeof octets - 4);
        assert_int_equal(nfs_server_call(client.peer, &call, 0, &reply), cases[i].reply != NULL);
        if (!cases[i].reply)
            continue;
        assert_int_equal(reply.n, 4 + octets_of(cases[i].reply, expected + 4, sizeof expected - 4));
        assert_memory_equal(reply.p, expected, reply.n);
        g_free(reply.p);
    }
    client_end(&client);
}

/* ---- version 3 ---- */

static struct handle mount_root(struct nfs_client *client)
{
    struct handle handle = {{0}};

    xdr_out_opaque(client_call(client, 100005, 3, 1), "/", 1);
    assert_int_equal(client_send(client), RPC_SUCCESS);
    assert_int_equal(client_u32(client), 0);
    assert_int_equal(client_u32(client), 16);
    memcpy(handle.p, client->results.p + client->results.at, 16);
    return handle;
}

static struct xdr_out *call3(struct nfs_client *client, uint32_t number, const struct handle *handle)
{
    struct xdr_out *out = client_call(client, 100003, V3, number);

    xdr_out_opaque(out, handle->p, 16);
    return out;
}

static void put_name(struct xdr_out *out, const char *name)
{
    xdr_out_opaque(out, name, (uint32_t)strlen(name));
}

/* sattr3 that sets nothing but the mode. */
static void put_mode(struct xdr_out *out, uint32_t mode)
{
    xdr_out_bool(out, true);
    xdr_out_u32(out, mode);
    for (unsigned i = 0; i < 5; i++)
        xdr_out_u32(out, 0);
}

static uint32_t send3(struct nfs_client *client)
{
    assert_int_equal(client_send(client), RPC_SUCCESS);
    return client_u32(client);
}

static struct handle made(struct nfs_client *client)
{
    struct handle handle = {{0}};

    assert_int_equal(client_u32(client), 1);
    assert_int_equal(client_u32(client), 16);
    memcpy(handle.p, client->results.p + client->results.at, 16);
    return handle;
}

/* CREATE with a mode. */
static uint32_t create3(struct nfs_client *client, const struct handle *dir, const char *name, uint32_t how)
{
    struct xdr_out *out = call3(client, 8, dir);

    put_name(out, name);
    xdr_out_u32(out, how);
    put_mode(out, 0640);
    return send3(client);
}

static uint32_t name3(struct nfs_client *client, uint32_t number, const struct handle *dir, const char *name)
{
    put_name(call3(client, number, dir), name);
    return send3(client);
}

static uint32_t mkdir3(struct nfs_client *client, const struct handle *dir, const char *name)
{
    struct xdr_out *out = call3(client, 9, dir);

    put_name(out, name);
    put_mode(out, 0755);
    return send3(client);
}

static uint32_t write3(struct nfs_client *client, const struct handle *file, uint64_t at, const char *text,
                       uint32_t count)
{
    struct xdr_out *out = call3(client, 7, file);

    xdr_out_u64(out, at);
    xdr_out_u32(out, count);
    xdr_out_u32(out, 0);
    put_name(out, text);
    return send3(client);
}

static uint32_t read3(struct nfs_client *client, const struct handle *file, uint64_t at, uint32_t count)
{
    struct xdr_out *out = call3(client, 6, file);

    xdr_out_u64(out, at);
    xdr_out_u32(out, count);
    return send3(client);
}

static uint64_t size3(struct nfs_client *client, const struct handle *file)
{
    call3(client, 1, file);
    assert_int_equal(send3(client), 0);
    client->results.at += 20;
    return client_u64(client);
}

static void files3(void **state)
{
    struct nfs_client client;
    struct handle root, file;
    uint64_t verifier;
    struct xdr_out *out;

    client_begin(&client);
    root = mount_root(&client);
    assert_int_equal(create3(&client, &root, "file", 1), 0);
    file = made(&client);
    assert_int_equal(create3(&client, &root, "file", 1), NFS_TREE_EXIST);
    assert_int_equal(create3(&client, &root, "file", 0), 0);
    assert_int_equal(create3(&client, &root, "", 0), NFS_TREE_INVAL);
    assert_int_equal(create3(&client, &file, "x", 0), NFS_TREE_NOTDIR);
    assert_int_equal(write3(&client, &file, 3, "hello", 5), 0);
    client.results.at += 28 + 88; /* wcc_data */
    assert_int_equal(client_u32(&client), 5);
    assert_int_equal(client_u32(&client), 0);
    verifier = client_u64(&client);
    assert_int_equal(write3(&client, &file, 3, "hello", 4), NFS_TREE_INVAL);
    assert_int_equal(write3(&client, &file, INT64_MAX, "hello", 5), NFS_TREE_FBIG);
    assert_int_equal(write3(&client, &root, 3, "hello", 5), NFS_TREE_INVAL);
    assert_int_equal(size3(&client, &file), 8);

    out = call3(&client, 21, &file);
    xdr_out_u64(out, 0);
    xdr_out_u32(out, 0);
    assert_int_equal(send3(&client), 0);
    client.results.at += 28 + 88;
    assert_int_equal(client_u64(&client), verifier);

    assert_int_equal(read3(&client, &file, 2, 4), 0);
    client.results.at += 88;
    assert_int_equal(client_u32(&client), 4);
    assert_int_equal(client_u32(&client), 0);
    assert_int_equal(client_u32(&client), 4);
    assert_memory_equal(client.results.p + client.results.at, "\0hel", 4);
    assert_int_equal(read3(&client, &file, 2, UINT32_MAX), 0);
    client.results.at += 88;
    assert_int_equal(client_u32(&client), 6);
    assert_int_equal(client_u32(&client), 1);
    assert_int_equal(read3(&client, &file, 99, 1), 0);
    client.results.at += 88;
    assert_int_equal(client_u32(&client), 0);
    assert_int_equal(client_u32(&client), 1);
    assert_int_equal(read3(&client, &root, 0, 1), NFS_TREE_INVAL);

    /* No more than the requester has room for. */
    client.room = 24 + 88 + 4 + 12 + 4;
    assert_int_equal(read3(&client, &file, 0, 8), 0);
    assert_true(client.reply.n <= client.room);
    client.results.at += 88;
    assert_int_equal(client_u32(&client), 1);
    assert_int_equal(client_u32(&client), 0);
    client.room = 0;

    assert_int_equal(name3(&client, 12, &root, "file"), 0);
    assert_int_equal(read3(&client, &file, 0, 8), NFS_TREE_STALE);
    file.p[0] ^= 1;
    assert_int_equal(read3(&client, &file, 0, 8), 10001);
    client_end(&client);
}

static void exclusive3(void **state)
{
    struct nfs_client client;
    struct handle root;
    struct xdr_out *out;
    static const struct {
        uint64_t verifier;
        uint32_t status;
    } cases[] = {{5, 0}, {5, 0}, {6, NFS_TREE_EXIST}};

    client_begin(&client);
    root = mount_root(&client);
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        out = call3(&client, 8, &root);
        put_name(out, "once");
        xdr_out_u32(out, 2);
        xdr_out_u64(out, cases[i].verifier);
        assert_int_equal(send3(&client), cases[i].status);
    }
    assert_int_equal(create3(&client, &root, "other", 1), 0);
    out = call3(&client, 8, &root);
    put_name(out, "other");
    xdr_out_u32(out, 2);
    xdr_out_u64(out, 0);
    assert_int_equal(send3(&client), NFS_TREE_EXIST);
    client_end(&client);
}

static void names3(void **state)
{
    struct nfs_client client;
    struct handle root, dir, file, link;
    struct xdr_out *out;

    client_begin(&client);
    root = mount_root(&client);
    assert_int_equal(mkdir3(&client, &root, "dir"), 0);
    dir = made(&client);
    assert_int_equal(mkdir3(&client, &root, "dir"), NFS_TREE_EXIST);
    assert_int_equal(create3(&client, &dir, "file", 0), 0);
    file = made(&client);
    assert_int_equal(name3(&client, 3, &dir, "file"), 0);
    assert_int_equal(client_u32(&client), 16);
    assert_memory_equal(client.results.p + client.results.at, file.p, 16);
    assert_int_equal(name3(&client, 3, &dir, "none"), NFS_TREE_NOENT);
    assert_int_equal(name3(&client, 3, &dir, "a/b"), NFS_TREE_ACCES);
    assert_int_equal(name3(&client, 3, &file, "none"), NFS_TREE_NOTDIR);

    out = call3(&client, 10, &dir);
    put_name(out, "link");
    put_mode(out, 0);
    put_name(out, "../to");
    assert_int_equal(send3(&client), 0);
    link = made(&client);
    call3(&client, 5, &link);
    assert_int_equal(send3(&client), 0);
    client.results.at += 88;
    assert_int_equal(client_u32(&client), 5);
    assert_memory_equal(client.results.p + client.results.at, "../to", 5);
    assert_int_equal(client.reply.n_items, 1);
    call3(&client, 5, &file);
    assert_int_equal(send3(&client), NFS_TREE_INVAL);

    for (uint32_t kind = 0; kind < 9; kind++) {
        static const uint32_t expected[] = {0, 10007, 10007, 0, 0, 10007, 0, 0, 0};

        out = call3(&client, 11, &dir);
        put_name(out, (char[]){(char)('a' + kind), 0});
        xdr_out_u32(out, kind);
        put_mode(out, 0600);
        xdr_out_u64(out, 0x100000002);
        if (kind == 0 || kind == 8)
            assert_int_equal(client_send(&client), RPC_GARBAGE_ARGS);
        else
            assert_int_equal(send3(&client), expected[kind]);
    }

    out = call3(&client, 15, &file);
    xdr_out_opaque(out, root.p, 16);
    put_name(out, "hard");
    assert_int_equal(send3(&client), 0);
    out = call3(&client, 15, &dir);
    xdr_out_opaque(out, root.p, 16);
    put_name(out, "hard2");
    assert_int_equal(send3(&client), NFS_TREE_INVAL);
    out = call3(&client, 14, &dir);
    put_name(out, "file");
    xdr_out_opaque(out, root.p, 16);
    put_name(out, "moved");
    assert_int_equal(send3(&client), 0);
    assert_int_equal(name3(&client, 3, &root, "moved"), 0);
    assert_int_equal(name3(&client, 13, &root, "moved"), NFS_TREE_NOTDIR);
    assert_int_equal(name3(&client, 12, &root, "dir"), NFS_TREE_ISDIR);
    assert_int_equal(name3(&client, 13, &root, "dir"), NFS_TREE_NOTEMPTY);
    assert_int_equal(name3(&client, 13, &root, "."), NFS_TREE_INVAL);
    assert_int_equal(name3(&client, 12, &root, "moved"), 0);
    assert_int_equal(name3(&client, 12, &root, "hard"), 0);
    assert_int_equal(name3(&client, 12, &root, "hard"), NFS_TREE_NOENT);
    client_end(&client);
}

static void attributes3(void **state)
{
    struct nfs_client client;
    struct handle root, file;
    struct xdr_out *out;

    client_begin(&client);
    root = mount_root(&client);
    client.uid = 1000;
    assert_int_equal(create3(&client, &root, "file", 0), 0);
    file = made(&client);
    for (uint32_t number = 18; number <= 20; number++) {
        call3(&client, number, &file);
        assert_int_equal(send3(&client), 0);
    }
    for (unsigned guarded = 0; guarded < 3; guarded++) { /* without guard, a false one, a true one */
        const struct nfs_node *node = nfs_tree_get(client.tree, 2);
        int64_t ctime = node->ctime_ns;

        out = call3(&client, 2, &file);
        put_mode(out, 0600 + guarded);
        xdr_out_bool(out, guarded > 0);
        if (guarded > 0) {
            xdr_out_u32(out, (uint32_t)(ctime / 1000000000));
            xdr_out_u32(out, (uint32_t)(ctime % 1000000000) + (guarded == 1));
        }
        assert_int_equal(send3(&client), guarded == 1 ? 10002 : 0);
        assert_int_equal(nfs_tree_get(client.tree, 2)->mode, guarded == 2 ? 0602 : 0600);
    }
    xdr_out_u32(call3(&client, 4, &file), 0x3f);
    assert_int_equal(send3(&client), 0);
    client.results.at += 88;
    assert_int_equal(client_u32(&client), 0x0d);

    /* Somebody else: 0602 lets him write, and no more. */
    client.uid = 1001;
    xdr_out_u32(call3(&client, 4, &file), 0x3f);
    assert_int_equal(send3(&client), 0);
    client.results.at += 88;
    assert_int_equal(client_u32(&client), 0x0c);
    assert_int_equal(read3(&client, &file, 0, 1), NFS_TREE_ACCES);
    assert_int_equal(write3(&client, &file, 0, "x", 1), 0);
    out = call3(&client, 2, &file);
    put_mode(out, 0777);
    xdr_out_bool(out, false);
    assert_int_equal(send3(&client), NFS_TREE_PERM);
    xdr_out_u32(call3(&client, 4, &root), 0x3f);
    assert_int_equal(send3(&client), 0);
    client.results.at += 88;
    assert_int_equal(client_u32(&client), 0x1f);
    client_end(&client);
}

/* Lists the root; the number of entries. Each Reply is as long as was allowed at most. */
static unsigned list3(struct nfs_client *client, const struct handle *root, bool plus, uint32_t dircount,
                      uint32_t maxcount)
{
    uint64_t cookie = 0, verifier = 0;
    unsigned entries = 0, calls = 0;

    for (;;) {
        struct xdr_out *out = call3(client, plus ? 17 : 16, root);

        xdr_out_u64(out, cookie);
        xdr_out_u64(out, verifier);
        if (plus)
            xdr_out_u32(out, dircount);
        xdr_out_u32(out, maxcount);
        assert_int_equal(send3(client), 0);
        assert_true(client->reply.n - client->header.header_len - 4 <= maxcount);
        client->results.at += 88;
        verifier = client_u64(client);
        while (client_u32(client)) {
            const uint8_t *name;
            uint32_t n;

            client_u64(client);
            assert_true(xdr_opaque(&client->results, &name, &n));
            cookie = client_u64(client);
            if (plus)
                client->results.at += 88 + 8 + 16;
            entries++;
        }
        assert_true(++calls < 10000);
        if (client_u32(client))
            return entries;
    }
}

static void directories3(void **state)
{
    struct nfs_client client;
    struct handle root;
    struct xdr_out *out;
    char name[16];

    client_begin(&client);
    root = mount_root(&client);
    assert_int_equal(list3(&client, &root, false, 0, 4096), 2);
    for (unsigned i = 0; i < 1500; i++) {
        g_snprintf(name, sizeof name, "file%u", i);
        assert_int_equal(create3(&client, &root, name, 1), 0);
    }
    assert_int_equal(list3(&client, &root, false, 0, 4096), 1502);
    assert_int_equal(list3(&client, &root, false, 0, 88 + 16 + 36), 1502);
    assert_int_equal(list3(&client, &root, true, 512, 4096), 1502);
    assert_int_equal(list3(&client, &root, true, 1, 4096), 1502);
    assert_int_equal(list3(&client, &root, true, 100000, 1 << 20), 1502);
    out = call3(&client, 16, &root);
    xdr_out_u64(out, 0);
    xdr_out_u64(out, 0);
    xdr_out_u32(out, 88 + 16 + 20);
    assert_int_equal(send3(&client), 10005);
    out = call3(&client, 16, &root);
    xdr_out_u64(out, 3);
    xdr_out_u64(out, 12345);
    xdr_out_u32(out, 4096);
    assert_int_equal(send3(&client), 10003);
    client_end(&client);
}

/* ---- version 2 ---- */

static struct xdr_out *call2(struct nfs_client *client, uint32_t number, const struct handle *handle)
{
    struct xdr_out *out = client_call(client, 100003, V2, number);

    xdr_out_fixed(out, handle->p, 32);
    return out;
}

static void put_sattr2(struct xdr_out *out, uint32_t mode, uint32_t size)
{
    const uint32_t words[] = {mode, UINT32_MAX, UINT32_MAX, size, UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};

    for (size_t i = 0; i < ARRAY_LENGTH(words); i++)
        xdr_out_u32(out, words[i]);
}

static struct handle made2(struct nfs_client *client)
{
    struct handle handle;

    assert_int_equal(send3(client), 0);
    memcpy(handle.p, client->results.p + client->results.at, 32);
    return handle;
}

static uint32_t name2(struct nfs_client *client, uint32_t number, const struct handle *dir, const char *name)
{
    put_name(call2(client, number, dir), name);
    return send3(client);
}

static void version2(void **state)
{
    struct nfs_client client;
    struct handle root, dir, file, link, bad;
    struct xdr_out *out;
    uint8_t octets[8193] = {1};

    client_begin(&client);
    xdr_out_opaque(client_call(&client, 100005, 1, 1), "/", 1);
    root = made2(&client);
    for (unsigned i = 0; i < 2; i++) {
        out = call2(&client, 9, &root);
        put_name(out, "file");
        put_sattr2(out, 0644, 0);
        file = made2(&client);
    }
    out = call2(&client, 14, &root);
    put_name(out, "dir");
    put_sattr2(out, 0755, UINT32_MAX);
    dir = made2(&client);
    assert_int_equal(name2(&client, 4, &root, "file"), 0);
    assert_int_equal(name2(&client, 4, &root, "none"), NFS_TREE_NOENT);
    call2(&client, 1, &file);
    assert_int_equal(send3(&client), 0);
    assert_int_equal(client_u32(&client), 1);
    assert_int_equal(client_u32(&client), 0100644);
    for (uint32_t n = 8192; n <= 8193; n++) {
        out = call2(&client, 8, &file);
        xdr_out_u32(out, 0);
        xdr_out_u32(out, 5);
        xdr_out_u32(out, 0);
        xdr_out_opaque(out, octets, n);
        assert_int_equal(client_send(&client), n == 8192 ? RPC_SUCCESS : RPC_GARBAGE_ARGS);
    }
    out = call2(&client, 6, &file);
    xdr_out_u32(out, 5);
    xdr_out_u32(out, 100000);
    xdr_out_u32(out, 0);
    assert_int_equal(send3(&client), 0);
    client.results.at += 68;
    assert_int_equal(client_u32(&client), 8192);
    assert_memory_equal(client.results.p + client.results.at, octets, 8192);
    put_sattr2(call2(&client, 2, &file), 0600, 3);
    assert_int_equal(send3(&client), 0);
    assert_int_equal(nfs_tree_get(client.tree, 2)->size, 3);

    out = call2(&client, 13, &dir);
    put_name(out, "link");
    put_name(out, "to");
    put_sattr2(out, 0777, UINT32_MAX);
    assert_int_equal(send3(&client), 0);
    put_name(call2(&client, 4, &dir), "link");
    link = made2(&client);
    call2(&client, 5, &link);
    assert_int_equal(send3(&client), 0);
    assert_int_equal(client_u32(&client), 2);
    assert_int_equal(client.reply.n_items, 1);
    call2(&client, 5, &file);
    assert_int_equal(send3(&client), NFS_TREE_IO);

    out = call2(&client, 12, &file);
    xdr_out_fixed(out, dir.p, 32);
    put_name(out, "hard");
    assert_int_equal(send3(&client), 0);
    out = call2(&client, 11, &root);
    put_name(out, "file");
    xdr_out_fixed(out, dir.p, 32);
    put_name(out, "moved");
    assert_int_equal(send3(&client), 0);
    for (uint32_t count = 40; count < 300; count += 50) {
        uint32_t cookie = 0, entries = 0;

        do {
            out = call2(&client, 16, &dir);
            xdr_out_u32(out, cookie);
            xdr_out_u32(out, count);
            assert_int_equal(send3(&client), 0);
            while (client_u32(&client)) {
                const uint8_t *name;
                uint32_t n;

                client_u32(&client);
                assert_true(xdr_opaque(&client.results, &name, &n));
                cookie = client_u32(&client);
                entries++;
            }
        } while (!client_u32(&client));
        assert_int_equal(entries, 5);
    }
    assert_int_equal(name2(&client, 15, &root, "dir"), NFS_TREE_NOTEMPTY);
    assert_int_equal(name2(&client, 10, &dir, "moved"), 0);
    assert_int_equal(name2(&client, 10, &dir, "hard"), 0);
    assert_int_equal(name2(&client, 10, &dir, "link"), 0);
    assert_int_equal(name2(&client, 15, &root, "dir"), 0);
    call2(&client, 17, &root);
    assert_int_equal(send3(&client), 0);
    call2(&client, 1, &file);
    assert_int_equal(send3(&client), NFS_TREE_STALE);
    bad = root;
    bad.p[20] = 1;
    call2(&client, 1, &bad);
    assert_int_equal(send3(&client), NFS_TREE_STALE);
    for (uint32_t number = 3; number <= 7; number += 4) { /* ROOT, WRITECACHE */
        client_call(&client, 100003, 2, number);
        assert_int_equal(client_send(&client), RPC_SUCCESS);
    }
    client_end(&client);
}

/* ---- MOUNT ---- */

static unsigned mounts(struct nfs_client *client)
{
    unsigned n = 0;

    client_call(client, 100005, 3, 2);
    assert_int_equal(client_send(client), RPC_SUCCESS);
    while (client_u32(client)) {
        const uint8_t *p;
        uint32_t length;

        assert_true(xdr_opaque(&client->results, &p, &length) && xdr_opaque(&client->results, &p, &length));
        n++;
    }
    return n;
}

static uint32_t mount_path(struct nfs_client *client, uint32_t number, const char *path)
{
    put_name(client_call(client, 100005, 3, number), path);
    assert_int_equal(client_send(client), RPC_SUCCESS);
    return number == 1 ? client_u32(client) : 0;
}

static void mounting(void **state)
{
    struct nfs_client client;
    struct handle root;
    char path[16];

    client_begin(&client);
    root = mount_root(&client);
    assert_int_equal(mkdir3(&client, &root, "a"), 0);
    assert_int_equal(create3(&client, &root, "f", 0), 0);
    assert_int_equal(mount_path(&client, 1, "/a"), 0);
    assert_int_equal(mount_path(&client, 1, "//a/"), 0);
    assert_int_equal(mount_path(&client, 1, "/a"), 0);
    assert_int_equal(mount_path(&client, 1, "/f"), NFS_TREE_NOTDIR);
    assert_int_equal(mount_path(&client, 1, "/none/x"), NFS_TREE_NOENT);
    assert_int_equal(mount_path(&client, 1, ""), NFS_TREE_NOENT);
    assert_int_equal(mount_path(&client, 1, "/../../a/.."), 0);
    assert_int_equal(mounts(&client), 4);
    mount_path(&client, 3, "/a");
    assert_int_equal(mounts(&client), 3);
    client_call(&client, 100005, 3, 4);
    assert_int_equal(client_send(&client), RPC_SUCCESS);
    assert_int_equal(mounts(&client), 0);
    for (unsigned i = 0; i < 300; i++) {
        memset(path, '/', sizeof path);
        g_snprintf(path + 1 + i % 10, sizeof path - 11, "/..");
        mount_path(&client, 1, path);
    }
    assert_true(mounts(&client) <= 256);
    for (uint32_t version = 1; version <= 3; version += 2) {
        client_call(&client, 100005, version, 5);
        assert_int_equal(client_send(&client), RPC_SUCCESS);
        assert_int_equal(client_u32(&client), 1);
        assert_int_equal(client_u32(&client), 1);
    }
    client_end(&client);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turned_down),  cmocka_unit_test(denied),   cmocka_unit_test(files3),
        cmocka_unit_test(exclusive3),   cmocka_unit_test(names3),   cmocka_unit_test(attributes3),
        cmocka_unit_test(directories3), cmocka_unit_test(version2), cmocka_unit_test(mounting),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
