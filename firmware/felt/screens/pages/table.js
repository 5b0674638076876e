// The virtual table: one person is dealer, players and supervisor. What lies on the felt comes from the table; orders in
// a person's name go to the desk, which asks for a PIN.
import { card, LATTICE } from "/static/cards.js";
import { coinOf, coinSays, drawFelt, printed } from "/static/felt.js";
import { chip, GLOW, lamp, together, WORTHS } from "/static/lamps.js";
import { Live } from "/static/live.js";
import { drawSign } from "/static/header.js";
import { money } from "/static/money.js";
import { awarded, isRepeated, lineOf, netsOf, winnersOf } from "/static/results.js";
import { capital, safe, withPlaces, withRules } from "/static/text.js";
import { LAMPS, TROUBLES } from "/static/troubles.js";

const $ = (id) => document.getElementById(id);
const FLOW = ["open", "no_more_bets", "collect", "cards_seen", "fold", "play", "reveal", "settle"];
const RARE = ["misdeal", "count_mismatch", "other", "void"];
const NOTICE_MS = 12000;
const LIFT = "lift";

let layout = null, picture = null, hands = null, cash = null, unit = 100;
let me = { person: "", role: "" }, people = [];
let inHand = 25, chosen = 1, tab = "house", peek = null, askVoid = false, said = null, heardNotice = 0;
let asking = false; // whether something waits for the supervisor
let hasStories = false;

const live = new Live("/live/table", {
  hello: (hello) => { people = hello.people || []; hasStories = Boolean(hello.stories); me = { person: hello.person, role: hello.role }; draw(); },
  hear: (message) => {
    const before = picture;
    ({ layout, picture, hands } = message);
    cash = money(layout.currency);
    unit = 10 ** layout.currency.digits;
    follow(before);
    draw();
  },
  stale: (why) => {
    document.body.toggleAttribute("data-stale", Boolean(why));
    $("stale").textContent = { page: "No connection to this table's pages: what you see is no longer live.", table: "The table controller does not answer: what you see is no longer live." }[why] || "";
  },
});

// What a new picture means to the page itself.
function follow(before) {
  const asks = picture.questions.length > 0 || Boolean(picture.claim);
  if (asks && !asking) tab = "house";
  if (!asks && asking && tab === "house") tab = "box";
  asking = asks;
  if (!before) {
    heardNotice = Math.max(0, ...picture.panel.notices.map((one) => one.number));
    tab = picture.phase === "CLOSED" ? "house" : "box";
    return;
  }
  if (peek && (!picture.playing || picture.playing.number !== peek.round || picture.playing.settled)) peek = null;
  const settled = (one) => one && one.playing && one.playing.settled && !one.playing.ended;
  if (settled(picture) && !settled(before)) {
    chosen = winners()[0] || picture.playing.lines[0]?.seat || chosen;
    if (!asks) tab = "box";
  }
  if (picture.phase !== before.phase) {
    askVoid = false;
    if (before.phase === "CLOSED" && tab === "house" && !asks) tab = "box";
  }
  for (const one of picture.panel.notices) if (one.number > heardNotice) { heardNotice = one.number; tell(one.said, one.kind); }
}

function tell(sentence, kind = "noted") {
  said = { sentence, kind, until: performance.now() + NOTICE_MS };
  setTimeout(draw, NOTICE_MS + 50);
  draw();
}

async function act(words) {
  try {
    const answer = await live.act(words);
    if (answer.person !== undefined) me = { person: answer.person, role: answer.role };
    if (answer.done?.said) tell(answer.done.said);
    return answer.done;
  } catch (problem) {
    tell(problem.message, "refused");
    throw problem;
  }
}
const quietly = (doing) => doing.catch(() => {});

// --- orders ----------------------------------------------------------------------------------------------

let pending = null; // an order that waits for somebody to sign in

