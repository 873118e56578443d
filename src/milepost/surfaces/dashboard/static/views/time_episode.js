// An episode step by step, with its reward explained.

import { call } from "../api.js";
import { when } from "../components/memories.js";
import { meter } from "../components/plot.js";
import { table } from "../components/table.js";
import { h, replace } from "../dom.js";
import { count, moment, seconds } from "../format.js";
import { words } from "../strings.js";

const say = words.timeView;
const REWARD_MAX = 1.5;

// Shows an episode in a node. acts: close(), go(id) to another, only(filters), signal.
export async function episodeDetail(node, id, { close, go, only, signal }) {
  const episode = await call("get_episode", { episode: id }, { signal });
  const reward = episode.outcome && episode.reward !== null ? await call("explain_reward", { episode: id }, { signal }) : null;
  const opened = new Set([...node.querySelectorAll("details.step[open]")].map(each => each.dataset.step));
  const focused = node.contains(document.activeElement) ? document.activeElement.closest("details.step")?.dataset.step : undefined;
  replace(node,
    h("div", { class: "detail-head" },
      h("h2", null, episode.task),
      h("button", { type: "button", class: "quiet", "aria-label": words.close, onclick: close }, "×")),
    h("p", { class: "about" }, outcomeChip(episode.outcome), h("span", { class: "chip kind" }, episode.task_type), (episode.tags ?? []).map(tag => h("span", { class: "chip" }, `#${tag}`)),
      episode.reward !== null && h("strong", { class: "number" }, say.reward(episode.reward.toFixed(2)))),
    episode.verdict && h("blockquote", { class: "content" }, episode.verdict),
    facts(episode, { go, only }),
    insights(episode, node),
    h("section", { class: "panel" }, h("h2", null, say.steps, h("small", null, say.stepKeys)),
      episode.steps.length === 0 ? h("p", { class: "empty" }, say.noSteps)
        : [glanceOf(episode.steps, node), h("ol", { class: "plain steps" }, episode.steps.map(step => stepParts(step, episode, opened)))]),
    reward && rewardParts(reward));
  if (focused) node.querySelector(`details.step[data-step="${focused}"] summary`)?.focus({ preventScroll: true });
}

const outcomeChip = outcome => h("span", { class: `chip ended-${outcome ?? "open"}` }, outcome ?? "open");

function facts(episode, { go, only }) {
  const { session, ...place } = episode.context;
  const pairs = [
    [say.began, moment(episode.created)], [say.took, episode.completed && seconds(episode.completed - episode.created)],
    [say.session, typeof session === "string" && h("button", { type: "button", class: "quiet code", onclick: () => only({ session }) }, session)],
    [say.where, Object.entries(place).map(([name, value]) => `${name} ${value}`).join(", ")],
    [say.artifacts, (episode.artifacts ?? []).join(" ")],
    [say.relations, (episode.relations ?? []).length > 0 && episode.relations.map(([relation, other]) =>
      h("span", null, `${relation} `, h("button", { type: "button", class: "quiet code", onclick: () => go(other) }, other)))],
    [say.checkpoint, episode.checkpoints.at(-1)?.note], [say.id, h("code", null, episode.id)],
  ].filter(([, value]) => value);
  return h("dl", { class: "pairs" }, pairs.map(([name, value]) => [h("dt", null, name), h("dd", null, value)]));
}

function insights(episode, node) {
  if (episode.insights.length === 0) return null;
  return h("ul", { class: "plain insights" }, episode.insights.map(insight => h("li", null,
    h("span", { class: "chip kind" }, say.aspects[insight.aspect] ?? insight.aspect), h("span", null, insight.text,
      insight.steps.length > 0 && [" ", insight.steps.map(number => h("button", { type: "button", class: "quiet code", "aria-label": say.toStep(number), onclick: () => goTo(node, number) }, number))]))));
}

// A mark for each step, green or red, by which one goes there.
function glanceOf(steps, node) {
  return h("div", { class: "step-marks", "aria-hidden": "true" }, steps.map(step =>
    h("span", { class: step.success ? "mark" : "mark wrong", title: `${step.number} ${step.tool}`, onclick: () => goTo(node, step.number) })));
}

function goTo(node, number) {
  for (const each of node.querySelectorAll("details.step")) each.open = each.dataset.step === String(number);
  const step = node.querySelector(`details.step[data-step="${number}"]`);
  step?.scrollIntoView({ block: "nearest" });
  step?.querySelector("summary").focus({ preventScroll: true });
}

function stepParts(step, episode, opened) {
  const parameters = Object.keys(step.parameters ?? {}).length > 0 && JSON.stringify(step.parameters, null, 1);
  const about = [step.at && say.after(seconds(Math.max(0, step.at - episode.created))), step.latency_ms && seconds(step.latency_ms / 1000), step.tokens && words.tokens(count(step.tokens))].filter(Boolean);
  return h("li", null, h("details", { class: step.success ? "step" : "step wrong", dataset: { step: step.number }, open: opened.has(String(step.number)) },
    h("summary", null, h("span", { class: "place" }, step.number), h("span", { class: "chip kind" }, step.tool), h("span", { class: "step-action" }, step.action),
      !step.success && h("span", { class: "chip bad" }, say.wentWrong)),
    h("div", { class: "step-body" },
      about.length > 0 && h("p", { class: "note" }, about.join(" · ")),
      parameters && h("pre", { class: "as-told" }, parameters),
      step.observation ? h("pre", { class: "as-told", tabindex: 0, "aria-label": say.seen }, step.observation) : h("p", { class: "note" }, say.sawNothing))));
}

function rewardParts(reward) {
  return h("section", { class: "panel reward-terms" }, h("h2", null, say.rewardTitle, h("small", { class: "number" }, reward.total.toFixed(2))),
    h("p", { class: "note" }, say.rewardFormula),
    table({
      caption: say.rewardTitle, rows: reward.terms, empty: "",
      columns: [
        { title: say.term, cell: term => [term.name, meter(Math.max(0, term.value) / REWARD_MAX, `${term.name} ${term.value.toFixed(2)}`, term.value < 0 ? 2 : 1)] },
        { title: say.value, number: true, cell: term => term.value.toFixed(2) },
        { title: say.why, cell: term => term.why },
      ],
    }));
}

// An episode in a line, as evidence.
export function episodeLine(episode, href) {
  return h("li", null, h("a", { href }, episode.task),
    h("div", { class: "about" }, outcomeChip(episode.outcome), h("span", { class: "note" }, when(episode.created)), episode.lesson && h("span", { class: "note" }, episode.lesson)));
}
