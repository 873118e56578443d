// Who may come in: keys are made, given a new secret, and ended; a secret is shown once.

import { call } from "../../api.js";
import { button } from "../../components/button.js";
import { confirm, dialog } from "../../components/dialog.js";
import { field } from "../../components/field.js";
import { table } from "../../components/table.js";
import { toast, told } from "../../components/toast.js";
import { h, replace } from "../../dom.js";
import { count, moment } from "../../format.js";
import { words } from "../../strings.js";

const say = words.adminView, SCOPES = Object.keys(say.scopes), LIMITS = ["requests", "tokens", "programs"];

export async function panel(root, { signal, again }) {
  const keys = await call("list_keys", {}, { signal }), now = Date.now() / 1000;
  const isGood = key => !key.revoked && (key.ends === null || key.ends > now);
  replace(root,
    h("div", { class: "actions" }, button(say.createKey, () => create(again), { scope: "admin", kind: "primary" }), h("span", { class: "note" }, say.keysHint)),
    table({
      caption: say.panels.keys, rows: [...keys].sort((a, b) => isGood(b) - isGood(a) || b.created - a.created), empty: say.noKeys,
      columns: [
        { title: words.key, cell: key => [key.name || say.nameless, " ", h("code", null, key.id)] },
        { title: say.may, cell: key => key.scopes.join(", ") },
        { title: say.inSpaces, cell: key => key.spaces.join(", ") },
        { title: say.atMost, cell: key => Object.entries(key.limits).map(([what, most]) => say.aMinute(count(most), what)).join(", ") },
        { title: say.made, cell: key => moment(key.created) },
        { title: say.until, cell: key => (key.revoked ? h("span", { class: "chip bad" }, say.revoked) : key.ends === null ? say.forGood : h("span", { class: isGood(key) ? "" : "chip" }, moment(key.ends))) },
        { title: "", cell: key => isGood(key) && h("span", { class: "actions" },
          button(say.rotate, () => rotate(key, again), { scope: "admin" }), button(say.revoke, () => revoke(key, again), { scope: "admin", kind: "danger" })) },
      ],
    }));
}

async function create(again) {
  const name = field(say.keyName, {}), spaces = field(say.keySpaces, { hint: say.keySpacesHint }), expires = field(say.expires, { placeholder: "90d", hint: say.expiresHint });
  const scopes = SCOPES.map(scope => h("input", { type: "checkbox", value: scope, checked: scope === "read" }));
  const limits = Object.fromEntries(LIMITS.map(what => [what, field(say.limits[what], { type: "number", min: 1 })]));
  const refused = h("p", { class: "problem", role: "alert", hidden: true });
  let made = null;
  const check = async chosen => {
    if (!chosen) return true;
    try {
      made = await call("create_key", {
        name: name.input.value.trim(), scope: scopes.filter(each => each.checked).map(each => each.value), spaces: spaces.input.value.trim(), expires: expires.input.value.trim(),
        ...Object.fromEntries(LIMITS.filter(what => limits[what].input.value).map(what => [what, Number(limits[what].input.value)])),
      });
      return true;
    } catch (problem) {
      refused.textContent = problem.message;
      refused.hidden = false;
      return false;
    }
  };
  await dialog({
    title: say.createKey, check,
    body: [refused, name, h("fieldset", { class: "choices" }, h("legend", null, say.may), scopes.map(each => h("label", null, each, `${each.value}: ${say.scopes[each.value]}`))), spaces, expires, h("div", { class: "fields" }, Object.values(limits))],
    actions: [{ label: words.cancel, value: false }, { label: say.create, value: true, kind: "primary" }],
  });
  if (made) await showOnce(made, again);
}

async function rotate(key, again) {
  const hours = field(say.overlap, { type: "number", min: 0, value: 24, hint: say.overlapHint });
  const chosen = await dialog({
    title: say.rotateTitle(key.name || key.id), body: hours,
    actions: [{ label: words.cancel, value: false }, { label: say.rotate, value: true, kind: "primary" }],
  });
  const made = chosen && await told(() => call("rotate_key", { name: key.id, overlap_hours: Number(hours.input.value) }));
  if (made) await showOnce(made, again);
}

async function revoke(key, again) {
  if (!await confirm(say.revokeTitle(key.name || key.id), say.revokeSays, say.revoke)) return;
  await told(async () => {
    await call("revoke_key", { name: key.id });
    toast(say.isRevoked);
    await again();
  });
}

async function showOnce(made, again) {
  const secret = h("input", { readonly: true, value: made.secret, class: "mono secret", "aria-label": say.secret, onfocus: () => secret.select() });
  const copied = h("span", { class: "note", role: "status" });
  const copy = button(say.copy, async () => {
    secret.select();
    await navigator.clipboard?.writeText(made.secret).then(() => { copied.textContent = say.copied; }, () => { copied.textContent = say.copyYourself; });
  });
  await dialog({
    title: say.secretTitle(made.key.name || made.id), body: [h("p", null, say.secretHint), secret, h("div", { class: "actions" }, copy, copied)],
    actions: [{ label: say.hasIt, value: true, kind: "primary" }],
  });
  await told(again);
}
