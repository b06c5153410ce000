// Noise over time: public, known beforehand, and smaller the longer a stream runs.
import { h } from "./dom.js";
import { captioned, CurveChart, placeText } from "./curve_chart.js";
import { seriesColours } from "./colours.js";
import { widthOf } from "./release.js";
import { numberText } from "./number_text.js";

/** Curves that differ by less than this are drawn as one. */
const same = 0.02;

export class NoiseSection {
  constructor(stream) {
    this.stream = stream;
    this.widths = stream.columns.map((name) => widthOf(stream.bounds.get(name)));
    this.hasRanges = this.widths.every((width) => width > 0);
    this.box = h("div", {});
    this.legend = h("ul", { class: "legend" });
    this.unit = this.hasRanges ? "% of the column's range" : "the column's unit";
    this.element = h("section", {}, h("h2", {}, "Noise over time"),
      h("p", {}, `Standard deviation of the noise on a mean, in ${this.unit}. It depends on the settings alone, so it is public.`),
      this.box, this.legend);
  }

  choose(chosen) {
    this.chosen = chosen.slice(0, seriesColours);
    this.key = "";
  }

  noise(point, j) {
    return this.hasRanges ? (100 * point.noise[j]) / this.widths[j] : point.noise[j];
  }

  set(points) {
    const newest = points[points.length - 1];
    if (newest.kind === null || this.chosen.length === 0) {
      this.chart?.stop();
      this.chart = null;
      this.key = "";
      this.box.replaceChildren(h("p", { class: "hint" }, "There is no mean to show the noise of."));
      return;
    }
    const first = this.noise(newest, this.chosen[0]);
    const isOne = this.chosen.every((j) => Math.abs(this.noise(newest, j) - first) <= same * first);
    const drawn = isOne ? this.chosen.slice(0, 1) : this.chosen;
    this.make(drawn, isOne);
    this.points = points.filter((point) => drawn.some((j) => this.noise(point, j) > 0));
    const curve = (j) => this.points.map((point) => (this.noise(point, j) > 0 ? this.noise(point, j) : null));
    this.chart.set([this.points.map((point) => point.x), ...drawn.map(curve)], null);
    this.read(null);
  }

  make(drawn, isOne) {
    const key = `${drawn.join()}${isOne}`;
    if (key === this.key) return;
    this.key = key;
    this.chart?.stop();
    this.drawn = drawn;
    this.chart = new CurveChart({ label: "Noise on the means", isTime: this.stream.hasSlots, isLogarithmic: true, syncKey: "jme",
      curves: drawn.map((_, k) => ({ role: `s${k}`, hasBand: false })),
      pointText: (index) => `${placeText(this.points[index], this.stream.hasSlots)}: ${this.text(this.points[index])}`,
      onPoint: (index) => this.read(index) });
    const framed = captioned(isOne ? "Every column" : "Noise", this.chart);
    framed.figure.classList.add("wide");
    this.say = framed.read;
    this.box.replaceChildren(framed.figure);
    this.legend.replaceChildren(...(isOne ? [] : drawn.map((j, k) => {
      const mark = h("span", { class: "mark", "aria-hidden": "true" });
      mark.style.background = `var(--s${k})`;
      return h("li", {}, mark, this.stream.columns[j]);
    })));
  }

  text(point) {
    const unit = this.hasRanges ? "%" : "";
    return this.drawn.map((j) => `${this.drawn.length > 1 ? `${this.stream.columns[j]} ` : ""}${numberText(this.noise(point, j), 2)}${unit}`).join(", ");
  }

  read(index) {
    const point = this.points?.[index ?? this.points.length - 1];
    if (point) this.say(`${index === null ? "now" : `at ${placeText(point, this.stream.hasSlots)}`} ${this.text(point)}`);
  }

  stop() {
    this.chart?.stop();
  }
}
