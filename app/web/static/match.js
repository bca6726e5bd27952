// The match sheet: sixteen hands of one table, kept by the server so that every phone at the table
// sees the same one.

import { ApiError, matches } from "./api.js";
import { announce, h, show } from "./dom.js";
import { language, t } from "./i18n.js";
import { recall, store } from "./state.js";

const KEY = "fanlens.match";
const WINDS = ["E", "S", "W", "N"];
const DRAW = "draw";

let match = null;
let changed = () => {};
const box = () => document.getElementById("match");
const form = () => document.getElementById("form");

/** The match that is open, or null. */
export const open = () => match;

/** Names by seat in the next hand of the open match, or null. */
export function names() {
  const hand = upcoming();
  return hand && Object.fromEntries(WINDS.map((wind) => [wind, match.players[hand.seats[wind]]]));
}

export const upcoming = () => (match?.next ? match.hands[match.next - 1] : null);

/** Load the match that was open last; `onChange` is called whenever the sheet is another. */
export async function start(onChange, photograph) {
  changed = () => {
    render(photograph);
    onChange();
  };
  const id = recall(KEY);
  if (id) match = await matches.get(id).catch(() => null);
  changed();
}

/** Enter the hand that was just scored as the next one of the match. */
export async function enter({ context, discarder }, hand, result) {
  const number = match.next;
  const row = {
    winner: context.seat_wind,
    discarder: context.self_draw ? null : discarder,
    win_type: context.self_draw ? "self-draw" : "discard",
    winning_tile: hand.winning_tile ?? result.winning_tile ?? null,
    last_tile: context.last_tile, kong_replacement: context.kong_replacement,
    robbing_kong: context.robbing_kong, fourth_tile: context.fourth_tile,
    flowers: result.flowers, fan: result.fan,
    fans: result.fans.filter((fan) => fan.id !== 81).flatMap((fan) => Array(fan.count).fill(fan.id)),
    note: "",
  };
  const done = await attempt(matches.enter(match, number, { row, penalties: match.hands[number - 1].penalties }));
  if (done) announce(t("entered", { n: number }));
  return done;
}

async function attempt(request) {
  try {
    match = await request;
    store(KEY, match.id);
    changed();
    return true;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status === 409) {
      match = await matches.get(match.id);
      changed();
      announce(t("outdated"), "error");
    } else announce(error.message, "error");
    return false;
  }
}

function render(photograph) {
  if (!match) {
    show(box(), h("h2", {}, t("matchTitle")), h("p", {}, t("matchNone")), h("div", { class: "actions" },
      h("button", { class: "primary", onclick: askPlayers }, t("newMatch")),
      h("button", { class: "chip", onclick: askMatch }, t("openMatch"))));
    return;
  }
  const next = upcoming();
  show(
    box(),
    h("h2", {}, t("matchTitle")),
    h("p", { class: "next" }, next ? t("nextIs", { n: next.hand, wind: t(`wind${next.prevalent_wind}`) }) : t("allDone")),
    next && h("div", { class: "actions" },
      h("button", { class: "primary", onclick: () => photograph(next.prevalent_wind) }, t("scoreHand")),
      h("button", { class: "chip", onclick: () => askHand(next) }, t("enter"))),
    table(),
    h("div", { class: "actions" },
      h("button", { class: "chip", onclick: () => attempt(matches.undo(match)) }, t("undo")),
      h("button", { class: "chip", onclick: askRename }, t("rename")),
      h("a", { class: "chip", href: matches.sheetAddress(match), download: "" }, t("exportSheet")),
      h("label", { class: "chip file" }, t("importSheet"),
        h("input", { type: "file", accept: ".csv,text/csv", onchange: async (event) => {
          const [file] = event.target.files;
          event.target.value = "";
          if (file) await attempt(file.text().then((text) => matches.importSheet(match, text)));
        } })),
      h("button", { class: "chip", onclick: askMatch }, t("openMatch")),
      h("button", { class: "chip", onclick: askPlayers }, t("newMatch"))),
  );
}

function table() {
  const minus = (points) => String(points).replace("-", "−");
  const sign = (points) => (points > 0 ? `+${points}` : minus(points));
  const head = h("tr", {}, h("th", { scope: "col" }, "#"), match.players.map((name) => h("th", { scope: "col", class: "player" }, name)), h("td", {}));
  const rows = match.hands.map((hand) => {
    const shown = hand.entered || hand.penalties.some(Boolean);
    return h("tr", { class: shown ? "" : "blank" },
      h("th", { scope: "row" }, String(hand.hand), h("small", {}, t(`wind${hand.prevalent_wind}`))),
      match.players.map((_, player) => {
        const seat = WINDS.find((wind) => hand.seats[wind] === player);
        const won = hand.row?.winner === seat;
        return h("td", { class: won ? "won" : "" }, h("small", { class: "seat" }, t(`wind${seat}`)),
          shown ? h("span", { class: "points" }, sign(hand.points[player])) : "", shown && h("small", { class: "running" }, minus(hand.running[player])));
      }),
      h("td", {}, h("button", { class: "icon", "aria-label": t("edit", { n: hand.hand }), "data-key": `hand-${hand.hand}`, onclick: () => askHand(hand) }, "✎")));
  });
  const sum = (title, values) => h("tr", { class: "sum" }, h("th", { scope: "row" }, title), values.map((value) => h("td", {}, minus(value))), h("td", {}));
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": t("matchTitle") },
    h("table", { class: "match-table" }, h("thead", {}, head), h("tbody", {}, rows),
      h("tfoot", {}, sum(t("running"), match.totals), sum(t("tablePoints"), match.table_points))));
}

