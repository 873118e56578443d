// Sessions, events and episodes on one timeline, live while an agent works; and what was learned.

import { call } from "../api.js";
import { address } from "../app.js";
import { field } from "../components/field.js";
import { bars } from "../components/plot.js";
import { told } from "../components/toast.js";
import { add, h, replace, rested } from "../dom.js";
import { day, moment, seconds } from "../format.js";
import { bind } from "../keyboard.js";
import { follow } from "../live.js";
import { words } from "../strings.js";
import { days, entries } from "./time_entries.js";
import { episodeDetail } from "./time_episode.js";
import { dayParts } from "./time_feed.js";
import { patterns } from "./time_patterns.js";

export const title = words.time;

const say = words.timeView;
const OVERVIEW_DAYS = 60, KINDS_DAYS = 366, DRAW_MS = 150, CHANGED_MS = 800, DAY_S = 86_400;

export async function render(root, params, view) {
  if (params.mode === "patterns") await patterns(root, params, view, modes("patterns"));
  else await timeline(root, params, view);
}

function modes(now) {
  const mode = (name, given) => h("a", { class: "button", href: address("time", given), "aria-current": now === name ? "true" : null }, say[name]);
  return h("span", { class: "modes actions" }, mode("timeline", {}), mode("patterns", { mode: "patterns" }));
}