async function order(kind, fields, second) {
  try {
    await live.act({ do: "order", order: kind, fields, ...(second ? { second } : {}) });
  } catch (problem) {
    if (problem.needs === "login" && people.length) {
      await act({ do: "sign_in", name: people[0].name, pin: people[0].pin });
      return order(kind, fields, second);
    }
    if (problem.needs === "login") { pending = { kind, fields }; tab = "house"; }
    tell(problem.message, "refused");
    throw problem;
  }
}

// --- numbers ---------------------------------------------------------------------------------------------

const nets = () => (picture.playing?.ended && !keepsResult() ? {} : netsOf(picture));
const winners = () => winnersOf(picture);
// What was won stands until the next round opens.
const keepsResult = () => picture.phase === "IDLE" && picture.playing && picture.playing.settled;

// --- drawing ---------------------------------------------------------------------------------------------

const shown = new Map();
function put(id, html) {
  if (shown.get(id) === html) return false;
  shown.set(id, html);
  const place = $(id), kept = place.contains(document.activeElement) ? address(document.activeElement) : "";
  const typed = new Map([...place.querySelectorAll("input")].map((one) => [one.name, one.value]));
  place.innerHTML = html;
  for (const one of place.querySelectorAll("input")) if (typed.get(one.name)) one.value = typed.get(one.name);
  if (kept) place.querySelector(kept)?.focus();
  return true;
}
// Where the focus was, so that a new drawing does not take it away.
function address(element) {
  if (element.name) return `[name="${element.name}"]`;
  const names = ["act", "spot", "box", "choose", "ribbon", "key", "order", "tab", "trouble", "chip", "choice", "discard"].filter((one) => element.dataset[one] !== undefined);
  return names.length ? element.localName + names.map((name) => `[data-${name}="${CSS.escape(element.dataset[name])}"]`).join("") : "";
}

function draw() {
  if (!picture || !hands) return;
  const view = { layout, picture, hands, cash, unit, peek, chosen, nets: nets(), winners: winners(), keepsResult: keepsResult() };
  drawSign({ layout, picture, cash, put });
  let again = put("stage", drawFelt(view));
  drawPrompt();
  drawPanel();
  again = drawDrawer(view) || again;
  if (again) together();
  document.title = `Felt: table ${layout.table}`;
}

function leftLying() {
  if (picture.phase !== "BETTING") return "";
  const boxes = [...new Set(Object.entries(hands.since).filter(([spot, round]) => round && round < picture.round && hands.chips[spot]).map(([spot]) => spot.split(".")[0]))];
  return boxes.length ? `Chips of an earlier round lie at box ${boxes.join(", ")}: they are bets of this round unless you lift them.` : "";
}

// What a hand can do now, for somebody who has never stood at a table.
function hint() {
  const round = picture.playing, lies = Object.keys(hands.chips).length > 0, open = unkeyed(0);
  if (picture.phase === "BETTING" && open.length) return { say: `${open.length === 1 ? "One amount is" : `${open.length} amounts are`} not keyed: the table will know odds, and no sums.`, button: `<button class="small first" data-act="key-all">Key ${open.length === 1 ? "it" : "them"}</button>` };
  if (picture.phase === "BETTING" && !lies) return { say: "Take a chip from the lower right corner and place it on a circle." };
  if (picture.phase === "DEALING" && picture.shuffler.connected && !picture.shuffler.out) return { say: "Press the shuffler to deal." };
  if (picture.phase === "DECIDING" && round?.seen && layout.fold && picture.panel.seats.length) {
    const mode = { fold: "FOLD", play: "PLAY" }[picture.panel.mode];
    return { say: mode ? `${mode} is chosen: the number of a box decides for it at once.` : "Touch a box to look at its cards, and to fold or play." };
  }
  if (picture.phase === "PAYING") return { say: "Touch a result to see each line with its paragraph." };
  return { say: "" };
}

