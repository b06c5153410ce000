// Which columns are drawn. A stream may have hundreds; nobody looks at more than a dozen at a time.
import { h, setText } from "./dom.js";
import { counted } from "./number_text.js";

const most = 12;

/** A folded list of the columns; `choose` gets the indexes of those that are wanted. None where there is no choice. */
export function columnChoice(columns, chosen, choose) {
  if (columns.length < 2) return h("span", {});
  const wanted = new Set(chosen);
  const summary = h("summary", {});
  const hint = h("p", { class: "hint", role: "status" });
  const say = () => {
    setText(summary, `Columns: ${wanted.size} of ${columns.length}`);
    setText(hint, wanted.size >= most ? `At most ${counted(most, "column")} can be drawn at a time: leave one out to choose another.` : "");
    for (const box of boxes) box.disabled = !box.checked && wanted.size >= most;
  };
  const boxes = columns.map((name, i) => h("input", { type: "checkbox", checked: wanted.has(i), onchange: (event) => {
    if (event.target.checked) wanted.add(i);
    else wanted.delete(i);
    say();
    choose([...wanted].sort((a, b) => a - b));
  } }));
  const items = columns.map((name, i) => h("li", {}, h("label", {}, boxes[i], " ", name)));
  const search = h("input", { type: "search", "aria-label": "Find a column", placeholder: "Find a column", oninput: () => {
    const text = search.value.trim().toLowerCase();
    items.forEach((item, i) => { item.hidden = !columns[i].toLowerCase().includes(text); });
  } });
  say();
  return h("details", { class: "choice" }, summary,
    h("div", { class: "choice-list" }, columns.length > 12 ? search : null, h("ul", {}, items), hint));
}
