// What was remembered lately, what was told to models and what it saved, and how the memory is.

import { call, can } from "../api.js";
import { later } from "../components/later.js";
import { chips, when } from "../components/memories.js";
import { bars } from "../components/plot.js";
import { address } from "../app.js";
import { h, replace } from "../dom.js";
import { ago, bytes, compact, count, day, share } from "../format.js";
import { words } from "../strings.js";

export const title = words.home;

const DAYS = 30, LATELY = 12, HOUR = 60;
// How a note of health begins that is told to who may enter all spaces.
const ALERT = "alert ";

// Each part is shown when it is there. To count what a large memory holds takes long, and who reads
// the store reads it one after the other: so that is asked for last.
export async function render(root, params, { signal }) {
  const say = words.homeView, ask = (operation, given = {}) => call(operation, given, { signal });
  const remembered = ask("list_memories", { limit: LATELY }), savings = ask("savings", { days: DAYS });
  const first = Promise.allSettled([remembered, savings]), then = (...asked) => first.then(() => ask(...asked));
  const health = Promise.all([then("health"), then("get_metrics", { minutes: HOUR })]), stats = then("stats");
  const waiting = [then("review", { limit: 1 }), then("review", { limit: 1, quarantined: true })];
  replace(root,
    h("header", null, h("h1", null, words.home), later(health, found => healthLine(...found))),
    later(Promise.all([stats, ...waiting]), ([known, captured, held]) => facts(known, captured.total, held.total)),
    h("div", { class: "panels" },
      h("section", { class: "panel" },
        h("h2", null, say.lately, h("a", { href: address("browse") }, h("small", null, say.all))),
        later(remembered, ({ memories }) => (memories.length === 0 ? h("p", { class: "empty" }, say.nothing) : h("ul", { class: "plain feed" }, memories.map(row))))),
      h("section", { class: "panel" }, h("h2", null, say.told, h("small", null, say.days(DAYS))), later(savings, spending)),
      h("section", { class: "panel" }, h("h2", null, say.holds), later(stats, holdings))));
}

// How the memory is, what it did in the last hour, and what somebody should look at.
function healthLine({ status, backend, notes = [] }, { operations, backlog, last_backup: copied }) {
  const say = words.homeView, sum = name => operations.reduce((all, each) => all + each[name], 0);
  const dead = backlog.reduce((all, each) => all + each.dead, 0);
  const inAdmin = (subject, text) => (can("admin") ? h("a", { href: address("admin", { path: [subject] }) }, text) : text);
  const alerts = notes.filter(note => note.startsWith(ALERT)).map(note => note.slice(ALERT.length));
  const about = [
    backend, say.lastHour(count(sum("times")), count(sum("failed"))),
    dead > 0 && inAdmin("jobs", say.dead(count(dead))),
    copied && inAdmin("backups", say.copied(ago(copied))), ...notes.filter(note => !note.startsWith(ALERT)),
  ].filter(Boolean);
  return [
    h("p", { class: `health ${alerts.length > 0 ? "error" : status}` }, h("span", { class: "dot", "aria-hidden": "true" }), h("strong", null, alerts.length > 0 ? inAdmin("alerts", say.firing(alerts.length)) : status),
      h("span", { class: "note" }, about.map((part, at) => [at > 0 && " · ", part]))),
    alerts.length > 0 && h("ul", { class: "plain problem" }, alerts.map(alert => h("li", null, alert))),
  ];
}

function facts(stats, waiting, held) {
  const say = words.homeView;
  const fact = (value, name) => h("div", null, h("dt", null, name), h("dd", null, value));
  const toReview = (number, name, more) => fact(number > 0 ? h("a", { href: address("browse", { review: 1, ...more }) }, count(number)) : "0", name);
  return h("dl", { class: "facts" },
    fact(count(stats.memories), say.memories), fact(count(stats.sessions), say.sessions),
    fact(count(stats.episodes), say.episodes), fact(count(stats.patterns), say.patterns),
    toReview(waiting, say.waiting), held > 0 && toReview(held, say.held, { quarantined: 1 }));
}

function row(memory) {
  return h("li", null,
    h("a", { href: address("browse", { hash: memory.hash }) }, memory.preview),
    h("div", { class: "about" }, chips(memory, { tags: 3 }), h("span", { class: "note" }, when(memory.created))));
}

function spending({ total, days }) {
  const say = words.homeView;
  if (total.texts === 0) return h("p", { class: "empty" }, say.toldNothing);
  const saved = total.instead_of ? 1 - total.tokens / total.instead_of : 0;
  return [
    h("p", null, h("strong", null, say.saved(share(saved))), h("span", { class: "note" }, ` ${say.insteadOf(compact(total.tokens), compact(total.instead_of), count(total.texts))}`)),
    bars({
      title: say.tokensByDay, names: days.map(each => each.name.slice(5)), overlay: true, height: 170,
      series: [{ name: say.whole, values: days.map(each => each.instead_of), color: 0 }, { name: say.toldTokens, values: days.map(each => each.tokens), color: 1 }],
    }),
  ];
}

function holdings(stats) {
  const say = words.homeView;
  const most = Object.entries(stats.projects).slice(0, 8), top = Math.max(1, ...most.map(([, number]) => number));
  return [
    stats.oldest && h("p", { class: "note" }, say.since(day(stats.oldest), count(stats.superseded), count(stats.deleted)), stats.bytes > 0 && ` ${bytes(stats.bytes)}.`),
    h("ul", { class: "plain shares" }, most.map(([name, number]) => h("li", null,
      h("a", { href: address("browse", { project: name }) }, name), h("span", { class: "number" }, count(number)),
      h("span", { class: "share", style: { width: `${(100 * number) / top}%` } })))),
    h("p", { class: "kinds" }, Object.entries(stats.kinds).slice(0, 10).map(([name, number]) =>
      h("a", { class: "chip", href: address("browse", { kind: name }) }, `${name} ${count(number)}`))),
  ];
}
