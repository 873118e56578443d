// The copies of the store that lie beside it, and making one.

import { call } from "../../api.js";
import { button } from "../../components/button.js";
import { table } from "../../components/table.js";
import { toast, told } from "../../components/toast.js";
import { h, replace } from "../../dom.js";
import { bytes, count, moment } from "../../format.js";
import { words } from "../../strings.js";

const say = words.adminView;

export async function panel(root, { signal, again }) {
  const copies = await call("list_backups", {}, { signal });
  const create = () => told(async () => {
    const made = await call("create_backup");
    toast(say.copied_(made.file, count(made.memories)));
    await again();
  });
  replace(root,
    h("div", { class: "actions" }, button(say.createBackup, create, { scope: "admin", kind: "primary", busy: say.copying }), h("span", { class: "note" }, say.backupsHint)),
    table({
      caption: say.panels.backups, rows: copies, empty: say.noBackups,
      columns: [
        { title: say.made, cell: copy => moment(copy.made) },
        { title: words.searchView.kind, cell: copy => say.copyKinds[copy.kind] ?? copy.kind },
        { title: say.memories, number: true, cell: copy => (copy.memories === null ? h("span", { class: "chip bad" }, say.unreadable) : count(copy.memories)) },
        { title: say.size, number: true, cell: copy => bytes(copy.bytes) },
        { title: say.file, cell: copy => h("code", null, copy.file) },
      ],
    }));
}
