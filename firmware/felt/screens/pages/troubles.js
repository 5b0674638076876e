// What can be made to go wrong at a virtual table, each with what the product does about it; and what lamps mean.

export const TROUBLES = [
  { kind: "late_chip", name: "Late chip", coin: true, does: "The spot says hand back, and the bet is not in the round (5.11)." },
  { kind: "stuck", name: "Stuck sensor", coin: true, lasts: true, does: "Its spot stays as it is; found at the opening, the box has no jackpot bet until it tests good (5.17.2 b)." },
  { kind: "chatter", name: "Chattering sensor", coin: true, does: "The spot shows a fault and its box is dealt without a jackpot bet, unless it is keyed." },
  { kind: "lamp", name: "Broken lamp", coin: true, lasts: true, does: "No current flows where light was ordered: the box leaves jackpot play until the lamp is seen right." },
  { kind: "unplug", name: "Unplugged shuffler", lasts: true, does: "It is said in the first line; dealing waits until it answers, or the cards are keyed." },
  { kind: "foreign_card", name: "Foreign card", does: "Play is held at the next deal, and the lawful ways on are asked about (5.8.1)." },
  { kind: "repeated_card", name: "Same card twice", does: "Play is held, and no round opens until the deck was changed or verified." },
  { kind: "link", name: "Lost link", coin: true, lasts: true, does: "After a while without an answer no jackpot bet is taken, and the sign says so (5.17.2 c)." },
  { kind: "disk", name: "Slow disk", lasts: true, does: "Nothing is shown before it is kept, so lamps come later; which chips count stays the same." },
  { kind: "power", name: "Power cut", does: "Everything stands where it stood; after the lock the rulebook proposes what becomes of the round (5.7)." },
];

export const LAMPS = [
  ["off", "Off", "no jackpot bet", ""], ["invite", "Invite", "a bet may be placed", "800 / 800"], ["seen", "Seen", "a chip lies here, bets are open", "1000 / 200"],
  ["accepted", "Accepted", "in the round", "steady"], ["late", "Hand back", "no bet of this round", "2 flashes, 600"], ["removed", "Removed", "accepted, but no chip lies here", "200 / 200"],
  ["winner", "Winner", "long, short, short", "600, 2 flashes"], ["out_of_service", "Closed", "no bets on this spot", "200 / 2800"], ["fault", "Fault", "three flashes", "3 flashes, 1000"],
];
