// The tiles as a player sees them: concealed, melds, winning tile, flowers. Pure functions on the
// list of tiles: {id, tile, seen, box, role, meld, alternatives, flag, confidence, corrected}.
// What the tiles are worth is the server's business; this only counts them.

import { inOrder, isFlower, isKnown } from "./tiles.js";

/** {concealed, winning, flowers, elsewhere, melds: [{index, tiles, kind}]}, in reading order. */
export function groups(state) {
  const of = (role) => state.tiles.filter((tile) => tile.role === role);
  const indices = [...new Set(of("meld").map((tile) => tile.meld))].sort((a, b) => a - b);
  return {
    concealed: of("concealed"),
    winning: of("winning")[0] ?? null,
    flowers: of("flower"),
    elsewhere: of("elsewhere"),
    melds: indices.map((index) => {
      const tiles = state.tiles.filter((tile) => tile.role === "meld" && tile.meld === index);
      return { index, tiles, kind: meldKind(tiles, state.concealedKongs.includes(index)) };
    }),
  };
}

/** chow, pung, melded-kong, concealed-kong, or null for a group that is none. */
function meldKind(tiles, concealed) {
  const codes = tiles.map((tile) => tile.tile);
  const shown = [...new Set(codes.filter((code) => code !== "back"))];
  const down = codes.includes("back");
  if (codes.length === 4 && shown.length <= 1 && shown.every(isKnown)) return concealed || down ? "concealed-kong" : "melded-kong";
  if (codes.length !== 3 || down || !codes.every(isKnown) || codes.some(isFlower)) return null;
  if (shown.length === 1) return "pung";
  const [a, b, c] = [...codes].sort();
  const run = a[1] && a[1] === b[1] && b[1] === c[1] && b[0] - a[0] === 1 && c[0] - b[0] === 1;
  return run ? "chow" : null;
}

/** The hand as the API takes it, and beside each place the id of the tile that lies there. */
export function toHand(state) {
  const { concealed, winning, flowers, melds } = groups(state);
  return {
    concealed: concealed.map((tile) => tile.tile),
    winning_tile: winning?.tile ?? null,
    flowers: flowers.map((tile) => tile.tile),
    melds: melds.map(({ tiles, kind }) => ({ kind, tiles: meldTiles(tiles), ids: tiles.map((tile) => Number(tile.id)) })),
  };
}

// A concealed kong shows one or two tiles, or none: the ones face down are of the same kind.
function meldTiles(tiles) {
  const codes = tiles.map((tile) => tile.tile);
  const shown = codes.find((code) => code !== "back") ?? "?";
  return codes.map((code) => (code === "back" ? shown : code));
}

/** What is wrong with the count, as [message key, values] pairs; empty when it could be a hand. */
export function count(state) {
  const { concealed, winning, flowers, melds } = groups(state);
  const problems = [];
  const hand = [...concealed, ...(winning ? [winning] : [])];
  if (!hand.length && !melds.length) return [["countNone", {}]];
  for (const [place, meld] of melds.entries()) {
    if (meld.kind) continue;
    const codes = new Set(meld.tiles.map((tile) => tile.tile));
    if (meld.tiles.length === 2 || (meld.tiles.length > 4)) problems.push(["countMeldSize", { n: place + 1, size: meld.tiles.length }]);
    else if (meld.tiles.length === 1) problems.push(["countMeldOne", { n: place + 1 }]);
    else if (meld.tiles.length === 4) problems.push(["countKong", { n: place + 1 }]);
    else if (codes.has("?") || codes.has("back")) problems.push(["countMeldUnknown", { n: place + 1 }]);
    else problems.push(["countMeldNone", { n: place + 1 }]);
  }
  // A kong counts as three; what a broken meld lacks was told above.
  const short = 14 - hand.length - melds.reduce((sum, meld) => sum + Math.min(3, meld.tiles.length), 0);
  const size = hand.length + melds.reduce((sum, meld) => sum + meld.tiles.length, 0);
  if (short === 1) problems.push(["countOneMissing", { size }]);
  else if (short > 1) problems.push(["countMissing", { size, short }]);
  else if (short === -1) problems.push(["countOneMany", { size }]);
  else if (short < -1) problems.push(["countMany", { size, over: -short }]);
  if (hand.some((tile) => isFlower(tile.tile))) problems.push(["countFlowerInHand", {}]);
  if (flowers.some((tile) => isKnown(tile.tile) && !isFlower(tile.tile))) problems.push(["countNoFlower", {}]);
  const unknown = [...hand, ...flowers].filter((tile) => !isKnown(tile.tile)).length;
  if (unknown) problems.push([unknown === 1 ? "countUnknownOne" : "countUnknown", { n: unknown }]);
  const copies = new Map();
  for (const code of [...hand.map((tile) => tile.tile), ...melds.flatMap((meld) => meldTiles(meld.tiles))]) {
    copies.set(code, (copies.get(code) ?? 0) + 1);
  }
  for (const [code, n] of copies) if (n > 4 && isKnown(code)) problems.push(["countFifth", { tile: code, n }]);
  for (const code of new Set(flowers.map((tile) => tile.tile))) {
    if (isFlower(code) && flowers.filter((tile) => tile.tile === code).length > 1) problems.push(["countTwiceFlower", { tile: code }]);
  }
  return problems;
}

