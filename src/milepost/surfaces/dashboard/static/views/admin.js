// What looks after the memory, one subject at a time; each is a module in admin/ with
// `panel(root, view)`.

import { address } from "../app.js";
import { h, redraw, replace } from "../dom.js";
import { bind } from "../keyboard.js";
import { words } from "../strings.js";

export const title = words.admin;

const say = words.adminView;
const PANELS = {
  spaces: () => import("./admin/spaces.js"),
  keys: () => import("./admin/keys.js"),
  audit: () => import("./admin/audit.js"),
  jobs: () => import("./admin/jobs.js"),
  retention: () => import("./admin/retention.js"),
  backups: () => import("./admin/backups.js"),
  alerts: () => import("./admin/alerts.js"),
  storage: () => import("./admin/storage.js"),
  logs: () => import("./admin/logs.js"),
};

export async function render(root, params, view) {
  const names = Object.keys(PANELS), holder = h("div", { class: "later" });
  const tabs = names.map(name => h("a", { href: address("admin", { path: [name] }) }, say.panels[name]));
  let at = 0, turn = new AbortController(), again;
  const open = async (place, given = {}) => {
    turn.abort();
    turn = new AbortController();
    view.signal.addEventListener("abort", () => turn.abort(), { signal: turn.signal });
    at = (place + names.length) % names.length;
    const { signal } = turn, module = PANELS[names[at]](), body = h("section", { class: "view", "aria-label": say.panels[names[at]] });
    replace(holder, body);
    tabs.forEach((tab, number) => (number === at ? tab.setAttribute("aria-current", "true") : tab.removeAttribute("aria-current")));
    view.setParams({ ...given, path: [names[at]] });
    // What a panel calls after it changed something.
    again = async () => {
      try {
        const { panel } = await module;
        await redraw(body, () => panel(body, { ...view, signal, params: given, again }));
      } catch (problem) {
        if (problem.name === "AbortError") return;
        replace(body, h("p", { class: "problem", role: "alert" }, problem.message));
        if (!problem.code) throw problem;
      }
    };
    await again();
  };
  bind(words.admin, { "]": [() => { open(at + 1); }, say.nextPanel], "[": [() => { open(at - 1); }, say.previousPanel], r: [() => { again(); }, say.refresh] }, view.signal);
  replace(root, h("header", null, h("h1", null, words.admin)), h("nav", { class: "tabs", "aria-label": say.subjects }, tabs), holder);
  const { path: [named] = [], ...given } = params;
  await open(Math.max(0, names.indexOf(named)), given);
}
