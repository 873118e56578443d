// Dialogs: the browser's own element, which keeps the focus in it and closes on Escape.

import { h, newId } from "../dom.js";
import { words } from "../strings.js";

// Shows a dialog; resolves to the value of the action that closed it, null for none.
// actions: [{label, value, kind: "primary" | "danger"}]; check(value) may refuse to close.
export function dialog({ title, body, actions = [], wide = false, check = () => true }) {
  const id = newId("dialog");
  return new Promise(resolve => {
    let chosen = null;
    const buttons = actions.map(({ label, value, kind = "" }) => h("button", {
      type: "button", class: kind,
      onclick: async () => { if (await check(value) !== false) { chosen = value; shown.close(); } },
    }, label));
    const shown = h("dialog", { "aria-labelledby": id, class: wide && "wide", onclose: () => { shown.remove(); resolve(chosen); } },
      h("header", null,
        h("h2", { id }, title),
        h("button", { type: "button", class: "quiet", "aria-label": words.close, onclick: () => shown.close() }, "×")),
      h("div", { class: "dialog-body" }, body),
      buttons.length > 0 && h("footer", null, buttons));
    document.body.append(shown);
    shown.showModal();
  });
}

// Asks whether to do something; resolves to true or false.
export async function confirm(title, body, label, kind = "danger") {
  return (await dialog({
    title, body: typeof body === "string" ? h("p", null, body) : body,
    actions: [{ label: words.cancel, value: false }, { label, value: true, kind }],
  })) === true;
}
