// Budgets in words and as bars.
import { h } from "./dom.js";
import { numberText, percentText, plainText } from "./number_text.js";

const rounded = (value) => plainText(Number(value.toPrecision(3)));

/** "ε = 1, δ = 10⁻⁶", or mu where no epsilon was asked for. */
export function budgetText(privacy) {
  if (typeof privacy.epsilon !== "number") return `μ\u00a0=\u00a0${numberText(privacy.mu)}`;
  return `ε\u00a0=\u00a0${rounded(privacy.epsilon)}, δ\u00a0=\u00a0${rounded(privacy.delta)}`;
}

/** How much of the horizon is used. */
export function horizonText(stream) {
  const unit = stream.hasSlots ? "slots" : "rows";
  if (!stream.hasSettings) return "";
  if (!stream.isKnown) return typeof stream.horizon === "number" ? `of ${plainText(stream.horizon)} ${unit}, how many came is not known` : `how many ${unit} came is not known`;
  if (typeof stream.horizon !== "number") return `${plainText(stream.t)} ${unit}, without end`;
  return `${plainText(stream.t)} of ${plainText(stream.horizon)} ${unit}`;
}

/** When the budget is spent: once, for all releases that there may be. */
export function spendingText({ isSpent, hasSlots }) {
  if (isSpent === null) return "What it spent is not known: count the whole budget as spent.";
  if (isSpent) return "The budget is spent, once for the whole of it.";
  return `Nothing is spent yet: the budget for the whole of it will be with the first ${hasSlots ? "slot of time" : "row"}.`;
}

export function horizonBar(stream) {
  const meter = h("div", { class: "meter", role: "progressbar", "aria-valuemin": "0", "aria-valuemax": "100" }, h("span", {}));
  const set = ({ t }) => {
    const share = typeof stream.horizon === "number" && stream.horizon > 0 ? t / stream.horizon : 0;
    meter.setAttribute("aria-valuenow", String(Math.round(100 * share)));
    meter.setAttribute("aria-label", `Part of the horizon of ${stream.name} that is used`);
    meter.firstChild.style.inlineSize = percentText(Math.min(1, share)).replace(",", "");
  };
  set(stream);
  return { element: meter, set };
}
