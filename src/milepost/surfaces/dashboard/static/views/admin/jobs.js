// Work that was put off: what waits, runs and was given up, which can be tried again or forgotten.

import { call } from "../../api.js";
import { button } from "../../components/button.js";
import { confirm } from "../../components/dialog.js";
import { field } from "../../components/field.js";
import { table } from "../../components/table.js";
import { toast, told } from "../../components/toast.js";
import { h, replace } from "../../dom.js";
import { count, moment } from "../../format.js";
import { words } from "../../strings.js";

const say = words.adminView;
const SHOWN = 200, DEAD = "dead";
const chosen = { state: "" };

export async function panel(root, { signal, again }) {
  const jobs = await call("list_jobs", { state: chosen.state, limit: SHOWN }, { signal });
  const state = field(say.state, { options: Object.entries(say.jobStates), value: chosen.state, onchange: () => { chosen.state = state.input.value; again(); } });
  const dead = jobs.filter(job => job.state === DEAD).length;
  const retry = number => () => told(async () => {
    const { jobs: tried } = await call("retry_jobs", { number });
    toast(say.retried(count(tried)));
    await again();
  });
  const drop = job => async () => {
    if (!await confirm(say.dropTitle(job.topic), [h("p", null, say.dropSays), job.problem && h("pre", null, job.problem)], say.drop)) return;
    await told(async () => {
      await call("drop_job", { number: job.number });
      toast(say.dropped);
      await again();
    });
  };
  replace(root,
    h("div", { class: "toolbar" }, state, button(say.refresh, again, { key: "r" }), dead > 0 && button(say.retryAll, retry(), { scope: "admin" })),
    table({
      caption: say.panels.jobs, rows: jobs, empty: say.noJobs,
      columns: [
        { title: say.work, cell: job => [job.topic, " ", job.key && h("code", null, job.key)] },
        { title: say.state, cell: job => h("span", { class: job.state === DEAD ? "chip bad" : "chip" }, say.jobStates[job.state] ?? job.state) },
        { title: say.dueAt, cell: job => moment(job.due) },
        { title: say.attempts, number: true, cell: job => count(job.attempts) },
        { title: say.problem, cell: job => job.problem },
        { title: "", cell: job => job.state === DEAD && h("span", { class: "actions" }, button(say.retry, retry(job.number), { scope: "admin" }), button(say.drop, drop(job), { scope: "admin", kind: "danger" })) },
      ],
    }));
}
