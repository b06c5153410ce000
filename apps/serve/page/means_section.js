// Running means with their bands, one chart for each chosen column, and the newest numbers.
import { h, setText, table } from "./dom.js";
import { captioned, CurveChart, placeText } from "./curve_chart.js";
import { fitRange } from "./thinning.js";
import { band95, meansAtBounds, meansAtBoundsText, variancesOf } from "./release.js";
import { fixedText, plainText, plusMinusText } from "./number_text.js";

const shares = new Map([["all", 1], ["half", 0.5], ["tenth", 0.1]]);
const newestRows = 12;
const gap = (value) => (Number.isFinite(value) ? value : null);

/** A value with its band, which is not the same on both sides where a count is private. */
function bandText(point, j) {
  if (!Number.isFinite(point.value[j])) {
    return Number.isFinite(point.low[j]) ? `between ${plainText(Number(point.low[j].toPrecision(3)))} and ${plainText(Number(point.high[j].toPrecision(3)))}` : "not known yet";
  }
  return plusMinusText(point.value[j], (point.high[j] - point.low[j]) / 2);
}

/** The square root of a variance and of the ends of its band. */
function deviationText(variance, noise) {
  if (!Number.isFinite(variance) || !Number.isFinite(noise)) return "–";
  const low = Math.sqrt(Math.max(0, variance - band95 * noise));
  const high = Math.sqrt(Math.max(0, variance + band95 * noise));
  if (high === 0) return "0";
  if (low === 0) return `below ${fixedText(high, Math.max(0, 1 - Math.floor(Math.log10(high))))}`;
  return plusMinusText(Math.sqrt(Math.max(0, variance)), (high - low) / 2);
}

const countedRows = ({ limitOfPerson }) => (limitOfPerson === "" ? "rows that exist" : `rows that count${limitOfPerson}`);

export class MeansSection {
  constructor(stream) {
    this.stream = stream;
    this.charts = [];
    this.share = 1;
    this.grid = h("div", { class: "panels" });
    this.note = h("p", { class: "hint" });
    this.atBounds = h("p", { class: "warning" });
    this.after = h("h3", {});
    this.count = h("p", { class: "hint" });
    this.numbers = h("div", {});
    this.list = h("div", {});
    this.details = h("details", { ontoggle: () => this.fillList() }, h("summary", {}, "The newest releases as a table"), this.list);
    const span = h("select", { id: "span", onchange: (event) => {
      this.share = shares.get(event.target.value);
      this.draw();
    } }, h("option", { value: "all" }, "everything"), h("option", { value: "half" }, "the last half"), h("option", { value: "tenth" }, "the last tenth"));
    this.controls = h("div", { class: "controls" }, h("p", {}, h("label", { for: "span" }, "Show"), " ", span));
    this.element = h("section", {}, h("h2", {}, "Running means"),
      h("p", {}, "The band around a curve is where the value without noise lies with 95% probability. Bands wider than the frame are cut off."),
      this.controls, this.note, this.grid, this.after, this.atBounds, this.count, this.numbers, this.details);
  }

  choose(chosen) {
    for (const { chart } of this.charts) chart.stop();
    this.chosen = chosen;
    this.charts = chosen.map((j) => {
      const name = this.stream.columns[j];
      const chart = new CurveChart({ label: `Running mean of ${name}`, curves: [{ role: "s0", hasBand: true }], isTime: this.stream.hasSlots, syncKey: "jme",
        pointText: (index) => `${placeText(this.shown[index], this.stream.hasSlots)}: ${bandText(this.shown[index], j)}`,
        onPoint: (index) => this.read(j, index) });
      return { j, chart, ...captioned(name, chart) };
    });
    this.grid.replaceChildren(...this.charts.map(({ figure }) => figure));
    if (chosen.length === 0) this.grid.replaceChildren(h("p", { class: "hint" }, "No column is chosen."));
    if (this.points) this.draw();
  }

  set(points, release, seen) {
    Object.assign(this, { points, release, seen });
    this.draw();
  }

  draw() {
    const newest = this.points[this.points.length - 1];
    if (newest.kind === null) {
      this.grid.replaceChildren(h("p", { class: "panel-message" }, "This stream does not publish means: its setting emit would need mean."));
      return;
    }
    const from = newest.x - this.share * (newest.x - (this.stream.hasSlots ? this.points[0].x : 0));
    this.shown = this.share === 1 ? this.points : this.points.filter((point) => point.x >= from);
    const x = this.shown.map((point) => point.x);
    for (const { j, chart } of this.charts) {
      const low = this.shown.map((point) => point.low[j]);
      const high = this.shown.map((point) => point.high[j]);
      chart.set([x, this.shown.map((point) => gap(point.value[j])), low.map(gap), high.map(gap)], fitRange(low, high));
      this.read(j, null);
    }
    const isPartial = this.points.length < this.seen || this.points.length < this.stream.releases;
    const isUnknown = this.chosen.some((j) => !Number.isFinite(newest.value[j]));
    setText(this.note, [isUnknown ? "A mean is missing until its count, which is private here, is known well enough to divide by; its band is right before." : "",
      isPartial ? `Drawn are ${plainText(this.points.length)} of ${plainText(this.stream.releases)} releases.` : ""].join(" ").trim());
    this.fillNumbers(newest);
    if (this.details.open) this.fillList();
  }

  read(j, index) {
    const one = this.charts.find((chart) => chart.j === j);
    if (!one || !this.shown?.length) return;
    const point = this.shown[index ?? this.shown.length - 1] ?? this.shown[this.shown.length - 1];
    one.read(`${index === null ? "now" : `at ${placeText(point, this.stream.hasSlots)}`} ${bandText(point, j)}`);
  }

  fillNumbers(newest) {
    setText(this.after, `After ${placeText(newest, this.stream.hasSlots)}`);
    const doubt = meansAtBoundsText(meansAtBounds(newest, this.stream.columns, this.stream.bounds));
    setText(this.atBounds, doubt);
    this.atBounds.hidden = doubt === "";
    const { rows: count, noise_std: noise } = this.release;
    setText(this.count, typeof count === "number" ? `Over ${plusMinusText(count, band95 * noise.rows)} ${countedRows(this.stream)}: their number is private.` : "");
    const variances = variancesOf(this.release);
    const columns = [{ title: "column, range" }, { title: newest.kind === "mean" ? "mean" : "first moment", number: true }];
    if (variances) columns.push({ title: "standard deviation", number: true });
    const rows = this.chosen.map((j) => {
      const name = this.stream.columns[j];
      const bounds = this.stream.bounds.get(name);
      const cells = [h("span", {}, name, bounds ? h("small", {}, `${plainText(bounds[0])} to ${plainText(bounds[1])}`) : null), bandText(newest, j)];
      if (variances) cells.push(deviationText(variances.value[j], variances.noise[j]));
      return cells;
    });
    this.numbers.replaceChildren(table(columns, rows, "Newest means and standard deviations"));
  }

  fillList() {
    if (!this.shown) return;
    const rows = this.shown.slice(-newestRows).reverse().map((point) => [placeText(point, this.stream.hasSlots), ...this.chosen.map((j) => bandText(point, j))]);
    this.list.replaceChildren(table([{ title: "after" }, ...this.chosen.map((j) => ({ title: this.stream.columns[j], number: true }))], rows, "The newest releases"));
  }

  stop() {
    for (const { chart } of this.charts) chart.stop();
  }
}
