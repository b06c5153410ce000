// A heat map that is a table: every cell has its number, and a screen reader can walk through it.
import { h, setText } from "./dom.js";
import { diverging } from "./colours.js";
import { bandOfAll } from "./multiplicity.js";
import { band95 } from "./release.js";
import { fixedText, plusMinusText } from "./number_text.js";

/**
 * A heat map of fixed rows and columns. set(value, noise) fills it; `scale` is the value that has the full colour.
 * A cell without colour is one whose sign the noise hides: `entries` numbers are looked at together, and the bands of
 * all of them hold the values without noise with 95% probability.
 */
export class HeatTable {
  constructor({ caption, rows, columns, entries = rows.length * columns.length, scale = 1, decimals = 2 }) {
    Object.assign(this, { rows, columns, scale, decimals });
    this.band = bandOfAll(entries);
    this.cells = rows.map(() => columns.map(() => h("td", {})));
    const head = h("tr", {}, h("td", {}), columns.map((name) => h("th", { scope: "col" }, h("span", { title: name }, name))));
    this.element = h("div", { class: "scroll", role: "region", "aria-label": caption, tabindex: "0" },
      h("table", { class: `heat${columns.length > 8 ? " dense" : ""}` },
        h("caption", { class: "visually-hidden" }, caption),
        h("thead", {}, head),
        h("tbody", {}, rows.map((name, i) => h("tr", {}, h("th", { scope: "row" }, h("span", { title: name }, name)), this.cells[i])))));
  }

  set(value, noise) {
    this.cells.forEach((row, i) => row.forEach((cell, j) => {
      const one = value[i][j];
      const deviation = noise?.[i][j] ?? 0;
      const half = band95 * deviation;
      const isHidden = !Number.isFinite(one) || !Number.isFinite(half) || Math.abs(one) <= this.band * deviation;
      const { cell: background, text } = diverging(one / this.scale);
      cell.style.background = isHidden ? "" : background;
      cell.style.color = isHidden ? "" : text;
      cell.className = isHidden ? "hidden-by-noise" : "";
      setText(cell, fixedText(one, this.decimals));
      cell.title = `${this.rows[i]}, ${this.columns[j]}: ${half > 0 ? plusMinusText(one, half) : fixedText(one, 2)}`;
    }));
  }
}

/** The bar that says what colours mean. */
export function colourBar(scale, label) {
  const steps = Array.from({ length: 21 }, (_, i) => {
    const step = h("span", {});
    step.style.background = diverging((i - 10) / 10).cell;
    return step;
  });
  return h("div", { class: "colour-bar", "aria-hidden": "true" },
    h("div", { class: "steps" }, steps),
    h("div", { class: "ends" }, h("span", {}, fixedText(-scale, 1)), h("span", {}, "0"), h("span", {}, fixedText(scale, 1))),
    h("span", { class: "label" }, label));
}
