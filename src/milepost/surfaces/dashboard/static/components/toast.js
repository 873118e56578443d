// Short messages at the lower edge, with a way back where there is one.

import { h } from "../dom.js";
import { words } from "../strings.js";

const SHOWN_MS = 8000;
let region;

// toast("Deleted", {undo: () => …}); an error stays until it is closed.
export function toast(text, { undo, error = false } = {}) {
  if (!region?.isConnected) {
    region = h("div", { class: "toasts", role: "region", "aria-label": words.messages });
    document.body.append(region);
  }
  const close = () => shown.remove();
  const shown = h("div", { class: error ? "toast error" : "toast", role: error ? "alert" : "status" },
    h("span", null, text),
    undo && h("button", { type: "button", onclick: async () => { close(); await undo(); } }, words.undo),
    h("button", { type: "button", class: "quiet", "aria-label": words.close, onclick: close }, "×"));
  region.append(shown);
  while (region.children.length > 4) region.firstChild.remove();
  let timer;
  const later = () => { timer = error ? undefined : setTimeout(close, SHOWN_MS); };
  shown.addEventListener("pointerenter", () => clearTimeout(timer));
  shown.addEventListener("pointerleave", later);
  shown.addEventListener("focusin", () => clearTimeout(timer));
  later();
  return close;
}

// Runs work and shows why it failed; resolves to undefined then.
export async function told(work) {
  try {
    return await work();
  } catch (problem) {
    if (problem.name !== "AbortError") toast(problem.message, { error: true });
    return undefined;
  }
}
