// Makes elements. What is shown comes from memories, which may be hostile: it is only ever set as
// text, and an address that is not one of this page or of the web is left out.

const SVG = "http://www.w3.org/2000/svg";
const SAFE = /^(#|\/(?!\/)|https?:\/\/|data:(text\/plain|application\/json|application\/x-ndjson)[;,])/i;

// h("p", {class: "note", onclick: f, style: {"--x": 1}}, "text", child, [more])
export function h(tag, props, ...children) {
  return filled(document.createElement(tag), props, children);
}

export function svg(tag, props, ...children) {
  return filled(document.createElementNS(SVG, tag), props, children);
}

function filled(node, props, children) {
  for (const [name, value] of Object.entries(props ?? {})) set(node, name, value);
  add(node, children);
  return node;
}

function set(node, name, value) {
  if (value === undefined || value === null || value === false) return;
  if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
  else if (name === "style") for (const [key, part] of Object.entries(value)) node.style.setProperty(key, part);
  else if (name === "dataset") Object.assign(node.dataset, value);
  else if (name === "href" || name === "src" || name === "action") {
    if (SAFE.test(String(value))) node.setAttribute(name, value);
  } else if (["value", "checked", "indeterminate", "selected"].includes(name)) node[name] = value;
  else node.setAttribute(name, value === true ? "" : value);
}

// Children are nodes or text; null, undefined and false are nothing.
export function add(node, children) {
  for (const child of [children].flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : String(child));
  }
  return node;
}

export function replace(node, ...children) {
  node.replaceChildren();
  return add(node, children);
}

// Draws anew what is in a node; who had the focus in it keeps it there.
export async function redraw(node, draw) {
  const had = node.contains(document.activeElement);
  await draw();
  if (!had || node.contains(document.activeElement)) return;
  node.tabIndex = -1;
  node.focus({ preventScroll: true });
}

let made = 0;
// A name for an element that others point to.
export function newId(prefix = "e") {
  made += 1;
  return `${prefix}-${made}`;
}

// Calls a function once nothing came for a while.
export function rested(work, ms = 180) {
  let timer;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => work(...given), ms);
  };
}
