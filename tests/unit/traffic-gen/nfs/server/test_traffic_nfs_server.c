// SPDX-License-Identifier: GPL-2.0-or-later
/* The NFS server's RPC part, MOUNT, and every procedure of versions 2 and 3. */
#include "tests/unit/support/nfs_client.h"

#include <inttypes.h>

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

/* A handle in results, which is all that this version's handles are. */
static struct handle found(const struct nfs_client *client, uint32_t octets)
{
    struct handle handle = {{0}};
    uint32_t n;

    memcpy(handle.p, client_octets(client, "handle", &n), octets);
    assert_int_equal(n, octets);
    return handle;
}

static struct handle mount_root(struct nfs_client *client)
{
    assert_int_equal(client_ask(client, "mount3.mnt", NULL, "path=/"), 0);
    return found(client, 16);
}

static struct handle made(const struct nfs_client *client)
{
    assert_int_equal(client_number(client, "handle_follows"), 1);
    return found(client, 16);
}

static uint32_t create3(struct nfs_client *client, const struct handle *dir, const char *name, uint32_t how)
{
    return client_ask(client, "nfs3.create", dir, "name=%s:createmode=%u:mode=0640", name, how);
}

static uint32_t exclusive(struct nfs_client *client, const struct handle *dir, const char *name, uint64_t verifier)
{
    client->verifier = verifier;
    return client_ask(client, "nfs3.create", dir, "name=%s:createmode=2", name);
}

static uint32_t mkdir3(struct nfs_client *client, const struct handle *dir, const char *name)
{
    return client_ask(client, "nfs3.mkdir", dir, "name=%s:mode=0755", name);
}

static uint32_t write3(struct nfs_client *client, const struct handle *file, uint64_t at, const char *text,
                       uint32_t count)
{
    client->data = text;
    client->n_data = (uint32_t)strlen(text);
    return client_ask(client, "nfs3.write", file, "offset=%" PRIu64 ":count=%u:stable=0", at, count);
}

static uint32_t read3(struct nfs_client *client, const struct handle *file, uint64_t at, uint32_t count)
{
    return client_ask(client, "nfs3.read", file, "offset=%" PRIu64 ":count=%u", at, count);
}

static void assert_read(const struct nfs_client *client, uint32_t count, bool eof)
{
    assert_int_equal(client_number(client, "count"), count);
    assert_int_equal(client_number(client, "eof"), eof);
    assert_int_equal(client_number(client, "data"), count);
}

static void files3(void **state)
{
    struct nfs_client client;
    struct handle root, file;
    uint64_t verifier;
    uint32_t n;

    client_begin(&client);
    root = mount_root(&client);
    assert_int_equal(create3(&client, &root, "file", 1), 0);
    file = made(&client);
    assert_int_equal(create3(&client, &root, "file", 1), NFS_TREE_EXIST);
    assert_int_equal(create3(&client, &root, "file", 0), 0);
    assert_int_equal(create3(&client, &root, "", 0), NFS_TREE_INVAL);
    assert_int_equal(create3(&client, &file, "x", 0), NFS_TREE_NOTDIR);
    assert_int_equal(write3(&client, &file, 3, "hello", 5), 0);
    assert_int_equal(client_number(&client, "count"), 5);
    assert_int_equal(client_number(&client, "committed"), 0);
    verifier = nfs_results_hyper(&client.fields, "verf");
    assert_int_equal(write3(&client, &file, 3, "hello", 4), NFS_TREE_INVAL);
    assert_int_equal(write3(&client, &file, INT64_MAX, "hello", 5), NFS_TREE_FBIG);
    assert_int_equal(write3(&client, &root, 3, "hello", 5), NFS_TREE_INVAL);
    assert_int_equal(client_plain(&client, "nfs3.getattr", &file), 0);
    assert_int_equal(client_number(&client, "size"), 8);

    assert_int_equal(client_plain(&client, "nfs3.commit", &file), 0);
    assert_int_equal(nfs_results_hyper(&client.fields, "verf"), verifier);

    assert_int_equal(read3(&client, &file, 2, 4), 0);
    assert_read(&client, 4, false);
    assert_memory_equal(client_octets(&client, "data", &n), "\0hel", 4);
    assert_int_equal(read3(&client, &file, 2, UINT32_MAX), 0);
    assert_read(&client, 6, true);
    assert_int_equal(read3(&client, &file, 99, 1), 0);
    assert_read(&client, 0, true);
    assert_int_equal(read3(&client, &root, 0, 1), NFS_TREE_INVAL);

    /* No more than the requester has room for. */
    client.room = 24 + 88 + 4 + 12 + 4;
    assert_int_equal(read3(&client, &file, 0, 8), 0);
    assert_true(client.reply.n <= client.room);
    assert_read(&client, 1, false);
    client.room = 0;

    assert_int_equal(client_ask(&client, "nfs3.remove", &root, "file"), 0);
    assert_int_equal(read3(&client, &file, 0, 8), NFS_TREE_STALE);
    file.p[0] ^= 1;
    assert_int_equal(read3(&client, &file, 0, 8), 10001);
    client_end(&client);
}

