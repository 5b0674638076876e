"""Other ways to say the same. A line that is no sentence is rewritten in the words of the reference and tried again:
capitals, full stops, articles and expressions of the pit. README.md shows every rule."""

from __future__ import annotations

import re

from felt.nouns.values import Value
from felt.stories.mishap_words import KINDS
from felt.table.state import Phase


class Synonym(Value):
    said: str  # as README.md shows it
    means: str
    pattern: re.Pattern[str]
    instead: str


def _synonym(said: str, means: str, pattern: str, instead: str) -> Synonym:
    return Synonym(said, means, re.compile(pattern, re.IGNORECASE), instead)


_KEYS = r"open|no more bets|collect|cards seen|reveal|settle|void|misdeal|other|count mismatch"
_BOXES = r"\d(?:(?:, ?| and )\d)*"
_LINE = r"(?:box|seat|player) (\d) ([a-z_0-9]+)"
_WHO = r"(?:the )?(?:(?:pit|floor) )?(supervisor|dealer|technician|manager)"

_AT = r" at (?:box \d|the dealer|the community)"
_MISHAPS = "|".join(KINDS)

_OPENINGS = "Expect|Press|Chips?|Lift|Bets|Deal|Deck|Cards?|Fold|Play|Power|Boot|Wait|Box|Boxes|The|Hold|Light"

