// Text of any making into a page: never as markup.
const HARMFUL = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
export const safe = (text) => String(text).replace(/[&<>"']/g, (one) => HARMFUL[one]);

// A sentence of the table: paragraphs in brackets at its end stand in the blue frame.
export const withRules = (sentence) =>
  safe(sentence).replace(/\s*\((house procedure[^)]*|(?:\d+(?:\.\d+)*(?: [a-z])?|[A-Z][a-z]+(?: [a-z]+)* ¶\d+|Table \d+))(?:[;,] ([^)]*))?\)(\.?)/g, (_, rule, more, stop) => `${more ? `, ${more}` : ""}${stop} <span class="rule">${rule}</span>`);

// A place as people call it: 3.progressive is the jackpot spot of box 3.
export const withPlaces = (sentence, layout) =>
  sentence.replace(/\b(\d+)\.([a-z_0-9]+)\b/g, (all, box, name, at) => {
    const wager = layout.wagers.find((one) => one.name === name);
    return wager ? `${at === 0 ? "Box" : "box"} ${box}, ${wager.coin ? "jackpot" : wager.title}` : all;
  });

// As the beginning of a sentence.
export const capital = (text) => text.replace(/^./, (letter) => letter.toUpperCase());

// In at most two lines, cut where the longer one is shortest.
export function twoLines(text) {
  const words = text.split(" "), longest = (lines) => Math.max(...lines.map((line) => line.length));
  const cuts = words.slice(1).map((_, i) => [words.slice(0, i + 1).join(" "), words.slice(i + 1).join(" ")]);
  return cuts.length ? cuts.reduce((best, one) => (longest(one) < longest(best) ? one : best)) : [text];
}

export const fill = (template, words) => template.replace(/\{(\w+)\}/g, (_, name) => words[name] ?? "");
