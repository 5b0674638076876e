// Cards, as SVG text. The back is drawn from nothing: a hidden card has no face here.

export const SUIT = {
  s: "M0-10C2-6 9-2 9 4C9 8 4 9.5 1.4 6.4C1.5 9 2.4 10.6 4 12H-4C-2.4 10.6-1.5 9-1.4 6.4C-4 9.5-9 8-9 4C-9-2-2-6 0-10Z",
  h: "M0 10C-3 6-10 1-10-4.5C-10-8-7.5-10-5-10C-2.5-10-.8-8.3 0-6.5C.8-8.3 2.5-10 5-10C7.5-10 10-8 10-4.5C10 1 3 6 0 10Z",
  d: "M0-11.5C2-7.3 5-3 8.2 0C5 3 2 7.3 0 11.5C-2 7.3-5 3-8.2 0C-5-3-2-7.3 0-11.5Z",
  c: "M0-10.5A4.9 4.9 0 0 1 3.7-2.4A4.9 4.9 0 1 1 1.4 5C1.5 8 2.4 10.2 4 12H-4C-2.4 10.2-1.5 8-1.4 5A4.9 4.9 0 1 1-3.7-2.4A4.9 4.9 0 0 1 0-10.5Z",
};
export const STAR = "M0-12L3.2-3.9L11.6-3.6L5 1.6L7.2 9.9L0 5.1L-7.2 9.9L-5 1.6L-11.6-3.6L-3.2-3.9Z";
const SUIT_NAME = { s: "spades", h: "hearts", d: "diamonds", c: "clubs" };
const RANK_NAME = { A: "ace", K: "king", Q: "queen", J: "jack", T: "10" };

export const LATTICE = `<pattern id="lattice" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><path d="M0 0H6M0 0V6" stroke="#e6c98e" stroke-opacity=".38" stroke-width="1"/></pattern>`;

// A card of 50 x 70 with its centre at x, y.
export function card(x, y, code, { mark = false, turn = 0, scale = 1 } = {}) {
  const at = `transform="translate(${x} ${y}) rotate(${turn}) scale(${scale})"`;
  if (!code) {
    return `<g ${at} role="img" aria-label="card, face down"><rect x="-25" y="-35" width="50" height="70" rx="5" fill="#fbf8f0"/>
      <rect x="-22" y="-32" width="44" height="64" rx="3" fill="#5a1620"/><rect x="-22" y="-32" width="44" height="64" rx="3" fill="url(#lattice)"/>
      <rect x="-18.5" y="-28.5" width="37" height="57" rx="2" fill="none" stroke="#d9b56e" stroke-opacity=".55"/></g>`;
  }
  if (code === "??") {
    return `<g ${at} role="img" aria-label="card that was not read"><rect x="-25" y="-35" width="50" height="70" rx="5" fill="#fbf8f0" stroke="#ffb454" stroke-width="3"/>
      <text y="12" text-anchor="middle" font-family="var(--sans)" font-weight="700" font-size="34" fill="#15181a">?</text></g>`;
  }
  const rank = code[0] === "T" ? "10" : code[0], suit = code[1], ink = suit === "h" || suit === "d" ? "#b01e2b" : "#15181a";
  return `<g ${at} role="img" aria-label="${RANK_NAME[code[0]] || code[0]} of ${SUIT_NAME[suit]}">
    <rect x="-25" y="-35" width="50" height="70" rx="5" fill="${mark ? "#fff3cf" : "#fbf8f0"}" stroke="${mark ? "#e8bd5a" : "#0006"}" stroke-width="${mark ? 3.4 : 0.8}"/>
    <text x="${rank === "10" ? -22 : -20}" y="-10" font-family="var(--sans)" font-weight="700" font-size="${rank === "10" ? 24 : 27}" letter-spacing="${rank === "10" ? -1.2 : 0}" fill="${ink}">${rank}</text>
    <path d="${SUIT[suit]}" transform="translate(6 15) scale(1.28)" fill="${ink}"/></g>`;
}