async function timeline(root, params, view) {
  const [stats, kinds] = await Promise.all([call("stats", {}, view), call("event_timeline", { days: KINDS_DAYS }, view)]);
  const filters = filterFields(params, stats, kinds);
  const status = h("span", { class: "note", role: "status" }), live = h("button", { type: "button", class: "quiet live", onclick: () => setLive(!isLive) });
  const overview = h("div", null), feed = h("div", { class: "timeline" }), detail = h("section", { class: "detail", "aria-label": say.detail, tabindex: -1 });
  const more = h("button", { type: "button", onclick: () => earlier() }, say.earlier);
  const sight = new IntersectionObserver(seen => { if (seen.some(each => each.isIntersecting)) earlier(); }, { rootMargin: "400px" });
  const open = { unfolded: new Set(), shown: null };
  let list, turn, isLive = !filters.until.input.value, isConnected = false, isLoading = false, fresh = 0;

  const given = () => Object.fromEntries(Object.entries(filters).map(([name, each]) => [name, each.input.value || undefined]));
  const tellAddress = () => view.setParams({ ...given(), open: open.shown?.id });

  function draw() {
    const at = document.activeElement?.dataset?.id;
    const rows = list.all();
    replace(feed, rows.length === 0 && list.ended && h("p", { class: "empty" }, say.nothing), days(rows).map(each => dayParts(each, { open, show, redraw: draw, only })));
    more.hidden = list.ended;
    const links = [...feed.querySelectorAll(".entry")], mine = links.find(each => each.dataset.id === at);
    if (links.length) (mine ?? links[0]).tabIndex = 0;
    mine?.focus({ preventScroll: true });
    markShown();
  }
  const drawSoon = rested(draw, DRAW_MS);

  function markShown() {
    for (const each of feed.querySelectorAll(".entry")) {
      if (each.dataset.id === open.shown?.id) each.setAttribute("aria-current", "true");
      else each.removeAttribute("aria-current");
    }
  }

  async function begin() {
    turn?.abort();
    turn = new AbortController();
    view.signal.addEventListener("abort", () => turn.abort(), { signal: turn.signal });
    const { until, ...where } = given();
    // The day that is named is seen to its end.
    list = entries(where, until ? new Date(`${until}T00:00`).getTime() / 1000 + DAY_S : null, turn.signal);
    await told(async () => {
      const found = await call("event_timeline", { days: OVERVIEW_DAYS, project: where.project }, { signal: turn.signal });
      replace(overview, overviewOf(found, only));
      await list.earlier();
      draw();
    });
  }

  async function earlier() {
    if (isLoading || list.ended) return;
    isLoading = true;
    await told(() => list.earlier());
    isLoading = false;
    draw();
    // Asked again whether it is in sight: what came may have folded into a line.
    sight.unobserve(more);
    sight.observe(more);
  }

  async function show(row, { focus = false, again = false } = {}) {
    open.shown = row;
    markShown();
    tellAddress();
    await told(async () => {
      if (row.isEpisode) await episodeDetail(detail, row.id, { close, go: id => show({ id, isEpisode: true }), only, signal: turn.signal });
      else replace(detail, eventDetail(row, { close, only }));
      detail.classList.add("open");
      if (focus) detail.focus();
      // Where there is no room beside the timeline it stands above.
      if (!again && matchMedia("(max-width: 800px)").matches) detail.scrollIntoView();
    });
  }

  function close() {
    const at = open.shown?.id;
    open.shown = null;
    detail.classList.remove("open");
    replace(detail, h("p", { class: "empty" }, say.choose));
    markShown();
    tellAddress();
    feed.querySelector(`[data-id="${CSS.escape(at ?? "")}"]`)?.focus();
  }

  // Narrows the timeline: only({session: "s1"}).
  function only(changed) {
    for (const [name, value] of Object.entries(changed)) filters[name].input.value = value;
    changedFilters();
  }
  const changedFilters = () => { setLive(!filters.until.input.value); tellAddress(); begin(); };

  function setLive(yes) {
    isLive = yes;
    if (yes && filters.until.input.value) { filters.until.input.value = ""; changedFilters(); return; }
    tellLive();
    if (yes && list) refresh();
  }
  function tellLive() {
    live.setAttribute("aria-pressed", String(isLive));
    live.classList.toggle("on", isLive && isConnected);
    replace(live, h("span", { class: "dot", "aria-hidden": "true" }), !isLive ? say.paused : isConnected ? say.live : say.connecting);
  }

  const tellFresh = rested(() => { if (fresh) status.textContent = say.fresh(fresh); fresh = 0; }, 1000);
  const refresh = rested(() => told(async () => {
    if (!isLive) return;
    fresh += await list.refresh();
    draw();
    tellFresh();
    // One that is worked on has steps that are new, or an end.
    if (open.shown?.outcome === "open") await show(list.all().find(row => row.id === open.shown.id) ?? open.shown, { again: true });
  }), CHANGED_MS);

  bindKeys({ feed, detail, view, earlier, close, toggleLive: () => setLive(!isLive), show: id => show(list.all().find(row => row.id === id)) });
  for (const each of Object.values(filters)) each.input.addEventListener("change", changedFilters);
  replace(detail, h("p", { class: "empty" }, say.choose));
  add(root, [
    h("header", null, h("h1", null, words.time), live, status, modes("timeline")),
    h("details", { class: "controls", open: matchMedia("(min-width: 900px)").matches }, h("summary", null, words.searchView.filters),
      h("div", { class: "fields" }, Object.values(filters)), overview),
    h("div", { class: "split" }, h("div", { class: "view" }, feed, more), detail),
  ]);
  tellLive();
  await begin();
  // What is further back than what was fetched can be shown if it is an episode.
  const wanted = params.open && (list.all().find(row => row.id === params.open) ?? (!params.open.startsWith("ev_") && { id: params.open, isEpisode: true }));
  if (wanted) await show(wanted);
  sight.observe(more);
  follow({
    happened: event => { if (isLive && list.add(event)) { fresh += 1; drawSoon(); tellFresh(); } },
    changed: refresh,
    connected: yes => { isConnected = yes; tellLive(); if (yes) refresh(); },
  }, view.signal);
}

function filterFields(params, stats, kinds) {
  const names = new Set(kinds.days.flatMap(each => Object.keys(each.by_type)));
  names.add("episode");
  return {
    kind: field(words.searchView.kind, { options: [["", say.allKinds], ...[...names].sort().map(name => [name, name])], value: params.kind ?? "" }),
    session: field(say.session, { value: params.session }),
    project: field(words.searchView.project, { list: Object.keys(stats.projects), value: params.project }),
    until: field(say.until, { type: "date", value: params.until }),
  };
}

