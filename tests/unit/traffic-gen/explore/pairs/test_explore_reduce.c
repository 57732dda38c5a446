// SPDX-License-Identifier: GPL-2.0-or-later
/* Reduction to known causes. */
#include "tests/unit/support/support.h"
#include "traffic-gen/explore/pairs/reduce.h"

enum { PARAMETERS = 10, ALL = (1 << PARAMETERS) - 1 };

/* It fails with all of one of these sets; no vector has only `never`. */
struct subject {
    uint32_t causes[3];
    unsigned n;
    uint32_t never;
    unsigned asked;
};

static bool fails(void *ctx, uint32_t parameters)
{
    struct subject *subject = ctx;

    subject->asked++;
    if (subject->never && parameters == subject->never)
        return false;
    for (unsigned i = 0; i < subject->n; i++) {
        if ((parameters & subject->causes[i]) == subject->causes[i])
            return true;
    }
    return false;
}

static unsigned size(uint32_t set)
{
    unsigned n = 0;

    for (; set; set &= set - 1)
        n++;
    return n;
}

/* Every set of up to three parameters is found; sets of two, the most common, with few questions. */
UNIT_TEST(every_cause)
{
    for (uint32_t cause = 1; cause <= ALL; cause++) {
        struct subject subject = {.causes = {cause}, .n = 1};

        if (size(cause) > 3)
            continue;
        assert_int_equal(reduce(ALL, fails, &subject), cause);
        assert_true(subject.asked <= (size(cause) < 3 ? 45 : 90));
    }
}

UNIT_TEST(one_of_several)
{
    struct subject subject = {.causes = {0x003, 0x300, 0x020}, .n = 3};
    uint32_t found = reduce(ALL, fails, &subject);

    assert_true(found == 0x003 || found == 0x300 || found == 0x020);
}

UNIT_TEST(nothing_in_particular)
{
    struct subject subject = {.causes = {0}, .n = 1};

    assert_int_equal(reduce(ALL, fails, &subject), 0);
    assert_int_equal(reduce(0, fails, &subject), 0);
}

UNIT_TEST(what_cannot_be)
{
    struct subject subject = {.causes = {0x041}, .n = 1, .never = 0x041};
    uint32_t found = reduce(ALL, fails, &subject);

    assert_true((found & 0x041) == 0x041 && found != 0x041);
    assert_int_equal(size(found), 3);
}