static void exclusive3(void **state)
{
    struct nfs_client client;
    struct handle root;

    client_begin(&client);
    root = mount_root(&client);
    assert_int_equal(exclusive(&client, &root, "once", 5), 0);
    assert_int_equal(exclusive(&client, &root, "once", 5), 0);
    assert_int_equal(exclusive(&client, &root, "once", 6), NFS_TREE_EXIST);
    assert_int_equal(create3(&client, &root, "other", 1), 0);
    assert_int_equal(exclusive(&client, &root, "other", 0), NFS_TREE_EXIST);
    client_end(&client);
}

static void names3(void **state)
{
    static const uint32_t kinds[] = {0, 10007, 10007, 0, 0, 10007, 0, 0, 0};
    struct nfs_client client;
    struct handle root, dir, file, link;
    struct xdr_out *out;
    uint32_t n;

    client_begin(&client);
    root = mount_root(&client);
    assert_int_equal(mkdir3(&client, &root, "dir"), 0);
    dir = made(&client);
    assert_int_equal(mkdir3(&client, &root, "dir"), NFS_TREE_EXIST);
    assert_int_equal(create3(&client, &dir, "file", 0), 0);
    file = made(&client);
    assert_int_equal(client_ask(&client, "nfs3.lookup", &dir, "file"), 0);
    link = found(&client, 16);
    assert_memory_equal(link.p, file.p, 16);
    assert_int_equal(client_ask(&client, "nfs3.lookup", &dir, "none"), NFS_TREE_NOENT);
    assert_int_equal(client_ask(&client, "nfs3.lookup", &dir, "a/b"), NFS_TREE_ACCES);
    assert_int_equal(client_ask(&client, "nfs3.lookup", &file, "none"), NFS_TREE_NOTDIR);

    client.data = "../to";
    client.n_data = 5;
    assert_int_equal(client_ask(&client, "nfs3.symlink", &dir, "name=link:mode=0"), 0);
    link = made(&client);
    assert_int_equal(client_plain(&client, "nfs3.readlink", &link), 0);
    assert_memory_equal(client_octets(&client, "link", &n), "../to", 5);
    assert_int_equal(n, 5);
    assert_int_equal(client.reply.n_items, 1);
    assert_int_equal(client_plain(&client, "nfs3.readlink", &file), NFS_TREE_INVAL);

    for (uint32_t kind = 1; kind < 8; kind++)
        assert_int_equal(client_ask(&client, "nfs3.mknod", &dir, "name=%c:objtype=%u:mode=0600:major=1:minor_number=2",
                                    'a' + kind, kind),
                         kinds[kind]);
    for (uint32_t kind = 0; kind <= 8; kind += 8) {
        out = client_call(&client, 100003, 3, 11);
        xdr_out_opaque(out, dir.p, 16);
        xdr_out_opaque(out, "x", 1);
        xdr_out_words(out, kind, 1, 0600, 0, 0, 0, 0, 0, 1, 2);
        assert_int_equal(client_send(&client), RPC_GARBAGE_ARGS);
    }

    client.to = &root;
    assert_int_equal(client_ask(&client, "nfs3.link", &file, "hard"), 0);
    assert_int_equal(client_ask(&client, "nfs3.link", &dir, "hard2"), NFS_TREE_INVAL);
    assert_int_equal(client_ask(&client, "nfs3.rename", &dir, "file:toname=moved"), 0);
    assert_int_equal(client_ask(&client, "nfs3.lookup", &root, "moved"), 0);
    assert_int_equal(client_ask(&client, "nfs3.rmdir", &root, "moved"), NFS_TREE_NOTDIR);
    assert_int_equal(client_ask(&client, "nfs3.remove", &root, "dir"), NFS_TREE_ISDIR);
    assert_int_equal(client_ask(&client, "nfs3.rmdir", &root, "dir"), NFS_TREE_NOTEMPTY);
    assert_int_equal(client_ask(&client, "nfs3.rmdir", &root, "."), NFS_TREE_INVAL);
    assert_int_equal(client_ask(&client, "nfs3.remove", &root, "moved"), 0);
    assert_int_equal(client_ask(&client, "nfs3.remove", &root, "hard"), 0);
    assert_int_equal(client_ask(&client, "nfs3.remove", &root, "hard"), NFS_TREE_NOENT);
    client_end(&client);
}

