// Search as an instrument: the answer that a model would get, what it costs, and why each line is in it.

import { call, lately } from "../api.js";
import { address } from "../app.js";
import { field } from "../components/field.js";
import { chips, when } from "../components/memories.js";
import { meter } from "../components/plot.js";
import { slider } from "../components/slider.js";
import { add, h, replace, rested } from "../dom.js";
import { count, day, share } from "../format.js";
import { bind } from "../keyboard.js";
import { words } from "../strings.js";

export const title = words.search;

const say = words.searchView;
const DAY_S = 86_400, DAYS_MAX = 36_500, AT_ONCE = 2;
// What gains are shown of a line, each as a bar to either side.
const GAINS = ["words", "meaning", "neighbours", "age"];
const FILTERS = ["project", "kind", "tags", "min_trust", "after", "before"];

export async function render(root, params, view) {
  const stats = lately("stats"), tags = lately("tags", { limit: 200 });
  const asked = h("input", { type: "search", value: params.q ?? "", placeholder: say.placeholder, "aria-label": say.question, class: "question", autocomplete: "off", spellcheck: "false" });
  const filters = {
    project: field(say.project, { list: stats.then(({ projects }) => Object.keys(projects)), value: params.project }),
    kind: field(say.kind, { list: stats.then(({ kinds }) => Object.keys(kinds)), value: params.kind }),
    tags: field(say.tag, { list: tags.then(found => found.tags.map(each => each.tag)), value: params.tags }),
    min_trust: field(say.trust, { options: [["", say.anyTrust], ...Object.entries(words.sources)], value: params.min_trust ?? "" }),
    after: field(say.after, { type: "date", value: params.after }),
    before: field(say.before, { type: "date", value: params.before }),
  };
  const limit = slider({ label: say.limit, min: 1, max: 25, value: Number(params.limit ?? 5), onchange: search });
  const budget = slider({ label: say.budget, min: 0, max: 2000, step: 25, value: Number(params.budget ?? 0), shown: value => (value ? words.tokens(value) : say.noBudget), oninput: rested(search, 120) });
  const asOf = slider({
    label: say.asOf, min: -DAYS_MAX, max: 0, value: Number(params.as_of_days ?? 0),
    shown: days => (days === 0 ? say.now : day(Date.now() / 1000 + days * DAY_S)), oninput: rested(search, 120),
  });
  stats.then(({ oldest }) => { if (oldest) asOf.min = -Math.ceil((Date.now() / 1000 - oldest) / DAY_S); else asOf.hidden = true; }, () => null);
  const superseded = h("input", { type: "checkbox", checked: params.include_superseded === "true", onchange: search });
  const summary = h("p", { class: "summary", role: "status" });
  const results = h("ol", { class: "plain results" });
  const text = h("pre", { class: "as-told", tabindex: 0, "aria-label": say.asModel });
  const asModel = h("details", { class: "panel model" }, h("summary", null, say.asModel), text);
  let turn = new AbortController();

  function given() {
    const chosen = Object.fromEntries(FILTERS.map(name => [name, filters[name].input.value]));
    const days = asOf.value;
    return {
      ...chosen, include_superseded: superseded.checked || undefined,
      as_of: days === 0 ? undefined : new Date(Date.now() + days * DAY_S * 1000).toISOString(),
    };
  }

  async function search() {
    turn.abort();
    turn = new AbortController();
    view.signal.addEventListener("abort", () => turn.abort(), { signal: turn.signal });
    const { signal } = turn, query = asked.value.trim(), where = given();
    const { as_of: _, ...kept } = where;
    view.setParams({ q: query, ...kept, limit: limit.value === 5 ? "" : limit.value, budget: budget.value || "", as_of_days: asOf.value || "" });
    if (!query) {
      replace(results);
      replace(summary, h("span", { class: "note" }, say.hint));
      asModel.hidden = true;
      return;
    }
    const sent = { query, ...where, limit: limit.value, budget: budget.value || undefined };
    try {
      const began = performance.now();
      const [found, told] = await Promise.all([call("search", sent, { signal }), call("search", sent, { signal, shape: "text" })]);
      const ms = performance.now() - began;
      const lines = told.split("\n");
      const own = found.memories.map(memory => lines.find(line => line.startsWith(`${memory.hash} `)) ?? memory.preview);
      const prices = await call("count_tokens", { texts: [told, ...own] }, { signal });
      tell(found, told, prices, ms);
      await explainAll(query, where, found.memories, signal);
    } catch (problem) {
      if (problem.name === "AbortError") return;
      replace(results);
      replace(summary, h("span", { class: "problem" }, problem.message));
    }
  }

  function tell(found, told, [price, ...prices], ms) {
    replace(summary, h("strong", null, say.shown(count(found.memories.length), count(found.total))), ` · ${words.tokens(price)} · ${Math.round(ms)} ms`);
    asModel.hidden = false;
    text.textContent = told;
    replace(results, found.memories.map((memory, at) => h("li", { id: `r-${memory.hash}` },
      h("div", { class: "result-head" },
        h("span", { class: "place" }, at + 1), h("span", { class: "about" }, chips(memory), h("span", { class: "note" }, when(memory.created))),
        h("span", { class: "price" }, words.tokens(prices[at]))),
      h("a", { class: "passage", href: address("browse", { hash: memory.hash }) }, memory.preview),
      h("div", { class: "score" }, h("span", null, say.score(share(memory.score))), meter(memory.score, say.score(share(memory.score)))),
      h("div", { class: "why" }))));
  }

  async function explainAll(query, where, memories, signal) {
    const waiting = [...memories];
    const explain = async () => {
      for (let memory = waiting.shift(); memory; memory = waiting.shift()) {
        const placement = await call("explain", { query, hash: memory.hash, ...where }, { signal });
        const place = results.querySelector(`#r-${CSS.escape(memory.hash)} .why`);
        if (place) replace(place, why(placement));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, explain));
  }

  asked.addEventListener("input", rested(search));
  for (const name of FILTERS) filters[name].input.addEventListener("change", search);
  bind(words.search, {
    ArrowDown: [() => step(results, 1), say.nextResult], ArrowUp: [() => step(results, -1), say.previousResult],
    w: [() => { const all = [...results.querySelectorAll("details.reasons")], open = !all.every(each => each.open); for (const each of all) each.open = open; }, say.allReasons],
    m: [() => { asModel.open = !asModel.open; }, say.asModel],
  }, view.signal);
  add(root, [
    h("header", null, h("h1", null, words.search)),
    h("form", { role: "search", onsubmit: event => { event.preventDefault(); search(); } }, asked),
    h("div", { class: "instrument" },
      h("details", { class: "controls", open: matchMedia("(min-width: 900px)").matches }, h("summary", null, say.filters),
        h("div", { class: "fields" }, Object.values(filters)),
        h("div", { class: "sliders" }, limit, budget, asOf, h("label", null, superseded, say.superseded))),
      h("div", { class: "answer" }, summary, results, asModel)),
  ]);
  if (!params.q) asked.focus({ preventScroll: true });
  await search();
}

