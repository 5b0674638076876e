// Coin spots and chips, as SVG text. A rhythm and a ring for each state of a lamp; the badge never blinks.

// Chips by their worth in whole units of the currency: body, edge, ink of the figure.
const CHIP = [
  [1000, "#b8862d", "#fff3d6", "#1c1606"], [500, "#5b3a86", "#f0e4f6", "#fff"], [100, "#1c1f22", "#e8dcc0", "#fff"],
  [25, "#2f7d54", "#f3efe2", "#fff"], [5, "#a3242f", "#f6e9e0", "#fff"], [1, "#e9e5da", "#7d8f9a", "#15181a"],
];
export const WORTHS = [1, 5, 25, 100, 500, 1000];

const short = (units) => (units >= 1000 ? `${units / 1000}k` : String(units));

// `units`: the chip's worth in whole units; null where nobody knows it.
export function chip(x, y, units, r = 17) {
  const [, body, edge, ink] = units === null ? [0, "#5d6a66", "#c3cbc3", "#fff"] : CHIP.find(([least]) => units >= least) || CHIP.at(-1);
  const c = 2 * Math.PI * (r - 2.6), text = units === null ? "?" : short(units);
  return `<g transform="translate(${x} ${y})"><circle r="${r}" fill="${body}" stroke="#0009" stroke-width="1"/>
    <circle r="${r - 2.6}" fill="none" stroke="${edge}" stroke-width="5" stroke-dasharray="${c / 16} ${c / 16}"/>
    <circle r="${r - 5.6}" fill="${body}" stroke="${edge}" stroke-opacity=".75" stroke-width=".9"/>
    <text y="${r * 0.26}" text-anchor="middle" font-family="var(--sans)" font-weight="700" font-size="${r * (text.length > 2 ? 0.62 : 0.74)}" fill="${ink}">${text}</text></g>`;
}

// A stack, the lowest chip first, each a little higher.
export function stack(x, y, chips, r = 17) {
  const step = Math.min(4.5, 30 / chips.length);
  return `<ellipse cx="${x}" cy="${y + 3}" rx="${r + 2}" ry="${r}" fill="#0006"/>` + chips.map((units, i) => chip(x, y - i * step, units, r)).join("");
}

export const WORD = {
  off: "", invite: "place", seen: "seen", accepted: "accepted", late: "hand back", removed: "removed", winner: "winner",
  out_of_service: "closed", fault: "fault",
};
// The same for a reader, in words that need no picture.
export const NAME = { off: "no bet", invite: "a bet may be placed", out_of_service: "closed" };
const BADGE = {
  seen: `<circle r="3.4" fill="#101516"/>`,
  accepted: `<path d="M-4.6 .4L-1.4 3.8L4.8-3.6" fill="none" stroke="#101516" stroke-width="2.6" stroke-linecap="round" stroke-linejoin="round"/>`,
  late: `<path d="M3.8 4.8V.6A3 3 0 0 0 .8-2.4H-4.4M-1.6-5.6L-4.8-2.4L-1.6 .8" fill="none" stroke="#101516" stroke-width="2.3" stroke-linecap="round" stroke-linejoin="round"/>`,
  removed: `<path d="M-4.5 0H4.5" stroke="#101516" stroke-width="2.8" stroke-linecap="round"/>`,
  winner: `<path d="M0-6.6L1.7-2.2L6.3-2L2.7 .9L3.9 5.4L0 2.8L-3.9 5.4L-2.7 .9L-6.3-2L-1.7-2.2Z" fill="#101516"/>`,
  out_of_service: `<path d="M-4 4L4-4" stroke="#101516" stroke-width="2.8" stroke-linecap="round"/>`,
  fault: `<path d="M0-5V1M0 4.8V4.9" stroke="#101516" stroke-width="2.8" stroke-linecap="round"/>`,
};
const BADGE_FILL = { late: "#ffb454", removed: "#ffb454", fault: "#ff8a7a", out_of_service: "#c3cbc3", winner: "#f4d99b" };
const RING = {
  off: `<circle r="23" fill="none" stroke="#d9b56e" stroke-opacity=".55" stroke-width="1.5"/>`,
  invite: `<circle r="23" fill="none" stroke="#f4d99b" stroke-width="2.5" stroke-dasharray="6.030 6.010"/>`,
  seen: `<circle r="23" fill="none" stroke="#f4d99b" stroke-width="1.5"/><circle r="27" fill="none" stroke="#f4d99b" stroke-width="1.5"/>`,
  accepted: `<circle r="24" fill="none" stroke="#f4d99b" stroke-width="5"/>`,
  late: `<path d="M-9-22.5A24 24 0 0 0-9 22.5M9-22.5A24 24 0 0 1 9 22.5" fill="none" stroke="#ffb454" stroke-width="4"/>`,
  removed: `<circle r="23" fill="none" stroke="#ffb454" stroke-width="3" stroke-dasharray="18 6.080"/><circle r="15" fill="none" stroke="#ffb454" stroke-width="1.5" stroke-dasharray="3 3"/>`,
  winner: `<circle r="24" fill="none" stroke="#f4d99b" stroke-width="5"/><circle r="32.5" fill="none" stroke="#f4d99b" stroke-width="6" stroke-dasharray="3 9.760"/>`,
  out_of_service: `<circle r="23" fill="none" stroke="#c3cbc3" stroke-width="2"/>`,
  fault: `<path d="M-10-24H10L24-10V10L10 24H-10L-24 10V-10Z" fill="none" stroke="#ff8a7a" stroke-width="3"/>`,
};
const plus = (ink) => `<path d="M-7 0H7M0-7V7" stroke="${ink}" stroke-width="2.8" stroke-linecap="round"/>`;
const slash = (ink) => `<path d="M-16 16L16-16" stroke="${ink}" stroke-width="2.5"/>`;

// A coin spot of radius 24; `coins` lie on it.
export function lamp(x, y, state, { coins = [], scale = 1, broken = false } = {}) {
  const known = RING[state] ? state : "off";
  const badge = BADGE[known] ? `<g transform="translate(20 -20)"><circle r="10.5" fill="${BADGE_FILL[known] || "#f4d99b"}" stroke="#07261d" stroke-width="2"/>${BADGE[known]}</g>` : "";
  const inside = (ink) => (known === "invite" ? plus(ink) : known === "out_of_service" ? slash(ink) : "");
  const light = broken ? "" : `<g class="lit"><circle r="50" fill="url(#glow)"/><circle r="21.5" fill="#ffe8ad"/>${inside("#3a2d0c")}</g>`;
  return `<g data-lamp="${known}" transform="translate(${x} ${y}) scale(${scale})">
    <circle r="24" fill="#03130e"/>${inside(known === "invite" ? "#f4d99b" : "#c3cbc3")}${light}${RING[known]}
    ${coins.length ? stack(0, 0, coins, 15) : ""}${badge}</g>`;
}

// Lamps of one pattern blink together on every page: all count from the same instant.
export function together() {
  for (const one of document.getAnimations()) if (/^lamp-/.test(one.animationName || "")) one.startTime = 0;
}

export const GLOW = `<radialGradient id="glow"><stop offset=".3" stop-color="#ffe8ad" stop-opacity=".55"/><stop offset="1" stop-color="#ffe8ad" stop-opacity="0"/></radialGradient>`;
