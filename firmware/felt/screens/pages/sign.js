// The sign: what players must see. It only listens.
import { Live } from "/static/live.js";
import { money } from "/static/money.js";
import { card, LATTICE, STAR, SUIT } from "/static/cards.js";
import { fill, safe } from "/static/text.js";

const WON_MS = 15000; // a winner is shown at least so long
const LANGUAGE_MS = 12000;
const STALE_MS = 4000; // for so long a broken connection is only said, then the meters are taken away
const COUNT_MS = 700;
const ALTERNATE_MS = 6000; // a notice about the jackpot and its amount take turns
const METER_MARK = { star: STAR, spade: SUIT.s, heart: SUIT.h, diamond: SUIT.d };
const OTHERS = { royal_flush: ["royal_flush_spades", "royal_flush_diamonds"], straight_flush: ["straight_flush_diamonds"] };
const PAID_FIRST = ["progressive", "pair_plus", "ante_bonus", "player_bonus", "six_card_bounty", "six_card_bonus"];
const NOT_ENTERED = `<svg class="mark" viewBox="-30 -30 60 60" aria-hidden="true"><circle r="26" fill="none" stroke="#f6f1e4" stroke-width="4"/><path d="M-18 18L18-18" stroke="#f6f1e4" stroke-width="4"/></svg>`;

const $ = (id) => document.getElementById(id);
const calm = matchMedia("(prefers-reduced-motion: reduce)");
const words = {}; // by language
let languages = ["en"], speaks = 0;
let layout = null, picture = null, why = "page", whySince = performance.now();
let won = [], wonSince = -WON_MS, noticed = false, noticeSince = 0;
let secondary = []; // what else contributions pay for
const shown = {}; // each meter as it stands on the sign, never above the truth

const W = () => words[languages[speaks % languages.length]];
const cash = () => money(layout.currency, W().locale);
const betName = (bet) => W().bets[`${layout.game}.${bet}`] || W().bets[bet] || bet.replaceAll("_", " ");
const rowsOf = (bet) => (layout.pays.find((one) => one.bet === bet) || { rows: [] }).rows;

function handName(bet, hand) {
  const others = (OTHERS[hand] || []).some((one) => rowsOf(bet).some((row) => row.hand === one));
  const names = W().hands;
  return names[`${bet}.${hand}`] || (others && names[`${hand}_other`]) || names[hand] || hand.replaceAll("_", " ");
}

const percent = (num, den) => `${new Intl.NumberFormat(W().locale, { maximumFractionDigits: 2 }).format((100 * num) / den)}%`;
const count = (amount) => new Intl.NumberFormat(W().locale).format(amount);

function pays(row) {
  if (row.kind === "share") return percent(row.amount, row.per);
  if (row.kind === "sum") return cash().say(row.minor);
  return row.kind === "for" ? fill(W().for, { amount: count(row.amount) }) : fill(W().to, { amount: count(row.amount), per: row.per });
}

// --- the parts -------------------------------------------------------------------------------------------

function limitOf(bet) {
  if (bet === "progressive" && layout.prescribed !== null) return cash().say(layout.prescribed);
  const limit = layout.limits.find((one) => one.bet === bet);
  return limit ? cash().range(limit.min, limit.max) : "";
}

function limits(closedToJackpot) {
  const bets = layout.wagers.map((one) => one.name).filter((bet) => limitOf(bet) && !(closedToJackpot && bet === "progressive"));
  return bets.map((bet) => `<div><dt>${safe(betName(bet))}</dt><dd>${safe(limitOf(bet))}</dd></div>`).join("");
}

function payTables() {
  const envy = rowsOf("envy");
  const bets = layout.pays.map((one) => one.bet).filter((bet) => bet !== "ante" && bet !== "envy");
  bets.sort((a, b) => (PAID_FIRST.indexOf(a) + 1 || 99) - (PAID_FIRST.indexOf(b) + 1 || 99));
  return columns(bets).map(({ same, rows }) => {
    const bet = same[0], withEnvy = bet === "progressive" && envy.length;
    const cells = rows.map((row) => `<dt>${safe(handName(bet, row.hand))}</dt><dd>${safe(pays(row))}</dd>${withEnvy ? `<dd>${safe(envyOf(envy, row.hand))}</dd>` : ""}`).join("");
    const limits = manyLimits() ? [...new Set(same.map(limitOf))].map((one) => `<span>${safe(one)}</span>`).join("") : "";
    const head = `<h2>${same.map((one) => safe(betName(one))).join("<br>")}${limits}</h2>`;
    if (!withEnvy) return `<div>${head}<dl>${cells}</dl></div>`;
    return `<div><dl class="three"><dt>${head}</dt><dd class="head">${safe(W().pays)}</dd><dd class="head">${safe(W().envy)}</dd>${cells}</dl></div>`;
  }).join("");
}

// Wagers that pay alike share a column.
function columns(bets) {
  const found = [];
  for (const bet of bets) {
    const rows = rowsOf(bet).filter((row) => !manyMeters() || row.kind !== "share");
    const alike = found.find((one) => JSON.stringify(one.rows) === JSON.stringify(rows));
    if (alike) alike.same.push(bet);
    else if (rows.length) found.push({ same: [bet], rows });
  }
  return found;
}

