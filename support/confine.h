/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What reads hostile octets needs few files, and no program, network or other process: the kernel refuses the rest. */
#ifndef IWARP_SUPPORT_CONFINE_H
#define IWARP_SUPPORT_CONFINE_H

struct confine_to {
    char *const *inputs;  /* NULL-terminated: files that will be opened, directories whose files will be; NULL: none */
    char *const *outputs; /* likewise: as output_file_open() takes them */
    const char *scratch;  /* directory for temporary files; NULL: none */
};

/*
 * From here on the thread, and those that it starts, can open nothing else (Landlock), nor run programs, use sockets
 * anew or touch other processes (seccomp); what is open stays so. A kernel that lacks one of the two does without it,
 * and says nothing. For the first thread, before there are others.
 */
void confine(const struct confine_to *to);

#endif
