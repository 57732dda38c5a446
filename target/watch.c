// SPDX-License-Identifier: GPL-2.0-or-later
#include "target/watch.h"

enum { LISTEN = 0x0A };

bool watch_listed(FILE *table, unsigned port)
{
    char line[512];
    unsigned local, state;

    /* "   0: 00000000:1C07 00000000:0000 0A ..." */
    while (fgets(line, sizeof line, table)) {
        if (sscanf(line, " %*u: %*[0-9A-Fa-f]:%x %*[0-9A-Fa-f]:%*x %x", &local, &state) == 2 && state == LISTEN &&
            local == port)
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
