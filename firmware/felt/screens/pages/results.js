// Results: nets, lines and what they are called, the same on every page.
import { safe } from "/static/text.js";

const OF_THE_BOOK = { ante_bonus: "Ante Bonus", envy: "Envy Bonus" };
export const titleOf = (bet, layout) => layout.wagers.find((one) => one.name === bet)?.title || OF_THE_BOOK[bet] || bet.replaceAll("_", " ");
export const winnersOf = (picture) => (picture.playing ? [...new Set(picture.playing.lines.filter((one) => one.level && one.outcome === "win").map((one) => one.seat))] : []);

// Net of each box; null where an amount was never keyed.
export function netsOf(picture) {
  const found = {}, round = picture.playing;
  if (!round || !round.settled) return found;
  for (const line of round.lines) {
    const unknown = line.paid === null || (line.lost === null && line.stake === null);
    found[line.seat] = unknown || found[line.seat] === null ? null : (found[line.seat] || 0) + (line.paid || 0) - (line.lost || 0);
  }
  return found;
}

const METER = { major: "the jackpot", star: "Star", spade: "Spade", heart: "Heart", diamond: "Diamond" };
const oddsOf = (line) => line.odds.replace(/ of (\w+)$/, (all, name) => (METER[name] ? ` of ${METER[name]}` : all));

// Whether a notice only repeats what the prompt or a question says.
export const isRepeated = (sentence, picture) => picture.prompt.includes(sentence) || picture.questions.some((one) => sentence.includes(one.because));

export function awarded(net, cash) {
  if (net === null) return '<div class="net unknown">An amount was not keyed</div>';
  const said = cash.signed(net);
  return `<div class="net ${net < 0 ? "less" : ""} ${said.length > 8 ? "long" : ""}">${safe(said)}</div>`;
}

export function sumOf(line, cash) {
  if (line.paid) return cash.signed(line.paid);
  if (line.paid === null) return line.odds || "to be valued";
  if (line.lost) return cash.signed(-line.lost);
  if (line.outcome === "push") return "stands";
  if (line.outcome === "returned") return "goes back";
  return line.lost === null ? "lost" : cash.say(0);
}

export function lineOf(line, layout, cash) {
  return `<div class="line"><b>${safe(titleOf(line.bet, layout))}</b><b class="${line.paid ? "" : "minus"}">${safe(sumOf(line, cash))}</b><small><span>${safe(line.odds && line.paid ? `${oddsOf(line)}: ` : "")}${safe(line.because)}</span>${line.rule ? `<span class="rule">${safe(line.rule)}</span>` : ""}</small></div>`;
}
