// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/mpa/headers.h"

#include "engine/packet/steady_clock.h"
#include "wire/octets.h"

#include <epan/dissectors/packet-ip.h>
#include <epan/exceptions.h>
#include <epan/ipproto.h>

enum {
    HEADER_MIN = 20,
    OPTION_END = 0,
    OPTION_NOP = 1,
    OPTION_MSS = 2,
    OPTION_SCALE = 3,
    OPTION_SACK_PERMITTED = 4,
    SCALE_ABSENT = 255,
    IP_DF = 0x4000,
    IP_FRAGMENT = 0x3fff, /* More Fragments, and the offset */
};

static dissector_handle_t owner; /* of TCP segments; NULL: we are not asked */
static dissector_handle_t ours;
static mpa_after_tcp after_tcp;

static struct mpa_header *current; /* NULL: none is being dissected */
static struct steady_clock steady;
static uint32_t clock_frame; /* the latest whose time was taken */
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

static void take_option(struct tcp_segment *segment, const uint8_t *p)
{
    switch (p[0]) {
    case OPTION_MSS:
        if (p[1] == 4)
            segment->mss = get_be16(p + 2);
        break;
    case OPTION_SCALE:
        if (p[1] == 3)
            segment->window_scale = p[2];
        break;
    case OPTION_SACK_PERMITTED:
        segment->sack_permitted = true;
        break;
    default:
        break;
    }
}

static void take_options(struct tcp_segment *segment, const uint8_t *p, const uint8_t *end)
{
    while (p < end && *p != OPTION_END) {
        if (*p == OPTION_NOP) {
            p++;
            continue;
        }
        if (end - p < 2 || p[1] < 2 || p[1] > end - p)
            return;
        take_option(segment, p);
        p += p[1];
    }
}

/* What the IP dissector passes to the next one. */
static void take_ip(struct tcp_segment *segment, void *ip)
{
    const ws_ip4 *ip4 = WS_IP4_PTR(ip);

    segment->df = !ip4 || ip4->ip_off & IP_DF;
    segment->fragmented = ip4 && ip4->ip_off & IP_FRAGMENT;
}

static bool take_header(struct mpa_header *header, tvbuff_t *tvb, packet_info *pinfo, void *ip)
{
    struct tcp_segment *segment = &header->segment;
    unsigned captured = tvb_captured_length(tvb), length = tvb_reported_length(tvb), size;
    const uint8_t *p;

    if (captured < HEADER_MIN)
        return false;
    p = tvb_get_ptr(tvb, 0, (int)captured);
    size = (p[12] >> 4) * 4u;
    if (size < HEADER_MIN || size > captured)
        return false;
    *header = (struct mpa_header){.port = {get_be16(p), get_be16(p + 2)}};
    *segment = (struct tcp_segment){.frame = pinfo->num,
                                    .time_ns = mpa_headers_time(pinfo),
                                    .flags = p[13] & (TCP_FIN | TCP_SYN | TCP_RST | TCP_PSH | TCP_ACK),
                                    .window = get_be16(p + 14),
                                    .window_scale = SCALE_ABSENT,
                                    .seq = get_be32(p + 4),
                                    .ack = get_be32(p + 8),
                                    .length = length - size,
                                    .captured = captured - size,
                                    .payload = p + size};
    if (segment->flags & TCP_SYN)
        take_options(segment, p + HEADER_MIN, p + size);
    take_ip(segment, ip);
    return true;
}

static int dissect(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *ip)
{
    struct mpa_header header, *outer = current;
    bool known = !pinfo->flags.in_error_pkt && take_header(&header, tvb, pinfo, ip);
    volatile int n = 0;

    current = known ? &header : NULL;
    /* What is wrong with a packet makes it leave this function. */
    TRY
    {
        n = call_dissector_only(owner, tvb, pinfo, tree, ip);
    }
    FINALLY
    {
        current = outer;
    }
    ENDTRY;
    /* Afterwards the addresses may be those of a packet in this one. */
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
    /* Of no protocol: frame.protocols has what it had. */
    ours = create_dissector_handle_with_name_and_description(dissect, -1, "mpa.tcp", "TCP, with its headers for MPA");
}

void mpa_headers_handoff(void)
{
    owner = dissector_get_default_uint_handle("ip.proto", IP_PROTO_TCP);
    if (owner) /* the user may choose it again, or another one, by "Decode As" */
        dissector_add_uint("ip.proto", IP_PROTO_TCP, ours);
}
