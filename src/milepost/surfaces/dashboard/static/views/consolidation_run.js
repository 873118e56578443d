// A consolidation as a diff: what goes into what, what is replaced, faded, put away, linked and found.

import { call } from "../api.js";
import { address } from "../app.js";
import { button } from "../components/button.js";
import { compared } from "../components/diff.js";
import { confirm } from "../components/dialog.js";
import { meter } from "../components/plot.js";
import { toast, told } from "../components/toast.js";
import { h, replace } from "../dom.js";
import { count, moment, seconds, share } from "../format.js";
import { words } from "../strings.js";

const say = words.consolidationView;
const AT_FIRST = 10, MORE = 40, AT_ONCE = 4;
const CHIPS = { planned: "chip warn", applied: "chip kind", undone: "chip" };

export const state = run => h("span", { class: CHIPS[run.state] ?? "chip" }, say.states[run.state] ?? run.state);

// A run with what can be done to it; done(run) is told of how it is then.
export function changes(run, { view, done }) {
  const texts = reader(view.signal);
  const act = (name, operation) => async () => {
    if (!await confirm(say[name].title, say[name].says(total(run)), say[name].label, name === "undo" ? "danger" : "primary")) return;
    await told(async () => {
      const next = await call(operation, { run_id: run.run_id, complete: true });
      toast(say[name].done);
      done(next);
    });
  };
  return [
    h("header", { class: "run-head" }, h("h2", null, h("code", null, run.run_id), " ", state(run)),
      h("span", { class: "note" }, [moment(run.since), say.strategies[run.strategy], say.lookedAt(count(run.looked_at)), seconds(run.duration), run.by !== "rules" && say.by(run.by)].filter(Boolean).join(" · ")),
      h("span", { class: "actions" },
        run.state === "planned" && total(run) > 0 && button(say.apply.label, act("apply", "apply_consolidation"), { scope: "write", kind: "primary" }),
        run.state === "applied" && button(say.undo.label, act("undo", "undo_consolidation"), { scope: "write" }))),
    run.undo_until && h("p", { class: "note" }, say.undoUntil(run.undo_until)),
    run.left.length > 0 && h("section", { class: "left-alone" }, h("h3", null, say.left(count(run.left.length))), h("ul", null, run.left.map(line => h("li", null, line)))),
    total(run) === 0 && run.patterns.length + run.clusters.length === 0 && h("p", { class: "empty" }, say.nothingToDo),
    SECTIONS.map(([name, drawn]) => section(name, run[name], row => drawn(row, texts))),
  ];
}

// How many memories it would touch, or did.
const total = run => ["merged", "superseded", "decayed", "archived", "associations"].reduce((sum, name) => sum + (run.totals[name] ?? run[name].length), 0);

const SECTIONS = [
  ["merged", (merge, texts) => merge.drop.map(gone => pair(texts, gone, merge.keep, say.goesInto, say.stands))],
  ["superseded", (each, texts) => [pair(texts, each.old, each.new, say.ends, say.holds), h("p", { class: "note" }, each.why)]],
  ["patterns", found => [
    h("p", null, h("span", { class: "chip kind" }, found.type), " ", found.description),
    h("div", { class: "score" }, h("span", null, say.confidence(share(found.confidence), count(found.support))), meter(found.confidence, share(found.confidence))),
    h("p", { class: "actions" }, found.members.slice(0, 12).map(link))]],
  ["clusters", cluster => h("details", null, h("summary", null, say.cluster(cluster.label, count(cluster.members.length))),
    h("ul", { class: "plain feed" }, cluster.summary.map(quote => h("li", null, quote.text, " ", link(quote.hash)))))],
  ["decayed", (hash, texts) => one(texts, hash)],
  ["archived", (hash, texts) => one(texts, hash)],
  ["associations", (each, texts) => pair(texts, each.memory, each.other, say.links, share(each.weight), { plain: true })],
  ["refused", (merge, texts) => merge.drop.map(gone => pair(texts, gone, merge.keep, say.staysToo, say.stands, { plain: true }))],
];

function section(name, rows, drawn) {
  if (!rows || rows.length === 0) return null;
  const items = h("ol", { class: "plain changes" }), more = h("button", { type: "button", onclick: () => show(MORE) });
  let shown = 0;
  const show = number => {
    items.append(...rows.slice(shown, shown + number).map(row => h("li", { class: `change ${name}` }, drawn(row))));
    shown = Math.min(rows.length, shown + number);
    more.hidden = shown === rows.length;
    more.textContent = say.showMore(count(rows.length - shown));
  };
  show(AT_FIRST);
  return h("section", null, h("h3", null, say.sections[name], " ", h("span", { class: "note" }, count(rows.length))), h("p", { class: "note" }, say.sectionHints[name]), items, more);
}

const link = hash => h("a", { href: address("browse", { hash, include_superseded: true }) }, h("code", null, hash));

function one(texts, hash) {
  const said = h("div", { class: "content" }, "…");
  texts(hash).then(text => replace(said, text));
  return h("div", { class: "side" }, link(hash), said);
}

// Two memories beside each other, with the words marked that only one has.
function pair(texts, older, newer, olderIs, newerIs, { plain = false } = {}) {
  const left = h("div", { class: "content" }, "…"), right = h("div", { class: "content" }, "…");
  Promise.all([texts(older), texts(newer)]).then(([a, b]) => {
    const [one, other] = plain ? [a, b] : compared(a, b);
    replace(left, one);
    replace(right, other);
  });
  const side = (hash, is, said) => h("div", { class: "side" }, h("p", { class: "note" }, link(hash), ` ${is}`), said);
  return h("div", { class: "beside" }, side(older, olderIs, left), side(newer, newerIs, right));
}

// What memories say, each asked for once, a few at a time; of one that is gone, why.
function reader(signal) {
  const known = new Map(), waiting = [];
  let running = 0;
  const next = async () => {
    running += 1;
    for (let each = waiting.shift(); each; each = waiting.shift()) {
      const text = await call("get", { hash: each.hash }, { signal }).then(memory => memory.content, problem => problem.message);
      each.resolve(text);
    }
    running -= 1;
  };
  return hash => {
    if (!known.has(hash)) {
      known.set(hash, new Promise(resolve => { waiting.push({ hash, resolve }); }));
      if (running < AT_ONCE) next();
    }
    return known.get(hash);
  };
}
