// What the processes of the store logged, by level, time and words; of one request, all of it.

import { call } from "../../api.js";
import { button } from "../../components/button.js";
import { field } from "../../components/field.js";
import { table } from "../../components/table.js";
import { told } from "../../components/toast.js";
import { h, replace, rested } from "../../dom.js";
import { exact } from "../../format.js";
import { words } from "../../strings.js";

const say = words.adminView;
const PAGE = 100, CHIPS = { warning: "chip warn", error: "chip bad", critical: "chip bad" };
const chosen = { level: "info", since: "1d", grep: "", request: "", limit: PAGE };

export async function panel(root, { signal, params }) {
  // Who comes from the audit asks for one request, whenever that was.
  if (params.request) Object.assign(chosen, { level: "debug", since: "365d", grep: "", request: params.request });
  const list = h("div", { class: "stack" });
  const fields = {
    level: field(say.level, { options: say.levels, value: chosen.level }), since: field(say.since, { options: Object.entries(say.spans), value: chosen.since }),
    grep: field(say.containing, { type: "search", value: chosen.grep }), request: field(say.request, { value: chosen.request }),
  };
  let turn = new AbortController();
  const load = async () => {
    turn.abort();
    turn = new AbortController();
    signal.addEventListener("abort", () => turn.abort(), { signal: turn.signal });
    for (const [name, each] of Object.entries(fields)) chosen[name] = each.input.value.trim();
    const lines = (await call("read_logs", chosen, { signal: turn.signal })).reverse();
    replace(list, logged(lines, only), lines.length === chosen.limit && button(say.older, () => { chosen.limit *= 4; return told(load); }));
  };
  const again = () => { chosen.limit = PAGE; return told(load); };
  const only = request => { fields.request.input.value = request; again(); };
  for (const name of ["level", "since"]) fields[name].input.addEventListener("change", again);
  for (const name of ["grep", "request"]) fields[name].input.addEventListener("input", rested(again));
  replace(root, h("div", { class: "toolbar" }, Object.values(fields), button(say.refresh, again, { key: "r" })), list);
  await load();
}

const logged = (lines, only) => table({
  caption: say.panels.logs, rows: lines, empty: say.noLogs,
  columns: [
    { title: say.when, cell: line => line.at > 0 && exact(line.at) },
    { title: say.level, cell: line => h("span", { class: CHIPS[line.level] ?? "chip" }, line.level) },
    { title: say.logged, cell: line => [line.message, line.stack && h("details", null, h("summary", { class: "note" }, say.stack), h("pre", null, line.stack))] },
    { title: say.operation, cell: line => [line.operation, h("p", { class: "note" }, [line.space, line.surface].filter(Boolean).join(" · "))] },
    { title: say.request, cell: line => line.request && h("button", { type: "button", class: "quiet", title: say.onlyRequest, onclick: () => only(line.request) }, h("code", null, line.request)) },
    { title: say.from, cell: line => [line.logger, h("p", { class: "note" }, say.process(line.process))] },
  ],
});
