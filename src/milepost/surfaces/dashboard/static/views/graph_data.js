// What is shown of the graph: relations by what they join, grown from a beginning and from entities.

import { call } from "../api.js";

const BEGINNING = 120, AROUND = 60;

// The result has all() as {nodes, edges}, begin(), expand(name), only(name), again(), types and left.
export function graphData(signal) {
  const types = new Map(), relations = new Map(), opened = new Map();
  let asOf = "", beginning = 0, turn = new AbortController();

  function put(found) {
    for (const entity of found.entities) types.set(entity.name, entity.entity_type);
    for (const each of found.relations) {
      types.set(each.source, each.source_type);
      types.set(each.target, each.target_type);
      relations.set(JSON.stringify([each.source, each.relation, each.target]), each);
    }
  }

  const sent = () => ({ signal: turn.signal });
  async function fetchBeginning(most) {
    const found = await call("graph_as_of", { date: asOf || "now", limit: most }, sent());
    put(found);
    return found.total;
  }
  async function fetchAround(name, most) {
    const found = await call("neighbours", { entity: name, as_of: asOf, limit: most }, sent());
    put(found);
    return found.total;
  }

  return {
    types,
    get opened() { return opened; },
    get size() { return relations.size; },
    // The heaviest relations of all, more of them each time.
    async begin() {
      beginning = beginning ? 4 * beginning : BEGINNING;
      return fetchBeginning(beginning);
    },
    // What hangs on an entity, more of it each time; returns how many relations it has in all.
    async expand(name) {
      const most = opened.has(name) ? 3 * opened.get(name) : AROUND, total = await fetchAround(name, most);
      opened.set(name, most);
      return total;
    },
    clear() {
      for (const each of [types, relations, opened]) each.clear();
      beginning = 0;
    },
    // All that is open, as it was at another time; what is asked for meanwhile is given up.
    async at(date) {
      turn.abort();
      turn = new AbortController();
      signal.addEventListener("abort", () => turn.abort(), { signal: turn.signal });
      asOf = date;
      const before = [types, relations].map(each => new Map(each));
      for (const each of [types, relations]) each.clear();
      try {
        await Promise.all([beginning && fetchBeginning(beginning), ...[...opened].map(([name, most]) => fetchAround(name, most))]);
      } catch (problem) {
        if (problem.name !== "AbortError") [types, relations].forEach((each, place) => { for (const [key, value] of before[place]) each.set(key, value); });
        throw problem;
      }
    },
    all(hidden) {
      const shown = [...types].filter(([, type]) => !hidden.has(type)), names = new Set(shown.map(([name]) => name));
      return {
        nodes: shown.map(([name, type]) => ({ id: name, name, type })),
        edges: [...relations.values()].filter(each => names.has(each.source) && names.has(each.target)),
      };
    },
  };
}