function envyOf(envy, hand) {
  const row = envy.find((one) => one.hand === hand);
  return row ? cash().say(row.minor) : "";
}

const manyMeters = () => Boolean(layout) && layout.meters.length > 1;
const manyLimits = () => layout.limits.length > 4;

function meterText(name, minor) {
  const [whole, part] = cash().parts(minor);
  return layout.meters.length > 1 ? safe(whole + part) : `${safe(whole)}<small>${safe(part)}</small>`;
}

const alsoPays = () => secondary.map((one) => `<p class="under also">${safe(one)}</p>`).join("");

function meters() {
  if (!layout.meters.length) return `<p class="title">${safe(W().titles[layout.game])}</p>`;
  if (layout.meters.length === 1) {
    const name = layout.meters[0];
    const shares = rowsOf("progressive").filter((row) => row.kind === "share");
    const under = shares.map((row) => fill(safe(W().pays_share), { hand: safe(handName("progressive", row.hand)), share: `<b>${safe(pays(row))}</b>` })).join(" &nbsp;\u00b7&nbsp; ");
    return `<p class="over">${safe(W().jackpot)}</p><p class="amount" data-meter="${name}"></p><p class="under">${under}</p>${alsoPays()}`;
  }
  const rows = layout.meters.map((name) => {
    const row = rowsOf("progressive").find((one) => one.meter === name);
    const mark = `<svg viewBox="-14 -14 28 28" aria-hidden="true"><path d="${METER_MARK[name] || STAR}" fill="#f4d99b"/></svg>`;
    return `<li>${mark}<div><b>${safe(W().meters[name] || name)}</b><span>${safe(row ? handName("progressive", row.hand) : "")}</span></div><strong data-meter="${name}"></strong></li>`;
  });
  return `<ol class="levels">${rows.join("")}</ol>${alsoPays()}`;
}

// --- the faces -------------------------------------------------------------------------------------------

const told = (head, more, mark = "") => `${mark}<h1>${safe(head)}</h1><p class="under">${more}</p>`;

function winner(one) {
  const suits = new Set(one.cards.map((code) => code[1]));
  const plain = W().hands[one.hand.replace(/_(spades|diamonds)$/, "")] || handName("progressive", one.hand);
  const hand = suits.size === 1 ? fill(W().in_suit, { hand: plain, suit: W().suits[[...suits][0]] }) : plain;
  const drawn = one.cards.map((code, i) => card(32 + i * 64, 39, code)).join("");
  const [whole, part] = cash().parts(one.award);
  return `<p class="over">${safe(W().won)}</p><p class="amount${whole.length > 8 ? " long" : ""}">${safe(whole)}<small>${safe(part)}</small></p>
    <p class="under">${safe(fill(W().won_where, { table: one.table, seat: one.seat, hand: hand.toLowerCase() }))}</p>
    ${one.cards.length ? `<svg class="cards" viewBox="0 0 ${one.cards.length * 64} 78" role="group"><defs>${LATTICE}</defs>${drawn}</svg>` : ""}`;
}

function faceNow() {
  if (!layout || !picture || (why && performance.now() - whySince > STALE_MS)) return "waiting";
  if (picture.state === "out_of_order" || picture.state === "closed") return picture.state;
  if (won.length && (picture.won.length || performance.now() - wonSince < WON_MS)) return "winner";
  const stands = picture.notices.some((one) => one.kind === "no_progressive");
  if (stands && !noticed) noticeSince = performance.now();
  noticed = stands;
  if (!stands) return "play";
  return layout.meters.length && Math.floor((performance.now() - noticeSince) / ALTERNATE_MS) % 2 ? "amount" : "notice";
}

let drawn = "";
function draw() {
  if (!W()) return;
  const face = faceNow();
  const state = why || !picture ? "waiting" : picture.state;
  const key = JSON.stringify([face, state, languages[speaks % languages.length], layout, picture && [picture.table, picture.notices], face === "winner" && won]);
  if (key !== drawn) {
    drawn = key;
    document.body.dataset.face = face;
    document.documentElement.lang = W().locale;
    document.body.toggleAttribute("data-open", state === "open");
    fillFace(face, state);
    const columns = $("pays").children.length;
    document.body.classList.toggle("many", columns > 3);
    const rows = [...$("pays").querySelectorAll("dl")].map((one) => one.querySelectorAll("dt").length - Number(one.classList.contains("three")));
    document.body.classList.toggle("tall", Boolean(layout) && layout.meters.length === 1 && Math.max(0, ...rows) > 6);
    document.body.classList.toggle("crowded", manyMeters() || (Boolean(layout) && layout.limits.length > 2));
    fitAll();
  }
  showMeters(face);
}

