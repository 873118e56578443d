// What cannot all hold at once, and which of it is kept.

import { call } from "../api.js";
import { address } from "../app.js";
import { button } from "../components/button.js";
import { when } from "../components/memories.js";
import { toast, told } from "../components/toast.js";
import { h, redraw, replace } from "../dom.js";
import { count } from "../format.js";
import { words } from "../strings.js";

const say = words.consolidationView;
const SHOWN = 50, MEMORY = "memory", BOTH = "both";

export async function conflicts(root, view) {
  const again = () => redraw(root, () => conflicts(root, view));
  const all = await call("conflicts", { limit: SHOWN }, view);
  replace(root, h("p", { class: "note" }, say.conflictsHint),
    all.length === 0 ? h("p", { class: "empty" }, say.noConflicts) : h("ol", { class: "plain changes" }, all.map(each => dispute(each, again))));
}

function dispute(each, again) {
  const keep = key => () => told(async () => {
    const settled = await call("resolve", { conflict: each.id, keep: key });
    toast(say.settled(settled.kept, count(settled.ended.length)), { undo: undoer(each, settled, again) });
    await again();
  });
  return h("li", { class: "change" }, h("h3", null, each.about),
    h("div", { class: "beside" }, each.claims.map(claim => h("section", { class: "side" },
      h("p", { class: "note" }, claim.memory && [h("a", { href: address("browse", { hash: claim.memory, include_superseded: true }) }, h("code", null, claim.memory)), " "], when(claim.since)),
      h("div", { class: "content" }, claim.text),
      button(say.keepThis, keep(claim.key), { scope: "write" })))),
    each.kind === MEMORY && h("p", null, button(say.keepBoth, keep(BOTH), { scope: "write" })));
}

// The way back: of a memory that was replaced, or of what ended in the graph; two that both hold have none.
function undoer(each, settled, again) {
  if (settled.kept === BOTH) return undefined;
  return () => told(async () => {
    if (each.kind === MEMORY) await call("undo", { hash: settled.ended[0] });
    else await call("undo_merge", { id: settled.id });
    toast(words.undone);
    await again();
  });
}
