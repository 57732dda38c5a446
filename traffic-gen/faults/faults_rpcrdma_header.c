// SPDX-License-Identifier: GPL-2.0-or-later
/* Faults of single Transport headers and of RDMA_ERROR: RFC 8166 sections 3.2, 3.5, 4.1, 4.2, 4.5 and 4.6. */
#include "traffic-gen/faults/fault_rows.h"

#define FIRST "with rpcrdma; " TALKED
#define END   "; I call nfs3.access; R reply"
/* What a conforming peer does about it, and both go on. */
#define REFUSED     "; R error chunk" END
#define UNSUPPORTED "; R error vers=1..1" END
/* A Reply that its receiver passes over; the right one follows. */
#define ANEW "; R reply back=0" END

#define HEADER(id, summary, script) SCRIPT("rpcrdma", id, NULL, summary, FIRST script)
/* RDMA_ERROR in answer to a Call of another version, which is a finding of its own. */
#define VERSION(id, summary, script)                                                                                   \
    SCRIPT("rpcrdma", id, "RPCR-4.2.2-01", summary, FIRST "I call nfs3.null h.vers=2; " script END)

#define NO_LISTS       "I call nfs3.getattr "
#define READ_LIST      "I call nfs3.write len=4096 read "
#define READ_LIST_OF_2 "I call nfs3.write len=4096 read=4000+rest "
#define WRITE_LIST     "I call nfs3.read count=4096 write "
#define WRITE_LIST_2   "I call nfs3.read count=4096 write=2048+2048 "
#define REPLY_CHUNK    "I call nfs3.readdir count=4096 reply "
#define REPLY_CHUNK_2  "I call nfs3.readdir count=4096 reply=8192+8192 "