static void attributes3(void **state)
{
    struct nfs_client client;
    struct handle root, file;

    client_begin(&client);
    root = mount_root(&client);
    client.uid = 1000;
    assert_int_equal(create3(&client, &root, "file", 0), 0);
    file = made(&client);
    assert_int_equal(client_plain(&client, "nfs3.fsstat", &file), 0);
    assert_int_equal(client_plain(&client, "nfs3.fsinfo", &file), 0);
    assert_int_equal(client_plain(&client, "nfs3.pathconf", &file), 0);
    for (unsigned guarded = 0; guarded < 3; guarded++) { /* without guard, a false one, a true one */
        const int64_t ctime = nfs_tree_get(client.tree, 2)->ctime_ns;

        assert_int_equal(client_ask(&client, "nfs3.setattr", &file,
                                    "mode=%u:guard=%u:guard_ctime=%" PRIi64 ":guard_ctime_ns=%" PRIi64, 0600 + guarded,
                                    guarded > 0, ctime / 1000000000, ctime % 1000000000 + (guarded == 1)),
                         guarded == 1 ? 10002 : 0);
        assert_int_equal(nfs_tree_get(client.tree, 2)->mode, guarded == 2 ? 0602 : 0600);
    }
    assert_int_equal(client_ask(&client, "nfs3.access", &file, "0x3f"), 0);
    assert_int_equal(client_number(&client, "access"), 0x0d);

    /* Somebody else: 0602 lets him write, and no more. */
    client.uid = 1001;
    assert_int_equal(client_ask(&client, "nfs3.access", &file, "0x3f"), 0);
    assert_int_equal(client_number(&client, "access"), 0x0c);
    assert_int_equal(read3(&client, &file, 0, 1), NFS_TREE_ACCES);
    assert_int_equal(write3(&client, &file, 0, "x", 1), 0);
    assert_int_equal(client_ask(&client, "nfs3.setattr", &file, "mode=0777"), NFS_TREE_PERM);
    assert_int_equal(client_ask(&client, "nfs3.access", &root, "0x3f"), 0);
    assert_int_equal(client_number(&client, "access"), 0x1f);
    client_end(&client);
}

