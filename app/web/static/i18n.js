// Every sentence of the page, in English and simplified Chinese.

import { recall, store } from "./state.js";
import { tileName } from "./tiles.js";
import { WORDS } from "./words.js";

const KEY = "fanlens.language";
const known = recall(KEY);
let current = known === "zh" || known === "en" ? known : (navigator.languages ?? [navigator.language]).find((l) => /^(zh|en)/i.test(l))?.slice(0, 2).toLowerCase() ?? "en";

export const language = () => current;

export function setLanguage(next) {
  current = next;
  store(KEY, next);
  translate();
}

/** The sentence of `key`, its {places} filled in; a tile code in `tile` becomes the tile's name. */
export function t(key, values = {}) {
  const sentence = WORDS[key]?.[current === "zh" ? 1 : 0] ?? key;
  return sentence.replace(/\{(\w+)\}/g, (_, name) => (name === "tile" ? tileName(values.tile) : (values[name] ?? "")));
}

/** What the server found wrong with the tiles, in the page's language; its own sentences are English. */
export function problemText({ code, message }) {
  if (current === "zh" && code) return (WORDS[`problem-${code}`] ?? WORDS["problem-other"])[1];
  return message[0].toUpperCase() + message.slice(1);
}

/** Why the server refused a request, in the page's language. `error` is its {code, message, …}. */
export function errorText(error) {
  if (current !== "zh") return error.message[0].toUpperCase() + error.message.slice(1);
  const place = ["column", "row", "hand"].find((name) => error[name] !== undefined && `error-${error.code}-${name}` in WORDS);
  const key = `error-${error.code}${place ? `-${place}` : ""}`;
  return t(key in WORDS ? key : "error-other", error);
}

/** Put the sentences into what the page came with. */
export function translate() {
  document.documentElement.lang = current === "zh" ? "zh-Hans" : "en";
  for (const element of document.querySelectorAll("[data-t]")) element.textContent = t(element.dataset.t);
  for (const element of document.querySelectorAll("[data-t-label]")) element.setAttribute("aria-label", t(element.dataset.tLabel));
}
