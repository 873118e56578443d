// What is wrong with the store and since when, by which rules, and who is told of it.

import { call } from "../../api.js";
import { button } from "../../components/button.js";
import { dialog } from "../../components/dialog.js";
import { field } from "../../components/field.js";
import { table } from "../../components/table.js";
import { toast, told } from "../../components/toast.js";
import { h, replace } from "../../dom.js";
import { ago, exact, moment } from "../../format.js";
import { words } from "../../strings.js";

const say = words.adminView;
const FIRING = "firing", OFF = "off", USUAL = "usual", MEMORIES = "memories";
const CHIPS = { firing: "chip bad", quiet: "chip kind", off: "chip" };

export async function panel(root, { signal, again }) {
  const { alerts, checked, told: targets } = await call("alerts", {}, { signal });
  const firing = alerts.filter(alert => alert.state === FIRING), tried = h("div", { role: "status" });
  const check = () => told(async () => {
    await call("check_alerts");
    await again();
  });
  const test = () => told(async () => {
    const reached = await call("test_alerts", {}, { signal });
    replace(tried, reached.map(each => h("p", { class: each.reached ? "fine" : "problem" }, each.reached ? say.reached(each.target) : say.notReached(each.target, each.problem))));
  });
  replace(root,
    firing.length === 0 ? checked !== null && h("p", { class: "fine" }, say.noneFires) : h("div", { class: "problem" }, h("strong", null, say.fires), h("ul", null,
      firing.map(alert => h("li", null, `${say.ruleNames[alert.rule] ?? alert.rule}: ${alert.found}, ${say.sinceWhen(moment(alert.since), ago(alert.since))}`)))),
    h("div", { class: "actions" }, button(say.checkNow, check, { scope: "admin", kind: "primary", busy: say.checking }), button(say.sendTest, test, { scope: "admin", busy: say.sending }),
      h("span", { class: "note" }, checked === null ? say.neverChecked : say.checkedAt(exact(checked)), " ", targets.length > 0 ? say.toldTo(targets.join(", ")) : say.nobodyTold)),
    tried,
    table({
      caption: say.alertRules, rows: alerts, wide: true, empty: "",
      columns: [
        { title: say.rule, cell: alert => [say.ruleNames[alert.rule] ?? alert.rule, h("p", { class: "note" }, say.firesWhen[alert.rule])] },
        { title: say.threshold, cell: alert => (alert.state === OFF || alert.threshold === OFF ? "" : say.thresholdNames[alert.threshold] ?? alert.threshold) },
        { title: say.state, cell: alert => h("span", { class: CHIPS[alert.state] ?? "chip" }, say.alertStates[alert.state] ?? alert.state) },
        { title: "", cell: alert => h("span", { class: "actions" },
          button(say.change, () => change(alert, again), { scope: "admin" }),
          alert.threshold === OFF ? button(say.turnOn, () => set(alert.rule, USUAL, again), { scope: "admin" }) : button(say.turnOff, () => set(alert.rule, OFF, again), { scope: "admin" })) },
      ],
    }));
}

const set = (rule, threshold, again) => told(async () => {
  await call("set_alert", { rule, threshold });
  toast(say.ruled);
  await again();
});

async function change(alert, again) {
  const threshold = field(say.threshold, { value: alert.threshold === OFF ? "" : alert.threshold, hint: say.thresholdHints[alert.rule], required: true });
  const refused = h("p", { class: "problem", role: "alert", hidden: true });
  const check = async value => {
    if (!value) return true;
    if (value !== USUAL && !threshold.input.reportValidity()) return false;
    try {
      await call("set_alert", { rule: alert.rule, threshold: value === USUAL ? USUAL : threshold.input.value.trim() });
      return true;
    } catch (problem) {
      refused.textContent = problem.message;
      refused.hidden = false;
      return false;
    }
  };
  const chosen = await dialog({
    title: say.changeTitle(say.ruleNames[alert.rule] ?? alert.rule), check,
    body: [refused, threshold, alert.rule === MEMORIES && h("p", { class: "note" }, say.takesAsIs)],
    actions: [{ label: words.cancel, value: false }, { label: say.asUsual, value: USUAL }, { label: say.change, value: true, kind: "primary" }],
  });
  if (!chosen) return;
  toast(say.ruled);
  await told(again);
}