/* Lists the root; the number of entries. Each Reply is as long as was allowed at most. */
static unsigned list3(struct nfs_client *client, const struct handle *root, bool plus, uint32_t dircount,
                      uint32_t maxcount)
{
    uint64_t cookie = 0;
    unsigned entries = 0, calls = 0;

    client->verifier = 0;
    do {
        assert_int_equal(
            plus ? client_ask(client, "nfs3.readdirplus", root, "cookie=%" PRIu64 ":dircount=%u:maxcount=%u", cookie,
                              dircount, maxcount)
                 : client_ask(client, "nfs3.readdir", root, "cookie=%" PRIu64 ":count=%u", cookie, maxcount),
            0);
        assert_true(client->reply.n - client->header.header_len - 4 <= maxcount);
        client->verifier = nfs_results_hyper(&client->fields, "cookieverf");
        cookie = client_number(client, "cookie");
        entries += client_count(client, "cookie");
        assert_true(++calls < 10000);
    } while (!client_number(client, "eof"));
    return entries;
}

static void directories3(void **state)
{
    struct nfs_client client;
    struct handle root;
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
    client.verifier = 0;
    assert_int_equal(client_ask(&client, "nfs3.readdir", &root, "%u", 88 + 16 + 20), 10005);
    client.verifier = 12345;
    assert_int_equal(client_ask(&client, "nfs3.readdir", &root, "cookie=3:count=4096"), 10003);
    client_end(&client);
}

/* ---- version 2 ---- */

#define KEPT "uid=-1:gid=-1"

/* A procedure with a name, and what it makes or finds. */
static struct handle made2(struct nfs_client *client, const char *procedure, const struct handle *dir,
                           const char *words)
{
    assert_int_equal(client_ask(client, procedure, dir, "%s", words), 0);
    return found(client, 32);
}

