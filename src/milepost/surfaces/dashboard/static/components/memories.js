// How memories are shown in lists and by themselves.

import { h } from "../dom.js";
import { ago, moment } from "../format.js";

// The chips of a row of a search or a list: kind, project, marks, tags.
export function chips(memory, { tags = 4 } = {}) {
  const marks = (memory.mark || "").split(", ").filter(mark => mark && !mark.startsWith("in "));
  return [
    memory.kind && memory.kind !== "note" && h("span", { class: "chip kind" }, memory.kind),
    memory.project && h("span", { class: "chip" }, memory.project),
    marks.map(mark => h("span", { class: mark === "untrusted" ? "chip bad" : mark.startsWith("branch ") ? "chip" : "chip warn" }, mark)),
    (memory.tags ?? []).slice(0, tags).map(tag => h("span", { class: "chip" }, `#${tag}`)),
  ];
}

export function when(seconds) {
  return h("time", { datetime: new Date(seconds * 1000).toISOString(), title: moment(seconds) }, ago(seconds));
}
