/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Conversations as text (iwarp-scenario(5)). Each line is a statement, or several separated by semicolons; a line that
 * is indented deeper continues the line before; a line that begins with `#` is a comment:
 *
 *   with rev2 mulpdu=200   the negotiation: rev0, rev1 (the default) or rev2, no-crc, markers; before all else.
 *                          For one side, with I or R after the name: revI=1 crcR=0 markersI=1 irdI=8 ordR=4, rtrI=7
 *                          (sum of Send 1, Write 2, Read 4: peer-to-peer), aI=1 (peer-to-peer alone), dataI=20 (octets
 *                          of Private Data), rejectR=1, flagsI=N (all flags), isnI=N, beforeI=HEX (streaming data);
 *                          responder-opens: it opens the TCP connection; unseen: nothing is captured until `show`;
 *                          late msn=N: the capture begins this many messages later; segments=N: super-segments;
 *                          mss=N, mtu=N (of the path, in the first statement), port=N, no-sack, no-df; no-mpa: no
 *                          start-up frames are sent; plain: all messages of a kind have the same memory
 *   next                   ends this connection, begins another one between the same ports; `next with rev2 ...` with
 *                          another negotiation, `next parallel with ...` beside this one
 *   I VERB WORD...         the Initiator sends or does something, as soon as everything from the peer has arrived
 *   R VERB WORD...         the same for the Responder
 *   I 5* VERB WORD...      five times
 *   repeat 5 { ... }       the statements between the braces, five times; `repeat count`: as often as --count says
 *
 * VERB is a message: write, read (a Read Request), answer (a Read Response), send, send-inv, send-se, send-se-inv,
 * term LAYER/ETYPE/CODE, imm, imm-se, fadd, cswap, result (an Atomic Response); or silence (a pure ACK), cork, uncork,
 * fin, rst, close, hide, show (whether the following packets are captured), rtr send|write|read (the first FPDU of a
 * peer-to-peer connection), traffic (all kinds of messages in both directions), hang (nothing: the connection is not
 * closed at the end of the script); mpa-request, mpa-reply, which are sent automatically otherwise, stream HEX (octets
 * outside of MPA), fpdu HEX (one FPDU with this ULPDU), segment (below).
 *
 * Every field of a message is filled in correctly. NAME=VALUE sets a field, NAME+N, NAME-N, NAME^N, NAME&N and NAME|N
 * change it:
 *
 *   of the DDP header     t l rsvd dv rv rsv op stag to qn msn mo
 *   of the payload        len (octets of ULP payload), value (eight octets before it), ulpdu (cut at ULPDUs of this
 * length) of Read Requests      sink sinkto size src srcto; stride (added to sink in each repetition) of Atomics word0
 * (28 reserved bits) aop id astag ato data mask cdata cmask of their responses    id orig of Immediate Data     data of
 * Terminates         m d r res tlen, have-len have-ddp have-read (parts present), e.FIELD of the echoed header, sink
 * sinkto size src srcto of the echoed Read Request; back (an earlier segment is at fault) of the ULPDU          cut
 * (its length), grow (zero octets after it), @OFFSET (an octet) for answers           of (which of the waiting
 * requests) of time               wait (milliseconds before), wait-us, unread=N (when all but N octets from the peer
 * have arrived); acked (once everything sent before is acknowledged), early (does not wait for the peer)
 *
 * Words alone: fresh (no further segment of the open message), keep (an Atomic without effect), zeros (as payload).
 * longer=N: N octets more in each repetition; marker=N pad=N: a Write of a length such that a Marker is due N octets
 * before the end of the FPDU; net=lost, lost-before, late, twice, fragmented, uncaptured: what happens to the segments.
 *
 * Words of MPA change any place in the first FPDU of a message, and in start-up frames:
 *
 *   of both               mpa@OFFSET=N (an octet; a negative OFFSET from the end), mpa.before=HEX (octets before it)
 *   of start-up frames    mpa.flags mpa.rev mpa.len (PD_Length) mpa.data=HEX (the upper layer's) mpa.enhanced=0 (left
 *                         out) mpa.a mpa.rtr mpa.ird mpa.ord; mpa.after=HEX mpa.cut=N mpa.fill=N (up to N
 *                         octets, mpa.filler=N), mpa.crc (a CRC at the end), mpa.len-swapped, mpa.enhanced-last
 *   of FPDUs              mpa.len (ULPDU_Length alone) mpa.ulpdu=N (its length and everything that follows from it)
 *                         mpa.ulpdu0 mpa.ulpdu1 (its first octets) mpa.twice mpa.pad=N mpa.padding=HEX
 *   their CRC             mpa.crc=N, mpa.no-crc, mpa.right-crc (although CRC is not in use),
 *                         mpa.old-crc (from before the later words), bad-crc,
 *                         mpa.crc-of-ethernet, mpa.crc-swapped, mpa.crc-after-length, mpa.crc-before-pad,
 *                         mpa.crc-without-length, -leading-marker, -marker, -last-marker, mpa.crc-with-next-marker
 *   their Markers         mpa.ptr mpa.ptr-swapped mpa.reserved (of all, of mpa.first-marker, of mpa.later-markers),
 *                         mpa.markers=0 or 1 (from here on), mpa.grid=PERIOD mpa.grid-from=N, mpa.grid-of-peer,
 *                         mpa.no-inner-markers, mpa.marker-late=N
 *   their segments        mpa.half (only the first half), mpa.cut=N (octets at the end), mpa.split=N mpa.split-half (in
 * two writes, mpa.gap=MICROSECONDS, mpa.acked between them), mpa.early, mpa.after-request, mpa.marker-alone,
 * mpa.lost-fragments
 *
 * `segment` is a segment outside orderly TCP: at=N octets from the next one of the stream (step=N more in each
 * repetition), len=N octets again, or N octets of value=N, or hex=HEX; push; ack=N added to the acknowledgement;
 * zero-window.
 *
 * RPC-over-RDMA and NFS have their own verbs (rpc_script.h), and so has the work of real ends, which other code plays
 * (traffic-gen/scenario/work_read.h).
 *
 * A message with l=0 stays open; the next message of its kind and direction is its next segment.
 */
#ifndef IWARP_TRAFFIC_SPEAK_SAY_SCRIPT_H
#define IWARP_TRAFFIC_SPEAK_SAY_SCRIPT_H

#include "traffic-gen/speak/say/statement.h"

enum { SCRIPT_MTU_MIN = 128, SCRIPT_MTU_MAX = 65535 };

/*
 * Plays statements (script_parse()). False with *error (for g_free()), which begins with `name`, when a statement
 * cannot be carried out: then the stage must be discarded.
 */
bool script_play(struct stage *stage, const char *name, const GPtrArray *statements, char **error);

/* Plays a script statement by statement. `source` appears in messages and outlives the player. */
struct script_player;
struct script_player *script_begin(struct stage *stage, const char *source);
/* Joins a conversation that begins and ends elsewhere. */
struct script_player *script_join(struct conversation *c, const char *source);
/* False when the statement cannot be carried out: then only script_end() may follow. */
bool script_say(struct script_player *player, const struct statement *statement);
/* Ends the conversation and frees the player. False with *error when a statement could not be carried out. */
bool script_end(struct script_player *player, char **error);

#endif
