"""`felt report`: shifts and days of a table as text, rows and a page, from journals of whole stories."""

from __future__ import annotations

import csv
import io
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from felt import cli
from felt.commands.console_archive import DiskArchive
from felt.config import load
from tests.evidence.evening import BEGIN, ROUND, STOP, SignedTable

STORIES = Path(__file__).parent.parent / "rounds" / "progressive_3_card_poker"
EVER = ["--from", "2000-01-01T00:00", "--to", "2100-01-01T00:00"]
CARD = re.compile(r"(?<![A-Za-z0-9])[2-9TJQKA][cdhs](?![A-Za-z0-9])")


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> SignedTable:
    return SignedTable(tmp_path_factory.mktemp("table"), BEGIN + ROUND, with_key=False)


UNKNOWN_STAKE = """press open
bets box 1: ante, progressive
press no more bets
deal box 1: As Ks Qs; dealer: Js Ts 2d
fold box 1
press reveal
press settle
lift 1.ante
lift 1.progressive
press settle
"""


def told(name: str) -> str:
    """A story of the book, without its title."""
    lines = (STORIES / f"{name}.round").read_text().splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith(("story:", "set ")))


def report(table: SignedTable, capsys: pytest.CaptureFixture[str], *words: str, status: int = 0) -> str:
    try:
        found = cli.main(["report", "--config", str(table.config_file), *words])
    except SystemExit as left:
        found = int(left.code or 0)
    output = capsys.readouterr()
    assert found == status, output.err
    return output.out or output.err


def section(text: str, heading: str) -> list[str]:
    return text.split(f"\n{heading}\n")[1].split("\n\n", maxsplit=1)[0].splitlines()


