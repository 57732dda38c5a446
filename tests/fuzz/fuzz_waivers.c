// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A waiver file, read by iwarp-check and by iwarp-gen test. Either it is accepted, and its waivers can be matched with
 * any finding, or a one-line message names the mistake and its place. The tester accepts whatever the checker accepts.
 * A first line that begins with '#' is also an argument of --waive and a list of --rules.
 */
#define _GNU_SOURCE
#include "waivers/waivers.h"

#include "conformance/options/selector.h"
#include "tests/fuzz/fuzz_file.h"

static void match_all(GPtrArray *waivers)
{
    const struct endpoint senders[] = {{.ip = 4, .address = {192, 0, 2, 7}, .port = 20049},
                                       {.ip = 6, .address = {0x20, 1, 0xD, 0xB8}, .port = 7174}};

    for (unsigned rule = 0; rule < RULE_COUNT; rule++) {
        const struct waiver_finding finding = {.rule = (enum rule_id)rule,
                                               .sender = &senders[rule & 1],
                                               .role = (enum waiver_role)(rule / 2 % 3),
                                               .operation = rule & 1 ? "READ" : NULL,
                                               .kind = rule & 2 ? "Reply" : NULL,
                                               .message = "expected 3 zero octets; found 7"};
        const struct waiver *found = waivers_match(waivers, &finding);

        HOLDS(!found || (found->used && !found->expired && found->id && found->where));
    }
}

static void told(bool good, GError **error)
{
    HOLDS(good == (*error == NULL));
    if (*error)
        holds_one_line((*error)->message);
    g_clear_error(error);
}

static void arguments(const uint8_t *p, size_t n)
{
    g_autofree char *text = g_strndup((const char *)p, n); /* ends at the first NUL */
    GPtrArray *waivers = waivers_new();
    GError *error = NULL;
    bool marks[RULE_COUNT] = {false};

    HOLDS(waivers_add(waivers, text, &error) == (error == NULL)); /* the user's own words need no escapes */
    g_clear_error(&error);
    match_all(waivers);
    g_ptr_array_unref(waivers);
    HOLDS(selector_mark(text, marks, &error) == (error == NULL));
    g_clear_error(&error);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct fuzz_file file;
    GPtrArray *waivers = waivers_new(), *tester;
    GError *error = NULL;
    const char *path = fuzz_file(&file, data, size);
    bool taken, good = waivers_load(waivers, path, false, &error);

    HOLDS(good || strncmp(error->message, path, strlen(path)) == 0);
    told(good, &error);
    if (good)
        match_all(waivers);
    g_ptr_array_unref(waivers);
    tester = waivers_new();
    taken = waivers_load(tester, path, true, &error);
    HOLDS(!good || taken);
    told(taken, &error);
    g_ptr_array_unref(tester);
    if (size > 0 && data[0] == '#') {
        const uint8_t *end = memchr(data, '\n', size);

        arguments(data + 1, end ? (size_t)(end - data - 1) : size - 1);
    }
    return 0;
}
