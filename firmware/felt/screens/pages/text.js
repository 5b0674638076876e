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

export const fill = (template, words) => template.replace(/\{(\w+)\}/g, (_, name) => words[name] ?? "");
