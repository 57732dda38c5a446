/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * RPC-over-RDMA and NFS in scripts (script.h): words of `with` and verbs.
 *
 * SET-UP. `with rpcrdma` (or `with nfs`): MPA revision 2, port 20049, RFC 8797 Private Data in both startup frames.
 *   inline=N (send and receive sizes of both; 4096), r=0 (no remote invalidation), no-pd, pd-at=N (N octets before
 *   the block), pd-len=N (octets of Private Data in all); each for one side when I or R follows its name: rI=0 no-pdR
 *   pd-lenI=6; pdI@OFFSET=N, pdR@OFFSET=N (an octet of the block); no-private-data; port=N, rev1, markers, no-crc,
 *   depth=N (IRD and ORD), beforeI=HEX, beforeR=HEX (octets before the startup frames); further words as ever:
 *   late msn=N, mulpdu=N, mss=N. The initiator is the client, as far as Calls say nothing else: either side may call.
 *
 * CALLS. `I call PROCEDURE WORD...`; the same from R is a Call of the reverse direction.
 *   PROCEDURE   nfs2.read nfs3.write nfs40.compound nfs41.compound nfs42.compound cb40.cb_compound cb41.cb_compound
 *               mount3.mnt nlm4.lock nsm1.notify nfsacl3.setacl ccp1.conf rpcbind4.getaddr ... (wire/nfs_types.txt)
 *   FIELD=N     an argument by its name there: count=8192, len=100, name=TEXT; opN.FIELD=N of operation N
 *   ops=A,B:N,C:FIELD=N:FIELD=N  operations of a COMPOUND, N being the field that matters most: read:8192, write:100
 *   read        the DDP-eligible argument goes into a Read chunk, one segment; read=4096+rest in segments;
 *               read=A/B/- several items (- leaves one inline); reduce=NAME (or opN.NAME) another item, eligible or not
 *   pad         the chunk holds the roundup, too; keep-pad leaves it inline; keep leaves the whole item inline
 *   pz          Long Call, the message in a Position-Zero Read chunk; pz=600+rest; pz=@-4+rest: the first segment
 *               ends 4 octets before the Position of the first item in another Read chunk; pz-last after the other
 *               Read chunks; `pz inline`: as RDMA_MSG, and inline, too
 *   write       a Write chunk of one segment as large as count; write=4096+4096/100/- three chunks, the last of none
 *   reply       a Reply chunk of 64 KiB; reply=4096+4096
 *   cred=sys|none|gss:SERVICE|gss:init|gss:destroy (the latter with nfs3.gss_init and nfs3.null)
 *   `I again`   sends the oldest unanswered Call once more, with new STags (`same`: with the old ones)
 *
 * MEMORY. `R pull`: RDMA Reads of all Read chunks of the peer's oldest message that has some left, and their answers.
 *   only=N (that segment), parts=N (Reads of N octets), size+N size=N src srcto sink sinkto (of each Read),
 *   no-answer (`I give` answers then), again (although it has been done); of, back
 *   `R put TARGET` one RDMA Write, `R get TARGET` one RDMA Read and its answer; TARGET is readN, writeN.M or reply.M
 *   (segment M), of the peer's latest Call (back=N, of=N: another): off=N len=N most=N stag+N to+N; get: no-answer
 *
 * REPLIES. `R reply`: RDMA Writes into the Write chunks, or of the whole message into the Reply chunk when it does not
 * fit inline, then the Send with the chunks returned.
 *   FIELD=N     a result by its name: len=100 (octets of data), status=70 (of a COMPOUND: of the last operation),
 *               opN.FIELD=N; results=N only so many operations
 *   accept=N (low=N high=N), denied (reject=N auth=N low=N high=N)
 *   long, short (whatever the size is), both (Long, and inline as well)
 *   inline      nothing goes into Write chunks, and as-offered: they come back with the lengths that they were
 *               offered with; empty: unused chunks come back without segments;
 *               place=NAME: that result goes into the first Write chunk
 *   first=N (the first result goes into Write chunk N), only=N (N results do), join (the first two into the first),
 *   spread (the first into the first two), skip-empty (chunks without segments do not count), lose=N (result N is
 *   nowhere); list=N (chunks in the Write list), drop-empty (not those without segments), swap (the first two of
 *   them), segs=N (of the first), reply-segs=N, no-reply-chunk
 *   nowrite, late-write (after the Send), backward (last segment first), parts=N (RDMA Writes of N octets), pad
 *   read        results in Read chunks, as in Calls (RFC 5666); the client then pulls and says `I done`
 *
 * OTHERS. `R error chunk`, `R error vers=1..1`: RDMA_ERROR for the oldest unanswered Call, with its rdma_vers.
 *   `I done` RDMA_DONE for the oldest Call whose Reply has Read chunks and had none yet, else for the latest;
 *   `I raw hex=00112233` a Send of these octets; `I hide` what follows is not in the capture; `I show` it is again
 *
 * IN ALL OF THEM
 *   of=N        the N-th of the unanswered Calls (0: the oldest); back=N: the N-th latest, answered or not
 *   xid=N       rdma_xid and the RPC message's XID
 *   h.FIELD     of the Transport header: xid vers credit proc align thresh err low high (=N, +N, -N); credit=N
 *   readN.FIELD pos handle len off of segment N of the Read list; writeN.segM.FIELD, reply.segM.FIELD: handle len off;
 *               writeN.n, reply.n segments of a chunk; no-reply-chunk,
 *               new-reply-chunk (of one segment that nobody has offered), new-read-chunk=POSITION (one segment more)
 *   bare        nothing after the Transport header
 *   stag=N      all segments
 *   rpc.FIELD   of the RPC header: xid type rpcvers prog vers proc stat flavor; gss.vers gss.proc gss.seq gss.service
 *   p.FIELD     a word of arguments or results as it is encoded (p.opN.FIELD), of items the count;
 *               roundup=N what the roundup octets of items are
 *   drop=N more=N the RPC message's last octets; cut=N grow=N those of the Send
 *   insert@OFFSET=HEX, remove@OFFSET=N  octets of the Send that come in between, or are left out; before the following
 *   @mOFFSET=N  a word of the RPC message, wherever it travels; insert@mOFFSET=HEX, remove@mOFFSET=N
 *   @OFFSET=N   an octet of the Send; @hOFFSET=N a word of it; @pOFFSET=N a word of what follows the Transport header
 *   inv, inv=STAG a Send with Invalidate; se with Solicited Event
 *   early wait=N as in every statement
 *
 * Changes of a Call's chunks count for what follows: the peer sees nothing else.
 */
#ifndef IWARP_TRAFFIC_SAY_RPC_SCRIPT_H
#define IWARP_TRAFFIC_SAY_RPC_SCRIPT_H

#include "traffic-gen/say/rpc.h"
#include "traffic-gen/say/words.h"
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
