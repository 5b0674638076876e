"""What can happen to a table, in the past tense. A fact is frozen, carries its stamp and is all that the
journal keeps. Nothing here decides anything."""

from __future__ import annotations

from felt.table.facts.cards import (
    CardDealt as CardDealt,
)
from felt.table.facts.cards import (
    CardKeyed as CardKeyed,
)
from felt.table.facts.cards import (
    CardStruck as CardStruck,
)
from felt.table.facts.cards import (
    CardUnread as CardUnread,
)
from felt.table.facts.cards import (
    DealCountLost as DealCountLost,
)
from felt.table.facts.cards import (
    DeckChanged as DeckChanged,
)
from felt.table.facts.cards import (
    DeckReported as DeckReported,
)
from felt.table.facts.cards import (
    DeckVerified as DeckVerified,
)
from felt.table.facts.cards import (
    DiscardSaid as DiscardSaid,
)
from felt.table.facts.cards import (
    FrameKept as FrameKept,
)
from felt.table.facts.cards import (
    FramesCounted as FramesCounted,
)
from felt.table.facts.cards import (
    ShufflerFound as ShufflerFound,
)
from felt.table.facts.cards import (
    ShufflerGreeted as ShufflerGreeted,
)
from felt.table.facts.cards import (
    ShufflerLost as ShufflerLost,
)
from felt.table.facts.cards import (
    StubChecked as StubChecked,
)
from felt.table.facts.care import (
    AlertAcknowledged as AlertAcknowledged,
)
from felt.table.facts.care import (
    EntryLogged as EntryLogged,
)
from felt.table.facts.care import (
    LampsTried as LampsTried,
)
from felt.table.facts.care import (
    MeterAdjusted as MeterAdjusted,
)
from felt.table.facts.care import (
    SignInNoted as SignInNoted,
)
from felt.table.facts.care import (
    TestModeEntered as TestModeEntered,
)
from felt.table.facts.care import (
    TestModeLeft as TestModeLeft,
)
from felt.table.facts.chips import (
    AmountFound as AmountFound,
)
from felt.table.facts.chips import (
    BetKeyed as BetKeyed,
)
from felt.table.facts.chips import (
    BetUnkeyed as BetUnkeyed,
)
from felt.table.facts.chips import (
    ChipChattered as ChipChattered,
)
from felt.table.facts.chips import (
    ChipFlickered as ChipFlickered,
)
from felt.table.facts.chips import (
    ChipLifted as ChipLifted,
)
from felt.table.facts.chips import (
    ChipSeen as ChipSeen,
)
from felt.table.facts.chips import (
    LevelFound as LevelFound,
)
from felt.table.facts.controller import (
    ClaimValued as ClaimValued,
)
from felt.table.facts.controller import (
    LetterAcked as LetterAcked,
)
from felt.table.facts.controller import (
    LinkFound as LinkFound,
)
from felt.table.facts.controller import (
    LinkLost as LinkLost,
)
from felt.table.facts.fact import Fact as Fact
from felt.table.facts.house import (
    BackInServiceOrdered as BackInServiceOrdered,
)
from felt.table.facts.house import (
    Booted as Booted,
)
from felt.table.facts.house import (
    ClockJudged as ClockJudged,
)
from felt.table.facts.house import (
    ClockStepped as ClockStepped,
)
from felt.table.facts.house import (
    Configured as Configured,
)
from felt.table.facts.house import (
    DeadlinePassed as DeadlinePassed,
)
from felt.table.facts.house import (
    DoorMoved as DoorMoved,
)
from felt.table.facts.house import (
    EraClosed as EraClosed,
)
from felt.table.facts.house import (
    EraOpened as EraOpened,
)
from felt.table.facts.house import (
    FaultCleared as FaultCleared,
)
from felt.table.facts.house import (
    FaultRaised as FaultRaised,
)
from felt.table.facts.house import (
    LampFound as LampFound,
)
from felt.table.facts.house import (
    OutOfServiceOrdered as OutOfServiceOrdered,
)
from felt.table.facts.house import (
    SnapshotTaken as SnapshotTaken,
)
from felt.table.facts.house import (
    StepFailed as StepFailed,
)
from felt.table.facts.keys import (
    CardsSeenPressed as CardsSeenPressed,
)
from felt.table.facts.keys import (
    CollectPressed as CollectPressed,
)
from felt.table.facts.keys import (
    CountMismatchPressed as CountMismatchPressed,
)
from felt.table.facts.keys import (
    DealerSignedIn as DealerSignedIn,
)
from felt.table.facts.keys import (
    FoldModePressed as FoldModePressed,
)
from felt.table.facts.keys import (
    Meters as Meters,
)
from felt.table.facts.keys import (
    MisdealPressed as MisdealPressed,
)
from felt.table.facts.keys import (
    NoMoreBetsPressed as NoMoreBetsPressed,
)
from felt.table.facts.keys import (
    OpenPressed as OpenPressed,
)
from felt.table.facts.keys import (
    OtherModePressed as OtherModePressed,
)
from felt.table.facts.keys import (
    PlayModePressed as PlayModePressed,
)
from felt.table.facts.keys import (
    RevealPressed as RevealPressed,
)
from felt.table.facts.keys import (
    SeatPressed as SeatPressed,
)
from felt.table.facts.keys import (
    SettlePressed as SettlePressed,
)
from felt.table.facts.keys import (
    SupervisorTurned as SupervisorTurned,
)
from felt.table.facts.keys import (
    VoidPressed as VoidPressed,
)
from felt.table.facts.keys import (
    WrongCodeEntered as WrongCodeEntered,
)
from felt.table.facts.people import (
    BetsReturned as BetsReturned,
)
from felt.table.facts.people import (
    ClaimConfirmed as ClaimConfirmed,
)
from felt.table.facts.people import (
    ClaimDenied as ClaimDenied,
)
from felt.table.facts.people import (
    CorrectionRecorded as CorrectionRecorded,
)
from felt.table.facts.people import (
    HandEstablished as HandEstablished,
)
from felt.table.facts.people import (
    HitReported as HitReported,
)
from felt.table.facts.people import (
    IrregularityDeclared as IrregularityDeclared,
)
from felt.table.facts.people import (
    PlayerChose as PlayerChose,
)
from felt.table.facts.people import (
    ProgressiveSwitched as ProgressiveSwitched,
)
from felt.table.facts.people import (
    RevealRefused as RevealRefused,
)
from felt.table.facts.people import (
    RulingMade as RulingMade,
)
from felt.table.facts.people import (
    SeatBarred as SeatBarred,
)
from felt.table.facts.people import (
    TableClosed as TableClosed,
)
from felt.table.facts.people import (
    TableOpened as TableOpened,
)
from felt.table.facts.people import (
    VoidOrdered as VoidOrdered,
)
from felt.table.facts.text import FACTS as FACTS
from felt.table.facts.text import SCHEMA as SCHEMA
from felt.table.facts.text import decode as decode
from felt.table.facts.text import encode as encode
