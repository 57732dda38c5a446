/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * RPC-over-RDMA and NFS in scripts (script.h): words of `with` and verbs.
 *
 * SET-UP. `with rpcrdma` (or `with nfs`): MPA revision 2, port 20049, RFC 8797 Private Data in both start-up frames.
 *   inline=N (send and receive sizes of both; 4096), r=0 (no remote invalidation), no-pd, pd-at=N (N octets before
 *   the block), pd-len=N (octets of Private Data in total); each for one side if I or R follows its name: rI=0 no-pdR
 *   pd-lenI=6; pdI@OFFSET=N, pdR@OFFSET=N (an octet of the block); no-private-data; port=N, rev1, markers, no-crc,
 *   depth=N (IRD and ORD), beforeI=HEX, beforeR=HEX (octets before the start-up frames); further words:
 *   late msn=N, mulpdu=N, mss=N. By default the initiator is the client, but either side may call.
 *
 * CALLS. `I call PROCEDURE WORD...`; from R it is a Call in the reverse direction.
 *   PROCEDURE   nfs2.read nfs3.write nfs40.compound nfs41.compound nfs42.compound cb40.cb_compound cb41.cb_compound
 *               mount3.mnt nlm4.lock nsm1.notify nfsacl3.setacl ccp1.conf rpcbind4.getaddr ... (wire/nfs_types.txt)
 *   FIELD=N     an argument by its name: count=8192, len=100, name=TEXT; opN.FIELD=N for operation N
 *   ops=A,B:N,C:FIELD=N:FIELD=N  operations of a COMPOUND; N is the main field: read:8192, write:100
 *   read        the DDP-eligible argument goes into a Read chunk, one segment; read=4096+rest in segments;
 *               read=A/B/- several items (- leaves one inline); reduce=NAME (or opN.NAME) another item, eligible or not
 *   pad         the chunk holds the roundup, too; keep-pad leaves it inline; keep leaves the whole item inline
 *   pz          Long Call, the message in a Position-Zero Read chunk; pz=600+rest; pz=@-4+rest: the first segment
 *               ends 4 octets before the Position of the first item in another Read chunk; pz-last after the other
 *               Read chunks; `pz inline`: as RDMA_MSG, and inline, too
 *   write       a Write chunk of one segment as large as count; write=4096+4096/100/- three chunks, the last of none
 *   reply       a Reply chunk of 64 KiB; reply=4096+4096
 *   cred=sys|none|gss:SERVICE|gss:init|gss:destroy (the latter with nfs3.gss_init and nfs3.null)
 *   `I again`   repeats the oldest unanswered Call, with new STags (`same`: with the old ones)
 *
 * MEMORY. `R pull`: RDMA Reads of all Read chunks of the peer's oldest message with unread ones, and their answers.
 *   only=N (that segment), parts=N (Reads of N octets), size+N size=N src srcto sink sinkto (of each Read),
 *   no-answer (`I give` answers then), again (even if already done); of, back
 *   `R put TARGET` one RDMA Write, `R get TARGET` one RDMA Read and its answer; TARGET is readN, writeN.M or reply.M
 *   (segment M), of the peer's latest Call (back=N, of=N: another): off=N len=N most=N stag+N to+N; get: no-answer
 *
 * REPLIES. `R reply`: RDMA Writes into the Write chunks, or of the whole message into the Reply chunk if it does not
 * fit inline; then the Send returns the chunks.
 *   FIELD=N     a result by its name: len=100 (octets of data), status=70 (in a COMPOUND: of the last operation),
 *               opN.FIELD=N; results=N only N operations
 *   accept=N (low=N high=N), denied (reject=N auth=N low=N high=N)
 *   long, short (for any size), both (Long, and inline as well)
 *   inline      nothing goes into Write chunks; as-offered: these are returned with the offered lengths;
 *               empty: unused chunks are returned without segments;
 *               place=NAME: that result goes into the first Write chunk
 *   first=N (the first result goes into Write chunk N), only=N (N results do), join (the first two into the first),
 *   spread (the first into the first two), skip-empty (chunks without segments do not count), lose=N (result N is
 *   lost); list=N (chunks in the Write list), drop-empty (none without segments), swap (the first two chunks),
 *   segs=N (of the first), reply-segs=N, no-reply-chunk
 *   nowrite, late-write (after the Send), backward (last segment first), parts=N (RDMA Writes of N octets), pad
 *   read        results in Read chunks, as in Calls (RFC 5666); the client then pulls and says `I done`
 *
 * OTHERS. `R error chunk`, `R error vers=1..1`: RDMA_ERROR for the oldest unanswered Call, with its rdma_vers.
 *   `I done` RDMA_DONE for the oldest Call whose Reply has Read chunks and got none yet, else for the latest;
 *   `I raw hex=00112233` a Send of these octets; `I hide` stops the capture; `I show` resumes it
 *
 * IN ALL OF THEM
 *   of=N        the N-th unanswered Call (0: the oldest); back=N: the N-th latest, answered or not
 *   xid=N       rdma_xid and the RPC message's XID
 *   h.FIELD     of the Transport header: xid vers credit proc align thresh err low high (=N, +N, -N); credit=N
 *   readN.FIELD pos handle len off of segment N of the Read list; writeN.segM.FIELD, reply.segM.FIELD: handle len off;
 *               writeN.n, reply.n segments of a chunk; no-reply-chunk,
 *               new-reply-chunk (with a segment that nobody has offered), new-read-chunk=POSITION (a further segment)
 *   bare        nothing after the Transport header
 *   stag=N      all segments
 *   rpc.FIELD   of the RPC header: xid type rpcvers prog vers proc stat flavor; gss.vers gss.proc gss.seq gss.service
 *   p.FIELD     an encoded word of arguments or results (p.opN.FIELD), for items the count;
 *               roundup=N the value of the items' roundup octets
 *   drop=N more=N the RPC message's last octets; cut=N grow=N those of the Send
 *   insert@OFFSET=HEX, remove@OFFSET=N  inserts or removes octets of the Send; before the following words
 *   @mOFFSET=N  a word of the RPC message, inline or in a chunk; insert@mOFFSET=HEX, remove@mOFFSET=N
 *   @OFFSET=N   an octet of the Send; @hOFFSET=N a word of it; @pOFFSET=N a word after the Transport header
 *   inv, inv=STAG a Send with Invalidate; se with Solicited Event
 *   early wait=N as in every statement
 *
 * Changes of a Call's chunks also apply to later statements, as the peer only sees these.
 */
#ifndef IWARP_TRAFFIC_SPEAK_SAY_RPC_SCRIPT_H
#define IWARP_TRAFFIC_SPEAK_SAY_RPC_SCRIPT_H

#include "traffic-gen/speak/say/rpc.h"
#include "traffic-gen/speak/say/words.h"
#include "wire/rpcrdma_private_data.h"

enum { RPC_PRIVATE_DATA_MAX = 64 };

struct rpc_script {
    struct rpc *rpc;
    unsigned threshold;
    uint8_t private_data[2][RPC_PRIVATE_DATA_MAX]; /* by role */
};

void rpc_script_free(struct rpc_script *script);

/* `with rpcrdma ...`; refuses unknown words. */
void rpc_script_setup(struct rpc_script *script, struct conversation_setup *setup, struct words *words);
#endif
