// All streams, with what they spent.
import { h, setText, table } from "./dom.js";
import { askJson, Refused } from "./session.js";
import { describe } from "./release.js";
import { counted, numberText, plainText } from "./number_text.js";
import { budgetText, horizonBar, horizonText } from "./budget.js";
import { emptyPanel, loading } from "./panels.js";
import { announce } from "./status.js";

const interval = 3000;
const fewStreams = 8; // more than these can be searched

const conditions = { open: "open", finished: "finished", problem: "cannot be written", broken: "cannot be read" };
const spendings = new Map([[true, "spent, once"], [false, "not spent yet"], [null, "not known: count it as spent"]]);

function card(stream) {
  const bar = horizonBar(stream);
  const horizon = h("p", { class: "amount" });
  const releases = h("dd", {});
  const pill = h("span", { class: "pill" });
  const spending = h("dt", {});
  const warning = h("p", { class: "warning", hidden: true });
  const columns = !stream.hasSettings ? "Its settings cannot be read." : stream.columns.slice(0, 6).join(", ") + (stream.columns.length > 6 ? ` and ${stream.columns.length - 6} more` : "");
  const set = (now) => {
    bar.set(now);
    setText(horizon, horizonText(now));
    setText(releases, now.isKnown ? plainText(now.releases) : "not known");
    setText(spending, spendings.get(now.isSpent));
    pill.dataset.state = now.isKnown ? now.condition : "broken";
    setText(pill, conditions[pill.dataset.state]);
    warning.hidden = !now.problem;
    setText(warning, now.problem ?? "");
  };
  set(stream);
  const element = h("li", { class: "card" },
    h("div", { class: "card-head" }, h("h2", {}, h("a", { href: `#/stream/${stream.name}` }, stream.name)), pill),
    h("p", { class: "columns" }, columns),
    stream.hasSettings ? bar.element : null, horizon, warning,
    h("dl", { class: "pair" },
      h("div", {}, spending, h("dd", {}, stream.hasSettings ? budgetText(stream.privacy) : "not known")),
      h("div", {}, h("dt", {}, "releases"), releases)));
  return { element, set };
}

function ledgerTable(ledger) {
  const rows = ledger.total.map((total) => [total.source, plainText(total.streams), numberText(total.mu),
    `${numberText(total.epsilon)} at δ = ${plainText(Number(total.delta.toPrecision(3)))}`]);
  return h("div", {},
    h("p", {}, "Streams of one source are about the same people, so their losses add up."),
    ledger.unknown > 0 ? h("p", { class: "warning" }, `Not complete: ${counted(ledger.unknown, "damaged stream")} may have spent on any source, and no total has it.`) : null,
    table([{ title: "source" }, { title: "streams", number: true }, { title: "μ in all", number: true }, { title: "ε in all", number: true }],
      rows, "Budget spent by source"));
}

export function streamsPage(refuse) {
  const ending = new AbortController();
  const list = h("ul", { class: "cards" });
  const sources = h("div", {});
  // It is for admins of all streams; who may only read is not offered it.
  const ledger = h("details", { hidden: true, ontoggle: () => fillLedger() }, h("summary", {}, "What was spent on each source"), sources);
  const search = h("input", { type: "search", id: "search", placeholder: "Name", oninput: () => filter() });
  const searching = h("p", { class: "search", hidden: true }, h("label", { for: "search" }, "Find a stream"), search);
  const offline = h("p", { class: "warning", role: "alert", hidden: true }, "The server does not answer. The numbers below are the last that came; this page goes on trying.");
  const body = h("div", {}, loading("streams"));
  const element = h("div", {}, h("h1", {}, "Streams"),
    h("p", { class: "lead" }, "Each stream publishes what its rows look like now. Its budget is spent once, for all of its releases together."),
    offline, body);
  const cards = new Map();
  let timer = 0;

  function filter() {
    const text = search.value.trim().toLowerCase();
    for (const [name, one] of cards) one.element.hidden = text !== "" && !name.toLowerCase().includes(text);
  }

  function fill(streams) {
    if (streams.length === 0) {
      body.replaceChildren(emptyPanel("There is no stream yet", h("p", {}, "A stream takes rows and publishes their running means and covariances. It needs a privacy budget, the range of each column, and the most rows there will ever be."),
        h("p", {}, h("a", { class: "button main", href: "#/new" }, "Create the first stream"))));
      return;
    }
    for (const stream of streams) {
      const known = cards.get(stream.name);
      if (known) {
        known.set(stream);
        continue;
      }
      const made = card(stream);
      cards.set(stream.name, made);
      list.append(made.element);
    }
    searching.hidden = streams.length <= fewStreams;
    if (!body.contains(list)) body.replaceChildren(searching, list, ledger);
    filter();
  }

  async function fillLedger() {
    if (!ledger.open) return;
    try {
      sources.replaceChildren(ledgerTable(await askJson("v1/ledger", { signal: ending.signal })));
    } catch (error) {
      sources.replaceChildren(h("p", { class: "hint" }, `Not shown: ${error.message}.`));
    }
  }

  async function update(isFirst) {
    try {
      const { streams } = await askJson("v1/streams", { signal: ending.signal });
      fill(streams.map(describe));
      offline.hidden = true;
      ledger.hidden = !streams.some((stream) => stream.writer);
      if (isFirst) announce(counted(streams.length, "stream"));
    } catch (error) {
      if (ending.signal.aborted) return;
      if (error instanceof Refused && error.isFinal) return refuse(error);
      if (isFirst && !(error instanceof Refused)) return refuse(error);
      offline.hidden = false;
    }
    timer = setTimeout(() => (document.hidden ? wait() : update(false)), interval);
  }
  const wait = () => { timer = setTimeout(() => (document.hidden ? wait() : update(false)), interval); };

  update(true);
  return { element, stop: () => { ending.abort(); clearTimeout(timer); } };
}
