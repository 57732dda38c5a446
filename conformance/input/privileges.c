// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/input/privileges.h"

#include <cap-ng.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

/* The number in an environment variable that sudo sets; 0: none, or root itself. */
static unsigned long number(const char *name)
{
    const char *text = getenv(name);
    char *end;
    unsigned long value;

    if (!text)
        return 0;
    errno = 0;
    value = strtoul(text, &end, 10);
    return errno != 0 || end == text || *end != '\0' || value > (unsigned long)(uid_t)-2 ? 0 : value;
}

bool privileges_drop(void)
{
    int group = (int)(gid_t)number("SUDO_GID"), user = (int)(uid_t)number("SUDO_UID");
    bool becomes_caller = geteuid() == 0 && user != 0 && group != 0;

    capng_clear(CAPNG_SELECT_CAPS);
    errno = EPERM; /* the library does not always set it */
    if (becomes_caller && capng_change_id(user, group, CAPNG_DROP_SUPP_GRP) != 0)
        return false;
    return capng_apply(CAPNG_SELECT_CAPS) == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
}