function drawPrompt() {
  put("phase", { IDLE: "Between rounds", INTERRUPTED: "Held", VERIFYING: "Jackpot" }[picture.phase] || picture.phase);
  const sentence = picture.phase === "CLOSED" && picture.state !== "out_of_order" ? "The table is closed. A supervisor opens it." : picture.prompt;
  put("say", withRules(withPlaces(sentence, layout)));
  $("say").className = sentence.length > 150 ? "longer" : sentence.length > 60 ? "long" : "";
  $("say").title = sentence.length > 150 ? sentence : "";
  const aside = $("aside"), fresh = said && said.until > performance.now() && !isRepeated(said.sentence, picture) ? said : null, left = leftLying();
  aside.classList.toggle("calm", Boolean(!askVoid && (fresh ? fresh.kind !== "refused" : !left)));
  if (askVoid) put("aside", `<span>Void this round? Every bet goes back.</span><button class="small first" data-act="void">Void</button><button class="small plain" data-act="keep">Keep it</button>`);
  else if (picture.phase === "CLOSED" && picture.state !== "out_of_order") put("aside", `<button class="small first" data-order="TableOpened">Open the table</button>`);
  else if (fresh) put("aside", `<span>${withRules(withPlaces(fresh.sentence, layout))}</span>${hint().button || ""}`);
  else if (left) put("aside", `<span>${safe(left)}</span>`);
  else {
    const { say, button = "" } = hint();
    put("aside", say ? `<span>${safe(say)}</span>${button}` : "");
  }
}

// Which of the lit keys are what the dealer does next.
function expected() {
  const round = picture.playing, waits = round && Object.keys(round.decisions).length < picture.panel.seats.length + Object.keys(round.decisions).length;
  return { IDLE: ["open"], BETTING: ["no_more_bets"], DEALING: [], DECIDING: !round?.seen ? ["cards_seen"] : picture.panel.lit.includes("reveal") ? ["reveal"] : waits ? ["fold", "play"] : ["fold", "play"], REVEALING: ["reveal", "settle"], PAYING: ["settle"], VOIDING: ["settle"] }[picture.phase] || [];
}

function drawPanel() {
  const now = expected();
  const key = (name) => {
    const lit = picture.lamps[`key.${name}`] === "on" || picture.panel.lit.includes(name), rank = lit ? (now.includes(name) ? 'data-lit=""' : 'data-lit="quiet"') : 'data-dark=""';
    const mode = picture.panel.mode === name ? "data-mode" : "";
    return `<button class="key" data-key="${name}" ${rank} ${mode} aria-label="${name.replaceAll("_", " ")}${lit ? ", lit" : ", dark"}">${name.replaceAll("_", " ")}${name === "misdeal" && picture.panel.mishap ? `<small>${safe(picture.panel.mishap.replaceAll("_", " "))}</small>` : ""}</button>`;
  };
  put("flow", FLOW.map(key).join(""));
  put("rare", RARE.map(key).join(""));
  const on = hands.down.includes("supervisor");
  $("switch").setAttribute("aria-pressed", on);
  $("switch").lastElementChild.textContent = `Supervisor key ${on ? "on" : "off"}`;
  const chips = [...WORTHS.filter((one) => one <= 1000).map((one) => `<button data-chip="${one}" aria-pressed="${inHand === one}" aria-label="chip of ${safe(cash.say(one * unit))}"><svg viewBox="-19 -19 38 38">${chip(0, 0, one)}</svg></button>`),
    `<button data-chip="${LIFT}" aria-pressed="${inHand === LIFT}" aria-label="lift chips"><svg viewBox="-19 -19 38 38"><circle r="17" fill="none" stroke="#c3cbc3" stroke-dasharray="4 3" stroke-width="2"/><path d="M0 8V-8M-6-2L0-8L6-2" fill="none" stroke="#f6f1e4" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"/></svg></button>`];
  put("hands", chips.join(""));
}

// --- the drawer ------------------------------------------------------------------------------------------

function drawDrawer(view) {
  for (const one of document.querySelectorAll("[data-tab]")) {
    one.setAttribute("aria-selected", one.dataset.tab === tab);
    one.toggleAttribute("data-asks", one.dataset.tab === "house" && asking);
    $(one.dataset.tab).hidden = one.dataset.tab !== tab;
  }
  put("troubles", troublesSheet());
  put("house", houseSheet());
  const box = put("box", boxSheet(view));
  return put("lamps", lampsSheet()) || box;
}

