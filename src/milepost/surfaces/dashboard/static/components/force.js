// Places the nodes of a graph: what is joined near one another, all of it apart, by springs along the
// edges and a push between any two nodes. Nothing is left to chance: the same graph lies the same.

const SPRING = 75, PUSH = 2400, REACH = 600, PULL = 0.01, SLOWING = 0.55, COOLING = 0.985, COLD = 0.015, WARM = 0.35;
const TURN = Math.PI * (3 - Math.sqrt(5));

// The result has set(ids, edges: [[from, to], …] as places of ids), tick(), isCold, x, y and move(at, x, y).
export function force() {
  const known = new Map();
  let ids = [], edges = [], degrees = [], heat = 0, held = -1;
  const layout = { x: new Float64Array(), y: new Float64Array(), set, tick, move, release: () => { held = -1; }, get isCold() { return heat < COLD; } };
  let vx, vy;

  function set(newIds, newEdges) {
    ids.forEach((id, at) => known.set(id, [layout.x[at], layout.y[at]]));
    const fresh = newIds.filter(id => !known.has(id)).length;
    ids = newIds;
    edges = newEdges;
    held = -1;
    degrees = ids.map(() => 0);
    for (const [from, to] of edges) { degrees[from] += 1; degrees[to] += 1; }
    layout.x = new Float64Array(ids.length);
    layout.y = new Float64Array(ids.length);
    vx = new Float64Array(ids.length);
    vy = new Float64Array(ids.length);
    place();
    heat = fresh === ids.length ? 1 : fresh > 0 ? Math.max(heat, WARM) : heat;
  }

  // Who is new begins beside a neighbour that has a place, the others on a spiral.
  function place() {
    const beside = new Map();
    for (const [from, to] of edges) {
      if (known.has(ids[from])) beside.set(to, from);
      if (known.has(ids[to])) beside.set(from, to);
    }
    ids.forEach((id, at) => {
      const near = known.get(id) ?? known.get(ids[beside.get(at)]);
      const away = known.has(id) ? 0 : near ? SPRING * 0.6 : 14 * Math.sqrt(at + 1);
      const [x, y] = near ?? [0, 0];
      layout.x[at] = x + away * Math.cos(at * TURN);
      layout.y[at] = y + away * Math.sin(at * TURN);
    });
  }

  function tick() {
    push();
    for (const [from, to] of edges) pull(from, to);
    for (let at = 0; at < ids.length; at += 1) {
      vx[at] = (vx[at] - PULL * heat * layout.x[at]) * SLOWING;
      vy[at] = (vy[at] - PULL * heat * layout.y[at]) * SLOWING;
      if (at === held) continue;
      layout.x[at] += vx[at];
      layout.y[at] += vy[at];
    }
    heat *= COOLING;
  }

  // Hubs push more, so that there is room for what hangs on them.
  function push() {
    const { x, y } = layout, reach = REACH * REACH;
    for (let a = 0; a < ids.length; a += 1) {
      for (let b = a + 1; b < ids.length; b += 1) {
        const dx = x[b] - x[a], dy = y[b] - y[a], apart = Math.max(dx * dx + dy * dy, 30);
        if (apart > reach) continue;
        const strength = (PUSH * heat * (1 + Math.sqrt(degrees[a] * degrees[b]) / 6)) / apart / Math.sqrt(apart);
        vx[a] -= dx * strength; vy[a] -= dy * strength;
        vx[b] += dx * strength; vy[b] += dy * strength;
      }
    }
  }

  function pull(from, to) {
    const dx = layout.x[to] - layout.x[from], dy = layout.y[to] - layout.y[from], length = Math.hypot(dx, dy) || 1;
    const strength = ((length - SPRING) / length) * heat * 0.7 / Math.max(1, Math.min(degrees[from], degrees[to]));
    // Who has more that hangs on it moves less.
    const share = degrees[from] / (degrees[from] + degrees[to] || 1);
    vx[from] += dx * strength * (1 - share); vy[from] += dy * strength * (1 - share);
    vx[to] -= dx * strength * share; vy[to] -= dy * strength * share;
  }

  // Puts a node somewhere, by hand; the others give way until it is released.
  function move(at, x, y) {
    held = at;
    layout.x[at] = x;
    layout.y[at] = y;
    heat = Math.max(heat, 0.12);
  }

  return layout;
}
