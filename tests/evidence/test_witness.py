"""A witness that was not restored finds an older state that is restored whole, journal and ledger together. It also
misses a list of checkpoints that was taken away."""

from __future__ import annotations

from pathlib import Path

import pytest

from felt import cli
from felt.evidence.checkpoints import write_checkpoint
from felt.evidence.felt_check import CHECKPOINTS, NOTHING, read_checkpoints
from felt.evidence.witness import WITNESS
from felt.jackpot.ledger.sqlite import MemoryLedger
from felt.loop.boot import BootRefused
from felt.stories.evening import Evening
from felt.table.state import Phase
from felt.virtual.disk import ForgetfulDisk
from tests.evidence.evening import BEGIN, ROUND, SignedTable

State = dict[str, bytes]


def begun(folder: Path, disk: ForgetfulDisk | None = None) -> Evening:
    evening = Evening(overrides=(f"journal.witness={folder / 'witness'}",), disk=disk)
    evening.order("TableOpened", person="supervisor")
    return evening


def play(evening: Evening, rounds: int = 1) -> None:
    for _ in range(rounds):
        evening.press("open")
        evening.press("no_more_bets")
        evening.until(lambda: evening.phase is Phase.VOIDING)
        evening.press("settle")
    assert evening.phase is Phase.IDLE


def state_of(evening: Evening) -> State:
    return {name: evening.disk.read(name) for name in evening.disk.names()}


def put_back(evening: Evening, state: State) -> None:
    evening.power_cut()
    evening.disk.power_on()
    for name in evening.disk.names():
        evening.disk.remove(name)
    for name, content in state.items():
        evening.disk.replace(name, content)


def faults_of(evening: Evening) -> list[str]:
    return [fault.code for fault in evening.table.service.faults]


def test_a_journal_that_continues_starts_again_and_again(tmp_path: Path) -> None:
    evening = begun(tmp_path)
    for rounds in (0, 1, 3):
        play(evening, rounds)
        evening.power_cut()
        evening.boot()
        assert not {"F-412", "F-413"} & set(faults_of(evening))
    assert evening.running is not None
    evening.running.loop.stop()
    evening.boot()
    assert "F-413" not in faults_of(evening)


@pytest.mark.parametrize("rounds", [0, 1, 2])
def test_an_older_state_is_found_at_the_next_start(rounds: int, tmp_path: Path) -> None:
    evening = begun(tmp_path)
    play(evening, rounds)
    older = state_of(evening)
    play(evening)
    put_back(evening, older)
    with pytest.raises(BootRefused, match=r"F-412: .* has seen record \d+, but the journal ends at record \d+") as told:
        evening.boot()
    assert "put back the newer journal and ledger" in str(told.value)


def test_an_older_state_that_was_played_on_elsewhere_is_found_too(tmp_path: Path) -> None:
    evening = begun(tmp_path)
    older = state_of(evening)
    play(evening)
    witness = (tmp_path / "witness" / WITNESS).read_bytes()
    put_back(evening, older)
    evening.ledger = MemoryLedger()  # as it was before the first round
    evening.office = evening.new_office()
    (tmp_path / "witness" / WITNESS).unlink()
    evening.boot()
    evening.order("TableOpened", person="supervisor")
    play(evening, 3)
    (tmp_path / "witness" / WITNESS).write_bytes(witness)
    evening.power_cut()
    with pytest.raises(BootRefused, match=r"F-412: .* with another chain"):
        evening.boot()


def test_another_journal_is_not_taken_for_the_one_that_was_seen(tmp_path: Path) -> None:
    play(begun(tmp_path))
    with pytest.raises(BootRefused, match=r"F-412: .* has seen another journal; if a new journal was started"):
        Evening(seed=1, overrides=(f"journal.witness={tmp_path / 'witness'}", "lock.drain_ms=400"))


def test_a_witness_of_another_table_is_named(tmp_path: Path) -> None:
    play(begun(tmp_path))
    with pytest.raises(BootRefused, match=r"F-412: .* belongs to table .*; give each table a folder of its own"):
        Evening(overrides=(f"journal.witness={tmp_path / 'witness'}", "table.id=T99"))


