// What holds across episodes: each pattern with its evidence, its arithmetic and what it brought.

import { call } from "../api.js";
import { address } from "../app.js";
import { field } from "../components/field.js";
import { meter } from "../components/plot.js";
import { told } from "../components/toast.js";
import { add, h, replace } from "../dom.js";
import { count, moment, share } from "../format.js";
import { bind } from "../keyboard.js";
import { words } from "../strings.js";
import { episodeLine } from "./time_episode.js";

const say = words.timeView;
const KINDS = ["sequence", "decision", "recovery", "context", "trap"], SHOWN_MAX = 200;

export async function patterns(root, params, view, modes) {
  const kind = field(words.searchView.kind, { options: [["", say.allKinds], ...KINDS.map(name => [name, say.patternKinds[name]])], value: params.kind ?? "" });
  const retired = field(say.retired, { type: "checkbox", checked: params.retired === "true" });
  retired.classList.add("check");
  const list = h("ol", { class: "plain patterns" }), total = h("span", { class: "note", role: "status" });
  const detail = h("section", { class: "detail", "aria-label": say.pattern, tabindex: -1 });
  let shown = params.open ?? "";

  const given = () => ({ kind: kind.input.value || undefined, include_retired: retired.input.checked || undefined });
  const tellAddress = () => view.setParams({ mode: "patterns", kind: given().kind, retired: given().include_retired, open: shown });

  async function begin() {
    tellAddress();
    await told(async () => {
      const [found, effects] = await Promise.all([call("list_patterns", { ...given(), limit: SHOWN_MAX }, view), call("pattern_effectiveness", { limit: SHOWN_MAX }, view)]);
      const effect = new Map(effects.map(each => [each.id, each]));
      total.textContent = say.patternsTotal(count(found.total));
      replace(list, found.patterns.length === 0 ? h("li", { class: "empty" }, say.noPatterns) : found.patterns.map(each => h("li", null, line(each, effect.get(each.id), show))));
      mark();
    });
  }

  async function show(id, focus = false) {
    shown = id;
    tellAddress();
    mark();
    await told(async () => {
      const [explained, [effect]] = await Promise.all([call("explain_pattern", { pattern: id }, view), call("pattern_effectiveness", { pattern: id }, view)]);
      replace(detail, whole(explained, effect, close));
      detail.classList.add("open");
      if (focus) detail.focus();
      if (matchMedia("(max-width: 800px)").matches) detail.scrollIntoView();
    });
  }

  function close() {
    list.querySelector("[aria-current]")?.focus();
    shown = "";
    tellAddress();
    mark();
    detail.classList.remove("open");
    replace(detail, h("p", { class: "empty" }, say.choosePattern));
  }

  function mark() {
    const links = [...list.querySelectorAll(".entry")];
    for (const each of links) {
      if (each.dataset.id === shown) each.setAttribute("aria-current", "true");
      else each.removeAttribute("aria-current");
      each.tabIndex = each.dataset.id === shown ? 0 : -1;
    }
    if (links.length && !links.some(each => each.tabIndex === 0)) links[0].tabIndex = 0;
  }

  const move = by => {
    const links = [...list.querySelectorAll(".entry")], at = links.indexOf(document.activeElement);
    if (links.length === 0) return false;
    const next = links[Math.max(0, Math.min(links.length - 1, at < 0 ? 0 : at + by))];
    next.focus();
    show(next.dataset.id);
    return true;
  };
  bind(words.time, {
    j: [() => move(1), say.next], k: [() => move(-1), say.previous], ArrowDown: [() => move(1)], ArrowUp: [() => move(-1)],
    t: [() => { location.hash = address("time"); }, say.timeline], Escape: [close, words.close],
  }, view.signal);
  for (const each of [kind, retired]) each.input.addEventListener("change", begin);
  replace(detail, h("p", { class: "empty" }, say.choosePattern));
  add(root, [
    h("header", null, h("h1", null, say.patterns), total, modes),
    h("div", { class: "fields" }, kind, retired),
    h("div", { class: "split" }, list, detail),
  ]);
  await begin();
  if (shown) await show(shown);
}

function line(pattern, effect, show) {
  const all = pattern.successes + pattern.failures;
  return h("button", { type: "button", tabindex: -1, class: "entry pattern", dataset: { id: pattern.id }, onclick: event => show(pattern.id, event.detail === 0) },
    h("span", { class: `chip pattern-${pattern.kind}` }, say.patternKinds[pattern.kind] ?? pattern.kind),
    h("span", { class: "entry-text" }, pattern.advice, h("small", null, pattern.situation)),
    h("span", { class: "sure" }, h("span", { class: "note" }, say.held(pattern.successes, all)), meter(pattern.confidence, say.confidence(share(pattern.confidence))),
      effect && effect.shown > 0 && h("span", { class: "note" }, say.shownTimes(count(effect.shown)))));
}

function whole({ pattern, evidence, against, arithmetic }, effect, close) {
  const place = Object.entries(pattern.context ?? {}).map(([name, value]) => `${name} ${value}`).join(", ");
  const pairs = [
    [say.situation, pattern.situation], [say.where, place], [say.learned, moment(pattern.created)], [say.lastSeen, moment(pattern.updated)], [say.id, h("code", null, pattern.id)],
  ].filter(([, value]) => value);
  const episodes = (title, rows) => rows.length > 0 && h("section", { class: "panel" }, h("h2", null, title, h("small", null, count(rows.length))),
    h("ul", { class: "plain feed" }, rows.map(row => episodeLine(row, address("time", { open: row.id })))));
  return [
    h("div", { class: "detail-head" }, h("span", { class: "about" }, h("span", { class: `chip pattern-${pattern.kind}` }, say.patternKinds[pattern.kind] ?? pattern.kind), pattern.retired && h("span", { class: "chip warn" }, say.isRetired)),
      h("button", { type: "button", class: "quiet", "aria-label": words.close, onclick: close }, "×")),
    h("div", { class: "content" }, pattern.advice),
    pattern.steps.length > 1 && h("ol", null, pattern.steps.map(step => h("li", null, step))),
    h("dl", { class: "pairs" }, pairs.map(([name, value]) => [h("dt", null, name), h("dd", null, value)])),
    h("section", { class: "panel" }, h("h2", null, say.howSure, h("small", { class: "number" }, share(pattern.confidence))),
      meter(pattern.confidence, say.confidence(share(pattern.confidence))), h("ul", { class: "arithmetic" }, arithmetic.map(text => h("li", null, text)))),
    h("section", { class: "panel" }, h("h2", null, say.effect), effectParts(pattern, effect)),
    episodes(say.evidence, evidence), episodes(say.against, against),
  ];
}

function effectParts(pattern, effect) {
  if (pattern.shown === 0) return h("p", { class: "empty" }, say.neverShown);
  const fact = (value, name) => h("div", null, h("dt", null, name), h("dd", null, value));
  return [
    h("dl", { class: "facts" }, fact(count(pattern.shown), say.shown), fact(count(pattern.helped), say.helped), fact(count(pattern.hindered), say.hindered), effect && fact(share(effect.effectiveness), say.effectiveness)),
    effect && meter(effect.effectiveness, `${say.effectiveness} ${share(effect.effectiveness)}`, 3),
  ];
}
