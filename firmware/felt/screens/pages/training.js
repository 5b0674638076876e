// A lesson: the table plays by itself until the dealer has something to do. Then the page asks, and explains a wrong
// answer with the table's own sentence.
import { drawFelt } from "/static/felt.js";
import { together } from "/static/lamps.js";
import { Live } from "/static/live.js";
import { money } from "/static/money.js";
import { netsOf, winnersOf } from "/static/results.js";
import { safe, withPlaces, withRules } from "/static/text.js";

const $ = (id) => document.getElementById(id);
const FLOW = ["open", "no_more_bets", "collect", "cards_seen", "fold", "play", "reveal", "settle"];
const RARE = ["misdeal", "count_mismatch", "other", "void", "box", "hand_back", "call_the_supervisor"];
const NAME = { box: "the box's key", hand_back: "hand it back", call_the_supervisor: "call the supervisor" };
const nameOf = (key) => NAME[key] || key.replaceAll("_", " ");
let layout = null, picture = null, hands = null, story = null, cash = null, tab = "choose", lessons = [], named = "", problem = "";

const live = new Live("/live/story", {
  hello: () => { if (!lessons.length) live.act({ do: "stories" }).then((told) => { lessons = told.done.stories; draw(); }, () => {}); },
  hear: (message) => {
    story = message.story;
    ({ layout, picture, hands } = message);
    if (layout) cash = money(layout.currency);
    if (named !== story.name) { named = story.name; tab = story.name ? "lines" : "choose"; }
    draw();
  },
  stale: (why) => {
    document.body.toggleAttribute("data-stale", Boolean(why));
    $("stale").textContent = why ? "The lesson has no connection: load the page again when it is there." : "";
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
  for (const one of ["lines", "choose"]) {
    document.querySelector(`[data-tab=${one}]`).setAttribute("aria-selected", one === tab);
    $(one).hidden = one !== tab;
  }
  const [right, asked] = story.score || [0, 0];
  put("score", `<dt>Dealer</dt><dd>${safe(story.trainee || "nobody")}</dd><dt>Right at once</dt><dd>${right} of ${asked}</dd>`);
  put("title", safe(story.title || "Lessons"));
  $("title").classList.toggle("long", (story.title || "").length > 30);
  put("where", story.name ? (story.state === "ended" ? "The lesson is over" : "Answer with the keys below") : "Choose a lesson");
  put("list", (problem ? `<p class="failed">${safe(problem)}</p>` : "") + lessons.map(([name, title]) => `<button class="pick" data-pick="${safe(name)}" ${name === story.name ? 'aria-current="true"' : ""}>${safe(title)}</button>`).join(""));
  if (put("lines", `<h2>So far</h2><ol class="words">${story.lines.map((text) => `<li class="past">${safe(text)}</li>`).join("")}</ol>`)) $("lines").scrollTop = 1e6;
  const ask = story.ask, over = story.state === "ended";
  const said = over ? `The lesson is over: ${right} of ${asked} right at once.` : ask ? (ask.wrong ? `No: ${nameOf(ask.right).toUpperCase()} comes now.` : "What do you do now?") : story.name ? "Watch." : "Choose a lesson, and say who learns.";
  put("say", safe(said));
  put("aside", ask?.wrong ? `<span>${withRules(layout ? withPlaces(ask.why, layout) : ask.why)}</span>` : "");
  const key = (name) => `<button class="key ${ask?.wrong && ask.right === name ? "right" : ""} ${ask?.wrong === name ? "wrong" : ""}" data-answer="${name}" ${ask ? "" : "disabled"}>${safe(nameOf(name))}</button>`;
  put("flow", FLOW.map(key).join(""));
  put("rare", RARE.map(key).join(""));
  if (!picture) {
    put("stage", `<div class="intro"><h2>Deal, and be told why</h2><p>The table plays by itself until the dealer has something to do. Then it waits for you: answer with the keys below. After a wrong answer the page names the right one, with its paragraph.</p><p>Give your name, then choose a lesson.</p></div>`);
    return;
  }
  put("phase", { IDLE: "Between rounds", INTERRUPTED: "Held", VERIFYING: "Jackpot" }[picture.phase] || picture.phase);
  const round = picture.playing, kept = picture.phase === "IDLE" && round?.settled;
  // Which keys are lit, and what the sentence says, is the answer: it is not shown here.
  const view = { layout, picture: { ...picture, panel: { ...picture.panel, seats: [] } }, hands, cash, unit: 10 ** layout.currency.digits, peek: null, chosen: 0, nets: !round?.ended || kept ? netsOf(picture) : {}, winners: winnersOf(picture), keepsResult: kept };
  if (put("stage", drawFelt(view))) together();
}

const tell = (words) => live.act({ do: "story", ...words }).then(() => { problem = ""; }, (refusal) => { problem = refusal.message; tab = "choose"; draw(); });
document.addEventListener("click", (event) => {
  const target = event.target.closest("[data-pick],[data-tab],[data-answer]");
  if (!target || !story || target.disabled) return;
  const data = target.dataset;
  if (data.pick) tell({ story: "trainee", name: $("trainee").value }).then(() => tell({ story: "choose", name: data.pick }));
  else if (data.tab) { tab = data.tab; draw(); }
  else tell({ story: "answer", key: data.answer });
});