function boxSheet(view) {
  const round = view.picture.playing, live = round && (!round.ended || view.keepsResult) ? round : null;
  const found = live && live.hands.find((one) => one.target === String(chosen)), net = view.nets[chosen];
  const lines = live && live.settled ? live.lines.filter((one) => one.seat === chosen) : [];
  const turn = (by, name) => `<button class="turn" data-choose="${((chosen - 1 + by + layout.seats) % layout.seats) + 1}" aria-label="${name} box">${by < 0 ? "&lsaquo;" : "&rsaquo;"}</button>`;
  const head = `<div class="which"><h2>Box ${chosen}</h2>${turn(-1, "Previous")}${turn(1, "Next")}</div><p>${safe(found?.name || (live?.decisions[chosen] ? { play: "plays", fold: "folded" }[live.decisions[chosen]] || live.decisions[chosen] : picture.barred.includes(chosen) ? "out of play" : found?.dealt ? "cards face down" : "no cards yet"))}</p>`;
  if (lines.length) {
    const won = lines.find((one) => one.level), cards = won?.cards.length ? won.cards : found?.cards || [];
    return `${head}${awarded(net, cash)}
      ${cards.length ? `<svg class="hand" viewBox="0 0 294 78" preserveAspectRatio="xMinYMid" role="group"><defs>${LATTICE}</defs>${cards.map((code, i) => card(27 + i * 58, 39, code === "##" ? null : code, { mark: Boolean(won) })).join("")}</svg>` : ""}
      ${[...lines].sort((a, b) => (b.paid || 0) - (a.paid || 0)).map((one) => lineOf(one, layout, cash)).join("")}`;
  }
  return head + decisions(live, found) + wagerList();
}

function decisions(round, found) {
  if (!found || !found.dealt || round.settled) return "";
  const looks = peek && peek.box === chosen, decided = round.decisions[chosen], can = picture.phase === "DECIDING" && layout.fold && !decided;
  return `<div class="acts"><button class="small plain wide" data-act="look">${looks ? "Put the cards down" : "Look at these cards as their player"}</button>
    ${can ? `<button class="small" data-act="box-fold">Fold</button><button class="small first" data-act="box-play">Play</button>` : ""}</div>`;
}

function wagerList() {
  const coin = coinOf(layout), list = [...printed(layout).map((one) => one.wager).reverse(), ...(coin ? [coin] : [])];
  const rows = list.map((wager) => {
    const spot = `${chosen}.${wager.name}`, chips = hands.chips[spot] || [], told = picture.spots[spot] || [false, false, null];
    const sum = chips.reduce((all, one) => all + (one || 0), 0), lies = chips.length ? (chips.includes(null) ? "chips of unknown worth" : `${cash.say(sum)} in chips`) : "no chip";
    const known = told[2] !== null ? (told[2] === sum && chips.length ? ", keyed" : `, keyed ${cash.say(told[2])}`) : chips.length && !wager.coin ? ", not keyed" : "";
    const lampWord = wager.coin ? `, ${coinSays({ layout, picture, hands }, chosen)}` : "";
    return `<li><div><b>${safe(wager.title)}</b><span>${safe(lies + known + lampWord)}</span></div><button class="small plain" data-act="less" data-spot="${spot}" aria-label="Lift a chip of ${safe(wager.title)}">&minus;</button><button class="small" data-act="more" data-spot="${spot}" aria-label="Place a chip on ${safe(wager.title)}">+</button></li>`;
  });
  const bets = unkeyed(chosen);
  return `<h3>Chips</h3><ul class="bets">${rows.join("")}</ul><div class="acts"><button class="small wide" data-act="key-box" ${bets.length && picture.phase === "BETTING" ? "" : "disabled"}>Key the amounts of this box</button></div>`;
}

