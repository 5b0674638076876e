// The dealer's screen: what to do now, the boxes, and the keys that may be pressed. Where the table file makes this
// screen part of the panel its keys are the panel's; everywhere else it shows them and takes nothing.
import { card, LATTICE, STAR, SUIT } from "/static/cards.js";
import { coinOf, coinSays, printed } from "/static/felt.js";
import { GLOW, lamp, together, WORD } from "/static/lamps.js";
import { Live } from "/static/live.js";
import { money } from "/static/money.js";
import { isRepeated, netsOf, sumOf, titleOf, winnersOf } from "/static/results.js";
import { capital, safe, withPlaces, withRules } from "/static/text.js";

const $ = (id) => document.getElementById(id);
const PHASE = { IDLE: "Between rounds", INTERRUPTED: "Held", VERIFYING: "Jackpot" };
const NEXT = { IDLE: ["open"], BETTING: ["no_more_bets"], DEALING: ["collect"], REVEALING: ["reveal", "settle"], PAYING: ["settle"], VOIDING: ["settle"] };
const ORDER = ["open", "no_more_bets", "collect", "cards_seen", "fold", "play", "reveal", "settle"], RARE = ["misdeal", "count_mismatch", "other", "void"];
const METER = { star: ["Star", STAR], spade: ["Spade", SUIT.s], heart: ["Heart", SUIT.h], diamond: ["Diamond", SUIT.d] };
const SAID_MS = 9000;
const TICK = `<svg viewBox="0 0 24 24"><rect x="1.5" y="1.5" width="21" height="21" rx="5" fill="#7fd6a4"/><path d="M6 12.5L10.5 17L18 7.5" fill="none" stroke="#0a0d0e" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"/></svg>`;
const WAITING = `<svg viewBox="0 0 24 24"><rect x="2" y="2" width="20" height="20" rx="5" fill="none" stroke="#f4d99b" stroke-width="3"/></svg>`;
const BACK = `<svg viewBox="-13 -13 26 26" aria-hidden="true"><circle r="12" fill="#ffb454"/><path d="M4.5 6V1A3.6 3.6 0 0 0 1-2.6H-5.5M-2-6.6L-6-2.6L-2 1.4" fill="none" stroke="#101516" stroke-width="2.6" stroke-linecap="round" stroke-linejoin="round"/></svg>`;

let layout = null, picture = null, cash = null, me = { person: "", role: "" };
let isPanel = false, shownRare = false, said = null, heard = 0, view = "", pending = null, opened = 0;
// The credential of this device comes behind the #, which no request carries; afterwards it is not in the address.
const secret = new URLSearchParams(location.hash.slice(1)).get("panel") || sessionStorage.getItem("panel") || "";
if (secret) { sessionStorage.setItem("panel", secret); history.replaceState(null, "", location.pathname); }

const live = new Live("/live/table", {
  hello: (hello) => { me = { person: hello.person, role: hello.role }; bePanel(); draw(); },
  hear: (message) => {
    const before = picture;
    ({ layout, picture } = message);
    cash = money(layout.currency);
    follow(before);
    draw();
  },
  stale: (why) => {
    document.body.toggleAttribute("data-stale", Boolean(why));
    $("stale").textContent = { page: "No connection to this table's pages: what you see is no longer live.", table: "The table controller does not answer: what you see is no longer live." }[why] || "";
    if (why) isPanel = false;
    else if (!isPanel) bePanel();
  },
});

async function bePanel() {
  if (!secret) return;
  try { await live.act({ do: "panel", secret }); isPanel = true; draw(); } catch (problem) { isPanel = false; tell(problem.message); }
}

function follow(before) {
  const newest = Math.max(0, ...picture.panel.notices.map((one) => one.number));
  if (before) {
    const fresh = picture.panel.notices.filter((one) => one.number > heard).at(-1);
    if (fresh) tell(fresh.said, fresh.kind);
    if (picture.phase !== before.phase) { shownRare = false; view = ""; opened = 0; }
  }
  heard = newest;
}

function tell(sentence, kind = "refused") {
  said = { sentence, kind, until: performance.now() + SAID_MS };
  setTimeout(draw, SAID_MS + 50);
  draw();
}

// --- drawing ---------------------------------------------------------------------------------------------

