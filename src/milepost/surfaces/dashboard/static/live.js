// What happens, told as it happens: the server's stream of events, taken up again where it broke off.

import { request } from "./api.js";

const AGAIN_MS = 2000, AGAIN_MAX_MS = 60_000;

// follow({happened: event => …, changed: () => …, connected: yes => …}, signal): until the signal
// aborts, or whoever looks may not listen. changed: memories, or episodes that are worked on, are others.
export async function follow({ happened, changed, connected }, signal) {
  let last = "", wait = AGAIN_MS;
  while (!signal.aborted) {
    try {
      const answer = await request("/events/stream", { headers: last ? { "Last-Event-ID": last } : {}, signal });
      connected(true);
      wait = AGAIN_MS;
      for await (const message of messages(answer.body)) {
        last = message.id || last;
        if (message.event === "happened") happened(JSON.parse(message.data));
        else if (message.event === "changed") changed();
      }
    } catch (problem) {
      if (signal.aborted) return;
      if (problem.status >= 400 && problem.status < 500) { connected(false); return; }
    }
    connected(false);
    await rest(wait, signal);
    wait = Math.min(2 * wait, AGAIN_MAX_MS);
  }
}

// The messages of a stream: {id, event, data}.
async function* messages(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const parts = (text + value).split("\n\n");
    text = parts.pop();
    for (const part of parts) {
      const fields = part.split("\n").map(line => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim()]);
      yield Object.fromEntries(fields);
    }
  }
}

function rest(ms, signal) {
  return new Promise(resolve => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => { clearTimeout(timer); resolve(); }, { once: true });
  });
}
