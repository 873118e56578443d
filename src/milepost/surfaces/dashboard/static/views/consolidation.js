// Consolidation: plan, look at the plan as a diff, apply it, take it back; and when it runs by itself.

import { call, lately } from "../api.js";
import { address } from "../app.js";
import { button } from "../components/button.js";
import { field } from "../components/field.js";
import { toast, told } from "../components/toast.js";
import { add, h, redraw, replace } from "../dom.js";
import { count, moment } from "../format.js";
import { words } from "../strings.js";
import { conflicts } from "./consolidation_conflicts.js";
import { changes, state } from "./consolidation_run.js";

export const title = words.consolidation;

const say = words.consolidationView;
const RUNS_MAX = 40, CONFLICTS = "conflicts";

export async function render(root, params, view) {
  const [chosen] = params.path ?? [];
  const shown = h("section", { class: chosen ? "panel run open" : "panel run", "aria-label": chosen ?? say.plan });
  add(root, h("header", null, h("h1", null, words.consolidation), h("span", { class: "modes actions" },
    h("a", { class: "button", href: address("consolidation"), "aria-current": chosen === CONFLICTS ? null : "true" }, say.runs),
    h("a", { class: "button", href: address("consolidation", { path: [CONFLICTS] }), "aria-current": chosen === CONFLICTS ? "true" : null }, say.conflicts))));
  if (chosen === CONFLICTS) {
    add(root, shown);
    await conflicts(shown, view);
    return;
  }
  const runs = h("section", { class: "panel" }), when = h("section", { class: "panel" });
  const again = async () => {
    const status = await call("consolidation_status", { limit: RUNS_MAX }, view);
    replace(when, h("h2", null, say.byItself), schedule(status, when));
    replace(runs, h("h2", null, say.runs), await list(status.runs, chosen, view));
  };
  add(root, h("div", { class: "aside-and-main" }, h("div", { class: "view" },
    h("section", { class: "panel" }, h("h2", null, say.plan), planner(lately("stats").then(({ projects }) => Object.keys(projects)), view)), when, runs), shown));
  await Promise.all([again(), show(shown, chosen, view, again)]);
}

// What to plan: it is planned first, and looked at, always.
function planner(projects, view) {
  const strategy = field(say.strategy, { options: Object.entries(say.strategies), value: "balanced" });
  const days = field(say.days, { type: "number", min: 1, value: 7 });
  const project = field(words.searchView.project, { list: projects });
  const refused = h("p", { class: "problem", role: "alert", hidden: true });
  const plan = async () => {
    refused.hidden = true;
    try {
      const { run_id } = await call("consolidate", { strategy: strategy.input.value, days_back: Number(days.input.value), project: project.input.value.trim(), dry_run: true }, view);
      view.go("consolidation", { path: [run_id] });
    } catch (problem) {
      if (problem.name === "AbortError") return;
      refused.textContent = problem.message;
      refused.hidden = false;
    }
  };
  const planned = button(say.plan, plan, { scope: "write", kind: "primary", type: "submit", busy: say.planning });
  return h("form", { class: "stack", onsubmit: event => event.preventDefault() },
    strategy, h("div", { class: "fields" }, days, project), refused, h("div", { class: "actions" }, planned), h("p", { class: "note" }, say.planHint));
}

function schedule(status, root) {
  const chosen = every => told(async () => {
    const now = await call("schedule_consolidation", { every });
    toast(say.scheduled);
    replace(root, h("h2", null, say.byItself), schedule(now, root));
  });
  const every = field(say.every, { options: Object.entries(say.often), value: status.schedule, onchange: () => chosen(every.input.value) });
  const runs = status.schedule !== "off";
  return [
    h("p", { class: "note" }, [
      runs ? say.runsBy(say.often[status.schedule]) : say.neverBy, status.paused && say.paused,
      status.last && say.last(moment(status.last)), status.next && say.next(moment(status.next)),
    ].filter(Boolean).join(" ")),
    h("div", { class: "toolbar" }, every, runs && button(status.paused ? say.resume : say.pause, () => chosen(status.paused ? "resume" : "pause"), { scope: "write" })),
  ];
}

async function list(lines, chosen, view) {
  if (lines.length === 0) return h("p", { class: "empty" }, say.noRuns);
  const all = await Promise.all(lines.map(line => call("get_consolidation", { run_id: line.split(" ")[0] }, view)));
  return h("ul", { class: "plain feed" }, all.map(run => h("li", null,
    h("a", { href: address("consolidation", { path: [run.run_id] }), "aria-current": run.run_id === chosen ? "true" : null }, summary(run)),
    h("div", { class: "about" }, state(run), h("span", { class: "note" }, moment(run.since))))));
}

const summary = run => Object.entries(run.totals).filter(([, number]) => number > 0)
  .map(([name, number]) => say.counts[name](count(number))).join(", ") || say.nothingToDo;

async function show(root, chosen, view, again) {
  if (!chosen) { replace(root, h("p", { class: "empty" }, say.hint)); return; }
  const draw = run => redraw(root, () => replace(root, changes(run, { view, done: next => { draw(next); told(again); } })));
  draw(await call("get_consolidation", { run_id: chosen, complete: true }, view));
}
