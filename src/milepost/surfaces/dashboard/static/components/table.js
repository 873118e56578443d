// A table of data that scrolls in itself where it is too wide.

import { h } from "../dom.js";

// table({caption, columns: [{title, cell: row => node, number: true}], rows, empty, wide})
// wide: on a phone each cell of a row becomes a line.
export function table({ caption, columns, rows, empty = "", hideCaption = true, wide = columns.length > 4 }) {
  if (rows.length === 0) return h("p", { class: "empty" }, empty);
  return h("div", { class: "table", tabindex: 0, role: "region", "aria-label": caption },
    h("table", { class: wide && "wide" },
      h("caption", { class: hideCaption && "hidden" }, caption),
      h("thead", null, h("tr", null, columns.map(column =>
        h("th", { scope: "col", class: column.number && "number" }, column.title)))),
      h("tbody", null, rows.map(row => h("tr", null, columns.map((column, at) =>
        h(at === 0 ? "th" : "td", { scope: at === 0 && "row", class: column.number && "number", "data-title": column.title || null }, column.cell(row))))))));
}
