// SPDX-License-Identifier: GPL-2.0-or-later
#include "tap/extcap.h"

#include <stdio.h>
#include <string.h>

enum { LINKTYPE_ETHERNET = 1 };
#define INTERFACE "iwarp-kernel"

bool extcap_is_interface(const char *name)
{
    return strcmp(name, INTERFACE) == 0;
}

void extcap_say_interfaces(void)
{
    puts("extcap {version=" IWARP_KIT_VERSION "}{help=file:///usr/share/doc/iwarp-kit-doc/docs/howto/capture.md}\n"
         "interface {value=" INTERFACE "}{display=NFS over RDMA in this kernel}");
}

void extcap_say_link_type(void)
{
    printf("dlt {number=%d}{name=EN10MB}{display=Ethernet}\n", LINKTYPE_ETHERNET);
}

void extcap_say_dialog(void)
{
    puts(
        "arg {number=0}{call=--peer}{display=Peer}{tooltip=Only connections with this IPv4 or IPv6 address}"
        "{type=string}\n"
        "arg {number=1}{call=--port}{display=Port}{tooltip=Only connections of this port, at either end}{type=string}\n"
        "arg {number=2}{call=--headers}{display=No file data}{tooltip=Headers and arguments, but no file data}"
        "{type=boolflag}{default=false}\n"
        "arg {number=3}{call=--snap}{display=Snap length}{tooltip=The first octets of each packet; 0: all}"
        "{type=integer}{range=0,262144}{default=0}");
}
