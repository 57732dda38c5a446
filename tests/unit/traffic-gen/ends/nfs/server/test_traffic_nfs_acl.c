// SPDX-License-Identifier: GPL-2.0-or-later
/* NFSACL version 3: an ACL is returned as set, follows the mode, and decides about access. */
#include "tests/unit/support/nfs_caller.h"

enum { OWNER = 1, USER = 2, GROUP_OWNER = 4, GROUP = 8, MASK = 0x10, OTHER = 0x20, ACL = 1, DEFAULT = 4 };
enum { PERM = 1, INVAL = 22, NOT_SUPPORTED = 10004, ENTRY = 12, ENTRIES_MAX = 1024, HANDLE_MAX = 64, MADE_BY = 1000 };

struct ace {
    uint32_t type, id, rights;
};

struct bench {
    struct caller_server on;
    struct nfs_caller t;
    uint8_t file[HANDLE_MAX];
    uint32_t file_n;
};

static uint32_t ask_of_file(struct bench *bench, const char *words)
{
    const struct caller_value handle = {.name = "handle", .given = {.p = bench->file, .n = bench->file_n}};

    return caller_ask(&bench->t, words, &handle, bench->file_n > 0);
}

static void keep_handle(struct bench *bench)
{
    assert_true(nfs_results_copy(&bench->t.fields, "handle", bench->file, sizeof bench->file, &bench->file_n));
}

/* A file of user 1000 with mode 0640. */
static void begin(struct bench *bench)
{
    *bench = (struct bench){0};
    caller_server_begin(&bench->on);
    caller_begin(&bench->t, &bench->on, 0, false);
    bench->t.uid = MADE_BY;
    assert_int_equal(ask_of_file(bench, "mount3.mnt:path=/"), 0);
    keep_handle(bench);
    assert_int_equal(ask_of_file(bench, "nfs3.create:file:mode=0640"), 0);
    keep_handle(bench);
}

static void end(struct bench *bench)
{
    caller_end(&bench->t);
    caller_server_end(&bench->on);
}

static uint32_t set(struct bench *bench, uint32_t mask, const struct ace *aces, uint32_t n, uint32_t defaults)
{
    struct xdr_out out;

    caller_call(&bench->t, NFS_PROGRAM_ACL, 3, 2, &out);
    xdr_out_opaque(&out, bench->file, bench->file_n);
    xdr_out_words(&out, mask, n, n);
    for (uint32_t i = 0; i < n; i++)
        xdr_out_words(&out, aces[i].type, aces[i].id, aces[i].rights);
    xdr_out_words(&out, defaults, defaults);
    for (uint32_t i = 0; i < defaults; i++)
        xdr_out_words(&out, OTHER, 0, 0);
    return caller_send(&bench->t, &out);
}

/* The ACL is these entries. */
static void assert_acl(struct bench *bench, const struct ace *aces, uint32_t n)
{
    const uint8_t *p;

    assert_int_equal(ask_of_file(bench, "nfsacl3.getacl"), 0);
    p = bench->t.reply.p + bench->t.reply.n - 8 - (size_t)n * ENTRY; /* no default ACL after it */
    assert_int_equal(nfs_results_number(&bench->t.fields, "aclcnt", 0), n);
    assert_int_equal(nfs_results_number(&bench->t.fields, "aces", 0), n);
    for (uint32_t i = 0; i < n; i++, p += ENTRY) {
        assert_int_equal(get_be32(p), aces[i].type);
        assert_int_equal(get_be32(p + 4), aces[i].id);
        assert_int_equal(get_be32(p + 8), aces[i].rights);
    }
}

/* READ, MODIFY and EXTEND, and EXECUTE. */
static void assert_access(struct bench *bench, uint32_t uid, uint32_t expected)
{
    bench->t.uid = uid;
    assert_int_equal(ask_of_file(bench, "nfs3.access:0x2d"), 0);
    assert_int_equal(nfs_results_number(&bench->t.fields, "access", UINT32_MAX), expected);
    bench->t.uid = MADE_BY;
}

