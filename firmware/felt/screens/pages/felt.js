// The felt: the layout of the game, with everything that lies on it. Drawn as players see it, box 1 at the right, which
// is the dealer's left.
import { card, LATTICE } from "/static/cards.js";
import { GLOW, lamp, NAME, stack, WORD } from "/static/lamps.js";
import { safe, twoLines } from "/static/text.js";

const CX = 700, DX = [0, 176, 346, 500], DY = [0, 16, 66, 152], TURN = [0, 5, 10, 14];
const PRINT = {
  "progressive-3-card-poker": "DEALER PLAYS WITH A QUEEN OR HIGHER",
  "multi-link-3-card-poker": "DEALER PLAYS WITH A QUEEN OR HIGHER",
  "california-three-card-poker": "DEALER QUALIFIES WITH A QUEEN OR HIGHER",
  "stax-three-card": "DEALER QUALIFIES WITH A QUEEN OR HIGHER",
  "lucky-three-pictures": "THREE PICTURES BEAT ALL",
};
// Where the wagers of a box are printed: x, y, radius. What a game calls its main bet comes last, nearest to the cards.
const TWO = [[-40, 92, 34], [40, 92, 34]];
const THREE = [[-55, 90, 27], [55, 90, 27], [0, 102, 29]];
const FIVE = [[-53, -4, 32], [53, -4, 32], [-53, 97, 32], [53, 97, 32], [0, 47, 34]];
const DEFS = `<defs>
  <radialGradient id="felt" cx="50%" cy="18%" r="85%"><stop offset="0" stop-color="#14503f"/><stop offset=".45" stop-color="#0e4335"/><stop offset="1" stop-color="#062019"/></radialGradient>
  <linearGradient id="rail" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="#3a2a22"/><stop offset=".5" stop-color="#221813"/><stop offset="1" stop-color="#2f221b"/></linearGradient>
  <pattern id="nap" width="4" height="4" patternUnits="userSpaceOnUse"><circle cx="1" cy="1" r=".55" fill="#fff" fill-opacity=".035"/><circle cx="3" cy="3" r=".55" fill="#000" fill-opacity=".10"/></pattern>
  ${GLOW}${LATTICE}<path id="arc" d="M330 194Q700 304 1070 194" fill="none"/></defs>`;
const OUTLINE = (i) => `M${64 + i / 4} ${6 + i}H${1336 - i / 4}Q${1392 - i} ${6 + i} ${1392 - i} ${62 + i / 4}V300C${1392 - i} ${580 - i * 0.75} ${1130 - i * 0.6} ${714 - i} 700 ${714 - i}C${270 + i * 0.6} ${714 - i} ${8 + i} ${580 - i * 0.75} ${8 + i} 300V${62 + i / 4}Q${8 + i} ${6 + i} ${64 + i / 4} ${6 + i}Z`;

const between = (list, t) => { const n = Math.min(Math.floor(t), list.length - 2); return list[n] + (list[n + 1] - list[n]) * (t - n); };

export function placeOf(box, seats) {
  // Few boxes stand wider apart, many closer together.
  const k = ((seats + 1) / 2 - box) * Math.min(1.5, 6 / Math.max(1, seats - 1)), n = Math.abs(k), sign = Math.sign(k);
  return { x: CX + sign * between(DX, n), y: 318 - between(DY, n), turn: -sign * between(TURN, n), sign };
}

// The wagers that are placed before the cards, the main one last, and where each is printed.
export function printed(layout) {
  const before = layout.wagers.filter((one) => !one.after_cards && !one.coin);
  const main = before.find((one) => !one.needs) || before[0];
  const list = [...before.filter((one) => one !== main), main];
  const places = { 2: TWO, 3: THREE, 5: FIVE }[list.length] || FIVE.slice(-list.length);
  return list.map((wager, i) => ({ wager, at: places[i] }));
}

export const coinOf = (layout) => layout.wagers.find((one) => one.coin);
const print = (x, y, text, size = 13) => `<text x="${x}" y="${y}" text-anchor="middle" font-family="var(--sans)" font-weight="700" font-size="${size}" letter-spacing="1" fill="#d9b56e">${text}</text>`;

