// Text of any making into a page: never as markup.
const HARMFUL = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
export const safe = (text) => String(text).replace(/[&<>"']/g, (one) => HARMFUL[one]);

// A sentence of the table: paragraphs in brackets at its end stand in the blue frame.
export const withRules = (sentence) =>
  safe(sentence).replace(/\s*\((house procedure[^)]*|(?:\d+(?:\.\d+)*(?: [a-z])?|[A-Z][a-z]+(?: [a-z]+)* ¶\d+|Table \d+))(?:[;,] ([^)]*))?\)(\.?)/g, (_, rule, more, stop) => `${more ? `, ${more}` : ""}${stop} <span class="rule">${rule}</span>`);

export const fill = (template, words) => template.replace(/\{(\w+)\}/g, (_, name) => words[name] ?? "");
