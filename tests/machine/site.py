"""A machine with everything around it, for a whole run of tests."""

from __future__ import annotations

import random
import time
from pathlib import Path

from felt.nouns.cards import DECK, Card
from tools.machine import crash, house, image, qemu
from tools.machine.people import Dealer, Desk, Pins, UsbShuffler
from tools.machine.qemu import Machine

DECKS = 4000
ROYAL = tuple(Card(f"{rank}s") for rank in "AKQJT")


class Site:
    def __init__(self, folder: Path, chance: random.Random) -> None:
        self.folder, self.chance = folder, chance
        self.image = image.build(print)
        self.deb = house.package()
        self.house = house.House(folder)
        self.disk = qemu.copy_disk(self.image / "disk.img", folder / "disk.img")
        self.shuffler = UsbShuffler(chance, decks(chance))
        self.lying: set[str] = set()
        self.boot(qemu.drive(house.parcel(self.deb), read_only=True))

    machine: Machine
    pins: Pins
    dealer: Dealer

    @property
    def desk(self) -> Desk:
        return self.dealer.desk

    def boot(self, *drives: str) -> None:
        """Turns the power on. The chips lie as they lay."""
        self._boot([qemu.drive(self.disk), *drives], [])

    def boot_logged(self, log: Path) -> None:
        """The same, with a log of every write to the disk."""
        self._boot([], crash.logged(self.disk, log))

    def _boot(self, drives: list[str], words: list[str]) -> None:
        self.machine = qemu.start(
            self.image, self.folder / "run", broker_port=self.house.broker.port, drives=drives, words=words
        )
        self.machine.until_up()
        self.pins = Pins(self.machine, house.PROFILE)
        self.pins.move(self.lying, down=True)
        self.dealer = Dealer(self.machine, self.pins, self.shuffler, self.chance, "ante")
        self.shuffler.plug(self.machine)

    def install(self) -> None:
        began = time.monotonic()
        house.install(self.machine, self.deb.name)
        house.furnish(self.machine, self.house)
        house.start(self.machine)
        self.until_ready()
        print(f"installed, started and ready in {time.monotonic() - began:.0f} s")

    def until_ready(self) -> None:
        house.until_ready(self.machine, self.pins)
        self.desk.until("status", lambda status: status["link"] == "UP" and status["shuffler"])

    def cut(self) -> None:
        """Pulls the plug. A finger leaves its key; chips stay."""
        self.shuffler.unplug()
        self.machine.pull_the_plug()
        self.lying = {name for name in self.pins.down if not name.startswith("key.")}

    def turn_off(self) -> None:
        """In good order, between two rounds."""
        if self.desk.ask("status")["phase"] != "IDLE":
            self.dealer.play_rounds(1)
        self.shuffler.unplug()
        self.machine.power_off()

    def close(self) -> None:
        if hasattr(self, "machine"):
            self.shuffler.unplug()
            self.machine.pull_the_plug()
        self.house.close()


def decks(chance: random.Random) -> list[list[Card]]:
    """One deal in four gives the first box a royal flush with the dealer's cards."""
    made = []
    for _ in range(DECKS):
        deck = chance.sample(DECK, len(DECK))
        if chance.randrange(4) == 0:
            rest = [card for card in deck if card not in ROYAL]
            deck = [*ROYAL[:3], *rest[:3], *ROYAL[3:], *rest[3:]]
        made.append(deck)
    return made
