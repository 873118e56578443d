// One day of the timeline: its heading, the day at a glance, and what happened by session.

import { h, svg } from "../dom.js";
import { clock, count, dayName, seconds } from "../format.js";
import { words } from "../strings.js";
import { failed } from "./time_entries.js";

const say = words.timeView;
// So many uses of tools in a row, all of which went well, become one line.
const FOLDED_FROM = 4;
const HOUR_S = 3600, HOURS_NAMED = 7, LANE = 7, TICKS = 12, LANES_MAX = 4;

// acts: open (what is unfolded), show(row), redraw(), only(filters).
export function dayParts(day, acts) {
  const sessions = new Set(day.rows.map(row => row.session).filter(Boolean)), wrong = day.rows.filter(failed).length;
  const about = [say.entries(count(day.rows.length)), sessions.size > 0 && say.sessions(sessions.size), wrong > 0 && say.wrong(wrong)].filter(Boolean).join(" · ");
  return h("section", { class: "day", "aria-label": dayName(day.start) },
    h("h2", null, dayName(day.start), h("small", null, about)),
    glance(day, about),
    day.blocks.map(block => blockParts(block, acts)));
}

// The hours in which something happened: a bar for each session, on it its episodes, and a mark for
// each event.
function glance(day, about) {
  const first = hours(Math.min(...day.rows.map(row => row.at)), day.start, Math.floor);
  const last = Math.max(first + 1, Math.min(24, hours(Math.max(...day.rows.map(row => row.until)), day.start, Math.ceil)));
  const part = at => 1000 * Math.max(0, Math.min(1, (at - day.start - first * HOUR_S) / ((last - first) * HOUR_S)));
  const bar = (from, to, y, height, kind) => svg("rect", { class: kind, x: part(from), width: Math.max(2, part(to) - part(from)), y, height, rx: 1 });
  const spans = day.blocks.filter(block => block.session !== null).map(block => ({
    block, from: Math.min(...block.rows.map(row => row.at)), to: Math.max(...block.rows.map(row => row.until)),
  }));
  const ticks = Math.max(1, laned(spans)) * LANE, height = ticks + TICKS;
  const marks = Array.from({ length: last - first + 1 }, (_, at) => first + at);
  const named = marks.filter((_, at) => at % Math.ceil(marks.length / HOURS_NAMED) === 0);
  return h("div", { class: "glance" },
    svg("svg", { viewBox: `0 0 1000 ${height}`, preserveAspectRatio: "none", role: "img", "aria-label": `${say.glance}: ${about}`, height },
      marks.slice(1, -1).map(hour => svg("rect", { class: "hour", x: part(day.start + hour * HOUR_S), y: 0, width: 1, height })),
      spans.map(span => bar(span.from, span.to, span.lane * LANE, LANE - 2, "fill-0")),
      spans.map(span => span.block.rows.filter(row => row.isEpisode).map(row => bar(row.at, row.until, span.lane * LANE, LANE - 2, `ended-${row.outcome}`))),
      day.rows.filter(row => !row.isEpisode).map(row => bar(row.at, row.at, ticks, TICKS, failed(row) ? "tick wrong" : "tick"))),
    h("div", { class: "hours", "aria-hidden": "true" }, named.map(hour =>
      h("span", { style: { left: `${(100 * (hour - first)) / (last - first)}%` } }, `${hour}:00`))));
}

const hours = (at, start, rounded) => rounded((at - start) / HOUR_S);

// Gives each span a lane in which it overlaps no other, as far as there are lanes; returns how many.
function laned(spans) {
  const ends = [];
  for (const span of [...spans].sort((a, b) => a.from - b.from)) {
    const free = ends.findIndex(end => end <= span.from);
    span.lane = free >= 0 ? free : Math.min(ends.length, LANES_MAX - 1);
    ends[span.lane] = Math.max(ends[span.lane] ?? 0, span.to);
  }
  return ends.length;
}

function blockParts(block, acts) {
  const lines = folded(block.rows, acts.open.unfolded);
  const unfold = name => { acts.open.unfolded.add(name); acts.redraw(); };
  return h("div", { class: block.session === null ? "block" : "block session" },
    block.session !== null && sessionHead(block, acts),
    h("ol", { class: "plain" }, lines.map(line => h("li", null, line.fold ? foldLine(line, unfold) : entry(line, acts)))));
}

function sessionHead(block, { only }) {
  const from = Math.min(...block.rows.map(row => row.at)), to = Math.max(...block.rows.map(row => row.until));
  const episodes = block.rows.filter(row => row.isEpisode).length, wrong = block.rows.filter(failed).length;
  const projects = [...new Set(block.rows.map(row => row.project).filter(Boolean))];
  return h("h3", { class: "session-head" },
    h("button", { type: "button", class: "quiet", title: say.onlyThis, onclick: () => only({ session: block.session }) }, say.sessionNamed(block.session.slice(0, 12))),
    h("span", { class: "note" }, `${clock(from)}–${clock(to)}`), projects.map(name => h("span", { class: "chip" }, name)),
    h("span", { class: "note" }, [say.entries(count(block.rows.length)), episodes > 0 && say.episodes(episodes)].filter(Boolean).join(" · ")),
    wrong > 0 && h("span", { class: "chip bad" }, say.wrong(wrong)));
}

// Uses of tools that went well, many in a row, as one line, unless it was unfolded.
function folded(rows, unfolded) {
  const lines = [];
  for (let at = 0; at < rows.length;) {
    let end = at;
    while (end < rows.length && rows[end].kind === "tool" && !failed(rows[end])) end += 1;
    const run = rows.slice(at, end);
    if (run.length >= FOLDED_FROM && !unfolded.has(run.at(-1).id)) lines.push({ fold: run });
    else lines.push(...run);
    if (end < rows.length) lines.push(rows[end]);
    at = end + 1;
  }
  return lines;
}

function foldLine({ fold }, unfold) {
  return h("button", { type: "button", class: "entry fold", tabindex: -1, dataset: { id: `fold ${fold.at(-1).id}` }, onclick: () => unfold(fold.at(-1).id) },
    h("time", null, clock(fold[0].at)), h("span", { class: "chip kind" }, "tool"), h("span", { class: "entry-text note" }, say.folded(count(fold.length))));
}

function entry(row, { show }) {
  const ended = [row.outcome && row.outcome !== "ok" && h("span", { class: `chip ended-${failed(row) ? "failure" : row.outcome}` }, row.outcome),
    row.took !== null && h("span", { class: "note number" }, seconds(row.took))];
  return h("button", { type: "button", tabindex: -1, class: row.isEpisode ? "entry episode" : "entry", dataset: { id: row.id }, onclick: event => show(row, { focus: event.detail === 0 }) },
    h("time", { datetime: new Date(row.at * 1000).toISOString() }, clock(row.at)),
    h("span", { class: "chip kind" }, row.kind),
    h("span", { class: "entry-text" }, row.text, row.lesson && h("small", null, row.lesson)),
    h("span", { class: "entry-end" }, ended));
}
