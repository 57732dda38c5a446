// SPDX-License-Identifier: GPL-2.0-or-later
/* Effects of other connections on files may explain octets that were read back. */
#include "engine/nfs/nfs_across.h"
#include "tests/unit/support/support.h"

#include <stdlib.h>

struct told {
    unsigned differs, excused;
};

static void on_differs(void *ctx, const struct ulp_differs *differs)
{
    assert_non_null(strstr(differs->words, "offset 4096 of the file, shifted by 512 octets towards the beginning"));
    assert_int_equal(differs->place->frame, 30);
    ((struct told *)ctx)->differs++;
}

static void on_excuse(void *ctx, enum rule_id rule, const struct place *place)
{
    assert_int_equal(rule, RULE_NFS3_3_3_7_02);
    assert_int_equal(place->frame, 30);
    ((struct told *)ctx)->excused++;
}

static struct nfs_files *files_with(const struct nfs_change *change)
{
    struct nfs_files *files = calloc(1, sizeof *files + sizeof files->changes[0]);

    assert_non_null(files);
    if (change)
        files->changes[files->n_changes++] = *change;
    return files;
}

/* File 7 was written at 1000 and read at 2000; other: the other connection's action. */
static struct told conclude(struct nfs_files *other)
{
    static const int here, there;
    struct told told = {0};
    const struct ulp_across_host host = {.excuse = on_excuse, .differs = on_differs, .ctx = &told};
    struct nfs_across *across = nfs_across_new();
    struct nfs_files *files = files_with(&(struct nfs_change){.file = 7, .from_ns = 1000, .to_ns = 1100});

    files->n_differences = 1;
    files->differences[0] = (struct nfs_difference){.file = 7,
                                                    .offset = 4096,
                                                    .shift = 512,
                                                    .written = 10,
                                                    .read = 29,
                                                    .place = {.frame = 30, .time_ns = 2000},
                                                    .from_ns = 1000,
                                                    .to_ns = 2000};
    nfs_across_add(across, &here, files);
    nfs_across_add(across, &there, other);
    nfs_across_conclude(across, &there, &host);
    assert_int_equal(told.differs + told.excused, 0);
    nfs_across_conclude(across, &here, &host);
    nfs_across_trim(across);
    nfs_across_conclude(across, &here, &host); /* only once */
    nfs_across_free(across);
    assert_int_equal(told.differs + told.excused, 1);
    return told;
}

UNIT_TEST(nobody_else)
{
    struct nfs_files *blind_later = files_with(NULL);

    (void)state;
    blind_later->blind = true;
    blind_later->blind_ns = 2001;
    assert_int_equal(conclude(NULL).differs, 1);
    assert_int_equal(conclude(files_with(NULL)).differs, 1);
    assert_int_equal(conclude(files_with(&(struct nfs_change){8, 1500, 1600})).differs, 1);
    assert_int_equal(conclude(files_with(&(struct nfs_change){7, 2001, INT64_MAX})).differs, 1);
    assert_int_equal(conclude(files_with(&(struct nfs_change){7, 100, 999})).differs, 1);
    assert_int_equal(conclude(blind_later).differs, 1);
}

UNIT_TEST(somebody_else)
{
    struct nfs_files *blind = files_with(NULL);

    (void)state;
    blind->blind = true;
    blind->blind_ns = 1999;
    assert_int_equal(conclude(files_with(&(struct nfs_change){7, 1500, 1600})).excused, 1);
    assert_int_equal(conclude(files_with(&(struct nfs_change){7, 100, INT64_MAX})).excused, 1);
    assert_int_equal(conclude(files_with(&(struct nfs_change){0, 2000, 2001})).excused, 1);
    assert_int_equal(conclude(blind).excused, 1);
}

/* The first of many connections has changed file 7, the last one has a difference. */
static struct told after_many(int64_t to_ns)
{
    static const int here;
    struct told told = {0};
    const struct ulp_across_host host = {.excuse = on_excuse, .differs = on_differs, .ctx = &told};
    struct nfs_across *across = nfs_across_new();
    struct nfs_files *files = files_with(NULL);

    nfs_across_add(across, NULL, files_with(&(struct nfs_change){7, 100, to_ns}));
    for (unsigned i = 0; i < NFS_ACROSS_MAX; i++)
        nfs_across_add(across, NULL, files_with(NULL));
    nfs_across_trim(across);
    files->n_differences = 1;
    files->differences[0] = (struct nfs_difference){
        .file = 7, .offset = 4096, .shift = 512, .place = {.frame = 30}, .from_ns = 1000, .to_ns = 2000};
    nfs_across_add(across, &here, files);
    nfs_across_conclude(across, &here, &host);
    nfs_across_free(across);
    return told;
}

UNIT_TEST(somebody_who_is_forgotten)
{
    (void)state;
    assert_int_equal(after_many(INT64_MAX).excused, 1);
    assert_int_equal(after_many(1000).excused, 1);
    assert_int_equal(after_many(999).differs, 1);
}
