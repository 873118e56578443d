// Asks the server: operations as every client does, and as whom this browser is let in.

import { words } from "./strings.js";

const PROOF = "milepost-proof", SPACE = "milepost-space";

// As whom we are let in: name, scopes, spaces, space, needs_key, version. Null before that.
export let me = null;

export class Problem extends Error {
  constructor(detail, code, status) {
    super(detail);
    this.code = code;
    this.status = status;
  }
}

// The answer to any request, with what lets this page in; throws a Problem.
export async function request(path, { method = "GET", body, headers = {}, signal } = {}) {
  const proof = localStorage.getItem(PROOF);
  const sent = { ...headers };
  if (proof) sent["Milepost-Ui"] = proof;
  if (space()) sent["Milepost-Space"] = encodeURIComponent(space());
  if (body !== undefined) sent["Content-Type"] = "application/json";
  let answer;
  try {
    answer = await fetch(path, { method, headers: sent, signal, body: body === undefined ? undefined : JSON.stringify(body) });
  } catch (problem) {
    if (problem.name === "AbortError") throw problem;
    throw new Problem(words.unreachable, "unreachable", 0);
  }
  if (answer.ok) return answer;
  const told = await answer.json().catch(() => ({}));
  const problem = new Problem(told.detail ?? answer.statusText, told.code ?? "error", answer.status);
  if (answer.status === 401) dispatchEvent(new CustomEvent("unauthorized", { detail: problem }));
  throw problem;
}

// The result of an operation. Arguments that are empty are left out. shape "text" is what a model reads.
export async function call(operation, given = {}, { signal, shape = "json" } = {}) {
  const kept = Object.entries(given).filter(([, value]) => value !== undefined && value !== null && value !== "");
  const view = shape === "text" ? "?view=compact" : "";
  const answer = await request(`/tools/${operation}/execute${view}`, { method: "POST", body: Object.fromEntries(kept), signal });
  return shape === "text" ? answer.text() : answer.json();
}

const FRESH_MS = 60_000, kept = new Map();

// The same, or the answer of a minute ago at most: of what takes long to count and changes slowly.
export function lately(operation, given = {}) {
  const key = JSON.stringify([space(), operation, given]), known = kept.get(key);
  if (known && performance.now() - known.at < FRESH_MS) return known.answer;
  const answer = call(operation, given);
  kept.set(key, { at: performance.now(), answer });
  answer.catch(() => kept.delete(key));
  return answer;
}

// Whether we may do what needs a scope: read, write, execute, admin.
export function can(scope) {
  return me !== null && me.scopes.includes(scope);
}

// The space that is looked at, if another than the one that the server means.
export function space() {
  return localStorage.getItem(SPACE) ?? "";
}

export function choose(name) {
  if (name && name !== me?.space) localStorage.setItem(SPACE, name);
  else localStorage.removeItem(SPACE);
}

export async function recognise() {
  kept.clear();
  me = await (await request("/ui-session")).json();
  return me;
}

// Begins a session by {token} or {key}.
export async function enter(given) {
  const answer = await request("/ui-session", { method: "POST", body: given });
  localStorage.setItem(PROOF, (await answer.json()).proof);
}

export async function leave() {
  await request("/ui-session", { method: "DELETE" }).catch(() => null);
  localStorage.removeItem(PROOF);
  localStorage.removeItem(SPACE);
  me = null;
}

export function hasSession() {
  return localStorage.getItem(PROOF) !== null;
}
