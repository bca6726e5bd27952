// The sheet that opens on a tile: the likeliest alternatives, where it belongs, and all 42 tiles.

import { h, show } from "./dom.js";
import { groups, possibleMelds } from "./hand.js";
import { t } from "./i18n.js";
import { crop } from "./photo.js";
import { face, SUITS, tileName } from "./tiles.js";

const LIKELY = 6;
const dialog = () => document.getElementById("picker");

/** Open on the tile `id`. `act`: setTile(id, code), move(id, role, meld), makeMeld(ids), remove(id), right(id). */
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

  show(
    dialog(),
    h("div", { class: "sheet" },
      h("header", { class: "sheet-head" },
        crop(state, tile.box),
        h("div", {},
          h("h2", { id: "picker-title" }, tile.seen === null && tile.tile === "?" ? t("pickerAdd") : t("pickerTitle")),
          h("p", { class: "hint" }, tile.seen === null ? t("sawNothing") : t("sawAs", { tile: tile.seen })),
          tile.flag && !tile.corrected && h("p", { class: "flagged" }, t(`flag-${tile.flag}`, { seen: tileName(tile.seen ?? "?") }))),
        h("button", { class: "icon", onclick: () => dialog().close(), "aria-label": t("close") }, "✕")),
      h("div", { class: "sheet-body" },
        likely.length > 0 && h("section", {},
          h("h3", {}, t("likely")),
          h("div", { class: "tiles likely" }, likely.map(({ tile: code, probability }) => key(code, Math.round(100 * probability))))),
        tile.flag && !tile.corrected && h("button", { class: "primary wide", onclick: done(() => act.right(id)) }, t("rightAsIs")),
        h("section", {},
          h("h3", {}, t("moveTo")),
          h("div", { class: "moves" }, places(state, tile, act).map(([label, on, move]) =>
            h("button", { class: "chip", "aria-pressed": String(on), disabled: on, onclick: done(move) }, label)),
          h("button", { class: "chip danger", onclick: done(() => act.remove(id)) }, t("remove")))),
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

function places(state, tile, act) {
  const move = (role, meld = null) => () => act.move(tile.id, role, meld);
  return [
    [t("concealed"), tile.role === "concealed", move("concealed")],
    [t("winning"), tile.role === "winning", move("winning")],
    ...groups(state).melds.map(({ index }, place) => [t("meldN", { n: place + 1 }), tile.role === "meld" && tile.meld === index, move("meld", index)]),
    [t("dropNewMeld"), false, move("meld")],
    [t("flowers"), tile.role === "flower", move("flower")],
    [t("elsewhere"), tile.role === "elsewhere", move("elsewhere")],
  ];
}

function suggestion(state, ids, onclick) {
  const codes = ids.map((id) => state.tiles.find((tile) => tile.id === id).tile).sort();
  return h("button", { class: "chip group", onclick, "aria-label": `${t("meld")}: ${codes.map(tileName).join(", ")}` }, codes.map(face));
}
