// A graph on a canvas: nodes to choose by pointer or keyboard, with as many names as there is room for.

import { h } from "../dom.js";
import { force } from "./force.js";

const FRAME_MS = 9, SCALE_MIN = 0.1, SCALE_MAX = 4, EDGE = 40, DRAGGED = 4, NAMES_ALL = 60;
// By the colour of a node its shape, so that colours are not all that tells types apart: how many corners, and how it is turned.
export const SHAPES = [[0, 0], [0, 0], [4, Math.PI / 4], [3, -Math.PI / 2], [4, 0], [6, 0], [5, -Math.PI / 2]];

// graphCanvas({label, hint, onselect: id => …, onopen: id => …}); the result is a node with
// set({nodes: [{id, name, color}], edges: [{from, to, name}]}), select(id), fit(), zoom(by) and step(dx, dy).
export function graphCanvas({ label, hint, onselect, onopen }) {
  const node = h("canvas", { class: "graph", tabindex: 0, role: "application", "aria-label": label, "aria-describedby": hint });
  const pen = node.getContext("2d"), layout = force(), pointers = new Map();
  const state = { nodes: [], edges: [], degrees: [], near: new Set(), selected: -1, hovered: -1, scale: 1, left: 0, top: 0, isFitted: true, frame: 0, dragged: null };
  const still = matchMedia("(prefers-reduced-motion: reduce)");

  function set({ nodes, edges }) {
    const selected = state.nodes[state.selected]?.id, place = new Map(nodes.map((each, at) => [each.id, at]));
    state.nodes = nodes;
    state.edges = edges.map(each => ({ ...each, from: place.get(each.from), to: place.get(each.to) }));
    state.degrees = nodes.map(() => 0);
    for (const each of state.edges) { state.degrees[each.from] += 1; state.degrees[each.to] += 1; }
    state.hovered = -1;
    layout.set(nodes.map(each => each.id), state.edges.map(each => [each.from, each.to]));
    select(selected);
    run();
  }

  function select(id) {
    state.selected = state.nodes.findIndex(each => each.id === id);
    state.near = new Set(state.edges.filter(each => each.from === state.selected || each.to === state.selected).flatMap(each => [each.from, each.to]));
    run();
  }

  // Lets the nodes find their places, some of it in every frame; who wants no motion sees the end alone.
  function run() {
    if (state.frame) return;
    const turn = () => {
      state.frame = 0;
      if (!node.isConnected) return;
      const until = performance.now() + FRAME_MS;
      while (!layout.isCold && performance.now() < until) layout.tick();
      if (state.isFitted) frame();
      if (!layout.isCold) run();
      if (layout.isCold || !still.matches) draw();
      node.dataset.still = String(layout.isCold);
    };
    state.frame = requestAnimationFrame(turn);
  }

  // Shows all of it.
  function frame() {
    const wide = node.clientWidth, high = node.clientHeight;
    if (state.nodes.length === 0 || wide === 0) return;
    const [left, right] = [Math.min(...layout.x), Math.max(...layout.x)], [top, bottom] = [Math.min(...layout.y), Math.max(...layout.y)];
    state.scale = Math.max(SCALE_MIN, Math.min(2.6 * unit(), (wide - 3 * EDGE) / Math.max(right - left, 1), (high - 2 * EDGE) / Math.max(bottom - top, 1)));
    state.left = wide / 2 - (state.scale * (left + right)) / 2;
    state.top = high / 2 - (state.scale * (top + bottom)) / 2;
  }

  const unit = () => parseFloat(getComputedStyle(document.documentElement).fontSize) / 14;
  const onScreen = at => [layout.x[at] * state.scale + state.left, layout.y[at] * state.scale + state.top];
  const radius = at => unit() * Math.min(13, 4 + 1.7 * Math.sqrt(state.degrees[at])) * Math.max(0.55, Math.min(1.15, state.scale));

  function draw() {
    const ratio = devicePixelRatio || 1, wide = node.clientWidth, high = node.clientHeight;
    node.width = wide * ratio;
    node.height = high * ratio;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    const style = getComputedStyle(node), colour = name => style.getPropertyValue(name).trim();
    drawEdges(colour);
    state.nodes.forEach((_, at) => drawNode(at, colour));
    drawNames(colour, wide, high);
  }

  function drawEdges(colour) {
    const mine = state.edges.filter(each => each.from === state.selected || each.to === state.selected);
    pen.lineWidth = 1;
    pen.strokeStyle = colour("--strong-line");
    pen.globalAlpha = state.selected >= 0 ? 0.25 : 0.5;
    pen.beginPath();
    for (const each of state.edges) { pen.moveTo(...onScreen(each.from)); pen.lineTo(...onScreen(each.to)); }
    pen.stroke();
    pen.globalAlpha = 1;
    pen.strokeStyle = pen.fillStyle = colour("--accent");
    pen.lineWidth = 1.5;
    for (const each of mine) drawArrow(each);
  }

  function drawArrow({ from, to }) {
    const [x1, y1] = onScreen(from), [x2, y2] = onScreen(to), turned = Math.atan2(y2 - y1, x2 - x1), r = radius(to) + 2, tip = 7 * unit();
    const x = x2 - r * Math.cos(turned), y = y2 - r * Math.sin(turned);
    pen.beginPath();
    pen.moveTo(x1, y1);
    pen.lineTo(x, y);
    pen.stroke();
    pen.beginPath();
    pen.moveTo(x, y);
    for (const side of [0.4, -0.4]) pen.lineTo(x - tip * Math.cos(turned + side), y - tip * Math.sin(turned + side));
    pen.fill();
  }

  function drawNode(at, colour) {
    const [x, y] = onScreen(at), r = radius(at), chosen = at === state.selected;
    pen.globalAlpha = state.selected < 0 || chosen || at === state.hovered || state.near.has(at) ? 1 : 0.55;
    pen.fillStyle = colour(`--plot-${state.nodes[at].color}`);
    outline(x, y, r, SHAPES[state.nodes[at].color]);
    pen.fill();
    pen.globalAlpha = 1;
    if (!chosen && at !== state.hovered) return;
    pen.strokeStyle = colour("--ink");
    pen.lineWidth = chosen ? 2.5 : 1.5;
    outline(x, y, r + 3.5, SHAPES[state.nodes[at].color]);
    pen.stroke();
  }

  function outline(x, y, r, [corners, turned]) {
    pen.beginPath();
    if (corners === 0) { pen.arc(x, y, r, 0, 2 * Math.PI); return; }
    const grown = r * 1.18;
    for (let corner = 0; corner < corners; corner += 1) {
      const turn = turned + (2 * Math.PI * corner) / corners;
      pen.lineTo(x + grown * Math.cos(turn), y + grown * Math.sin(turn));
    }
    pen.closePath();
  }

  // Names of nodes and of the chosen one's relations, the most telling first, none over another.
  function drawNames(colour, wide, high) {
    const size = 12 * unit(), family = getComputedStyle(document.body).fontFamily, taken = [];
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.lineJoin = "round";
    pen.strokeStyle = colour("--raised");
    pen.lineWidth = 3.5;
    // Whether there was room for it.
    const write = (text, x, y, font, ink) => {
      pen.font = font;
      const half = pen.measureText(text).width / 2 + 2, box = [x - half, y - size * 0.62, x + half, y + size * 0.62];
      if (box[2] < 0 || box[0] > wide || box[3] < 0 || box[1] > high) return true;
      if (taken.some(other => box[0] < other[2] && other[0] < box[2] && box[1] < other[3] && other[1] < box[3])) return false;
      taken.push(box);
      pen.strokeText(text, x, y);
      pen.fillStyle = ink;
      pen.fillText(text, x, y);
      return true;
    };
    // Below the node, or else above it.
    const name = at => {
      const [x, y] = onScreen(at), away = radius(at) + size * 0.8, chosen = at === state.selected, isBright = state.selected < 0 || chosen || at === state.hovered || state.near.has(at);
      const font = `${chosen ? "600 " : ""}${size}px ${family}`, ink = colour(isBright ? "--ink" : "--soft");
      return write(clipped(state.nodes[at].name), x, y + away, font, ink) || write(clipped(state.nodes[at].name), x, y - away, font, ink);
    };
    const first = [state.selected, state.hovered].filter(at => at >= 0), byDegree = (a, b) => state.degrees[b] - state.degrees[a];
    for (const at of first) name(at);
    for (const at of [...state.near].sort(byDegree)) if (!first.includes(at)) name(at);
    for (const each of state.edges.filter(({ from, to }) => from === state.selected || to === state.selected)) {
      const [x1, y1] = onScreen(each.from), [x2, y2] = onScreen(each.to);
      write(each.name, (x1 + x2) / 2, (y1 + y2) / 2, `${size * 0.86}px ${family}`, colour("--accent"));
    }
    // Of very many, those around what is chosen are named alone.
    if (state.selected >= 0 && state.nodes.length > NAMES_ALL) return;
    state.nodes.map((_, at) => at).filter(at => !state.near.has(at) && !first.includes(at)).sort(byDegree).forEach(name);
  }

  function at(x, y) {
    let best = -1, nearest = Infinity;
    state.nodes.forEach((_, place) => {
      const [nx, ny] = onScreen(place), away = Math.hypot(nx - x, ny - y) - radius(place);
      if (away < 8 && away < nearest) { best = place; nearest = away; }
    });
    return best;
  }

  function zoom(by, x = node.clientWidth / 2, y = node.clientHeight / 2) {
    const scale = Math.max(SCALE_MIN, Math.min(SCALE_MAX * unit(), state.scale * by)), grown = scale / state.scale;
    state.left = x - (x - state.left) * grown;
    state.top = y - (y - state.top) * grown;
    state.scale = scale;
    state.isFitted = false;
    run();
  }

  // Chooses the nearest node in a direction, those first that hang on the chosen one.
  function step(dx, dy) {
    const from = state.selected;
    if (from < 0) { choose(state.degrees.indexOf(Math.max(...state.degrees))); return; }
    let best = -1, least = Infinity;
    state.nodes.forEach((_, to) => {
      const x = layout.x[to] - layout.x[from], y = layout.y[to] - layout.y[from], along = x * dx + y * dy, aside = Math.abs(x * dy - y * dx);
      if (to === from || along <= 0 || aside > along * 1.6) return;
      const cost = (along + 2 * aside) * (state.near.has(to) ? 0.5 : 1);
      if (cost < least) { best = to; least = cost; }
    });
    if (best >= 0) choose(best);
  }

  function choose(place) {
    if (place < 0 || !state.nodes[place]) return;
    select(state.nodes[place].id);
    const [x, y] = onScreen(place);
    if (x < EDGE || y < EDGE || x > node.clientWidth - EDGE || y > node.clientHeight - EDGE) {
      state.left += node.clientWidth / 2 - x;
      state.top += node.clientHeight / 2 - y;
      state.isFitted = false;
    }
    onselect(state.nodes[place].id);
  }

  listenToPointers({ node, state, layout, pointers, at, choose, zoom, run, onopen });
  node.addEventListener("keydown", event => {
    const aside = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (aside && event.shiftKey) { state.left -= 60 * aside[0]; state.top -= 60 * aside[1]; state.isFitted = false; run(); }
    else if (aside) step(...aside);
    else if (event.key === "Enter" && state.selected >= 0) onopen(state.nodes[state.selected].id);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  new ResizeObserver(run).observe(node);
  new MutationObserver(run).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", run);
  return Object.assign(node, { set, select, zoom, step, fit() { state.isFitted = true; run(); }, place: id => onScreen(state.nodes.findIndex(each => each.id === id)) });
}

const clipped = name => (name.length > 32 ? `${name.slice(0, 31)}…` : name);

// A press chooses, a press on what is chosen opens it; a pull moves a node or all; two fingers and the wheel zoom.
function listenToPointers({ node, state, layout, pointers, at, choose, zoom, run, onopen }) {
  const place = event => { const box = node.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; };
  const apart = () => { const [a, b] = [...pointers.values()]; return Math.hypot(a[0] - b[0], a[1] - b[1]); };
  node.addEventListener("pointerdown", event => {
    const [x, y] = place(event);
    node.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, [x, y]);
    state.dragged = pointers.size === 1 ? { at: at(x, y), x, y, moved: 0 } : null;
  });
  node.addEventListener("pointermove", event => {
    const [x, y] = place(event), before = pointers.get(event.pointerId);
    if (!before) {
      const hovered = at(x, y);
      if (hovered !== state.hovered) { state.hovered = hovered; node.style.cursor = hovered < 0 ? "" : "pointer"; run(); }
      return;
    }
    if (pointers.size === 2) {
      const was = apart();
      pointers.set(event.pointerId, [x, y]);
      zoom(apart() / was, x, y);
      return;
    }
    pointers.set(event.pointerId, [x, y]);
    if (!state.dragged) return;
    state.dragged.moved += Math.hypot(x - before[0], y - before[1]);
    if (state.dragged.moved < DRAGGED) return;
    if (state.dragged.at >= 0) layout.move(state.dragged.at, (x - state.left) / state.scale, (y - state.top) / state.scale);
    else { state.left += x - before[0]; state.top += y - before[1]; }
    state.isFitted = false;
    run();
  });
  const over = event => {
    const dragged = state.dragged;
    pointers.delete(event.pointerId);
    layout.release();
    state.dragged = null;
    if (event.type !== "pointerup" || !dragged || dragged.moved >= DRAGGED || dragged.at < 0) return;
    if (dragged.at === state.selected) onopen(state.nodes[dragged.at].id);
    else choose(dragged.at);
  };
  node.addEventListener("pointerup", over);
  node.addEventListener("pointercancel", over);
  node.addEventListener("wheel", event => { event.preventDefault(); zoom(Math.exp(-event.deltaY / 400), ...place(event)); }, { passive: false });
}
