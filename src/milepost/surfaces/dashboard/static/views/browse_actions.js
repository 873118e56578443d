// What can be done to a memory, each with the way back that the server keeps.

import { call } from "../api.js";
import { compared } from "../components/diff.js";
import { confirm, dialog } from "../components/dialog.js";
import { field } from "../components/field.js";
import { toast, told } from "../components/toast.js";
import { h, replace } from "../dom.js";
import { moment } from "../format.js";
import { words } from "../strings.js";

const say = words.browseView;
const NEAR = 8;

const splitTags = text => text.split(",").map(tag => tag.trim()).filter(Boolean);
const reviewed = memory => ({ ...memory.metadata, reviewed: new Date().toISOString().slice(0, 10) });

// Takes back what was last done to each of some memories, and says so.
function undoer(hashes, back) {
  return () => told(async () => {
    for (const hash of hashes) await call("undo", { hash });
    toast(words.undone);
    await back(hashes[0]);
  });
}

export async function edit(memory, { after, back, reviewing }) {
  const text = field(say.text, { rows: 8, value: memory.content });
  const kind = field(words.searchView.kind, { value: memory.kind });
  const tags = field(say.tags, { value: memory.tags.join(", ") });
  const chosen = await dialog({
    title: say.editTitle(memory.hash), wide: true, body: [text, h("div", { class: "fields" }, kind, tags), h("p", { class: "note" }, say.editHint)],
    actions: [{ label: words.cancel, value: false }, { label: words.save, value: true, kind: "primary" }],
  });
  if (!chosen) return;
  await told(async () => {
    const content = text.input.value.trim(), isNew = content !== memory.content;
    const hash = await call("update", {
      hash: memory.full_hash, content: isNew ? content : undefined, kind: kind.input.value.trim(), tags: splitTags(tags.input.value),
      metadata: reviewing ? reviewed(memory) : undefined,
    });
    toast(isNew ? say.edited : say.changed, { undo: undoer([memory.full_hash], back) });
    await after(reviewing ? { gone: [memory.hash] } : { stays: hash });
  });
}

export async function supersede(memory, { after, back }) {
  const text = field(say.newText, { rows: 6, value: "", required: true });
  const chosen = await dialog({
    title: say.supersedeTitle(memory.hash), wide: true,
    body: [h("blockquote", { class: "content" }, memory.content), text, h("p", { class: "note" }, say.supersedeHint)],
    actions: [{ label: words.cancel, value: false }, { label: say.supersede, value: true, kind: "primary" }],
    check: value => !value || text.input.reportValidity(),
  });
  if (!chosen) return;
  await told(async () => {
    const hash = await call("store", {
      content: text.input.value.trim(), kind: memory.kind, tags: memory.tags, project: memory.project ?? "everywhere",
      session: memory.session, author: memory.author, supersedes: memory.full_hash,
    });
    toast(say.superseded_, { undo: undoer([memory.full_hash], back) });
    await after({ stays: hash });
  });
}

export async function merge(memory, { after, back, reviewing }) {
  const near = await told(() => call("similar", { hash: memory.hash, limit: NEAR }));
  if (!near) return;
  if (near.memories.length === 0) { toast(say.nothingNear); return; }
  const text = field(say.mergedText, { rows: 7, value: memory.content });
  let other = null;
  const choices = h("fieldset", { class: "choices" }, h("legend", null, say.mergeWith), near.memories.map(each => h("label", null,
    h("input", { type: "radio", name: "other", onchange: () => told(async () => {
      other = await call("get", { hash: each.hash });
      text.input.value = `${memory.content}\n${other.content}`;
    }) }), h("span", null, each.preview))));
  const chosen = await dialog({
    title: say.mergeTitle(memory.hash), wide: true, body: [choices, text],
    actions: [{ label: words.cancel, value: false }, { label: say.merge, value: true, kind: "primary" }],
    check: value => !value || other !== null,
  });
  if (!chosen) return;
  await told(async () => {
    const item = {
      content: text.input.value.trim(), kind: memory.kind, tags: [...new Set([...memory.tags, ...other.tags])], project: memory.project ?? "everywhere",
      session: memory.session ?? undefined, author: memory.author ?? undefined, metadata: reviewing ? reviewed(memory) : memory.metadata,
    };
    // One call, and so one deed, which is taken back as a whole.
    const [hash] = await call("store_batch", { items: [{ ...item, supersedes: memory.full_hash }, { ...item, supersedes: other.full_hash }] });
    toast(say.merged, { undo: undoer([memory.full_hash], back) });
    await after(reviewing ? { gone: [memory.hash, other.hash] } : { stays: hash });
  });
}

export async function drop(hashes, { after, back }) {
  if (hashes.length > 1 && !await confirm(say.dropTitle(hashes.length), say.dropHint, say.delete)) return;
  await told(async () => {
    const full = await fullHashes(hashes);
    const { undo_until: until } = await call("delete_batch", { hashes: full });
    toast(say.deleted(full.length, until), { undo: undoer(full, back) });
    await after({ gone: hashes });
  });
}

export async function keep(hashes, { after, back }) {
  await told(async () => {
    for (const hash of hashes) {
      const memory = await call("get", { hash });
      await call("update", { hash: memory.full_hash, metadata: reviewed(memory) });
    }
    toast(say.kept(hashes.length), { undo: undoer(hashes, back) });
    await after({ gone: hashes });
  });
}

// Short hashes may come to name several once others are stored.
async function fullHashes(hashes) {
  const memories = [];
  for (const hash of hashes) memories.push(await call("get", { hash }));
  return memories.map(memory => memory.full_hash);
}

export async function undoLast({ back }) {
  await told(async () => {
    const last = await call("undo", { dry_run: true });
    if (last.undone === 0) { toast(say.nothingToUndo); return; }
    const [deed] = last.deeds;
    if (!await confirm(say.undoTitle, [h("p", null, say.undoOf(deed.deed, deed.memories, moment(deed.at))), h("blockquote", { class: "content" }, deed.preview)], words.undo, "primary")) return;
    await call("undo");
    toast(words.undone);
    await back();
  });
}

export async function versions(memory, { open }) {
  const all = await told(() => call("versions", { hash: memory.full_hash }));
  if (!all) return;
  if (all.length === 1) { toast(say.oneVersion); return; }
  const choice = (label, at) => field(label, { options: all.map((each, place) => [String(place), `${each.hash} · ${moment(each.recorded)}`]), value: String(at) });
  const left = choice(say.older, all.length - 2), right = choice(say.newer, all.length - 1);
  const beside = h("div", { class: "beside" });
  const draw = () => {
    const [older, newer] = [all[Number(left.input.value)], all[Number(right.input.value)]];
    const [a, b] = compared(older.content, newer.content);
    replace(beside, version(older, a), version(newer, b));
  };
  left.input.addEventListener("change", draw);
  right.input.addEventListener("change", draw);
  draw();
  const chosen = await dialog({ title: say.versionsTitle(all.length), wide: true, body: [h("div", { class: "fields" }, left, right), beside], actions: [{ label: say.openNewest, value: all.at(-1).hash }] });
  if (chosen) await open(chosen);
}

function version(memory, text) {
  return h("section", null,
    h("p", { class: "note" }, h("code", null, memory.hash), ` ${moment(memory.recorded)} · ${memory.kind}${memory.tags.length ? ` · ${memory.tags.map(tag => `#${tag}`).join(" ")}` : ""}${memory.valid_to ? ` · ${say.until(moment(memory.valid_to))}` : ""}`),
    h("div", { class: "content" }, text));
}
