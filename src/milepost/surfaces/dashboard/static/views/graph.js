// Entities and how they hang together: around a subject, from one to the next, now and then.

import { call } from "../api.js";
import { address } from "../app.js";
import { button } from "../components/button.js";
import { graphCanvas, SHAPES } from "../components/graph_canvas.js";
import { slider } from "../components/slider.js";
import { table } from "../components/table.js";
import { told } from "../components/toast.js";
import { add, h, newId, replace, rested, svg } from "../dom.js";
import { count, day } from "../format.js";
import { bind } from "../keyboard.js";
import { words } from "../strings.js";
import { graphData } from "./graph_data.js";

export const title = words.graph;

const say = words.graphView;
const DAY_S = 86_400, FOUND = 12, FACTS = 200, COLOURS = 6, ZOOM = 1.3, DAYS_LEAST = 365;
// Before anything that somebody may have said.
const EVER = "1000-01-01";

export async function render(root, params, view) {
  const stats = await call("stats", {}, view);
  const data = graphData(view.signal), hidden = new Set(), colours = new Map();
  const hint = newId("hint"), status = h("p", { class: "note", role: "status" }), detail = h("section", { class: "detail", "aria-label": say.detail, tabindex: -1 });
  const canvas = graphCanvas({ label: words.graph, hint, onselect: name => select(name), onopen: name => expand(name) });
  const legend = h("div", { class: "legend types", role: "group", "aria-label": say.types }), listed = h("div", null);
  const list = h("details", { class: "panel", ontoggle: () => drawList() }, h("summary", null, say.list), listed);
  const asked = h("input", { type: "search", placeholder: say.placeholder, "aria-label": say.search, autocomplete: "off", spellcheck: "false" }), found = h("ul", { class: "plain found" });
  const age = Math.max(DAYS_LEAST, Math.ceil((Date.now() / 1000 - (stats.oldest ?? Date.now() / 1000)) / DAY_S));
  const asOf = slider({ label: words.searchView.asOf, min: -age, max: 0, value: Number(params.as_of_days ?? 0), shown: days => (days === 0 ? say.now : day(Date.now() / 1000 + days * DAY_S)), oninput: rested(() => goTo(), 150) });
  const moreButton = button(say.more, () => more());
  let selected = "", reading = new AbortController();

  const date = () => (asOf.value === 0 ? "" : new Date(Date.now() + asOf.value * DAY_S * 1000).toISOString());
  const tellAddress = () => view.setParams({ entity: selected, as_of_days: asOf.value || "" });

  function draw() {
    const { nodes, edges } = data.all(hidden);
    paint(nodes);
    canvas.set({ nodes: nodes.map(each => ({ ...each, color: colours.get(each.type) })), edges: edges.map(each => ({ from: each.source, to: each.target, name: each.relation.replaceAll("_", " ") })) });
    canvas.select(selected);
    drawLegend();
    drawList();
    status.textContent = nodes.length ? say.shown(count(nodes.length), count(edges.length)) : say.nothing;
  }

  // The commonest types have a colour of their own, which they keep.
  function paint(nodes) {
    const often = new Map();
    for (const { type } of nodes) often.set(type, (often.get(type) ?? 0) + 1);
    for (const [type] of [...often].sort((a, b) => b[1] - a[1])) if (!colours.has(type)) colours.set(type, Math.min(colours.size + 1, COLOURS));
  }

  function drawLegend() {
    const often = new Map();
    for (const type of data.types.values()) often.set(type, (often.get(type) ?? 0) + 1);
    replace(legend, [...often].sort((a, b) => b[1] - a[1]).map(([type, number]) => h("button", {
      type: "button", class: "quiet", "aria-pressed": String(!hidden.has(type)), title: hidden.has(type) ? say.show(type) : say.hide(type),
      onclick: () => { if (!hidden.delete(type)) hidden.add(type); draw(); legend.querySelector(`[data-type="${CSS.escape(type)}"]`)?.focus(); }, dataset: { type },
    }, mark(colours.get(type)), `${type} ${count(number)}`)));
  }

  function drawList() {
    if (!list.open) return;
    const { edges } = data.all(hidden), name = each => h("button", { type: "button", class: "quiet code", onclick: () => select(each, true) }, each);
    replace(listed, table({
      caption: say.list, rows: edges, empty: say.nothing,
      columns: [
        { title: say.from, cell: row => name(row.source) }, { title: say.relation, cell: row => row.relation.replaceAll("_", " ") }, { title: say.to, cell: row => name(row.target) },
        { title: say.time, cell: row => span(row) }, { title: say.source, cell: row => source(row) },
      ],
    }));
  }

  async function goTo() {
    tellAddress();
    await told(async () => {
      await data.at(date());
      draw();
    });
    if (selected) await show(selected);
  }

  // Whether there is such an entity.
  async function expand(name) {
    return await told(async () => {
      const had = data.size, total = await data.expand(name);
      draw();
      const around = data.all(new Set()).edges.filter(each => each.source === name || each.target === name).length;
      status.textContent = around < total ? say.some(name, count(around), count(total)) : say.expanded(name, count(data.size - had));
      return true;
    }) ?? false;
  }

  async function select(name, focus = false) {
    if (!data.types.has(name) && !await expand(name)) return;
    selected = name;
    tellAddress();
    canvas.select(name);
    await show(name, focus);
  }

  async function show(name, focus = false) {
    reading.abort();
    reading = new AbortController();
    const { signal } = reading;
    view.signal.addEventListener("abort", () => reading.abort(), { signal });
    await told(async () => {
      const [around, history] = await Promise.all([
        call("neighbours", { entity: name, as_of: date(), limit: FACTS }, { signal }),
        call("graph_diff", { a: EVER, b: date() || "now", entity: name, limit: FACTS }, { signal }),
      ]);
      const [entity] = around.entities;
      replace(detail, facts(entity, around, history.said, acts));
      detail.classList.add("open");
      if (focus) detail.focus();
    });
  }

  function close() {
    selected = "";
    tellAddress();
    canvas.select("");
    detail.classList.remove("open");
    replace(detail, h("p", { class: "empty" }, say.choose));
  }

  // Nothing but one entity and what hangs on it; or all from the beginning.
  async function only(name) {
    data.clear();
    canvas.fit();
    await (name ? expand(name) : more());
    if (name) await select(name);
  }
  const more = () => told(async () => {
    const total = await data.begin();
    draw();
    moreButton.disabled = data.size >= total;
  });

  const acts = { select: name => select(name, true), expand, only, close, colour: type => colours.get(type) ?? COLOURS };

  const search = rested(() => told(async () => {
    const query = asked.value.trim();
    const matching = query ? (await call("search_graph", { query, max_results: FOUND }, view)).entities : [];
    replace(found, query && matching.length === 0 && h("li", { class: "empty" }, say.notFound), matching.map(each => h("li", null,
      h("button", { type: "button", class: "quiet", onclick: () => pick(each.name) }, h("span", null, each.name), h("span", { class: "note" }, [each.entity_type, each.relations > 0 && say.relations(each.relations)].filter(Boolean).join(" · "))))));
  }), 150);
  async function pick(name) {
    replace(found);
    asked.value = "";
    await select(name);
    canvas.focus();
  }
  asked.addEventListener("input", search);
  found.addEventListener("keydown", event => moveIn(event, found, asked));
  asked.addEventListener("keydown", event => moveIn(event, found, asked));

  bind(words.graph, {
    ArrowLeft: [() => { canvas.focus(); canvas.step(-1, 0); }], ArrowRight: [() => { canvas.focus(); canvas.step(1, 0); }, say.stepKey],
    Enter: [event => (event.target === document.body && selected ? void expand(selected) : false), say.expandKey],
    e: [() => selected && void expand(selected), say.expandKey], o: [() => void only(selected), say.onlyKey],
    "+": [() => canvas.zoom(ZOOM), say.nearer], "-": [() => canvas.zoom(1 / ZOOM), say.further], 0: [() => canvas.fit(), say.fit],
    "[": [() => { asOf.value -= 7; goTo(); }, say.earlier], "]": [() => { asOf.value = Math.min(0, asOf.value + 7); goTo(); }, say.later],
    l: [() => { list.open = !list.open; }, say.list], Escape: [close, words.close],
  }, view.signal);
  replace(detail, h("p", { class: "empty" }, say.choose));
  add(root, [
    h("header", null, h("h1", null, words.graph), h("div", { class: "graph-search", role: "search" }, asked, found), h("span", { class: "modes actions" },
      moreButton, button(say.overview, () => { close(); only(""); }))),
    h("div", { class: "split graph-split" },
      h("div", { class: "graph-side" }, legend, h("div", { class: "graph-frame" }, canvas,
        h("div", { class: "zooms" }, [["+", say.nearer, () => canvas.zoom(ZOOM)], ["−", say.further, () => canvas.zoom(1 / ZOOM)], ["⤢", say.fit, () => canvas.fit()]].map(([sign, name, act]) =>
          h("button", { type: "button", "aria-label": name, title: name, onclick: act }, sign)))),
      h("p", { class: "hidden", id: hint }, say.hint), status, asOf),
      detail),
    list,
  ]);
  await told(() => data.at(date()));
  if (params.entity) await select(params.entity);
  if (!selected) await more();
}

