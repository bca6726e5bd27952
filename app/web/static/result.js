// The result: total, the check for 8 fan, every fan with its points, and who pays what.

import { h, show } from "./dom.js";
import { language, problemText, t } from "./i18n.js";
import { doubtLine } from "./tray.js";

/** `status` is "ok", "busy" or "none"; `act`: check, light(fan), share, picture, json, keep, enter. */
export function view(container, state, { result, status, problems, doubts, lit, names, keeps, sharing, matching, act }) {
  if (!result) {
    show(container, h("h2", {}, t("total")),
      h("p", { class: "nototal" }, t(status === "busy" ? "scoring" : "noScore")),
      problems.length > 0 && h("ul", { class: "count wrong" }, problems.map((problem) => h("li", {}, problemText(problem)))));
    return;
  }
  const zh = language() === "zh";
  show(
    container,
    h("div", { class: status === "busy" ? "total stale" : "total", role: "status" },
      h("h2", {}, t("total")),
      h("output", { class: "number", id: "total" }, String(result.total)),
      result.flowers > 0 && h("p", {}, t("fanFlowers", { fan: result.fan, flowers: result.flowers })),
      h("p", { class: result.qualifies ? "enough" : "short" }, result.qualifies ? t("enough") : t("notEnough", { missing: 8 - result.fan })),
      depends(result),
      confidence(state, result)),
    doubtLine(doubts, act.check, "check-result"),
    result.qualifies && payments(state, result, names),
    h("section", {},
      h("h3", {}, t("fanList")),
      h("ul", { class: "fans" }, result.fans.map((fan) => {
        const on = lit?.id === fan.id;
        return h("li", {}, h("button", { class: "fan", "aria-pressed": String(on), "data-key": `fan-${fan.id}`, onclick: () => act.light(on ? null : fan) },
          h("span", { class: "fan-name", lang: zh ? "zh-Hans" : "en" }, zh ? fan.zh : fan.name),
          h("span", { class: "fan-other", lang: zh ? "en" : "zh-Hans" }, zh ? fan.name : fan.zh),
          h("span", { class: "fan-points" }, fan.count > 1 ? t("times", fan) : String(fan.points))));
      })),
      h("p", { class: "hint" }, t("fanHint"))),
    h("div", { class: "actions" },
      matching && result.qualifies && h("button", { class: "primary", onclick: act.enter, "data-key": "enter" }, t("toMatch")),
      sharing && h("button", { class: "chip", onclick: act.share }, t("share")),
      h("button", { class: "chip", onclick: act.picture }, t("savePicture")),
      h("button", { class: "chip", onclick: act.json }, t("saveJson")),
      keeps && state.photo && h("button", { class: "chip", onclick: act.keep }, t("keep"))),
  );
}

/** How sure the reading was of this total; means nothing once a tile was corrected or confirmed. */
function confidence({ reading, tiles, removed }, result) {
  const touched = removed.length > 0 || tiles.some((tile) => tile.corrected || tile.checked);
  if (touched || reading?.score?.total !== result.total) return null;
  return h("p", { class: "hint" }, t("confidence", { percent: Math.floor(100 * reading.confidence) }));
}

function depends({ range }) {
  if (!range || range.min === range.max) return null;
  return h("p", { class: "hint" }, t("depends", { min: range.min, max: range.max, what: range.depends_on.map((key) => t(key)).join(t("comma")) }));
}

/** The four seats, where the winner's is known; otherwise the winner and what each other pays. */
function payments(state, { payments: pays }, names) {
  const seat = state.context.seat_wind;
  const discard = !state.context.self_draw;
  const sign = (points) => (points > 0 ? `+${points}` : `−${Math.abs(points)}`);
  const row = (who, role, points) => h("tr", {}, h("th", { scope: "row" }, who), h("td", {}, role), h("td", { class: "points" }, sign(points)));
  let rows;
  if (seat) {
    const payer = discard ? state.discarder : null;
    rows = ["E", "S", "W", "N"].map((wind) => {
      const who = names ? `${t(`wind${wind}`)} · ${names[wind]}` : t(`wind${wind}`);
      if (wind === seat) return row(who, t("winner"), pays.winner);
      if (wind === payer) return row(who, t("discarder"), -pays.discarder);
      if (discard && !payer) return h("tr", {}, h("th", { scope: "row" }, who), h("td", {}, ""), h("td", { class: "points" }, `−${pays.others} / −${pays.discarder}`));
      return row(who, "", -pays.others);
    });
  } else {
    rows = [
      row(t("winner"), "", pays.winner),
      discard && row(t("discarder"), "", -pays.discarder),
      ...Array.from({ length: discard ? 2 : 3 }, () => row(t("another"), "", -pays.others)),
    ];
  }
  return h("section", {}, h("h3", {}, t("payments")), h("table", { class: "payments" }, h("tbody", {}, rows.filter(Boolean))));
}
