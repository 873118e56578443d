// Who did what to what, and whether the audit is whole.

import { call } from "../../api.js";
import { address } from "../../app.js";
import { button } from "../../components/button.js";
import { field } from "../../components/field.js";
import { table } from "../../components/table.js";
import { told } from "../../components/toast.js";
import { h, replace, rested } from "../../dom.js";
import { count, moment } from "../../format.js";
import { words } from "../../strings.js";

const say = words.adminView;
const PAGE = 100, TARGETS = 6;
const chosen = { since: "7d", operation: "", text: "", limit: PAGE };

export async function panel(root, { signal }) {
  const list = h("div", { class: "stack" }), whole = h("div", { role: "status" });
  let rows = [];
  const text = field(say.containing, { type: "search", value: chosen.text });
  const operation = field(say.operation, { value: chosen.operation });
  const since = field(say.since, { options: Object.entries(say.spans), value: chosen.since });
  const draw = () => {
    chosen.text = text.input.value;
    const sought = chosen.text.trim().toLowerCase();
    const shown = rows.filter(row => !sought || [row.who, row.key, row.surface, row.operation, row.outcome, row.request, ...row.targets].join(" ").toLowerCase().includes(sought));
    replace(list, entries(shown), rows.length === chosen.limit && button(say.older, () => { chosen.limit *= 4; return told(load); }));
  };
  const load = async () => {
    chosen.since = since.input.value;
    chosen.operation = operation.input.value.trim();
    rows = (await call("audit", { ...chosen, text: "" }, { signal })).reverse();
    draw();
  };
  for (const each of [since, operation]) each.input.addEventListener("change", () => { chosen.limit = PAGE; told(load); });
  text.input.addEventListener("input", rested(draw));
  const verify = () => told(async () => {
    const { entries: number, digest, problems } = await call("verify_audit", {}, { signal });
    replace(whole, problems.length === 0
      ? h("p", { class: "fine" }, say.auditWhole(count(number)), " ", h("code", null, digest))
      : h("div", { class: "problem" }, h("strong", null, say.auditBroken), h("ul", null, problems.map(line => h("li", null, line)))));
  });
  replace(root, h("div", { class: "toolbar" }, since, operation, text, button(say.verify, verify, { scope: "admin", busy: say.verifying })), whole, list);
  await load();
}

const entries = rows => table({
  caption: say.panels.audit, rows, empty: say.noAudit,
  columns: [
    { title: say.when, cell: row => [moment(row.at), h("p", { class: "note" }, `#${row.number}`)] },
    { title: say.who, cell: row => [row.who, " ", row.key && h("code", null, row.key), h("p", { class: "note" }, row.surface)] },
    { title: say.operation, cell: row => [row.operation, row.times > 1 && ` × ${count(row.times)}`] },
    { title: say.targets, cell: row => h("span", { class: "mono", title: row.targets.join(" ") }, row.targets.slice(0, TARGETS).join(" "), row.targets.length > TARGETS && ` … ${count(row.targets.length)}`) },
    { title: say.request, cell: row => row.request && h("a", { href: address("admin", { path: ["logs"], request: row.request }), title: say.itsLog }, h("code", null, row.request)) },
    { title: say.outcome, cell: row => h("span", { class: row.outcome === "done" ? "" : "chip bad" }, row.outcome) },
  ],
});