// Bets whose amount the table does not know and whose chips can be counted.
function unkeyed(box) {
  const coin = coinOf(layout);
  return Object.entries(hands.chips).filter(([spot, chips]) => {
    const [seat, kind] = spot.split("."), told = picture.spots[spot], sum = chips.reduce((all, one) => all + (one || 0), 0);
    return (!box || Number(seat) === box) && kind !== coin?.name && told && !chips.includes(null) && told[2] !== sum && !layout.wagers.find((one) => one.name === kind)?.after_cards;
  }).map(([spot, chips]) => ({ spot, sum: chips.reduce((all, one) => all + one, 0) }));
}

const TICK = { done: `<svg viewBox="0 0 24 24"><rect x="1.5" y="1.5" width="21" height="21" rx="5" fill="#7fd6a4"/><path d="M6 12.5L10.5 17L18 7.5" fill="none" stroke="#0a0d0e" stroke-width="3" stroke-linecap="round" stroke-linejoin="round"/></svg>`, todo: `<svg viewBox="0 0 24 24"><rect x="2" y="2" width="20" height="20" rx="5" fill="none" stroke="#f4d99b" stroke-width="3"/></svg>` };

function claimCard(claim) {
  const share = claim.share[1] === 1 ? "the whole meter" : `${(100 * claim.share[0]) / claim.share[1]}% of ${claim.value === null ? "the meter" : cash.full(claim.value)}`;
  const cards = claim.cards.length ? `<svg class="hand" viewBox="0 0 294 78" preserveAspectRatio="xMinYMid"><defs>${LATTICE}</defs>${claim.cards.map((code, i) => card(27 + i * 58, 39, code, { mark: true })).join("")}</svg>` : "";
  const [first, second] = [people[0] || {}, people[1] || {}];
  return `<div class="ask"><span class="caps">Jackpot, box ${claim.seat}</span><div class="prize ${claim.award !== null && cash.full(claim.award).length > 9 ? "long" : ""}">${claim.award === null ? "being valued" : safe(cash.full(claim.award))}</div><p>${safe(capital(claim.hand.replaceAll("_", " ")))}: ${safe(share)}</p>${cards}
    <ul class="checks"><li>${claim.valued ? TICK.done : TICK.todo}<span>The controller has told the value</span></li><li>${claim.by_hand ? TICK.todo : TICK.done}<span>${claim.by_hand ? "A card was keyed: verify the hand" : "The cards agree with the shuffler"}</span></li><li>${TICK.todo}<span>Two persons sign</span></li></ul>
    <form data-form="confirm" autocomplete="off"><div class="pair"><label>First person<input name="first" value="${safe(first.name || me.person || "")}"></label><label>PIN<input name="first_pin" type="password" value="${safe(first.pin || "")}"></label></div>
    <div class="pair"><label>Second person<input name="second" value="${safe(second.name || "")}"></label><label>PIN<input name="second_pin" type="password" value="${safe(second.pin || "")}"></label></div>
    <button class="small first" data-order="ClaimConfirmed" ${claim.valued ? "" : "disabled"}>Confirm the jackpot</button>
    <label>Reason, where it is denied<input name="deny" value=""></label><button class="small plain" data-order="ClaimDenied" ${claim.valued ? "" : "disabled"}>Deny it</button></form></div>`;
}

function questionCard(question) {
  const told = `<span class="caps">Question ${safe(question.id)}</span><p>${withRules(capital(question.because))} <span class="rule">${safe(question.rule)}</span></p>`;
  if (question.players.length) {
    const each = question.players.map((seat) => question.options.map((option) => `<button class="small ${option === question.proposal ? "first" : "plain"}" data-choice="${safe(`${question.id}|${option}|${seat}`)}">Box ${seat} ${{ continue: "goes on", return: "takes its bets back" }[option] || safe(option.replaceAll("_", " "))}</button>`).join("")).join("");
    return `<div class="ask">${told}${each}</div>`;
  }
  const options = [...question.options].sort((a, b) => (b === question.proposal) - (a === question.proposal));
  return `<div class="ask">${told}<label>Reason<input name="reason-${safe(question.id)}" value="as the table proposes"></label>${options.map((option) => `<button class="small ${option === question.proposal ? "first" : "plain"}" data-choice="${safe(`${question.id}|${option}|0`)}">${safe(capital(option.replaceAll("_", " ")))}${option === question.proposal ? " (proposed)" : ""}</button>`).join("")}</div>`;
}