function step(results, by) {
  const links = [...results.querySelectorAll("a.passage")];
  if (links.length === 0) return false;
  const at = links.indexOf(document.activeElement);
  links[Math.max(0, Math.min(links.length - 1, at < 0 ? (by > 0 ? 0 : links.length - 1) : at + by))].focus();
  return true;
}

// The reasons of a placement: gains over the usual candidate, trust, freshness, words, and in full.
function why(placement) {
  const most = Math.max(1, ...GAINS.map(name => Math.abs(placement.gains[name] ?? 0)));
  const gains = GAINS.map(name => {
    const gain = placement.gains[name] ?? 0, size = Math.abs(gain).toFixed(1);
    return h("div", { class: "gain", title: say.gains[name] }, h("span", null, say.gainNames[name]),
      h("span", { class: "track", "aria-hidden": "true" }, h("span", { class: gain < 0 ? "gain-bar less" : "gain-bar", style: { width: `${50 * Math.abs(gain) / most}%` } })),
      h("span", { class: "number" }, `${Number(size) === 0 ? "" : gain < 0 ? "−" : "+"}${size}`));
  });
  const part = (name, value, label) => h("div", { class: "gain", title: label }, h("span", null, name),
    h("span", { class: "track whole", "aria-hidden": "true" }, h("span", { class: "gain-bar", style: { width: `${100 * value}%` } })), h("span", { class: "number" }, share(value)));
  return [
    h("div", { class: "gains" }, gains, part(say.trustPart, placement.trust, say.trusted(words.sources[placement.source] ?? placement.source)), part(say.freshness, placement.freshness, say.fresh)),
    h("p", { class: "words" },
      placement.met.map(word => h("span", { class: "chip kind" }, word)),
      placement.akin.map(word => h("span", { class: "chip", title: say.akin }, `≈ ${word}`)),
      placement.missed.map(word => h("span", { class: "chip missed", title: say.missed }, word))),
    h("details", { class: "reasons" }, h("summary", null, say.inFull), h("ul", null, placement.reasons.map(reason => h("li", null, reason)))),
  ];
}
