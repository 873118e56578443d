// Labelled fields of forms; each node has .input.

import { add, h, newId } from "../dom.js";

// field("Project", {value, onchange, list: ["a", "b"], type: "date", placeholder, required, rows}); a list
// may be a promise of one.
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
  const offered = listId && h("datalist", { id: listId });
  // Who is not offered anything types it.
  if (list) Promise.resolve(list).then(values => add(offered, values.map(value => h("option", { value }))), () => null);
  const node = h("div", { class: "field" }, h("label", { for: id }, label), input, offered,
    hint && h("small", { id: about }, hint));
  node.input = input;
  return node;
}
