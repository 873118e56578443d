// All memories in one list, with what can be done to each; and what hooks captured, to look through.

import { call, lately } from "../api.js";
import { address } from "../app.js";
import { button } from "../components/button.js";
import { field } from "../components/field.js";
import { chips, when } from "../components/memories.js";
import { told } from "../components/toast.js";
import { virtualList } from "../components/virtual_list.js";
import { add, h, replace, rested } from "../dom.js";
import { count, moment } from "../format.js";
import { bind } from "../keyboard.js";
import { words } from "../strings.js";
import { drop, edit, keep, merge, supersede, undoLast, versions } from "./browse_actions.js";

export const title = words.browse;

const say = words.browseView;
const ROW = 56, REVIEWED_AT_ONCE = 1000;
const FILTERS = ["project", "kind", "tags", "author", "min_trust", "after", "before", "include_superseded"];

export async function render(root, params, view) {
  const reviewing = params.review === "1";
  // What is counted for the filters is asked for after the list, which it would keep waiting.
  let listed;
  const filters = filterFields(params, reviewing, new Promise(done => { listed = done; }));
  const total = h("span", { class: "note", role: "status" });
  const detail = h("section", { class: "detail", "aria-label": say.detail, tabindex: -1 });
  const marked = new Set();
  const mode = { review: reviewing ? 1 : "", quarantined: params.quarantined };
  let captured = null, reading = new AbortController(), shown = null;

  const given = () => Object.fromEntries(Object.entries(filters).map(([name, each]) => [name, each.input.type === "checkbox" ? each.input.checked || undefined : each.input.value || undefined]));

  async function load(page, size, signal) {
    if (!reviewing) {
      const found = await call("list_memories", { ...given(), limit: size, page: page + 1 }, { signal });
      // The total of a page counts what comes from its first row on.
      return { rows: found.memories, total: found.total + (page ? page * size : 0) };
    }
    captured ??= await call("review", { limit: REVIEWED_AT_ONCE, project: given().project, after: given().after, quarantined: params.quarantined === "1" || undefined }, { signal });
    return { rows: captured.memories.slice(page * size, (page + 1) * size), total: captured.memories.length };
  }

  const list = virtualList({
    label: reviewing ? say.toReview : words.browse, rowHeight: ROW, load, empty: reviewing ? say.allReviewed : say.nothing,
    row: memory => [
      h("span", { class: "one-line" }, memory.preview),
      h("span", { class: "about one-row" }, h("span", { class: "note" }, when(memory.created)), chips(memory)),
    ],
    selected: memory => marked.has(memory.hash),
    onactive: memory => show(memory.hash),
    onopen: memory => show(memory.hash, true),
    onerror: problem => told(() => { throw problem; }),
    ontotal: number => { total.textContent = say.total(number, count(number)); },
  });

  async function show(hash, focus = false) {
    reading.abort();
    reading = new AbortController();
    view.signal.addEventListener("abort", () => reading.abort(), { signal: reading.signal });
    await told(async () => {
      shown = await call("get", { hash }, { signal: reading.signal });
      replace(detail, whole(shown, acts));
      detail.classList.add("open");
      view.setParams({ ...given(), ...mode, hash });
      if (focus) detail.focus();
    });
  }

  // After a memory went or changed: the next one takes its place where it went.
  async function after({ gone = [], stays } = {}) {
    captured = captured && { ...captured, memories: captured.memories.filter(each => !gone.includes(each.hash)) };
    for (const hash of gone) marked.delete(hash);
    if (gone.length === 1 && list.active?.hash === gone[0]) {
      list.drop(list.activeIndex);
      if (list.total === 0) close();
    } else await list.reload({ keep: true });
    if (stays) await show(stays);
  }

  // After something was taken back: what it was about is shown as it is again, where that is known.
  const back = async hash => {
    captured = null;
    await list.reload({ keep: true });
    const next = hash ?? list.active?.hash;
    if (next) await show(next); else close();
  };
  const close = () => { detail.classList.remove("open"); replace(detail, h("p", { class: "empty" }, say.choose)); shown = null; };

  const acts = {
    edit: () => shown && edit(shown, { after, back, reviewing }),
    supersede: () => shown && supersede(shown, { after, back }),
    merge: () => shown && merge(shown, { after, back, reviewing }),
    drop: () => acting().length && drop(acting(), { after, back }),
    keep: () => acting().length && keep(acting(), { after, back }),
    versions: () => shown && versions(shown, { open: show }),
    similar: () => { location.hash = address("search", { q: shown.content.slice(0, 300) }); },
    close, reviewing,
  };
  // What was marked, else the memory that is shown.
  const acting = () => (marked.size ? [...marked] : shown ? [shown.hash] : []);
  const mark = () => {
    const active = list.active;
    if (!active) return;
    if (marked.has(active.hash)) marked.delete(active.hash); else marked.add(active.hash);
    tellMarked();
    list.move(1);
  };
  const markedBar = h("div", { class: "actions marked-bar", hidden: true });
  const tellMarked = () => {
    markedBar.hidden = marked.size === 0;
    replace(markedBar, h("span", null, say.marked(count(marked.size))),
      reviewing && button(say.keep, acts.keep, { scope: "write" }), button(say.drop, acts.drop, { scope: "write", kind: "danger" }),
      h("button", { type: "button", class: "quiet", onclick: () => { marked.clear(); tellMarked(); list.refresh(); } }, say.unmark));
    list.refresh();
  };

  const keys = {
    ...(reviewing ? { k: [acts.keep, say.keep], d: [acts.drop, say.drop] } : { d: [acts.drop, say.delete], k: [() => list.move(-1), say.previous] }),
    e: [acts.edit, say.edit], m: [acts.merge, say.merge], s: [acts.supersede, say.supersede], v: [acts.versions, say.versions],
    x: [mark, say.mark], j: [() => list.move(1), say.next], u: [() => undoLast({ back }), say.undoLast],
    Escape: [() => { close(); list.focus(); }, words.close],
  };
  bind(words.browse, keys, view.signal);
  for (const each of Object.values(filters)) each.input.addEventListener("change", rested(() => { captured = null; marked.clear(); tellMarked(); view.setParams({ ...given(), ...mode }); list.reload(); }, 50));

  close();
  add(root, [
    h("header", null, h("h1", null, reviewing ? say.reviewTitle : words.browse), total, h("span", { class: "modes actions" },
      h("a", { class: "button", href: address("browse"), "aria-current": reviewing ? null : "true" }, say.all),
      h("a", { class: "button", href: address("browse", { review: 1 }), "aria-current": reviewing && params.quarantined !== "1" ? "true" : null }, say.toReview),
      h("a", { class: "button", href: address("browse", { review: 1, quarantined: 1 }), "aria-current": params.quarantined === "1" ? "true" : null }, say.quarantined),
      button(say.undoLast, () => undoLast({ back }), { scope: "write", key: "u" }))),
    h("details", { class: "controls", open: matchMedia("(min-width: 900px)").matches }, h("summary", null, words.searchView.filters), h("div", { class: "fields" }, Object.values(filters))),
    params.quarantined === "1" && h("p", { class: "note" }, say.quarantinedHint),
    markedBar,
    h("div", { class: "split" }, list, detail),
  ]);
  await list.reload();
  listed();
  if (params.hash) await show(params.hash);
  else if (reviewing && list.total > 0) { list.activate(0); list.focus({ preventScroll: true }); }
}

