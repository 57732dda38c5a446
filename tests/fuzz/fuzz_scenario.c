// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A scenario in YAML. Whatever it is, either a message says in one line where it is wrong, or there are statements
 * within the limits, none of which can pass for several.
 */
#include "tests/fuzz/fuzz.h"
#include "traffic-gen/scenario_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *error = NULL;
    struct scenario_file *file = scenario_file_parse("x.yaml", (const char *)data, size, &error);
    const char *statement;
    unsigned line, n = 0;

    HOLDS((file == NULL) == (error != NULL));
    if (!file) {
        HOLDS(strncmp(error, "x.yaml:", 7) == 0 && !strchr(error, '\n'));
        g_free(error);
        return 0;
    }
    HOLDS(scenario_file_name(file));
    for (; (statement = scenario_file_statement(file, n, &line)); n++) {
        HOLDS(line > 0 && !strpbrk(statement, ";\n"));
        HOLDS(strncmp(statement, "I ", 2) == 0 || strncmp(statement, "R ", 2) == 0 || strcmp(statement, "next") == 0 ||
              strncmp(statement, "with", 4) == 0);
    }
    HOLDS(n <= SCENARIO_STATEMENTS_MAX);
    scenario_file_free(file);
    return 0;
}
