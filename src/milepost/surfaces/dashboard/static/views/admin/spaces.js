// The spaces there are, where each lies, and the way into it.

import { call, space } from "../../api.js";
import { enterSpace } from "../../app.js";
import { button } from "../../components/button.js";
import { table } from "../../components/table.js";
import { h, replace } from "../../dom.js";
import { count } from "../../format.js";
import { words } from "../../strings.js";

const say = words.adminView;

export async function panel(root, { signal }) {
  const spaces = await call("list_spaces", {}, { signal });
  replace(root, h("p", { class: "note" }, say.spacesHint), table({
    caption: say.panels.spaces, rows: spaces, empty: say.noSpaces,
    columns: [
      { title: words.space, cell: row => row.space || say.unknownSpace },
      { title: say.memories, number: true, cell: row => count(row.memories) },
      { title: say.rows, number: true, cell: row => count(row.rows) },
      { title: say.store, cell: row => [row.store, row.note && h("p", { class: "note" }, row.note)] },
      { title: "", cell: row => row.space && (row.space === space() ? h("span", { class: "note" }, say.here) : button(say.enter, () => enterSpace(row.space))) },
    ],
  }));
}
