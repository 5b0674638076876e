"""A table's end of the jackpot's link, written from hw/jackpot-protocol.md alone: it knows nothing of the firmware. It
plays two rounds, the second with a jackpot, says what it heard and ends with 0.

    python strangers_table.py PORT LINK TABLE KEYS [DEFECT]

DEFECT is a mistake that a maker might make: `forgets` posts nothing a second time, `repeats_numbers` does not count its
envelopes, `loose` writes its letters with blanks, `wrong_sums` counts its awards wrongly.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import queue
import re
import secrets
import sys
import time
from pathlib import Path
from typing import Any

import paho.mqtt.client as mqtt
from paho.mqtt.enums import CallbackAPIVersion

PORT, LINK, TABLE, KEYS = int(sys.argv[1]), sys.argv[2], sys.argv[3], Path(sys.argv[4])
DEFECT = sys.argv[5] if len(sys.argv) > 5 else ""
PATIENCE_S = 60.0
RESEND_S, PING_S = 2.0, 1.0
STAKE = 500


def keys_in(name: str) -> dict[str, bytes]:
    lines = [line.split() for line in (KEYS / name).read_text().splitlines() if line and not line.startswith("#")]
    return {key: bytes.fromhex(secret) for key, secret in lines}


def compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


class Table:
    def __init__(self) -> None:
        self.own = keys_in("own.keys")
        self.key_id = next(iter(self.own))
        self.session, self.number = secrets.token_hex(8), 0
        self.nonce, self.boot = secrets.token_hex(8), secrets.token_hex(4)
        self.heard: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self.unanswered: dict[int, tuple[str, str]] = {}
        self.posted: dict[int, float] = {}
        self.written = 0
        self.pinged = 0.0
        self.meters: dict[str, int] = {}
        self.edition = 0
        self.value: dict[str, Any] | None = None
        self.sample: tuple[str, int, int] = ("", 0, 0)
        self.client = mqtt.Client(CallbackAPIVersion.VERSION2, f"stranger-{TABLE}", protocol=mqtt.MQTTv5)
        here = compact({"is": "Presence", "here": False})
        self.client.will_set(f"felt/{LINK}/here/{TABLE}", self.sealed("here", here, "0" * 16, 0), 1, True)
        self.client.on_message = lambda _client, _data, message: self.heard.put(bytes(message.payload))
        self.client.connect("127.0.0.1", PORT)
        self.client.subscribe(f"felt/{LINK}/down/{TABLE}", 1)
        self.client.loop_start()
        self.say("here", compact({"is": "Presence", "here": True}), retain=True)

    def sealed(self, way: str, content: str, session: str, number: int) -> bytes:
        header = f"felt/1 {way} {TABLE} {self.key_id} {session} {number}"
        mac = hmac.new(self.own[self.key_id], f"{header}\n{content}".encode(), hashlib.sha256).hexdigest()
        return f"{header} {mac}\n{content}".encode()

    def say(self, way: str, content: str, *, retain: bool = False) -> None:
        if not (DEFECT == "repeats_numbers" and self.number > 3):
            self.number += 1
        sealed = self.sealed(way, content, self.session, self.number)
        self.client.publish(f"felt/{LINK}/{way}/{TABLE}", sealed, 1, retain)

    def stamp(self) -> list[Any]:
        return [self.boot, time.monotonic_ns(), time.time_ns()]

    def letter(self, kind: str, **parts: Any) -> None:
        text = compact({"is": kind, **parts})
        self.written += 1
        self.unanswered[self.written] = (kind, text.replace(",", ", ") if DEFECT == "loose" else text)

    def turn(self) -> None:
        now = time.monotonic()
        for sequence, (kind, body) in self.unanswered.items():
            last = self.posted.get(sequence)
            if last is None or (now - last > RESEND_S and DEFECT != "forgets"):
                self.posted[sequence] = now
                self.say("up", compact({
                    "is": "Posted", "table": TABLE, "nonce": self.nonce, "sequence": sequence, "kind": kind,
                    "body": body, "head_sequence": sequence, "head_hash": "cd" * 32,
                }))  # fmt: skip
        if now - self.pinged > PING_S:
            self.pinged = now
            boot, controller_ns, heard_ns = self.sample
            self.say("up", compact({
                "is": "Ping", "table": TABLE, "nonce": self.nonce, "last_sequence": self.written, "boot": self.boot,
                "sent_ns": time.monotonic_ns(), "card_late_ns": 20_000_000, "heard_boot": boot,
                "heard_controller_ns": controller_ns, "heard_ns": heard_ns,
            }))  # fmt: skip
        try:
            self.hear(self.heard.get(timeout=0.05))
        except queue.Empty:
            return

    def hear(self, data: bytes) -> None:
        header, _, content = data.partition(b"\n")
        line, _, mac = header.rpartition(b" ")
        found = re.fullmatch(rb"felt/1 down (\S+) (\S+) ([0-9a-f]{16}) ([0-9]{1,15})", line)
        if found is None or found[1].decode() != TABLE or found[2].decode() not in self.own:
            return
        right = hmac.new(self.own[found[2].decode()], line + b"\n" + content, hashlib.sha256).hexdigest()
        if not hmac.compare_digest(right.encode(), mac) or found[3].decode() != self.session:
            return
        told = json.loads(content)
        if told["nonce"] != self.nonce:
            return
        if told["is"] == "Acked":
            self.unanswered.pop(told["sequence"], None)
            assert DEFECT or not told["differs"], told
        elif told["is"] == "Refused":
            assert told["reason"] == "gap", told
        elif told["is"] == "Valued":
            self.value = told
        elif told["is"] == "Pong":
            self.meters, self.edition = told["meters"], told["edition"]
            self.sample = (told["controller_boot"], told["controller_ns"], time.monotonic_ns())

    def until(self, truth: Any, what: str) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while not truth():
            assert time.monotonic() < deadline, f"it did not happen: {what}"
            self.turn()

    def round(self, number: int, hit: bool) -> None:
        registered = self.meters.get("major", 0)
        self.letter(
            "RoundLocked", round=number, locked_at=self.stamp(), contributions=[[2, STAKE]],
            edition=self.edition,
        )
        dealt = self.stamp()
        self.letter("RoundDealt", round=number, dealt_at=dealt, hands=[[2, dealt[1], 0]])
        claim = {
            "claim": f"{number}.2", "seat": 2, "level": "major", "share_num": 1, "share_den": 1,
            "rank": "royal_flush", "cards": ["As", "Ks", "Qs", "Js", "Ts"], "dealt_ns": dealt[1],
            "registered_micro": registered, "uncertain_ns": 0, "by_hand": False, "dealer": "", "shoe": "",
        }  # fmt: skip
        claims = [claim] if hit else []
        self.letter("RoundResult", round=number, decided_at=self.stamp(), claims=claims, returned=[])
        award = 0
        if hit:
            self.until(lambda: self.value is not None, "the claim is valued")
            assert self.value is not None
            award = self.value["award_minor"]
            self.letter(
                "ClaimConfirmed", round=number, claim=f"{number}.2", award_minor=award, by_registered_value=False,
                person="Ada", confirmed_at=self.stamp(),
            )  # fmt: skip
        told = award + 1 if DEFECT == "wrong_sums" else award
        self.letter(
            "RoundEnded", round=number, ended_at=self.stamp(), contributions_minor=STAKE, awards_minor=told, accepted=1
        )
        self.until(lambda: not self.unanswered, "every letter is answered")
        print(compact({"round": number, "award_minor": award}), flush=True)


def main() -> None:
    table = Table()
    table.until(lambda: table.meters, "the meters are told")
    pinged = time.monotonic()
    table.until(lambda: time.monotonic() - pinged > 5, "some time passes")
    table.round(1, hit=False)
    table.round(2, hit=True)
    table.client.loop_stop()
    table.client.disconnect()


if __name__ == "__main__":
    main()
