/* SPDX-License-Identifier: GPL-2.0-or-later */
/* There is no terminal, and hence no width: ioctl() fails. */
#ifndef IWARP_WEB_SYS_IOCTL_H
#define IWARP_WEB_SYS_IOCTL_H

#include_next <sys/ioctl.h>

#define TIOCGWINSZ 0x5413

struct winsize {
    unsigned short ws_row, ws_col, ws_xpixel, ws_ypixel;
};

#endif