function houseSheet() {
  const asks = [picture.claim ? claimCard(picture.claim) : "", ...picture.questions.map(questionCard)].join("");
  const alerts = picture.alerts.map((one) => `<div class="told bad"><b>${safe(one.code)} ${safe(one.where)}${one.passed ? " (passed)" : ""}</b>${safe(one.sentence)} ${safe(one.remedy)}<br><button class="small plain" data-choice="${safe(`clear|${one.code}|${one.where}`)}">${one.passed ? "Acknowledge" : "Clear it"}</button></div>`).join("");
  const notices = [...picture.panel.notices].reverse().slice(0, 8).map((one) => `<p class="told ${one.kind === "refused" ? "refused" : ""}">${withRules(withPlaces(one.said, layout))}</p>`).join("");
  const closed = picture.phase === "CLOSED", idle = picture.phase === "IDLE", out = picture.state === "out_of_order";
  const orders = [
    closed ? `<button class="small first wide" data-order="TableOpened">Open the table</button>` : "",
    out ? `<button class="small wide" data-order="BackInServiceOrdered">Back in service</button>` : "",
    !closed && !idle && !out ? `<button class="small plain wide" data-act="ask-void">Void the round</button>` : "",
    idle ? `<button class="small plain wide" data-order="TableClosed">Close the table</button>` : "",
  ].join("");
  const signed = me.person
    ? `<p class="told">${safe(me.person)}, ${safe(me.role.replaceAll("_", " "))}, is signed in. <button class="small plain" data-act="sign-out">Sign out</button></p>`
    : `<form data-form="sign-in" autocomplete="off"><div class="pair"><label>Name<input name="name" value="${safe(people[0]?.name || "")}"></label><label>PIN<input name="pin" type="password" value="${safe(people[0]?.pin || "")}"></label></div><div class="acts"><button class="small wide" data-act="sign-in">Sign in</button></div></form>${people.length ? `<p class="told">In this demo: ${people.map((one) => `${safe(one.name)}, PIN ${safe(one.pin)}`).join("; ")}.</p>` : ""}`;
  return `<h2>House</h2><p>${asking ? "Something waits for the supervisor." : "Orders are given in the name of who is signed in."}</p>${asks}${orders ? `<div class="acts">${orders}</div>` : ""}${alerts ? `<h3>Faults</h3>${alerts}` : ""}<h3>Person</h3>${signed}${notices ? `<h3>Said by the table</h3>${notices}` : ""}${elsewhere()}`;
}

function elsewhere() {
  const pages = [...(hasStories ? [["/story", "Stories"]] : []), ["/replay", "Past rounds"], ["/dealer", "Dealer's screen"], ["/sign", "Sign"]];
  return `<h3>Other pages</h3><nav class="acts">${pages.map(([where, name]) => `<a class="small plain elsewhere" href="${where}">${name}</a>`).join("")}</nav>`;
}

function troublesSheet() {
  const coin = coinOf(layout), spot = coin ? `${chosen}.${coin.name}` : "";
  const on = { unplug: hands.troubles.includes("unplugged"), link: hands.troubles.includes("link_lost"), disk: hands.troubles.includes("slow_disk"), stuck: hands.stuck.includes(spot), lamp: hands.dark.includes(spot) };
  const rows = TROUBLES.filter((one) => coin || !one.coin).map((one) => `<button class="trouble" data-trouble="${one.kind}" ${one.lasts ? `aria-pressed="${Boolean(on[one.kind])}"` : ""}><b>${safe(one.name)}${one.coin && one.kind !== "late_chip" ? `, box ${chosen}` : ""}</b><span>${withRules(one.does)}</span></button>`);
  return `<h2>Troubles</h2><p>Make one happen. The table says what it does about it.</p>${rows.join("")}`;
}