const shown = new Map();
function put(id, html) {
  if (shown.get(id) === html) return false;
  shown.set(id, html);
  const typed = new Map([...$(id).querySelectorAll("input")].map((one) => [one.name, one.value]));
  const focus = $(id).contains(document.activeElement) ? document.activeElement : null;
  const place = focus && (focus.name ? `[name="${focus.name}"]` : focus.dataset.key ? `[data-key="${focus.dataset.key}"]` : focus.dataset.seat ? `[data-seat="${focus.dataset.seat}"]` : "");
  $(id).innerHTML = html;
  for (const one of $(id).querySelectorAll("input")) if (typed.get(one.name)) one.value = typed.get(one.name);
  if (place) $(id).querySelector(place)?.focus();
  return true;
}

function draw() {
  if (!picture) return;
  drawLine();
  drawSay();
  const again = put("mid", middle());
  drawKeys();
  if (again) together();
  document.title = `Felt: dealer of table ${layout.table}`;
}

function drawLine() {
  const many = layout.meters.length > 1;
  const mark = ([title, path]) => `<svg viewBox="-14 -14 28 28" role="img" aria-label="${title}"><path d="${path}" fill="currentColor"/></svg>`;
  const meters = layout.meters.map((name) => `<span class="meter ${many ? "many" : ""}">${many ? mark(METER[name] || [safe(name), STAR]) : ""}${picture.meters[name] === undefined ? "?" : safe(cash.full(picture.meters[name]))}</span>`).join("");
  const there = (ok, word, gone) => `<span class="ok ${ok ? "" : "no"}">${ok ? word : gone}</span>`;
  const state = picture.state === "out_of_order" ? "Out of order" : PHASE[picture.phase] || picture.phase.toLowerCase();
  put("line", `<span class="phase">${safe(state)}</span><span>Round ${picture.round}</span>${meters || '<span class="meter"></span>'}${there(picture.shuffler.connected && !picture.shuffler.jammed, "Shuffler", picture.shuffler.jammed ? "Shuffler jammed" : "Shuffler gone")}${layout.meters.length ? there(picture.link === "UP", "Link", "Link lost") : ""}`);
}

const handBack = () => Array.from({ length: layout.seats }, (_, i) => i + 1).map((box) => [box, coinOf(layout) ? picture.lamps[`${box}.${coinOf(layout).name}`] : ""]).filter(([, state]) => state === "late" || state === "removed");

function drawSay() {
  const main = picture.phase === "CLOSED" && picture.state !== "out_of_order" ? "The table is closed. A supervisor opens it." : picture.prompt;
  const wrong = handBack().map(([box, state]) => `Box ${box}: ${state === "late" ? coinSays({ layout, picture, hands: { chips: {} } }, box) : "an accepted chip is gone: put it back"}.`);
  const fresh = said && said.until > performance.now() && !isRepeated(said.sentence, picture) ? said : null;
  const standing = picture.alerts.filter((one) => !one.passed && !fresh && !main.includes(one.sentence))[0];
  let second = "";
  if (fresh) second = `<small class="${fresh.kind === "refused" ? "" : "calm"}"><span>${withRules(withPlaces(fresh.sentence, layout))}</span></small>`;
  else if (wrong.length && !/hand back|put/i.test(main)) second = `<small>${BACK}<span>${withRules(wrong.join(" "))}</span></small>`;
  else if (standing && view !== "faults") second = `<small><span>${safe(standing.sentence)}</span></small>`;
  $("say").className = `say ${main.length > 130 ? "longer" : main.length > 70 ? "long" : ""}`;
  put("say", withRules(withPlaces(main, layout)) + second);
}

function middle() {
  if (view === "sign-in") return signInView();
  if (view === "sign-jackpot" && picture.claim) return jackpotForm();
  if (picture.claim) return jackpotView(picture.claim);
  if (picture.questions.length) return questionView(picture.questions.find((one) => one.holds) || picture.questions[0]);
  if (picture.state === "out_of_order" || view === "faults") return faultsView();
  if (picture.playing && picture.playing.settled && !picture.playing.ended && picture.phase !== "SETTLING") return opened && netsOf(picture)[opened] !== undefined ? linesView(opened) : payView();
  return boxesView();
}

const SHORT = { pair_plus: "Pair+", player_bonus: "Bonus", six_card_bonus: "6 Card", six_card_bounty: "Bounty", lucky_pictures: "L. Pict.", player_lucky_6: "P. L. 6", dealer_lucky_6: "D. L. 6", lucky_tie: "L. Tie" };
const shortOf = (wager) => SHORT[wager.name] || wager.title;
const payTitle = (bet) => (bet === coinOf(layout)?.name ? "Jackpot" : SHORT[bet] || titleOf(bet, layout).replace(" Bonus", ""));

