// The photo in view: decoded upright once, then an SVG with a box on every tile.

import { h, s, show } from "./dom.js";
import { doubtful } from "./hand.js";
import { t } from "./i18n.js";
import { tileName } from "./tiles.js";

const LONGEST = 2400; // pixels of the picture kept in memory
const REACH = 26; // CSS pixels: a tap this near to a tile's middle means that tile
const MARGIN = 0.08;

/** {url, width, height, bitmap} of an upright copy, or null where the browser cannot decode it. */
export async function load(file) {
  let bitmap;
  try {
    bitmap = await createImageBitmap(file);
  } catch {
    return null;
  }
  const scale = Math.min(1, LONGEST / Math.max(bitmap.width, bitmap.height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(bitmap.width * scale);
  canvas.height = Math.round(bitmap.height * scale);
  canvas.getContext("2d").drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  const blob = await new Promise((resolve) => canvas.toBlob(resolve, "image/jpeg", 0.9));
  return { url: URL.createObjectURL(blob), canvas };
}

/** Draw the photo and its boxes. `lit` holds the ids of the tiles of the chosen fan. */
export function view(container, state, { lit, selected, whole, onTile, onMiss }) {
  const { photo } = state;
  container.hidden = !photo;
  if (!photo) return;
  const frame = whole ? { x: 0, y: 0, width: photo.width, height: photo.height } : handFrame(state);
  const doubts = new Set(doubtful(state).map((tile) => tile.id));
  const boxes = state.tiles
    .filter((tile) => tile.box)
    .map((tile) => {
      const [x0, y0, x1, y1] = tile.box;
      const marks = [tile.role];
      if (doubts.has(tile.id)) marks.push("doubt");
      if (tile.corrected) marks.push("corrected");
      if (lit.has(tile.id)) marks.push("lit");
      if (selected.includes(tile.id)) marks.push("selected");
      return s("rect", { class: `box ${marks.join(" ")}`, x: x0, y: y0, width: x1 - x0, height: y1 - y0, rx: (x1 - x0) * 0.08, "data-id": tile.id }, s("title", {}, tileName(tile.tile)));
    });
  const picture = photo.url
    ? s("image", { href: photo.url, width: photo.width, height: photo.height })
    : s("rect", { class: "nopicture", width: photo.width, height: photo.height });
  const overlay = s("svg", {
    viewBox: `${frame.x} ${frame.y} ${frame.width} ${frame.height}`,
    role: "img",
    "aria-label": t("photoLabel"),
    class: lit.size ? "overlay dimmed" : "overlay",
  }, picture, boxes);
  overlay.addEventListener("click", (event) => {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(overlay.getScreenCTM().inverse());
    const unit = overlay.getScreenCTM().a;
    const id = nearest(state.tiles, point, REACH / unit);
    if (id) onTile(id);
    else if (point.x >= 0 && point.y >= 0 && point.x <= photo.width && point.y <= photo.height) onMiss(missedBox(state, point));
  });
  // The photo takes the height its shape asks for, up to what leaves room for the tray.
  overlay.style.setProperty("--ratio", frame.width / frame.height);
  show(
    container,
    overlay,
    photo.url ? null : h("p", { class: "hint" }, t("notShown")),
  );
}

/** The part of the photo that holds the hand, with some room around it. */
function handFrame({ tiles, photo }) {
  const hand = tiles.filter((tile) => tile.box && tile.role !== "elsewhere");
  if (!hand.length) return { x: 0, y: 0, width: photo.width, height: photo.height };
  const left = Math.min(...hand.map((tile) => tile.box[0]));
  const top = Math.min(...hand.map((tile) => tile.box[1]));
  const right = Math.max(...hand.map((tile) => tile.box[2]));
  const bottom = Math.max(...hand.map((tile) => tile.box[3]));
  const margin = MARGIN * Math.max(right - left, bottom - top);
  const x = Math.max(0, left - margin);
  const y = Math.max(0, top - margin);
  return { x, y, width: Math.min(photo.width, right + margin) - x, height: Math.min(photo.height, bottom + margin) - y };
}

/** The tile under the point, or the nearest whose middle is within reach. */
function nearest(tiles, { x, y }, reach) {
  let best = null;
  let least = Infinity;
  for (const { id, box } of tiles) {
    if (!box) continue;
    const [x0, y0, x1, y1] = box;
    const inside = x >= x0 && x <= x1 && y >= y0 && y <= y1;
    const distance = Math.hypot(x - (x0 + x1) / 2, y - (y0 + y1) / 2);
    if ((inside || distance <= reach) && distance < least) [best, least] = [id, distance];
  }
  return best;
}

/** A box as large as the other tiles around a tapped point. */
function missedBox({ tiles, photo }, { x, y }) {
  const middle = (values) => values.sort((a, b) => a - b)[values.length >> 1];
  const boxed = tiles.filter((tile) => tile.box);
  const width = boxed.length ? middle(boxed.map(({ box }) => box[2] - box[0])) : photo.width / 16;
  const height = boxed.length ? middle(boxed.map(({ box }) => box[3] - box[1])) : width * 1.35;
  return [Math.max(0, x - width / 2), Math.max(0, y - height / 2), Math.min(photo.width, x + width / 2), Math.min(photo.height, y + height / 2)].map(Math.round);
}

/** What the photo shows of one tile, as a small picture; null without a photo. */
export function crop({ photo }, box) {
  if (!photo?.url || !box) return null;
  const [x0, y0, x1, y1] = box;
  const margin = 0.12 * Math.max(x1 - x0, y1 - y0);
  return s(
    "svg",
    { class: "crop", viewBox: `${x0 - margin} ${y0 - margin} ${x1 - x0 + 2 * margin} ${y1 - y0 + 2 * margin}`, role: "img", "aria-label": t("crop") },
    s("image", { href: photo.url, width: photo.width, height: photo.height }),
  );
}