function filterFields(params, reviewing, listed) {
  const search = words.searchView, stats = listed.then(() => lately("stats"));
  const project = field(search.project, { list: stats.then(({ projects }) => Object.keys(projects)), value: params.project });
  const after = field(search.after, { type: "date", value: params.after });
  if (reviewing) return { project, after };
  const superseded = field(say.superseded, { type: "checkbox", checked: params.include_superseded === "true" });
  superseded.classList.add("check");
  return {
    project,
    kind: field(search.kind, { list: stats.then(({ kinds }) => Object.keys(kinds)), value: params.kind }),
    tags: field(search.tag, { list: listed.then(() => lately("tags", { limit: 200 })).then(found => found.tags.map(each => each.tag)), value: params.tags }),
    author: field(say.author, { value: params.author }),
    min_trust: field(search.trust, { options: [["", search.anyTrust], ...Object.entries(words.sources)], value: params.min_trust ?? "" }),
    after,
    before: field(search.before, { type: "date", value: params.before }),
    include_superseded: superseded,
  };
}

function whole(memory, acts) {
  const facts = [
    [say.hash, h("code", null, memory.hash)], [search().project, memory.project], [say.author, memory.author],
    [say.source, words.sources[memory.source] ?? memory.source], [say.session, memory.session && h("code", null, memory.session)], [say.place, memory.place],
    [say.created, moment(memory.created)], [say.heldUntil, memory.valid_to && moment(memory.valid_to)],
    [say.supersededBy, memory.superseded_by && h("a", { href: address("browse", { hash: memory.superseded_by, include_superseded: true }) }, memory.superseded_by)],
    [say.alike, memory.alike.join(" ")], [say.suggestions, memory.suggestions.join("; ")],
    [say.metadata, Object.keys(memory.metadata).length > 0 && h("code", null, JSON.stringify(memory.metadata, null, 1))],
  ].filter(([, value]) => value);
  const act = (label, name, key, more = {}) => button(label, acts[name], { scope: "write", key, ...more });
  return [
    h("div", { class: "detail-head" }, h("span", { class: "about" }, chips({ ...memory, mark: memory.marks.join(", ") }, { tags: 20 })),
      h("button", { type: "button", class: "quiet", "aria-label": words.close, onclick: acts.close }, "×")),
    h("div", { class: "content" }, memory.content),
    h("div", { class: "actions" },
      acts.reviewing && act(say.keep, "keep", "k", { kind: "primary" }), act(say.edit, "edit", "e"), act(say.supersede, "supersede", "s"), act(say.merge, "merge", "m"),
      button(say.versions, acts.versions, { key: "v" }), button(say.similar, acts.similar), act(acts.reviewing ? say.drop : say.delete, "drop", "d", { kind: "danger" })),
    h("dl", { class: "pairs" }, facts.map(([name, value]) => [h("dt", null, name), h("dd", null, value)])),
  ];
}

const search = () => words.searchView;