// What a lit box key means now: the panel's keys have more than one use.
function asked(box) {
  if (picture.playing?.discard_due) return `Card ${box}`;
  const mode = picture.panel.mode;
  if (picture.phase === "DECIDING" && layout.fold && (!mode || mode === "fold" || mode === "play")) return { fold: "Fold", play: "Play" }[mode] || "Fold or play";
  return "Touch";
}

function boxesView() {
  const coin = coinOf(layout), round = picture.playing && !picture.playing.ended ? picture.playing : null;
  const boxes = Array.from({ length: layout.seats }, (_, i) => {
    const box = i + 1, state = coin ? picture.lamps[`${box}.${coin.name}`] || "off" : "off", lit = picture.panel.seats.includes(box), shut = picture.barred.includes(box);
    const rows = [...printed(layout).map((one) => one.wager).reverse(), ...layout.wagers.filter((one) => one.after_cards)].map((wager) => {
      const bet = round && round.locked && round.bets.find(([seat, name]) => seat === box && name === wager.name), spot = picture.spots[`${box}.${wager.name}`];
      const lies = bet ? true : !round?.locked && spot && (spot[0] || spot[1]), amount = bet ? bet[2] : spot ? spot[2] : null;
      return lies ? `<dt>${safe(shortOf(wager))}</dt><dd>${amount === null ? "?" : safe(cash.say(amount).replace(layout.currency.sign, ""))}</dd>` : "";
    }).join("");
    const decided = round?.decisions[box], dealt = round?.hands.some((one) => one.target === String(box) && one.dealt);
    const did = shut ? "closed" : decided ? { play: "Plays", fold: "Folded", walk_away: "Walked", refuse_reveal: "Not shown" }[decided] || decided : lit ? asked(box) : dealt && picture.phase === "DECIDING" && layout.fold ? "No choice" : "";
    const drawn = coin ? `<svg viewBox="-36 -34 72 68">${box === 1 ? `<defs>${GLOW}</defs>` : ""}${lamp(0, 0, state, { coins: picture.spots[`${box}.${coin.name}`]?.[0] && layout.prescribed ? [layout.prescribed / 10 ** layout.currency.digits] : [] })}</svg><span class="word">${WORD[state] || ""}</span>` : `<svg viewBox="0 0 1 1"></svg><span class="word"></span>`;
    return `<button class="box ${rows || dealt ? "" : "none"} ${["late", "removed", "fault"].includes(state) ? "loud" : ""}" data-seat="${box}" ${lit ? "data-lit" : ""} ${lit && isPanel ? "data-press" : 'tabindex="-1"'} aria-label="${safe(`Box ${box}${coin ? `, coin spot: ${coinSays({ layout, picture, hands: { chips: {} } }, box)}` : ""}${did ? `, ${did}` : ""}`)}"><b>${box}</b>${drawn}<dl>${rows}</dl><span class="did">${did}</span></button>`;
  });
  return `<div class="boxes">${boxes.join("")}</div>`;
}

// Verdicts in paying order, each box with its lines and its net. Lines of one paragraph stand together, so that none is cut off.
function payView() {
  const round = picture.playing, nets = netsOf(picture), won = winnersOf(picture), seats = [...new Set(round.lines.map((one) => one.seat))];
  const rows = seats.map((seat) => {
    const lines = round.lines.filter((one) => one.seat === seat), hand = round.hands.find((one) => one.target === String(seat));
    const named = hand?.name || (round.decisions[seat] === "fold" ? "Folded" : round.void ? "Bets go back" : "");
    const byRule = new Map();
    for (const one of [...lines].sort((a, b) => (b.paid || 0) - (a.paid || 0))) byRule.set(one.rule, [...(byRule.get(one.rule) || []), `<span class="bit">${safe(payTitle(one.bet))} ${safe(sumOf(one, cash))}</span>`]);
    const told = [...byRule].map(([rule, each]) => `${each.join(", ")}&nbsp;<span class="rule">${safe(rule)}</span>`), net = nets[seat];
    return `<button class="pay ${won.includes(seat) ? "hit" : ""}" data-pay="${seat}" aria-label="${safe(`Box ${seat}: ${named}, ${net === null ? "not keyed" : cash.signed(net)}. Show each line.`)}"><span class="n">${seat}</span><span class="h">${safe(named)}</span><small>${told.join(" ")}</small><span class="v ${net !== null && net < 0 ? "less" : ""}">${net === null ? "not keyed" : safe(cash.signed(net))}</span></button>`;
  });
  return `<div class="pays ${seats.length > 5 ? "many" : ""}">${rows.join("")}</div>`;
}

