// What models were given and what it cost: by day, client, operation and session; and for a team.

import { call } from "../api.js";
import { field } from "../components/field.js";
import { bars, meter } from "../components/plot.js";
import { table } from "../components/table.js";
import { add, h, replace, rested } from "../dom.js";
import { compact, count, share } from "../format.js";
import { words } from "../strings.js";

export const title = words.costs;

const say = words.costsView;
const RANGES = [7, 30, 90, 365], ROWS = 12;

export async function render(root, params, view) {
  const days = RANGES.includes(Number(params.days)) ? Number(params.days) : 30;
  const range = field(say.range, { options: RANGES.map(each => [String(each), say.days(each)]), value: String(days), onchange: () => show(Number(range.input.value)) });
  const figures = h("div", { class: "view" }), team = h("div", null);
  add(root, [h("header", { class: "spread" }, h("h1", null, words.costs), range), figures,
    h("section", { class: "panel" }, h("h2", null, say.calculator), h("p", { class: "note" }, say.calculatorHint), calculator(team, view), team)]);

  async function show(number) {
    view.setParams({ days: number });
    replace(figures, told(await call("savings", { days: number }, view)));
  }

  await show(days);
}

function told({ total, days, sessions, operations, clients }) {
  if (total.texts === 0) return h("p", { class: "empty" }, say.nothing);
  const saved = total.instead_of ? 1 - total.tokens / total.instead_of : 0;
  const fact = (value, name) => h("div", null, h("dt", null, name), h("dd", null, value));
  return [
    h("dl", { class: "facts" }, fact(compact(total.tokens), say.tokens), fact(compact(total.instead_of), say.whole), fact(share(saved), say.saved), fact(count(total.texts), say.answers)),
    bars({
      title: say.byDay, names: days.map(each => each.name.slice(5)), overlay: true, height: 190,
      series: [{ name: say.whole, values: days.map(each => each.instead_of), color: 0 }, { name: say.tokens, values: days.map(each => each.tokens), color: 1 }],
    }),
    h("div", { class: "panels" }, [[say.byOperation, operations], [say.byClient, clients], [say.bySession, sessions]].map(([name, rows]) =>
      h("section", { class: "panel" }, h("h2", null, name), spent(name, rows)))),
  ];
}

function spent(name, rows) {
  const most = [...rows].sort((a, b) => b.tokens - a.tokens), top = Math.max(1, ...rows.map(row => row.tokens));
  return [
    table({
      caption: name, rows: most.slice(0, ROWS), empty: say.nothing,
      columns: [
        { title: "", cell: row => [row.name, meter(row.tokens / top, words.tokens(row.tokens))] },
        { title: say.answers, number: true, cell: row => count(row.texts) },
        { title: say.tokens, number: true, cell: row => count(row.tokens) },
        { title: say.saved, number: true, cell: row => (row.instead_of ? share(1 - row.tokens / row.instead_of) : "") },
      ],
    }),
    most.length > ROWS && h("p", { class: "note" }, say.others(count(most.length - ROWS))),
  ];
}

function calculator(team, view) {
  const fields = {
    users: field(say.users, { type: "number", min: 1, value: 10 }),
    sessions: field(say.sessions, { type: "number", min: 1, value: 5 }),
    workdays: field(say.workdays, { type: "number", min: 1, max: 31, value: 21 }),
    price: field(say.price, { type: "number", min: 0, step: "any", value: 3 }),
    currency: field(say.currency, { value: "$", maxlength: 4 }),
  };
  let turn = new AbortController();
  const reckon = async () => {
    turn.abort();
    turn = new AbortController();
    view.signal.addEventListener("abort", () => turn.abort(), { signal: turn.signal });
    const given = Object.fromEntries(Object.entries(fields).map(([name, each]) => [name, name === "currency" ? each.input.value : Number(each.input.value)]));
    try {
      replace(team, reckoned(await call("calculate_savings", given, { signal: turn.signal })));
    } catch (problem) {
      if (problem.name !== "AbortError") replace(team, h("p", { class: "problem", role: "alert" }, problem.message));
    }
  };
  for (const each of Object.values(fields)) each.input.addEventListener("input", rested(reckon, 150));
  reckon();
  return h("div", { class: "fields calculator" }, Object.values(fields));
}

function reckoned({ team, tokens, costs, assumptions }) {
  const money = value => `${team.currency}${count(Math.round(value * 100) / 100)}`;
  const rows = [...tokens.map(row => ({ ...row, shown: value => count(Math.round(value)) })), ...costs.map(row => ({ ...row, shown: money }))];
  return [
    table({
      caption: say.calculator, rows,
      columns: [
        { title: "", cell: row => row.name },
        { title: say.with, number: true, cell: row => row.shown(row.with_milepost) },
        { title: say.without, number: true, cell: row => row.shown(row.with_whole_objects) },
        { title: say.saved, number: true, cell: row => share(1 - row.with_milepost / row.with_whole_objects) },
      ],
    }),
    h("details", null, h("summary", { class: "note" }, say.assumed), h("ul", null, assumptions.map(line => h("li", { class: "note" }, line)))),
  ];
}
