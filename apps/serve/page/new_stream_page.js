// A form that creates a stream: first the plan, then the stream.
import { h, listing } from "./dom.js";
import { askJson } from "./session.js";
import { createCommand, settingsOf } from "./settings.js";
import { planPanel } from "./plan_panel.js";
import { announce } from "./status.js";

/** A labelled control; what is wrong with it is said below it. */
class Field {
  constructor(key, label, control, hint) {
    const hintId = `${key}-hint`;
    const problemId = `${key}-problem`;
    control.id = key;
    control.setAttribute("aria-describedby", `${hint ? hintId : ""} ${problemId}`.trim());
    this.control = control;
    this.problem = h("p", { class: "problem", id: problemId, hidden: true });
    this.element = h("div", { class: "field" }, h("label", { for: key }, label), control,
      hint ? h("p", { class: "hint", id: hintId }, hint) : null, this.problem);
  }

  say(message) {
    this.problem.textContent = message;
    this.problem.hidden = message === "";
    if (message === "") this.control.removeAttribute("aria-invalid");
    else this.control.setAttribute("aria-invalid", "true");
  }
}

const input = (value, attributes = {}) => h("input", { type: "text", value, autocomplete: "off", spellcheck: "false", ...attributes });

/** Names and ranges of the columns. */
class Columns {
  constructor(change) {
    this.change = change;
    this.rows = [];
    this.list = h("div", { class: "column-rows" });
    this.problem = h("p", { class: "problem", id: "bounds-problem", hidden: true });
    const add = h("button", { type: "button", class: "quiet", onclick: () => {
      this.add("", "", "").focus();
      change();
    } }, "Add a column");
    this.element = h("fieldset", { "aria-describedby": "bounds-hint bounds-problem" }, h("legend", {}, "Columns and their ranges"),
      h("p", { class: "hint", id: "bounds-hint" }, "A range must be known beforehand and is public; values outside are moved to its end. Never take it from the data."),
      this.list, add, this.problem);
    this.add("temp", "-20", "45");
    this.add("co", "0", "100");
  }

  add(name, low, high) {
    const cells = { name: input(name, { "aria-label": "Name of the column", placeholder: "name" }),
      low: input(low, { "aria-label": "Smallest value", inputmode: "decimal", placeholder: "from" }),
      high: input(high, { "aria-label": "Largest value", inputmode: "decimal", placeholder: "to" }) };
    const row = h("div", { class: "column-row" }, cells.name, cells.low, h("span", { "aria-hidden": "true" }, "to"), cells.high,
      h("button", { type: "button", class: "quiet", "aria-label": "Leave this column out", onclick: () => {
        if (this.rows.length === 1) return;
        this.rows = this.rows.filter((one) => one !== cells);
        row.remove();
        this.list.querySelector("input").focus();
        this.change();
      } }, "×"));
    this.rows.push(cells);
    this.list.append(row);
    return cells.name;
  }

  get control() {
    return this.rows[0].name;
  }

  values() {
    return this.rows.map(({ name, low, high }) => ({ name: name.value, low: low.value, high: high.value }));
  }

  say(message) {
    this.problem.textContent = message;
    this.problem.hidden = message === "";
  }
}

const emitted = [["mean", "means", true], ["covariance", "covariances", true], ["correlation", "correlations", false], ["pca:2", "two principal components", false]];