function title(x, y, text, r) {
  const lines = twoLines(text.toUpperCase());
  const size = Math.min(13, (r * 1.7) / (Math.max(...lines.map((one) => one.length)) * 0.72));
  return lines.map((line, i) => `<text x="${x}" y="${y + size * 0.36 + (i - (lines.length - 1) / 2) * size * 1.08}" text-anchor="middle" font-family="var(--sans)" font-weight="700" font-size="${size.toFixed(1)}" letter-spacing=".4" fill="#d9b56e">${safe(line)}</text>`).join("");
}

// A hand's name: in one line if it is legible so, else in two, the last of them at `y` if `up`, the first otherwise.
function handName(text, x, y, { width, size, up = false, attributes }) {
  const lines = text.length * size * 0.6 <= width ? [text] : twoLines(text), fits = Math.min(size, width / (Math.max(...lines.map((one) => one.length)) * 0.6));
  return lines.map((line, i) => `<text x="${x}" y="${(y + (up ? i - lines.length + 1 : i) * fits * 1.12).toFixed(1)}" font-family="var(--sans)" font-size="${fits.toFixed(1)}" ${attributes}>${safe(line)}</text>`).join("");
}

// --- the dealer's side -----------------------------------------------------------------------------------

const TUBES = [[500, 26], [100, 34], [100, 30], [25, 36], [25, 36], [25, 22], [5, 36], [5, 28], [1, 34]];
const BODY = { 500: "#5b3a86", 100: "#1c1f22", 25: "#2f7d54", 5: "#a3242f", 1: "#d8d3c4" };

function tray() {
  let s = `<g transform="translate(700 50)" aria-hidden="true"><rect x="-210" y="-12" width="420" height="34" rx="8" fill="#0b0f0f" stroke="#3a4744"/>`;
  TUBES.forEach(([worth, full], i) => {
    const x = -200 + i * 45;
    s += `<rect x="${x}" y="-6" width="40" height="22" rx="4" fill="#161c1c"/>`;
    for (let k = 0; k < full; k += 2) s += `<rect x="${x + 2 + k}" y="-5" width="1.7" height="20" fill="${BODY[worth]}" ${k % 8 === 0 ? 'opacity=".65"' : ""}/>`;
  });
  return s + `</g>`;
}

function shuffler({ shuffler: device, phase }, unplugged) {
  const there = device.connected, deals = phase === "DEALING" && !device.out && there;
  const said = unplugged || !there ? "not there" : device.jammed ? "jammed" : device.of ? `${device.out} of ${device.of} dealt` : device.cards === null ? "no deck told" : `${device.cards} cards ready`;
  const mark = there ? `<circle cx="-44" cy="-27" r="4.5" fill="#7fd6a4"/>` : `<path d="M-50-22L-44-33L-38-22Z" fill="#ff8a7a"/>`;
  return `<g transform="translate(1024 100)" class="hot" data-act="deal" role="button" tabindex="0" aria-label="Shuffler: ${said}. ${deals ? "Press its key to deal." : ""}">
    <rect x="-62" y="-42" width="124" height="92" rx="12" fill="#12181a" stroke="${deals ? "#f4d99b" : "#3c4a47"}" stroke-width="${deals ? 3 : 1}"/><rect x="-61" y="-41" width="122" height="29" rx="11" fill="#1d2628"/>
    <rect x="-40" y="30" width="80" height="9" rx="4" fill="#05090a"/>${there ? `<rect x="-34" y="26" width="68" height="9" rx="2" fill="#fbf8f0"/><rect x="-34" y="26" width="68" height="4" fill="#5a1620"/>` : ""}
    ${mark}<text x="-32" y="-22" font-family="var(--sans)" font-size="14" fill="#f6f1e4">Shuffler</text>
    <text x="0" y="${deals ? 2 : 10}" text-anchor="middle" font-family="var(--sans)" font-size="15" fill="${there ? "#c3cbc3" : "#ff8a7a"}">${said}</text>
    ${deals ? `<text y="20" text-anchor="middle" font-family="var(--sans)" font-size="15" font-weight="700" fill="#f4d99b">press to deal</text>` : ""}</g>`;
}

