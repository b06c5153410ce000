// What a stream would be, before it is one.
import { fact, h, table } from "./dom.js";
import { boundsOf, band95, widthOf } from "./release.js";
import { budgetText } from "./budget.js";
import { numberText, percentText, plainText } from "./number_text.js";

/** Noise of the means in the columns' own units: the plan has it for columns mapped to [-1, 1]. */
function noiseTable(rmse, columns, bounds) {
  const rows = columns.map((name) => {
    const width = widthOf(bounds.get(name));
    const half = (band95 * rmse * width) / 2;
    return [h("span", {}, name, h("small", {}, `${plainText(bounds.get(name)[0])} to ${plainText(bounds.get(name)[1])}`)), `± ${numberText(half, 2)}`, percentText(half / width)];
  });
  return table([{ title: "column, range" }, { title: "95% band of its mean", number: true }, { title: "of its range", number: true }], rows, "Noise that the plan expects on each mean");
}

export function planPanel({ name, plan, stream }) {
  const { configuration, privacy, columns } = stream;
  const used = plan.recommended ?? plan.candidates?.[0];
  const bounds = boundsOf(configuration.bounds, columns);
  const hasNoise = used && bounds.size === columns.length && /^(mean|window|decay)/.test(configuration.workload);
  return h("section", { class: "plan" },
    h("h2", { tabindex: "-1" }, `The plan for ${name}`),
    h("dl", { class: "facts" }, fact("privacy loss, spent once", budgetText(privacy)), fact("releases at most", plainText(configuration.steps)),
      fact("columns", plainText(columns.length)), fact("noise shape", configuration.shape)),
    hasNoise ? h("h3", {}, "How exact its means will be") : null,
    hasNoise ? h("p", {}, "On average over all releases: wider at the beginning, narrower at the end.") : null,
    hasNoise ? noiseTable(used.rmse_first, columns, bounds) : null,
    h("h3", {}, "What it promises"),
    h("p", { class: "statement" }, privacy.statement));
}
