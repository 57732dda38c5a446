# SPDX-License-Identifier: GPL-2.0-or-later
"""How rules/cases.py compiles `case` and `mutant` blocks, and its messages about mistakes: file, line, and what is allowed."""
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORDS = ROOT / "traffic-gen/tester/suite/cases/suite_words.def"
MUTANT_WORDS = ROOT / "traffic-gen/tester/mutants/mutant_words.def"
PAIRS = ROOT / "traffic-gen/tester/mutants/pairs.mutants"
TABLES = [ROOT / f"rules/{layer}.tsv" for layer in ("mpa", "ddp", "rdmap", "rpcrdma", "nfs")]


def run(folder, text, layer="mpa", what="suites", words=(WORDS,)):
    cases = folder / f"{layer}.cases"
    cases.write_text(text, encoding="utf-8")
    return subprocess.run([sys.executable, ROOT / "rules/cases.py", what, folder / "out.c", cases, *TABLES, *words],
                          capture_output=True, text=True, check=False)


def rows(folder, text, suite="mpa", layer="mpa"):
    """The rows of a suite, without the lines that name their source."""
    result = run(folder, text, layer)
    assert result.returncode == 0, result.stderr
    table = (folder / "out.c").read_text().partition(f" cases_{suite}[] = {{")[2].partition("};")[0]
    return [line.strip() for line in table.splitlines() if line.startswith("    {")]


def ids(found):
    return [re.search(r"RULE_(\w+)(?:, \.suffix = \"(\w+)\")?", row).group(1, 2) for row in found]


def test_a_case_is_a_row_of_its_suite(tmp_path):
    row, = rows(tmp_path, """
MPA-4.1-07
  case /odd both: an FPDU whose PAD is "odd"
    part mpa-errors
    needs echo
    say write region=all len=1
      @14=0x78
    served send
    expect refused: Terminate 2/0/2, or a close
""")
    assert row == ('{.rule = RULE_MPA_4_1_07, .suffix = "odd", .duts = DUT_ANY, .needs = NEED_ECHO | NEED_REGIONS, .run = row_refused, '
                   '.stimulus = "an FPDU whose PAD is \\"odd\\"", .expected = "Terminate 2/0/2, or a close", '
                   '.says = "write region=all len=1 @14=0x78", .served = RDMAP_SEND},')


def test_parts_are_in_the_order_of_the_list(tmp_path):
    """The word decides the part, unless the case names one: here the first case belongs to a later part."""
    found = rows(tmp_path, """
MPA-4.3-09
  case both: M = 1
    judge marker-places: a close
MPA-4.1-06
  case both: a stimulus
    expect taken: the device continues
  case /errors both: a stimulus
    part mpa-errors
    expect taken: the device continues
""")
    assert ids(found) == [("MPA_4_1_06", None), ("MPA_4_1_06", "errors"), ("MPA_4_3_09", None)]
    assert ".run = mpa_frames_marker_places," in found[2]


def test_values_are_words(tmp_path):
    rejects, some, many = rows(tmp_path, """
MPA-7.1.2-04
  case responder: a web browser's request
    expect wrong-frame rejects garbage: a close: FIN or RST
  case /some responder: ten octets
    expect incomplete 10: a close
  case /odd responder: a Reply
    expect wrong-frame: a close
""")
    assert ".expected = \"a close: FIN or RST\"" in rejects and ".variant = ANSWER_REJECTS | ANSWER_GARBAGE}" in rejects
    assert ".variant = 10}" in some and "variant" not in many


@pytest.mark.parametrize("line, needs, how", [
    ("", "RPC", "rpcrdma_once"),
    ("    needs nfs\n", "NFS", "rpcrdma_once"),
    ("    per version\n", "NFS", "rpcrdma_each_version"),
])
def test_rpc_has_a_connection_or_one_for_each_version(tmp_path, line, needs, how):
    row, = rows(tmp_path, f"RPCR-3.4.5-07\n  case responder: a WRITE\n{line}    say\n    expect success: success\n",
                "rpcrdma", "rpcrdma")
    assert f".needs = NEED_{needs}, .run = {how}, .on = calls_succeed," in row and '.says = ""' in row


