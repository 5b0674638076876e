// A past round, step by step. Only who has signed in sees one, and sees the cards that his role may see: an address of
// a round grants nothing by itself.
import { drawFelt } from "/static/felt.js";
import { together } from "/static/lamps.js";
import { Live } from "/static/live.js";
import { money } from "/static/money.js";
import { netsOf, sumOf, titleOf, winnersOf } from "/static/results.js";
import { safe, withPlaces, withRules } from "/static/text.js";

const $ = (id) => document.getElementById(id);
const PLAY = `<path d="M7 5L19 12L7 19Z"/>`, PAUSE = `<path d="M8 5V19M16 5V19" fill="none"/>`, STEP_MS = 1400;
const PHASE = { BETTING: "Betting", DEALING: "Dealing", DECIDING: "Deciding", REVEALING: "Reveal", VERIFYING: "Jackpot", PAYING: "Paying", VOIDING: "Void", INTERRUPTED: "Held", IDLE: "Ended" };
const TITLE = { OpenPressed: "OPEN", NoMoreBetsPressed: "NO MORE BETS", CollectPressed: "COLLECT", CardsSeenPressed: "CARDS SEEN", RevealPressed: "REVEAL", SettlePressed: "SETTLE" };
let told = null, pictures = [], at = 0, cash = null, me = { person: "", role: "" }, playing = 0, newest = 0, refusal = "", people = [];

const wanted = new URLSearchParams(location.search);
let number = Number(wanted.get("round")) || 0, first = Number(wanted.get("step")) || 0;

const live = new Live("/live/table", {
  hello: (hello) => { me = { person: hello.person, role: hello.role }; people = hello.people || []; door(); },
  hear: (message) => {
    const before = newest;
    newest = message.picture.round - (message.picture.playing && !message.picture.playing.ended ? 1 : 0);
    if (!number && newest) number = newest;
    if (!before && me.person && !told) open(number);
  },
  stale: (why) => {
    document.body.toggleAttribute("data-stale", Boolean(why));
    $("stale").textContent = { page: "No connection to this table's pages.", table: "The table controller does not answer." }[why] || "";
  },
});

function door() {
  document.body.toggleAttribute("data-shut", !me.person);
  if (me.person) { if (!told && number) open(number); return; }
  const one = people[0] || {};
  $("door").innerHTML = `<form id="sign-in" autocomplete="off"><h2>Replay${number ? ` of round ${number}` : ""}</h2><p>A round is shown to who has signed in, with the cards that his role may see.</p>
    <label>Name<input name="name" value="${safe(one.name || "")}" autocomplete="off"></label><label>PIN<input name="pin" type="password" value="${safe(one.pin || "")}" autocomplete="off" inputmode="numeric"></label>
    <button class="small first" data-act="sign-in">Sign in</button><p class="refused" role="alert">${safe(refusal)}</p></form>`;
}

async function open(wantedRound) {
  if (!wantedRound || wantedRound < 1) return;
  number = wantedRound;
  stop();
  try {
    const answer = await live.act({ do: "replay", round: number });
    told = answer.done;
    refusal = "";
    cash = money(told.layout.currency);
    pictures = [];
    let picture = {};
    for (const step of told.steps) pictures.push((picture = { ...picture, ...step.changed }));
    at = Math.min(first || told.steps.length - 1, told.steps.length - 1);
    first = 0;
    $("track").max = told.steps.length - 1;
    draw();
  } catch (problem) {
    refusal = problem.message;
    if (problem.needs === "login") { me = { person: "", role: "" }; told = null; door(); } else draw();
  }
}

const time = (ns, precise) => { const when = new Date(Math.floor(ns / 1e6)); return when.toTimeString().slice(0, 8) + (precise ? `.${String(when.getMilliseconds()).padStart(3, "0")}` : ""); };

// What lies on the felt by the table's own word: amounts as chips.
function handsOf(picture) {
  const chips = {}, unit = 10 ** told.layout.currency.digits, coin = told.layout.wagers.find((one) => one.coin)?.name;
  for (const [spot, [present, keyed, amount]] of Object.entries(picture.spots || {})) {
    if (!present && !keyed) continue;
    let left = spot.split(".")[1] === coin ? told.layout.prescribed : amount;
    chips[spot] = left ? [] : [null];
    for (const worth of [1000, 500, 100, 25, 5, 1]) while (left >= worth * unit && chips[spot].length < 12) { chips[spot].push(worth * unit); left -= worth * unit; }
    if (left > 0 && chips[spot].length < 12) chips[spot].push(left);
  }
  return { chips, since: {}, stuck: [], dark: [], down: [], troubles: [] };
}

