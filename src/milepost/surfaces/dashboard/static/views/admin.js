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
  storage: () => import("./admin/storage.js"),
  logs: () => import("./admin/logs.js"),
};

export async function render(root, params, view) {
  const names = Object.keys(PANELS), chosen = names.includes(params.path?.[0]) ? params.path[0] : names[0];
  const body = h("section", { class: "view", "aria-label": say.panels[chosen] }), module = PANELS[chosen]();
  // What a panel calls after it changed something.
  const again = async () => {
    try {
      const { panel } = await module;
      await redraw(body, () => panel(body, { ...view, params, again }));
    } catch (problem) {
      if (problem.name === "AbortError") return;
      replace(body, h("p", { class: "problem", role: "alert" }, problem.message));
      if (!problem.code) throw problem;
    }
  };
  replace(root, h("header", null, h("h1", null, words.admin)),
    h("nav", { class: "tabs", "aria-label": say.subjects }, names.map(name =>
      h("a", { href: address("admin", { path: [name] }), "aria-current": name === chosen ? "true" : null }, say.panels[name]))), body);
  // Who turns several at once is not waited for.
  let at = names.indexOf(chosen);
  const turn = by => () => { at = (at + by + names.length) % names.length; view.go("admin", { path: [names[at]] }); };
  bind(words.admin, { "]": [turn(1), say.nextPanel], "[": [turn(-1), say.previousPanel], r: [again, say.refresh] }, view.signal);
  await again();
}
