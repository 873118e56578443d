// The copies of the store, making one, having them made by themselves, and trying the newest.

import { call } from "../../api.js";
import { button } from "../../components/button.js";
import { field } from "../../components/field.js";
import { table } from "../../components/table.js";
import { toast, told } from "../../components/toast.js";
import { h, replace } from "../../dom.js";
import { ago, bytes, count, moment, seconds } from "../../format.js";
import { words } from "../../strings.js";

const say = words.adminView;
const OFF = "off", KEEP = 7, DRILL = "weekly";

export async function panel(root, { signal, again }) {
  const [copies, status] = await Promise.all([call("list_backups", {}, { signal }), call("backup_status", {}, { signal })]);
  const create = () => told(async () => {
    const made = await call("create_backup");
    toast(say.copied_(made.file, count(made.memories)));
    await again();
  });
  replace(root,
    h("div", { class: "panels" },
      h("section", { class: "panel" }, h("h2", null, say.schedule), schedule(status, again)),
      h("section", { class: "panel" }, h("h2", null, say.drill), drill(status, copies, again))),
    h("div", { class: "actions" }, button(say.createBackup, create, { scope: "admin", kind: "primary", busy: say.copying }), button(say.refresh, again, { key: "r" }), h("span", { class: "note" }, say.backupsHint)),
    table({
      caption: say.panels.backups, rows: copies, empty: say.noBackups,
      columns: [
        { title: say.made, cell: copy => moment(copy.made) },
        { title: words.searchView.kind, cell: copy => [say.copyKinds[copy.kind] ?? copy.kind, copy.elsewhere && [" ", h("span", { class: "chip kind" }, say.elsewhere)]] },
        { title: say.memories, number: true, cell: copy => (copy.memories === null ? h("span", { class: "chip bad" }, say.unreadable) : count(copy.memories)) },
        { title: say.size, number: true, cell: copy => bytes(copy.bytes) },
        { title: say.file, cell: copy => h("code", null, copy.file) },
      ],
    }));
}

// Where copies go is said on the machine itself; what is not named here stays as it was.
function schedule(status, again) {
  const isNew = status.to === "", isOff = status.every === OFF;
  const every = field(say.copyEvery, { options: Object.entries(say.copyOften), value: status.every });
  const keep = field(say.keep, { type: "number", min: 1, max: 1000, required: true, value: status.keep || KEEP });
  const drills = field(say.drillEvery, { options: Object.entries(say.drillOften), value: isNew ? DRILL : status.drill_every });
  const set = () => keep.input.reportValidity() && told(async () => {
    const { every: now } = await call("schedule_backup", { every: every.input.value, keep: Number(keep.input.value), drill: drills.input.value });
    toast(now === OFF ? say.notScheduled : say.scheduled);
    await again();
  });
  return [
    !isNew && h("p", { class: "note" }, say.copiesGo, h("code", null, status.to)),
    status.failed !== null && h("p", { class: "problem" }, say.copyFailed(moment(status.failed)), status.problem),
    h("p", null, status.last ? [h("strong", null, say.lastCopy(ago(status.last.made))), h("span", { class: "note" }, ` ${say.lastHolds(moment(status.last.made), count(status.last.memories), bytes(status.last.bytes))}`)] : isOff ? say.notScheduled : say.firstCopy),
    !isOff && status.due !== null && h("p", { class: "note" }, say.nextAt(moment(status.due))),
    h("form", { class: "stack", onsubmit: event => event.preventDefault() },
      h("div", { class: "fields" }, every, keep, drills), h("div", { class: "actions" }, button(words.save, set, { scope: "admin", type: "submit" }))),
  ];
}

// Whether the newest copy brings back what it should: what the last trial found.
function drill({ drill: last, drilled }, copies, again) {
  const run = () => told(async () => {
    const { problems } = await call("drill_backup");
    toast(problems.length === 0 ? say.drilled : `${say.drillFailed} ${problems.join("; ")}`, { error: problems.length > 0 });
    await again();
  });
  return [
    last ? found(last, drilled) : h("p", { class: "empty" }, say.noDrill),
    h("div", { class: "actions" }, button(say.runDrill, run, { scope: "admin", busy: say.drilling, disabled: copies.length === 0 }), h("span", { class: "note" }, say.drillHint)),
  ];
}

function found(last, drilled) {
  const about = h("p", { class: "note" }, h("code", null, last.file), ` ${say.drillOf(moment(last.made), moment(last.at), seconds(last.seconds))}`);
  if (last.problems.length > 0) return [h("div", { class: "problem" }, h("strong", null, say.drillFailed), h("ul", null, last.problems.map(problem => h("li", null, problem)))), about, drilled !== null && h("p", { class: "note" }, say.lastDrilled(moment(drilled)))];
  const fact = (name, value) => h("div", null, h("dt", null, name), h("dd", null, value));
  return h("div", { class: "stack" },
    h("p", { class: "fine" }, say.drilled),
    h("dl", { class: "facts" }, fact(say.memories, count(last.memories)), fact(say.rowsOf(count(last.tables)), count(last.rows)), fact(say.foundAgain, say.ofAsked(count(last.found), count(last.asked)))),
    h("p", { class: "note" }, say.asNow(count(last.as_now), count(last.changed))), about);
}
