// A story told on the felt. Whoever looks may stop it, step it, or choose another one.
import { card, LATTICE } from "/static/cards.js";
import { drawFelt } from "/static/felt.js";
import { together } from "/static/lamps.js";
import { Live } from "/static/live.js";
import { money } from "/static/money.js";
import { awarded, lineOf, netsOf, winnersOf } from "/static/results.js";
import { drawSign } from "/static/header.js";
import { safe, withPlaces, withRules } from "/static/text.js";

const $ = (id) => document.getElementById(id);
const SPEEDS = [0.5, 1, 2, 4], TABS = ["lines", "box", "choose"];
const PLAY = `<path d="M7 5L19 12L7 19Z"/>`, PAUSE = `<path d="M8 5V19M16 5V19" fill="none"/>`;
let layout = null, picture = null, hands = null, story = null, cash = null, chosen = 1, tab = "lines", stories = [], named = "", problem = "";

const live = new Live("/live/story", {
  hello: () => {
    if (!stories.length) live.act({ do: "stories" }).then((told) => { stories = told.done.stories; if (story && !story.name) tab = "choose"; draw(); }, () => {});
  },
  hear: (message) => {
    const before = picture;
    story = message.story;
    if (message.picture) {
      ({ layout, picture, hands } = message);
      cash = money(layout.currency);
      const settled = picture.playing?.settled && !picture.playing.ended;
      if (settled && !before?.playing?.settled) chosen = winnersOf(picture)[0] || picture.playing.lines[0]?.seat || chosen;
    } else layout = picture = hands = null;
    if (named !== story.name) { named = story.name; tab = story.name ? "lines" : "choose"; problem = ""; }
    draw();
  },
  stale: (why) => {
    document.body.toggleAttribute("data-stale", Boolean(why));
    $("stale").textContent = { page: "No connection to these pages: what you see is no longer live.", table: "Nobody tells stories here any more." }[why] || "";
  },
});

const shown = new Map();
function put(id, html) {
  if (shown.get(id) === html) return false;
  shown.set(id, html);
  $(id).innerHTML = html;
  return true;
}

function draw() {
  if (!story) return;
  for (const one of TABS) {
    document.querySelector(`[data-tab=${one}]`).setAttribute("aria-selected", one === tab);
    $(one).hidden = one !== tab;
  }
  drawTransport();
  if (tab === "lines" && put("lines", wordsSheet())) $("lines").querySelector("[aria-current]")?.scrollIntoView({ block: "center" });
  if (tab === "choose") put("list", listSheet());
  if (!picture) { put("stage", story.name ? "" : `<div class="intro"><h2>Rounds that are worth seeing</h2><p>Jackpots, envy bonuses, misdeals, power cuts: the table plays each story by itself, at a pace that can be followed. Pause it, step it, or touch a box to see why it was paid.</p></div>`); put("say", story.name ? "" : "Choose a story."); put("phase", "Story"); return; }
  const round = picture.playing, kept = picture.phase === "IDLE" && round?.settled;
  const view = { layout, picture, hands, cash, unit: 10 ** layout.currency.digits, peek: null, chosen, nets: !round?.ended || kept ? netsOf(picture) : {}, winners: winnersOf(picture), keepsResult: kept };
  drawSign({ layout, picture, cash, put });
  let again = put("stage", drawFelt(view));
  put("phase", { IDLE: "Between rounds", INTERRUPTED: "Held", VERIFYING: "Jackpot" }[picture.phase] || picture.phase);
  const said = story.dark ? `The table is dark: ${story.dark}.` : picture.prompt;
  put("say", withRules(withPlaces(said, layout)));
  $("say").className = said.length > 150 ? "longer" : said.length > 60 ? "long" : "";
  const newest = picture.panel.notices.at(-1);
  put("aside", newest ? `<span>${withRules(withPlaces(newest.said, layout))}</span>` : "");
  if (tab === "box") again = put("box", boxSheet(view)) || again;
  if (again) together();
  document.title = `Felt: ${story.title}`;
}

function drawTransport() {
  const ended = story.state !== "told", stopped = story.paused || ended;
  put("story-title", safe(story.title || "No story yet"));
  put("pause-mark", stopped ? PLAY : PAUSE);
  $("pause").setAttribute("aria-label", ended ? "Tell it again" : story.paused ? "Go on" : "Pause");
  const done = story.of ? Math.round((100 * Math.max(0, Math.min(story.at + 1, story.of))) / story.of) : 0;
  $("bar").firstElementChild.style.width = `${done}%`;
  $("bar").setAttribute("aria-valuenow", done);
  put("speeds", SPEEDS.map((speed) => `<button role="radio" data-speed="${speed}" aria-checked="${speed === story.speed}">${speed === 0.5 ? "\u00bd" : speed}\u00d7</button>`).join(""));
}

