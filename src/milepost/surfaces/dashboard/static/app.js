// The page: which view is open, how one gets to others, and who is let in.

import { can, choose, enter, hasSession, leave, me, recognise, space } from "./api.js";
import { dialog } from "./components/dialog.js";
import { field } from "./components/field.js";
import { toast } from "./components/toast.js";
import { add, h, replace } from "./dom.js";
import { bind, listen, showKeys } from "./keyboard.js";
import { words } from "./strings.js";

// A view is a line here and a module with `title` and `render(root, params, view)`; it is shown to
// those who have its scope. key: what follows g.
const VIEWS = [
  { name: "home", key: "h", load: () => import("./views/home.js") },
  { name: "search", key: "s", load: () => import("./views/search.js") },
  { name: "browse", key: "b", load: () => import("./views/browse.js") },
  { name: "time", key: "t", load: () => import("./views/time.js") },
  { name: "graph", key: "r", load: () => import("./views/graph.js") },
  { name: "consolidation", key: "o", load: () => import("./views/consolidation.js") },
  { name: "costs", key: "c", load: () => import("./views/costs.js") },
  { name: "admin", key: "a", scope: "admin", load: () => import("./views/admin.js") },
];

let open = null;

// The view that the address names, and with what; one that is written wrongly names none.
function place() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  let name, rest;
  try {
    [name, ...rest] = (path || "home").split("/").map(decodeURIComponent);
  } catch {
    [name, rest] = ["", []];
  }
  const params = Object.fromEntries(new URLSearchParams(query));
  if (rest.length) params.path = rest;
  return { name, params, chosen: VIEWS.find(each => each.name === name) };
}

function render() {
  const { name, params, chosen } = place();
  for (const link of document.querySelectorAll("nav a")) {
    if (link.dataset.view === name) {
      link.setAttribute("aria-current", "page");
      link.scrollIntoView({ block: "nearest", inline: "nearest" });
    } else link.removeAttribute("aria-current");
  }
  // The view itself made this change, by view.setParams.
  if (open?.name === name && open.hash === location.hash) return;
  const moved = open !== null;
  open?.controller.abort();
  open = { name, hash: location.hash, controller: new AbortController() };
  const root = h("div", { class: `view view-${name}` });
  const main = document.querySelector("main");
  replace(main, root);
  if (moved) main.focus({ preventScroll: true });
  show(chosen, root, params, open);
}

async function show(chosen, root, params, mine) {
  if (!chosen || !can(chosen.scope ?? "read")) {
    add(root, h("p", { class: "empty" }, chosen ? words.lacksScope(chosen.scope ?? "read") : words.notThere));
    return;
  }
  const view = {
    // Ends when another view is opened: requests and listeners go with it.
    signal: mine.controller.signal,
    go,
    // Changes the address without opening the view anew.
    setParams(changed) {
      if (open !== mine) return;
      mine.hash = address(mine.name, changed);
      history.replaceState(null, "", mine.hash);
    },
  };
  try {
    const module = await chosen.load();
    if (mine.controller.signal.aborted) return;
    document.title = `${module.title} · ${words.name}`;
    await module.render(root, params, view);
  } catch (problem) {
    if (problem.name === "AbortError" || mine.controller.signal.aborted) return;
    add(root, h("p", { class: "problem", role: "alert" }, problem.message));
    if (!problem.code) throw problem;
  }
}

export function address(name, params = {}) {
  const { path = [], ...rest } = params;
  const kept = Object.entries(rest).filter(([, value]) => value !== undefined && value !== null && value !== "");
  const query = new URLSearchParams(kept).toString();
  return `#/${[name, ...path].map(encodeURIComponent).join("/")}${query ? `?${query}` : ""}`;
}

export function go(name, params = {}) {
  const to = address(name, params);
  if (to === location.hash) { open = null; render(); } else location.hash = to;
}

