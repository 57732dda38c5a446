// SPDX-License-Identifier: GPL-2.0-or-later
#include "support/privileges.h"

#include <cap-ng.h>
#include <errno.h>
#include <pwd.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

static const capng_type_t privileges_used = (capng_type_t)(CAPNG_EFFECTIVE | CAPNG_PERMITTED);

/* The number in an environment variable set by sudo; 0: none, or root itself. */
static unsigned long privileges_number(const char *name)
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

/* The identity that root takes; user 0: stays root. */
struct identity {
    uid_t user;
    gid_t group;
};

static bool privileges_look_up(const char *name, struct identity *identity)
{
    const struct passwd *entry;

    errno = 0;
    entry = getpwnam(name);
    if (!entry) {
        errno = errno != 0 ? errno : ENOENT;
        return false;
    }
    *identity = (struct identity){entry->pw_uid, entry->pw_gid};
    return true;
}

/*
 * The caller of sudo, or nobody. Stays root in a container without the right to change users, or without such a user.
 */
static struct identity default_identity(void)
{
    const struct identity caller = {(uid_t)privileges_number("SUDO_UID"), (gid_t)privileges_number("SUDO_GID")};
    struct identity nobody = {0};

    if (caller.user != 0 && caller.group != 0)
        return caller;
    if (capng_have_capability(CAPNG_EFFECTIVE, CAP_SETUID) && capng_have_capability(CAPNG_EFFECTIVE, CAP_SETGID))
        privileges_look_up("nobody", &nobody);
    return nobody;
}

/* The user that root becomes; others stay who they are. */
static bool identity_of(const char *user, struct identity *identity)
{
    *identity = (struct identity){0};
    if (geteuid() != 0)
        return true;
    if (user)
        return privileges_look_up(user, identity);
    *identity = default_identity();
    return true;
}

/* With the capabilities that were selected. */
static bool become(struct identity identity)
{
    errno = EPERM; /* the library does not always set it */
    if (identity.user != 0 && capng_change_id((int)identity.user, (int)identity.group, CAPNG_DROP_SUPP_GRP) != 0)
        return false;
    return capng_apply(CAPNG_SELECT_CAPS) == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
}

bool privileges_drop(const char *user, bool writes)
{
    bool by_sudo = privileges_number("SUDO_UID") != 0 && privileges_number("SUDO_GID") != 0;
    struct identity identity;

    if (!identity_of(user, &identity))
        return false;
    capng_clear(CAPNG_SELECT_CAPS);
    /* If root asked for a file, it must be possible to write the file; the caller of sudo has rights of its own. */
    if (identity.user != 0 && writes && !user && !by_sudo)
        capng_update(CAPNG_ADD, privileges_used, CAP_DAC_OVERRIDE);
    return become(identity);
}

bool privileges_keep(const char *user, const int *kept, size_t n)
{
    struct identity identity;
    uint64_t had = 0;

    if (!identity_of(user, &identity))
        return false;
    for (size_t i = 0; i < n; i++)
        had |= (uint64_t)capng_have_capability(CAPNG_PERMITTED, (unsigned)kept[i]) << i;
    capng_clear(CAPNG_SELECT_CAPS);
    for (size_t i = 0; i < n; i++)
        if (had >> i & 1)
            capng_update(CAPNG_ADD, privileges_used, (unsigned)kept[i]);
    return become(identity);
}

bool privileges_drop_rest(void)
{
    capng_clear(CAPNG_SELECT_CAPS);
    errno = EPERM;
    return capng_apply(CAPNG_SELECT_CAPS) == 0;
}