function hand(round, target) {
  return round && round.hands.find((one) => one.target === target);
}

// The cards of a hand: what may be seen as faces, the rest as backs.
function cardsOf(found, peeked, many) {
  if (!found || !found.dealt) return [];
  const faces = peeked || found.cards;
  return Array.from({ length: Math.min(found.dealt, many) }, (_, i) => faces[i] || null);
}

// Of three community cards one is discarded; until the dealer says which, all three lie there.
function communityCards(round) {
  const found = round && hand(round, "community");
  return found ? [...cardsOf(found, null, 3), ...Array(round.to_discard).fill(null)] : [];
}

function choice(round, i, x, drawn) {
  if (!round.discard_due) return drawn;
  return `<g class="hot" data-discard="${i + 1}" role="button" tabindex="0" aria-label="Discard community card ${i + 1}"><rect x="${x - 32}" y="90" width="64" height="118" rx="8" fill="transparent"/>${drawn}
    <circle cx="${x}" cy="190" r="14" fill="#f4d99b" stroke="#fff2cf" stroke-width="1.5"/><text x="${x}" y="196" text-anchor="middle" font-family="var(--sans)" font-weight="700" font-size="17" fill="#1c1606">${i + 1}</text></g>`;
}

function dealersHand(layout, round, marked) {
  const found = round && !round.ended ? hand(round, "dealer") : round && round.settled ? hand(round, "dealer") : null;
  const cards = cardsOf(found, null, 3), community = layout.community ? communityCards(round) : [];
  const wide = layout.community > 0, cx = wide ? 560 : CX;
  let s = `<rect x="${cx - 106}" y="86" width="212" height="98" rx="10" fill="#0002" stroke="#8a6f3d" stroke-width="1.2"/>`;
  s += cards.length ? cards.map((code, i) => card(cx - 68 + i * 68, 135, code, { scale: 1.08, mark: code && marked.has(code) })).join("") : print(cx, 140, "DEALER", 15);
  if (wide) {
    s += `<rect x="734" y="86" width="212" height="98" rx="10" fill="#0002" stroke="#8a6f3d" stroke-width="1.2"/>`;
    const left = 840 - (community.length - 1) * 34;
    s += community.length ? community.map((code, i) => choice(round, i, left + i * 68, card(left + i * 68, 135, code, { scale: 1.08, mark: code && marked.has(code) }))).join("") : print(840, 140, "COMMUNITY", 15);
  }
  if (found && found.name) {
    const line = round.qualifies === null ? "" : round.qualifies ? "qualifies" : "does not qualify";
    const bold = 'font-weight="700" fill="#f6f1e4"';
    if (wide) s += handName(`${found.name}${line ? `, ${line}` : ""}`, 560, 206, { width: 330, size: 19, attributes: `${bold} text-anchor="middle"` });
    else s += `${handName(found.name, 818, line ? 132 : 144, { width: 134, size: 19, up: true, attributes: bold })}<text x="818" y="156" font-family="var(--sans)" font-size="16" fill="#c3cbc3">${line}</text>`;
  }
  return s;
}

// --- a box -----------------------------------------------------------------------------------------------

const sumOf = (chips) => chips.reduce((sum, one) => sum + (one || 0), 0);
const isKnown = (chips) => chips.every((one) => one !== null);