class NewStreamPage {
  constructor(refuse) {
    this.refuse = refuse;
    const change = () => this.forgetPlan();
    const workload = h("select", {}, h("option", { value: "mean" }, "all rows so far"), h("option", { value: "window:1000" }, "the last 1,000 rows"),
      h("option", { value: "window:10000" }, "the last 10,000 rows"));
    this.fields = {
      name: new Field("name", "Name", input("", { required: true, placeholder: "air" }), "Letters, digits, points, dashes."),
      epsilon: new Field("epsilon", "ε, the privacy loss", input("1", { inputmode: "decimal" }), "Smaller hides more and makes more noise."),
      delta: new Field("delta", "δ, its slack", input("1e-6"), "Well below one divided by the number of people."),
      every: new Field("every", "A release after so many rows", input("100", { inputmode: "numeric" }), "More rows per release mean less noise. Or a length of time, such as 1h."),
      rows: new Field("rows", "At most so many rows, ever", input("100000", { inputmode: "numeric" }), "Public; with a length of time, how many of them. The budget is spent for all of it."),
      workload: new Field("workload", "Statistics of", workload),
      more: new Field("more", "Further settings, as JSON", h("textarea", { rows: "3", placeholder: '{"source": "sensors", "missing": "centre"}', spellcheck: "false" }), "As jme run --print-config shows them; they override those above."),
    };
    this.columns = new Columns(change);
    this.boxes = emitted.map(([value, label, checked]) => [value, h("input", { type: "checkbox", checked }), label]);
    const emit = h("fieldset", {}, h("legend", {}, "What is published"), h("p", { class: "hint" }, "At no further cost: it is all made from the same noisy moments."),
      this.boxes.map(([, box, label]) => h("label", { class: "box" }, box, " ", label)));
    this.other = h("p", { class: "warning", role: "alert", hidden: true });
    this.planButton = h("button", { type: "submit", class: "main" }, "Show the plan");
    this.plan = h("div", { id: "plan" }, h("p", { class: "plan-place" }, "The plan will stand here: the promise in words, and how exact each mean will be."));
    const { name, epsilon, delta, every, rows, workload: work, more } = this.fields;
    this.form = h("form", { class: "new-stream", novalidate: true, oninput: change, onsubmit: (event) => {
      event.preventDefault();
      this.showPlan();
    } },
      name.element, this.columns.element,
      h("div", { class: "two" }, epsilon.element, delta.element),
      h("div", { class: "two" }, every.element, rows.element),
      work.element, emit,
      h("details", {}, h("summary", {}, "Further settings"), more.element),
      this.other, this.planButton);
    this.element = h("div", {}, h("h1", {}, "New stream"),
      h("p", { class: "lead" }, "First you see what it would guarantee and how much noise it would have. Nothing is created or spent before you say so."),
      h("div", { class: "form-and-plan" }, this.form, this.plan));
  }

  settings() {
    const text = (key) => this.fields[key].control.value;
    return settingsOf({ name: text("name"), epsilon: text("epsilon"), delta: text("delta"), every: text("every"), horizon: text("rows"), workload: text("workload"),
      more: text("more"), columns: this.columns.values(), emit: this.boxes.filter(([, box]) => box.checked).map(([value]) => value) });
  }

  clear() {
    for (const field of [...Object.values(this.fields), this.columns]) field.say("");
    this.other.hidden = true;
  }

  /** A message at the field that the server names, or below all of them. */
  complain(error) {
    if (error.status === 401) return this.refuse(error);
    const field = { steps: "rows", columns: "bounds" }[error.field] ?? error.field;
    const place = field === "bounds" ? this.columns : this.fields[field];
    if (place) {
      place.say(error.message.replace(`${error.field}: `, ""));
      place.element.closest("details")?.setAttribute("open", "");
      place.control.focus();
    } else {
      this.other.textContent = error.status === 403 ? `This token may not create streams: ${error.message}.` : error.message;
      this.other.hidden = false;
    }
  }

  forgetPlan() {
    this.clear();
    if (this.plan.querySelector(".plan")) this.plan.replaceChildren(h("p", { class: "plan-place" }, "The settings changed: ask for the plan again."));
  }

  async send(path, then) {
    this.clear();
    this.planButton.disabled = true;
    try {
      const settings = this.settings();
      then(await askJson(path, { method: "POST", body: JSON.stringify(settings), headers: { "Content-Type": "application/json" } }), settings);
    } catch (error) {
      this.complain(error);
    } finally {
      this.planButton.disabled = false;
    }
  }

  showPlan() {
    return this.send("v1/streams?dry_run=1", (planned, settings) => {
      const create = h("button", { type: "button", class: "main", onclick: () => this.create() }, `Create ${planned.name}`);
      this.plan.replaceChildren(planPanel(planned),
        h("p", {}, create), h("p", { class: "hint" }, "Its budget is spent with the first row, or the first slot of time, for the whole stream at once."),
        h("details", {}, h("summary", {}, "The same from a shell"), listing(createCommand(location.origin, settings), "Command that creates this stream")));
      announce("The plan is shown.");
      const heading = this.plan.querySelector("h2");
      heading.focus({ preventScroll: true });
      heading.scrollIntoView({ block: "nearest" });
    });
  }

  create() {
    return this.send("v1/streams", (created) => { location.hash = `#/stream/${created.name}`; });
  }

  stop() {}
}

export const newStreamPage = (refuse) => new NewStreamPage(refuse);