const shown = new Map();
function put(id, html) {
  if (shown.get(id) === html) return false;
  shown.set(id, html);
  $(id).innerHTML = html;
  return true;
}

function draw() {
  $("which").elements.round.value = number || "";
  if (!told) { put("about", ""); put("why", refusal ? `<p class="refusal">${safe(refusal)}</p>` : ""); return; }
  const { layout, steps } = told, step = steps[at], picture = { ...pictures[at], number: at, won: pictures[at].won || [] }, last = pictures.at(-1), round = last.playing;
  put("title", `Round ${told.round}, table ${safe(layout.table)}`);
  const day = new Date(Math.floor(steps[0].wall_ns / 1e6)).toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric" });
  put("about", `${day}, ${time(steps[0].wall_ns)} to ${time(steps.at(-1).wall_ns)} &middot; ${safe(layout.title)}, version ${safe(layout.version)} &middot; read by ${safe(me.person)} as ${safe(me.role.replaceAll("_", " "))}, ${told.role ? "with every card" : "with the cards that lay open"}`);
  const won = round.lines.filter((one) => one.level && one.outcome === "win").reduce((sum, one) => sum + (one.paid || 0), 0), coin = layout.wagers.find((one) => one.coin)?.name;
  const sums = [["boxes", new Set(round.bets.map(([seat]) => seat)).size], ...(coin ? [["jackpot bets", round.bets.filter(([, name, , accepted]) => name === coin && accepted).length]] : []), ...(won ? [["jackpot paid", cash.full(won)]] : []), ...(round.void ? [["void by", round.void]] : [])];
  put("sums", sums.map(([name, value]) => `<div><dt>${name}</dt><dd>${safe(value)}</dd></div>`).join(""));
  if (put("steps", steps.map((one, i) => stepRow(one, i)).join(""))) $("steps").querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  const names = steps.map((one, i) => [one.changed.phase, i]).filter(([phase]) => phase && PHASE[phase]);
  put("names", names.filter(([, i], n) => !n || i - names[n - 1][1] > steps.length / 9).map(([phase, i]) => `<span data-left="${((100 * i) / Math.max(1, steps.length - 1)).toFixed(2)}">${PHASE[phase]}</span>`).join(""));
  for (const one of $("names").children) one.style.left = `${Math.min(94, one.dataset.left)}%`;
  $("track").value = at;
  $("track").setAttribute("aria-valuetext", step.said);
  put("clock", time(step.wall_ns, true));
  put("step", `step ${at + 1} of ${steps.length}`);
  put("play-mark", playing ? PAUSE : PLAY);
  $("play").setAttribute("aria-label", playing ? "Stop" : "Play");
  const view = { layout, picture, hands: handsOf(picture), cash, unit: 10 ** layout.currency.digits, peek: null, chosen: 0, nets: netsOf(picture), winners: winnersOf(picture), keepsResult: true };
  if (put("stage", drawFelt(view))) together();
  put("verdicts", picture.playing?.settled ? verdicts(picture) : "");
  put("why", whySheet(step, picture));
  put("paper", onPaper(last));
  history.replaceState(null, "", `/replay?round=${told.round}&step=${at}`);
  document.title = `Round ${told.round}, table ${layout.table}`;
}

// "Key PLAY." as the other keys are told: "PLAY pressed".
const said = (sentence) => withPlaces(sentence.replace(/^Key (.+)\.$/, (_, key) => `${key.replace(/^of box/, "Key of box")} pressed`), told.layout).replace(/(\d+) minor units/g, (_, minor) => cash.full(Number(minor)));

function stepRow(step, i) {
  const many = step.times > 1 ? `${step.times} cards dealt by the shuffler.` : step.said;
  return `<button data-step="${i}" class="${step.refused ? "refused" : /Pressed$|Ordered|Ruling|Claim|Opened|Keyed/.test(step.kind) ? "person" : ""}" ${i === at ? 'aria-current="step"' : ""}><time>${time(step.wall_ns, true).slice(3)}</time><span>${safe(said(TITLE[step.kind] && !step.refused ? `${TITLE[step.kind]} pressed` : many))}</span></button>`;
}

