// What a photo cannot show: how the hand was won, winds, rules. One screen's worth; an option that
// would change the total says so, an impossible one is disabled with the reason.

import { announce, h, show } from "./dom.js";
import { groups } from "./hand.js";
import { t } from "./i18n.js";
import { isFlower } from "./tiles.js";

const WINDS = ["E", "S", "W", "N"];
const CIRCUMSTANCES = ["last_tile", "kong_replacement", "robbing_kong", "fourth_tile"];
const MOST_FLOWERS = 8;

/** `result` is the last score, with `changes`: what each option would make of the total. */
export function view(container, state, { result, names, set }) {
  const { context } = state;
  const total = result?.total ?? null;
  const change = (key, value) => result?.changes?.find((item) => item.set[key] === value) ?? null;

  const option = (key, value, label, { on, onclick }) => {
    const effect = on ? null : change(key, value);
    // An option that cannot be says why when it is tapped.
    const reason = effect?.impossible && key !== "self_draw" ? t(`clash-${effect.clash?.join("-")}`) : null;
    const differs = effect && effect.total !== null && effect.total !== total;
    return h("button", {
      class: differs ? "option differs" : "option", "aria-pressed": String(on), "data-key": `${key}-${value}`, onclick: reason ? () => announce(reason) : onclick,
      "aria-disabled": reason ? "true" : null, title: reason,
      "aria-label": reason ? `${label}${t("comma")}${reason}` : differs ? `${label}${t("comma")}${t("wouldBe", { total: effect.total })}` : value === null ? label : null,
    }, value === null ? h("span", { "aria-hidden": "true" }, "?") : label, differs && h("span", { class: "effect", "aria-hidden": "true" }, effect.total));
  };
  const group = (title, options, extra = "") => h("fieldset", { class: `options ${extra}` }, h("legend", {}, title), options);
  const winds = (key) => group(t(key), [...WINDS, null].map((wind) =>
    option(key, wind, wind ? windLabel(key, wind, names) : t("unknown"), { on: context[key] === wind, onclick: () => set({ [key]: wind }) })), "five");

  show(
    container,
    h("h2", {}, t("contextTitle")),
    group(t("wonBy"), [
      option("self_draw", true, t("self_draw"), { on: context.self_draw, onclick: () => set({ self_draw: true, robbing_kong: false }) }),
      option("self_draw", false, t("discard"), { on: !context.self_draw, onclick: () => set({ self_draw: false, kong_replacement: false }) }),
    ], "two"),
    winds("prevalent_wind"),
    winds("seat_wind"),
    !context.self_draw && group(t("payer"), [...WINDS.filter((wind) => wind !== context.seat_wind), null].map((wind) =>
      h("button", { class: "option", "aria-pressed": String(state.discarder === wind), "data-key": `payer-${wind}`, "aria-label": wind ? null : t("unknown"), onclick: () => set({}, { discarder: wind }) },
        wind ? windLabel("payer", wind, names) : "?")), "five"),
    group(t("circumstances"), CIRCUMSTANCES.map((key) =>
      option(key, !context[key], t(key), { on: context[key], onclick: () => set({ [key]: !context[key] }) })), "two"),
    h("div", { class: "row" },
      flowers(state, set),
      group(t("rules"), [h("select", { "aria-label": t("rules"), "data-key": "rules", onchange: (event) => set({}, { rules: event.target.value }) },
        ["current", "wmo2006", "trial1998"].map((rules) => {
          const effect = state.rules === rules ? null : change("rules", rules);
          const differs = effect && effect.total !== null && effect.total !== total;
          return h("option", { value: rules, selected: state.rules === rules }, t(`rules-${rules}`) + (differs ? ` → ${effect.total}` : ""));
        }))])),
    h("p", { class: "hint" }, t("contextHint")),
  );
}

const windLabel = (key, wind, names) => (names && key !== "prevalent_wind" ? `${t(`wind${wind}`)} · ${names[wind]}` : t(`wind${wind}`));

// Flowers that lie in the photo count by themselves; more can be added by number.
function flowers(state, set) {
  const shown = groups(state).flowers.filter((tile) => isFlower(tile.tile)).length;
  const now = Math.max(shown, state.context.flowers);
  const step = (by) => () => set({ flowers: now + by });
  return h("fieldset", { class: "options stepper" }, h("legend", {}, t("flowerCount")),
    h("button", { class: "option", "aria-label": t("fewer"), disabled: now <= shown, "data-key": "fewer", onclick: step(-1) }, "−"),
    h("output", { "aria-live": "polite" }, String(now)),
    h("button", { class: "option", "aria-label": t("more"), disabled: now >= MOST_FLOWERS, "data-key": "more", onclick: step(1) }, "+"));
}