// Up and down between the question and what was found; Enter in the question takes the first.
function moveIn(event, found, asked) {
  const links = [...found.querySelectorAll("button")], at = links.indexOf(document.activeElement);
  if (event.key === "ArrowDown") links[Math.min(links.length - 1, at + 1)]?.focus();
  else if (event.key === "ArrowUp") (at > 0 ? links[at - 1] : asked).focus();
  else if (event.key === "Escape") { replace(found); asked.focus(); }
  else if (event.key === "Enter" && event.target === asked) links[0]?.click();
  else return;
  event.preventDefault();
  event.stopPropagation();
}

function mark(color) {
  const [corners, turned] = SHAPES[color];
  const points = Array.from({ length: corners }, (_, corner) => [5 + 5 * Math.cos(turned + (2 * Math.PI * corner) / corners), 5 + 5 * Math.sin(turned + (2 * Math.PI * corner) / corners)].join(","));
  return svg("svg", { viewBox: "0 0 10 10", "aria-hidden": "true" },
    corners ? svg("polygon", { class: `fill-${color}`, points: points.join(" ") }) : svg("circle", { class: `fill-${color}`, cx: 5, cy: 5, r: 4.4 }));
}

const span = row => (row.valid_to ? say.fromTo(day(row.valid_from), day(row.valid_to)) : say.since(day(row.valid_from)));