/** The tiles a player should look at, in the order they are stepped through. */
export function doubtful(state) {
  return state.tiles.filter((tile) => tile.flag && !tile.corrected && !tile.checked && (tile.role !== "elsewhere" || tile.flag === "role"));
}

/**
 * Ids of the tiles whose place is doubted together with `id`: those of one meld, or that lie beside
 * it in the same part of the hand, belong there all or none. Just `id` for any other doubt.
 */
export function doubtedTogether(state, id) {
  const doubts = doubtful(state);
  const tile = doubts.find((other) => other.id === id);
  if (tile?.flag !== "role") return [id];
  return doubts.filter(({ flag, role, meld }) => flag === "role" && role === tile.role && meld === tile.meld).map((other) => other.id);
}

/** Melds that `id` can form with concealed tiles: lists of ids, kongs first, then pungs, then chows. */
export function possibleMelds(state, id) {
  const tile = state.tiles.find((other) => other.id === id);
  if (!tile || !isKnown(tile.tile) || isFlower(tile.tile) || tile.role !== "concealed") return [];
  const others = state.tiles.filter((other) => other.role === "concealed" && other.id !== id);
  const same = others.filter((other) => other.tile === tile.tile).map((other) => other.id);
  const out = [];
  if (same.length >= 3) out.push([id, ...same.slice(0, 3)]);
  if (same.length >= 2) out.push([id, ...same.slice(0, 2)]);
  const [rank, suit] = tile.tile;
  if (suit && suit.length === 1) {
    for (const start of [-2, -1, 0]) {
      const run = [0, 1, 2].map((step) => {
        const code = `${Number(rank) + start + step}${suit}`;
        return code === tile.tile ? id : others.find((other) => other.tile === code)?.id;
      });
      if (run.every(Boolean)) out.push(run);
    }
  }
  return out;
}

// Changes: each takes the state and returns the next one.

const edit = (state, ids, change) => ({
  ...state,
  tiles: state.tiles.map((tile) => (ids.includes(tile.id) ? { ...tile, ...change(tile), corrected: true } : tile)),
});

export function setTile(state, id, code) {
  const group = state.tiles.find((tile) => tile.id === id);
  let ids = [id];
  if (group?.role === "meld" && group.tile === "back") {
    // A kong face down on all four: naming one names them all.
    const mates = state.tiles.filter((tile) => tile.role === "meld" && tile.meld === group.meld);
    if (mates.length === 4 && mates.every((tile) => tile.tile === "back")) {
      ids = mates.map((tile) => tile.id);
      state = { ...state, concealedKongs: [...new Set([...state.concealedKongs, group.meld])] };
    }
  }
  return edit(state, ids, (tile) => {
    const role = isFlower(code) && tile.role !== "elsewhere" ? "flower" : tile.role === "flower" && !isFlower(code) ? "concealed" : tile.role;
    return { tile: code, role, meld: role === "meld" ? tile.meld : null };
  });
}

/** Give a tile a role; `meld` is the index for role "meld", a new one where it is null. */
export function setRole(state, id, role, meld = null) {
  const target = role === "meld" ? (meld ?? nextMeld(state)) : null;
  if (role === "winning") state = edit(state, state.tiles.filter((t) => t.role === "winning" && t.id !== id).map((t) => t.id), () => ({ role: "concealed" }));
  return edit(state, [id], () => ({ role, meld: target }));
}

export function makeMeld(state, ids) {
  const meld = nextMeld(state);
  return edit(state, ids, () => ({ role: "meld", meld }));
}

export function splitMeld(state, meld) {
  const ids = state.tiles.filter((tile) => tile.role === "meld" && tile.meld === meld).map((tile) => tile.id);
  return edit({ ...state, concealedKongs: state.concealedKongs.filter((index) => index !== meld) }, ids, () => ({ role: "concealed", meld: null }));
}

export function joinMelds(state, meld, other) {
  const ids = state.tiles.filter((tile) => tile.role === "meld" && tile.meld === other).map((tile) => tile.id);
  return edit(state, ids, () => ({ meld }));
}

export function toggleConcealedKong(state, meld) {
  const now = state.concealedKongs;
  return { ...state, concealedKongs: now.includes(meld) ? now.filter((index) => index !== meld) : [...now, meld] };
}

export function removeTile(state, id) {
  return { ...state, tiles: state.tiles.filter((tile) => tile.id !== id), removed: [...state.removed, id] };
}

/** A tile the detector missed; `box` in pixels of the photo, or null where there is no photo. */
export function addTile(state, box, code = "?", role = "concealed") {
  const id = String(state.nextId);
  const tile = { id, tile: code, seen: null, box, role: isFlower(code) ? "flower" : role, meld: null, alternatives: [], flag: null, confidence: 1, corrected: true };
  return [{ ...state, nextId: state.nextId + 1, tiles: [...state.tiles, tile] }, id];
}

export function sortConcealed(state) {
  const concealed = state.tiles.filter((tile) => tile.role === "concealed").sort((a, b) => inOrder(a.tile, b.tile));
  return { ...state, tiles: [...concealed, ...state.tiles.filter((tile) => tile.role !== "concealed")] };
}

export const markChecked = (state, ids) => ({ ...state, tiles: state.tiles.map((tile) => (ids.includes(tile.id) ? { ...tile, checked: true } : tile)) });

const nextMeld = (state) => 1 + Math.max(-1, ...state.tiles.filter((tile) => tile.role === "meld").map((tile) => tile.meld));
