// The page: a photo comes in, the tiles are shown and corrected, the score follows.

import * as api from "./api.js";
import * as contextPanel from "./context.js";
import { announce, hush } from "./dom.js";
import * as hands from "./hand.js";
import { language, setLanguage, t, translate } from "./i18n.js";
import * as match from "./match.js";
import * as photo from "./photo.js";
import * as picker from "./picker.js";
import * as resultPanel from "./result.js";
import * as share from "./share.js";
import * as store from "./state.js";
import { preload } from "./tiles.js";
import * as tray from "./tray.js";

const DEBOUNCE = 120; // ms
const FLOWER_FAN = 81; // a fan of the tiles beside the hand, of which the score names none
const element = (id) => document.getElementById(id);

// What is shown but not part of the hand: not undone, not saved.
const ui = { tab: "hand", selected: [], fan: null, whole: false, result: null, status: "none", problems: [], asked: 0, about: null, file: null };

function render() {
  const state = store.get();
  const started = state.tiles.length > 0 || state.photo !== null || state.reading !== null || ui.tab === "match";
  const lit = new Set(ui.fan ? litTiles(state, ui.fan) : []);
  document.body.dataset.tab = ui.tab;
  element("start").hidden = started;
  element("work").hidden = !started || ui.tab === "match";
  element("match").hidden = ui.tab !== "match";
  element("undo").disabled = !store.canUndo();
  element("version").textContent = ui.about ? t("version", ui.about) : "";
  photo.view(element("photo"), state, {
    lit, selected: ui.selected, whole: ui.whole, onTile: openPicker,
    onMiss: add,
  });
  const assumed = state.tiles.some((tile) => tile.role === "winning") ? null : (ui.result?.winning_tile ?? null);
  tray.view(element("hand"), state, { lit, selected: ui.selected, assumed, problems: ui.problems, whole: ui.whole, act: trayActs });
  contextPanel.view(element("context"), state, { result: ui.result, names: match.names(), set: setContext });
  resultPanel.view(element("result"), state, {
    result: ui.result, status: ui.status, problems: ui.problems, doubts: hands.doubtful(state), lit: ui.fan, names: match.names(),
    keeps: Boolean(ui.about?.keeps && ui.file), sharing: share.canShare(), matching: Boolean(match.upcoming()), act: resultActs,
  });
  for (const button of document.querySelectorAll("[data-tab-button]")) {
    button.setAttribute("aria-current", button.dataset.tabButton === ui.tab ? "page" : "false");
  }
  element("badge").textContent = ui.result ? `${ui.result.total}${hands.doubtful(state).length ? "?" : ""}` : "";
  element("badge").dataset.enough = String(Boolean(ui.result?.qualifies));
}

function change(values) {
  Object.assign(ui, values);
  render();
}

/** The ids of the tiles that make a fan: it names places in the row concealed, winning, melds, flowers. */
function litTiles(state, fan) {
  const { concealed, winning, melds, flowers } = hands.groups(state);
  if (fan.id === FLOWER_FAN) return flowers.map((tile) => tile.id);
  const row = [...concealed, ...(winning ? [winning] : []), ...melds.flatMap((meld) => meld.tiles), ...flowers];
  return fan.tiles.map((place) => row[place]?.id).filter(Boolean);
}

// Changing the hand

const edit = (change) => store.update(change);

const trayActs = {
  open: openPicker,
  move: (id, role, meld) => edit((state) => hands.setRole(state, id, role, meld)),
  split: (meld) => edit((state) => hands.splitMeld(state, meld)),
  join: (meld, other) => edit((state) => hands.joinMelds(state, meld, other)),
  kong: (meld) => edit((state) => hands.toggleConcealedKong(state, meld)),
  sort: () => edit(hands.sortConcealed),
  choose: (chosen) => edit((state) => chooseHand(state, chosen)),
  add: () => add(null),
  zoom: () => change({ whole: !ui.whole }),
  check: () => {
    const [first] = hands.doubtful(store.get());
    if (first) openPicker(first.id);
  },
};

