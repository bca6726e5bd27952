// Talking to the server. Every failure becomes an ApiError with a sentence for the player.

import { errorText, problemText, t } from "./i18n.js";

export class ApiError extends Error {
  constructor(message, { status = 0, problems = [], wait = 0 } = {}) {
    super(message);
    this.status = status;
    this.problems = problems;
    this.wait = wait; // seconds after which to ask again
  }
}

async function call(path, options = {}) {
  let response;
  try {
    response = await fetch(path, { credentials: "same-origin", ...options });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError(t(navigator.onLine ? "errorLoad" : "offline"));
  }
  const json = response.headers.get("content-type")?.includes("json");
  const body = json ? await response.json() : await response.text();
  if (response.ok) return body;
  const problems = body.problems ?? [];
  const message = problems.length ? problems.map(problemText).join(" ") : errorText(body.error ?? { code: "other", message: t("errorLoad") });
  throw new ApiError(message, { status: response.status, problems, wait: Number(response.headers.get("retry-after")) || 0 });
}

const sending = (method, body, extra = {}) => ({
  method,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
  ...extra,
});

export const about = () => call("api/about");

const PATIENCE = 5;
const LONGEST_WAIT = 10; // seconds

/** The JSON of one photo. When the server is busy, waits as long as it says and tries again. */
export async function read(file, signal, attempt = 1) {
  const form = new FormData();
  form.append("photo", file, "photo");
  try {
    return await call("api/read", { method: "POST", body: form, signal });
  } catch (error) {
    if (error.status !== 503 || attempt >= PATIENCE) throw error;
    await new Promise((resolve) => setTimeout(resolve, 1000 * Math.min(Math.max(error.wait, 1), LONGEST_WAIT)));
    signal.throwIfAborted();
    return read(file, signal, attempt + 1);
  }
}

export const score = (body, signal) => call("api/score", sending("POST", body, { signal }));

export function keep(file, corrections) {
  const form = new FormData();
  form.append("photo", file, "photo");
  form.append("corrections", JSON.stringify(corrections));
  return call("api/corrections", { method: "POST", body: form });
}

export const matches = {
  list: () => call("api/matches"),
  create: (players) => call("api/matches", sending("POST", { players })),
  get: (id) => call(`api/matches/${id}`),
  rename: (match, players) => call(`api/matches/${match.id}/players`, sending("PUT", { revision: match.revision, players })),
  enter: (match, number, hand) => call(`api/matches/${match.id}/hands/${number}`, sending("PUT", { revision: match.revision, ...hand })),
  clear: (match, number) => call(`api/matches/${match.id}/hands/${number}?revision=${match.revision}`, { method: "DELETE" }),
  undo: (match) => call(`api/matches/${match.id}/undo`, sending("POST", { revision: match.revision })),
  importSheet: (match, text) =>
    call(`api/matches/${match.id}/sheet.csv?revision=${match.revision}`, { method: "PUT", headers: { "content-type": "text/csv" }, body: text }),
  sheetAddress: (match) => `api/matches/${match.id}/sheet.csv`,
};