function wordsSheet() {
  const failed = story.state === "failed" ? `<p class="failed">${safe(story.problem)}</p>` : "";
  const lines = story.lines.map((text, i) => {
    const place = story.first + i, now = place === story.at;
    return `<li class="${place < story.at ? "past" : ""} ${/(^|: |always |never )expect /.test(text) ? "expects" : ""}" ${now ? 'aria-current="step"' : ""}>${safe(text)}</li>`;
  });
  return `<h2>${safe(story.title || "No story yet")}</h2>${failed}<ol class="words">${lines.join("")}</ol>${story.state === "ended" ? `<p class="told">The story has ended, and all of it held.</p>` : ""}`;
}

const GAME = { "progressive-3-card-poker": "Progressive 3 Card Poker", "lucky-three-pictures": "Lucky Three Pictures", "multi-link-3-card-poker": "Multi-Link 3 Card Poker", "california-three-card-poker": "California Three Card Poker", "stax-three-card": "Three Card with Stax" };

function listSheet() {
  const wanted = $("search").value.trim().toLowerCase().split(/\s+/);
  const found = stories.filter(([name, title]) => wanted.every((word) => `${name} ${title}`.toLowerCase().includes(word)));
  const games = [...new Set(found.map(([, , game]) => game))];
  const rows = games.map((game) => `<h3>${safe(GAME[game] || "Others")}</h3>${found.filter((one) => one[2] === game).map(([name, title]) => `<button class="pick" data-pick="${safe(name)}" ${name === story.name ? 'aria-current="true"' : ""}>${safe(title)}<span>${safe(name)}</span></button>`).join("")}`);
  return (problem ? `<p class="failed">${safe(problem)}</p>` : "") + (rows.join("") || `<p class="told">No story has these words.</p>`);
}

function boxSheet(view) {
  const round = picture.playing, found = round?.hands.find((one) => one.target === String(chosen)), net = view.nets[chosen];
  const lines = round?.settled ? round.lines.filter((one) => one.seat === chosen) : [], won = lines.find((one) => one.level);
  const cards = won?.cards.length ? won.cards : found?.cards || [];
  const about = found?.name || { play: "plays", fold: "folded" }[round?.decisions[chosen]] || (found?.dealt ? "cards face down" : "no cards");
  return `<h2>Box ${chosen}</h2><p>${safe(about)}</p>${lines.length ? awarded(net, cash) : ""}
    ${cards.length ? `<svg class="hand" viewBox="0 0 294 78" preserveAspectRatio="xMinYMid" role="group"><defs>${LATTICE}</defs>${cards.map((code, i) => card(27 + i * 58, 39, code === "##" ? null : code, { mark: Boolean(won) })).join("")}</svg>` : ""}
    ${[...lines].sort((a, b) => (b.paid || 0) - (a.paid || 0)).map((one) => lineOf(one, layout, cash)).join("")}`;
}

const tell = (words) => live.act({ do: "story", ...words }).then(() => { problem = ""; }, (refusal) => { problem = refusal.message; tab = "choose"; draw(); });
const ACTS = {
  again: () => story.name && tell({ story: "choose", name: story.name }),
  pause: () => (story.state === "told" ? tell({ story: "pause", paused: !story.paused }) : ACTS.again()),
  step: () => (story.state === "told" ? tell({ story: "step" }) : ACTS.again()),
};

document.addEventListener("click", (event) => {
  const target = event.target.closest("[data-act],[data-pick],[data-tab],[data-speed],[data-ribbon],[data-choose],[data-box]");
  if (!target || !story) return;
  const data = target.dataset;
  if (data.pick) tell({ story: "choose", name: data.pick });
  else if (data.tab) { tab = data.tab; shown.delete(tab); draw(); }
  else if (data.speed) tell({ story: "pace", speed: Number(data.speed) });
  else if (data.ribbon || data.choose || data.box) { chosen = Number(data.ribbon || data.choose || data.box); tab = "box"; draw(); }
  else ACTS[data.act]?.();
});
document.addEventListener("input", (event) => { if (event.target.id === "search") draw(); });
document.addEventListener("keydown", (event) => {
  if (event.target.matches?.("input")) return;
  const hot = event.target.closest?.("g[role=button]");
  if (hot && (event.key === "Enter" || event.key === " ")) { event.preventDefault(); hot.dispatchEvent(new MouseEvent("click", { bubbles: true })); }
  else if (event.key === " " && !event.target.closest?.("button,a")) { event.preventDefault(); ACTS.pause(); }
  else if (event.key === "ArrowRight") ACTS.step();
});
