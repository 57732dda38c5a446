/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by all unit tests: cmocka, tests that register themselves, octets from hex, a seeded generator. */
#ifndef IWARP_TESTS_UNIT_SUPPORT_SUPPORT_H
#define IWARP_TESTS_UNIT_SUPPORT_SUPPORT_H

/* <cmocka.h> needs these first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#define ARRAY_LENGTH(a) (sizeof(a) / sizeof(a)[0])

/* Defines a test, which runs without being listed anywhere: in the order of the file. Its body follows. */
#define UNIT_TEST(test)                                                                                                \
    static void test(void **state);                                                                                    \
    __attribute__((constructor)) static void unit_test_add_##test(void)                                                \
    {                                                                                                                  \
        unit_test_add(__LINE__, #test, test);                                                                          \
    }                                                                                                                  \
    static void test(void **state)
/* Defines a test on a fixture of that type, which `begin` makes and `end` checks and frees: its body gets a pointer. */
#define UNIT_TEST_ON(test, type, fixture, begin, end)                                                                  \
    static void test##_on(type *fixture);                                                                              \
    UNIT_TEST(test)                                                                                                    \
    {                                                                                                                  \
        type it = {0};                                                                                                 \
        begin(&it);                                                                                                    \
        test##_on(&it);                                                                                                \
        end(&it);                                                                                                      \
    }                                                                                                                  \
    static void test##_on(type *fixture)
void unit_test_add(unsigned line, const char *name, CMUnitTestFunction test);

/* Octets of the hex digits in text; blanks are skipped, "[n]" means n zero octets. Returns their number. */
size_t octets_of(const char *text, uint8_t *out, size_t size);

/* Words noted by events in a log of NOTES_MAX octets; an expectation empties it. */
enum { NOTES_MAX = 4096 };
void note(char *log, const char *format, ...) __attribute__((format(printf, 2, 3)));
void notes_expect(char *log, const char *expected);

/* splitmix64: tests with varied input are reproducible. */
uint64_t next_random(uint64_t *state);
void fill_random(uint64_t *state, uint8_t *out, size_t n);

#endif