SYNONYMS = (
    # the dealer's calls and keys
    _synonym("Place your bets, please", "press open",
             r'(?:(?:the )?dealer (?:calls|announces) )?"?place your bets(?:,? please)?"?', "press open"),
    _synonym("the dealer announces No more bets", "press no more bets",
             r'(?:the )?dealer (?:calls|announces) "?no more bets"?|no more bets|bets are closed|lock',
             "press no more bets"),
    _synonym("the dealer presses KEY", "press KEY",
             rf"(?:the )?dealer presses (?:the )?({_KEYS})(?: key)?( twice| \d+ times)?", r"press \1\2"),
    _synonym("KEY is pressed", "press KEY", rf"(?:the )?({_KEYS})(?: key)? is pressed", r"press \1"),
    _synonym("press the KEY key", "press KEY", rf"press (?:the )?({_KEYS}) key", r"press \1"),
    _synonym("reveal / the dealer reveals his hand", "press reveal",
             r"(?:the )?dealer reveals(?: (?:his|the) (?:hand|cards))?|reveal", "press reveal"),
    _synonym("settle / the dealer settles / the round ends", "press settle",
             r"(?:the )?dealer (?:settles|pays)|settle|(?:the )?round (?:ends|is ended)|end the round", "press settle"),
    _synonym("collect / the dealer collects the chips", "press collect",
             r"(?:the )?dealer collects(?: the (?:chips|coins))?|collect", "press collect"),
    _synonym("a player looks at his cards", "press cards seen",
             r"(?:a|the) player (?:of box \d )?(?:looks at|sees|handles|picks up) his cards|cards (?:are|were) seen|"
             r"box \d (?:looks|sees|looks at his cards|sees his cards)", "press cards seen"),
    _synonym("a misdeal is declared [at box N]", "dealer declares a dealing error [at box N]",
             rf"(?:a misdeal is declared|(?:the )?dealer declares a misdeal)({_AT})?",
             r"dealer declares a dealing error\1"),
    _synonym("MISHAP is declared [at box N]", "dealer declares MISHAP [at box N]",
             rf"({_MISHAPS}) (?:is|are|was|were) (?:declared|noticed|found)({_AT})?", r"dealer declares \1\2"),
    _synonym("the dealer exposes a card [at box N]", "dealer declares an exposed card [at box N]",
             rf"(?:the )?dealer exposes (?:a|one) card({_AT})?", r"dealer declares an exposed card\1"),
    _synonym("the dealer exposes two cards [at box N]", "dealer declares exposed cards [at box N]",
             rf"(?:the )?dealer exposes (?:two|three|several|\d) cards({_AT})?", r"dealer declares exposed cards\1"),
    _synonym("the dealer forgets to burn a card", "dealer declares a missed burn",
             r"(?:the )?dealer (?:forgets|fails|misses)(?: to (?:burn|discard))?(?: (?:a|the) (?:burn |burnt )?card)?",
             "dealer declares a missed burn"),
    _synonym("two cards are drawn together", "dealer declares cards drawn together",
             r"(?:two|three|several) cards (?:are|were) drawn (?:together|at once|simultaneously)",
             "dealer declares cards drawn together"),
    _synonym("box N gets N cards / N cards are dealt to box N", "dealer declares N cards at box N",
             r"(box \d|the dealer|the community) (?:gets|is dealt|has|was dealt) (\d) cards",
             r"dealer declares \2 cards at \1"),
    _synonym("N cards are dealt to box N", "dealer declares N cards at box N",
             r"(\d) cards (?:are|were) dealt to (box \d|the dealer|the community)", r"dealer declares \1 cards at \2"),
    _synonym("the hand of box N is dealt to box N", "dealer declares the hand of box N dealt to box N",
             r"the hand of (box \d) (?:is|was) dealt to (box \d|the dealer)",
             r"dealer declares the hand of \1 dealt to \2"),
    _synonym("box N examines a second hand", "dealer declares a second hand examined at box N",
             r"(?:the )?(?:player of )?box (\d) (?:examines|looks at) a second hand",
             r"dealer declares a second hand examined at box \1"),
    _synonym("the player of box N chooses to continue", "box N chooses to continue",
             r"(?:the )?player(?: of box)? (\d) chooses (.+)", r"box \1 chooses \2"),
    _synonym("box N takes its bets back", "box N chooses to take the bets back",
             r"(?:the )?(?:player of )?box (\d) takes (?:his|its|the) bets? back",
             r"box \1 chooses to take the bets back"),
    _synonym("box N goes on", "box N chooses to continue", r"(?:the )?(?:player of )?box (\d) goes on",
             r"box \1 chooses to continue"),
    # players
    _synonym("box 1 folds / boxes 1 and 2 fold", "fold box 1, 2",
             rf"(?:the )?(?:box|boxes|player|players|seat) ({_BOXES}) folds?", r"fold box \1"),
    _synonym("box 1 plays / boxes 1 and 2 play", "play box 1, 2",
             rf"(?:the )?(?:box|boxes|player|players|seat) ({_BOXES}) plays?", r"play box \1"),
    _synonym("box 1 leaves / player 1 walks away", "box 1 walks away",
             r"(?:the )?(?:box|player|seat|player of box) (\d) (?:leaves|has left|walks away|walks off)",
             r"box \1 walks away"),
    _synonym("box 1 does not show his hand / player 1 refuses to show", "box 1 refuses to show his cards",
             r"(?:the )?(?:box|player|seat|player of box) (\d) (?:refuses to (?:show|reveal)|does not (?:show|reveal)|"
             r"keeps back)(?: (?:his|its|the) (?:cards|hand))?", r"box \1 refuses to show his cards"),
    _synonym("box 1 bets ante $25 and progressive / boxes 1 and 2 bet $25 on ante", "bets box 1: ante $25, progressive",
             rf"(?:box|boxes|player|players|seat) ({_BOXES}) (?:bets?|places?|puts?)(?: on)? (.+)", r"bets box \1: \2"),
    _synonym("put a chip on SPOT", "chip SPOT",
             r"(?:put |place )?(?:a )?chips? (?:is |are )?(?:put |placed )?on (\d\.\w+(?:(?:, ?| and )\d\.\w+)*)",
             r"chip \1"),
    _synonym("the chip on SPOT is lifted | removed", "lift SPOT",
             r"(?:the )?chip (?:on|of) (\d\.\w+) is (?:lifted|removed|taken(?: away| back)?)|remove (\d\.\w+)",
             r"lift \1\2"),
    _synonym("the dealer deals [box N: …] / the cards are dealt", "deal [box N: …]",
             r"(?:the )?(?:dealer deals(?: the cards)?|cards are dealt)( (?:box|dealer|community|burn).*)?", r"deal\1"),
    # people with authority
    _synonym("the table is opened / closed", "supervisor opens / closes the table",
             r"(?:the )?table is (open|close)e?d", r"supervisor \1s the table"),
    _synonym("the supervisor accepts", "supervisor accepts the proposal",
             r"(\w+) accepts(?: it)?( on \S+)?( because .+)?", r"\1 accepts the proposal\2\3"),
    _synonym("the supervisor overrules: CHOICE because REASON", "supervisor rules CHOICE because REASON",
             r"(\w+) overrules(?: it)?(?::|,| with| to)? (\w+)( on \S+)?( because .+)?", r"\1 rules \2\3\4"),
    _synonym("the supervisor decides CHOICE", "supervisor rules CHOICE",
             r"(\w+) (?:decides|answers|chooses) (\w+)( on \S+)?( because .+)?", r"\1 rules \2\3\4"),
    _synonym("the supervisor confirms the jackpot", "supervisor confirms the claim",
             r"(\w+) confirms the jackpot", r"\1 confirms the claim"),
    _synonym("the supervisor bars box N / bars box N", "supervisor takes box N out of play",
             r"(\w+) bars box (\d)", r"\1 takes box \2 out of play"),
    # devices
    _synonym("the power fails / power failure", "power cut",
             r"(?:the )?power (?:fails|failure|is cut|goes(?: off)?|goes out)( for \d+ s)?", r"power cut\1"),
    _synonym("table and shuffler lose their power", "power cut of table and shuffler",
             r"(?:the )?(?:table and (?:the )?shuffler|shuffler and (?:the )?table) lose (?:their )?power(?: together)?"
             r"( for \d+ s)?", r"power cut of table and shuffler\1"),
    _synonym("the power comes back", "boot",
             r"(?:the )?power (?:comes back|returns|is back|is restored)|(?:the )?table (?:boots|starts)(?: again)?",
             "boot"),
    _synonym("the jackpot system fails / recovers", "the link is lost / found",
             r"the (?:progressive|jackpot) (?:jackpot )?(?:system|link|controller) (?:fails|is lost|goes down)",
             "the link is lost"),
    _synonym("the jackpot link is restored", "the link is found",
             r"the (?:progressive|jackpot) (?:jackpot )?(?:system|link|controller) "
             r"(?:recovers|works again|is restored|is found|comes back)", "the link is found"),
    _synonym("the coin spot of box N fails", "chip N.progressive chatters for 300 ms",
             r"the (?:coin spot|betting device|progressive spot) (?:of|at) box (\d) fails",
             r"chip \1.progressive chatters for 300 ms"),
    _synonym("wait N seconds", "wait N s", r"wait ([\d.]+) seconds?", r"wait \1 s"),
    _synonym("wait N minute", "wait N minutes", r"wait ([\d.]+) minutes?", r"wait \1 minutes"),
    _synonym("a fault F-NNN occurs at WHERE", "fault F-NNN at WHERE",
             r"(?:a |the )?fault (F-\d+) (?:occurs|is raised|comes up) at (.+)", r"fault \1 at \2"),
    _synonym("PERSON clears the fault F-NNN", "PERSON clears F-NNN", r"(\w+) clears (?:the )?fault (F-\d+.*)",
             r"\1 clears \2"),
    # what a story expects
    _synonym("expect the lamp of LAMP is PATTERN", "expect lamp LAMP PATTERN",
             r"expect (?:the )?lamp (?:of )?(\S+) (?:is |shows |to show |to be )?([a-z_]+)", r"expect lamp \1 \2"),
    _synonym("expect the / a …", "expect …", r"expect (?:the|an?) (.+)", r"expect \1"),
    _synonym("the phase is PHASE / the table is PHASE", "expect phase PHASE",
             rf"(?:expect )?(?:the )?(?:phase|table) (?:is|to be) ({'|'.join(Phase)})", r"expect phase \1"),
    _synonym("expect the proposal CHOICE by RULE", "expect question proposing CHOICE by RULE",
             r"expect (?:the )?proposal (?:is |to )?(\w+)(?: by (\S+))?", r"expect proposal \1\2"),
    _synonym("the round is void by RULE", "expect void by RULE",
             r"(?:expect )?(?:the )?round (?:is |to be )?void(?:ed)?(?: by| under) (\S+)", r"expect void by \1"),
    _synonym("expect box N WAGER wins $ / loses $ / pushes / is returned", "expect box N WAGER win paid $ …",
             rf"expect {_LINE} wins(?: (\$\S+))?( by \S+)?", r"expect box \1 \2 win\4\3"),
    _synonym("expect box N WAGER loses $", "expect box N WAGER lose lost $",
             rf"expect {_LINE} loses(?: (\$\S+))?( by \S+)?", r"expect box \1 \2 lose\4\3"),
    _synonym("expect box N WAGER pushes", "expect box N WAGER push",
             rf"expect {_LINE} (?:pushes|stands off)( by \S+)?", r"expect box \1 \2 push\3"),
    _synonym("expect box N WAGER is returned", "expect box N WAGER returned",
             rf"expect {_LINE} (?:is returned|goes back)( by \S+)?",
             r"expect box \1 \2 returned\3"),
    _synonym("expect bet SPOT was not there", "expect no bet SPOT",
             r"expect (?:the )?bet (?:on )?(\d\.[a-z_0-9]+) (?:was|is) not there", r"expect no bet \1"),
    _synonym("expect seat N …", "expect box N …", r"expect seat (\d) (.+)", r"expect box \1 \2"),
)  # fmt: skip


