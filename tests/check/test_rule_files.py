# SPDX-License-Identifier: GPL-2.0-or-later
"""What rules/cases.py makes of `case` blocks, and what it says of mistakes in them: file, line, and what is allowed."""
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROOMS = sorted((ROOT / "traffic-gen/suite/cases").glob("*.[ch]"))
TABLES = [ROOT / f"rules/{layer}.tsv" for layer in ("mpa", "ddp", "rdmap", "rpcrdma", "nfs")]


def run(folder, text, layer="mpa"):
    cases = folder / f"{layer}.cases"
    cases.write_text(text, encoding="utf-8")
    return subprocess.run([sys.executable, ROOT / "rules/cases.py", "suites", folder / "out", cases, *TABLES, *ROOMS],
                          capture_output=True, text=True, check=False)


def rows(folder, text, room, layer="mpa"):
    """The rows without what says where they are from."""
    result = run(folder, text, layer)
    assert result.returncode == 0, result.stderr
    return [line.strip() for line in (folder / f"out/suite_{room}.inc").read_text().splitlines() if line.startswith("    {")]


def ids(found):
    return [re.search(r"RULE_(\w+)(?:, \.suffix = \"(\w+)\")?", row).group(1, 2) for row in found]


def test_a_case_is_a_row_of_its_part(tmp_path):
    row, = rows(tmp_path, """
MPA-4.1-07
  case /odd both refused: an FPDU whose PAD is "odd"
    part mpa-errors
    needs echo
    say write region=all len=1
      @14=0x78
    served send
    expects Terminate 2/0/2, or a close
""", "mpa_errors")
    assert row == ('{.rule = RULE_MPA_4_1_07, .suffix = "odd", .duts = DUT_ANY, .needs = NEED_ECHO | NEED_REGIONS, .run = row_refused, '
                   '.stimulus = "an FPDU whose PAD is \\"odd\\"", .expected = "Terminate 2/0/2, or a close", '
                   '.says = "write region=all len=1 @14=0x78", .served = RDMAP_SEND},')


def test_the_judge_tells_the_part(tmp_path):
    row, = rows(tmp_path, """
MPA2-6-04
  case responder enhanced-revision-1: S = 1
    value 4294967295
    expects a close
""", "mpa_frames")
    assert ".run = enhanced_revision_1," in row and ".variant = -1}" in row


def test_values_are_words(tmp_path):
    row, = rows(tmp_path, """
MPA-7.1.2-04
  case responder wrong-frame: a web browser's request
    value answer-rejects answer-garbage
    expects a close
""", "mpa_startup")
    assert ".variant = ANSWER_REJECTS | ANSWER_GARBAGE}" in row


@pytest.mark.parametrize("line, needs, how", [
    ("", "RPC", "rpcrdma_once"),
    ("    needs nfs\n", "NFS", "rpcrdma_once"),
    ("    per version\n", "NFS", "rpcrdma_each_version"),
])
def test_rpc_has_a_connection_or_one_for_each_version(tmp_path, line, needs, how):
    row, = rows(tmp_path, f"RPCR-3.4.5-07\n  case responder calls-succeed: a WRITE\n{line}    say\n    expects success\n",
                "rpcrdma_chunks", "rpcrdma")
    assert f".needs = NEED_{needs}, .run = {how}, .on = calls_succeed," in row and '.says = ""' in row


def test_a_table_names_cases(tmp_path):
    found = rows(tmp_path, """
table SIZES: octets
  256
  257
MPA-7.1.2-10
  case /{octets} each SIZES responder long-data: {octets} octets
    expects a Reply
MPA-7.1.2-22
  case /{octets} each SIZES initiator long-data: {octets} octets
    after MPA-7.1.2-10/{octets}
    expects FPDUs
""", "mpa_frames")
    assert ids(found) == [("MPA_7_1_2_10", "256"), ("MPA_7_1_2_22", "256"), ("MPA_7_1_2_10", "257"), ("MPA_7_1_2_22", "257")]


HEAD = "MPA-4.1-06\n  case both taken: a stimulus\n"
EXPECTS = "    expects the device continues\n"