def test_rounds_bets_and_money_add_up(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = report(SignedTable(tmp_path, BEGIN + ROUND * 3 + STOP), capsys, *EVER)
    assert "Rounds settled: 3, void: 0. Amounts are in USD." in text
    bets = {line.split()[0]: line.split()[1:] for line in section(text, "Bets")}
    assert bets["ante"] == ["3", "75.00", "0.00", "75.00", "0.00", "75.00"]
    assert bets["progressive"] == ["3", "15.00", "0.00", "15.00", "0.00", "15.00"]
    assert section(text, "Contributions")[1].split() == ["major", "3.00"]
    chips = dict(re.split(r"  +", line.strip()) for line in section(text, "Progressive chips and bets"))
    assert (chips["progressive bets accepted"], chips["counts that did not agree"]) == ("3", "0")
    assert any("The table was stopped in good order." in line for line in section(text, "Starts, stops and the clock"))
    assert any("installed" in line for line in section(text, "Software changes"))


def test_money_that_nobody_knows_is_unknown_and_never_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = of_story(tmp_path, capsys, BEGIN + UNKNOWN_STAKE + ROUND)
    assert "Bets whose stake is unknown and in no sum: 1." in found[0][1]
    handle = lost = "25.00 and 1 unknown"
    assert rows_of(found, "Bets")[0] == ["ante", "2", handle, "0.00", lost, "0.00", "unknown"]


def test_a_jackpot_says_who_judged_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = report(SignedTable(tmp_path, told("denied_claim")), capsys, *EVER)
    assert "denied" in text.split("\nJackpots\n")[1].split("\nProgressive chips")[0]


def test_faults_entries_acts_and_open_alerts_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = report(SignedTable(tmp_path, told("entries_and_alerts")), capsys, *EVER)
    assert "opened or touched" in text.split("\nEntries and doors\n")[1].split("\nWhat persons did\n")[0]
    assert "acknowledged" in text.split("\nWhat persons did\n")[1].split("\nStarts")[0]
    assert "F-107" in text.split("\nFaults\n")[1].split("\nEntries")[0]
    acts = " ".join(text.split("\nWhat persons did\n")[1].split())
    assert "Tess acknowledged F-101 3.progressive. REFUSED:" in acts


def test_an_irregularity_is_told_with_its_paragraph_and_decision(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written = report(SignedTable(tmp_path, told("power_cut_in_deciding")), capsys, *EVER, "--as", "csv")
    asked = [row[1:] for row in csv.reader(io.StringIO(written)) if row[0] == "Irregularities"]
    assert asked[0] == ["when", "round", "what", "where", "paragraph", "because", "decision", "by"]
    assert len(asked) > 1
    for _, number, _, _, paragraph, because, decision, person in asked[1:]:
        assert number.isdecimal()
        assert because
        assert re.fullmatch(r"[\d.]+", paragraph)
        assert decision != "open"
        assert person


def test_what_is_outside_the_stretch_is_not_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = SignedTable(tmp_path, BEGIN + ROUND * 2)
    assert "Rounds settled: 0" in report(table, capsys, "--from", "2000-01-01T00:00", "--to", "2001-01-01T00:00")
    assert "Rounds settled: 0" in report(table, capsys, "--day", "1999-12-31")
    assert "Rounds settled: 0" in report(table, capsys, "--shift", "1999-12-31/2")
    said = "felt report: no period is named, or more than one; name one period: --shift, --day, or --from and --to\n"
    assert report(table, capsys, status=2) == said
    assert "is not a shift" in report(table, capsys, "--shift", "1999-12-31/9", status=2)


@pytest.mark.parametrize("words", [
    ("--day", "9999-12-31"),
    ("--day", "0001-01-01"),
    ("--shift", "2026-11-16/" + "1" * 5000),
    ("--shift", "9999-12-31/3"),
    ("--from", "0001-01-01T00:00"),
    ("--from", "2026-11-16T06:00", "--to", "9999-12-31T23:59:59-12:00"),
    ("--day", "2026-02-30"),
])  # fmt: skip
def test_a_stretch_that_no_calendar_knows_is_wrong_use_in_one_sentence(
    table: SignedTable, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    said = report(table, capsys, *words, status=2)
    assert said.startswith("felt report: --")
    assert len(said) < 200
    assert said.count("\n") == 1


def of_story(
    folder: Path, capsys: pytest.CaptureFixture[str], told: str, *words: str, status: int = 0
) -> list[list[str]]:
    """The report of a story, as rows with their section."""
    folder.mkdir(exist_ok=True)
    written = report(SignedTable(folder, told, with_key=False), capsys, *(words or EVER), "--as", "csv", status=status)
    return list(csv.reader(io.StringIO(written)))


def rows_of(found: list[list[str]], heading: str) -> list[list[str]]:
    return [row[1:] for row in found if row[0] == heading][1:]


def test_a_round_voided_after_its_end_is_void_in_report_and_replay(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = SignedTable(tmp_path, f"{BEGIN}{ROUND}Sam voids the round as shift manager because wrong cards\n{ROUND}")
    text = report(table, capsys, *EVER)
    assert "Rounds settled: 1, void: 1." in text
    assert " ".join(section(text, "Voids")[1].split()).endswith(" 1 5.21 wrong cards after its end")
    assert section(text, "Contributions")[1].split() == ["major", "1.00"]
    assert cli.main(["replay", str(table.journal), "1"]) == 0
    first = capsys.readouterr().out
    assert "3 bets, void by 5.21" in first
    assert "noted: Round 1 is void" in first
    assert "letter RoundVoided" in first
    assert cli.main(["replay", str(table.journal), "2"]) == 0
    assert "oid" not in capsys.readouterr().out.replace("key.void", "")
    assert cli.main(["replay", str(table.journal)]) == 0
    assert [line.split(", ")[-1] for line in capsys.readouterr().out.splitlines()] == ["void by 5.21", "paid $0.00"]
    archive = DiskArchive(load(table.config_file))
    assert "void by 5.21" in next(iter(archive.round(1, "")))
    assert sum(line.startswith("round ") for line in archive.rounds(5, "")) == 2


DAY = ("--day", "2027-01-15")


def test_every_void_is_listed_with_round_time_paragraph_and_reason_in_every_form(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """At the time at which it became void, not at which its bets were back."""
    dealt = ROUND.split("fold box 1")[0]
    voided = f"{dealt}Sam voids the round because the lamp fell\nwait 90 s\npress settle\n"
    lifted = "lift 1.ante, 1.pair_plus, 1.progressive\n"
    foreign = f"{dealt}dealer declares a foreign card\nsupervisor rules void\npress settle\n"
    after = f"{lifted}supervisor changes the deck\n{ROUND}"
    table = SignedTable(tmp_path, f"{BEGIN}{voided}{lifted}{foreign}{after}", with_key=False)
    rows = rows_of(list(csv.reader(io.StringIO(report(table, capsys, *DAY, "--as", "csv")))), "Voids")
    assert [(row[1], row[2], row[3]) for row in rows] == [("1", "5.21", "the lamp fell"), ("2", "5.8.1", rows[1][3])]
    assert "does not belong to the deck" in rows[1][3]
    events = rows_of(list(csv.reader(io.StringIO(report(table, capsys, *DAY, "--as", "csv")))), "What persons did")
    assert rows[0][0] == next(event[0] for event in events if "the lamp fell" in event[2])
    for form in ("text", "html"):
        told = " ".join(report(table, capsys, *DAY, "--as", form).split())
        assert all(part in told for row in rows for part in row)
    assert section(report(table, capsys, *DAY), "Rounds")[2].split() == ["void", "2", "1,", "2"]


def test_rounds_after_a_clock_that_was_wrong_are_counted_and_the_clock_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    forward = f"the wall clock steps forward 172800 s\n{ROUND}the wall clock steps back 172800 s\n"
    told = f"{BEGIN}{forward}{ROUND * 2}"
    found = of_story(tmp_path / "forward", capsys, told, *DAY, status=1)
    assert rows_of(found, "Rounds")[0][1:] == ["2", "2 to 3"]
    assert "The wall clock was set 2 times by a large step (+172800 s, -172800 s)" in found[0][1]
    back = "the wall clock is set to 2027-01-15\nthe wall clock steps forward 32400 s\n"
    told = f"{BEGIN}{ROUND * 2}the wall clock is set to 2001-01-01\n{STOP}{back}{BEGIN}{ROUND}"
    found = of_story(tmp_path / "dead", capsys, told, *DAY, status=1)
    assert rows_of(found, "Rounds")[0][1:] == ["3", "1 to 3"]


def test_amounts_have_the_minor_digits_of_the_tables_currency(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    yen = 'set table.currency.minor_digits = 0\nset table.currency.code = "JPY"\n'
    found = of_story(tmp_path, capsys, yen + BEGIN + ROUND.replace("$25", "$2,500").replace("$5,", "$500,"))
    assert rows_of(found, "Bets")[0] == ["ante", "1", "2500", "0", "2500", "0", "2500"]
    assert rows_of(found, "Contributions") == [["major", "100"]]


def test_money_that_did_not_play_is_no_handle(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = of_story(tmp_path / "excess", capsys, told("excess_and_short_bets"))
    assert rows_of(found, "Bets")[0] == ["ante", "2", "1010.00", "500.00", "0.00", "1010.00", "-1010.00"]
    begun = BEGIN + ROUND.split("fold box 1")[0]
    void = begun + "Sam voids the round as shift manager because wrong cards\npress settle\n"
    found = of_story(tmp_path / "void", capsys, void)
    assert rows_of(found, "Bets")[0] == ["ante", "0", "0.00", "25.00", "0.00", "0.00", "0.00"]


def test_a_jackpot_that_waits_is_listed_as_open_with_its_value(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    waiting = told("royal_in_hearts").split("supervisor confirms")[0]
    found = of_story(tmp_path, capsys, waiting)
    assert [row[1:] for row in rows_of(found, "Jackpots")] == [["1", "1.3", "3", "major", "12500.25", "open", ""]]


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [name for name, _ in attrs if name in ("src", "href", "onclick")]


def test_the_page_stands_alone_and_what_people_wrote_is_harmless(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    story = BEGIN + ROUND + "Sam takes the table out of service because <script>alert(1)</script>\n"
    table = SignedTable(tmp_path, story)
    page = report(table, capsys, *EVER, "--as", "html")
    parsed = _Tags()
    parsed.feed(page)
    assert "script" not in parsed.tags
    assert "&lt;script&gt;" in page
    assert not parsed.links
    assert {"html", "style", "h1", "h2", "table"} <= set(parsed.tags)


def test_no_form_tells_a_closed_card(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = SignedTable(tmp_path, told("evidence_names_a_card"))
    for form in ("text", "csv", "html"):
        assert not CARD.search(report(table, capsys, *EVER, "--as", form))


def test_without_a_table_file_it_is_wrong_use(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["report", "--day"]) == 2
    assert "--config FILE" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["report", "replay"])
def test_the_help_says_that_a_role_is_no_pin(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.main([command, "--help"])
    assert "no PIN is asked" in " ".join(capsys.readouterr().out.split())
