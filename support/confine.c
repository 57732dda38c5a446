// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "support/confine.h"

#include "support/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <seccomp.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Since Linux 6.2, which is newer than some headers. */
#ifndef LANDLOCK_ACCESS_FS_TRUNCATE
#define LANDLOCK_ACCESS_FS_TRUNCATE (1ULL << 14)
#endif

enum {
    ABI_REFER = 2,
    ABI_TRUNCATE = 3,
};

static const uint64_t of_first_abi = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;
static const uint64_t of_files =
    LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_TRUNCATE;
static const uint64_t reading = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
/* The output is first written to another file in its directory, and then renamed. */
static const uint64_t writing = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_TRUNCATE |
                                LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_REMOVE_FILE;

/* System calls that a reader of captures does not need, but an attacker would. */
static const int refused[] = {
    /* programs, and other processes */
    SCMP_SYS(execve), SCMP_SYS(execveat), SCMP_SYS(fork), SCMP_SYS(vfork), SCMP_SYS(ptrace), SCMP_SYS(kill),
    SCMP_SYS(tkill), SCMP_SYS(process_vm_readv), SCMP_SYS(process_vm_writev), SCMP_SYS(pidfd_open),
    SCMP_SYS(pidfd_getfd), SCMP_SYS(pidfd_send_signal), SCMP_SYS(kcmp),
    /* networking */
    SCMP_SYS(socket), SCMP_SYS(socketpair), SCMP_SYS(connect), SCMP_SYS(bind), SCMP_SYS(listen), SCMP_SYS(accept),
    SCMP_SYS(accept4), SCMP_SYS(sendto), SCMP_SYS(sendmsg), SCMP_SYS(sendmmsg),
    /* ways past other limits */
    SCMP_SYS(io_uring_setup), SCMP_SYS(io_uring_enter), SCMP_SYS(io_uring_register), SCMP_SYS(bpf),
    SCMP_SYS(perf_event_open), SCMP_SYS(userfaultfd), SCMP_SYS(name_to_handle_at), SCMP_SYS(open_by_handle_at),
    SCMP_SYS(unshare), SCMP_SYS(setns), SCMP_SYS(chroot), SCMP_SYS(pivot_root), SCMP_SYS(mount), SCMP_SYS(umount2),
    SCMP_SYS(open_tree), SCMP_SYS(move_mount), SCMP_SYS(fsopen), SCMP_SYS(fsmount), SCMP_SYS(mount_setattr),
    SCMP_SYS(add_key), SCMP_SYS(request_key), SCMP_SYS(keyctl), SCMP_SYS(init_module), SCMP_SYS(finit_module),
    SCMP_SYS(delete_module), SCMP_SYS(kexec_load), SCMP_SYS(reboot), SCMP_SYS(swapon), SCMP_SYS(swapoff),
    SCMP_SYS(personality), SCMP_SYS(quotactl),
    /* attributes of other files, which Landlock does not protect */
    SCMP_SYS(chmod), SCMP_SYS(fchmodat), SCMP_SYS(chown), SCMP_SYS(lchown), SCMP_SYS(fchown), SCMP_SYS(fchownat),
    SCMP_SYS(setxattr), SCMP_SYS(lsetxattr), SCMP_SYS(fsetxattr), SCMP_SYS(utimensat)};

/* ---- files ---- */

struct rules {
    int fd;
    uint64_t handled;
};

static int create_ruleset(const struct landlock_ruleset_attr *attr, size_t size, uint32_t flags)
{
    return (int)syscall(SYS_landlock_create_ruleset, attr, size, flags);
}

/* False: the kernel rejects the rule; then nothing may be forbidden. */
static bool allow(const struct rules *rules, const char *path, uint64_t rights)
{
    struct landlock_path_beneath_attr rule = {.parent_fd = open(path, O_PATH | O_CLOEXEC)};
    struct stat is;
    bool told;

    if (rule.parent_fd < 0)
        return true; /* opening the file will fail for the same reason */
    rule.allowed_access = rights & rules->handled;
    if (fstat(rule.parent_fd, &is) != 0 || !S_ISDIR(is.st_mode))
        rule.allowed_access &= of_files;
    told = rule.allowed_access == 0 ||
           syscall(SYS_landlock_add_rule, rules->fd, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0 ||
           errno == EBADFD; /* a pipe or socket named in /proc, which Landlock does not restrict */
    close(rule.parent_fd);
    return told;
}

static bool allow_output(const struct rules *rules, const char *path)
{
    gchar *place = output_file_place(path);
    bool told = !place || allow(rules, place, writing);

    g_free(place);
    return told;
}

static bool allow_all(const struct rules *rules, const struct confine_to *to)
{
    bool told = !to->scratch || allow(rules, to->scratch, reading | writing);

    for (char *const *input = to->inputs; input && *input; input++)
        told = told && allow(rules, *input, reading);
    for (char *const *output = to->outputs; output && *output; output++)
        told = told && allow_output(rules, *output);
    return told;
}

static void confine_files(const struct confine_to *to)
{
    int abi = create_ruleset(NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    struct rules rules = {.handled = of_first_abi};
    struct landlock_ruleset_attr attr;

    if (abi < 1)
        return;
    rules.handled |= abi >= ABI_REFER ? LANDLOCK_ACCESS_FS_REFER : 0;
    rules.handled |= abi >= ABI_TRUNCATE ? LANDLOCK_ACCESS_FS_TRUNCATE : 0;
    attr = (struct landlock_ruleset_attr){.handled_access_fs = rules.handled};
    rules.fd = create_ruleset(&attr, sizeof attr, 0);
    if (rules.fd < 0)
        return;
    if (allow_all(&rules, to))
        (void)!syscall(SYS_landlock_restrict_self, rules.fd, 0);
    close(rules.fd);
}

/* ---- system calls ---- */

static void confine_calls(void)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);

    if (!filter)
        return;
    /* Calls fail, even with another architecture's numbers: no process is killed, and no report lost. */
    (void)seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(EPERM));
    (void)seccomp_attr_set(filter, SCMP_FLTATR_CTL_SSB, 1); /* otherwise old kernels slow down filtered processes */
    for (size_t i = 0; i < G_N_ELEMENTS(refused); i++)
        (void)seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), refused[i], 0); /* some architectures lack some calls */
    (void)seccomp_load(filter);
    seccomp_release(filter);
}

void confine(const struct confine_to *to)
{
    if (!IWARP_CONFINE)
        return;
    /* glibc loads the converter for the user's character set on first use. */
    g_free(g_locale_to_utf8("", 0, NULL, NULL, NULL));
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return;
    confine_files(to);
    confine_calls();
}
