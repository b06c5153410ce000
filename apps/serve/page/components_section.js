// Principal components: how much of the spread lies along each, and what it is made of.
import { h, setText } from "./dom.js";
import { colourBar, HeatTable } from "./heat_table.js";
import { componentsOf } from "./matrices.js";
import { band95, matrixOf, widthOf } from "./release.js";
import { percentText, plusMinusText } from "./number_text.js";

const mostComponents = 5;
const mostColumns = 100; // beyond these a browser would take too long for every release
const pause = 1000;

const ordinal = (k) => `${k}${["st", "nd", "rd"][k - 1] ?? "th"}`;

function emitted(release) {
  if (!release.pca || release.pca.values.some((value) => value === null)) return null;
  const noise = release.noise_std.pca;
  return { ...release.pca, noise, isComputed: false };
}

/** Whether the variance along a component is more than its noise. */
const isSeen = (found, k) => found.values[k] > band95 * found.noise.values[k];

export class ComponentsSection {
  constructor(stream) {
    this.stream = stream;
    this.last = 0;
    this.bars = h("div", {});
    this.weights = h("div", {});
    this.source = h("p", { class: "hint" });
    this.units = stream.columns.map((name) => widthOf(stream.bounds.get(name)) / 2);
    this.element = h("section", { hidden: stream.columns.length < 2 }, h("h2", {}, "Principal components"),
      h("p", {}, "Directions in which the rows differ most: the first is the combination of columns with the largest spread, the second the largest of what is left, and so on."),
      h("div", { class: "side-by-side" }, this.bars, this.weights), this.source);
  }

  choose(chosen) {
    this.chosen = chosen;
    this.count = 0;
    this.last = 0;
  }

  find(release) {
    const given = emitted(release);
    if (given) return given;
    const covariance = matrixOf(release, "covariance");
    if (!covariance || this.stream.columns.length > mostColumns || covariance.value.flat().some(Number.isNaN)) return null;
    const hasUnits = this.units.every((unit) => unit > 0);
    return { ...componentsOf(covariance.value, covariance.noise, hasUnits ? this.units : this.units.map(() => 1), mostComponents), isComputed: true, hasUnits };
  }

  set(points, release) {
    if (this.element.hidden || Date.now() - this.last < pause) return;
    const found = this.find(release);
    this.last = Date.now();
    if (found === null) {
      this.count = 0;
      this.weights.replaceChildren();
      this.bars.replaceChildren(h("p", { class: "panel-message" }, release.covariance || release.pca ? "Not shown: they need every number of the covariance, and at most 100 columns." : "This stream does not publish them: its setting emit would need pca:2, or covariance."));
      return;
    }
    const count = Math.min(mostComponents, found.values.length);
    if (count !== this.count) this.make(count);
    this.fillBars(found, count);
    const transposed = (entry) => this.chosen.map((j) => found.values.slice(0, count).map((_, k) => entry(k, j) ?? NaN));
    // Where noise hides that there is any spread along a component, it hides what the component is made of.
    this.heat.set(transposed((k, j) => found.components[k][j]), transposed((k, j) => (isSeen(found, k) ? found.noise.components[k][j] : Infinity)));
    setText(this.source, !found.isComputed ? "As released, in the columns' own units."
      : `Computed by this page from the released covariance, and its noise to first order.${found.hasUnits ? " Every column is measured by its public range, so that its unit does not matter." : ""}`);
  }

  make(count) {
    this.count = count;
    const names = Array.from({ length: count }, (_, k) => ordinal(k + 1));
    this.heat = new HeatTable({ caption: "Weights of the columns in each component", rows: this.chosen.map((j) => this.stream.columns[j]), columns: names });
    this.weights.replaceChildren(h("h3", {}, "What each is made of"), this.heat.element, colourBar(1, "weight"));
    this.rows = names.map((name) => {
      const bar = h("span", { class: "fill" });
      const text = h("td", { class: "number" });
      return { bar, text, element: h("tr", {}, h("th", { scope: "row" }, name), h("td", { class: "bar" }, h("span", { class: "track" }, bar)), text) };
    });
    this.bars.replaceChildren(h("h3", {}, "Share of the spread"),
      h("table", { class: "bars" }, h("caption", { class: "visually-hidden" }, "Share of the spread along each component, and its variance"),
        h("thead", { class: "visually-hidden" }, h("tr", {}, h("th", { scope: "col" }, "component"), h("th", { scope: "col" }, "bar"), h("th", { scope: "col" }, "share"))),
        h("tbody", {}, this.rows.map((row) => row.element))));
  }

  fillBars(found, count) {
    for (let k = 0; k < count; ++k) {
      const share = found.shares[k];
      const { bar, text } = this.rows[k];
      bar.style.inlineSize = `${Number.isFinite(share) ? Math.max(0, Math.min(100, 100 * share)) : 0}%`;
      setText(text, percentText(share));
      text.title = `variance ${plusMinusText(found.values[k], band95 * found.noise.values[k])}`;
      bar.classList.toggle("uncertain", !isSeen(found, k));
    }
  }

  stop() {}
}
