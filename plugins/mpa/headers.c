// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/mpa/headers.h"

#include "engine/packet/steady_clock.h"
#include "engine/packet/tcp_header.h"
#include "wire/octets.h"

#include <epan/dissectors/packet-ip.h>
#include <epan/exceptions.h>
#include <epan/ipproto.h>

enum {
    IP_DF = 0x4000,
    IP_FRAGMENT = 0x3fff, /* More Fragments, and the offset */
};

static dissector_handle_t owner; /* of TCP segments; NULL: Wireshark does not ask us */
static dissector_handle_t ours;
static mpa_after_tcp after_tcp;

static struct mpa_header *current; /* NULL: no segment is being dissected */
static struct steady_clock steady;
static uint32_t clock_frame; /* the latest frame whose time was taken */
static int64_t clock_ns;

static int64_t stamp(const packet_info *pinfo)
{
    return (int64_t)pinfo->abs_ts.secs * 1000000000 + pinfo->abs_ts.nsecs;
}

int64_t mpa_headers_time(const packet_info *pinfo)
{
    if (PINFO_FD_VISITED(pinfo))
        return stamp(pinfo);
    if (clock_frame != pinfo->num) {
        clock_frame = pinfo->num;
        clock_ns = steady_clock_take(&steady, pinfo->num, stamp(pinfo));
    }
    return clock_ns;
}

int64_t mpa_headers_end(void)
{
    return clock_ns;
}

struct mpa_header *mpa_tcp_header(const packet_info *pinfo)
{
    return current && current->segment.frame == pinfo->num && current->port[0] == pinfo->srcport &&
                   current->port[1] == pinfo->destport
               ? current
               : NULL;
}

/* ---- the header ---- */

/* Takes what the IP dissector passes on. */
static void take_ip(struct tcp_segment *segment, void *ip)
{
    const ws_ip4 *ip4 = WS_IP4_PTR(ip);

    segment->df = !ip4 || ip4->ip_off & IP_DF;
    segment->fragmented = ip4 && ip4->ip_off & IP_FRAGMENT;
}

static bool headers_take_header(struct mpa_header *header, tvbuff_t *tvb, packet_info *pinfo, void *ip)
{
    struct tcp_segment *segment = &header->segment;
    unsigned captured = tvb_captured_length(tvb);
    const uint8_t *p;

    if (captured < TCP_HEADER_MIN)
        return false;
    p = tvb_get_ptr(tvb, 0, (int)captured);
    *header = (struct mpa_header){.port = {get_be16(p), get_be16(p + 2)}};
    if (!tcp_header_read(segment, p, captured, tvb_reported_length(tvb)))
        return false;
    segment->frame = pinfo->num;
    segment->time_ns = mpa_headers_time(pinfo);
    take_ip(segment, ip);
    return true;
}

static int headers_dissect(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *ip)
{
    struct mpa_header header, *outer = current;
    volatile bool known = !pinfo->flags.in_error_pkt && headers_take_header(&header, tvb, pinfo, ip);
    volatile int n = 0;

    current = known ? &header : NULL;
    /* An exception for a malformed packet leaves this function. */
    TRY
    {
        n = call_dissector_only(owner, tvb, pinfo, tree, ip);
    }
    FINALLY
    {
        current = outer;
    }
    ENDTRY;
    /* By now the addresses may be those of an encapsulated packet. */
    if (known && n > 0 && header.port[0] == pinfo->srcport && header.port[1] == pinfo->destport)
        after_tcp(&header, tvb, pinfo, tree);
    return n;
}

/* ---- life ---- */

void mpa_headers_forget(void)
{
    steady = (struct steady_clock){.started = false};
    clock_frame = 0;
    clock_ns = 0;
    current = NULL;
}

void mpa_headers_register(mpa_after_tcp after)
{
    after_tcp = after;
    /* Has no protocol, so frame.protocols is the same as without this. */
    ours = create_dissector_handle_with_name_and_description(headers_dissect, -1, "mpa.tcp",
                                                             "TCP, with its headers for MPA");
}

void mpa_headers_handoff(void)
{
    owner = dissector_get_default_uint_handle("ip.proto", IP_PROTO_TCP);
    if (owner) /* lets the user choose it again, or another one, by "Decode As" */
        dissector_add_uint("ip.proto", IP_PROTO_TCP, ours);
}