function wagers(view, box) {
  const { layout, picture, hands, cash, unit } = view, playing = picture.playing;
  const list = printed(layout), crowd = list.length > 3;
  return list.map(({ wager, at: [x, y, r] }) => {
    const spot = `${box}.${wager.name}`, chips = hands.chips[spot] || [], told = picture.spots[spot];
    const bet = playing && playing.locked && playing.bets.find(([seat, name]) => seat === box && name === wager.name);
    const amount = bet && !playing.ended ? bet[2] : told ? told[2] : null, lies = chips.length || (told && (told[0] || told[1]));
    const sum = chips.length && isKnown(chips) ? cash.say(sumOf(chips)) : "?";
    const differs = amount !== null && amount !== undefined && chips.length && isKnown(chips) && amount !== sumOf(chips);
    const keyed = amount !== null && amount !== undefined && (chips.length || (told && told[1]));
    const said = keyed ? `${cash.say(amount)}${differs ? " \u2260" : ""}` : chips.length ? sum : "";
    const label = `Box ${box}, ${wager.title}: ${chips.length ? `chips worth ${sum}` : "no chip"}${keyed ? `, keyed ${cash.say(amount)}` : lies ? ", amount not keyed" : ""}`;
    return `<g class="hot spot" data-spot="${spot}" role="button" tabindex="0" aria-label="${safe(label)}"><circle cx="${x}" cy="${y}" r="${r}" fill="#0002" stroke="#d9b56e" stroke-width="1.6"/>
      ${chips.length ? stack(x, y, chips.map((one) => (one === null ? null : one / unit)), r > 30 ? 19 : 17) : title(x, y, wager.title, r)}
      ${said ? `<text x="${x + Math.sign(x) * (crowd ? 8 : 0)}" y="${y + r + 14}" text-anchor="middle" font-family="var(--sans)" font-weight="700" font-size="${crowd ? 14 : 16}" fill="${keyed ? "#f6f1e4" : "#c3cbc3"}" stroke="#0a3026" stroke-width="3" stroke-linejoin="round" paint-order="stroke" class="sum">${safe(said)}${keyed ? "" : `<tspan font-weight="400"> ?</tspan>`}</text>` : ""}</g>`;
  }).join("");
}

// Why a chip goes back: it came after the lock, or it was never a bet.
export function coinSays({ layout, picture, hands }, box) {
  const spot = `${box}.${coinOf(layout).name}`, state = picture.lamps[spot] || "off", round = picture.playing;
  const refused = round && round.bets.find(([seat, wager, , accepted]) => seat === box && wager === coinOf(layout).name && !accepted);
  if (state === "late" && refused) return `hand back, no bet of this round${refused[4] ? ` (${refused[4]})` : ""}`;
  if (state === "late") return "hand back, came after the lock (5.11)";
  if (state === "invite" && (hands.chips[spot] || []).length) return `no bet without ${printed(layout).at(-1).wager.title}`;
  return NAME[state] || state.replaceAll("_", " ");
}

function coin(view, box) {
  const { layout, picture, hands, unit } = view, wager = coinOf(layout);
  if (!wager) return "";
  const spot = `${box}.${wager.name}`, state = picture.lamps[spot] || "off", chips = (hands.chips[spot] || []).map((one) => (one === null ? null : one / unit));
  const main = printed(layout).at(-1).wager.title, unbacked = state === "invite" && chips.length > 0;
  const word = unbacked ? `needs ${main}` : WORD[state] || "", loud = state === "late" || state === "winner" || state === "fault";
  const ink = { late: "#ffb454", winner: "#f4d99b", fault: "#ff8a7a" }[state] || "#c3cbc3";
  return `<g class="hot spot" data-spot="${spot}" role="button" tabindex="0" aria-label="Box ${box}, coin spot: ${safe(coinSays(view, box))}${chips.length ? ", a chip lies here" : ""}">
    <circle r="30" fill="transparent"/>${lamp(0, 0, state, { coins: chips, broken: hands.dark.includes(spot) })}</g>
    ${word ? `<text y="${state === "winner" ? 51 : 47}" text-anchor="middle" font-family="var(--sans)" font-size="15" font-weight="${loud ? 700 : 400}" fill="${ink}">${word}</text>` : ""}`;
}