function source(row) {
  const said = say.origins[row.origin] ?? row.origin;
  return [said, row.memory && [" ", h("a", { href: address("browse", { hash: row.memory }) }, row.memory)], row.support > 1 && ` +${row.support - 1}`];
}

function facts(entity, { relations, total }, said, { select, expand, only, close, colour }) {
  const pairs = [[say.aliases, (entity.aliases ?? []).join(", ")], [say.memories, entity.memories > 0 && h("a", { href: address("search", { q: entity.name }) }, count(entity.memories))],
    [words.browseView.metadata, Object.keys(entity.metadata ?? {}).length > 0 && h("code", null, JSON.stringify(entity.metadata))]].filter(([, value]) => value);
  const line = row => {
    const out = row.source === entity.name, other = out ? row.target : row.source;
    return h("li", null,
      h("p", null, h("span", { class: "note" }, out ? "→ " : "← "), row.relation.replaceAll("_", " "), " ", h("button", { type: "button", class: "quiet code", onclick: () => select(other) }, mark(colour(out ? row.target_type : row.source_type)), other)),
      h("div", { class: "about note" }, span(row), " · ", source(row)));
  };
  return [
    h("div", { class: "detail-head" }, h("h2", null, entity.name), h("button", { type: "button", class: "quiet", "aria-label": words.close, onclick: close }, "×")),
    h("p", { class: "about" }, h("span", { class: "chip kind" }, mark(colour(entity.entity_type)), entity.entity_type), (entity.marks ?? []).map(each => h("span", { class: "chip bad" }, each))),
    h("div", { class: "actions" }, button(say.expand, () => expand(entity.name), { key: "e" }), button(say.only, () => only(entity.name), { key: "o" })),
    pairs.length > 0 && h("dl", { class: "pairs" }, pairs.map(([name, value]) => [h("dt", null, name), h("dd", null, value)])),
    said.length > 0 && h("section", { class: "panel" }, h("h2", null, say.said), h("ul", { class: "plain feed" }, said.map(each => h("li", null, h("p", null, each.text), h("div", { class: "about note" }, span(each), " · ", source(each)))))),
    h("section", { class: "panel" }, h("h2", null, say.relationsTitle, h("small", null, relations.length < total ? say.of(count(relations.length), count(total)) : count(total))),
      relations.length === 0 ? h("p", { class: "empty" }, say.noRelations) : h("ul", { class: "plain feed" }, relations.map(line))),
  ];
}
