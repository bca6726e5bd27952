// The sheet that opens on a tile: the likeliest alternatives, where it belongs, and all 42 tiles.

import { h, show } from "./dom.js";
import { doubtedTogether, groups, possibleMelds } from "./hand.js";
import { t } from "./i18n.js";
import { crop } from "./photo.js";
import { face, SUITS, tileName } from "./tiles.js";

const LIKELY = 6;
const dialog = () => document.getElementById("picker");

/** Open on the tile `id`. `act`: setTile(id, code), move(id, role, meld), makeMeld(ids), remove(id), right(ids). */
export function open(state, id, act, onClose) {
  const tile = state.tiles.find((other) => other.id === id);
  if (!tile) return;
  const done = (change) => () => {
    dialog().close();
    change();
  };
  const choose = (code) => done(() => act.setTile(id, code));
  const key = (code, percent = null) =>
    h("button", {
      class: code === tile.tile ? "tile current" : "tile", onclick: choose(code), "data-pick": code,
      "aria-label": percent === null ? tileName(code) : t("percent", { tile: code, percent }), title: tileName(code),
    }, face(code), percent !== null && h("span", { class: "percent", "aria-hidden": "true" }, `${percent}%`));
  const likely = tile.alternatives.filter(({ tile: code }) => code !== "?").slice(0, LIKELY);
  const suggestions = possibleMelds(state, id);
  const doubted = tile.flag && !tile.corrected && !tile.checked;
  const together = doubtedTogether(state, id);
  const codes = state.tiles.filter((other) => together.includes(other.id)).map((other) => other.tile);
  const title = tile.seen === null && tile.tile === "?" ? "pickerAdd" : doubted && tile.flag === "role" ? "pickerPlace" : "pickerTitle";

  show(
    dialog(),
    h("div", { class: "sheet" },
      h("header", { class: "sheet-head" },
        crop(state, tile.box),
        h("div", {},
          h("h2", { id: "picker-title" }, t(title)),
          h("p", { class: "hint" }, tile.seen === null ? t("sawNothing") : t("sawAs", { tile: tile.seen })),
          doubted && h("p", { class: "flagged" }, t(together.length > 1 ? "flagTogether" : `flag-${tile.flag}`, { n: together.length, seen: tileName(tile.seen ?? "?") }))),
        h("button", { class: "icon", onclick: () => dialog().close(), "aria-label": t("close") }, "✕")),
      h("div", { class: "sheet-body" },
        likely.length > 0 && h("section", {},
          h("h3", {}, t("likely")),
          h("div", { class: "tiles likely" }, likely.map(({ tile: code, probability }) => key(code, probability < 0.005 ? "<1" : Math.round(100 * probability))))),
        doubted && tile.tile !== "?" && h("button", {
          class: "primary wide confirm", "data-key": "right", onclick: done(() => act.right(together)),
          "aria-label": t("rightAsIs", { names: codes.map(tileName).join(t("comma")), place: placeName(state, tile) }),
        }, t("right", { place: placeName(state, tile) }), codes.map(face)),
        h("section", {},
          h("h3", {}, t("moveTo")),
          h("div", { class: "moves" }, places(state, tile, act).map(([label, on, move, key]) =>
            h("button", { class: "chip", "aria-pressed": String(on), disabled: on, "data-key": `to-${key}`, onclick: done(move) }, label)),
          h("button", { class: "chip danger", "data-key": "remove", onclick: done(() => act.remove(id)) }, t("remove")))),
        suggestions.length > 0 && h("section", {},
          h("h3", {}, t("meldSuggestions")),
          h("div", { class: "moves" }, suggestions.map((ids) => suggestion(state, ids, done(() => act.makeMeld(ids)))))),
        SUITS.map((suit) => h("section", {},
          h("h3", {}, t(suit.key)),
          h("div", { class: `tiles suit ${suit.key}` }, suit.tiles.map((code) => key(code))))))),
  );
  dialog().onclose = onClose;
  dialog().onclick = (event) => event.target === dialog() && dialog().close();
  dialog().showModal();
  dialog().querySelector(".likely .tile, .suit .tile")?.focus({ preventScroll: true });
}

function placeName(state, { role, meld }) {
  return role === "meld" ? t("meldN", { n: 1 + groups(state).melds.findIndex(({ index }) => index === meld) }) : t(role === "flower" ? "flowers" : role);
}

function places(state, tile, act) {
  const move = (role, meld = null) => () => act.move(tile.id, role, meld);
  return [
    [t("concealed"), tile.role === "concealed", move("concealed"), "concealed"],
    [t("winning"), tile.role === "winning", move("winning"), "winning"],
    ...groups(state).melds.map(({ index }, place) => [t("meldN", { n: place + 1 }), tile.role === "meld" && tile.meld === index, move("meld", index), `meld:${index}`]),
    [t("dropNewMeld"), false, move("meld"), "meld:new"],
    [t("flowers"), tile.role === "flower", move("flower"), "flower"],
    [t("elsewhere"), tile.role === "elsewhere", move("elsewhere"), "elsewhere"],
  ];
}

function suggestion(state, ids, onclick) {
  const codes = ids.map((id) => state.tiles.find((tile) => tile.id === id).tile).sort();
  return h("button", { class: "chip group", onclick, "aria-label": `${t("meld")}${t("colon")}${codes.map(tileName).join(t("comma"))}` }, codes.map(face));
}
