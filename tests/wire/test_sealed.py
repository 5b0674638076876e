"""The envelope holds what was put in, and nobody can open one that was changed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from felt.nouns.keyring import Keyring, KeyringError, LinkKey, read_keyring, write_keyring
from felt.wire.bulletin import read_presence, read_sign, table_of, up_topic, write_presence, write_sign
from felt.wire.jackpot import WireError
from felt.wire.sealed import SEALED_BYTES_MAX, Breach, OpenedEnvelope, Purpose, SealError, open_sealed, seal

OLD, NEW = LinkKey("k1", b"\x01" * 32), LinkKey("k2", b"\x02" * 32)
ONLY_OLD = Keyring(OLD)
SESSION = "0123456789abcdef"
SEALED = seal(Purpose.UP, "T1", OLD, SESSION, 7, b'{"a":1}')


def breach_of(data: bytes, way: Purpose = Purpose.UP, table: str = "T1", keyring: Keyring = ONLY_OLD) -> Breach:
    with pytest.raises(SealError) as caught:
        open_sealed(data, way, table, keyring)
    return caught.value.breach


@given(st.binary(max_size=200), st.integers(0, 10**15 - 1))
def test_a_sealed_message_is_opened_as_it_was(content: bytes, number: int) -> None:
    sealed = seal(Purpose.UP, "T1", OLD, SESSION, number, content)
    assert open_sealed(sealed, Purpose.UP, "T1", Keyring(OLD)) == OpenedEnvelope("k1", SESSION, number, content)


def test_no_bit_of_an_envelope_can_be_changed() -> None:
    for place in range(len(SEALED) * 8):
        altered = bytearray(SEALED)
        altered[place // 8] ^= 1 << place % 8
        with pytest.raises(SealError):
            open_sealed(bytes(altered), Purpose.UP, "T1", Keyring(OLD))


def test_no_envelope_can_be_cut_or_lengthened() -> None:
    for length in range(len(SEALED)):
        with pytest.raises(SealError):
            open_sealed(SEALED[:length], Purpose.UP, "T1", Keyring(OLD))
    assert breach_of(SEALED + b" ") is Breach.FORGED


def test_a_letter_does_not_pass_for_an_answer() -> None:
    assert breach_of(SEALED, Purpose.DOWN) is Breach.MISDIRECTED
    turned = SEALED.replace(b" up ", b" down ", 1)
    assert breach_of(turned, Purpose.DOWN) is Breach.FORGED


def test_a_table_does_not_pass_for_another_even_with_its_key() -> None:
    assert breach_of(SEALED, table="T2") is Breach.MISDIRECTED
    assert breach_of(SEALED.replace(b" T1 ", b" T2 ", 1), table="T2") is Breach.FORGED


def test_an_envelope_of_an_unknown_key_or_a_key_of_the_same_name_is_refused() -> None:
    assert breach_of(SEALED, keyring=Keyring(NEW)) is Breach.UNKNOWN_KEY
    assert breach_of(SEALED, keyring=Keyring(LinkKey("k1", b"\x03" * 32))) is Breach.FORGED


def test_during_a_rotation_both_keys_are_good_and_the_first_is_used() -> None:
    both = Keyring(NEW, OLD)
    assert open_sealed(SEALED, Purpose.UP, "T1", both).key_id == "k1"
    assert open_sealed(seal(Purpose.UP, "T1", both.current, SESSION, 8, b""), Purpose.UP, "T1", both).key_id == "k2"


def test_another_version_is_told_apart_from_junk() -> None:
    assert breach_of(SEALED.replace(b"felt/1", b"felt/2", 1)) is Breach.OTHER_VERSION
    assert breach_of(b"") is Breach.MALFORMED
    assert breach_of(b"\xff" * 1000) is Breach.MALFORMED
    assert breach_of(b"x" * (SEALED_BYTES_MAX + 1)) is Breach.OVERSIZED


@given(st.binary(max_size=400))
def test_junk_is_a_seal_error_and_nothing_else(data: bytes) -> None:
    with pytest.raises(SealError):
        open_sealed(data, Purpose.UP, "T1", Keyring(OLD))


def test_a_keyring_comes_back_from_its_text_and_shows_no_secret() -> None:
    both = Keyring(NEW, OLD)
    assert read_keyring("# made for T1\n\n" + write_keyring(both)) == both
    assert OLD.secret.hex() not in repr(both)
    assert both.ids() == ("k2", "k1")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "0 keys"),
        ("k1 abc", "line 1"),
        ("k1 " + "00" * 32 + "\nk1 " + "11" * 32, "both keys are named k1"),
        ("\n".join(f"k{number} " + "00" * 32 for number in range(3)), "3 keys"),
    ],
)
def test_a_text_that_holds_no_keys_is_refused_without_repeating_it(text: str, problem: str) -> None:
    with pytest.raises(KeyringError, match=problem) as caught:
        read_keyring(text)
    assert "0000" not in str(caught.value)


def test_the_sign_and_a_presence_come_back_from_their_bytes() -> None:
    assert read_sign(write_sign({"major": 5, "minor": 0})) == {"major": 5, "minor": 0}
    assert (read_presence(write_presence(True)), read_presence(write_presence(False))) == (True, False)


@pytest.mark.parametrize(
    "content",
    [
        b"", b"[]", b"\xff", b"[" * 100_000, b'{"is":"Sign"}', b'{"is":"Sing","meters":{}}',
        b'{"is":"Sign","meters":{"major":-1}}', b'{"is":"Sign","meters":{"major":1.5}}',
        b'{"is":"Sign","meters":[]}', b'{"is":"Presence","here":1}',
    ],
)  # fmt: skip
def test_a_bulletin_that_makes_no_sense_is_a_wire_error(content: bytes) -> None:
    with pytest.raises(WireError):
        read_sign(content)
    with pytest.raises(WireError):
        read_presence(content)


def test_a_topic_names_its_part_and_table_or_nothing() -> None:
    assert table_of(up_topic("main", "T1"), "main") == ("up", "T1")
    for topic in ("felt/main/up", "felt/other/up/T1", "felt/main/down/T1", "felt/main/up/T1/more", ""):
        assert table_of(topic, "main") == ("", "")