function cards(view, box, turn, marked) {
  const { layout, picture, hands, unit, peek } = view, round = picture.playing, gone = !round || (round.ended && !view.keepsResult);
  const found = gone ? null : hand(round, String(box)), choice = gone ? "" : round.decisions[box] || "";
  const play = layout.wagers.find((one) => one.after_cards);
  let s = `<rect x="-74" y="156" width="148" height="90" rx="12" fill="#0002" stroke="#d9b56e" stroke-width="1.6"/>`;
  const name = play ? play.title.toUpperCase() : "CARDS", peeked = peek && peek.box === box && round && peek.round === round.number ? peek.cards : null;
  const drawn = cardsOf(found, peeked, 3);
  if (!drawn.length) return s + print(0, 206, name, 15);
  if ((choice === "fold" || choice === "walk_away") && !found.cards.length) return s + `<text y="206" text-anchor="middle" font-family="var(--sans)" font-size="16" fill="#c3cbc3">${choice === "fold" ? "folded" : "walked away"}</text>`;
  const onPlay = !play || choice === "play" || round.settled, y = onPlay ? 201 : 240;
  if (!onPlay) s += print(0, 178, name, 13);
  s += drawn.map((code, i) => card((i - 1) * 44, y, code, { mark: code && marked.has(code) && marked.get(code) === box })).join("");
  const chips = play ? hands.chips[`${box}.${play.name}`] || [] : [];
  if (chips.length) s += stack(turn > 0 ? -76 : 76, 240, chips.map((one) => (one === null ? null : one / unit)), 17);
  return s;
}

function boxKey(view, box) {
  const lit = view.picture.panel.seats.includes(box), lucky = !coinOf(view.layout), x = lucky ? 0 : -56, y = lucky ? -42 : 0;
  return `<g class="hot" data-box="${box}" role="button" tabindex="0" aria-label="Box ${box}${lit ? ", its key is lit" : ""}"><circle cx="${x}" cy="${y}" r="28" fill="transparent"/>
    <circle cx="${x}" cy="${y}" r="16" fill="${lit ? "#f4d99b" : "#07261d"}" stroke="${lit ? "#fff2cf" : "#8a6f3d"}" stroke-width="1.5"/>
    <text x="${x}" y="${y + 6}" text-anchor="middle" font-family="var(--sans)" font-weight="700" font-size="18" fill="${lit ? "#1c1606" : "#d9b56e"}">${box}</text></g>`;
}

function drawBox(view, box, marked) {
  const { x, y, turn } = placeOf(box, view.layout.seats), won = view.picture.playing && !view.picture.playing.void && view.winners.includes(box);
  const shut = view.picture.barred.includes(box);
  return `<g transform="translate(${x.toFixed(1)} ${y.toFixed(1)}) rotate(${turn.toFixed(1)})" ${shut ? 'opacity=".6"' : ""}>
    ${won ? `<rect x="-86" y="-46" width="172" height="306" rx="20" fill="#f4d99b" fill-opacity=".07" stroke="#f4d99b" stroke-width="2"/>` : ""}
    ${view.chosen === box ? `<rect x="-90" y="${coinOf(view.layout) ? -48 : -64}" width="180" height="${coinOf(view.layout) ? 312 : 328}" rx="22" fill="none" stroke="#8fc4e8" stroke-opacity=".6" stroke-width="2" stroke-dasharray="2 6"/>` : ""}
    <rect class="hot" data-choose="${box}" x="-84" y="-60" width="168" height="320" fill="transparent"/>
    ${coin(view, box)}${wagers(view, box)}${cards(view, box, turn, marked)}${boxKey(view, box)}</g>`;
}