def test_a_table_names_cases(tmp_path):
    found = rows(tmp_path, """
table SIZES: octets
  256
  257
MPA-7.1.2-10
  case /{octets} each SIZES responder: {octets} octets
    expect taken: a Reply
MPA-7.1.2-22
  case /{octets} each SIZES initiator: {octets} octets
    after MPA-7.1.2-10/{octets}
    expect taken: FPDUs
""")
    assert ids(found) == [("MPA_7_1_2_10", "256"), ("MPA_7_1_2_22", "256"), ("MPA_7_1_2_10", "257"), ("MPA_7_1_2_22", "257")]


def test_lines_are_verdicts(tmp_path):
    row, plain = rows(tmp_path, """
MPA-4.1-06
  case both: a Send
    say send
    expect reaction answer: an echo
    pass echo
    refuses terminate !2/*/*, !open: refused: {found}
    unclear 1/2/03 !plain: {answer}
    fail: expected an echo: found {found}
  case /plain both: a stimulus
    expect taken: the device continues
""")
    assert row.endswith('.variant = HEAR_ANSWER, .verdicts = (const struct suite_verdict[]){'
                        '{.kind = VERDICT_PASS, .when = WHEN_ECHO, .text = "{found}"}, '
                        '{.kind = VERDICT_REFUSES, .when = WHEN_TERMINATE, .no_reason = "2/*/*", .text = "refused: {found}"}, '
                        '{.kind = VERDICT_REFUSES, .unless = WHEN_OPEN, .text = "refused: {found}"}, '
                        '{.kind = VERDICT_UNCLEAR, .unless = WHEN_PLAIN, .reason = "1/2/03", .text = "{answer}"}, '
                        '{.kind = VERDICT_FAIL, .text = "expected an echo: found {found}"}, {.text = NULL}}},'), row
    assert "verdicts" not in plain


HEAD = "MPA-4.1-06\n  case both: a stimulus\n"
EXPECT = "    expect taken: the device continues\n"


