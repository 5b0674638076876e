"""`felt report`: shifts and days of a table as text, rows and a page, from journals of whole stories."""

from __future__ import annotations

import csv
import io
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from felt import cli
from tests.evidence.evening import BEGIN, ROUND, STOP, SignedTable

STORIES = Path(__file__).parent.parent / "rounds" / "progressive_3_card_poker"
EVER = ["--from", "2000-01-01T00:00", "--to", "2100-01-01T00:00"]
CARD = re.compile(r"(?<![A-Za-z0-9])[2-9TJQKA][cdhs](?![A-Za-z0-9])")

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
    assert bets["ante"] == ["3", "75.00", "75.00", "0.00", "75.00"]
    assert bets["progressive"] == ["3", "15.00", "15.00", "0.00", "15.00"]
    assert section(text, "Contributions")[1].split() == ["major", "3.00"]
    chips = dict(re.split(r"  +", line.strip()) for line in section(text, "Progressive chips and bets"))
    assert (chips["progressive bets accepted"], chips["counts that did not agree"]) == ("3", "0")
    assert any("The table stopped in good order." in line for line in section(text, "Starts, stops and the clock"))
    assert any("installed" in line for line in section(text, "Software changes"))


def test_money_that_nobody_knows_is_unknown_and_never_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = report(SignedTable(tmp_path, BEGIN + UNKNOWN_STAKE + ROUND), capsys, *EVER)
    assert "Bets whose stake is unknown and in no sum: 1." in " ".join(text.split())
    ante = next(line for line in section(text, "Bets") if line.strip().startswith("ante "))
    handle = lost = "25.00 and 1 unknown"
    assert re.split(r"  +", ante.strip()) == ["ante", "2", handle, lost, "0.00", "unknown"]


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
    assert "one stretch is reported" in report(table, capsys, status=1)
    assert "is no shift" in report(table, capsys, "--shift", "1999-12-31/9", status=1)


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
