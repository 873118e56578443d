// What differs between two texts, word by word.

import { h } from "../dom.js";

const WORDS_MAX = 1500;

// Both texts as nodes: what only one has is marked.
export function compared(older, newer) {
  const a = split(older), b = split(newer);
  if (a.length > WORDS_MAX || b.length > WORDS_MAX) return [older, newer];
  const kept = common(a, b);
  const left = a.map((word, at) => (kept.a.has(at) ? word : h("del", null, word)));
  const right = b.map((word, at) => (kept.b.has(at) ? word : h("ins", null, word)));
  return [joined(left), joined(right)];
}

const split = text => text.split(/(\s+)/).filter(part => part !== "");

// The places of the longest common sequence, in both.
function common(a, b) {
  const lengths = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i -= 1) for (let j = b.length - 1; j >= 0; j -= 1)
    lengths[i][j] = a[i] === b[j] ? lengths[i + 1][j + 1] + 1 : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
  const kept = { a: new Set(), b: new Set() };
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (a[i] === b[j]) { kept.a.add(i); kept.b.add(j); i += 1; j += 1; }
    else if (lengths[i + 1][j] >= lengths[i][j + 1]) i += 1;
    else j += 1;
  }
  return kept;
}

// Neighbouring words that are alike become one piece of text.
function joined(parts) {
  const pieces = [];
  for (const part of parts) {
    const last = pieces.at(-1);
    if (typeof part === "string" && typeof last === "string") pieces[pieces.length - 1] = last + part;
    else pieces.push(part);
  }
  return pieces;
}
