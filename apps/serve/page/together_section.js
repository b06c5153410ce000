// How the columns move together: correlations as a heat map, and the strongest of all.
import { h, setText, table } from "./dom.js";
import { colourBar, HeatTable } from "./heat_table.js";
import { correlationOf } from "./matrices.js";
import { bandOfAll, pairsOf } from "./multiplicity.js";
import { band95, matrixOf } from "./release.js";
import { plusMinusText } from "./number_text.js";

const strongest = 10;

function correlations(release) {
  const emitted = matrixOf(release, "correlation");
  if (emitted) return { ...emitted, isComputed: false };
  const covariance = matrixOf(release, "covariance");
  return covariance ? { ...correlationOf(covariance.value, covariance.noise), isComputed: true } : null;
}

export class TogetherSection {
  constructor(stream) {
    this.stream = stream;
    this.map = h("div", {});
    this.pairs = h("div", {});
    this.source = h("p", { class: "hint" });
    this.element = h("section", { hidden: stream.columns.length < 2 }, h("h2", {}, "How the columns move together"),
      h("p", {}, "Correlation says how closely two columns follow each other, from −1 to 1. A cell without colour is one whose sign the noise hides. Bands are corrected for the number of pairs that are shown, so that columns without any correlation get a colour in at most 5% of releases."),
      h("div", { class: "side-by-side" }, this.map, this.pairs), this.source);
  }

  choose(chosen) {
    this.chosen = chosen;
    const names = chosen.map((j) => this.stream.columns[j]);
    this.heat = new HeatTable({ caption: "Correlations", rows: names, columns: names, entries: pairsOf(names.length) });
    this.map.replaceChildren(this.heat.element, colourBar(1, "correlation"));
    this.isMissing = false;
  }

  set(points, release) {
    if (this.element.hidden) return;
    const found = correlations(release);
    if (found === null) {
      if (this.isMissing) return;
      this.isMissing = true;
      this.map.replaceChildren(h("p", { class: "panel-message" }, "This stream does not publish how columns move together: its setting emit would need correlation or covariance, and second must be full."));
      return;
    }
    const part = (matrix) => this.chosen.map((i) => this.chosen.map((j) => matrix[i][j]));
    this.heat.set(part(found.value), part(found.noise));
    setText(this.source, found.isComputed ? "Computed by this page from the released covariance, and its noise to first order." : "");
    this.fillPairs(found);
  }

  fillPairs({ value, noise }) {
    const d = this.stream.columns.length;
    if (d <= this.chosen.length || d < 4) return this.pairs.replaceChildren();
    const all = [], band = bandOfAll(pairsOf(d));
    for (let i = 0; i < d; ++i) {
      for (let j = 0; j < i; ++j) if (Math.abs(value[i][j]) > band * noise[i][j]) all.push([i, j]);
    }
    all.sort(([a, b], [c, e]) => Math.abs(value[c][e]) - Math.abs(value[a][b]));
    const rows = all.slice(0, strongest).map(([i, j]) => [`${this.stream.columns[j]}, ${this.stream.columns[i]}`, plusMinusText(value[i][j], band95 * noise[i][j])]);
    this.pairs.replaceChildren(h("h3", {}, "Strongest of all columns"),
      rows.length > 0 ? table([{ title: "columns" }, { title: "correlation", number: true }], rows, "Strongest correlations of all columns")
        : h("p", { class: "hint" }, "The noise hides all of them."));
  }

  stop() {}
}
