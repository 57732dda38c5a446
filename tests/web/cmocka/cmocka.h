/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Of cmocka, what the unit tests of wire/ and engine/ use, for WebAssembly. Nothing can jump out of a test there: the
 * first assertion that fails ends the program.
 */
#ifndef IWARP_TESTS_WEB_CMOCKA_H
#define IWARP_TESTS_WEB_CMOCKA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef void (*CMUnitTestFunction)(void **state);

struct CMUnitTest {
    const char *name;
    CMUnitTestFunction test_func;
};

/* Returns 0: a test that fails never returns. */
int run_unit_tests(const struct CMUnitTest *tests, size_t n);
void print_message(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints and ends the program. */
_Noreturn void test_failed(const char *file, int line, const char *format, ...) __attribute__((format(printf, 3, 4)));
void check_true(bool held, const char *words, const char *file, int line);
void check_equal(uintmax_t one, uintmax_t other, bool wanted, const char *file, int line);
void check_same_text(const char *one, const char *other, const char *file, int line);
void check_same_octets(const void *one, const void *other, size_t n, const char *file, int line);

#define cmocka_unit_test(test)                                                                                         \
    {                                                                                                                  \
        .name = #test, .test_func = (test)                                                                             \
    }
#define _cmocka_run_group_tests(name, tests, n, setup, teardown)  run_unit_tests(tests, n)
#define cmocka_run_group_tests(tests, setup, teardown)            run_unit_tests(tests, sizeof(tests) / sizeof(tests)[0])
#define cmocka_run_group_tests_name(name, tests, setup, teardown) cmocka_run_group_tests(tests, setup, teardown)

#define assert_true(held)                  check_true(!!(held), #held, __FILE__, __LINE__)
#define assert_false(held)                 check_true(!(held), "!(" #held ")", __FILE__, __LINE__)
#define assert_non_null(pointer)           assert_true(pointer)
#define assert_null(pointer)               assert_false(pointer)
#define assert_int_equal(one, other)       check_equal((uintmax_t)(one), (uintmax_t)(other), true, __FILE__, __LINE__)
#define assert_int_not_equal(one, other)   check_equal((uintmax_t)(one), (uintmax_t)(other), false, __FILE__, __LINE__)
#define assert_ptr_equal(one, other)       assert_int_equal((uintptr_t)(one), (uintptr_t)(other))
#define assert_ptr_not_equal(one, other)   assert_int_not_equal((uintptr_t)(one), (uintptr_t)(other))
#define assert_string_equal(one, other)    check_same_text(one, other, __FILE__, __LINE__)
#define assert_memory_equal(one, other, n) check_same_octets(one, other, n, __FILE__, __LINE__)
#define fail()                             test_failed(__FILE__, __LINE__, "fail()")
#define fail_msg(...)                      test_failed(__FILE__, __LINE__, __VA_ARGS__)
/* Only a test itself calls this. */
#define skip()                                                                                                         \
    do {                                                                                                               \
        print_message("skipped\n");                                                                                    \
        return;                                                                                                        \
    } while (0)

#endif
