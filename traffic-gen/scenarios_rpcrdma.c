// SPDX-License-Identifier: GPL-2.0-or-later
/* Conforming conversations of RPC-over-RDMA version 1 as scripts (rpc_script.h): RFC 8166, RFC 8167, RFC 8797. */
#include "traffic-gen/scenario.h"

/* One Call alone first: a requester has a single credit until its first Reply (RFC 8166 section 3.3.2). */
#define FIRST "I call nfs3.null; R reply; "

static const struct scenario scenarios[] = {
    {.name = "rpcrdma",
     .summary = "NFSv3 with every form of message: inline, Read and Write chunks, Long Call, Long Reply",
     .script = "with rpcrdma; " FIRST "I call nfs3.getattr; R reply;"
               "I call nfs3.read count=8192 write=4096+4096; R reply; I call nfs3.write len=8192 read; R pull; R reply;"
               "I call nfs3.setattr pz; R pull; R reply;"
               "I call nfs3.readdir count=16384 reply=16384; R reply entries=200"},
    {.name = "rpcrdma-lengths",
     .summary = "bulk data of all kinds of length; READs that come short",
     .script =
         "with rpcrdma; " FIRST "I call nfs3.write len=1 read; R pull; R reply;"
         "I call nfs3.write len=1021 read; R pull; R reply; I call nfs3.write len=1022 read; R pull; R reply;"
         "I call nfs3.write len=1023 read=512+rest; R pull; R reply; I call nfs3.write len=3 read=2+rest; R pull;"
         "R reply; I call nfs3.write len=0; R reply; I call nfs3.write len=1001; R reply;"
         "I call nfs3.read count=1 write; R reply; I call nfs3.read count=1023 write; R reply;"
         "I call nfs3.read count=4096 write=4096; R reply len=1001 eof=1; I call nfs3.read count=4096 write=1000+3096;"
         "R reply len=1000 eof=1; I call nfs3.read count=4096 write=4000+96; R reply len=4095 eof=1;"
         "I call nfs3.read count=4096 write; R reply len=0 eof=1; I call nfs3.read count=1001; R reply;"
         "I call nfs3.read count=0; R reply; I call nfs3.read count=6 write=8192; R reply"},
    {.name = "rpcrdma-segments",
     .summary = "chunks of many segments, moved in many operations, in any order",
     .script =
         "with rpcrdma; " FIRST
         "I call nfs3.write len=16384 read=1024+1024+1024+1024+1024+1024+1024+1024+1024+1024+1024+1024+1024+1024+1024"
         "+rest; R pull; R reply;"
         "I call nfs3.read count=16384 write=1024+1024+1024+1024+1024+1024+1024+1024+1024+1024+1024+1024+1024+1024+1024"
         "+1024; R reply; I call nfs3.write len=20000 read; R pull parts=4096; R reply;"
         "I call nfs3.read count=20000 write=7000+13000; R reply parts=3000;"
         "I call nfs3.read count=9000 write=3000+3000+3000; R reply backward;"
         "I call nfs3.write len=70000 read=65536+rest; R pull; R reply; I call nfs3.read count=70000 write=65536+4464;"
         "R reply; I call nfs3.readdir reply=1000+3000+100+5000; R reply entries=150"},
    {.name = "rpcrdma-long",
     .summary = "Long Calls and Long Replies, alone and together with data chunks, as one and as several segments",
     .script =
         "with rpcrdma; " FIRST "I call nfs3.symlink len=1000 pz; R pull; R reply;"
         "I call nfs3.symlink len=1001 pz=100+600+rest; R pull; R reply; I call nfs3.write len=8192 read pz; R pull;"
         "R reply; I call nfs3.write len=4095 read=1000+rest pz=100+rest; R pull; R reply;"
         "I call nfs3.write len=6000 pz; R pull; R reply; I call nfs3.write len=4094 read pz pz-last; R pull; R reply;"
         "I call nfs3.readdir count=8192 pz reply; R pull; R reply;"
         "I call nfs3.readdirplus maxcount=32768 reply=32768; R reply entries=100;"
         "I call nfs3.readdirplus maxcount=32768 reply=16384+16384; R reply entries=120;"
         "I call nfs3.readdirplus maxcount=8192 pz=60+rest reply=8192+8192; R pull; R reply entries=40"},
    {.name = "rpcrdma-unused",
     .summary = "chunks that come back unused: failed READs, results that fit inline, errors of RPC",
     .script =
         "with rpcrdma; " FIRST "I call nfs3.read count=4096 write; R reply status=5;"
         "I call nfs3.read count=8192 write=4096+4096; R reply status=70; I call nfs3.readdir reply=8192; R reply;"
         "I call nfs3.readdir reply=4096+4096; R reply status=10003;"
         " I call nfs3.read count=100 write; R reply denied;"
         "I call nfs3.read count=100 write; R reply accept=5; I call nfs3.readdir count=8192 reply; R reply accept=5; "
         "I call nfs3.write len=2000 read; R reply "
         "denied;"
         "I call nfs3.null; R reply accept=3; I call nfs3.null; R reply accept=2 low=2 high=4;"
         "I call nfs3.null; R reply denied reject=0 low=2 high=2; I call nfs3.read count=4096 write; R reply len=0"},
    {.name = "rpcrdma-credits",
     .summary = "credits granted: 1, then 32, then 4, then 16",
     .script = "with rpcrdma; I call nfs3.getattr; R reply credit=1; I call nfs3.getattr; R reply credit=32;"
               "I 32* call nfs3.getattr; R 31* reply; R reply credit=4; I 4* call nfs3.getattr; R 2* reply credit=4;"
               "I 2* call nfs3.getattr credit=16; R 4* reply credit=16; I 16* call nfs3.getattr; R 16* reply"},
    {.name = "rpcrdma-flight",
     .summary = "many Calls in flight, their Replies in another order, data of several of them interleaved",
     .script =
         "with rpcrdma; " FIRST
         "I call nfs3.read count=3000 write; I call nfs3.write len=5000 read; I call nfs3.getattr;"
         "I call nfs3.read count=4000 write; I call nfs3.write len=6000 read; I call nfs3.readdir reply; R reply of=2;"
         "R pull of=3; R reply of=2; R reply of=2; R pull; R reply of=1; R reply of=1 long; R reply;"
         "I 8* call nfs3.read count=2048 write=1024+1024; R reply of=7; R reply of=3; R 6* reply"},
    {.name = "rpcrdma-again",
     .summary = "a connection breaks; the Calls without a Reply are sent again on another one with new STags",
     .script = "with rpcrdma; " FIRST
               "I call nfs3.write len=5000 read; I call nfs3.read count=3000 write; R pull; R rst; next;"
               "I again; R pull; R reply; I again; R reply; I call nfs3.getattr; R reply"},
    {.name = "rpcrdma-invalidate",
     .summary = "Replies by Send with Invalidate",
     .script =
         "with rpcrdma; " FIRST
         "I call nfs3.read count=4096 write; R reply inv; I call nfs3.write len=5000 read; R pull;"
         "R reply inv se; I call nfs3.readdir reply; R reply long inv; I call nfs3.getattr; R reply;"
         "I call nfs3.read count=4096 write=2048+2048; R reply inv; I call nfs3.write len=4096 read=4000+96; R pull;"
         "R reply inv"},
    {.name = "rpcrdma-solicited",
     .summary = "Sends with Solicited Event",
     .script = "with rpcrdma; I call nfs3.null se; R reply se; I call nfs3.write len=3000 read se; R pull; R reply se"},
    {.name = "rpcrdma-both-directions",
     .summary = "Calls of both sides with the same XIDs, also at the same time",
     .script = "with rpcrdma; I call nfs41.compound ops=exchange_id; R reply; I call nfs41.compound ops=create_session;"
               "R reply; I call nfs3.null xid=0x100; R reply; R call cb41.null xid=0x100; I reply;"
               "I call nfs3.getattr xid=0x101; R call cb41.null xid=0x101; I reply; R reply;"
               "I call nfs3.read xid=0x102 count=4096 write; R call cb41.null xid=0x102; R reply; I reply"},
    {.name = "rpcrdma-credits-apart",
     .summary = "credits of both directions: what is granted to the client does not change with the server's Calls",
     .script = "with rpcrdma; I call nfs41.null; R reply; I call nfs41.compound ops=exchange_id; R reply;"
               "I call nfs41.compound ops=create_session; R reply; R call cb41.null; I reply credit=2;"
               "R call cb41.null; I call nfs41.null; R reply; R call cb41.null; I call nfs41.null; R reply; I reply;"
               "I call nfs41.null; R reply; I reply; I call nfs41.null; R reply; R 2* call cb41.null;"
               "I call nfs41.null; R reply; I 2* reply; I call nfs41.null; R reply; R call cb41.null;"
               "I call nfs41.null; R reply; I reply; I 2* call nfs41.null; R 2* reply"},
    {.name = "rpcrdma-default-inline",
     .summary = "no Private Data: thresholds of 1024 octets",
     .script =
         "with rpcrdma no-private-data; " FIRST "I call nfs3.write len=800; R reply; I call nfs3.write len=1000 read;"
         "R pull; R reply; I call nfs3.symlink len=1000 pz; R pull; R reply; I call nfs3.read count=700; R reply;"
         "I call nfs3.read count=1024 write; R reply; I call nfs3.readdir reply; R reply entries=60"},
    {.name = "rpcrdma-one-private-data",
     .summary = "only one side gives Private Data: thresholds of 1024 octets, no remote invalidation",
     .script =
         "with rpcrdma no-pdR; " FIRST "I call nfs3.read count=1024 write; R reply; I call nfs3.write len=1024 read;"
         "R pull; R reply; next; " FIRST "I call nfs3.readdir reply; R reply entries=60"},
    {.name = "rpcrdma-large-inline",
     .summary = "thresholds of 16 KiB one way, 8 KiB the other: Sends of many DDP segments",
     .script = "with rpcrdma inline=16384 pdR@6=7; " FIRST
               "I call nfs3.write len=16000; R reply; I call nfs3.read count=8000;"
               "R reply; I call nfs3.write len=3000; I call nfs3.read count=6000; R reply; R reply;"
               "I call nfs3.readdirplus maxcount=8192 reply; R reply entries=30"},
    {.name = "rpcrdma-private-data",
     .summary = "Private Data with other sizes, without remote invalidation, and with reserved flags",
     .script =
         "with rpcrdma pdI@6=0 pdI@7=255 pdR@6=255 pdR@7=1 r=0; " FIRST "I call nfs3.read count=4096 write; R reply;"
         "I call nfs3.write len=800; R reply; next; " FIRST "I call nfs3.getattr; R reply"},
    {.name = "rpcrdma-port",
     .summary = "another port than 20049",
     .script = "with rpcrdma port=2049; " FIRST "I call nfs3.read count=4096 write; R reply; I call nfs3.write len=100;"
               "R reply"},
    {.name = "rpcrdma-late",
     .summary = "a capture that begins in the middle",
     .script = "with rpcrdma late msn=500; " FIRST "I call nfs3.read count=5000 write; R reply;"
               "I call nfs3.write len=5000 read; R pull; R reply; I 3* call nfs3.getattr; R 3* reply"},
    {.name = "rpcrdma-late-reply",
     .summary = "a capture that begins between Calls and their Replies",
     .script = "with rpcrdma; I hide; " FIRST "I call nfs3.read count=5000 write; I call nfs3.write len=3000 read;"
               "I call nfs3.readdir reply; I show; R reply; R pull; R reply; R reply long; " FIRST},
    {.name = "rpcrdma-hole",
     .summary = "a Call and a Reply that the capture has missed",
     .script =
         "with rpcrdma; " FIRST "I call nfs3.getattr; R reply; I hide; I call nfs3.getattr; I show; R reply;"
         "I call nfs3.read count=4096 write; I hide; R reply; I show; I call nfs3.getattr; R reply; I call nfs3.write"
         " len=100; R reply"},
    {.name = "rpcrdma-small-segments",
     .summary = "everything in DDP segments of 128 octets",
     .script = "with rpcrdma mulpdu=128 mss=140; " FIRST "I call nfs3.read count=2000 write=1000+1000; R reply;"
               "I call nfs3.write len=2001 read; R pull; R reply; I call nfs3.symlink len=500 pz; R pull; R reply;"
               "I call nfs3.write len=1000; R reply"},
    /* What RFC 5666 allowed and RFC 8166 took away: judged by its profile only. */
    {.name = "old-read-read",
     .summary = "RFC 5666: results in Read chunks, whole Replies as well, and RDMA_DONE",
     .script = "with rpcrdma; " FIRST "I call nfs3.read count=3000; R reply read; I pull; I done;"
               "I call nfs3.read count=3000; R reply read=1000+rest; I pull; I done; I call nfs3.readdir; R reply"
               " entries=100 pz; I pull; I done; I call nfs3.getattr; R reply"},
    {.name = "old-msgp",
     .summary = "RFC 5666: RDMA_MSGP, WRITE data aligned in the receive buffer",
     .script = "with rpcrdma; " FIRST "I call nfs3.write len=2000 h.proc=2 h.align=512 h.thresh=1000; R reply;"
               "I call nfs3.write len=2001 h.proc=2 h.align=1024 h.thresh=1024; R reply;"
               "I call nfs3.write len=100 h.proc=2 h.align=256 h.thresh=64; R reply"},
    {.name = "old-zero-chunk",
     .summary = "RFC 5666: a Write chunk of length 0 asks for an inline result",
     .script = "with rpcrdma; " FIRST "I call nfs3.read count=1000 write=0; R reply inline;"
               "I call nfs3.readlink write=0; R reply inline;"
               "I call nfs3.read count=1000 write; R reply status=5; I call nfs3.getattr; R reply"},
    {.name = "old-credits",
     .summary = "RFC 5666: no credits are granted while a Call is in progress",
     .script =
         "with rpcrdma; " FIRST "I 2* call nfs3.getattr; R reply credit=0; R reply credit=8; I 8* call nfs3.getattr;"
         "R 8* reply credit=8"},
    {.name = "old-roundup",
     .summary = "RFC 5666: chunks that include the roundup",
     .script = "with rpcrdma; " FIRST "I call nfs3.read count=1021 write=1024; R reply pad; I call nfs3.read count=1024"
               " write; R reply pad; I call nfs3.write len=1022 read pad; R pull; R reply;"
               "I call nfs3.write len=3 read=2+rest pad; R pull; R reply"},
    {.name = "old-long",
     .summary = "RFC 5666: Long Calls and Replies, the Position-Zero chunk first in the Read list",
     .script = "with rpcrdma; " FIRST "I call nfs3.symlink len=1000 pz; R pull; R reply; I call nfs3.write len=4001"
               " read=1000+rest pz=60+rest; R pull; R reply; I call nfs3.readdir count=8192 reply=9000; R reply"
               " entries=150"},
    {.name = "old-ccp",
     .summary = "RFC 5666: the Connection Configuration Protocol raises the inline thresholds",
     .script = "with rpcrdma no-private-data; I call ccp1.conf; R reply; I call nfs3.getattr; R reply;"
               "I call nfs3.read count=2000; R reply; I call nfs3.write len=3000; R reply;"
               "I call nfs3.write len=9000 read=4000+rest; R pull; R reply"},
    {.name = "old-done",
     .summary = "RFC 5666: no credit is granted while RDMA_DONE is awaited, as another Call is in progress",
     .script = "with rpcrdma; " FIRST "I call nfs3.read count=2000; I call nfs3.getattr; R reply read credit=0; I pull;"
               "R reply credit=8; I done back=1; I 2* call nfs3.getattr; R reply credit=8; R reply credit=8"},
};

const struct scenario_table rpcrdma_scenarios = {scenarios, sizeof(scenarios) / sizeof(scenarios[0])};