static const struct fault faults[] = {
    /* the RPC message after the header */
    HEADER("RPCR-2.2.2-01", "msg_type 2", NO_LISTS "rpc.type=2" END),
    HEADER("RPCR-2.2.2-01/large", "msg_type 0xffffffff", NO_LISTS "rpc.type=0xffffffff" END),
    HEADER("RPCR-3.2-03", "a word 0 between Transport header and RPC message", NO_LISTS "insert@28=00000000" REFUSED),
    HEADER("RPCR-3.2-03/filler", "four octets of filler before the XID", NO_LISTS "insert@28=A5A5A5A5" REFUSED),
    HEADER("RPCR-3.2-03/long", "16 octets between Transport header and RPC message",
           NO_LISTS "insert@28=00000000000000000000000000000000" REFUSED),
    HEADER("RPCR-3.2-03/reply", "a word 0 between the Transport header and a Reply",
           NO_LISTS "; R reply insert@28=00000000" ANEW),
    HEADER("RPCR-3.2-04", "a record mark before the RPC message",
           "I call nfs3.null cred=none insert@28=80000028" REFUSED),
    HEADER("RPCR-3.2-04/reply", "a record mark before a Reply", "I call nfs3.null; R reply insert@28=80000018" ANEW),
    HEADER("RPCR-3.5.2-02", "a WRITE with a Read list and nothing after the Transport header",
           READ_LIST "bare" REFUSED),
    HEADER("RPCR-3.5.3-02", "a Long Call whose RPC message is inline as well",
           "I call nfs3.getattr pz inline h.proc=1" REFUSED),
    HEADER("RPCR-3.5.3-02/zeros", "a Long Call with 40 octets after its Transport header",
           "I call nfs3.getattr pz grow=40" REFUSED),
    HEADER("RPCR-3.5.3-05", "a Position Zero Read chunk beside the inline RPC message",
           "I call nfs3.getattr pz inline" REFUSED),
    HEADER("RPCR-4.2.1-01", "rdma_xid is not the XID of the Call",
           "I call nfs3.getattr xid=0x77 h.xid=0x78; R error chunk xid=0x78" END),
    HEADER("RPCR-4.2.1-01/reply", "rdma_xid is not the XID of the Reply", NO_LISTS "; R reply rpc.xid+1" ANEW),
    HEADER("RPCR-4.2.4-01", "an RDMA_MSG of 28 octets", NO_LISTS "bare" REFUSED),
    HEADER("RPCR-4.2.4-01/xid", "an RDMA_MSG with nothing but the XID after its header", NO_LISTS "cut=32" REFUSED),
    HEADER("RPCR-4.2.4-01/reply", "a Reply of 28 octets", NO_LISTS "; R reply bare" ANEW),
    HEADER("RPCR-4.2.4-04", "an RDMA_NOMSG without chunks", NO_LISTS "h.proc=1 bare" REFUSED),
    HEADER("RPCR-4.3.1-03/long", "a Long Reply in a Position-Zero Read chunk of the server",
           "I call nfs3.readdir count=4096 reply xid=0x77; "
           "R raw hex=0000007700000001000000200000000100000001000000005050505000000800000000000000100000000000"
           "0000000000000000" ANEW),
    HEADER("RPCR-2.2.4-01/long", "an octet after a Long Call", "I call nfs3.getattr pz grow=1" REFUSED),
    HEADER("RPCR-2.2.4-01/error", "two octets after ERR_CHUNK", REPLY_CHUNK "; R error chunk grow=2" END),
    /* fixed words */
    HEADER("RPCR-4-01", "a Send of 16 octets that are no header", "I raw hex=9F3C77D1E0B2485A6611CCF03D8E2A94" END),
    HEADER("RPCR-4-01/short", "a Send of 8 octets", "I raw hex=5EED000100000001" END),
    HEADER("RPCR-4-01/long", "a Send of 48 octets that are no header",
           "I raw "
           "hex=9F3C77D1E0B2485A6611CCF03D8E2A949F3C77D1E0B2485A6611CCF03D8E2A949F3C77D1E0B2485A6611CCF03D8E2A94" END),
    HEADER("RPCR-4-02", "fixed words in little-endian order",
           NO_LISTS "@h4=0x01000000 @h8=0x20000000; R error vers=1..1 h.vers=0x01000000" END),
    HEADER("RPCR-4-02/proc", "rdma_proc in little-endian order", REPLY_CHUNK "@h12=0x01000000" REFUSED),
    HEADER("RPCR-4.1.2-01", "rdma_credit before rdma_vers", NO_LISTS "@h4=32 @h8=1; R error vers=1..1 h.vers=32" END),
    HEADER("RPCR-4.1.2-01/proc", "rdma_proc before rdma_credit", NO_LISTS "@h8=0 @h12=32" REFUSED),
    HEADER("RPCR-4.1.2-01/xid", "the XID after rdma_vers and rdma_credit",
           "I call nfs3.getattr xid=0x5eed0001 @h0=1 @h4=32 @h8=0x5eed0001; R error vers=1..1 xid=1 h.vers=32" END),
    HEADER("RPCR-4.1.2-02", "rdma_proc 5", NO_LISTS "h.proc=0 @h12=5" REFUSED),
    HEADER("RPCR-4.1.2-02/large", "rdma_proc 0xffffffff", NO_LISTS "@h12=0xffffffff" REFUSED),
    HEADER("RPCR-4.2.2-01", "rdma_vers 2", NO_LISTS "h.vers=2" UNSUPPORTED),
    HEADER("RPCR-4.2.2-01/zero", "rdma_vers 0", NO_LISTS "h.vers=0" UNSUPPORTED),
    HEADER("RPCR-4.2.2-01/large", "rdma_vers 0xffffffff", NO_LISTS "h.vers=0xffffffff" UNSUPPORTED),
    HEADER("RPCR-4.2.2-01/done", "rdma_vers 7 with rdma_proc 3", NO_LISTS "h.vers=7 @h12=3" UNSUPPORTED),
    HEADER("RPCR-4.2.2-01/both", "rdma_vers 7 with rdma_proc 9", NO_LISTS "h.vers=7 @h12=9" UNSUPPORTED),
    HEADER("RPCR-4.2.2-01/both-reply", "rdma_vers 7 with rdma_proc 9 in a Reply",
           NO_LISTS "; R reply h.vers=7 @h12=9" ANEW),
    HEADER("RPCR-4.2.2-01/reply", "rdma_vers 2 in a Reply", NO_LISTS "; R reply h.vers=2" ANEW),
    HEADER("RPCR-4.6.1-01", "RDMA_MSGP", "I call nfs3.write len=2000 h.proc=2 h.align=1024 h.thresh=1024" REFUSED),
    HEADER("RPCR-4.6.2-01", "RDMA_DONE", NO_LISTS "; R reply; I done" END),
    /* lists */
    HEADER("RPCR-4.1.2-03", "the Write list before the Read list",
           WRITE_LIST_2 "remove@16=4 insert@60=00000000" REFUSED),
    HEADER("RPCR-4.1.2-03/one", "a Write list of one segment before the Read list",
           WRITE_LIST "remove@16=4 insert@44=00000000" REFUSED),
    HEADER("RPCR-4.1.2-03/reply", "the Reply chunk before the lists",
           REPLY_CHUNK_2 "remove@16=8 insert@56=0000000000000000" REFUSED),
    HEADER("RPCR-4.1.2-03/swallowed", "a 1 for a read segment that is not there", NO_LISTS "; R reply @h16=1" ANEW),
    HEADER("RPCR-3.5.3-14/msg", "a Reply in the Reply chunk with rdma_proc 0",
           REPLY_CHUNK "; R reply long h.proc=0" ANEW),
    HEADER("RPCR-4.1.2-03/two", "two words for three fields", NO_LISTS "remove@24=4" REFUSED),
    HEADER("RPCR-4.1.2-04", "2 where the Read list begins", NO_LISTS "@h16=2" REFUSED),
    HEADER("RPCR-4.1.2-04/list", "2 before a read segment", READ_LIST "@h16=2" REFUSED),
    HEADER("RPCR-4.1.2-04/write", "7 where the Write list goes on", WRITE_LIST "@h44=7" REFUSED),
    HEADER("RPCR-4.1.2-04/reply", "0xffffffff before the Reply chunk", REPLY_CHUNK "@h24=0xffffffff" REFUSED),
    HEADER("RPCR-4.1.2-05", "a Read list with a leading count",
           READ_LIST_OF_2 "@h16=2 remove@40=4 remove@60=4" REFUSED),
    HEADER("RPCR-4.1.2-05/ended", "a Read list with a leading count, and a word 0 at its end",
           READ_LIST_OF_2 "@h16=2 remove@40=4" REFUSED),
    HEADER("RPCR-4.1.2-05/end", "a Read list that no word 0 ends", READ_LIST "remove@40=4" REFUSED),
    HEADER("RPCR-4.1.2-08", "a Write list like a Read list", WRITE_LIST "remove@24=4" REFUSED),
    HEADER("RPCR-4.1.2-08/two", "a Write list like a Read list, of two segments",
           "I call nfs3.read count=4096 write=4096+64 remove@24=4 insert@40=00000001" REFUSED),
    HEADER("RPCR-4.1.2-08/end", "a Write list that no word 0 ends", WRITE_LIST "remove@44=4" REFUSED),
    HEADER("RPCR-4.1.2-09", "a word 0 after the Reply chunk", REPLY_CHUNK "insert@48=00000000" REFUSED),
    HEADER("RPCR-4.1.2-09/two", "a word 0 after a Reply chunk of two segments",
           REPLY_CHUNK_2 "insert@64=00000000" REFUSED),
    HEADER("RPCR-4.1.2-09/count", "a Reply chunk without a count", REPLY_CHUNK "remove@28=4" REFUSED),
    HEADER("RPCR-4.1.2-09/long", "a word 0 after the Reply chunk of a Long Call",
           "I call nfs3.readdir count=4096 pz reply insert@72=00000000" REFUSED),
    HEADER("RPCR-4.1.2-10", "an RDMA_MSG of 24 octets", NO_LISTS "cut=24; I call nfs3.access; R reply of=1"),
    HEADER("RPCR-4.1.2-10/reply", "a Reply of 20 octets", NO_LISTS "; R reply cut=20" ANEW),
    HEADER("RPCR-4.1.2-11", "a Write chunk of 0x10000001 segments", WRITE_LIST "@h24=0x10000001" REFUSED),
    HEADER("RPCR-4.1.2-11/cut", "a Send that ends within the Write list", WRITE_LIST "cut=36" REFUSED),
    HEADER("RPCR-4.1.2-11/read", "a Send that ends within the Read list", READ_LIST_OF_2 "cut=48" REFUSED),
    HEADER("RPCR-4.1.2-11/reply", "a Reply chunk of 100 segments in a Reply",
           REPLY_CHUNK "; R reply long @h28=100" ANEW),
    HEADER("RPCR-3.4.6-01", "a Write chunk with a segment less than its count", WRITE_LIST_2 "@h24=3" REFUSED),
    HEADER("RPCR-3.4.6-01/more", "a Write chunk with a segment more than its count", WRITE_LIST_2 "@h24=1" REFUSED),
    HEADER("RPCR-3.4.6-01/reply", "a Reply chunk with a segment less than its count", REPLY_CHUNK_2 "@h28=3" REFUSED),
    HEADER("RPCR-3.4.6-03", "a Position in the segment of a Write chunk", WRITE_LIST "insert@28=00000000" REFUSED),
    HEADER("RPCR-3.4.6-03/reply", "a Position in the segment of a Reply chunk",
           REPLY_CHUNK "insert@32=00000000" REFUSED),
    HEADER("RPCR-3.4.6-03/two", "Positions in two segments of a Reply chunk",
           REPLY_CHUNK_2 "insert@48=00000000 insert@32=00000000" REFUSED),
    /* RDMA_ERROR */
    HEADER("RPCR-4.1.2-13", "rdma_err 0", REPLY_CHUNK "; R error h.err=0" ANEW),
    HEADER("RPCR-4.1.2-13/large", "rdma_err 99", REPLY_CHUNK "; R error h.err=99" ANEW),
    VERSION("RPCR-4.1.2-14", "ERR_VERS of 20 octets", "R error vers=1..1 cut=20"),
    VERSION("RPCR-4.1.2-14/order", "rdma_vers_low above rdma_vers_high", "R error vers=2..1"),
    VERSION("RPCR-4.1.2-14/long", "ERR_VERS of 32 octets", "R error vers=1..1 grow=4"),
    HEADER("RPCR-4.1.2-15", "ERR_CHUNK with three empty lists", REPLY_CHUNK "; R error chunk grow=12" END),
    HEADER("RPCR-4.2.4-06", "a Reply after an RDMA_ERROR",
           REPLY_CHUNK "xid=0x77; R error chunk insert@20=000000770000000100000000000000000000000000000000" END),
    HEADER("RPCR-4.2.4-07", "the client refuses a Reply", NO_LISTS "; R reply; I error chunk xid=0x5eed0001" END),
    HEADER("RPCR-4.2.4-07/own", "the client sends ERR_CHUNK with the XID of its own Call",
           "I call nfs3.getattr xid=0x77; R reply; I error chunk xid=0x77" END),
    HEADER("RPCR-4.5-04", "ERR_CHUNK with rdma_xid 0", REPLY_CHUNK "; R error chunk xid=0" ANEW),
    VERSION("RPCR-4.5-05", "ERR_VERS with rdma_vers 1 in answer to a Call with 2", "R error vers=1..1 h.vers=1"),
    HEADER("RPCR-4.5-05/chunk", "ERR_CHUNK with rdma_vers 2 in answer to a Call with 1",
           REPLY_CHUNK "; R error chunk h.vers=2" END),
    HEADER("RPCR-4.5-06", "ERR_CHUNK with rdma_proc 0", REPLY_CHUNK "; R error chunk @h12=0" END),
    HEADER("RPCR-4.5-07", "ERR_VERS in answer to a Call of version 1", REPLY_CHUNK "; R error vers=1..1" END),
    VERSION("RPCR-4.5-07/chunk", "ERR_CHUNK in answer to a Call of version 2", "R error chunk"),
    SCRIPT("rpcrdma", "RPCR-4.5-09", "RPCR-4.5-12", "a Reply after ERR_CHUNK for the same Call",
           FIRST REPLY_CHUNK "; R error chunk" ANEW),
    HEADER("RPCR-4.5-12", "ERR_CHUNK in answer to a sound GETATTR", NO_LISTS REFUSED),
    HEADER("RPCR-4.5-12/null", "ERR_CHUNK in answer to a sound NULL", "I call nfs3.null" REFUSED),
    VERSION("RPCR-4.5.1-02", "versions 2 to 2 supported", "R error vers=2..2"),
    VERSION("RPCR-4.5.1-02/includes", "the version supported that is refused", "R error vers=1..2"),
    /* RFC 5666 */
    HEADER("RPCR0-4.1-01", "an RDMA_MSGP with another XID after its header",
           "I call nfs3.write len=2000 h.proc=2 h.align=1024 h.thresh=1024 rpc.xid+1" REFUSED),
    HEADER("RPCR0-4.3-01", "rdma_err 3 with nothing after it", REPLY_CHUNK "; R error h.err=3" END),
    HEADER("RPCR0-4.3-01/short", "rdma_err 3 with 7 words after it", REPLY_CHUNK "; R error h.err=3 grow=28" END),
    HEADER("RPCR0-4.3-01+ok", "rdma_err 3 with 8 words after it", REPLY_CHUNK "; R error h.err=3 grow=32" END),
    HEADER("RPCR0-5.1-01", "a Long Call whose Position Zero chunk is not the first",
           "I call nfs3.write len=4096 read pz pz-last; R pull; R reply" END),
    HEADER("RPCR0-5.1-01+ok", "a Long Call whose Position Zero chunk is the first",
           "I call nfs3.write len=4096 read pz; R pull; R reply" END),
};

const struct fault_table rpcrdma_header_faults = {faults, sizeof faults / sizeof faults[0]};