def other_words(text: str) -> list[str]:
    """The line in the words of the reference, likeliest first: without ornaments, then by each synonym."""
    simple = plain(text)
    found = [simple] if simple != text else []
    for synonym in SYNONYMS:
        match = synonym.pattern.fullmatch(simple)
        if match:
            found.append(_mended(plain(match.expand(synonym.instead))))
    return found


def plain(text: str) -> str:
    """Without a final full stop, an initial capital, connecting words, and titles before persons."""
    said = re.sub(r"^(?:then|and|now|next),? ", "", text.strip().rstrip("."), flags=re.IGNORECASE)
    said = re.sub(rf"^{_WHO}(?= \w+s\b)", lambda found: found[1].lower(), said, flags=re.IGNORECASE)
    said = re.sub(r"^(?:the )?(?:table games? )?shift manager(?= \w+s\b)", "shift_manager", said, flags=re.IGNORECASE)
    if re.match(rf"(?:{_OPENINGS})\b", said):
        said = said[0].lower() + said[1:]
    keyed = re.fullmatch(r"(press|hold) ([A-Za-z ]+?)((?:,| for| twice| \d).*)?", said)
    if keyed:
        said = f"{keyed[1]} {keyed[2].lower()}{keyed[3] or ''}"
    return _tens(said)


