// SPDX-License-Identifier: GPL-2.0-or-later
/* Requests that fail again, and the steps of a mount, as facts of a connection. */
#include "conformance/trouble/facts.h"
#include "tests/unit/support/support.h"

static const struct trouble_cure refresh = {SUBJECT_STATEID, 4, "the client repeats it", "update the client"};
static const struct trouble_error old = {"NFS4ERR_OLD_STATEID", NULL, ERROR_ANSWER, &refresh};
static const struct trouble_error noent = {"NFS4ERR_NOENT", NULL, ERROR_ANSWER, NULL};

enum { READ = 25 };

/* A READ in frame n, of this request, with this stateid; 0: the stateid is unknown. */
static void read_fails(struct trouble_facts *facts, uint32_t n, uint64_t request, uint64_t stateid)
{
    struct trouble_try try = {
        .error = &old, .what = "READ", .op = READ, .known = stateid != 0, .event = {n, (int64_t)n * 1000}};

    try.asked.request = request;
    try.asked.stateid[0] = (struct trouble_stateid){READ, stateid};
    trouble_outcome_failed(facts, &try);
}

static void read_succeeds(struct trouble_facts *facts, uint32_t n, uint64_t request)
{
    struct trouble_try try = {.what = "READ", .op = READ, .known = true, .event = {n, (int64_t)n * 1000}};

    try.asked.request = request;
    trouble_outcome_succeeded(facts, &try);
}

/* The first failure, whose stateid was not remembered, counts; offsets do not matter. */
UNIT_TEST(the_same_stateid)
{
    struct trouble_facts *facts = trouble_facts_new();

    read_fails(facts, 1, 100, 0);
    for (uint32_t n = 2; n <= 4; n++)
        read_fails(facts, n, 100 + n, 7);
    assert_true(trouble_outcome_is_plain(facts));
    read_fails(facts, 5, 105, 7);
    assert_false(trouble_outcome_is_plain(facts));
    assert_int_equal(facts->outcome->n_again, 1);
    assert_int_equal(facts->outcome->again[0].all.n, 5);
    assert_int_equal(facts->outcome->again[0].all.first.frame, 1);
    trouble_facts_free(facts);
}

/* A success forgets few failures, and ends many. */
UNIT_TEST(success)
{
    struct trouble_facts *facts = trouble_facts_new();

    for (unsigned round = 0; round < 3; round++) {
        for (uint32_t n = 1; n <= 4; n++)
            read_fails(facts, 10 * round + n, 100, 7);
        assert_int_equal(facts->outcome->n_again, 1);
        facts->outcome->again[0].key = 100; /* as if the whole request counted */
        read_succeeds(facts, 10 * round + 5, 100);
        assert_int_equal(facts->outcome->n_again, 0);
    }
    trouble_facts_free(facts);
}

/* With many kinds of failures, those that are trouble stay. */
UNIT_TEST(room)
{
    struct trouble_facts *facts = trouble_facts_new();

    for (uint32_t n = 1; n <= 5; n++)
        read_fails(facts, n, 100, 7);
    for (uint32_t n = 0; n < 1000; n++)
        read_fails(facts, 10 + n, 100, 1000 + n);
    assert_int_equal(facts->outcome->n_again, TROUBLE_AGAIN);
    assert_int_equal(facts->outcome->again[0].all.n, 5);
    trouble_facts_free(facts);
}

static void mount_step(struct trouble_facts *facts, enum trouble_mount_step step, uint64_t number, unsigned names,
                       const struct trouble_error *error)
{
    const struct trouble_mount_try try = {.step = step,
                                          .number = number,
                                          .names = names,
                                          .error = error,
                                          .what = "LOOKUP",
                                          .handle = 9,
                                          .event = {(uint32_t)number, 0}};

    trouble_mount_tried(facts, &try);
}

/* A missing name counts until the mount is in use; the path ends with the name. */
UNIT_TEST(path_of_a_mount)
{
    struct trouble_facts *facts = trouble_facts_new();

    mount_step(facts, MOUNT_PATH, 1, 0, &noent); /* no mount began here */
    assert_true(trouble_mount_is_plain(facts));
    mount_step(facts, MOUNT_ROOT, 2, 0, NULL);
    trouble_mount_asked(facts, 3, 9, "/export");
    mount_step(facts, MOUNT_PATH, 3, 1, NULL);
    trouble_mount_asked(facts, 4, 9, "/a/b/c");
    mount_step(facts, MOUNT_PATH, 4, 1, &noent);
    assert_false(trouble_mount_is_plain(facts));
    assert_string_equal(facts->mount->path, "/export/a/b");
    mount_step(facts, MOUNT_WORK, 5, 0, NULL);
    assert_true(trouble_mount_is_plain(facts));
    mount_step(facts, MOUNT_PATH, 6, 0, &noent);
    assert_true(trouble_mount_is_plain(facts));
    trouble_facts_free(facts);
}
