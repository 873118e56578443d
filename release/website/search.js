// Finds parts of pages that hold every word; those whose headings hold them come first.
const root = document.currentScript.dataset.root;
const field = document.getElementById("search");
const list = document.getElementById("hits");
const folded = ENTRIES.map((entry) => ({
  ...entry,
  heading: `${entry.title} ${entry.page}`.toLowerCase(),
  body: entry.text.toLowerCase(),
}));

function found(words) {
  const weight = (entry) => words.filter((word) => entry.heading.includes(word)).length;
  return folded
    .filter((entry) => words.every((word) => entry.heading.includes(word) || entry.body.includes(word)))
    .sort((a, b) => weight(b) - weight(a))
    .slice(0, 12);
}

function row(entry, word) {
  const link = document.createElement("a");
  const about = document.createElement("small");
  const at = Math.max(0, entry.body.indexOf(word) - 60);
  link.href = `${root}/${entry.at}`;
  link.textContent = entry.title === entry.page ? entry.title : `${entry.page}: ${entry.title}`;
  about.textContent = entry.text.slice(at, at + 160);
  link.append(about);
  const item = document.createElement("li");
  item.append(link);
  return item;
}

field.addEventListener("input", () => {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  list.replaceChildren(...(words.length ? found(words).map((entry) => row(entry, words[0])) : []));
});
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== field) {
    event.preventDefault();
    field.focus();
  } else if (event.key === "Escape") {
    field.value = "";
    list.replaceChildren();
  }
});
