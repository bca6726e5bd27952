// The one state of the page, its history, and who is told when it changes.

const LIMIT = 100;
const listeners = new Set();
let past = [];
let current = empty();

/** What is remembered for the next hand of the same table. */
const TABLE = "fanlens.table";

export function empty() {
  return {
    photo: null, // {url, width, height} of the picture shown
    reading: null, // what the server answered, untouched
    tiles: [],
    concealedKongs: [], // indices of melds that were concealed kongs
    removed: [],
    nextId: 0, // of the next tile that is added by hand
    chosen: 0, // which of the hands in the picture
    others: {}, // the other hands as they were left: {tiles, removed, concealedKongs} by number
    context: {
      self_draw: false, last_tile: false, kong_replacement: false, robbing_kong: false, fourth_tile: false,
      seat_wind: null, prevalent_wind: null, flowers: 0,
    },
    rules: "current",
    discarder: null, // the seat that paid, for the payments and the match sheet
  };
}

export const get = () => current;

/** Change the state; `change` takes it and returns the next one. One step of undo each. */
export function update(change) {
  const next = change(current);
  if (next === current) return;
  past = [...past.slice(1 - LIMIT), current];
  current = next;
  tell();
}

/** Start over with a new hand; there is nothing to undo to. */
export function reset(next) {
  past = [];
  current = next;
  tell();
}

export function undo() {
  if (!past.length) return;
  current = past[past.length - 1];
  past = past.slice(0, -1);
  tell();
}

export const canUndo = () => past.length > 0;

export function subscribe(listener) {
  listeners.add(listener);
}

const tell = () => listeners.forEach((listener) => listener(current));

/** A new hand at the same table: winds and rules stay, the circumstances of the last win do not. */
export function nextHand(prevalent = undefined) {
  const fresh = empty();
  const table = stored();
  fresh.rules = table.rules ?? fresh.rules;
  fresh.context.seat_wind = table.seat_wind ?? null;
  fresh.context.prevalent_wind = prevalent ?? table.prevalent_wind ?? null;
  return fresh;
}

export function rememberTable() {
  const { rules, context } = current;
  store(TABLE, JSON.stringify({ rules, seat_wind: context.seat_wind, prevalent_wind: context.prevalent_wind }));
}

function stored() {
  try {
    return JSON.parse(recall(TABLE) ?? "{}");
  } catch {
    return {};
  }
}

// Storage may be switched off in the browser; the page then only forgets.
export function store(key, value) {
  try {
    localStorage.setItem(key, value);
  } catch {
    /* nothing to do */
  }
}

export function recall(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}