function verdicts(picture) {
  const round = picture.playing, bets = [...new Set(round.lines.map((one) => one.bet))], seats = [...new Set(round.lines.map((one) => one.seat))], nets = netsOf(picture), won = winnersOf(picture);
  const sum = (seat, bet) => {
    const line = round.lines.find((one) => one.seat === seat && one.bet === bet);
    if (!line) return "";
    const value = line.paid === null ? line.odds || "?" : line.paid ? cash.signed(line.paid) : line.lost ? cash.signed(-line.lost) : line.outcome;
    return `<span title="${safe(line.rule)}">${safe(value)}</span>`;
  };
  const rows = seats.map((seat) => `<tr class="${won.includes(seat) ? "hit" : ""}"><td>${seat}</td><td>${safe(round.hands.find((one) => one.target === String(seat))?.name || (round.decisions[seat] === "fold" ? "Folded" : ""))}</td>${bets.map((bet) => `<td>${sum(seat, bet)}</td>`).join("")}<td>${nets[seat] === null ? "not keyed" : safe(cash.signed(nets[seat]))}</td></tr>`);
  return `<table><thead><tr><th>Box</th><th>Hand</th>${bets.map((bet) => `<th>${safe(titleOf(bet, told.layout))}</th>`).join("")}<th>Net</th></tr></thead><tbody>${rows.join("")}</tbody></table>`;
}

// What the screen shows on demand, for the printed page: every line with its reason and paragraph.
function onPaper(picture) {
  const round = picture.playing, lines = round.settled ? round.lines : [];
  const rows = lines.map((line) => `<p><b>Box ${line.seat}, ${safe(titleOf(line.bet, told.layout))}: ${safe(sumOf(line, cash))}</b> ${safe(line.because)} ${line.rule ? `<span class="rule">${safe(line.rule)}</span>` : ""}</p>`);
  const questions = pictures.flatMap((one) => one.questions || []), seen = new Map(questions.map((one) => [one.id, one]));
  const asked = [...seen.values()].map((one) => `<p>${withRules(said(one.because))} <span class="rule">${safe(one.rule)}</span></p>`);
  return (rows.length ? `<h2>Why each bet was paid or lost</h2>${rows.join("")}` : "") + (asked.length ? `<h2>Questions in this round</h2>${asked.join("")}` : "");
}

// The paragraphs that speak in this step: those of its sentence, of what was said, of bets and of verdicts.
function whySheet(step, picture) {
  const notices = (step.changed.panel?.notices || []).filter((one) => !(pictures[at - 1]?.panel?.notices || []).some((old) => old.number === one.number));
  const parts = [`<section class="now">${withRules(said(step.said))}</section>`, ...notices.map((one) => `<section>${withRules(said(one.said))}</section>`)];
  for (const one of step.changed.questions || []) parts.push(`<section><span class="rule">${safe(one.rule)}</span><h3>Question ${safe(one.id)}</h3>${withRules(said(one.because))}</section>`);
  if (picture.playing?.settled) {
    const seen = new Map();
    for (const line of picture.playing.lines) if (line.rule && !seen.has(line.rule)) seen.set(line.rule, line);
    for (const [rule, line] of seen) parts.push(`<section><span class="rule">${safe(rule)}</span><h3>${safe(titleOf(line.bet, told.layout))}, box ${line.seat}</h3>${safe(line.because)}</section>`);
  }
  return `<h2>Why</h2>${refusal ? `<p class="refusal">${safe(refusal)}</p>` : ""}${parts.join("")}<section><h3>Journal</h3><code>record ${step.seq}; the round: records ${told.records[0]} to ${told.records[1]}</code></section>`;
}

// --- acts ------------------------------------------------------------------------------------------------

const go = (step) => { if (told) { at = Math.max(0, Math.min(told.steps.length - 1, step)); draw(); } };
function stop() { clearInterval(playing); playing = 0; }
const ACTS = {
  back: () => { stop(); go(at - 1); },
  on: () => { stop(); go(at + 1); },
  play: () => {
    if (playing) stop();
    else {
      if (told && at === told.steps.length - 1) at = 0;
      playing = setInterval(() => { go(at + 1); if (at === told.steps.length - 1) { stop(); draw(); } }, STEP_MS);
    }
    draw();
  },
  earlier: () => open(number - 1),
  later: () => open(number + 1),
  open: () => open(Number($("which").elements.round.value)),
  print: () => window.print(),
  "sign-in": async () => {
    const form = document.getElementById("sign-in").elements;
    try {
      const answer = await live.act({ do: "sign_in", name: form.name.value, pin: form.pin.value });
      me = { person: answer.person, role: answer.role };
      refusal = "";
    } catch (problem) { refusal = problem.message; }
    door();
  },
};
document.addEventListener("submit", (event) => event.preventDefault());
document.addEventListener("click", (event) => {
  const target = event.target.closest("[data-act],[data-step]");
  if (!target) return;
  if (target.dataset.step) { stop(); go(Number(target.dataset.step)); } else ACTS[target.dataset.act]();
});
$("track").addEventListener("input", () => { stop(); go(Number($("track").value)); });
document.addEventListener("keydown", (event) => {
  if (event.target.matches("input")) return;
  if (event.key === "ArrowRight") ACTS.on();
  else if (event.key === "ArrowLeft") ACTS.back();
});
