"use strict";
// The review page: shows each doubtful tile, keeps what the person says, downloads it as corrections.
// Text from file names only ever becomes a text node.

const data = JSON.parse(document.getElementById("data").textContent);
const key = "fanlens-review:" + data.model.sha256 + ":" + data.items.map((item) => item.sha256 + item.id).join().slice(0, 2000);
const said = load();
let current = 0;

function load() {
  try {
    return JSON.parse(localStorage.getItem(key)) || {};
  } catch {
    return {};
  }
}

function keep() {
  try {
    localStorage.setItem(key, JSON.stringify(said));
  } catch {
    // A browser that keeps nothing for local files still works until the page is closed.
  }
}

function make(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "onclick" || name === "onchange") node[name] = value;
    else node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

function face(tile) {
  const name = "http://www.w3.org/2000/svg";
  const drawing = document.createElementNS(name, "svg");
  drawing.setAttribute("class", "face");
  drawing.setAttribute("viewBox", "0 0 300 400");
  drawing.setAttribute("aria-hidden", "true");
  if (tile === "?") {
    const text = document.createElementNS(name, "text");
    for (const [k, v] of [["x", 150], ["y", 270], ["font-size", 220], ["text-anchor", "middle"], ["fill", "#7a2b1d"]]) {
      text.setAttribute(k, v);
    }
    text.textContent = "?";
    drawing.append(text);
  } else {
    const use = document.createElementNS(name, "use");
    use.setAttribute("href", "#face-" + tile);
    drawing.append(use);
  }
  return drawing;
}

function percent(value) {
  return Math.round(value * 100) + " %";
}

function say(index, tile, role) {
  said[index] = { ...said[index], ...(tile === undefined ? {} : { tile }), ...(role === undefined ? {} : { role }) };
  keep();
  draw(index);
}

function undo(index) {
  delete said[index];
  keep();
  draw(index);
}

function crop(item) {
  const place = make("div", { class: "crop" });
  if (!item.crop) {
    place.append(make("span", {}, "The picture wasn't there when this page was made."));
    return place;
  }
  const figure = make("figure");
  const source = "data:image/jpeg;base64," + item.crop.jpeg;
  const image = make("img", { src: source, width: item.crop.width, height: item.crop.height, alt: "the tile in its picture" });
  const [left, top, width, height] = item.crop.box;
  const frame = make("i");
  frame.style.cssText = `left:${left}%;top:${top}%;width:${width}%;height:${height}%`;
  figure.append(image, frame);
  place.append(figure);
  return place;
}

function verdict(item, answer) {
  if (!answer) return "";
  const parts = [];
  if (answer.tile === null) parts.push("no tile here");
  else if (answer.tile !== undefined) parts.push(answer.tile === item.tile ? "accepted" : "changed to " + answer.tile);
  if (answer.role !== undefined) parts.push("role " + answer.role);
  return "✓ " + parts.join(", ");
}

function selection(label, names, chosen, onchange) {
  const list = make("select", { "aria-label": label, onchange });
  list.append(make("option", { value: "" }, label));
  for (const name of names) list.append(make("option", { value: name }, name));
  list.value = chosen || "";
  return list;
}

function card(index) {
  const item = data.items[index];
  const answer = said[index];
  const node = make("article", { id: "item-" + index, "aria-label": "tile " + (index + 1) });
  const read = make("div", { class: "read" }, face(item.tile));
  const words = make("p", {}, make("b", {}, item.tile), ` at ${percent(item.confidence)}`);
  if (item.seen && item.seen !== item.tile) words.append(`, seen as ${item.seen}`);
  words.append(`, ${item.role}`, make("br"), make("span", { class: "reason" }, item.reason));
  read.append(words);

  const choices = make("div", { class: "choices" });
  choices.append(make("button", { class: "main", onclick: () => settle(index, item.tile) }, "Accept " + item.tile));
  for (const other of item.alternatives) {
    const button = make("button", { class: "other", onclick: () => settle(index, other.tile) }, face(other.tile));
    button.append(make("span", {}, `${other.tile} ${percent(other.probability)}`));
    choices.append(button);
  }
  const named = answer && answer.tile && answer.tile !== item.tile ? answer.tile : "";
  choices.append(
    selection("Another tile…", data.tiles, named, (event) => event.target.value && settle(index, event.target.value)),
    selection("Role…", data.roles.filter((role) => role !== "meld"), answer && answer.role, (event) =>
      event.target.value && say(index, undefined, event.target.value)),
    make("button", { onclick: () => settle(index, null) }, "No tile"),
  );
  if (answer) {
    choices.append(make("span", { class: "verdict" }, verdict(item, answer)), make("button", { onclick: () => undo(index) }, "Undo"));
  }
  const right = make("div", {}, make("p", { class: "where" }, `${index + 1}. ${item.path}, tile ${item.id}`), read, choices);
  node.append(crop(item), right);
  node.classList.toggle("settled", Boolean(answer));
  node.classList.toggle("current", index === current);
  node.addEventListener("click", () => select(index, false));
  return node;
}

function draw(index) {
  const old = document.getElementById("item-" + index);
  const held = old.contains(document.activeElement);
  const fresh = card(index);
  old.replaceWith(fresh);
  if (held) fresh.querySelector("button").focus({ preventScroll: true });
  count();
}

function count() {
  const done = Object.keys(said).length;
  const more = data.total > data.items.length ? ` (${data.total} in review.csv)` : "";
  document.getElementById("count").textContent = `${done} of ${data.items.length} settled${more}`;
  document.getElementById("bar").max = Math.max(data.items.length, 1);
  document.getElementById("bar").value = done;
  document.getElementById("save").disabled = done === 0;
}

function select(index, scroll = true) {
  if (index < 0 || index >= data.items.length) return;
  document.getElementById("item-" + current).classList.remove("current");
  current = index;
  const node = document.getElementById("item-" + current);
  node.classList.add("current");
  if (scroll) node.scrollIntoView({ block: "nearest" });
}

function settle(index, tile) {
  say(index, tile);
  if (index === current) select(current + 1);
}

function corrections() {
  const pictures = new Map();
  for (const index of Object.keys(said).map(Number).sort((a, b) => a - b)) {
    const item = data.items[index];
    if (!pictures.has(item.path)) pictures.set(item.path, { image: item.path, sha256: item.sha256, tiles: [] });
    pictures.get(item.path).tiles.push({ id: item.id, box: item.box, ...said[index] });
  }
  return [...pictures.values()];
}

function download() {
  const file = new Blob([JSON.stringify(corrections(), null, 1) + "\n"], { type: "application/json" });
  const link = make("a", { href: URL.createObjectURL(file), download: "corrections.json" });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

document.getElementById("save").onclick = download;
document.addEventListener("keydown", (event) => {
  if (event.target.matches("button, select") || event.ctrlKey || event.metaKey || event.altKey) return;
  const item = data.items[current];
  if (!item) return;
  if (event.key === "ArrowDown") select(current + 1);
  else if (event.key === "ArrowUp") select(current - 1);
  else if (event.key === "Enter") settle(current, item.tile);
  else if (event.key === "x") settle(current, null);
  else if (event.key === "u") undo(current);
  else if (/^[1-5]$/.test(event.key) && item.alternatives[event.key - 1]) settle(current, item.alternatives[event.key - 1].tile);
  else return;
  event.preventDefault();
});

const list = document.getElementById("list");
if (data.items.length === 0) list.append(make("p", {}, "Nothing is doubtful. There is nothing to review."));
data.items.forEach((_, index) => list.append(card(index)));
count();
