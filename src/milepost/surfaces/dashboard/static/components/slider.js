// A slider with its name and its value in words.

import { h, newId } from "../dom.js";

// slider({label, min, max, step, value, shown: v => text, oninput: v => …, onchange: v => …}); .value reads and sets it, .min sets
// where it begins.
export function slider({ label, min = 0, max = 100, step = 1, value = min, shown = String, oninput = () => {}, onchange = () => {} }) {
  const id = newId("slider");
  const output = h("output", { for: id });
  const input = h("input", {
    id, type: "range", min, max, step,
    oninput: () => { tell(); oninput(Number(input.value)); },
    onchange: () => onchange(Number(input.value)),
  });
  const tell = () => {
    output.textContent = shown(Number(input.value));
    input.setAttribute("aria-valuetext", output.textContent);
  };
  input.value = value;
  tell();
  const node = h("div", { class: "slider" }, h("label", { for: id }, label), input, output);
  Object.defineProperties(node, {
    value: { get: () => Number(input.value), set: given => { input.value = given; tell(); } },
    min: { set: given => { input.min = given; tell(); } },
  });
  return node;
}
