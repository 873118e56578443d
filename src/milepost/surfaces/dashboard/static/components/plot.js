// Plots drawn as SVG, each with its figures as a table for those who do not see it.

import { h, replace, svg } from "../dom.js";
import { compact, count } from "../format.js";
import { words } from "../strings.js";
import { table } from "./table.js";

const LEFT = 44, BOTTOM = 22, TOP = 8, NAME_WIDTH = 64;

// bars({title, names: ["1 May", …], series: [{name, values, color: 1…6}], height, unit}): one on the
// other, or with overlay: the later before the earlier. onpick(at): a press on one of them.
export function bars({ title, names, series, height = 180, unit = "", overlay = false, onpick }) {
  const sums = names.map((_, at) => overlay
    ? Math.max(...series.map(each => each.values[at])) : series.reduce((sum, each) => sum + each.values[at], 0));
  const top = nice(Math.max(...sums, 1)), y = scale(top, height);
  return figure({ title, height, names, series, unit }, width => {
    const step = (width - LEFT) / Math.max(names.length, 1), wide = Math.max(1, Math.min(step * 0.72, 36));
    const column = (name, at) => {
      let below = 0;
      return svg("g", onpick && { class: "picked", onclick: () => onpick(at) },
        onpick && svg("rect", { class: "whole", x: LEFT + at * step, y: TOP, width: step, height: height - TOP - BOTTOM }),
        svg("title", null, `${name}: ${series.map(each => `${each.name} ${count(each.values[at])}${unit}`).join(", ")}`),
        series.map((each, order) => {
          const from = overlay ? 0 : below, value = each.values[at];
          below += value;
          return value > 0 && svg("rect", {
            class: `fill-${each.color ?? order + 1}`, x: LEFT + at * step + (step - wide) / 2, y: y(from + value),
            width: wide, height: Math.max(0.5, y(from) - y(from + value)), rx: 1.5,
          });
        }));
    };
    return [axis(top, y, width), names.map(column), namesBelow(names, at => LEFT + (at + 0.5) * step, step, height)];
  });
}

// lines({title, names, series, height, unit, max}): one line a series; a value of null is a gap.
export function lines({ title, names, series, height = 180, unit = "", max }) {
  const top = max ?? nice(Math.max(...series.flatMap(each => each.values.filter(value => value !== null)), 0.0001));
  const y = scale(top, height);
  return figure({ title, height, names, series, unit }, width => {
    const step = (width - LEFT - 8) / Math.max(names.length - 1, 1);
    const line = (each, order) => {
      let pen = "M";
      const path = each.values.map((value, at) => {
        if (value === null) { pen = "M"; return ""; }
        const part = `${pen}${(LEFT + at * step).toFixed(1)} ${y(value).toFixed(1)}`;
        pen = "L";
        return part;
      }).join("");
      return svg("path", { class: `line-${each.color ?? order + 1}`, d: path, fill: "none" }, svg("title", null, each.name));
    };
    return [axis(top, y, width), series.map(line), namesBelow(names, at => LEFT + at * step, step, height)];
  });
}

// share(0.3, "30 %"): how much of a whole, as a bar.
export function meter(value, label, color = 1) {
  const part = Math.max(0, Math.min(1, value));
  return svg("svg", { class: "meter", viewBox: "0 0 100 6", preserveAspectRatio: "none", role: "img", "aria-label": label },
    svg("rect", { class: "fill-0", width: 100, height: 6 }), svg("rect", { class: `fill-${color}`, width: 100 * part, height: 6 }));
}

// Draws anew for each width, so that letters keep their size.
function figure({ title, height, names, series, unit }, draw) {
  const columns = [{ title: "", cell: row => row.name }, ...series.map((each, at) => ({
    title: each.name, number: true, cell: row => row.values[at] === null ? "" : `${count(row.values[at])}${unit}`,
  }))];
  const rows = names.map((name, at) => ({ name, values: series.map(each => each.values[at]) }));
  const canvas = svg("svg", { height, role: "img", "aria-label": title });
  new ResizeObserver(([{ contentRect }]) => { if (contentRect.width > 0) replace(canvas, draw(contentRect.width)); }).observe(canvas);
  return h("figure", { class: "plot" },
    h("figcaption", null, title, series.length > 1 && h("span", { class: "legend" }, series.map((each, order) =>
      h("span", null, svg("svg", { viewBox: "0 0 10 10", "aria-hidden": "true" }, svg("rect", { class: `fill-${each.color ?? order + 1}`, width: 10, height: 10, rx: 2 })), each.name)))),
    canvas,
    h("details", null, h("summary", null, words.figures), table({ caption: title, columns, rows })));
}

function axis(top, y, width) {
  return [0, 0.5, 1].map(part => svg("g", { class: "axis" },
    svg("line", { x1: LEFT, x2: width, y1: y(top * part), y2: y(top * part) }),
    svg("text", { x: LEFT - 6, y: y(top * part) + 4, "text-anchor": "end" }, compact(top * part))));
}

// The names of as many places as there is room for.
function namesBelow(names, x, step, height) {
  const every = Math.max(1, Math.ceil(NAME_WIDTH / step));
  return names.map((name, at) => at % every === 0 && svg("text", { x: x(at), y: height - 5, "text-anchor": "middle" }, name));
}

function scale(top, height) {
  return value => TOP + (height - TOP - BOTTOM) * (1 - value / top);
}

// The next round number.
function nice(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return power * [1, 2, 2.5, 5, 10].find(step => step * power >= value);
}