/** A dialog with fields; `submit`, if there is anything to save, gets the form's data and says whether the dialog may close. */
function ask(title, fields, submit, extra = null) {
  const dialog = form();
  show(dialog, h("form", { method: "dialog", class: "sheet", onsubmit: async (event) => {
    event.preventDefault();
    if (await submit(new FormData(event.target))) dialog.close();
  } },
    h("header", { class: "sheet-head" }, h("h2", { id: "form-title" }, title), h("button", { type: "button", class: "icon", "aria-label": t("close"), onclick: () => dialog.close() }, "✕")),
    h("div", { class: "sheet-body" }, fields),
    submit && h("div", { class: "actions sheet-foot" }, extra, h("button", { class: "primary", type: "submit" }, t("save")))));
  dialog.showModal();
}

const field = (label, input) => h("label", { class: "field" }, h("span", {}, label), input);
const playerFields = (players) => players.map((name, n) =>
  field(t("playerN", { n: n + 1, wind: t(`wind${WINDS[n]}`) }), h("input", { name: `player${n}`, value: name, maxlength: 40, required: true, autocomplete: "off" })));
const playersOf = (data) => [0, 1, 2, 3].map((n) => data.get(`player${n}`));

function askPlayers() {
  const before = match?.players ?? (language() === "zh" ? ["东家", "南家", "西家", "北家"] : ["East", "South", "West", "North"]);
  ask(t("newMatch"), playerFields(before), (data) => attempt(matches.create(playersOf(data))));
}

function askRename() {
  ask(t("rename"), playerFields(match.players), (data) => attempt(matches.rename(match, playersOf(data))));
}

async function askMatch() {
  const list = await matches.list().catch((error) => announce(error.message, "error"));
  if (!list) return;
  const dialog = form();
  ask(t("openMatch"), list.matches.length ? list.matches.map((item) => h("button", { type: "button", class: "option wide", onclick: async () => {
    if (await attempt(matches.get(item.id))) dialog.close();
  } }, `${item.players.join(" · ")} — ${new Date(item.saved).toLocaleString(document.documentElement.lang)}`)) : h("p", {}, t("noMatches")), null);
}

function askHand(hand) {
  const row = hand.row ?? {};
  const seatName = (wind) => `${t(`wind${wind}`)} · ${match.players[hand.seats[wind]]}`;
  const select = (name, value, options) => h("select", { name }, options.map(([code, label]) => h("option", { value: code, selected: code === (value ?? "") }, label)));
  const seats = WINDS.map((wind) => [wind, seatName(wind)]);
  const number = (name, value, least, most) => h("input", { name, type: "number", inputmode: "numeric", min: least, max: most, value: value ?? "" });
  ask(
    `${t("handN", { n: hand.hand })} · ${t("round", { wind: t(`wind${hand.prevalent_wind}`) })}`,
    [
      field(t("who"), select("winner", row.win_type === DRAW ? DRAW : row.winner, [["", t("unknown")], [DRAW, t("draw")], ...seats])),
      field(t("whoPaid"), select("payer", row.win_type === "self-draw" ? "self" : row.discarder, [["", t("unknown")], ["self", t("self_draw")], ...seats])),
      field(t("fanWithout"), number("fan", row.fan, 8, 999)),
      field(t("flowers"), number("flowers", row.flowers, 0, 8)),
      h("fieldset", { class: "options two" }, h("legend", {}, t("penalties")), h("p", { class: "hint wide" }, t("penaltiesHint")),
        match.players.map((name, player) => field(name, number(`penalty${player}`, hand.penalties[player], -500, 500)))),
      field(t("note"), h("input", { name: "note", maxlength: 200, value: row.note ?? "" })),
    ],
    (data) => {
      const winner = data.get("winner");
      const drawn = winner === DRAW;
      const payer = drawn ? "" : data.get("payer");
      const whole = (name) => (data.get(name) === "" ? null : Number(data.get(name)));
      const changes = {
        winner: drawn ? null : winner || null,
        discarder: WINDS.includes(payer) ? payer : null,
        win_type: drawn ? DRAW : payer === "self" ? "self-draw" : payer ? "discard" : null,
        fan: drawn ? null : whole("fan"),
        flowers: drawn ? null : whole("flowers"),
        note: data.get("note"),
      };
      // What the fields do not show stays as it was, unless the fan it explains was changed.
      const rest = row.fan === changes.fan ? row : {};
      const { winning_tile, last_tile, kong_replacement, robbing_kong, fourth_tile, fans, start } = rest;
      const penalties = match.players.map((_, player) => whole(`penalty${player}`) ?? 0);
      return attempt(matches.enter(match, hand.hand, { row: { winning_tile, last_tile, kong_replacement, robbing_kong, fourth_tile, fans, start: start ?? row.start, ...changes }, penalties }));
    },
    hand.entered && h("button", { type: "button", class: "chip danger", onclick: async () => (await attempt(matches.clear(match, hand.hand))) && form().close() }, t("clear")),
  );
}
