/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's descriptions of its types (BTF), and those of a module, which continue them: numbers of types and
 * places of names go on where the kernel's end. libbpf puts both together only for CAP_SYS_ADMIN, as it asks the kernel
 * for each module; the files in /sys/kernel/btf are for everybody.
 */
#ifndef IWARP_TAP_TYPES_H
#define IWARP_TAP_TYPES_H

/*
 * A file with both, in memory: its descriptor, which the caller closes. -1 with errno set: one of them cannot be read,
 * or has wrong contents (EPROTO).
 */
int types_join(const char *kernel, const char *module);

#endif
