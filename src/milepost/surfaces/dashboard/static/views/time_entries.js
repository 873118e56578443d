// The entries of the timeline: events and episodes, fetched by pages back in time and joined.

import { call } from "../api.js";

const PAGE = 200, PAGE_MAX = 10_000, NEWEST = 50, SECOND_PART = 1e-6;

// entries(given, until): those that pass {kind, session, project}, from a time back (null: from now).
// The result has all() newest first, earlier(), refresh(), add(event), ended and reached.
export function entries({ kind, session, project }, until, signal) {
  const known = new Map();
  const about = { session_id: session, project };
  const wantsEvents = kind !== "episode", wantsEpisodes = !kind || kind === "episode";
  const sources = [
    wantsEvents && { size: PAGE, fetch: (more) => call("recall_events", { ...about, event_type: kind, ...more }, { signal }).then(found => found.map(ofEvent)) },
    wantsEpisodes && { size: PAGE, fetch: (more) => call("list_episodes", { ...about, ...more }, { signal }).then(found => found.episodes.map(ofEpisode)) },
  ].filter(Boolean);
  for (const source of sources) Object.assign(source, { from: until, ended: false });

  function put(rows) {
    let fresh = 0;
    // What an episode is told of by its own events, its entry tells better.
    for (const row of rows.filter(each => each.kind !== "episode" || each.isEpisode)) {
      if (!known.has(row.id)) fresh += 1;
      known.set(row.id, row);
    }
    return fresh;
  }

  async function back(source) {
    const rows = await source.fetch({ before: source.from ?? undefined, limit: source.size });
    const oldest = Math.min(...rows.map(row => row.at)), fresh = put(rows);
    source.ended = rows.length < source.size;
    // What happened at the very time of the last row may have been cut off: that time is asked for again.
    if (!source.ended && fresh === 0 && source.size < PAGE_MAX) source.size = Math.min(PAGE_MAX, 4 * source.size);
    else if (rows.length) source.from = fresh === 0 ? oldest : oldest + SECOND_PART;
  }

  // So far back every source has been read.
  const reached = () => Math.max(...sources.map(source => (source.ended || source.from === null ? -Infinity : source.from)), -Infinity);

  return {
    get ended() { return sources.every(source => source.ended); },
    async earlier() {
      const behind = sources.filter(source => !source.ended && (source.from === null || source.from >= reached()));
      await Promise.all(behind.map(back));
    },
    // What is new or has changed at the near end; returns how much is new.
    async refresh() {
      const rows = await Promise.all(sources.map(source => source.fetch({ limit: NEWEST })));
      return put(rows.flat());
    },
    add(event) {
      const passes = wantsEvents && (!kind || event.event_type === kind) && (!session || event.session_id === session) && (!project || event.project === project);
      return passes ? put([ofEvent(event)]) : 0;
    },
    all: () => [...known.values()].filter(row => row.at >= reached()).sort((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1)),
  };
}

const ofEvent = event => ({
  id: event.id, at: event.at, until: event.at, kind: event.event_type, text: event.content, outcome: event.outcome,
  session: event.session_id, project: event.project, took: event.duration_ms ? event.duration_ms / 1000 : null,
});

const ofEpisode = episode => ({
  id: episode.id, at: episode.created, until: episode.completed ?? episode.created, kind: "episode", isEpisode: true, text: episode.task,
  outcome: episode.outcome ?? "open", session: episode.session, project: episode.project, reward: episode.reward, lesson: episode.lesson,
  took: episode.completed ? episode.completed - episode.created : null,
});

export const failed = row => ["failed", "failure", "error"].includes(row.outcome);

// Days, latest first, each with its blocks: what belongs to a session, and what to none.
export function days(rows) {
  const found = new Map();
  for (const row of rows) {
    const start = midnight(row.at);
    if (!found.has(start)) found.set(start, { start, rows: [], blocks: [] });
    const day = found.get(start);
    day.rows.push(row);
    const last = day.blocks.at(-1), session = row.session ?? null;
    const mine = session === null ? (last?.session === null ? last : undefined) : day.blocks.find(block => block.session === session);
    if (mine) mine.rows.push(row);
    else day.blocks.push({ session, rows: [row] });
  }
  return [...found.values()];
}

export function midnight(seconds) {
  const at = new Date(seconds * 1000);
  at.setHours(0, 0, 0, 0);
  return at.getTime() / 1000;
}
