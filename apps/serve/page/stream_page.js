// One stream: its releases as they come, and what it promises.
import { fact, h, listing, setText } from "./dom.js";
import { ask, askJson, streamPath } from "./session.js";
import { describe, pointOf } from "./release.js";
import { counted, plainText } from "./number_text.js";
import { budgetText, horizonBar, horizonText, spendingText } from "./budget.js";
import { feedCommand } from "./settings.js";
import { follow, Pause } from "./event_stream.js";
import { history } from "./history.js";
import { mostPoints, Thinned } from "./thinning.js";
import { emptyPanel, loading } from "./panels.js";
import { announce } from "./status.js";
import { ConnectionPill } from "./connection_pill.js";
import { columnChoice } from "./column_choice.js";
import { ChangesSection } from "./changes_section.js";
import { MeansSection } from "./means_section.js";
import { TogetherSection } from "./together_section.js";
import { ComponentsSection } from "./components_section.js";
import { NoiseSection } from "./noise_section.js";

const betweenDrawings = 200;
const betweenQuestions = 10_000;
const fewColumns = 6;

function workloadText({ workload, hasSlots }) {
  const [kind, length] = workload.split(":");
  if (kind === "window") return hasSlots ? `the last ${length}` : `the last ${plainText(Number(length))} rows`;
  if (kind === "decay") return "all rows so far, of which recent ones count more";
  return "all rows so far";
}

const everyText = ({ every, hasSlots }) =>
  (hasSlots ? `every ${every ?? "slot of time"}` : every === 1 || every === undefined ? "after every row" : `after every ${plainText(every)} rows`);

const titleOf = (stream, pill) => [h("p", { class: "back" }, h("a", { href: "#/" }, "All streams")),
  h("div", { class: "title" }, h("h1", {}, stream.name), pill.element)];

/** Of a stream whose state the server cannot read. */
function brokenPage(stream, pill) {
  return h("div", {}, ...titleOf(stream, pill), emptyPanel("This stream cannot be read",
    h("p", {}, `The server has it and cannot open it. How many releases it has is not known. ${spendingText(stream)}`),
    h("p", { class: "warning", role: "alert" }, stream.problem ? `The server says: ${stream.problem}.` : "Its owner can see why, with a token that has the role admin."),
    h("p", { class: "hint" }, "This page looks again by itself.")));
}

/** The head of the page, and the parts of it that change. */
function headOf(stream, pill) {
  const unit = stream.hasSlots ? "slots" : "rows included";
  const t = fact(unit, "");
  const releases = fact("releases", "");
  const bar = horizonBar(stream);
  const horizon = h("p", { class: "amount" });
  const warning = h("p", { class: "warning", role: "alert", hidden: true });
  const element = h("div", {},
    ...titleOf(stream, pill), warning,
    h("p", { class: "lead" }, `Private statistics of ${workloadText(stream)}${stream.limitOfPerson === "" ? "" : `, as far as they count${stream.limitOfPerson}`}, published ${everyText(stream)}. Every number carries noise that hides each single row.`),
    h("dl", { class: "facts" }, t, releases, fact("columns", plainText(stream.columns.length)),
      fact("privacy loss of all releases together", budgetText(stream.privacy))),
    bar.element, horizon);
  const set = (now) => {
    setText(t.lastChild, plainText(now.t));
    setText(releases.lastChild, plainText(now.releases));
    warning.hidden = now.condition !== "problem";
    setText(warning, `Nothing can be written to this stream now${now.problem ? `: ${now.problem}` : "; its owner can see why"}.`);
    bar.set(now);
    setText(horizon, `${horizonText(now)}. ${spendingText(now)}`);
  };
  set(stream);
  return { element, set };
}

/** What only writers are told. */
function writerNotes(stream) {
  if (!stream.writer) return null;
  const notes = (stream.writer.notes ?? []).map((note) => h("li", {}, `${note.kind.replaceAll("_", " ")}: ${plainText(note.count)}${note.column ? ` in ${note.column}` : ""}`));
  return h("details", {}, h("summary", {}, "What this token may see besides"),
    h("p", {}, `${counted(stream.writer.rows, "row")} came, of which ${plainText(stream.writer.rows_released)} are in releases. These numbers are about the data and are not private: do not publish them.`),
    notes.length > 0 ? h("ul", {}, notes) : null,
    stream.problem ? h("p", { class: "warning" }, stream.problem) : null);
}

function promise(stream) {
  const command = feedCommand(location.origin, stream.name, stream.columns, stream.bounds, stream.person);
  return h("div", {},
    h("section", {}, h("h2", {}, "What is promised"), h("p", { class: "statement" }, stream.privacy.statement)),
    h("section", {}, h("h2", {}, "Feed it"),
      stream.condition === "finished" ? h("p", {}, "This stream took all the rows that it may take. It stays readable.")
        : h("p", {}, "Rows come as CSV or NDJSON, with a token that may write. Values outside a column's range are moved to its end."),
      listing(command, "Command that gives a row to this stream"), writerNotes(stream)));
}

class StreamPage {
  constructor(name, refuse) {
    this.name = name;
    this.refuse = refuse;
    this.ending = new AbortController();
    this.pause = new Pause();
    this.pill = new ConnectionPill(() => this.pause.wake());
    this.element = h("div", {}, loading(`the stream ${name}`));
    this.release = null;
    this.sections = [];
    this.onVisible = () => this.schedule();
    this.onOnline = () => this.pause.wake();
    document.addEventListener("visibilitychange", this.onVisible);
    addEventListener("online", this.onOnline);
    this.run().catch((error) => {
      if (!this.ending.signal.aborted) refuse(error);
    });
  }

