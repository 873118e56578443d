// Before anything is painted: the chosen colours, where they are not the system's.
const chosen = localStorage.getItem("milepost-theme");
if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