// One box, every line with its reason; a touch leads back.
function linesView(seat) {
  const lines = picture.playing.lines.filter((one) => one.seat === seat).sort((a, b) => (b.paid || 0) - (a.paid || 0)), net = netsOf(picture)[seat];
  const rows = lines.map((one) => `<div><b>${safe(titleOf(one.bet, layout))}</b><b>${safe(sumOf(one, cash))}</b><small>${safe(one.because)}</small><span class="rule">${safe(one.rule)}</span></div>`);
  return `<button class="card lines" data-pay="0"><h2><span>Box ${seat}</span><span>${net === null ? "not keyed" : safe(cash.signed(net))}</span></h2>${rows.join("")}</button>`;
}

function knownFacts() {
  const round = picture.playing, open = round && !round.ended ? round : null;
  return `<div class="card"><h2>What the table knows</h2><dl class="facts"><dt>Cards dealt</dt><dd>${picture.shuffler.out}${picture.shuffler.of ? ` of ${picture.shuffler.of}` : ""}</dd><dt>Seen by players</dt><dd>${open?.seen ? "yes" : "no"}</dd><dt>Decisions made</dt><dd>${open ? Object.keys(open.decisions).length : 0}</dd><dt>Dealer's cards open</dt><dd>${open?.revealed ? "yes" : "no"}</dd>${coinOf(layout) ? `<dt>Jackpot bets</dt><dd>${picture.accepted} accepted</dd>` : ""}</dl></div>`;
}

const OPTION = { continue: "Play goes on", void: "The round is void: every bet goes back", return: "Bets go back", invalidate: "The hand is invalid", reconstruct: "The hands are put right", established: "The hand counts" };
const optionSays = (option) => OPTION[option] || capital(option.replaceAll("_", " "));

function questionView(question) {
  const rule = `<span class="rule">${safe(question.rule)}</span>`;
  if (question.players.length) {
    const each = question.players.flatMap((seat) => question.options.map((option) => `<button class="opt ${option === question.proposal ? "best" : ""}" data-choice="${safe(`${question.id}|${option}|${seat}`)}"><span>Box ${seat} ${safe({ continue: "goes on", return: "takes its bets back" }[option] || optionSays(option))}</span>${rule}</button>`));
    return `<div class="two">${knownFacts()}<div class="opts ${each.length > 3 ? "many" : ""}">${each.join("")}</div></div>`;
  }
  const options = [...question.options].sort((a, b) => (b === question.proposal) - (a === question.proposal));
  return `<div class="two">${knownFacts()}<div class="opts ${options.length > 3 ? "many" : ""}">${options.map((option) => `<button class="opt ${option === question.proposal ? "best" : ""}" data-choice="${safe(`${question.id}|${option}|0`)}"><span>${safe(optionSays(option))}<small>${option === question.proposal ? "as the rulebook proposes" : "a supervisor overrules"}</small></span>${rule}</button>`).join("")}</div></div>`;
}

function jackpotView(claim) {
  const share = claim.share[1] === 1 ? "the whole meter" : `${(100 * claim.share[0]) / claim.share[1]}% of ${claim.value === null ? "the meter" : cash.full(claim.value)}`;
  const check = (done, text) => `<li class="${done ? "" : "todo"}">${done ? TICK : WAITING}<span>${text}</span></li>`;
  return `<div class="two"><div class="card"><h2>Box ${claim.seat}</h2><div class="prize ${claim.award === null ? "wait" : ""}">${claim.award === null ? "being valued" : safe(cash.full(claim.award))}</div><p>${safe(capital(claim.hand.replaceAll("_", " ")))}<br>${safe(share)}</p>${claim.cards.length ? `<svg class="hand" viewBox="0 0 276 76"><defs>${LATTICE}</defs>${claim.cards.map((code, i) => card(27 + i * 55, 38, code, { mark: true })).join("")}</svg>` : ""}</div>
    <ul class="card checks">${check(true, 'Cards stay face up <span class="rule">4.6</span>')}${check(!claim.by_hand, claim.by_hand ? "A card was keyed: verify the hand" : "The cards agree with the shuffler")}${check(true, "The jackpot bet was in before the lock")}${check(claim.valued, "The controller has told the value")}${check(false, "Two persons sign with name and PIN")}</ul></div>`;
}

