// Curves with bands, drawn by uPlot on a canvas; the arrow keys read them point by point.
import { h, setText } from "./dom.js";
import { colour, faded, onSchemeChange } from "./colours.js";
import { plainText } from "./number_text.js";

const heightOf = (width) => Math.round(Math.min(240, Math.max(150, 0.52 * width)));
const font = "12px system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif";

const timeText = (seconds) => `${new Date(1000 * seconds).toISOString().slice(0, 16).replace("T", " ")} UTC`;

/** On a logarithmic axis only 1, 2 and 5 of each decade have a line and a number. */
const roundOnly = (_, ticks) => ticks.map((tick) => (/^[125]e/.test(Number(tick.toPrecision(3)).toExponential()) ? tick : null));

function axes(isTime, isLogarithmic) {
  const line = { stroke: colour("axis"), width: 1, size: 4 };
  const common = { stroke: colour("soft"), font, ticks: line, gap: 4 };
  return [
    { ...common, grid: { show: false }, size: 26, space: 70, label: isTime ? "end of the slot, UTC" : "rows included", labelSize: 18, labelGap: 0, labelFont: font,
      ...(isTime ? {} : { values: (_, ticks) => ticks.map(plainText) }) },
    { ...common, grid: { stroke: colour("grid"), width: 1, ...(isLogarithmic ? { filter: roundOnly } : {}) }, ticks: { show: false }, space: 34,
      ...(isLogarithmic ? { filter: roundOnly } : {}),
      size: (_, values) => 14 + 7 * Math.max(...(values ?? ["0"]).map((value) => value?.length ?? 0)),
      values: (_, ticks) => ticks.map((tick) => (tick === null ? "" : plainText(Number(tick.toPrecision(6))))) },
  ];
}

/**
 * A chart. `curves` are { role, hasBand } in the order of the data. Its element is a slider: a reader without a mouse
 * moves along the curve and hears `pointText(index)`.
 */
export class CurveChart {
  constructor({ label, curves, isTime = false, isLogarithmic = false, pointText, onPoint = () => {}, syncKey }) {
    Object.assign(this, { label, curves, isTime, isLogarithmic, pointText, onPoint, syncKey });
    this.length = 0;
    this.index = null;
    this.area = h("div", { class: "curve", role: "slider", tabindex: "0", "aria-label": label, "aria-orientation": "horizontal",
      "aria-valuemin": "0", "aria-valuemax": "0", "aria-valuenow": "0", "aria-valuetext": "no release yet",
      onkeydown: (event) => this.press(event), onblur: () => this.leave() });
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(this.area);
    this.forgetScheme = onSchemeChange(() => this.make());
  }

  /** data: [x, value, low, high, value, ..]; range: ends of the vertical axis, or null. */
  set(data, range) {
    this.data = data;
    this.range = range;
    this.length = data[0].length;
    if (!this.plot) this.make();
    else this.plot.setData(data);
    this.say(this.index ?? this.length - 1);
  }

  make() {
    const width = this.area.clientWidth;
    if (!this.data || width === 0) return;
    this.plot?.destroy();
    const series = [{}];
    const bands = [];
    for (const { role, hasBand, dash } of this.curves) {
      series.push({ stroke: colour(role), width: 1.8, dash, points: { show: false, size: 6 } });
      if (!hasBand) continue;
      const edge = { stroke: "transparent", width: 0, points: { show: false } };
      series.push(edge, edge);
      bands.push({ series: [series.length - 1, series.length - 2], fill: faded(colour(role), 0.2) });
    }
    this.plot = new uPlot({
      width, height: heightOf(width), series, bands, legend: { show: false }, padding: [8, 22, 0, 0],
      scales: { x: { time: this.isTime }, y: this.isLogarithmic ? { distr: 3 } : { range: () => this.range ?? [0, 1] } },
      axes: axes(this.isTime, this.isLogarithmic),
      tzDate: (seconds) => uPlot.tzDate(new Date(1000 * seconds), "UTC"),
      cursor: { y: false, drag: { x: false, y: false }, ...(this.syncKey ? { sync: { key: this.syncKey, setSeries: false } } : {}),
        points: { show: (plot, i) => (this.isCurve(i) ? undefined : false), size: 8 } },
      hooks: { setCursor: [(plot) => this.point(plot.cursor.idx)] },
    }, this.data, this.area);
    this.plot.root.setAttribute("aria-hidden", "true");
  }

  isCurve(i) {
    let at = 1;
    for (const { hasBand } of this.curves) {
      if (i === at) return true;
      at += hasBand ? 3 : 1;
    }
    return false;
  }

  resize() {
    const width = this.area.clientWidth;
    if (!this.plot) this.make();
    else if (width > 0 && width !== this.plot.width) this.plot.setSize({ width, height: heightOf(width) });
  }

  point(index) {
    this.onPoint(index ?? null);
  }

  say(index) {
    if (this.length === 0) return;
    const at = Math.min(Math.max(index, 0), this.length - 1);
    this.area.setAttribute("aria-valuemax", String(this.length - 1));
    this.area.setAttribute("aria-valuenow", String(at));
    this.area.setAttribute("aria-valuetext", this.pointText(at));
  }

  press(event) {
    const steps = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageUp: 20, PageDown: -20, Home: -Infinity, End: Infinity };
    const step = steps[event.key];
    if (step === undefined || !this.plot || this.length === 0) return;
    event.preventDefault();
    this.index = Math.min(Math.max((this.index ?? this.length - 1) + step, 0), this.length - 1);
    this.plot.setCursor({ left: this.plot.valToPos(this.data[0][this.index], "x"), top: 10 });
    this.say(this.index);
    this.point(this.index);
  }

  leave() {
    this.index = null;
    this.plot?.setCursor({ left: -10, top: -10 });
  }

  stop() {
    this.observer.disconnect();
    this.forgetScheme();
    this.plot?.destroy();
  }
}

/** A chart with a title and a line below it that says the value under the cursor, or the newest. */
export function captioned(title, chart) {
  const line = h("p", { class: "reading" });
  const figure = h("figure", { class: "panel" }, h("h4", {}, title), line, chart.area);
  return { figure, read: (text) => setText(line, text) };
}

export const placeText = (point, hasSlots) => (hasSlots ? timeText(point.x) : `${plainText(point.t)} rows`);
