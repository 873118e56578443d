// What is on its way: shown when it is there, and else why it is not.

import { h, replace } from "../dom.js";
import { words } from "../strings.js";

export function later(promise, draw) {
  const node = h("div", { class: "later", "aria-busy": "true" }, h("p", { class: "note" }, words.loading));
  const drawn = children => { node.removeAttribute("aria-busy"); replace(node, children); };
  promise.then(found => drawn(draw(found)), problem => {
    if (problem.name !== "AbortError") drawn(h("p", { class: "problem", role: "alert" }, problem.message));
  });
  return node;
}