@pytest.mark.parametrize("text, line, words", [
    (HEAD, 2, "a case has one line `expect WORD: WHAT THE DEVICE HAS TO DO`, or `judge WORD: ...`"),
    (HEAD + EXPECT + "    judge held-back: a close\n", 2, "a case has one line `expect WORD: WHAT THE DEVICE HAS TO DO`"),
    (HEAD.replace("both: ", ""), 2, "`case` and `mutant` have both or responder or initiator instead of SCENARIO"),
    (HEAD.replace("both", "client") + EXPECT, 2, "a case is both or responder or initiator, not client"),
    (HEAD + EXPECT.replace("taken", "taking"), 2, "there is no word of suite_words.def `taking`; perhaps taken or taken-in-parts; there are: all-lengths, "),
    (HEAD + EXPECT.replace("expect taken", "judge taken"), 2, "it is `expect taken`"),
    (HEAD + EXPECT.replace(": ", " "), 2, "`expect taken the device continues` lacks `: WHAT THE DEVICE HAS TO DO`"),
    (HEAD + EXPECT.replace("taken", "wrong-frame ends"), 2, "there is no value of wrong-frame `ends`; perhaps open; there are: accepts, closed, "),
    (HEAD + EXPECT.replace("taken", "taken 10"), 2, "there is no value of taken `10`; there are: each-time"),
    (HEAD + EXPECT.replace("taken", "incomplete ten"), 2, "there is no value of incomplete `ten`; there are: number"),
    (HEAD + EXPECT.replace("taken", "held-back").replace("expect", "judge").replace("back:", "back 1:"), 2, "there is no value of held-back `1`; there are: none"),
    (HEAD + EXPECT + "    fail late: too late\n", 2, "taken has no line `fail`"),
    (HEAD + EXPECT + "    fail\n", 2, "taken has no line `fail`"),
    (HEAD + EXPECT.replace("taken", "reaction"), 2, "the last line of reaction must have no condition"),
    (HEAD + EXPECT.replace("taken", "reaction") + "    pass closed\n", 2, "the last line of reaction must have no condition"),
    (HEAD + EXPECT.replace("taken", "reaction") + "    pass\n    fail fpdu: an FPDU\n", 2, "`fail fpdu: an FPDU` is never tried: `pass` before it"),
    (HEAD + EXPECT.replace("taken", "reaction") + "    fail late !usual: too late\n", 2, "one alternative asks for one of late, usual"),
    (HEAD + EXPECT.replace("taken", "reaction") + "    fail 3/1/00: a Terminate\n", 2, "there is no condition of reaction `3/1/00`; there are: "),
    (HEAD + EXPECT.replace("taken", "reaction") + "    fail send: a Send\n", 2, "there is no condition of reaction `send`; perhaps "),
    (HEAD + EXPECT.replace("taken", "refused"), 2, "refused goes by what the Terminate says: `Terminate LAYER/TYPE/CODE`"),
    (HEAD + "    needs region\n" + EXPECT, 2, "`needs` does not know region; there are: echo, receives, regions, rpc"),
    (HEAD + "    served write\n" + EXPECT, 2, "`served` does not know write; there are: send, read-response"),
    (HEAD + "    part mpa-error\n" + EXPECT, 2, "there is no part of these suites `mpa-error`; perhaps mpa-errors"),
    (HEAD + "    part ddp\n" + EXPECT, 2, "there is no part of these suites `ddp`"),
    (HEAD + "    per version\n" + EXPECT, 2, "`per version` is for what judges RPC-over-RDMA"),
    (HEAD + "    after MPA-4.2-03\n" + EXPECT, 2, "there is no case in the same part to be `after MPA-4.2-03`"),
    (HEAD + "    after MPA-4.1-06\n" + EXPECT, 2, "MPA-4.1-06 is to be after MPA-4.1-06, which is to be after it"),
    (HEAD + "    finds MPA-4.1-05\n" + EXPECT, 3, "below a case there is one of: part, breaks, also, needs, say, served, per version, after, expect, judge, pass, ends, refuses, fail, unclear, skip"),
    (HEAD + EXPECT + EXPECT, 4, "there are two lines `expect` of this case"),
    (HEAD + EXPECT + HEAD.partition("\n")[2] + EXPECT, 4, "MPA-4.1-06 is in "),
    (HEAD.replace("MPA-4.1-06", "MPA-4.1-99") + EXPECT, 2, "the catalogue has no rule MPA-4.1-99"),
    (HEAD.replace("a stimulus", "{STIMULUS}") + EXPECT, 2, "{STIMULUS} with 0 values has no `let`, or is no column"),
    ("MPA-4.1-06\n  mutant both: does nothing\n    when fpdu do drop\n", 2, "there is no case MPA-4.1-06 for the mutant to fail"),
    (HEAD + EXPECT + "  mutant both: one\n    when fpdu do drop\n  mutant initiator: two\n    when fpdu do drop\n", 6,
     "MPA-4.1-06 has a mutant that is initiator in "),
])
def test_a_mistake_stops_the_build_where_it_is(tmp_path, text, line, words):
    result = run(tmp_path, text)
    assert result.returncode == 1
    assert result.stderr.startswith(f"{tmp_path}/mpa.cases:{line}: ") and words in result.stderr, result.stderr


def test_each_case_is_in_its_block():
    """No row is left in C."""
    for room in WORDS.parent.glob("*.[ch]"):
        assert not re.search(r"\{\.?(rule = )?RULE_\w+, ", room.read_text(encoding="utf-8")), room.name


