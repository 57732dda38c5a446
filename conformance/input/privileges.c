// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/input/privileges.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
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

static bool become_caller(void)
{
    gid_t group = (gid_t)number("SUDO_GID");
    uid_t user = (uid_t)number("SUDO_UID");

    if (geteuid() != 0 || user == 0 || group == 0)
        return true;
    return setgroups(1, &group) == 0 && setgid(group) == 0 && setuid(user) == 0;
}

bool privileges_drop(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0}};

    return become_caller() && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && syscall(SYS_capset, &header, none) == 0;
}
