// SPDX-License-Identifier: GPL-2.0-or-later
#include "lab/target/trouble.h"

#include <errno.h>
#include <infiniband/verbs.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static const char cm_path[] = "/dev/infiniband/rdma_cm";

void target_trouble_say(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    fputs("iwarp-target: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

void trouble_system(const char *what)
{
    const int number = errno;
    struct rlimit locked;

    target_trouble_say("%s: %s", what, strerror(number));
    if ((number == ENOMEM || number == EPERM) && getrlimit(RLIMIT_MEMLOCK, &locked) == 0 &&
        locked.rlim_cur != RLIM_INFINITY)
        target_trouble_say("registered memory is locked, and this process may lock only %lu KiB: raise the limit with "
                           "ulimit -l, in /etc/security/limits.conf, or with LimitMEMLOCK= of systemd",
                           (unsigned long)locked.rlim_cur / 1024);
}

bool trouble_device(void)
{
    int n = 0, iwarp = 0;
    struct ibv_device **devices = ibv_get_device_list(&n);

    for (int i = 0; devices && i < n; i++)
        iwarp += devices[i]->transport_type == IBV_TRANSPORT_IWARP;
    if (devices)
        ibv_free_device_list(devices);
    if (iwarp == 0) {
        target_trouble_say(n ? "none of the %d RDMA devices supports iWARP" : "no RDMA device", n);
        target_trouble_say(
            "load the driver of the device; for soft-iWARP: modprobe siw; rdma link add siw0 type siw netdev eth0");
        return false;
    }
    if (access(cm_path, R_OK | W_OK) != 0) {
        target_trouble_say("%s: %s%s", cm_path, strerror(errno), errno == ENOENT ? "; modprobe rdma_ucm" : "");
        return false;
    }
    return true;
}