def test_a_fault_in_an_old_conversation_is_one_of_old_rules(tmp_path):
    """A capture is named after the fault alone, and tests choose the profile by that name."""
    fault = "\n  violates old-msgp: something odd\n    change I fpdu from=1 mpa.crc=1\n"
    wrong = run(tmp_path, "\nMPA-4.1-05" + fault)
    assert wrong.returncode == 1 and "mpa.cases:3: captures of faults have their names alone" in wrong.stderr
    assert run(tmp_path, "\nRPCR0-4.1-01" + fault, "rpcrdma").returncode == 0


def test_the_cases_use_every_word():
    used = {word for path in (ROOT / "rules").glob("*.cases") for word in re.findall(r"^    (?:expect|judge) (\S+?)[: ]", path.read_text(), re.MULTILINE)}
    assert used == set(re.findall(r'^(?:EXPECT|JUDGE)\("([^"]+)"', WORDS.read_text(), re.MULTILINE))


MUTANT = HEAD + EXPECT + "  mutant both: does something else\n"


def mutant(folder, *lines, pairs=()):
    return run(folder, MUTANT + "".join(f"    {line}\n" for line in lines), what="mutants", words=(MUTANT_WORDS, *pairs))


def test_a_mutant_is_a_function(tmp_path):
    result = mutant(tmp_path, "with no-crc mulpdu=64 data=0AFF",
                    "when send len=64 !end&0xFFFF, key=MPA* nth<=2 do drop and note",
                    "when own-term 1/2/06 do code+1 layer=peer.rtr",
                    "when own-send @h28!=read0.len @3 do @-1^1 and @h28=0x10 and write len=5 stag=stag",
                    "when fpdu !2/0/02 do stream 00AB")
    assert result.returncode == 0, result.stderr
    text = (tmp_path / "out.c").read_text()
    assert """
static void mutant_0(struct scene *s)
{
    if (s->event == ON_ULPDU && !((s->error)) && ((s->ddp.opcode) == 3U) && (((s->ddp.payload_len) == 64U) && \
!(((s->ddp.tagged ? s->ddp.to : s->ddp.mo) + s->ddp.payload_len) & 0xFFFFU) || (scene_key_is(s, "MPA*")) && (++s->mutant->times[0] <= 2U))) {
        mutant_decide(s, DROPPED, RPC_END_DISCARD);
        mutant_note(s);
    }
    if (s->event == ON_OWN_TERM && (s->error == 0x1206U)) {
        s->terminate.code += 1U;
        s->changed = true;
        s->terminate.layer = (s->peer.enhanced.rtr);
        s->changed = true;
    }
    if (s->event == ON_OWN_SEND && (scene_word(s, 28) != (s->reads[0].target.length)) && (scene_octet(s, 3))) {
        *scene_sent(s, -1, 1) ^= 1U;
        put_be32(scene_sent(s, 28, 4), 0x10U);
        mutant_write(s, (s->ddp.stag), 0, 5U);
    }
    if (s->event == ON_FPDU && !(s->error == 0x2002U)) {
        mutant_stream(s, (struct mutant_octets)MUTANT_OCTETS(0x00, 0xAB));
    }
}
""" in text, text
    assert ('{.id = "MPA-4.1-06", .roles = DUT_ANY, .what = "does something else", '
            '.events = 1 << ON_ULPDU | 1 << ON_OWN_TERM | 1 << ON_OWN_SEND | 1 << ON_FPDU, .play = mutant_0, '
            '.setup = {.no_crc = true, .mulpdu = 64U, .data = MUTANT_OCTETS(0x0A, 0xFF)}},') in text, text


def test_combinations_have_mutants(tmp_path):
    pairs = tmp_path / "some.mutants"
    pairs.write_text("# A comment.\nstartup/M=1,C=0 responder takes all\n    when fpdu do take\n")
    assert mutant(tmp_path, "with markers", pairs=[pairs]).returncode == 0
    assert '{.id = "startup/M=1,C=0", .roles = DUT_RESPONDER, .what = "takes all", ' in (tmp_path / "out.c").read_text()
    pairs.write_text("startup/M=1,C=0 nobody takes all\n")
    assert mutant(tmp_path, pairs=[pairs]).stderr == f"{pairs}:1: a mutant begins `ID both|responder|initiator WHAT IT DOES WRONG`\n"