// What a box won or lost, drawn last and upright.
function ribbon(view, box) {
  const { layout, picture, cash } = view, round = picture.playing, net = view.nets[box];
  if (net === undefined) return "";
  const { x, y, turn } = placeOf(box, layout.seats), a = (turn * Math.PI) / 180, rx = Math.max(142, Math.min(1258, x - Math.sin(a) * 296)), ry = y + Math.cos(a) * 296;
  const hit = view.winners.includes(box), found = hand(round, String(box)), w = hit ? 176 : 166;
  const back = round.void || round.lines.every((line) => line.seat !== box || line.outcome === "returned");
  const name = (found && found.name) || (round.decisions[box] === "fold" ? "Folded" : back ? "Bets go back" : "No cards");
  const valued = !round.lines.some((line) => line.seat === box && line.level && line.paid === null), claim = picture.claim;
  const said = net !== null ? cash.signed(net) : valued ? "amount not keyed" : claim && claim.seat === box && claim.award !== null ? "to be confirmed" : "being valued";
  const tall = name.length * 9 > w - 12 ? 14 : 0;
  return `<g class="hot ribbon" role="button" tabindex="0" data-ribbon="${box}" aria-label="Box ${box}: ${safe(name)}, ${safe(said)}. Show each line." transform="translate(${rx.toFixed(1)} ${ry.toFixed(1)})">
    <rect x="${-w / 2}" y="-29" width="${w}" height="${60 + tall}" rx="10" fill="${hit ? "#f4d99b" : "#081512"}" fill-opacity="${hit ? 1 : 0.94}" stroke="${view.chosen === box ? "#fff2cf" : "#4d5d59"}" stroke-width="${view.chosen === box ? 2 : 1}"/>
    <text y="-5" text-anchor="middle" font-family="var(--sans)" font-weight="700" font-size="${net === null ? 15 : 21}" fill="${hit ? "#1c1606" : net !== null && net < 0 ? "#c3cbc3" : "#f6f1e4"}">${safe(said)}</text>
    ${handName(name, 0, 18, { width: w - 12, size: 15, attributes: `text-anchor="middle" fill="${hit ? "#3a2d0c" : "#c3cbc3"}"` })}</g>`;
}

function looking(view) {
  const { peek, picture, layout } = view;
  if (!peek || !peek.box || !picture.playing || peek.round !== picture.playing.number || picture.playing.settled) return "";
  const { x, y, turn } = placeOf(peek.box, layout.seats), a = (turn * Math.PI) / 180, rx = x - Math.sin(a) * 298, ry = y + Math.cos(a) * 298;
  return `<g transform="translate(${rx.toFixed(1)} ${ry.toFixed(1)})"><rect x="-84" y="-15" width="168" height="30" rx="15" fill="#081512" fill-opacity=".94" stroke="#4d5d59"/><text y="6" text-anchor="middle" font-family="var(--sans)" font-size="15" fill="#f6f1e4">you look at box ${peek.box}</text></g>`;
}

/** The whole table, 1400 x 720. `view`: layout, picture, hands, cash, unit, peek, chosen, nets, winners, keepsResult. */
export function drawFelt(view) {
  const { layout, picture } = view, round = picture.playing, shown = round && (!round.ended || view.keepsResult) ? round : null;
  // The cards that made a jackpot are marked where they lie, also in front of the dealer.
  const marked = new Map();
  for (const line of shown ? shown.lines : []) if (line.level) for (const code of line.cards) marked.set(code, line.seat);
  const boxes = Array.from({ length: layout.seats }, (_, i) => i + 1);
  const discards = shown && shown.settled;
  return `<svg viewBox="0 0 1400 720" class="felt" role="group" aria-label="Table ${safe(layout.table)}, round ${picture.round}">${DEFS}
    <path d="${OUTLINE(0)}" fill="url(#rail)" stroke="#0009"/><path d="${OUTLINE(24)}" fill="url(#felt)" stroke="#000a" stroke-width="2"/>
    <path d="${OUTLINE(24)}" fill="url(#nap)"/><path d="${OUTLINE(34)}" fill="none" stroke="#8a6f3d" stroke-width="1"/>
    ${layout.community ? "" : `<text font-family="var(--serif)" font-size="21" letter-spacing="3.2" fill="#d9b56e"><textPath href="#arc" startOffset="50%" text-anchor="middle">${PRINT[layout.game] || ""}</textPath></text>`}
    ${tray()}${shuffler(picture, view.hands.troubles.includes("unplugged"))}
    <g transform="translate(${layout.community ? 316 : 350} 100)" aria-hidden="true"><rect x="-50" y="-40" width="100" height="84" rx="8" fill="none" stroke="#8a6f3d" stroke-dasharray="3 4"/>${discards ? [0, 1, 2].map((i) => card(i * 2 - 2, 4 - i * 2, null, { turn: 90, scale: 0.86 })).join("") : print(0, 6, "DISCARDS", 13)}</g>
    ${dealersHand(layout, shown, marked)}
    ${boxes.map((box) => drawBox(view, box, marked)).join("")}${boxes.map((box) => ribbon(view, box)).join("")}${looking(view)}</svg>`;
}