function lampsSheet() {
  const rows = LAMPS.map(([state, name, meaning, rhythm]) => `<li><svg viewBox="-36 -36 72 72"><defs>${GLOW}</defs>${lamp(0, 0, state, { coins: ["seen", "accepted", "late", "winner"].includes(state) ? [5] : [], scale: 0.85 })}</svg><div><b>${name}</b> <code>${rhythm}</code><span>${meaning}</span></div></li>`);
  return `<h2>Coin spots</h2><p>A rhythm and a shape for each state; one colour of light.</p><ul class="lamps">${rows.join("")}</ul>`;
}

// --- hands -----------------------------------------------------------------------------------------------

const press = (key) => quietly(act({ do: "press", key }));
const wait = (truth, ms = 1500) => new Promise((done) => { const until = performance.now() + ms, look = () => (truth() || performance.now() > until ? done() : setTimeout(look, 20)); look(); });

function touch(spot) {
  const coin = coinOf(layout), [, kind] = spot.split("."), chips = hands.chips[spot] || [];
  if (inHand === LIFT || (kind === coin?.name && chips.length)) return quietly(act({ do: "lift", spot }));
  return place(spot);
}

function place(spot) {
  const coin = coinOf(layout), isCoin = spot.split(".")[1] === coin?.name;
  const worth = isCoin && layout.prescribed ? layout.prescribed : (inHand === LIFT ? 5 : inHand) * unit;
  return quietly(act({ do: "place", spot, worth }));
}

async function decide(box, choice) {
  if (picture.panel.mode !== choice) {
    await press(choice);
    await wait(() => picture.panel.mode === choice);
  }
  await press(`seat_${box}`);
  await wait(() => picture.playing?.decisions[box]);
  const play = layout.wagers.find((one) => one.after_cards);
  if (choice !== "play" || !play || picture.playing?.decisions[box] !== "play") return;
  // The Play bet equals the Ante: the same chips, laid on the cards.
  const ante = hands.chips[`${box}.${play.needs}`] || [];
  for (const worth of ante) if (worth) await quietly(act({ do: "place", spot: `${box}.${play.name}`, worth }));
}

async function look(box) {
  if (peek && peek.box === box) { peek = null; draw(); quietly(live.act({ do: "look", box: 0 })); return; }
  peek = null; // one box at a time (3.7)
  draw();
  try {
    const seen = await act({ do: "look", box });
    peek = { box, cards: seen.cards, round: picture.playing.number };
  } catch { peek = null; }
  draw();
}

async function keyBets(box) {
  for (const { spot, sum } of unkeyed(box)) await order("BetKeyed", { spot, amount_minor: sum });
}

function seat(box) {
  chosen = box;
  if (picture.panel.seats.includes(box)) {
    const mode = picture.panel.mode;
    if (picture.phase === "DECIDING" && (mode === "fold" || mode === "play")) quietly(decide(box, mode));
    else if (picture.phase !== "DECIDING" || mode || !layout.fold) press(`seat_${box}`);
  }
  if (!picture.claim && !picture.questions.length) tab = "box";
  draw();
}

const ACTS = {
  deal: () => act({ do: "deal" }),
  void: async () => {
    askVoid = false;
    draw();
    if (picture.panel.supervisor) await press("void");
    else await order("VoidOrdered", { reason: "ordered at the virtual table" });
  },
  keep: async () => { askVoid = false; draw(); },
  "ask-void": async () => { askVoid = true; draw(); },
  look: () => look(chosen),
  "box-fold": () => decide(chosen, "fold"),
  "box-play": () => decide(chosen, "play"),
  more: (target) => place(target.dataset.spot),
  less: (target) => act({ do: "lift", spot: target.dataset.spot }),
  "key-box": () => keyBets(chosen),
  "key-all": () => keyBets(0),
  "sign-out": () => act({ do: "sign_out" }),
  "sign-in": async () => {
    const form = document.querySelector('[data-form="sign-in"]');
    await act({ do: "sign_in", name: form.elements.name.value, pin: form.elements.pin.value });
    const waited = pending;
    pending = null;
    draw();
    if (waited) await order(waited.kind, waited.fields);
  },
};