UNIT_TEST(follows_the_mode)
{
    static const struct ace aces[] = {{OWNER, 1000, 6}, {GROUP_OWNER, 1000, 4}, {MASK, 0, 4}, {OTHER, 0, 0}};
    struct bench bench;

    begin(&bench);
    assert_acl(&bench, aces, ARRAY_LENGTH(aces));
    end(&bench);
}

UNIT_TEST(is_kept)
{
    static const struct ace set_to[] = {{USER, 7, 7},  {USER, 8, 4},  {OWNER, 0, 6}, {GROUP_OWNER, 0, 1},
                                        {GROUP, 9, 6}, {GROUP, 7, 6}, {MASK, 0, 6},  {OTHER, 0, 0}};
    static const struct ace kept[] = {{OWNER, 1000, 6}, {USER, 7, 7},  {USER, 8, 4}, {GROUP_OWNER, 1000, 1},
                                      {GROUP, 9, 6},    {GROUP, 7, 6}, {MASK, 0, 6}, {OTHER, 0, 0}};
    static const struct ace masked[] = {{OWNER, 1000, 7}, {USER, 7, 7},  {USER, 8, 4}, {GROUP_OWNER, 1000, 1},
                                        {GROUP, 9, 6},    {GROUP, 7, 6}, {MASK, 0, 4}, {OTHER, 0, 1}};
    static const struct ace plain[] = {{OWNER, 0, 6}, {GROUP_OWNER, 0, 2}, {OTHER, 0, 0}};
    static const struct ace after[] = {{OWNER, 1000, 6}, {GROUP_OWNER, 1000, 2}, {MASK, 0, 2}, {OTHER, 0, 0}};
    struct bench bench;

    begin(&bench);
    assert_int_equal(set(&bench, ACL, set_to, ARRAY_LENGTH(set_to), 0), 0);
    assert_acl(&bench, kept, ARRAY_LENGTH(kept));
    assert_int_equal(ask_of_file(&bench, "nfs3.getattr"), 0);
    assert_int_equal(nfs_results_number(&bench.t.fields, "mode", 0), 0660);
    assert_access(&bench, 7, 0x0d);    /* named, limited by the mask */
    assert_access(&bench, 8, 0x01);    /* its own entry counts */
    assert_access(&bench, 9, 0x0d);    /* by its group */
    assert_access(&bench, 10, 0);      /* by none */
    assert_access(&bench, 1000, 0x0d); /* the owner */
    assert_int_equal(ask_of_file(&bench, "nfs3.setattr:mode=0741"), 0);
    assert_acl(&bench, masked, ARRAY_LENGTH(masked));
    assert_access(&bench, 7, 0x01);
    assert_access(&bench, 10, 0x20);
    assert_int_equal(set(&bench, ACL, plain, ARRAY_LENGTH(plain), 0), 0);
    assert_acl(&bench, after, ARRAY_LENGTH(after));
    assert_access(&bench, 7, 0);
    end(&bench);
}

