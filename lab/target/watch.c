// SPDX-License-Identifier: GPL-2.0-or-later
#include "lab/target/watch.h"

#include <stdlib.h>
#include <string.h>

enum { LISTEN = 0x0A };

static bool watch_after(const char **at, char what)
{
    const char *found = strchr(*at, what);

    if (found)
        *at = found + 1;
    return found != NULL;
}

static bool watch_number(const char **at, unsigned long *out)
{
    char *end;

    *out = strtoul(*at, &end, 16);
    if (end == *at)
        return false;
    *at = end;
    return true;
}

bool watch_listed(FILE *table, unsigned port)
{
    char line[512];

    /* "   0: 00000000:1C07 00000000:0000 0A ..." */
    while (fgets(line, sizeof line, table)) {
        const char *at = line;
        unsigned long local, state;

        if (watch_after(&at, ':') && watch_after(&at, ':') && watch_number(&at, &local) && watch_after(&at, ':') &&
            watch_after(&at, ' ') && watch_number(&at, &state) && state == LISTEN && local == port)
            return true;
    }
    return false;
}

bool watch_listens(unsigned port)
{
    static const char *const paths[] = {"/proc/net/tcp", "/proc/net/tcp6"};
    bool found = false;

    for (unsigned i = 0; i < sizeof paths / sizeof paths[0] && !found; i++) {
        FILE *table = fopen(paths[i], "r");

        if (!table)
            continue;
        found = watch_listed(table, port);
        fclose(table);
    }
    return found;
}
