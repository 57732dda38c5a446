// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A scenario, or a script. Either a one-line message names the mistake and its place, or there are statements within
 * the limits; a short script is carried out, or a one-line message names the reason why not.
 */
#include "tests/fuzz/fuzz.h"
#include "traffic-gen/speak/say/carrier.h"
#include "traffic-gen/speak/say/script.h"
#include "traffic-gen/speak/sim/sim_trouble.h"

#include <string.h>

enum { COUNT = 3, SHORT = 200 };

/* Large numbers are sizes that take long; small ones are as good. */
static bool has_long_number(const char *text)
{
    size_t n = 0;

    for (; *text && n < 5; text++)
        n = g_ascii_isxdigit(*text) ? n + 1 : 0;
    return *text;
}

static void check_error(char *error)
{
    HOLDS(strncmp(error, "x.scenario:", 11) == 0 || strncmp(error, "x.scenario, statement ", 22) == 0);
    HOLDS(!strchr(error, '\n'));
    g_free(error);
}

static void play(const GPtrArray *statements, const struct carrier *carrier)
{
    const struct sim_trouble none = {0};
    struct stage *stage = stage_new(NULL, 1, &none, &(struct stage_place){0});
    char *error = NULL;

    stage->carrier = carrier;
    stage->mtu = 1500;
    if (!script_play(stage, "x.scenario", statements, &error))
        check_error(error);
    stage_free(stage);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *error = NULL, *text = g_strndup((const char *)data, size);
    bool counted;
    GPtrArray *statements = script_parse_counted("x.scenario", text, COUNT, &counted, &error);
    uint64_t times = 0;

    HOLDS((statements == NULL) == (error != NULL));
    if (!statements)
        check_error(error);
    for (unsigned i = 0; statements && i < statements->len; i++) {
        const struct statement *statement = statements->pdata[i];

        HOLDS(statement->verb && statement->number > 0 && statement->words->len <= WORDS_MAX);
        times += statement->times;
    }
    if (statements && times <= SHORT && !has_long_number(text)) {
        play(statements, &carrier_mpa);
        play(statements, &carrier_roce);
    }
    if (statements)
        g_ptr_array_unref(statements);
    g_free(text);
    return 0;
}