const field = (name, title, type = "text") => `<label>${title}<input name="${name}" type="${type}" autocomplete="off" ${type === "password" ? 'inputmode="numeric"' : ""}></label>`;
const jackpotForm = () => `<form class="form">${field("first", "First person")}${field("first_pin", "PIN", "password")}${field("second", "Second person")}${field("second_pin", "PIN", "password")}<div class="all">${field("reason", "Reason, where it is denied")}</div></form>`;
const signInView = () => `<form class="form">${field("name", "Name")}${field("pin", "PIN", "password")}<div class="all">${field("why", "Reason, where the proposal is overruled")}</div></form>`;

function faultsView() {
  const faults = picture.alerts.slice(0, 3).map((one) => `<div class="card bad"><h2>${safe(one.code)} ${safe(one.where)}${one.passed ? " (passed)" : ""}</h2><p><b>${safe(one.sentence)}</b> ${safe(one.remedy)}</p></div>`);
  const waits = picture.waiting.slice(0, 3).map((one) => `<p>${withRules(withPlaces(one, layout))}</p>`).join("");
  return `<div class="two"><div class="card"><h2>Waits for somebody</h2>${waits || "<p>Nothing.</p>"}</div><div class="opts">${faults.join("") || '<div class="card"><p>No fault stands.</p></div>'}</div></div>`;
}

function countBox() {
  const coin = coinOf(layout), round = picture.playing && !picture.playing.ended ? picture.playing : null;
  if (!coin) return "";
  if (!round || !round.locked) {
    const seen = Object.entries(picture.lamps).filter(([name, state]) => name.endsWith(`.${coin.name}`) && state === "seen").length;
    return `<div class="count one"><div><b>${seen}</b><span>jackpot bets seen</span></div></div>`;
  }
  const bets = round.bets.filter(([, name, , accepted]) => name === coin.name && accepted);
  const collected = round.collected ? bets.filter(([seat]) => !picture.spots[`${seat}.${coin.name}`]?.[0]).length : null;
  const same = collected === null || collected === picture.accepted;
  return `<div class="count" role="group" aria-label="Accepted ${picture.accepted}, collected ${collected ?? "not yet"}"><div><b>${picture.accepted}</b><span>accepted</span></div><i class="${same ? "" : "no"}">${collected === null ? "" : same ? "=" : "&ne;"}</i><div><b>${collected ?? "&ndash;"}</b><span>collected</span></div></div>`;
}

function keysNow() {
  const lit = [...ORDER, ...RARE].filter((name) => picture.lamps[`key.${name}`] === "on" || picture.panel.lit.includes(name));
  const round = picture.playing, next = picture.phase === "DECIDING" ? (!round?.seen && layout.fold ? ["cards_seen"] : lit.includes("reveal") ? ["reveal"] : ["fold", "play"]) : NEXT[picture.phase] || [];
  const first = lit.filter((name) => next.includes(name)), quiet = lit.filter((name) => !next.includes(name) && ORDER.includes(name)), rare = lit.filter((name) => RARE.includes(name));
  return { first, quiet, rare };
}