const pickerActs = {
  setTile: (id, code) => step(id, (state) => hands.setTile(state, id, code)),
  move: (id, role, meld) => step(id, (state) => hands.setRole(state, id, role, meld)),
  makeMeld: (ids) => edit((state) => hands.makeMeld(state, ids)),
  remove: (id) => step(id, (state) => hands.removeTile(state, id)),
  right: (ids) => step(ids[0], (state) => hands.markChecked(state, ids)),
};

/** Change a tile; after a doubtful one the next doubtful one opens. */
function step(id, change) {
  const doubted = hands.doubtful(store.get()).some((tile) => tile.id === id);
  edit(change);
  if (doubted) trayActs.check();
}

function openPicker(id) {
  change({ selected: hands.doubtedTogether(store.get(), id) });
  picker.open(store.get(), id, pickerActs, () => {
    change({ selected: [] });
    document.querySelector(`[data-key="tile-${CSS.escape(id)}"]`)?.focus({ preventScroll: true });
  });
}

/** A missed tile: nothing is added until it has a name. */
function add(box) {
  const [next, id] = hands.addTile(store.get(), box);
  picker.open(next, id, { ...pickerActs,
    setTile: (_, code) => edit((state) => hands.addTile(state, box, code)[0]),
    move: (_, role, meld) => edit(() => hands.setRole(next, id, role, meld)),
    remove: () => {},
  }, () => change({ selected: [] }));
}

function setContext(values, outside = {}) {
  store.update((state) => ({ ...state, ...outside, context: { ...state.context, ...values } }));
  store.rememberTable();
}

// The score, after every change; only the answer to the last question counts

let timer = null;
let running = null;

function rescore() {
  clearTimeout(timer);
  running?.abort();
  ui.asked += 1;
  ui.fan = null;
  const state = store.get();
  if (hands.count(state).length) {
    Object.assign(ui, { result: null, status: "none", problems: [] });
    return;
  }
  ui.status = "busy";
  timer = setTimeout(() => ask(ui.asked), DEBOUNCE);
}

async function ask(number) {
  running = new AbortController();
  const state = store.get();
  const flowers = Math.max(hands.groups(state).flowers.length, state.context.flowers);
  try {
    const result = await api.score({ hand: hands.toHand(state), context: { ...state.context, flowers }, rules: state.rules, compare: true }, running.signal);
    if (number === ui.asked) change({ result, status: "ok", problems: [] });
  } catch (error) {
    if (error.name === "AbortError" || number !== ui.asked) return;
    change({ result: null, status: "none", problems: error.problems?.length ? error.problems : [{ message: error.message }] });
  }
}

const resultActs = {
  check: trayActs.check,
  light: (fan) => change({ fan }),
  share: () => share.share(store.get(), ui.result),
  picture: async () => share.save(await share.picture(store.get(), ui.result), "fanlens.png"),
  json: () => share.save(share.jsonBlob(store.get(), ui.result), "fanlens.json"),
  keep: async () => {
    try {
      await api.keep(ui.file, share.toCorrections(store.get()));
      announce(t("kept"));
    } catch (error) {
      announce(error.message, "error");
    }
  },
  enter: async () => {
    const state = store.get();
    if (!state.context.seat_wind) return announce(t("needSeat"), "error");
    if (!state.context.self_draw && !state.discarder) return announce(t("needPayer"), "error");
    if (await match.enter(state, hands.toHand(state), ui.result)) newHand("match");
  },
};

// A photo comes in

let taking = null; // what stops the reading that is under way

async function take(file) {
  newHand("hand");
  change({ file });
  taking = new AbortController();
  const { signal } = taking;
  const preview = element("preview");
  preview.src = URL.createObjectURL(file);
  preview.hidden = false;
  preview.onerror = () => (preview.hidden = true);
  waiting("reading");
  try {
    const [reading, shown] = await Promise.all([api.read(file, signal), photo.load(file)]);
    if (signal.aborted) return;
    const fresh = store.nextHand(match.upcoming()?.prevalent_wind);
    waiting(null);
    store.reset(fromReading(fresh, reading, shown));
  } catch (error) {
    if (signal.aborted) return;
    announce(error.message, "error");
    // A photo from the camera lies nowhere else: it is kept for another try unless it is the photo's fault.
    const again = error.status === 0 || error.status >= 500;
    waiting(again ? "again" : null);
  }
}

