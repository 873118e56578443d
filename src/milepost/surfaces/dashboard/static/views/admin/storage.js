// What the store holds and takes, how it is, and whether its index agrees with it.

import { call } from "../../api.js";
import { button } from "../../components/button.js";
import { meter } from "../../components/plot.js";
import { table } from "../../components/table.js";
import { told } from "../../components/toast.js";
import { h, replace } from "../../dom.js";
import { bytes, count, day } from "../../format.js";
import { words } from "../../strings.js";

const say = words.adminView;
const CHIPS = { ok: "chip kind", note: "chip warn", broken: "chip bad" }, ROWS = 12;

export async function panel(root, { signal }) {
  const [info, health] = await Promise.all([call("storage_info", {}, { signal }), call("storage_health", {}, { signal })]);
  const checked = h("div", { role: "status" });
  const check = () => told(async () => {
    const { problems, index_problems: ofIndex } = await call("check_storage", {}, { signal });
    replace(checked, problems.length + ofIndex.length === 0 ? h("p", { class: "fine" }, say.storeWhole) : h("div", { class: "problem" },
      [[say.storeBroken, problems], [say.indexRemade, ofIndex]].map(([name, lines]) => lines.length > 0 && [h("strong", null, name), h("ul", null, lines.map(line => h("li", null, line)))])));
  });
  const fact = (name, value) => h("div", null, h("dt", null, name), h("dd", null, value));
  replace(root,
    h("dl", { class: "facts" }, fact(say.storeSize, bytes(info.bytes)), fact(say.indexSize, bytes(info.index_bytes)), fact(say.free, bytes(info.free_bytes)), fact(say.memories, count(info.memories)), fact(say.replaced, count(info.hidden)), fact(say.inBin, count(info.held))),
    h("p", { class: "note" }, h("code", null, info.file), ` · ${say.about(info.segments, info.schema)}`, info.oldest !== null && ` · ${day(info.oldest)} – ${day(info.newest)}`),
    h("div", { class: "panels" },
      h("section", { class: "panel" }, h("h2", null, say.health), looks(health.checks), h("div", { class: "actions" }, button(say.check, check, { scope: "admin", busy: say.checking }), h("span", { class: "note" }, say.checkHint)), checked),
      [[say.largest, info.tables, bytes], [say.vectors, info.vectors, count], [say.panels.spaces, info.spaces, count]].map(([name, numbers, shown]) =>
        Object.keys(numbers).length > 0 && h("section", { class: "panel" }, h("h2", null, name), shares(name, numbers, shown)))));
}

const looks = checks => table({
  caption: say.health, rows: checks, empty: "",
  columns: [
    { title: say.looked, cell: each => each.name },
    { title: say.state, cell: each => h("span", { class: CHIPS[each.status] ?? "chip" }, each.status) },
    { title: say.found, cell: each => [each.found, each.repair && h("p", { class: "note" }, each.repair)] },
  ],
});

function shares(caption, numbers, shown) {
  const rows = Object.entries(numbers).sort(([, a], [, b]) => b - a).slice(0, ROWS), top = Math.max(1, ...rows.map(([, number]) => number));
  return table({ caption, rows, columns: [
    { title: "", cell: ([name, number]) => [name, meter(number / top, shown(number))] }, { title: say.size, number: true, cell: ([, number]) => shown(number) },
  ] });
}
