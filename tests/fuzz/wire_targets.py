"""What comes over lines and brokers: the shuffler's bytes at both ends, envelopes, messages, letters, the sign, and
whole conversations with the jackpot controller."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from felt.jackpot.controller.office import Office
from felt.jackpot.ledger.rows import rows_of
from felt.jackpot.ledger.sqlite import MemoryLedger
from felt.letters.from_controller import Acked, Pong, Refused, Valued
from felt.letters.from_table import LETTERS, NAME_OF, Posted, write
from felt.nouns.keyring import Keyring, LinkKey
from felt.nouns.values import ShapeError
from felt.table import facts
from felt.wire import bulletin
from felt.wire.adapters.adapter import Adapter, CardLeft, CardsLeft, DeckTold, Greeted
from felt.wire.adapters.felt_1 import Felt1
from felt.wire.adapters.simple_shoe import SimpleShoe, encode_line
from felt.wire.jackpot import Message, WireError, decode, encode, read_letter
from felt.wire.sealed import Purpose, SealError, open_sealed, seal
from felt.wire.shuffler import (
    Ack,
    CommandReader,
    OneCard,
    encode_ack,
    encode_ask_hello,
    encode_card,
    encode_dispense,
    encode_frame,
    encode_heartbeat,
    encode_hello,
    encode_packet,
    encode_welcome,
)
from tests.fuzz.target import Target, is_one_sentence
from tests.jackpot.evening import MAJOR, ROYAL, Sender, claim, stamp

KEYS = Keyring(LinkKey("k1", b"\x01" * 32), LinkKey("k0", b"\x02" * 32))
SESSION = "0123456789abcdef"

# --- the shuffler ------------------------------------------------------------------------------------


def in_pieces(content: bytes) -> list[bytes]:
    """Cut by its own bytes, so that the same content is always cut the same way."""
    pieces, at = [], 0
    while at < len(content):
        size = 1 + content[at] % 7
        pieces.append(content[at : at + size])
        at += size
    return pieces


def check_felt_1(content: bytes) -> None:
    _hears_on(Felt1(), Felt1(), content, encode_hello(1, 0xFE17, "found"), Greeted)


def check_simple_shoe(content: bytes) -> None:
    _hears_on(SimpleShoe(), SimpleShoe(), content, b"\n" + encode_line("S00052R"), DeckTold)


def _hears_on(whole: Adapter, cut: Adapter, content: bytes, good: bytes, known: type) -> None:
    """The cuts do not matter, and the next good frame is found, whatever came before."""
    events = [*whole.receive(content), *whole.receive(good)]
    pieces = [event for piece in (*in_pieces(content), good) for event in cut.receive(piece)]
    assert events == pieces
    assert isinstance(events[-1], known), events[-1]
    assert all(len(getattr(event, "raw", b"")) <= 64 for event in events)
    for event in events:
        if isinstance(event, CardsLeft):
            assert all(isinstance(card, CardLeft) for card in event.cards)


def check_commands(content: bytes) -> None:
    whole, cut = CommandReader(), CommandReader()
    for piece in (content, encode_ack(77)):
        whole.receive(piece)
    for piece in (*in_pieces(content), encode_ack(77)):
        cut.receive(piece)
    told = list(whole)
    assert told == list(cut)
    assert told[-1] == Ack(77)


def check_frames(content: bytes) -> None:
    """Frames with a correct check: a kind, a number, a length, and that many bytes of payload, repeated."""
    stream, at = b"", 0
    while at + 4 <= len(content):
        kind, number, size = content[at], int.from_bytes(content[at + 1 : at + 3], "big"), content[at + 3] % 193
        stream += encode_frame(kind, number, content[at + 4 : at + 4 + size])
        at += 4 + size
    check_felt_1(stream)
    check_commands(stream)


def device_frames() -> list[bytes]:
    ace, two = OneCard(ROYAL[0]), OneCard(ROYAL[1])
    frames = [encode_hello(1, 7, "a shuffler"), encode_card(2, 1, ace), encode_packet(3, 2, [ace, two])]
    frames += [encode_heartbeat()]
    return [*frames, b"".join(frames)]


def command_frames() -> list[bytes]:
    frames = [encode_ack(3), encode_welcome(1, 1), encode_ask_hello(), encode_dispense(1, 2, 3, 4)]
    return [*frames, b"".join(frames)]


def frame_contents() -> list[bytes]:
    return [bytes([kind, 0, number, 4]) + b"As2d" for number, kind in enumerate((*range(1, 12), 64, 65, 66, 67), 1)]


def shoe_lines() -> list[bytes]:
    lines = ["IA shoe", "S00052R", "C00AsF", "C012dT", "S02050RFJD"]
    return [*map(encode_line, lines), b"".join(map(encode_line, lines))]


# --- the jackpot's messages --------------------------------------------------------------------------


def check_envelope(content: bytes) -> None:
    for way, name in ((Purpose.UP, "T1"), (Purpose.DOWN, "T1"), (Purpose.SIGN, "link"), (Purpose.HERE, "T1")):
        try:
            opened = open_sealed(content, way, name, KEYS)
        except SealError as error:
            assert is_one_sentence(error), str(error)
        else:
            key = KEYS.named(opened.key_id)
            assert key is not None
            again = seal(way, name, key, opened.session, opened.number, opened.content)
            assert open_sealed(again, way, name, KEYS) == opened


def check_message(content: bytes) -> None:
    try:
        message = decode(content)
    except WireError as error:
        assert is_one_sentence(error), str(error)
    else:
        assert decode(encode(message)) == message


def check_letter(content: bytes) -> None:
    """A kind on the first line, then the text."""
    kind, _, text = content.decode("utf-8", "surrogateescape").partition("\n")
    try:
        letter = read_letter(kind, text)
    except WireError as error:
        assert is_one_sentence(error), str(error)
    else:
        assert NAME_OF[type(letter)] == kind
        assert read_letter(kind, write(letter)) == letter


def check_bulletin(content: bytes) -> None:
    try:
        meters = bulletin.read_sign(content)
        assert bulletin.read_sign(bulletin.write_sign(meters)) == meters
    except WireError as error:
        assert is_one_sentence(error), str(error)
    try:
        here = bulletin.read_presence(content)
        assert bulletin.read_presence(bulletin.write_presence(here)) is here
    except WireError as error:
        assert is_one_sentence(error), str(error)


def check_office(content: bytes) -> None:
    """One message a line. A refused message has changed nothing, a taken one conserves the money, and all of it is in
    the ledger: an office opened on that ledger reaches the same state."""
    ledger = MemoryLedger()
    office = Office(ledger, [MAJOR])
    for line in content.split(b"\n"):
        before = rows_of(office.standing)
        answers = [decode(answer) for answer in office.receive(line)]
        assert all(isinstance(answer, Acked | Refused | Valued | Pong) for answer in answers)
        if not answers or isinstance(answers[0], Refused):
            assert rows_of(office.standing) == before
        for answer in answers:
            assert not isinstance(answer, Refused) or is_one_sentence(answer.reason)
    report = office.report()
    assert report.conserved, report.problem
    assert rows_of(Office(ledger, [MAJOR]).standing) == rows_of(office.standing)


def evening() -> list[bytes]:
    """Messages of a table: rounds, voids, a denied claim and a paid one."""
    table = Sender(Office(MemoryLedger(), [MAJOR]))
    table.play(1, 1, 2)
    table.end(1, 1000, accepted=2)
    table.lock(2, 1)
    table.void(2)
    table.play(3, 1, 5, claims=(claim(3, 5),))
    table.deny(3, "3.5")
    (valued,) = table.play(4, 1, claims=(claim(4, 1, 1, 4),))
    table.confirm(4, "4.1", valued.award_minor)
    return table.posted


def letters() -> list[bytes]:
    posted = [message for message in map(decode, evening()) if isinstance(message, Posted)]
    return list({message.kind: f"{message.kind}\n{message.body}".encode() for message in posted}.values())


def envelopes() -> list[bytes]:
    message = encode(Pong("T1", "n1", 3, {"major": 5}))
    ways: Iterable[tuple[Purpose, str]] = (
        (Purpose.UP, "T1"),
        (Purpose.DOWN, "T1"),
        (Purpose.SIGN, "link"),
        (Purpose.HERE, "T1"),
    )
    return [seal(way, name, KEYS.current, SESSION, 1, message) for way, name in ways]


def messages() -> list[bytes]:
    others: list[Message] = [Acked("T1", "n1", 1, 2), Refused("T1", "n1", 1, "gap"), Valued("T1", "n1", "1.1", 5, 4)]
    return [*evening()[:3], *map(encode, others), encode(Pong("T1", "n1", 3, {"major": 5}))]


# --- what a journal's line says ----------------------------------------------------------------------


def check_fact(content: bytes) -> None:
    try:
        fact = facts.decode(content.decode("utf-8", "replace"))
    except ShapeError as error:
        assert str(error)
    else:
        assert facts.decode(facts.encode(fact)) == fact


def some_facts() -> list[bytes]:
    at = stamp(1)
    told: list[facts.Fact] = [facts.OpenPressed(at), facts.TableOpened(at, "Ada"), facts.SeatPressed(at, 1)]
    return [facts.encode(fact).encode() for fact in told]


WORDS = (b"RoundLocked", b"RoundResult", b"Posted", b"Ping", b'"v":1', b'"sequence":', b"T1", b"T2", b"n1", *(
    name.encode() for name in LETTERS
))  # fmt: skip
Seeds = Callable[[], Sequence[bytes]]

WIRE: dict[str, Target] = {
    "felt-1": Target(check_felt_1, device_frames, (b"\x7e", b"\x7d", b"\x7d\x5e", b"\x7d\x5d"), 60),
    "felt-1-commands": Target(check_commands, command_frames, (b"\x7e", b"\x7d"), 60),
    "felt-1-frames": Target(check_frames, frame_contents, (b"As", b"??", b"Zz"), 60),
    "simple-shoe": Target(check_simple_shoe, shoe_lines, (b"C", b"S", b"I", b"\n"), 60),
    "envelope": Target(check_envelope, envelopes, (b"felt/1 ", b"felt/2 ", b" up ", b" k1 "), 60),
    "message": Target(check_message, messages, WORDS, 60),
    "letter": Target(check_letter, letters, WORDS, 60),
    "bulletin": Target(
        check_bulletin, lambda: [bulletin.write_sign({"major": 5, "x/y": 0}), bulletin.write_presence(True)], (), 60
    ),
    "office": Target(check_office, lambda: [b"\n".join(evening()[:count]) for count in (1, 4, 9, 99)], WORDS, 20),
    "fact": Target(check_fact, some_facts, (), 60),
}