@pytest.mark.parametrize("text, line, words", [
    (HEAD, 2, "a case has a line `expects WHAT THE DEVICE HAS TO DO`"),
    (HEAD.replace("both ", ""), 2, "`case` and `mutant` have both or responder or initiator instead of SCENARIO, `case` also the word"),
    (HEAD.replace("both", "client") + EXPECTS, 2, "a case is both or responder or initiator, not client"),
    (HEAD.replace("taken", "taking") + EXPECTS, 2,
     "there is no function of mpa that judges by the word `taking`; perhaps taken; there are: all-lengths, compare-refusal, held-back,"),
    (HEAD + "    value answer-open\n" + EXPECTS, 2, "there is no value of mpa `answer-open`; there are: "),
    (HEAD + "    needs region\n" + EXPECTS, 2, "`needs` does not know region; there are: echo, receives, regions, rpc"),
    (HEAD + "    served write\n" + EXPECTS, 2, "`served` does not know write; there are: send, read-response"),
    (HEAD + "    part mpa-error\n" + EXPECTS, 2, "there is no part of these suites `mpa-error`; perhaps mpa-errors"),
    (HEAD + "    part ddp\n" + EXPECTS, 2, "there is no part of these suites `ddp`"),
    (HEAD + "    per version\n" + EXPECTS, 2, "`per version` is for what judges RPC-over-RDMA"),
    (HEAD + "    after MPA-4.2-03\n" + EXPECTS, 2, "there is no case in the same part to be `after MPA-4.2-03`"),
    (HEAD + "    after MPA-4.1-06\n" + EXPECTS, 2, "MPA-4.1-06 is to be after MPA-4.1-06, which is to be after it"),
    (HEAD + "    finds MPA-4.1-05\n" + EXPECTS, 3, "below a case there is one of: part, breaks, also, needs, say, value, served, per version, after, expects"),
    (HEAD + EXPECTS + EXPECTS, 4, "there are two lines `expects` of this case"),
    (HEAD + EXPECTS + HEAD.partition("\n")[2] + EXPECTS, 4, "MPA-4.1-06 is in "),
    (HEAD.replace("MPA-4.1-06", "MPA-4.1-99") + EXPECTS, 2, "the catalogue has no rule MPA-4.1-99"),
    (HEAD.replace("a stimulus", "{STIMULUS}") + EXPECTS, 2, "{STIMULUS} with 0 values has no `let`, or is no column"),
    ("MPA-4.1-06\n  mutant both: does nothing\n    when fpdu do drop\n", 2, "there is no case MPA-4.1-06 for the mutant to fail"),
    (HEAD + EXPECTS + "  mutant both: one\n    when fpdu do drop\n  mutant initiator: two\n    when fpdu do drop\n", 6,
     "MPA-4.1-06 has a mutant that is initiator in "),
])
def test_a_mistake_stops_the_build_where_it_is(tmp_path, text, line, words):
    result = run(tmp_path, text)
    assert result.returncode == 1
    assert result.stderr.startswith(f"{tmp_path}/mpa.cases:{line}: ") and words in result.stderr, result.stderr


def test_a_judge_of_several_parts_needs_the_part(tmp_path):
    room = tmp_path / "suite_other.c"
    room.write_text('static void cut(struct talk *talk,\n                const struct suite_case *row)\n{\n}\nconst struct suite suite_other = {"mpa",\n')
    cases = tmp_path / "mpa.cases"
    cases.write_text("MPA-5.1-06\n  case both cut: a stimulus\n" + EXPECTS)
    result = subprocess.run([sys.executable, ROOT / "rules/cases.py", "suites", tmp_path / "out", cases, *TABLES, *ROOMS, room],
                            capture_output=True, text=True, check=False)
    assert "cut is in several parts: say `part NAME`, of mpa-cuts, other" in result.stderr


def test_each_rule_has_its_cases_from_its_block_alone():
    """No row is left in C."""
    for room in ROOMS:
        assert not re.search(r"\{\.?(rule = )?RULE_\w+, ", room.read_text(encoding="utf-8")), room.name


def test_a_fault_in_an_old_conversation_is_one_of_old_rules(tmp_path):
    """Its capture has the name of the fault alone, by which tests choose the profile."""
    fault = "\n  violates old-msgp: something odd\n    change I fpdu from=1 mpa.crc=1\n"
    wrong = run(tmp_path, "\nMPA-4.1-05" + fault)
    assert wrong.returncode == 1 and "mpa.cases:3: captures of faults have their names alone" in wrong.stderr
    assert run(tmp_path, "\nRPCR0-4.1-01" + fault, "rpcrdma").returncode == 0