/** What the start shows: "reading", "again" when that failed, null to ask for a photo. */
function waiting(what) {
  element("start").classList.toggle("busy", what !== null);
  element("reading").hidden = what !== "reading";
  element("again").hidden = what !== "again";
  element("cancel").hidden = what === null;
  if (what !== null) return;
  URL.revokeObjectURL(element("preview").src);
  element("preview").removeAttribute("src");
  element("preview").hidden = true;
}

/** Another of the hands in the picture; what was corrected in the one before waits for its return. */
function chooseHand(state, chosen) {
  if (chosen === state.chosen) return state;
  const { tiles, removed, concealedKongs } = state;
  const others = { ...state.others, [state.chosen]: { tiles, removed, concealedKongs } };
  const next = others[chosen] ? { ...state, ...others[chosen], chosen } : { ...fromReading(state, state.reading, state.photo, chosen), removed: [] };
  return { ...next, nextId: state.nextId, others };
}

/** The state for one of the hands in the picture; the tiles of the others are not part of it. */
function fromReading(fresh, reading, shown, chosen = 0) {
  const melds = reading.hands?.[chosen]?.melds ?? [];
  const other = (tile) => tile.hand !== undefined && tile.hand !== null && tile.hand !== chosen;
  return {
    ...fresh,
    photo: { url: shown?.url ?? null, canvas: shown?.canvas ?? null, width: reading.image.width, height: reading.image.height },
    reading,
    chosen,
    nextId: 1 + Math.max(-1, ...reading.tiles.map((tile) => tile.id)),
    tiles: reading.tiles.map((tile) => ({
      ...tile,
      id: String(tile.id),
      ...(other(tile) ? { role: "elsewhere", meld: null, flag: null } : {}),
      alternatives: tile.alternatives ?? [],
      corrected: false,
    })),
    concealedKongs: melds.map((meld, index) => (meld.kind === "concealed-kong" ? index : -1)).filter((index) => index >= 0),
  };
}

function newHand(tab) {
  taking?.abort();
  waiting(null);
  const old = store.get().photo?.url;
  if (old) URL.revokeObjectURL(old);
  Object.assign(ui, { tab, file: null, whole: false, fan: null });
  store.reset(store.nextHand(match.upcoming()?.prevalent_wind));
}

// Wiring

for (const input of document.querySelectorAll("input.photo-input")) {
  input.addEventListener("change", () => {
    const [file] = input.files;
    input.value = "";
    if (file) take(file);
  });
}
addEventListener("dragover", (event) => event.dataTransfer?.types.includes("Files") && event.preventDefault());
addEventListener("drop", (event) => {
  const [file] = event.dataTransfer?.files ?? [];
  if (!file) return;
  event.preventDefault();
  take(file);
});
element("by-hand").addEventListener("click", () => {
  newHand("hand");
  add(null);
});
element("again").addEventListener("click", () => take(ui.file));
element("cancel").addEventListener("click", () => newHand("hand"));
element("undo").addEventListener("click", store.undo);
element("new").addEventListener("click", () => newHand("hand"));
element("language").addEventListener("click", () => {
  setLanguage(language() === "en" ? "zh" : "en");
  match.start(render, photograph);
});
for (const button of document.querySelectorAll("[data-tab-button]")) {
  button.addEventListener("click", () => {
    hush();
    change({ tab: button.dataset.tabButton });
    scrollTo(0, 0);
  });
}

function photograph(prevalent) {
  newHand("hand");
  store.update((state) => ({ ...state, context: { ...state.context, prevalent_wind: prevalent } }));
}

store.subscribe(() => {
  rescore();
  render();
});

translate();
preload();
store.reset(store.nextHand());
match.start(render, photograph);
api.about().then((about) => {
  ui.about = about;
  render();
  element("source").href = about.source;
}, (error) => announce(error.message, "error"));
// The offline shell needs HTTPS or this very machine; without it the page works all the same.
if (window.isSecureContext) navigator.serviceWorker?.register("sw.js").catch(() => {});
