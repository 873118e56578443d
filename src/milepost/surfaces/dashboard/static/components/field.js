// Labelled fields of forms; each node has .input.

import { h, newId } from "../dom.js";

// field("Project", {value, onchange, list: ["a", "b"], type: "date", placeholder, required, rows})
export function field(label, { list, rows, options, hint, type = "text", ...props } = {}) {
  const id = newId("field"), about = hint && newId("hint");
  const shared = { id, "aria-describedby": about, autocomplete: "off", ...props };
  const listId = list && newId("list");
  let input;
  if (options) {
    input = h("select", shared, options.map(option => {
      const [value, text] = Array.isArray(option) ? option : [option, option];
      return h("option", { value, selected: value === props.value }, text);
    }));
  } else if (rows) input = h("textarea", { ...shared, rows, spellcheck: "true" });
  else input = h("input", { ...shared, type, list: listId, spellcheck: "false" });
  const node = h("div", { class: "field" }, h("label", { for: id }, label), input,
    listId && h("datalist", { id: listId }, list.map(value => h("option", { value }))),
    hint && h("small", { id: about }, hint));
  node.input = input;
  return node;
}