function shell() {
  const views = VIEWS.filter(each => can(each.scope ?? "read"));
  replace(document.body,
    h("a", { class: "skip", href: "#main", onclick: event => { event.preventDefault(); document.querySelector("main").focus(); } }, words.skip),
    h("header", { class: "bar" },
      h("a", { class: "brand", href: "#/home" }, h("img", { src: "/ui/mark.svg", alt: "", width: 20, height: 20 }), words.name),
      h("nav", { "aria-label": words.menu }, views.map(each =>
        h("a", { href: address(each.name), dataset: { view: each.name } }, words[each.name]))),
      h("div", { class: "who" }, spaceButton(), themeButton(),
        h("button", { type: "button", class: "quiet", onclick: showKeys, title: words.showKeys, "aria-label": words.showKeys }, "?"),
        hasSession() && h("button", { type: "button", class: "quiet", onclick: async () => { await leave(); start(); }, title: words.asWho(me.name) }, words.logout))),
    h("main", { id: "main", tabindex: -1 }));
  const keys = Object.fromEntries(views.map(each => [`g ${each.key}`, [() => go(each.name), words.goes(words[each.name])]]));
  bind(words.everywhere, {
    "/": [focusSearch, words.focusSearch],
    ...keys,
    "?": [() => { showKeys(); }, words.thisSheet],
  });
}

function focusSearch() {
  const here = document.querySelector("main input[type=search]");
  if (here) here.focus();
  else if (VIEWS.some(each => each.name === "search")) go("search");
}

function spaceButton() {
  const only = me.spaces?.length === 1 && !me.spaces[0].includes("*");
  const name = space() || me.space;
  if (only) return h("span", { class: "note" }, name);
  return h("button", { type: "button", class: "quiet", onclick: chooseSpace, title: words.chooseSpace }, name);
}

async function chooseSpace() {
  const named = field(words.space, {
    value: space() || me.space, list: (me.spaces ?? [me.space]).filter(name => !name.includes("*")),
    hint: me.spaces ? words.spaceHint(me.spaces.join(", ")) : undefined,
  });
  const chosen = await dialog({ title: words.chooseSpace, body: named, actions: [{ label: words.apply, value: true, kind: "primary" }] });
  if (chosen) enterSpace(named.input.value.trim());
}

export function enterSpace(name) {
  choose(name);
  shell();
  open = null;
  render();
}

function themeButton() {
  const order = ["auto", "light", "dark"];
  const now = () => document.documentElement.dataset.theme ?? "auto";
  const button = h("button", { type: "button", class: "quiet", onclick: () => {
    const next = order[(order.indexOf(now()) + 1) % order.length];
    if (next === "auto") { delete document.documentElement.dataset.theme; localStorage.removeItem("milepost-theme"); }
    else { document.documentElement.dataset.theme = next; localStorage.setItem("milepost-theme", next); }
    tell();
  } });
  const tell = () => {
    button.textContent = { auto: "◐", light: "○", dark: "●" }[now()];
    button.title = `${words.theme}: ${words.themes[now()]}`;
    button.setAttribute("aria-label", button.title);
  };
  tell();
  return button;
}

function loginPage(problem) {
  const key = field(words.key, { type: "password", required: true });
  key.input.autocomplete = "current-password";
  const told = h("p", { role: "alert", class: "problem", hidden: !problem }, problem);
  document.title = `${words.login} · ${words.name}`;
  replace(document.body, h("main", { class: "login" },
    h("h1", null, h("img", { src: "/ui/mark.svg", alt: "", width: 28, height: 28 }), words.name),
    h("form", { onsubmit: async event => {
      event.preventDefault();
      try {
        await enter({ key: key.input.value.trim() });
        start();
      } catch (refused) {
        told.textContent = refused.message;
        told.hidden = false;
        key.input.select();
      }
    } },
    h("h2", null, words.loginTitle), key, told, h("button", { class: "primary" }, words.login),
    h("p", { class: "note" }, words.loginHint))));
  key.input.focus();
}

// The token of `milepost ui` stands behind the address; it is used once and taken out of it.
async function useToken() {
  const token = /^#token=([\w-]+)$/.exec(location.hash)?.[1];
  if (!token) return "";
  history.replaceState(null, "", location.pathname);
  try {
    await enter({ token });
    return "";
  } catch (problem) {
    return problem.message;
  }
}

async function start() {
  const refused = await useToken();
  // On its way while the server says who we are; whoever shows it hears of what goes wrong.
  place().chosen?.load().catch(() => null);
  try {
    await recognise();
  } catch (problem) {
    if (problem.status === 401) { loginPage(refused); return; }
    replace(document.body, h("main", { class: "login" }, h("p", { class: "problem", role: "alert" }, problem.message)));
    return;
  }
  if (refused) toast(refused, { error: true });
  shell();
  open = null;
  render();
}

addEventListener("hashchange", () => { if (me) render(); });
addEventListener("unauthorized", event => { if (me) loginPage(event.detail.message); });
listen();
start();
