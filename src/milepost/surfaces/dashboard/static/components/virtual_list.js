// A list of any length: only the rows in sight are in the page, and only their pages are fetched.

import { h, newId, replace } from "../dom.js";

const PAGE = 100, PAGES_KEPT = 30, BEYOND = 6, REST_MS = 70;

// virtualList({label, rowHeight, load, row, onactive, onopen, empty})
//   load(page, size, signal): resolves to {rows, total}; pages count from 0
//   row(item, index): the children of a row; selected(item): whether it is marked
//   onactive(item, index): a row was chosen; onopen(item, index): Enter, or a double click
// The result is a node with reload(), refresh(), drop(index), move(by), activate(index), item(index),
// active, activeIndex and total.
export function virtualList({ label, rowHeight, load, row, onactive = () => {}, onopen = () => {}, onerror = () => {}, ontotal = () => {}, selected = () => false, empty = "" }) {
  const id = newId("list");
  const canvas = h("div", { class: "rows", role: "presentation" });
  const node = h("div", { class: "virtual", role: "listbox", tabindex: 0, "aria-label": label, id }, canvas);
  const state = { pages: new Map(), asked: new Map(), total: 0, active: -1, turn: 0, known: false };
  let timer, frame;

  const item = index => state.pages.get(Math.floor(index / PAGE))?.[index % PAGE];

  function inSight() {
    const first = Math.max(0, Math.floor(node.scrollTop / rowHeight) - BEYOND);
    return [first, Math.min(state.total, Math.ceil((node.scrollTop + node.clientHeight) / rowHeight) + BEYOND)];
  }

  function draw() {
    canvas.style.height = `${state.total * rowHeight}px`;
    const [first, last] = inSight();
    const drawn = [];
    for (let index = first; index < last; index += 1) drawn.push(drawnRow(index));
    replace(canvas, drawn);
    if (state.known && state.total === 0) replace(canvas, h("p", { class: "empty", role: "presentation" }, empty));
    if (state.active >= first && state.active < last) node.setAttribute("aria-activedescendant", `${id}-${state.active}`);
    else node.removeAttribute("aria-activedescendant");
  }

  function drawnRow(index) {
    const known = item(index), isActive = index === state.active;
    return h("div", {
      id: `${id}-${index}`, role: "option", "aria-selected": String(isActive), "aria-setsize": state.total, "aria-posinset": index + 1,
      class: ["row", isActive && "active", known && selected(known) && "marked", !known && "waiting"].filter(Boolean).join(" "),
      style: { transform: `translateY(${index * rowHeight}px)`, height: `${rowHeight}px` },
      onclick: () => activate(index), ondblclick: () => known && onopen(known, index),
    }, known ? row(known, index) : h("span", { class: "hidden" }, "…"));
  }

  function fetchSeen() {
    const [first, last] = inSight();
    const from = Math.floor(first / PAGE), to = Math.floor(Math.max(first, last - 1) / PAGE);
    for (const [page, controller] of state.asked) if (page < from || page > to) { controller.abort(); state.asked.delete(page); }
    for (let page = from; page <= to; page += 1) if (!state.pages.has(page) && !state.asked.has(page)) fetchPage(page);
  }

  async function fetchPage(page) {
    const controller = new AbortController(), turn = state.turn;
    state.asked.set(page, controller);
    try {
      const { rows, total } = await load(page, PAGE, controller.signal);
      if (turn !== state.turn) return;
      state.pages.delete(page);
      state.pages.set(page, rows);
      while (state.pages.size > PAGES_KEPT) state.pages.delete(state.pages.keys().next().value);
      state.known = true;
      if (total !== state.total) { state.total = total; ontotal(total); }
      draw();
    } catch (problem) {
      if (problem.name !== "AbortError") onerror(problem);
    } finally {
      if (state.asked.get(page) === controller) state.asked.delete(page);
    }
  }

  function activate(index, { quietly = false } = {}) {
    if (state.total === 0) return;
    state.active = Math.max(0, Math.min(index, state.total - 1));
    const top = state.active * rowHeight;
    if (top < node.scrollTop) node.scrollTop = top;
    else if (top + rowHeight > node.scrollTop + node.clientHeight) node.scrollTop = top + rowHeight - node.clientHeight;
    draw();
    const known = item(state.active);
    if (known && !quietly) onactive(known, state.active);
  }

  async function reload({ keep = false } = {}) {
    state.turn += 1;
    for (const controller of state.asked.values()) controller.abort();
    state.asked.clear();
    state.pages.clear();
    if (!keep) { state.active = -1; node.scrollTop = 0; }
    const page = keep ? Math.floor(inSight()[0] / PAGE) : 0;
    await fetchPage(page);
    if (keep) state.active = Math.min(state.active, state.total - 1);
    fetchSeen();
    draw();
  }

  node.addEventListener("scroll", () => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(draw);
    clearTimeout(timer);
    timer = setTimeout(fetchSeen, REST_MS);
  }, { passive: true });
  node.addEventListener("keydown", event => {
    const page = Math.max(1, Math.floor(node.clientHeight / rowHeight) - 1);
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -state.total, End: state.total }[event.key];
    if (by !== undefined) activate(Math.max(0, state.active) + (state.active < 0 && by > 0 ? by - 1 : by));
    else if (event.key === "Enter" && item(state.active)) onopen(item(state.active), state.active);
    else return;
    event.preventDefault();
  });
  new ResizeObserver(() => { draw(); fetchSeen(); }).observe(node);

  Object.assign(node, {
    reload, refresh: draw, activate, item,
    move: by => activate(state.active + by),
    // Takes a row out that is gone, and goes on with the next one.
    drop(index) {
      const rows = state.pages.get(Math.floor(index / PAGE));
      rows?.splice(index % PAGE, 1);
      // What comes after it has moved up.
      for (const page of [...state.pages.keys()]) if (page > Math.floor(index / PAGE)) state.pages.delete(page);
      if (rows && rows.length < PAGE && (Math.floor(index / PAGE) + 1) * PAGE < state.total) state.pages.delete(Math.floor(index / PAGE));
      state.total -= 1;
      ontotal(state.total);
      fetchSeen();
      activate(Math.min(index, state.total - 1));
      draw();
    },
  });
  return Object.defineProperties(node, {
    active: { get: () => item(state.active) },
    activeIndex: { get: () => state.active },
    total: { get: () => state.total },
  });
}
