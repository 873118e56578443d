// Keys: those of the page, those of the view that is open, and the sheet that lists them.

import { h } from "./dom.js";
import { dialog } from "./components/dialog.js";
import { words } from "./strings.js";

const groups = new Map();
let pending = "";

// bind("Browse", {"j": [f, "next row"], "g h": [f, "home"]}, signal): until the signal aborts.
// "Enter", "Escape", "ArrowDown", "Shift+J" are named as in KeyboardEvent.key; two keys come one
// after the other. A key whose function returns false is left to the browser.
export function bind(title, keys, signal) {
  groups.set(title, keys);
  signal?.addEventListener("abort", () => groups.get(title) === keys && groups.delete(title));
}

const TYPED = "input:not([type=range]):not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable]";

export function listen() {
  addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = event.target instanceof Element && event.target.matches(TYPED);
    if (typing || document.querySelector("dialog[open]")) return;
    const key = event.key;
    const found = named(`${pending} ${key}`.trim()) ?? named(key);
    pending = pending === "" && startsTwo(key) ? key : "";
    if (pending) setTimeout(() => { pending = ""; }, 1200);
    if (!found) return;
    if (found[0](event) !== false) event.preventDefault();
  });
}

function named(key) {
  for (const keys of [...groups.values()].reverse()) if (keys[key]) return keys[key];
  return undefined;
}

function startsTwo(key) {
  return [...groups.values()].some(keys => Object.keys(keys).some(name => name.startsWith(`${key} `)));
}

export function showKeys() {
  const lists = [...groups].map(([title, keys]) => h("section", null,
    h("h3", null, title),
    h("dl", { class: "keys" }, Object.entries(keys).filter(([, [, about]]) => about).map(([key, [, about]]) => [
      h("dt", null, key.split(" ").map(part => h("kbd", null, words.keys[part] ?? part))), h("dd", null, about),
    ]))));
  return dialog({ title: words.shortcuts, body: lists, actions: [] });
}
