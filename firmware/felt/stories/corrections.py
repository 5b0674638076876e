"""Sentences about what people find out or decide about bets after the lock, who leaves, and how the house plays on."""

from __future__ import annotations

import re
from re import Match

from felt.nouns.cards import Card
from felt.stories.amounts import MONEY, SPOT, minor
from felt.stories.errors import StoryError
from felt.stories.people import PERSON, give_order, light, press_key
from felt.stories.script import says
from felt.stories.stage import StoryStage
from felt.table import deal


@says("PERSON finds $AMOUNT on SPOT", rf"{PERSON} finds (?P<amount>{MONEY}) on {SPOT}")
def find_amount(stage: StoryStage, found: Match[str]) -> None:
    give_order(stage, "AmountFound", spot=found[3], amount_minor=minor(stage, found["amount"]), person=found["person"])


@says("PERSON finds no bet on SPOT", rf"{PERSON} finds no (?:bet|chip) on {SPOT}")
def find_nothing(stage: StoryStage, found: Match[str]) -> None:
    """The snapshot lists a bet that was not there."""
    give_order(stage, "AmountFound", spot=found[2], amount_minor=0, person=found["person"])


@says("box N walks away", r"box ([1-9]) walks away")
def walk_away(stage: StoryStage, found: Match[str]) -> None:
    """Presses OTHER until WALK AWAY is lit, then the box."""
    lit = re.fullmatch("light (.+)", "light walk away")
    assert lit is not None
    light(stage, lit)
    press_key(stage, f"seat {found[1]}")


@says("box N refuses to show his cards", r"box ([1-9]) refuses to (?:show|reveal)(?: (?:his|its) cards)?")
def refuse_to_show(stage: StoryStage, found: Match[str]) -> None:
    give_order(stage, "RevealRefused", seat=int(found[1]), person="dealer")


_NTH = {"first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "last": 3}


@says("PERSON discards the first | second | third community card",
      rf"{PERSON} discards the (?P<nth>{'|'.join(_NTH)}) community card")
def discard_nth(stage: StoryStage, found: Match[str]) -> None:
    give_order(stage, "DiscardSaid", place=_NTH[found["nth"]], person=found["person"])


@says("PERSON discards the community card CARD",
      rf"{PERSON} discards the community card (?P<card>[2-9TJQKA][cdhs])")
def discard_card(stage: StoryStage, found: Match[str]) -> None:
    of_community = (deal.COMMUNITY, deal.DISCARD)
    community = [dealt_card.card for dealt_card in stage.round.dealt if dealt_card.target in of_community]
    if found["card"] not in community:
        raise StoryError(f"{found['card']} is none of the community cards: {' '.join(community) or 'none'}")
    give_order(stage, "DiscardSaid", place=community.index(Card(found["card"])) + 1, person=found["person"])


@says("box N lays down his hand", r"box ([1-9]) lays (?:down )?(?:his|its) (?:hand|cards)(?: down)?(?: early)?")
def lay_down(stage: StoryStage, found: Match[str]) -> None:
    give_order(stage, "HandEstablished", seat=int(found[1]), person="dealer")


@says("PERSON establishes the hand of box N", rf"{PERSON} establishes the (?:hand|cards) of box (?P<seat>[1-9])")
def establish_hand(stage: StoryStage, found: Match[str]) -> None:
    """The person who saw the hand says so."""
    give_order(stage, "HandEstablished", seat=int(found["seat"]), person=found["person"])


@says("PERSON turns the progressive off | on because REASON",
      rf"{PERSON} turns the progressive (?P<way>off|on) because (?P<reason>.+)")
def switch_progressive(stage: StoryStage, found: Match[str]) -> None:
    off = found["way"] == "off"
    give_order(stage, "ProgressiveSwitched", off=off, person=found["person"], reason=found["reason"])
