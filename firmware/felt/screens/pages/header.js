// The sign above a felt: game, meters, limits.
import { titleOf } from "/static/results.js";
import { safe } from "/static/text.js";

const METER_NAME = { major: "Progressive Jackpot", star: "Star", spade: "Spade", heart: "Heart", diamond: "Diamond" };
const $ = (id) => document.getElementById(id);

/** `put(id, html)` draws where something changed. */
export function drawSign({ layout, picture, cash, put }) {
  $("title").textContent = layout.title;
  $("title").classList.toggle("long", layout.title.length > 30);
  const gone = [!picture.shuffler.connected && "Shuffler gone", picture.link !== "UP" && "Link lost"].filter(Boolean);
  put("where", `Table ${safe(layout.table)} &middot; round ${picture.round} ${gone.map((one) => `&nbsp;<b>${one}</b>`).join("")}`);
  const names = layout.meters;
  $("meters").classList.toggle("four", names.length > 1);
  const won = picture.won[0];
  if (won) put("meters", `<div><span class="caps">Box ${won.seat} &middot; jackpot won</span><b>${safe(cash.full(won.award))}</b></div>`);
  else put("meters", names.map((name) => `<div><span class="caps">${METER_NAME[name] || safe(name)}</span><b>${picture.meters[name] === undefined ? "?" : safe(cash.full(picture.meters[name]))}</b></div>`).join(""));
  const bets = layout.limits.map((one) => [titleOf(one.bet, layout), cash.range(one.min, one.max)]);
  if (layout.prescribed !== null) bets.push(["Jackpot bet", cash.say(layout.prescribed)]);
  $("limits").classList.toggle("four", bets.length === 4);
  $("limits").classList.toggle("five", bets.length > 4);
  put("limits", bets.map(([name, range]) => `<dt>${safe(name)}</dt><dd>${safe(range)}</dd>`).join(""));
}
