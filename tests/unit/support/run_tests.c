// SPDX-License-Identifier: GPL-2.0-or-later
/* The program around the tests of one file. A file with tests of another kind has a main() of its own. */
#include "tests/unit/support/support.h"

enum { TESTS_MAX = 100 };

static struct CMUnitTest tests[TESTS_MAX];
static unsigned lines[TESTS_MAX];
static size_t n_tests;

/* Before main(), in whichever order the compiler chose. */
void unit_test_add(unsigned line, const char *name, CMUnitTestFunction test)
{
    size_t at = n_tests++;

    assert_true(n_tests <= TESTS_MAX);
    for (; at > 0 && lines[at - 1] > line; at--) {
        lines[at] = lines[at - 1];
        tests[at] = tests[at - 1];
    }
    lines[at] = line;
    tests[at] = (struct CMUnitTest){.name = name, .test_func = test};
}

int main(void)
{
    assert_true(n_tests > 0);
    return _cmocka_run_group_tests("tests", tests, n_tests, NULL, NULL);
}
