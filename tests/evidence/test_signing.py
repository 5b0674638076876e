"""The table signs with a library, and the laboratory verifies with its own arithmetic. The vectors of RFC 8032 hold for
both, and OpenSSL is the third opinion."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import pytest

from felt.evidence.felt_check import ORDER, is_signed, unpacked
from felt.evidence.signing import KeyUnusable, key_of_seed, read_key, write_new_key

# RFC 8032, 7.1: seed, public key, message, signature.
VECTORS = [
    (
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe2465"
        "5141438e7a100b",
    ),
    (
        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb0"
        "0d291612bb0c00",
    ),
    (
        "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc0"
        "27beceea1ec40a",
    ),
]
SPKI = bytes.fromhex("302a300506032b6570032100")  # how OpenSSL frames such a public key
PKCS8 = bytes.fromhex("302e020100300506032b657004220420")


@pytest.mark.parametrize(("seed", "public", "message", "signature"), VECTORS)
def test_the_vectors_of_the_rfc_hold(seed: str, public: str, message: str, signature: str) -> None:
    key = key_of_seed(bytes.fromhex(seed))
    assert key.public.hex() == public
    assert key.sign(bytes.fromhex(message)).hex() == signature
    assert is_signed(key.public, bytes.fromhex(message), bytes.fromhex(signature))


def test_openssl_and_we_accept_each_other_s_signatures(tmp_path: Path) -> None:
    chance = random.Random(8)
    seed, message = chance.randbytes(32), chance.randbytes(200)
    key = key_of_seed(seed)
    (tmp_path / "public.der").write_bytes(SPKI + key.public)
    (tmp_path / "private.der").write_bytes(PKCS8 + seed)
    (tmp_path / "message").write_bytes(message)
    (tmp_path / "ours").write_bytes(key.sign(message))
    verify = "openssl pkeyutl -verify -rawin -pubin -inkey public.der -keyform DER -in message -sigfile ours"
    sign = "openssl pkeyutl -sign -rawin -inkey private.der -keyform DER -in message -out theirs"
    for command in (verify, sign):
        subprocess.run(command.split(), cwd=tmp_path, check=True, capture_output=True)
    assert is_signed(key.public, message, (tmp_path / "theirs").read_bytes())


def test_a_signature_of_another_text_is_refused(full: bool) -> None:
    chance = random.Random(9)
    for _ in range(200 if full else 12):
        key, message = key_of_seed(chance.randbytes(32)), chance.randbytes(60)
        signature = bytearray(key.sign(message))
        assert is_signed(key.public, message, bytes(signature))
        signature[chance.randrange(64)] ^= 1 << chance.randrange(8)
        assert not is_signed(key.public, message, bytes(signature))
        assert not is_signed(key.public, message + b"x", key.sign(message))


def test_a_signature_has_only_one_form() -> None:
    key = key_of_seed(bytes(32))
    signature = key.sign(b"one")
    other = int.from_bytes(signature[32:], "little") + ORDER
    assert not is_signed(key.public, b"one", signature[:32] + other.to_bytes(32, "little"))
    assert not is_signed(key.public, b"one", signature[:63])
    assert unpacked((2**255 - 1).to_bytes(32, "little")) is None


def test_a_new_key_is_its_owner_s_alone_and_never_overwrites_one(tmp_path: Path) -> None:
    file = tmp_path / "journal.key"
    key = write_new_key(file)
    assert file.stat().st_mode & 0o777 == 0o600
    assert read_key(file.read_bytes()).public == key.public
    with pytest.raises(FileExistsError):
        write_new_key(file)
    with pytest.raises(KeyUnusable):
        read_key(file.read_bytes()[:-2])
    assert file.read_text().split()[-1] not in repr(key)