def _tens(text: str) -> str:
    """A ten may be written as it is printed."""
    return re.sub(r"\b10([cdhs])\b", r"T\1", text)


def _mended(text: str) -> str:
    """Cleans up after a replacement: `and` in lists, `$25 on ante`, sums that lost their noun."""
    text = re.sub(r"^((?:fold|play) box |chip )(.+)$", lambda m: m[1] + re.sub(r"(?:, ?| and )", ", ", m[2]), text)
    if text.startswith("bets box"):
        return _mended_bets(text)
    text = re.sub(r"^(expect box \d \S+ win)( by \S+?)?(\$.+)$", r"\1\2 paid \3", text)
    return re.sub(r"^(expect box \d \S+ lose)( by \S+?)?(\$.+)$", r"\1\2 lost \3", text)


_TITLES = {"pair plus": "pair_plus", "lucky tie": "lucky_tie", "lucky pictures": "lucky_pictures",
           "player lucky 6": "player_lucky_6", "dealer lucky 6": "dealer_lucky_6", "player bonus": "player_bonus",
           "six card bonus": "six_card_bonus", "six card bounty": "six_card_bounty"}  # fmt: skip


def _mended_bets(text: str) -> str:
    """One or several boxes with the same bets: `bets box 1: …; box 2: …`."""
    head, _, bets = text.partition(": ")
    bets = re.sub(r",? and ", ", ", bets)
    for said, name in _TITLES.items():
        bets = bets.replace(said, name)
    bets = re.sub(r"(\$[\d,.]*\d) (?:on )?(?:the |his )?([a-z_0-9]+)", r"\2 \1", bets)
    bets = re.sub(r"\b(?:an?|the|his) (?=[a-z])", "", bets)
    boxes = re.split(r", ?| and ", head.removeprefix("bets box "))
    return "bets " + "; ".join(f"box {seat}: {bets}" for seat in boxes)
