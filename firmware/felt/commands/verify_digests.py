"""The content that `felt verify` computes digests of: installed software and packages, configuration in force,
rulebook with pay tables, and the journal's head. An export holds the same texts."""

from __future__ import annotations

import json

from felt.commands.rules import plain_rulebook
from felt.config import Config
from felt.config.terms import terms_of
from felt.evidence import digests
from felt.evidence.bytecode import foreign_bytecode
from felt.evidence.digests import Digests, whole
from felt.evidence.felt_check import digest_of
from felt.journal.reading import head_of
from felt.nouns.values import Value, to_plain
from felt.rules import shelf
from felt.wiring.devices import read_only_disk

OVERALL = "overall"


class JournalHead(Value):
    table: str
    genesis: str  # the chain after the first record, which identifies the journal
    seq: int
    chain: str

    def text(self) -> bytes:
        return f"{self.table} {self.genesis} {self.seq} {self.chain}\n".encode("ascii")


class Parts(Value):
    software: Digests
    packages: Digests
    bytecode: Digests  # compiled files that differ from their source: there should be none
    configuration: bytes  # empty: no configuration was named
    rules: dict[str, bytes]
    head: JournalHead | None  # None: there is no journal yet

    def answers(self, challenge: bytes = b"") -> dict[str, str]:
        """One digest per part, and one over all of them."""

        def of(contents: dict[str, bytes]) -> str:
            return whole({name: digest_of(content, challenge) for name, content in contents.items()}, challenge)

        found = {"software": whole(self.software, challenge), "packages": whole(self.packages, challenge)}
        if self.bytecode:
            found["bytecode"] = whole(self.bytecode, challenge)
        if self.configuration:
            found["configuration"] = of({"configuration.json": self.configuration})
            found["rules"] = of(self.rules)
        if self.head is not None:
            found["journal"] = of({"head": self.head.text()})
        return {**found, OVERALL: whole(found, challenge)}


def parts_of(config: Config | None, challenge: bytes = b"") -> Parts:
    software, packages, bytecode = digests.software(challenge), digests.packages(challenge), foreign_bytecode()
    if config is None:
        return Parts(software, packages, bytecode, b"", {}, None)
    texts = configuration_text(config), rules_texts(config)
    return Parts(software, packages, bytecode, *texts, journal_head(config))


def configuration_text(config: Config) -> bytes:
    """Everything in force. Of dealers only the names, because even the digest of a four-digit code reveals the code
    to anybody who tries them all."""
    plain = config.plain()
    plain["dealers"] = sorted(config.dealers)
    return _canonical(plain)


def rules_texts(config: Config) -> dict[str, bytes]:
    """The rulebook with everything it prints, and what the house sets where the rulebook leaves it open."""
    book = shelf.rulebook(config.game.id)
    return {
        f"rules/{book.id}.json": _canonical(plain_rulebook(book)),
        "rules/terms.json": _canonical(to_plain(terms_of(config))),
    }


def journal_head(config: Config) -> JournalHead | None:
    folder = config.path(config.journal.folder)
    found = head_of(read_only_disk(folder)) if folder.is_dir() else None
    return None if found is None else JournalHead(config.table.id, *found)


def _canonical(plain: object) -> bytes:
    return (json.dumps(plain, sort_keys=True, ensure_ascii=False, separators=(",", ":")) + "\n").encode()