async function byTwo(kind) {
  const fields = document.querySelector('[data-form="confirm"]').elements, reason = fields.deny.value;
  if (kind === "ClaimDenied" && !reason.trim()) { tell("A jackpot is denied for a reason: say why.", "refused"); fields.deny.focus(); return; }
  if (me.person !== fields.first.value) await act({ do: "sign_in", name: fields.first.value, pin: fields.first_pin.value });
  const second = { login: fields.second.value, pin: fields.second_pin.value };
  await order(kind, { claim: picture.claim.claim, ...(kind === "ClaimDenied" ? { reason, hand: "misread" } : {}) }, second);
}

async function choose(text) {
  const [id, option, where] = text.split("|");
  if (id === "clear") {
    const passed = picture.alerts.find((one) => one.code === option && one.where === where)?.passed;
    return order(passed ? "AlertAcknowledged" : "FaultCleared", { code: option, where });
  }
  if (where !== "0") return order("PlayerChose", { question: id, seat: Number(where), choice: option });
  const reason = document.querySelector(`[name="reason-${CSS.escape(id)}"]`).value;
  return order("RulingMade", { question: id, choice: option, reason });
}

document.addEventListener("submit", (event) => event.preventDefault());
document.addEventListener("click", (event) => {
  if (!picture) return;
  const target = event.target.closest("[data-act],[data-spot],[data-ribbon],[data-choose],[data-discard],[data-box],[data-key],[data-tab],[data-chip],[data-trouble],[data-order],[data-choice],#clear,#switch");
  if (!target || target.disabled) return;
  const data = target.dataset, coin = coinOf(layout);
  if (data.act) quietly(Promise.resolve(ACTS[data.act](target)));
  else if (data.spot) { chosen = Number(data.spot.split(".")[0]); touch(data.spot); }
  else if (data.ribbon) { chosen = Number(data.ribbon); tab = "box"; draw(); }
  else if (data.choose) { chosen = Number(data.choose); if (!asking) tab = "box"; draw(); }
  else if (data.discard) press(`seat_${data.discard}`);
  else if (data.box) seat(Number(data.box));
  else if (data.key === "void") { askVoid = picture.panel.lit.includes("void"); askVoid ? draw() : press("void"); }
  else if (data.key) press(data.key);
  else if (data.tab) { tab = data.tab; draw(); together(); }
  else if (data.chip) { inHand = data.chip === LIFT ? LIFT : Number(data.chip); draw(); }
  else if (data.trouble) quietly(act({ do: "trouble", kind: data.trouble, spot: coin ? `${chosen}.${coin.name}` : "" }));
  else if (data.order === "ClaimConfirmed" || data.order === "ClaimDenied") quietly(byTwo(data.order));
  else if (data.order) quietly(order(data.order, {}));
  else if (data.choice) quietly(choose(data.choice));
  else if (target.id === "clear") quietly(act({ do: "clear" }));
  else if (target.id === "switch") quietly(act({ do: "switch", key: "supervisor", on: !hands.down.includes("supervisor") }));
});
document.addEventListener("contextmenu", (event) => {
  const spot = event.target.closest("g[data-spot]");
  if (spot) { event.preventDefault(); quietly(act({ do: "lift", spot: spot.dataset.spot })); }
});
document.addEventListener("keydown", (event) => {
  const hot = event.target.closest?.("g[role=button]");
  if (hot && (event.key === "Enter" || event.key === " ")) { event.preventDefault(); hot.dispatchEvent(new MouseEvent("click", { bubbles: true })); }
});
