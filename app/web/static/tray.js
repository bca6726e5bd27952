// The hand below the photo: concealed tiles, melds, winning tile, flowers, and what is not part of
// it. Tiles are moved by dragging, or by the buttons of the picker.

import { draggable } from "./drag.js";
import { h, show } from "./dom.js";
import { count, doubtful, groups } from "./hand.js";
import { problemText, t } from "./i18n.js";
import { face, tileName } from "./tiles.js";

/** `act` holds what can be done: open(id), move(id, role, meld), split, join, kong, sort, add, check, choose, zoom. */
export function view(container, state, { lit, selected, assumed, problems, whole, act }) {
  const { concealed, winning, flowers, melds, elsewhere } = groups(state);
  const doubts = new Set(doubtful(state).map((tile) => tile.id));
  const tile = (item, place) => tileButton(item, { place, lit, selected, doubt: doubts.has(item.id), open: act.open });
  const zone = (name, title, tiles, tools = []) =>
    h("section", { class: `zone ${name}`, "data-drop": name, "aria-label": title },
      h("div", { class: "zone-head" }, h("h3", {}, title), tools),
      h("div", { class: "tiles" }, tiles));
  const tool = (label, onclick, key, pressed = null) => h("button", { class: "chip", onclick, "data-key": key, "aria-pressed": pressed }, label);

  show(
    container,
    state.reading?.hands?.length > 1 && h("fieldset", { class: "moves" }, h("legend", {}, t("severalHands")),
      state.reading.hands.map((_, n) => tool(t("handInPhoto", { n: n + 1 }), () => act.choose(n), `choose-${n}`, String(state.chosen === n)))),
    banner(state, { doubts: doubtful(state), found: problems, whole, act }),
    zone("concealed", t("concealed"), concealed.map((item) => tile(item, t("concealed"))), [
      concealed.length > 1 && tool(t("sort"), act.sort, "sort"),
      tool(t("addTile"), act.add, "add"),
    ]),
    h("div", { class: "side" },
      zone("winning", t("winning"), winning ? [tile(winning, t("winning"))] : [h("span", { class: "slot", "aria-hidden": "true" })]),
      zone("flower", t("flowers"), flowers.map((item) => tile(item, t("flowers"))))),
    !winning && concealed.length > 0 && h("p", { class: "hint" }, assumed ? t("winningAssumed", { tile: assumed }) : t("chooseWinning")),
    h("div", { class: "melds" }, melds.map(({ index, tiles, kind }, place) =>
      h("section", { class: `zone meld ${kind ? "" : "wrong"} ${tiles.length > 3 ? "long" : ""}`, "data-drop": `meld:${index}`, "aria-label": t("meldN", { n: place + 1 }) },
        h("div", { class: "zone-head" },
          h("h3", {}, t("meldN", { n: place + 1 })), h("span", { class: "kind" }, t(kind ?? "noMeld")),
          kind?.endsWith("kong") && !tiles.some((item) => item.tile === "back") && tool(t(kind === "concealed-kong" ? "makeMelded" : "makeConcealed"), () => act.kong(index), `kong-${index}`),
          tiles.length < 4 && melds[place + 1] && tiles.length + melds[place + 1].tiles.length <= 4 && tool(t("join"), () => act.join(index, melds[place + 1].index), `join-${index}`),
          tool(t("split"), () => act.split(index), `split-${index}`)),
        h("div", { class: "tiles" }, tiles.map((item) => tile(item, t("meldN", { n: place + 1 }))))))),
    h("div", { class: "zone new-meld", "data-drop": "meld:new", "aria-hidden": "true" }, t("dropNewMeld")),
    elsewhere.length > 0 && zone("elsewhere", t("elsewhere"), elsewhere.map((item) => tile(item, t("elsewhere")))),
  );
  draggable(container, (id, drop) => {
    const [role, meld] = drop.split(":");
    act.move(id, role, meld === undefined || meld === "new" ? null : Number(meld));
  });
}

function banner(state, { doubts, found, whole, act }) {
  const problems = count(state);
  const { concealed, winning, melds } = groups(state);
  const size = concealed.length + (winning ? 1 : 0) + melds.reduce((sum, meld) => sum + meld.tiles.length, 0);
  const lines = problems.length ? problems.map(([key, values]) => h("li", {}, t(key, values))) : [h("li", {}, t("countOk", { size }))];
  return h("div", { class: "banner" },
    h("div", { class: "count-line" },
      h("div", { class: problems.length || found.length ? "count wrong" : "count", role: "status" },
        h("ul", {}, lines, found.map((problem) => h("li", {}, problemText(problem))))),
      state.photo && h("button", { class: "icon zoom", "data-key": "zoom", "aria-label": t(whole ? "zoomHand" : "zoomAll"), title: t(whole ? "zoomHand" : "zoomAll"), onclick: act.zoom }, whole ? "⤡" : "⤢")),
    doubtLine(doubts, act.check),
    state.photo && problems.some(([key]) => key.endsWith("Missing")) && h("p", { class: "hint" }, t("addHint")));
}

/** How many tiles are still to be checked, with the button that steps through them. */
export function doubtLine(doubts, check, key = "check") {
  return doubts.length > 0 && h("div", { class: "doubts" },
    h("span", {}, t(doubts.length === 1 ? "doubtOne" : "doubtMany", { n: doubts.length })),
    h("button", { class: "primary", "data-key": key, onclick: check }, t("checkNext")));
}

function tileButton(tile, { place, lit, selected, doubt, open }) {
  const marks = ["tile"];
  if (doubt) marks.push("doubt");
  if (tile.corrected && tile.seen && tile.seen !== tile.tile) marks.push("corrected");
  if (lit.has(tile.id)) marks.push("lit");
  else if (lit.size) marks.push("faded");
  if (selected.includes(tile.id)) marks.push("selected");
  const name = [t("tileLabel", { tile: tile.tile, place }), doubt && t("doubt"), marks.includes("corrected") && t("corrected")];
  return h("button", {
    class: marks.join(" "), "data-key": `tile-${tile.id}`, "data-tile": tile.id, "data-code": tile.tile,
    "aria-label": name.filter(Boolean).join(t("comma")), title: tileName(tile.tile), onclick: () => open(tile.id),
  }, face(tile.tile));
}