  async run() {
    const signal = this.ending.signal;
    this.stream = describe(await askJson(streamPath(this.name), { signal }));
    if (!this.stream.isKnown) return this.showBroken();
    this.counted = this.stream.t; // the newest release that stream.releases counts
    this.points = new Thinned(mostPoints(this.stream.columns.length));
    this.build();
    this.question = setInterval(() => this.ask(), betweenQuestions);
    try {
      for await (const release of history(this.stream, signal)) this.take(release);
      this.isRead = true;
      this.schedule();
      announce(`${this.name}: ${counted(this.stream.releases, "release")}`);
      await follow({
        open: (id, inner) => ask(`${streamPath(this.name)}/events`, { signal: inner, headers: id === "" ? {} : { "Last-Event-ID": id } }),
        id: this.release === null ? "" : String(this.release.t),
        onEvent: ({ data }) => this.take(JSON.parse(data)),
        onState: (state) => this.tell(state),
        signal, pause: this.pause,
      });
    } catch (error) {
      if (error.status !== 403 || this.release !== null) throw error;
      this.pill.set("closed");
      this.body.replaceChildren(emptyPanel("This token may not see releases", h("p", {}, `The server says: ${error.message}. What is public about the stream is below.`)));
    }
  }

  showBroken() {
    this.pill.set("broken");
    this.element.replaceChildren(brokenPage(this.stream, this.pill));
    this.question = setTimeout(() => this.run().catch((error) => {
      if (!this.ending.signal.aborted) this.refuse(error);
    }), betweenQuestions);
  }

  build() {
    this.head = headOf(this.stream, this.pill);
    this.body = h("div", {}, this.stream.releases > 0 ? loading("releases") : this.nothingYet());
    this.end = promise(this.stream);
    this.element.replaceChildren(this.head.element, this.body, this.end);
    this.chosen = this.stream.columns.slice(0, fewColumns).map((_, i) => i);
  }

  nothingYet() {
    const wanted = this.stream.hasSlots ? "The first one comes when the first slot of time ends." : `The first one comes after ${counted(Number(this.stream.every ?? 1), "row")}: the command below gives one.`;
    return emptyPanel("No release yet", h("p", {}, `${wanted} This page shows it without being loaded again.`));
  }

  fillBody() {
    this.sections = [new MeansSection(this.stream), new ChangesSection(this.stream, streamPath(this.name)), new TogetherSection(this.stream), new ComponentsSection(this.stream), new NoiseSection(this.stream)];
    const choice = columnChoice(this.stream.columns, this.chosen, (chosen) => {
      this.chosen = chosen;
      for (const section of this.sections) section.choose(chosen);
      this.schedule();
    });
    this.sections[0].controls.prepend(choice);
    for (const section of this.sections) section.choose(this.chosen);
    this.body.replaceChildren(...this.sections.map((section) => section.element));
  }

  take(release) {
    this.release = release;
    this.stream.isSpent = true;
    if (release.t > this.counted) {
      this.stream.releases += 1;
      this.counted = release.t;
    }
    this.stream.t = Math.max(this.stream.t, release.t);
    this.points.add(pointOf(release));
    this.schedule();
  }

  schedule() {
    if (this.timer || document.hidden || this.release === null || this.ending.signal.aborted) return;
    this.timer = setTimeout(() => {
      this.timer = 0;
      this.draw();
    }, betweenDrawings);
  }

  draw() {
    if (this.ending.signal.aborted || (!this.isRead && this.points.seen < 50)) return;
    if (this.sections.length === 0) this.fillBody();
    this.head.set(this.stream);
    const points = this.points.points();
    for (const section of this.sections) section.set(points, this.release, this.points.seen);
  }

  tell(state) {
    this.isLive = state.state === "live";
    this.pill.set(this.isLive ? this.stateOfLive() : state.state, state.delay);
    if (state.state === "waiting" && !this.isWaiting) announce("The connection ended. This page connects again by itself.");
    if (state.state === "live" && this.isWaiting) {
      announce("Connected again.");
      this.ask();
    }
    this.isWaiting = state.state === "waiting";
  }

  /** Releases may come: whether there will be any is another question. */
  stateOfLive() {
    return this.stream.condition === "open" ? "live" : this.stream.condition;
  }

  /** What events do not say: the stream's condition, and what writers may see. */
  async ask() {
    if (document.hidden || !this.isRead) return;
    try {
      const now = describe(await askJson(streamPath(this.name), { signal: this.ending.signal }));
      Object.assign(this.stream, { condition: now.condition, writer: now.writer, problem: now.problem, isSpent: this.stream.isSpent || now.isSpent });
      if (now.isKnown && now.t >= this.counted) {
        this.stream.releases = now.releases;
        this.counted = now.t;
      }
      if (this.isLive) this.pill.set(this.stateOfLive());
      this.head.set(this.stream);
    } catch {
      // The connection for events says so.
    }
  }

  stop() {
    this.ending.abort();
    clearInterval(this.question);
    clearTimeout(this.timer);
    document.removeEventListener("visibilitychange", this.onVisible);
    removeEventListener("online", this.onOnline);
    this.pill.stop();
    for (const section of this.sections) section.stop();
  }
}

export const streamPage = (name, refuse) => new StreamPage(name, refuse);
