// Colours of the theme (src/report/theme.cpp), which the server gives as variables of the style sheet.

const dark = matchMedia("(prefers-color-scheme: dark)");

export const colour = (role) => getComputedStyle(document.documentElement).getPropertyValue(`--${role}`).trim();

/** "#rrggbb" with an opacity. */
export const faded = (hex, opacity) => hex + Math.round(255 * opacity).toString(16).padStart(2, "0");

/** Calls `change` whenever the reader's system goes from light to dark or back; returns what ends it. */
export function onSchemeChange(change) {
  dark.addEventListener("change", change);
  return () => dark.removeEventListener("change", change);
}

export const seriesColours = 6;
const divergingLevels = 21;

/** Role of the cell and of the text on it for a value in [-1, 1]. */
export function diverging(value) {
  const level = Math.round(((Math.max(-1, Math.min(1, value)) + 1) / 2) * (divergingLevels - 1));
  return { cell: `var(--d${level})`, text: `var(--e${level})` };
}
