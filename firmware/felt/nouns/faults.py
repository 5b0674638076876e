"""Every fault the product can name: a code that never changes its meaning, a sentence, and a remedy."""

from __future__ import annotations

from enum import StrEnum

from felt.nouns.values import Value


class Weight(StrEnum):
    STOP = "stop"  # the table is out of service until it tests good
    SEAT = "seat"  # the seat is out of progressive play
    NOTE = "note"  # shown and recorded; play goes on
    INPUT = "input"  # about something given to a command; no table is touched


class Fault(Value):
    code: str
    weight: Weight
    sentence: str
    remedy: str


_FAULTS = (
    Fault(
        "F-101",
        Weight.SEAT,
        "A spot's contact chatters.",
        "Clean or replace the sensor of the named spot, cover it and uncover it once, then clear the fault; until "
        "then a progressive bet there counts only if it is keyed.",
    ),
    Fault(
        "F-102",
        Weight.NOTE,
        "A sensor's level disagrees with its edges: a change was lost.",
        "Watch the named spot; if it happens again, check its cable and connector.",
    ),
    Fault(
        "F-103",
        Weight.STOP,
        "The board's input thread has died: no chip or key can be seen.",
        "Restart the table controller; if the fault returns, replace the board.",
    ),
    Fault(
        "F-104",
        Weight.SEAT,
        "A coin spot was covered when the table was opened: a chip was left there, or its sensor is stuck on.",
        "Clear the named spot, cover it and uncover it once, then clear the fault; until then the box is dealt "
        "without a progressive bet unless it is keyed.",
    ),
    Fault(
        "F-105",
        Weight.NOTE,
        "A coin spot has seen no chip for many rounds while other boxes had theirs: its sensor may be stuck off.",
        "Cover the named spot and uncover it once, then clear the fault, at the latest while the table is closed: a "
        "spot that was not tested is out of progressive play when the table opens again (F-110).",
    ),
    Fault(
        "F-106",
        Weight.NOTE,
        "A key has been held down for more than ten seconds.",
        "Let go of the named key, or free it if it is stuck; the fault clears by itself when the key comes up.",
    ),
    Fault(
        "F-107",
        Weight.NOTE,
        "The cabinet's door was opened.",
        "Close the door, then clear the fault in your own name.",
    ),
    Fault(
        "F-108",
        Weight.SEAT,
        "A coin spot's lamp is open: it is lit and no current flows.",
        "Check the plug, the wire and the lamp of the named spot; the fault clears by itself when the lamp was seen "
        "right both lit and dark. Until then the box is dealt without a progressive bet unless it is keyed.",
    ),
    Fault(
        "F-109",
        Weight.SEAT,
        "A coin spot's lamp is short: it is dark and current flows.",
        "Check the wire and the transistor of the named spot's lamp; the fault clears by itself when the lamp was seen "
        "right both lit and dark. Until then the box is dealt without a progressive bet unless it is keyed.",
    ),
    Fault(
        "F-110",
        Weight.SEAT,
        "A coin spot's sensor is stuck off: it was in doubt, and failed its test or was not tested.",
        "Replace the sensor of the named spot, cover it and uncover it once, then clear the fault; until then the box "
        "is dealt without a progressive bet unless it is keyed.",
    ),
    Fault(
        "F-111",
        Weight.STOP,
        "A chip or an expander of the board does not answer: lamps or sensors cannot be reached.",
        "Check the plug and the cable of the named line's chip; when it answers again, clear the fault. If it does "
        "not, replace the board and restart the table controller.",
    ),
    Fault(
        "F-112",
        Weight.NOTE,
        "A key or a line of the board never comes to rest.",
        "Clean or replace the named key or its cable, then clear the fault; until then order what it does at the desk.",
    ),
    Fault(
        "F-201",
        Weight.NOTE,
        "The shuffler is silent or unplugged.",
        "Check the shuffler's power and its cable; dealing goes on when it answers again.",
    ),
    Fault(
        "F-202",
        Weight.NOTE,
        "The shuffler sent bytes that are no frame.",
        "Check the cable's shield and the baud rate; damaged frames are asked for again by themselves.",
    ),
    Fault(
        "F-203",
        Weight.NOTE,
        "The shuffler speaks versions of the protocol that this table does not understand.",
        "Install firmware for the same version in the shuffler or in the table; no card is taken from it until then.",
    ),
    Fault(
        "F-204",
        Weight.NOTE,
        "The shuffler started anew in the middle of a deal: cards may have left it that it did not tell of.",
        "Count the cards of every hand; if one was not read, declare it or void the round.",
    ),
    Fault(
        "F-205",
        Weight.NOTE,
        "The shuffler did not carry out the table's order to deal.",
        "Remove what is named, then start the deal with the shuffler's own key.",
    ),
    Fault(
        "F-206",
        Weight.NOTE,
        "The shuffler floods its line: it says more than a deal can have to tell, or its cable comes and goes.",
        "Switch the shuffler off, check its cable and its baud rate, and switch it on again. The table does not listen "
        "to it until it has been calm for some seconds; cards that left meanwhile are keyed, or the round is void.",
    ),
    Fault(
        "F-207",
        Weight.NOTE,
        "The shuffler does not read what the table says to it.",
        "Check the cable's line from the table to the shuffler, then switch the shuffler off and on again; the fault "
        "clears when it reads.",
    ),
    Fault(
        "F-208",
        Weight.NOTE,
        "The adapter of the shuffler's model failed: it raised an error, hung, or returned what no device can say.",
        "Deal by hand and key the cards, or void the round. Install the right version of the adapter's package, then "
        "clear the fault: the table makes a new adapter and listens again.",
    ),
    Fault(
        "F-209",
        Weight.NOTE,
        "The driver of the shuffler's line hangs.",
        "Unplug the shuffler's cable and plug it in again; if the fault stays, restart the table controller between "
        "two rounds.",
    ),
    Fault(
        "F-301",
        Weight.NOTE,
        "The jackpot controller does not answer.",
        "Check the network and the controller; no progressive bets are taken until it answers.",
    ),
    Fault(
        "F-302",
        Weight.STOP,
        "The jackpot controller has seen later letters than this table remembers: the journal lost its tail.",
        "Do not open the table. Keep the journal folder as evidence and call the supplier.",
    ),
    Fault(
        "F-303",
        Weight.STOP,
        "The jackpot controller refused a letter.",
        "Do not open the table. Compare the named letter with the controller's alarm record.",
    ),
    Fault(
        "F-304",
        Weight.STOP,
        "The jackpot controller has forgotten letters that it once answered: its ledger is older than this table.",
        "Do not open the table. Restore the controller's newest ledger, then clear the fault.",
    ),
    Fault(
        "F-305",
        Weight.NOTE,
        "The table's own jackpot ledger cannot be written; letters wait, and no progressive bets are taken.",
        "Do what the named sentence says (free the file, the disk or the folder), then clear the fault; the table "
        "tries again by itself.",
    ),
    Fault(
        "F-306",
        Weight.STOP,
        "The jackpot controller counts a round's bets or awards otherwise than this table.",
        "Take no bets. Compare the named round in felt replay with the controller's alarm record, correct it there, "
        "then clear the fault.",
    ),
    Fault(
        "F-307",
        Weight.NOTE,
        "Messages came over the jackpot link that are not the controller's: forged, altered, or sealed with a key that "
        "is not valid here.",
        "They were not believed, and play goes on. Find out who else can write at the broker; after a rotation of keys "
        "see that both ends have the same ones. Then clear the fault.",
    ),
    Fault(
        "F-308",
        Weight.NOTE,
        "The jackpot link floods this table with answers.",
        "What is too much is dropped, and letters are sent again. Look for a broker or a controller that repeats its "
        "messages without end, mend it, then clear the fault.",
    ),
    Fault(
        "F-401",
        Weight.STOP,
        "The journal is damaged before its end.",
        "Do not open the table. Keep the journal folder as evidence, and restore the table from the "
        "supplier's procedure for a damaged journal.",
    ),
    Fault(
        "F-402",
        Weight.NOTE,
        "The journal's end was torn by a power cut and has been moved aside.",
        "Nothing to do: what was moved aside had not taken effect. Keep the named file for the record.",
    ),
    Fault(
        "F-403",
        Weight.STOP,
        "The disk refused to keep a record.",
        "Free space on the journal's disk or replace it, then restart the table controller.",
    ),
    Fault(
        "F-404",
        Weight.STOP,
        "The journal belongs to another version of the firmware and its era was not closed.",
        "Start the version that wrote it, end the round in play, stop it in good order, then upgrade.",
    ),
    Fault(
        "F-405",
        Weight.STOP,
        "Replaying the journal does not lead to the recorded table.",
        "Do not open the table. Keep the journal folder as evidence and call the supplier.",
    ),
    Fault(
        "F-406",
        Weight.NOTE,
        "The journal's disk is filling up.",
        "Export and remove what is not the table's from this disk, or fit a larger one; the fault clears by itself "
        "when there is room. Below the named least no round is opened.",
    ),
    Fault(
        "F-407",
        Weight.STOP,
        "The journal's disk is nearly full: no further round is opened.",
        "Free space on the journal's disk or fit a larger one; the fault clears by itself when there is room. "
        "Then put the table back in service. The round that was in play was finished; nothing was lost.",
    ),
    Fault(
        "F-408",
        Weight.STOP,
        "The audit of the journal found that it is not whole, or that it does not lead to the recorded table.",
        "Do not open the table. Keep the journal folder as evidence and call the supplier; clear the fault once "
        "'felt audit' finds nothing wrong.",
    ),
    Fault(
        "F-409",
        Weight.NOTE,
        "The journal was not audited for some days, or the audit could not be done.",
        "Start it with 'systemctl start felt-audit', look at 'systemctl status felt-audit.timer felt-audit', and clear "
        "the fault when it has passed.",
    ),
    Fault(
        "F-410",
        Weight.STOP,
        "The installed software is not the one that was delivered.",
        "Do not open the table. Keep the named files as evidence, install the signed package again, and restart the "
        "table controller; 'felt audit' tells when every file is as it was delivered. Then clear the fault.",
    ),
    Fault(
        "F-411",
        Weight.NOTE,
        "The clock of the box was not synchronised for a day.",
        "See that it reaches its time server ('timedatectl timesync-status'), start the audit again with 'systemctl "
        "start felt-audit', and clear the fault.",
    ),
    Fault(
        "F-412",
        Weight.STOP,
        "The journal does not go on from what its witness has seen: an older state was put back.",
        "Do not open the table. Look for the newer state (a folder that was moved aside, a disk that was exchanged) "
        "and put journal and ledger back together. If there is none, keep state and witness as evidence and call the "
        "supplier.",
    ),
    Fault(
        "F-413",
        Weight.NOTE,
        "The witness of the journal is missing or cannot be written.",
        "See that the folder named in journal.witness is there and is the table's. If nobody has taken the witness "
        "away on purpose, compare the last records with the last report before play goes on. Then clear the fault.",
    ),
    Fault(
        "F-501",
        Weight.STOP,
        "The configuration is not valid.",
        "Correct the named file and key; 'felt check' tells when it is right.",
    ),
    Fault(
        "F-502",
        Weight.STOP,
        "The configuration was changed while a round was open.",
        "Put the former file back, end or void the round, close the table, then change the configuration.",
    ),
    Fault(
        "F-503",
        Weight.STOP,
        "The configuration is not the one that a supervisor accepted.",
        "Compare the digest named here with the change order (felt check prints the digest of a file). If they differ, "
        "put the former file back and restart the table controller. Clear the fault as a supervisor, which accepts the "
        "configuration in your name and lets back-in-service bring the table back.",
    ),
    Fault(
        "F-504",
        Weight.NOTE,
        "The people who may act at this table were changed.",
        "Compare the person and the role named here with the order for the change. If there was none, remove the "
        "person (felt console remove-person) and keep the journal as evidence. Clear the fault as a supervisor whose "
        "own entry was not changed, which accepts the change in your name.",
    ),
    Fault(
        "F-601",
        Weight.INPUT,
        "A line given to `felt settle` is not one JSON object.",
        "Write one object a line: UTF-8, no key twice, no NaN, shorter than one mebibyte.",
    ),
    Fault(
        "F-602",
        Weight.INPUT,
        "A request has an unknown key, lacks one, or has a value of the wrong type or size.",
        "Compare the named place with `felt settle --help`; money is a whole number of minor units.",
    ),
    Fault(
        "F-603",
        Weight.INPUT,
        "A request names a game that is not on the shelf.",
        "Use an id that `felt rules` lists.",
    ),
    Fault(
        "F-604",
        Weight.INPUT,
        "The cards of a request cannot have been dealt: unknown, twice, or the wrong number.",
        "Write cards as rank and suit (As, Td, 2c), each once, and as many as the game deals.",
    ),
    Fault(
        "F-605",
        Weight.INPUT,
        "A request has a bet or a decision that its game does not know.",
        "Use the wagers that `felt rules GAME` lists, and a decision where there is an Ante.",
    ),
    Fault(
        "F-606",
        Weight.INPUT,
        "A request has an unknown reading or value of one.",
        "Use the readings that `felt rules GAME` lists.",
    ),
    Fault(
        "F-607",
        Weight.INPUT,
        "The table's terms do not fit the game, or one that this round needs is missing.",
        "Give what the message names under `table`.",
    ),
    Fault(
        "F-608",
        Weight.INPUT,
        "The meters of a request do not fit the game.",
        "Give the game's own meters, as numbers or n/d texts.",
    ),
    Fault(
        "F-699",
        Weight.INPUT,
        "A line met a mistake in Felt itself.",
        "Send the line and the version of Felt to its maintainers; the other lines are settled.",
    ),
    Fault(
        "F-701",
        Weight.STOP,
        "A fact could not be worked through.",
        "Keep the journal folder as evidence, restart the table controller, and report the fact named here.",
    ),
    Fault(
        "F-702",
        Weight.STOP,
        "An invariant of the table does not hold.",
        "Keep the journal folder as evidence, restart the table controller, and report the rule named here.",
    ),
    Fault(
        "F-703",
        Weight.NOTE,
        "Orders come faster than the table can take them; those beyond are refused.",
        "Look for the client of the desk that gives them, end it, then clear the fault.",
    ),
)

CATALOGUE: dict[str, Fault] = {fault.code: fault for fault in _FAULTS}
