// A button that says why it cannot be used where the key lacks the scope.

import { can } from "../api.js";
import { h } from "../dom.js";
import { words } from "../strings.js";

// button("Delete", f, {scope: "write", kind: "danger", key: "d"})
export function button(label, onclick, { scope, kind = "", key, title, disabled = false } = {}) {
  const lacks = scope !== undefined && !can(scope);
  return h("button", {
    type: "button", class: kind, disabled: lacks || disabled, title: lacks ? words.lacksScope(scope) : title, onclick,
  }, label, key && h("kbd", { "aria-hidden": "true" }, key));
}