function drawKeys() {
  const { first, quiet, rare } = keysNow(), own = (text, act, look = "quiet") => `<button class="key" data-act="${act}" data-lit="${look}">${text}</button>`;
  const key = (name, rank) => `<button class="key" data-key="${name}" data-lit="${rank}" ${picture.panel.mode === name ? "data-mode" : ""} ${isPanel ? "" : 'tabindex="-1" aria-disabled="true"'}>${name === "settle" && picture.phase === "PAYING" ? "Settle: end the round" : name.replaceAll("_", " ")}${name === "misdeal" && picture.panel.mishap ? `<small>${safe(picture.panel.mishap.replaceAll("_", " "))}</small>` : ""}</button>`;
  let row, wide = false;
  if (view === "sign-in") { row = own("Back", "back") + own("Sign in and decide", "sign-in", ""); wide = true; }
  else if (view === "sign-jackpot" && picture.claim) { row = own("Back", "back") + own("Deny", "deny") + own("Confirm by two", "confirm", ""); wide = true; }
  else if (picture.claim) { row = own("Sign: confirm or deny", "sign-jackpot", picture.claim.valued ? "" : "quiet"); wide = true; }
  else {
    const faults = picture.alerts.length ? own(view === "faults" ? "Boxes" : `Faults ${picture.alerts.length}`, "faults") : "";
    const keys = shownRare ? rare.map((name) => key(name, "quiet")).join("") : first.map((name) => key(name, "")).join("") + quiet.map((name) => key(name, "quiet")).join("");
    const more = rare.length || faults ? `<button class="key more" data-act="more" data-lit="quiet">${shownRare ? "Back" : "More"}</button>` : "";
    row = keys + (shownRare ? faults : "") + (isPanel || !(first.length || quiet.length) ? "" : `<span class="note">Press on the panel: this screen only shows.</span>`) + more;
  }
  const count = wide ? "" : countBox();
  $("keys").classList.toggle("wide", wide || !count);
  put("keys", `${count}<div class="row ${isPanel ? "" : "told"} ${row.split("<button").length > 6 ? "many" : ""}">${row}</div>`);
}

// --- acts ------------------------------------------------------------------------------------------------

async function act(words) {
  try {
    const answer = await live.act(words);
    if (answer.person !== undefined) me = { person: answer.person, role: answer.role };
    return answer.done;
  } catch (problem) {
    if (problem.needs === "panel" && secret) await bePanel();
    tell(problem.message);
    throw problem;
  }
}
const quietly = (doing) => Promise.resolve(doing).catch(() => {});
const order = (kind, fields, second) => act({ do: "order", order: kind, fields, ...(second ? { second } : {}) });
const typed = (name) => document.querySelector(`[name="${name}"]`)?.value.trim() || "";

function give({ id, option, seat, proposed }, reason) {
  if (seat) return order("PlayerChose", { question: id, seat, choice: option });
  return order("RulingMade", { question: id, choice: option, reason: reason || (proposed ? "as the table proposes" : "") });
}

async function choose(text) {
  const [id, option, seat] = text.split("|"), question = picture.questions.find((one) => one.id === id);
  pending = { id, option, seat: Number(seat), proposed: option === question?.proposal };
  if (!me.person || (!pending.seat && !pending.proposed)) { view = "sign-in"; draw(); return; }
  await give(pending, "");
}

const ACTS = {
  more: () => { shownRare = !shownRare; view = ""; },
  back: () => { view = ""; },
  faults: () => { view = view === "faults" ? "" : "faults"; shownRare = false; },
  "sign-jackpot": () => { view = "sign-jackpot"; },
  "sign-in": async () => {
    await act({ do: "sign_in", name: typed("name"), pin: typed("pin") });
    const reason = typed("why");
    view = "";
    await give(pending, reason);
    await act({ do: "sign_out" }); // whoever decided goes away from the dealer's screen
  },
  confirm: () => byTwo("ClaimConfirmed"),
  deny: () => byTwo("ClaimDenied"),
};

async function byTwo(kind) {
  const reason = typed("reason"), claim = picture.claim.claim;
  if (kind === "ClaimDenied" && !reason) return tell("A jackpot is denied for a reason: say why.");
  await act({ do: "sign_in", name: typed("first"), pin: typed("first_pin") });
  try {
    await order(kind, { claim, ...(kind === "ClaimDenied" ? { reason, hand: "misread" } : {}) }, { login: typed("second"), pin: typed("second_pin") });
    view = "";
  } finally { await act({ do: "sign_out" }); }
}

document.addEventListener("submit", (event) => event.preventDefault());
document.addEventListener("click", (event) => {
  const target = event.target.closest("[data-key],[data-seat],[data-act],[data-choice],[data-pay]");
  if (!target || !picture) return;
  const data = target.dataset;
  if (data.act) quietly((async () => { await ACTS[data.act](); draw(); })());
  else if (data.choice) quietly(choose(data.choice));
  else if (data.pay) { opened = Number(data.pay); draw(); }
  else if (!isPanel) { if (data.key) tell("This screen is no part of the panel: press the key on the panel."); }
  else if (data.key) quietly(act({ do: "key", key: data.key }));
  else if (picture.panel.seats.includes(Number(data.seat))) quietly(act({ do: "key", key: `seat_${data.seat}` }));
});