def test_a_witness_that_is_damaged_is_refused_in_a_sentence(tmp_path: Path) -> None:
    evening = begun(tmp_path)
    (tmp_path / "witness" / WITNESS).write_bytes(b"\xff\n")
    evening.power_cut()
    with pytest.raises(BootRefused, match=r"F-412: .* is damaged; keep it as evidence"):
        evening.boot()


def test_a_missing_witness_is_reported_and_play_goes_on(tmp_path: Path) -> None:
    evening = begun(tmp_path)
    play(evening)
    (tmp_path / "witness" / WITNESS).unlink()
    evening.power_cut()
    evening.boot()
    assert "F-413" in faults_of(evening)
    play(evening)
    assert (tmp_path / "witness" / WITNESS).is_file()


def test_a_witness_that_cannot_be_written_is_reported_once_and_play_goes_on(tmp_path: Path) -> None:
    evening = begun(tmp_path)
    for file in (tmp_path / "witness").iterdir():
        file.unlink()
    (tmp_path / "witness").rmdir()
    (tmp_path / "witness").write_text("a file where the folder was")
    play(evening, 2)
    assert faults_of(evening).count("F-413") == 1
    (tmp_path / "witness").unlink()
    play(evening)
    assert (tmp_path / "witness" / WITNESS).is_file()


# --- commands ------------------------------------------------------------------------------------------


def felt(*words: str) -> int:
    try:
        return cli.main(words)
    except SystemExit as left:
        return int(left.code or 0)


@pytest.mark.parametrize("inside", ["state/witness", "state", "state/journal/witness", "other/../state/x", "ledgers/x"])
def test_a_witness_inside_the_state_is_refused_by_the_check(
    inside: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "table.toml"
    file.write_text(
        f'[journal]\nfolder = "{tmp_path}/state/journal"\nwitness = "{tmp_path}/{inside}"\n'
        f'[jackpot]\nledger = "{tmp_path}/ledgers/jackpot.ledger"\n'
    )
    assert felt("check", "--config", str(file)) == 1
    said = capsys.readouterr().err
    assert "journal.witness" in said
    assert "name a folder outside of it" in said
    assert felt("check", "--config", str(file), "--set", f"journal.witness={tmp_path}/witness") == 0


@pytest.mark.parametrize("command", [["audit"], ["verify", "--full"]])
def test_audit_and_verify_hold_the_journal_against_the_witness(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "box").mkdir()
    witness = f'set journal.witness = "{tmp_path / "witness"}"\n'
    table = SignedTable(tmp_path / "box", witness + BEGIN + ROUND * 2)
    words = [command[0], "--config", str(table.config_file), "--set", f"journal.witness={tmp_path / 'witness'}"]
    assert felt(*words, *command[1:]) == 0
    segment, attested = table.journal / "journal-00000001.felt", table.journal / CHECKPOINTS
    first = attested.read_bytes().splitlines(keepends=True)[0]
    attested.write_bytes(first)
    lines = segment.read_bytes().splitlines(keepends=True)
    segment.write_bytes(b"".join(lines[: read_checkpoints(first)[0].seq]))
    for file in [*table.journal.glob("snapshot*"), *(tmp_path / "box").glob("audit/*")]:
        file.unlink()
    assert felt(*words, *command[1:]) == 1
    assert "the witness outside of the state has seen record" in "".join(capsys.readouterr())


@pytest.mark.parametrize("with_key", [True, False])
@pytest.mark.parametrize("command", [["audit"], ["verify", "--full"]])
def test_a_list_of_checkpoints_that_was_replaced_by_a_new_one_is_missed(
    command: list[str], with_key: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = SignedTable(tmp_path, BEGIN + ROUND * 2, with_key=with_key)
    assert felt("audit", "--config", str(table.config_file)) == 0
    attested = table.journal / CHECKPOINTS
    last = read_checkpoints(attested.read_bytes())[-1]
    # As the table itself begins a list where it finds none.
    attested.write_bytes(write_checkpoint(last._replace(number=1, before=NOTHING), table.key))
    assert felt(command[0], "--config", str(table.config_file), *command[1:]) == 1
    assert "the last good audit saw 2 checkpoints, and 1 are left" in "".join(capsys.readouterr())
