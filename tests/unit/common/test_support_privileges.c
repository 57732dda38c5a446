// SPDX-License-Identifier: GPL-2.0-or-later
/* What is left after dropping privileges. Only root has any. */
#include "support/privileges.h"
#include "tests/unit/support/support.h"

#include <cap-ng.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static bool has_only(unsigned capability)
{
    if (capng_get_caps_process() != 0)
        return false;
    for (unsigned other = 0; other <= CAP_LAST_CAP; other++)
        if (capng_have_capability(CAPNG_PERMITTED, other) != (other == capability))
            return false;
    return true;
}

UNIT_TEST(only_what_is_kept_remains)
{
    static const int kept[] = {CAP_CHOWN};
    int status = 0;
    pid_t child;

    if (geteuid() != 0 || !capng_have_capability(CAPNG_PERMITTED, CAP_CHOWN) ||
        !capng_have_capability(CAPNG_PERMITTED, CAP_SETUID) || !capng_have_capability(CAPNG_PERMITTED, CAP_SETGID))
        skip();
    child = fork();
    if (child == 0)
        _exit(privileges_keep("nobody", kept, 1) && geteuid() != 0 && has_only(CAP_CHOWN) ? 0 : 1);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}
