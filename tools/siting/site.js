"use strict";
// Shows the rows that hold every word of the search, and on the first page finds rows of all pages.
const field = document.getElementById("search");
const found = document.getElementById("found");
const asked = new URLSearchParams(location.search);

function fold(text) { return text.toLowerCase().replace(/\s+/g, " "); }

const rows = [...document.querySelectorAll("[data-row]")].map(
  (row) => ({ row, text: fold(row.textContent), about: (row.dataset.about || "").split(" ") }));
let about = asked.get("about") || "";

function narrow() {
  const words = fold(field.value).split(" ").filter(Boolean);
  let shown = 0;
  for (const { row, text, about: refs } of rows) {
    const fits = words.every((word) => text.includes(word)) && (!about || refs.includes(about));
    row.hidden = !fits;
    shown += fits;
  }
  for (const part of document.querySelectorAll("section")) {
    const own = part.querySelectorAll("[data-row]");
    part.hidden = own.length > 0 && [...own].every((row) => row.hidden);
  }
  found.textContent = shown === rows.length ? `${shown} rows` : `${shown} of ${rows.length} rows`;
}

const MOST = 80;
function lookUp() {
  const words = fold(field.value).split(" ").filter(Boolean);
  const hits = words.length ? EVERYTHING.filter(([, , , text]) => words.every((word) => text.includes(word))) : [];
  const list = document.getElementById("hits");
  list.replaceChildren(...hits.slice(0, MOST).map(([kind, name, address]) => {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = address;
    link.textContent = name;
    item.append(`${kind}: `, link);
    return item;
  }));
  const rest = hits.length > MOST ? `, the first ${MOST} are listed` : "";
  found.textContent = words.length ? `${hits.length} found${rest}` : "";
}

if (field) {
  const act = document.getElementById("hits") ? lookUp : narrow;
  field.value = asked.get("q") || "";
  field.addEventListener("input", () => { about = ""; act(); });
  act();
  if (location.hash) document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
}