// How much happened by day; a press on a day goes there.
function overviewOf({ days: found }, only) {
  if (found.length === 0) return null;
  const by = new Map(found.map(each => [each.day, each])), first = Date.now() - (OVERVIEW_DAYS - 1) * DAY_S * 1000;
  const names = Array.from({ length: OVERVIEW_DAYS }, (_, at) => localDay(new Date(first + at * DAY_S * 1000)));
  const values = pick => names.map(name => pick(by.get(name) ?? { total: 0, failed: 0 }));
  return bars({
    title: say.overview(OVERVIEW_DAYS), height: 90, names: names.map(name => day(Date.parse(`${name}T12:00`) / 1000).replace(/ \d+$/, "")),
    series: [{ name: say.went, values: values(each => each.total - each.failed), color: 1 }, { name: say.failed, values: values(each => each.failed), color: 2 }],
    onpick: at => only({ until: names[at] }),
  });
}

const localDay = date => `${date.getFullYear()}-${String(date.getMonth() + 1).padStart(2, "0")}-${String(date.getDate()).padStart(2, "0")}`;

function eventDetail(row, { close, only }) {
  const facts = [
    [words.searchView.kind, row.kind], [say.at, moment(row.at)], [say.outcome, row.outcome], [say.took, row.took !== null && seconds(row.took)],
    [say.session, row.session && h("button", { type: "button", class: "quiet code", onclick: () => only({ session: row.session }) }, row.session)],
    [words.searchView.project, row.project], [say.id, h("code", null, row.id)],
  ].filter(([, value]) => value);
  return [
    h("div", { class: "detail-head" }, h("h2", null, row.kind), h("button", { type: "button", class: "quiet", "aria-label": words.close, onclick: close }, "×")),
    h("div", { class: "content" }, row.text),
    h("dl", { class: "pairs" }, facts.map(([name, value]) => [h("dt", null, name), h("dd", null, value)])),
  ];
}

function bindKeys({ feed, detail, view, earlier, close, toggleLive, show }) {
  const all = () => [...feed.querySelectorAll(".entry")];
  const shown = rested(show, 120);
  const move = by => {
    const links = all(), at = links.indexOf(document.activeElement);
    if (links.length === 0) return false;
    const next = links[Math.max(0, Math.min(links.length - 1, at < 0 ? links.findIndex(each => each.tabIndex === 0) : at + by))];
    for (const each of links) each.tabIndex = each === next ? 0 : -1;
    next.focus();
    shown(next.dataset.id);
    if (next === links.at(-1)) earlier();
    return true;
  };
  const moveDay = by => {
    const heads = [...feed.querySelectorAll(".day")], entry = document.activeElement?.closest(".day");
    const next = heads[Math.max(0, Math.min(heads.length - 1, heads.indexOf(entry) + by))];
    const first = next?.querySelector(".entry");
    if (!first) return false;
    next.scrollIntoView({ block: "start" });
    first.focus({ preventScroll: true });
    shown(first.dataset.id);
    return true;
  };
  const step = by => {
    const steps = [...detail.querySelectorAll("details.step")];
    if (steps.length === 0) return false;
    const at = steps.findIndex(each => each.open);
    const next = steps[Math.max(0, Math.min(steps.length - 1, at < 0 ? 0 : at + by))];
    for (const each of steps) each.open = each === next;
    next.scrollIntoView({ block: "nearest" });
    return true;
  };
  bind(words.time, {
    j: [() => move(1), say.next], k: [() => move(-1), say.previous], ArrowDown: [() => move(1)], ArrowUp: [() => move(-1)],
    "]": [() => moveDay(1), say.dayBefore], "[": [() => moveDay(-1), say.dayAfter],
    n: [() => step(1), say.nextStep], p: [() => step(-1), say.previousStep],
    l: [toggleLive, say.toggleLive], t: [() => { location.hash = address("time", { mode: "patterns" }); }, say.patterns],
    Escape: [close, words.close],
  }, view.signal);
}