/* No entry twice, none missing, a mask beside named ones, no other types and rights, no default ACL. */
UNIT_TEST(others_are_refused)
{
    static const struct ace good[] = {{OWNER, 0, 6}, {GROUP_OWNER, 0, 2}, {OTHER, 0, 0}};
    static const struct {
        struct ace aces[4];
        uint32_t n;
    } bad[] = {
        {{{OWNER, 0, 6}, {GROUP_OWNER, 0, 2}}, 2},
        {{{OWNER, 0, 6}, {GROUP_OWNER, 0, 2}, {OTHER, 0, 0}, {OTHER, 0, 0}}, 4},
        {{{OWNER, 0, 6}, {GROUP_OWNER, 0, 2}, {OTHER, 0, 0}, {USER, 7, 0}}, 4},
        {{{OWNER, 0, 6}, {GROUP_OWNER, 0, 2}, {OTHER, 0, 8}}, 3},
        {{{OWNER, 0, 6}, {GROUP_OWNER, 0, 2}, {OTHER, 0, 0}, {0x40, 0, 0}}, 4},
        {{{OWNER, 0, 6}, {GROUP_OWNER, 0, 2}, {OTHER, 0, 0}, {OWNER | OTHER, 0, 0}}, 4},
    };
    static struct ace many[ENTRIES_MAX + 1];
    struct bench bench;

    begin(&bench);
    for (size_t i = 0; i < ARRAY_LENGTH(bad); i++)
        assert_int_equal(set(&bench, ACL, bad[i].aces, bad[i].n, 0), INVAL);
    assert_int_equal(set(&bench, ACL, many, ENTRIES_MAX, 0), INVAL);
    assert_int_equal(set(&bench, ACL, many, ENTRIES_MAX + 1, 0), CALLER_REFUSED + RPC_GARBAGE_ARGS);
    assert_int_equal(set(&bench, ACL | DEFAULT, good, ARRAY_LENGTH(good), 3), NOT_SUPPORTED);
    assert_int_equal(set(&bench, 0x10, good, ARRAY_LENGTH(good), 0), INVAL);
    assert_int_equal(ask_of_file(&bench, "nfsacl3.getacl:aclmask=0x10"), INVAL);
    bench.t.uid = 7;
    assert_int_equal(set(&bench, ACL, good, ARRAY_LENGTH(good), 0), PERM);
    end(&bench);
}

/* There is room for ACLs of 1024 files; deleted files make room. */
UNIT_TEST(are_bounded)
{
    static const struct ace aces[] = {{OWNER, 0, 6}, {USER, 7, 4}, {GROUP_OWNER, 0, 2}, {MASK, 0, 6}, {OTHER, 0, 0}};
    struct bench bench;
    uint8_t root[HANDLE_MAX];
    uint32_t root_n;

    begin(&bench);
    bench.file_n = 0;
    assert_int_equal(ask_of_file(&bench, "mount3.mnt:path=/"), 0);
    assert_true(nfs_results_copy(&bench.t.fields, "handle", root, sizeof root, &root_n));
    for (unsigned i = 0; i < 1025; i++) {
        g_autofree char *words = g_strdup_printf("nfs3.create:f%u:mode=0640", i);

        memcpy(bench.file, root, bench.file_n = root_n);
        assert_int_equal(ask_of_file(&bench, words), 0);
        keep_handle(&bench);
        assert_int_equal(set(&bench, ACL, aces, ARRAY_LENGTH(aces), 0), i < 1024 ? 0 : 28);
    }
    memcpy(bench.file, root, bench.file_n = root_n);
    assert_int_equal(ask_of_file(&bench, "nfs3.remove:f5"), 0);
    assert_int_equal(ask_of_file(&bench, "nfs3.lookup:f1024"), 0);
    keep_handle(&bench);
    assert_int_equal(set(&bench, ACL, aces, ARRAY_LENGTH(aces), 0), 0);
    end(&bench);
}

/* A server without ACLs does not have the program. */
UNIT_TEST(may_be_unserved)
{
    struct caller_server on;
    struct nfs_caller t;
    struct xdr_out out;

    caller_server_begin(&on);
    nfs_server_free(on.server);
    on.server = nfs_server_new(&(struct nfs_server_options){.tree = on.tree, .now = nfs_tree_real_time});
    caller_begin(&t, &on, 0, false);
    caller_call(&t, NFS_PROGRAM_ACL, 3, 0, &out);
    assert_int_equal(caller_send(&t, &out), CALLER_REFUSED + RPC_PROG_UNAVAIL);
    caller_end(&t);
    caller_server_end(&on);
}