static void version2(void **state)
{
    struct nfs_client client;
    struct handle root, dir, file, link, bad;
    struct xdr_out *out;
    uint8_t octets[8193] = {1};
    uint32_t n;

    client_begin(&client);
    root = made2(&client, "mount1.mnt", NULL, "path=/");
    for (unsigned i = 0; i < 2; i++)
        file = made2(&client, "nfs2.create", &root, "name=file:mode=0644:size=0:" KEPT);
    dir = made2(&client, "nfs2.mkdir", &root, "name=dir:mode=0755:" KEPT);
    assert_int_equal(client_ask(&client, "nfs2.lookup", &root, "file"), 0);
    assert_int_equal(client_ask(&client, "nfs2.lookup", &root, "none"), NFS_TREE_NOENT);
    assert_int_equal(client_plain(&client, "nfs2.getattr", &file), 0);
    assert_int_equal(client_number(&client, "type"), 1);
    assert_int_equal(client_number(&client, "mode"), 0100644);
    client.data = octets;
    client.n_data = 8192;
    assert_int_equal(client_ask(&client, "nfs2.write", &file, "offset=5"), 0);
    out = client_call(&client, 100003, 2, 8);
    xdr_out_fixed(out, file.p, 32);
    xdr_out_words(out, 0, 5, 0);
    xdr_out_opaque(out, octets, 8193);
    assert_int_equal(client_send(&client), RPC_GARBAGE_ARGS);
    assert_int_equal(client_ask(&client, "nfs2.read", &file, "offset=5:count=100000"), 0);
    assert_memory_equal(client_octets(&client, "data", &n), octets, 8192);
    assert_int_equal(n, 8192);
    assert_int_equal(client_ask(&client, "nfs2.setattr", &file, "mode=0600:size=3:" KEPT), 0);
    assert_int_equal(nfs_tree_get(client.tree, 2)->size, 3);

    client.data = "to";
    client.n_data = 2;
    assert_int_equal(client_ask(&client, "nfs2.symlink", &dir, "name=link:mode=0777:" KEPT), 0);
    link = made2(&client, "nfs2.lookup", &dir, "link");
    assert_int_equal(client_plain(&client, "nfs2.readlink", &link), 0);
    assert_int_equal(client_number(&client, "link"), 2);
    assert_int_equal(client.reply.n_items, 1);
    assert_int_equal(client_plain(&client, "nfs2.readlink", &file), NFS_TREE_IO);

    client.to = &dir;
    assert_int_equal(client_ask(&client, "nfs2.link", &file, "hard"), 0);
    assert_int_equal(client_ask(&client, "nfs2.rename", &root, "file:toname=moved"), 0);
    for (uint32_t count = 40; count < 300; count += 50) {
        uint64_t cookie = 0;
        unsigned entries = 0;

        do {
            assert_int_equal(client_ask(&client, "nfs2.readdir", &dir, "cookie=%" PRIu64 ":count=%u", cookie, count),
                             0);
            entries += client_count(&client, "cookie");
            cookie = nfs_results_number(&client.fields, "cookie", cookie);
        } while (!client_number(&client, "eof"));
        assert_int_equal(entries, 5);
    }
    assert_int_equal(client_ask(&client, "nfs2.rmdir", &root, "dir"), NFS_TREE_NOTEMPTY);
    assert_int_equal(client_ask(&client, "nfs2.remove", &dir, "moved"), 0);
    assert_int_equal(client_ask(&client, "nfs2.remove", &dir, "hard"), 0);
    assert_int_equal(client_ask(&client, "nfs2.remove", &dir, "link"), 0);
    assert_int_equal(client_ask(&client, "nfs2.rmdir", &root, "dir"), 0);
    assert_int_equal(client_plain(&client, "nfs2.statfs", &root), 0);
    assert_int_equal(client_plain(&client, "nfs2.getattr", &file), NFS_TREE_STALE);
    bad = root;
    bad.p[20] = 1;
    assert_int_equal(client_plain(&client, "nfs2.getattr", &bad), NFS_TREE_STALE);
    client_plain(&client, "nfs2.root", NULL);
    client_plain(&client, "nfs2.writecache", NULL);
    client_end(&client);
}

/* ---- MOUNT ---- */

static unsigned mounts(struct nfs_client *client)
{
    client_plain(client, "mount3.dump", NULL);
    return client_count(client, "host");
}

static uint32_t mount_path(struct nfs_client *client, const char *path)
{
    return client_ask(client, "mount3.mnt", NULL, "path=%s", path);
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
    assert_int_equal(mount_path(&client, "/a"), 0);
    assert_int_equal(mount_path(&client, "//a/"), 0);
    assert_int_equal(mount_path(&client, "/a"), 0);
    assert_int_equal(mount_path(&client, "/f"), NFS_TREE_NOTDIR);
    assert_int_equal(mount_path(&client, "/none/x"), NFS_TREE_NOENT);
    assert_int_equal(mount_path(&client, ""), NFS_TREE_NOENT);
    assert_int_equal(mount_path(&client, "/../../a/.."), 0);
    assert_int_equal(mounts(&client), 4);
    client_ask(&client, "mount3.umnt", NULL, "path=/a");
    assert_int_equal(mounts(&client), 3);
    client_plain(&client, "mount3.umntall", NULL);
    assert_int_equal(mounts(&client), 0);
    for (unsigned i = 0; i < 300; i++) {
        memset(path, '/', sizeof path);
        g_snprintf(path + 1 + i % 10, sizeof path - 11, "/..");
        mount_path(&client, path);
    }
    assert_true(mounts(&client) <= 256);
    for (unsigned i = 0; i < 2; i++) {
        client_plain(&client, i ? "mount3.export" : "mount1.export", NULL);
        assert_int_equal(nfs_results_first(&client.fields, "follows")->value, 1);
        assert_int_equal(client_number(&client, "path"), 1);
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