// Another font than the box ought to have is wider: then the first line and the pay tables are a little smaller, and
// never cut off.
function fit(place) {
  place.style.setProperty("--fit", 1);
  for (let tries = 0; tries < 3 && place.scrollWidth > place.clientWidth + 1; tries++) place.style.setProperty("--fit", (0.985 * Number(place.style.getPropertyValue("--fit")) * place.clientWidth) / place.scrollWidth);
}
const fitAll = () => { fit(document.querySelector(".top")); fit($("pays")); };
// Another size shows more or less, not only larger or smaller.
addEventListener("resize", () => { drawn = ""; draw(); });

function fillFace(face, state) {
  const isTitled = face === "play" && layout && !layout.meters.length; // its name stands large below
  $("title").textContent = layout && !isTitled ? W().titles[layout.game] || layout.title : "";
  $("where").textContent = layout ? fill(W().table, { table: layout.table }) : "";
  const plays = face === "play" || face === "notice" || face === "amount";
  $("limits").innerHTML = plays && (!manyLimits() || innerWidth <= 1000) ? limits(face !== "play") : "";
  $("pays").innerHTML = face === "play" ? payTables() : "";
  $("say").textContent = state === "waiting" ? W().waiting : W().states[state];
  $("left").innerHTML = $("right").innerHTML = "";
  $("hero").innerHTML = {
    play: meters,
    amount: () => `${meters()}<p class="under">${safe(W().no_progressive)}</p>`,
    notice: () => told(W().no_progressive, safe(W().no_progressive_more), NOT_ENTERED),
    closed: () => told(W().closed, layout.meters.length === 1 ? fill(safe(W().closed_more), { meter: `<b data-meter="${layout.meters[0]}"></b>` }) : ""),
    out_of_order: () => told(W().out_of_order, safe(W().out_of_order_more), NOT_ENTERED),
    waiting: () => told(W().waiting, safe(W().waiting_more)),
    winner: () => winner(won[0]),
  }[face]();
  const barred = picture ? picture.notices.filter((one) => one.kind === "box_barred") : [];
  if (plays && barred.length) $("left").textContent = fill(W().box_barred, { seat: barred.map((one) => one.seat).join(", ") });
  if (face === "winner") {
    const one = won[0], envy = rowsOf("envy").find((row) => row.hand === one.hand);
    if (envy) $("left").innerHTML = `${safe(W().envy_bonus)} <b>${safe(cash().say(envy.minor))}</b>`;
    $("say").textContent = one.share[1] === 1 ? W().won_whole : fill(W().won_share, { share: percent(...one.share) });
    $("right").innerHTML = `${safe(W().now)} <b data-meter="${one.meter}"></b>`;
  }
  $("say").classList.toggle("long", $("say").textContent.length > 24);
}

// --- meters ----------------------------------------------------------------------------------------------

let framed = 0;
function showMeters(face) {
  for (const place of document.querySelectorAll("[data-meter]")) {
    const name = place.dataset.meter, minor = shown[name];
    if (minor === undefined) continue;
    const text = face === "play" || face === "amount" ? meterText(name, minor) : safe(cash().full(minor));
    if (place.innerHTML !== text) place.innerHTML = text;
    place.classList.toggle("long", (face === "play" || face === "amount") && layout.meters.length === 1 && cash().parts(minor)[0].length > 8);
  }
}

function count_up(now) {
  const passed = Math.min(100, now - framed);
  framed = now;
  let moved = false;
  for (const [name, truth] of Object.entries(picture ? picture.meters : {})) {
    const stands = shown[name];
    if (stands === truth) continue;
    moved = true;
    if (stands === undefined || truth < stands || calm.matches) shown[name] = truth;
    else shown[name] = Math.min(truth, stands + Math.max(1, Math.floor((truth - stands) * (1 - Math.exp(-passed / COUNT_MS)))));
  }
  if (moved) draw();
  requestAnimationFrame(count_up);
}
requestAnimationFrame(count_up);

// --- what comes in ---------------------------------------------------------------------------------------

async function learn(wanted) {
  const asked = new URLSearchParams(location.search).get("language");
  const named = asked ? [asked, ...wanted] : wanted;
  await Promise.all([...named, "en"].filter((one) => !words[one] && /^[a-z]{2}$/.test(one)).map(async (one) => {
    const answer = await fetch(`/static/words/${one}.json`);
    if (answer.ok) words[one] = await answer.json();
  }));
  languages = words[asked] ? [asked] : wanted.filter((one) => words[one]);
  if (!languages.length) languages = ["en"];
  draw();
}

new Live("/live/sign", {
  hello: (hello) => { secondary = hello.secondary || []; learn(hello.languages); },
  hear: (message) => {
    ({ layout, picture } = message);
    const claims = picture.won.map((one) => `${one.table} ${one.claim}`).join();
    if (picture.won.length && claims !== won.map((one) => `${one.table} ${one.claim}`).join()) wonSince = performance.now();
    if (picture.won.length) won = picture.won;
    draw();
  },
  stale: (reason) => {
    if (Boolean(reason) !== Boolean(why)) whySince = performance.now();
    why = reason;
    draw();
  },
});
setInterval(draw, 1000);
setInterval(() => { speaks++; draw(); }, LANGUAGE_MS);