@pytest.mark.parametrize("line, words", [
    ("once upon a time", "`once upon a time` is not `with WORD ...` or `when EVENT CONDITION ... do STATEMENT"),
    ("when send len=3", "`when send len=3` is not `with WORD ...` or `when EVENT"),
    ("when sent do drop", "there is no event `sent`; perhaps send or "),
    ("when send hue=3 do drop", "there is no field `hue`; "),
    ("when send len=much do drop", "there is no field `much`"),
    ("when send len<=>1 do drop", "there is no field `>1`"),
    ("when send = do drop", "`=` is not a condition: NAME, or NAME OPERATOR VALUE"),
    ("when send do", "there is no statement ``; there are: answer, call, close, "),
    ("when send do drops", "there is no statement `drops`; perhaps drop or "),
    ("when send do drop and", "there is no statement ``"),
    ("when send do drop len=3", "`drop` does not know len=3"),
    ("when send do term", "`term` lacks REASON"),
    ("when send do stream ABC", "`ABC` are not octets in hexadecimal"),
    ("when send do code=hue", "there is no field `hue`"),
    ("when send do code=1 drop", "`drop` changes nothing"),
    ("when send do end=1", "`end` cannot be changed"),
    ("when send " + "nth>1 " * 9 + "do drop", "there may be 8 `nth`"),
    ("with luck", "there is no word of `with` `luck`; there are: a, "),
    ("with mulpdu", "`mulpdu` lacks MULPDU"),
    ("with no-crc=1", "`no-crc` does not know no-crc=1"),
])
def test_a_mistake_in_a_mutant_stops_the_build_where_it_is(tmp_path, line, words):
    result = mutant(tmp_path, "with markers", line)
    assert result.returncode == 1
    assert result.stderr.startswith(f"{tmp_path}/mpa.cases:6: ") and words in result.stderr, result.stderr


def test_the_mutants_use_every_word():
    text = "\n".join(line for path in [*(ROOT / "rules").glob("*.cases"), PAIRS] for line in path.read_text().splitlines() if re.match(" {4}(when|with) ", line))
    listed = MUTANT_WORDS.read_text()
    text += "".join(re.findall(r"^EVENT\(.*", listed, re.MULTILINE))
    words = re.findall(r'^(?:EVENT|FIELD|STATEMENT|SETUP)\("([^"]+)"', listed, re.MULTILINE)
    assert words and not [word for word in words if not re.search(rf"(?<![\w.-]){re.escape(word)}(?![\w.-])", text)]


@pytest.mark.parametrize("cases,said", [
    ("MPA-4.1-05\n  how: by its octets\n", None),
    ("MPA-4.1-05\n  violates rev1: PAD 1\n    change I fpdu mpa.padding=01\n  how: by its octets\n", "mpa.cases has no block MPA-4.1-05 that begins with a line `how: TEXT`"),
    ("MPA-4.1-06\n  how: by its octets\n", "mpa.cases has no block MPA-4.1-05 that begins with a line `how: TEXT`")])
def test_each_row_has_a_how(tmp_path, cases, said):
    table = tmp_path / "mpa.tsv"
    table.write_text("".join(line for line in TABLES[0].read_text(encoding="utf-8").splitlines(True) if line.startswith(("id\t", "MPA-4.1-05\t"))), encoding="utf-8")
    table.with_suffix(".cases").write_text(cases, encoding="utf-8")
    run_it = subprocess.run([sys.executable, ROOT / "rules/catalogue.py", tmp_path, table], capture_output=True, text=True, check=False)
    assert (run_it.returncode == 0) == (said is None)
    assert said is None and '"by its octets"' in (tmp_path / "rule_table.c").read_text(encoding="utf-8") or said and f"mpa.tsv:2: {said}" in run_it.stderr
