// For how long what is kept, what would go now, what must stay, and what went.

import { call } from "../../api.js";
import { button } from "../../components/button.js";
import { confirm, dialog } from "../../components/dialog.js";
import { field } from "../../components/field.js";
import { table } from "../../components/table.js";
import { toast, told } from "../../components/toast.js";
import { h, replace } from "../../dom.js";
import { count, day, moment } from "../../format.js";
import { words } from "../../strings.js";

const say = words.adminView;
const KINDS = ["event", "episode", "ledger", "program", "bin", "session", "memory"], RECEIPTS = 20;

export async function panel(root, { signal, again }) {
  const [known, holds, receipts] = await Promise.all([call("list_retention", {}, { signal }), call("list_holds", {}, { signal }), call("erasure_receipts", { limit: RECEIPTS }, { signal })]);
  replace(root, h("div", { class: "panels" },
    h("section", { class: "panel" }, h("h2", null, say.rules), rules(known, again)),
    h("section", { class: "panel" }, h("h2", null, say.dueNow), due(again, signal)),
    h("section", { class: "panel" }, h("h2", null, say.holds), held(holds, again)),
    h("section", { class: "panel" }, h("h2", null, say.gone), gone(receipts))));
}

const change = (operation, given, text, again) => told(async () => {
  await call(operation, given);
  toast(text);
  await again();
});

function rules(known, again) {
  const kind = field(words.searchView.kind, { list: KINDS, hint: say.kindHint, required: true });
  const days = field(say.days, { type: "number", min: 1, hint: say.daysHint });
  const every = field(say.applied, { options: Object.entries(words.consolidationView.often), value: known.every, onchange: () => change("schedule_retention", { every: every.input.value }, say.ruled, again) });
  const set = button(say.setRule, () => kind.input.reportValidity() && change("set_retention", days.input.value ? { kind: kind.input.value.trim(), days: Number(days.input.value) } : { kind: kind.input.value.trim(), for_good: true }, say.ruled, again), { scope: "admin", type: "submit" });
  return [
    table({
      caption: say.rules, rows: known.rules, empty: say.noRules,
      columns: [
        { title: words.searchView.kind, cell: rule => rule.kind },
        { title: say.kept, cell: rule => (rule.days ? say.forDays(count(rule.days)) : say.forGood) },
        { title: "", cell: rule => (rule.is_usual ? h("span", { class: "note" }, say.usual) : button(say.remove, () => change("set_retention", { kind: rule.kind }, say.ruled, again), { scope: "admin" })) },
      ],
    }),
    h("form", { class: "stack", onsubmit: event => event.preventDefault() }, h("div", { class: "fields top" }, kind, days), h("div", { class: "actions" }, set)),
    h("div", { class: "fields" }, every), known.due && h("p", { class: "note" }, say.nextAt(moment(known.due))),
  ];
}

// It is planned before it is applied, and asked for with what would go.
function due(again, signal) {
  const shown = h("div", { class: "stack", role: "status" }, h("p", { class: "empty" }, say.dueHint));
  const plan = () => told(async () => {
    const { due: rows } = await call("plan_retention", {}, { signal });
    const number = rows.reduce((sum, row) => sum + row.rows, 0);
    const apply = async () => {
      if (await confirm(say.applyTitle(count(number)), say.applySays, say.applyRules)) await change("apply_retention", {}, say.rulesApplied(count(number)), again);
    };
    replace(shown, table({
      caption: say.dueNow, rows, wide: true, empty: say.noRules,
      columns: [
        { title: words.searchView.kind, cell: row => row.rule.kind },
        { title: say.wouldGo, number: true, cell: row => count(row.rows) },
        { title: say.isHeld, number: true, cell: row => count(row.held) },
        { title: say.someOf, cell: row => h("code", null, row.names.join(" ")) },
      ],
    }), number > 0 && h("div", { class: "actions" }, button(say.applyRules, apply, { scope: "admin", kind: "danger", busy: say.applying })));
  });
  return [h("div", { class: "actions" }, button(say.planRules, plan, { scope: "admin" })), shown];
}

function held(holds, again) {
  const release = hold => async () => {
    if (await confirm(say.releaseTitle(hold.id), say.releaseSays, say.release)) await change("release_hold", { hold: hold.id }, say.released, again);
  };
  return [
    table({
      caption: say.holds, rows: holds, wide: true, empty: say.noHolds,
      columns: [
        { title: say.hold, cell: hold => hold.id },
        { title: say.isHeld, cell: hold => `${say.heldBy[hold.by] ?? hold.by} ${hold.name}`.trim() },
        { title: say.reason, cell: hold => [hold.reason, h("p", { class: "note" }, say.saidBy(hold.who, day(hold.since)))] },
        { title: "", cell: hold => button(say.release, release(hold), { scope: "admin", kind: "danger" }) },
      ],
    }),
    h("div", { class: "actions" }, button(say.newHold, () => hold(again), { scope: "admin" })),
  ];
}

async function hold(again) {
  const name = field(say.holdName, { required: true }), reason = field(say.reason, { required: true });
  const by = field(say.isHeld, { options: Object.entries(say.heldBy), value: "project" }), what = field(say.heldWhat, { hint: say.heldWhatHint });
  const chosen = await dialog({
    title: say.newHold, body: [name, reason, h("div", { class: "fields" }, by, what)],
    actions: [{ label: words.cancel, value: false }, { label: say.newHold, value: true, kind: "primary" }],
    check: value => !value || (name.input.reportValidity() && reason.input.reportValidity()),
  });
  if (!chosen) return;
  const given = { hold: name.input.value.trim(), reason: reason.input.value.trim() };
  // All of the space is held when nothing is named: that must be said.
  if (by.input.value !== "space") given[by.input.value] = what.input.value.trim() || " ";
  await change("set_hold", given, say.isSet, again);
}

const gone = receipts => table({
  caption: say.gone, rows: [...receipts].reverse(), wide: true, empty: say.noReceipts,
  columns: [
    { title: say.when, cell: row => moment(row.at) },
    { title: say.gone, cell: row => [Object.entries(row.rows).map(([name, number]) => `${count(number)} ${name}`).join(", "), row.held > 0 && `, ${say.heldBack(count(row.held))}`, h("p", { class: "note" }, row.what, row.reference && ` · ${row.reference}`)] },
    { title: say.who, cell: row => row.who },
    { title: say.receipt, cell: row => [h("code", { title: row.digest }, row.id), !row.is_whole && h("span", { class: "chip bad" }, say.receiptChanged)] },
  ],
});
