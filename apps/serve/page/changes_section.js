// Did it change? The means since some release against those before, as the server compares them, and raised alarms.
import { h, setText, table } from "./dom.js";
import { ask } from "./session.js";
import { changeText, releaseBefore } from "./changes.js";
import { plainText } from "./number_text.js";
import { placeText } from "./curve_chart.js";

const shares = new Map([["half", 1 / 2], ["quarter", 1 / 4], ["tenth", 1 / 10]]);
const betweenQuestions = 5000;
const most = 12;

export class ChangesSection {
  constructor(stream, path) {
    Object.assign(this, { stream, path, asked: 0, t: null, share: 1 / 2 });
    this.found = h("div", {});
    this.alarms = h("div", {});
    this.statement = h("p", { class: "hint" });
    const since = h("select", { id: "since", onchange: (event) => {
      this.share = shares.get(event.target.value);
      this.question = null;
      this.draw();
    } }, h("option", { value: "half" }, "the last half of the releases"), h("option", { value: "quarter" }, "the last quarter"), h("option", { value: "tenth" }, "the last tenth"));
    this.element = h("section", { hidden: true }, h("h2", {}, "Did it change?"),
      h("div", { class: "controls" }, h("p", {}, h("label", { for: "since" }, "Compare with what was before"), " ", since)),
      this.found, this.statement, this.alarms);
  }

  choose(chosen) {
    this.chosen = chosen;
    if (this.answer) this.show();
  }

  set(points, release) {
    Object.assign(this, { points, release });
    this.fillAlarms();
    this.draw();
  }

  draw() {
    const before = releaseBefore(this.points, this.share);
    this.element.hidden = before === null && !this.release.alarms;
    if (before === null) return;
    const question = `${before.t}..${this.release.t}`;
    const now = Date.now();
    if (question === this.question || (this.question && now - this.asked < betweenQuestions)) return;
    Object.assign(this, { question, asked: now, before });
    this.look(before.t, this.release.t, question);
  }

  async look(from, to, question) {
    try {
      const answer = await (await ask(`${this.path}/compare?from=${from}&to=${to}`)).json();
      if (question !== this.question) return; // another was asked meanwhile
      this.answer = answer;
      this.show();
    } catch (error) {
      if (question === this.question) setText(this.statement, `The means cannot be compared: ${error.message}.`);
    }
  }

  show() {
    const { columns, mean, interval, changed } = this.answer;
    const rows = this.chosen.slice(0, most).map((j) => [columns[j], changeText(mean.change[j], interval.change.high[j]), changed[j] === null ? "not known" : changed[j] ? "yes" : "no"]);
    this.found.replaceChildren(h("h3", {}, `Change since ${placeText(this.before, this.stream.hasSlots)}`),
      table([{ title: "column" }, { title: "change of the mean", number: true }, { title: "changed" }], rows, "Changes of the means"));
    setText(this.statement, this.answer.statement);
  }

  fillAlarms() {
    const alarms = this.release.alarms ?? [];
    const rows = alarms.map(({ rule, raised, since_t: since }) => [rule, raised ? `raised at t = ${plainText(since)}` : "quiet"]);
    this.alarms.replaceChildren(...(rows.length === 0 ? [] : [h("h3", {}, "Alarms"), table([{ title: "rule" }, { title: "now" }], rows, "Alarms"),
      h("p", { class: "hint" }, this.stream.guaranteeOfAlarms ?? "")]));
  }

  stop() {}
}
