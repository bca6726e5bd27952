// Sharing and saving: the hand with its total as one picture, and everything as JSON. The share
// sheet needs HTTPS; on plain HTTP the files are saved instead.

import { groups, toHand } from "./hand.js";
import { language, t } from "./i18n.js";

const WIDTH = 1200;
const PAD = 36;
const LINE = 44;

export const canShare = () => Boolean(navigator.canShare?.({ files: [new File([""], "hand.png", { type: "image/png" })] }));

/** The JSON of one photo, with what was corrected: `seen` stays what the detector read. */
export function toJson(state, result) {
  const { changes: _, ...score } = result ?? {};
  return {
    ...(state.reading ?? { image: null, model: null }),
    tiles: state.tiles.map(({ id, tile, confidence, box, role, role_confidence, meld, alternatives, seen, flag, corrected }) => ({
      id: Number(id), tile, confidence: corrected ? 1 : confidence, box, role, role_confidence: corrected ? 1 : role_confidence, meld, alternatives, seen, flag: corrected ? null : flag,
    })),
    hand: toHand(state),
    hands: [toHand(state)],
    context: { ...state.context, rules: state.rules },
    score: result ? score : null,
    problems: [],
  };
}

/** What is kept for training, in the corrections format: every tile, and null where none lies. */
export function toCorrections(state) {
  const melds = groups(state).melds;
  const boxed = state.tiles.filter((tile) => tile.box);
  const gone = (state.reading?.tiles ?? []).filter(({ id }) => state.removed.includes(String(id)));
  return {
    tiles: [
      ...boxed.map(({ tile, role, meld, box, seen, hand, corrected }) => {
        const place = melds.findIndex((group) => role === "meld" && group.index === meld);
        // What a tile is to another hand of the picture was not looked at here.
        if (hand !== undefined && hand !== null && hand !== state.chosen && !corrected) return { box, tile, seen };
        return { box, tile, role, seen, ...(place < 0 ? {} : { meld: place, kind: melds[place].kind ?? undefined }) };
      }),
      ...gone.map(({ box, seen, tile }) => ({ box, tile: null, seen: seen ?? tile })),
    ],
  };
}

/** A PNG of the photo (or the drawn tiles), the boxes and the result. */
export async function picture(state, result) {
  const fans = result.fans;
  const photo = state.photo?.canvas ?? null;
  const inner = WIDTH - 2 * PAD;
  const photoHeight = photo ? Math.min(900, (inner * photo.height) / photo.width) : 0;
  const faces = await drawnFaces(state);
  const faceWidth = Math.min(66, inner / Math.max(faces.length + 2, 1));
  const rows = Math.ceil(fans.length / 2);
  const canvas = document.createElement("canvas");
  canvas.width = WIDTH;
  canvas.height = Math.round(PAD + photoHeight + (photo ? 24 : 0) + faceWidth * 1.36 + 30 + 92 + rows * LINE + 60);
  const pen = canvas.getContext("2d");
  pen.fillStyle = "#fbfaf6";
  pen.fillRect(0, 0, canvas.width, canvas.height);
  let y = PAD;
  if (photo) {
    const width = (photoHeight * photo.width) / photo.height;
    const left = (WIDTH - width) / 2;
    pen.drawImage(photo, left, y, width, photoHeight);
    const scale = width / state.photo.width;
    pen.lineWidth = 3;
    for (const { box, role } of state.tiles) {
      if (!box || role === "elsewhere") continue;
      pen.strokeStyle = role === "winning" ? "#c2410c" : "#0f766e";
      pen.strokeRect(left + box[0] * scale, y + box[1] * scale, (box[2] - box[0]) * scale, (box[3] - box[1]) * scale);
    }
    y += photoHeight + 24;
  }
  let x = PAD;
  for (const drawn of faces) {
    if (drawn) pen.drawImage(drawn, x, y, faceWidth - 4, (faceWidth - 4) * 1.36);
    x += drawn ? faceWidth : faceWidth * 0.4;
  }
  y += faceWidth * 1.36 + 30;
  pen.fillStyle = "#17211d";
  pen.font = "700 64px system-ui, sans-serif";
  pen.fillText(`${result.total} ${t("fan")}`, PAD, y + 56);
  pen.font = "26px system-ui, sans-serif";
  if (result.flowers) pen.fillText(t("fanFlowers", result), PAD + 330, y + 52);
  y += 92;
  pen.font = "28px system-ui, sans-serif";
  for (const [index, fan] of fans.entries()) {
    const left = PAD + (index % 2) * (inner / 2);
    const top = y + Math.floor(index / 2) * LINE + 30;
    const name = language() === "zh" ? fan.zh : `${fan.name} ${fan.zh}`;
    pen.fillText(name, left, top, inner / 2 - 110);
    pen.textAlign = "right";
    pen.fillText(String(fan.points * fan.count), left + inner / 2 - 30, top);
    pen.textAlign = "left";
  }
  pen.fillStyle = "#5b665f";
  pen.font = "22px system-ui, sans-serif";
  pen.fillText("FanLens", PAD, canvas.height - 24);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}

/** Pictures of the tiles in order; null between groups. */
async function drawnFaces(state) {
  const { concealed, winning, flowers, melds } = groups(state);
  const parts = [...melds.map((meld) => meld.tiles), concealed, winning ? [winning] : [], flowers].filter((part) => part.length);
  const codes = parts.flatMap((part, index) => [...(index ? [null] : []), ...part.map((tile) => tile.tile)]);
  return Promise.all(codes.map((code) => (code === null ? null : loadFace(code))));
}

function loadFace(code) {
  return new Promise((resolve) => {
    const image = new Image();
    image.onload = () => resolve(image);
    image.onerror = () => resolve(null);
    image.src = `faces/${code}.svg`;
  });
}

export function save(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

export const jsonBlob = (state, result) => new Blob([JSON.stringify(toJson(state, result), null, 2)], { type: "application/json" });

export async function share(state, result) {
  const files = [new File([await picture(state, result)], "fanlens.png", { type: "image/png" })];
  try {
    await navigator.share({ files, text: `FanLens: ${result.total} ${t("fan")}` });
  } catch (error) {
    if (error.name !== "AbortError") save(files[0], "fanlens.png");
  }
}
