// Numbers and times as people read them.

const number = new Intl.NumberFormat("en");
const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const percent = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 0 });
const date = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });
const minute = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" });
const clockTime = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const weekday = new Intl.DateTimeFormat("en-GB", { weekday: "long", day: "numeric", month: "long", year: "numeric" });
const second = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", second: "2-digit" });
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "short" });

export const count = value => number.format(value);
export const compact = value => short.format(value);
export const share = value => percent.format(value);

// Moments are in seconds since the epoch.
export const day = seconds => date.format(seconds * 1000);
export const moment = seconds => minute.format(seconds * 1000);
export const clock = seconds => clockTime.format(seconds * 1000);
export const dayName = seconds => weekday.format(seconds * 1000);
export const exact = seconds => second.format(seconds * 1000);
export const iso = seconds => new Date(seconds * 1000).toISOString();

const STEPS = [["year", 31557600], ["month", 2629800], ["week", 604800], ["day", 86400], ["hour", 3600], ["minute", 60]];

export function ago(seconds) {
  const past = seconds - Date.now() / 1000;
  const [unit, length] = STEPS.find(([, size]) => Math.abs(past) >= size) ?? ["second", 1];
  return relative.format(Math.round(past / length), unit);
}

export function bytes(value) {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let shown = value, unit = 0;
  while (shown >= 1000 && unit < units.length - 1) {
    shown /= 1000;
    unit += 1;
  }
  return `${shown < 10 && unit ? shown.toFixed(1) : Math.round(shown)} ${units[unit]}`;
}

export function seconds(value) {
  if (value < 1) return `${Math.round(value * 1000)} ms`;
  if (value < 90) return `${value < 10 ? value.toFixed(1) : Math.round(value)} s`;
  return value < 5400 ? `${Math.round(value / 60)} min` : `${(value / 3600).toFixed(1)} h`;
}
