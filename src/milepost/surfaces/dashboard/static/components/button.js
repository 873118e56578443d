// A button that says why it cannot be used where the key lacks the scope, and works once at a time.

import { can } from "../api.js";
import { h, replace } from "../dom.js";
import { words } from "../strings.js";

// button("Delete", f, {scope: "write", kind: "danger", key: "d", busy: "Deleting…"}); of type "submit" it is also what Enter does in its form
export function button(label, onclick, { scope, kind = "", key, title, busy, type = "button", disabled = false } = {}) {
  const lacks = scope !== undefined && !can(scope);
  const said = [label, key && h("kbd", { "aria-hidden": "true" }, key)];
  const work = async () => {
    if (node.ariaBusy) return;
    node.ariaBusy = "true";
    if (busy) replace(node, busy);
    try {
      await onclick();
    } finally {
      node.ariaBusy = null;
      if (busy) replace(node, said);
    }
  };
  const node = h("button", { type, class: kind, disabled: lacks || disabled, title: lacks ? words.lacksScope(scope) : title, onclick: work }, said);
  return node;
}
