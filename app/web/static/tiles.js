// The 42 tiles: codes as in the API, names in two languages, faces.

import { h } from "./dom.js";
import { language } from "./i18n.js";

const DIGITS = "一二三四五六七八九";
const NUMBERS = [1, 2, 3, 4, 5, 6, 7, 8, 9];

export const SUITS = [
  { key: "characters", tiles: NUMBERS.map((n) => `${n}m`) },
  { key: "dots", tiles: NUMBERS.map((n) => `${n}p`) },
  { key: "bamboos", tiles: NUMBERS.map((n) => `${n}s`) },
  { key: "honours", tiles: [..."ESWNCFP"] },
  { key: "flowers", tiles: ["plum", "orchid", "chrysanthemum", "bamboo", "spring", "summer", "autumn", "winter"] },
];

export const FLOWERS = SUITS[4].tiles;
const ORDER = new Map(SUITS.flatMap((suit) => suit.tiles).map((tile, index) => [tile, index]));

const NAMES = {
  E: ["east wind", "东风"], S: ["south wind", "南风"], W: ["west wind", "西风"], N: ["north wind", "北风"],
  C: ["red dragon", "红中"], F: ["green dragon", "发财"], P: ["white dragon", "白板"],
  plum: ["plum", "梅"], orchid: ["orchid", "兰"], chrysanthemum: ["chrysanthemum", "菊"], bamboo: ["bamboo flower", "竹"],
  spring: ["spring", "春"], summer: ["summer", "夏"], autumn: ["autumn", "秋"], winter: ["winter", "冬"],
  back: ["face-down tile", "盖着的牌"], "?": ["unknown tile", "认不出的牌"],
};
const SUIT_NAMES = { m: ["of characters", "万"], p: ["of dots", "饼"], s: ["of bamboos", "条"] };

export function tileName(code) {
  const zh = language() === "zh";
  if (NAMES[code]) return NAMES[code][zh ? 1 : 0];
  const [rank, suit] = code;
  return zh ? DIGITS[rank - 1] + SUIT_NAMES[suit][1] : `${rank} ${SUIT_NAMES[suit][0]}`;
}

export const isFlower = (code) => FLOWERS.includes(code);
export const isKnown = (code) => ORDER.has(code);
export const inOrder = (a, b) => (ORDER.get(a) ?? 99) - (ORDER.get(b) ?? 99);

/** Fetch all faces ahead, so that none comes in late when the picker opens. */
export function preload() {
  for (const code of [...ORDER.keys(), "back"]) new Image().src = `faces/${code}.svg`;
}

/** The drawn face; `?` is a blank tile with a question mark. */
export function face(code) {
  if (code === "?") return h("span", { class: "face unknown", "aria-hidden": "true" }, "?");
  return h("img", { class: "face", src: `faces/${code}.svg`, alt: "", draggable: "false", decoding: "async" });
}
