// Elements made in one call, so that no text of a stream is ever read as markup.

/** An element: h("p", { class: "lead", onclick: f, "aria-label": "x" }, "text", child). False and null are left out. */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "class") element.className = value;
    else if (name in element && typeof value !== "string") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Sets a text only where it differs: screen readers and selections are not disturbed by what stays the same. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** A table. `columns` are { title, number }; each row is a list of texts or elements, the first of which heads it. */
export function table(columns, rows, caption) {
  const kind = (column) => (column.number ? "number" : null);
  return h("div", { class: "scroll", role: "region", "aria-label": caption, tabindex: "0" },
    h("table", {},
      h("caption", { class: "visually-hidden" }, caption),
      h("thead", {}, h("tr", {}, columns.map((column) => h("th", { scope: "col", class: kind(column) }, column.title)))),
      h("tbody", {}, rows.map((cells) => h("tr", {}, cells.map((cell, i) =>
        i === 0 ? h("th", { scope: "row", class: kind(columns[i]) }, cell) : h("td", { class: kind(columns[i]) }, cell)))))));
}

/** Text that can be copied with a button. */
export function listing(text, label) {
  const button = h("button", { type: "button", class: "quiet copy" }, "Copy");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {
      button.textContent = "Select it";
    }
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
  return h("div", { class: "listing" },
    h("pre", { tabindex: "0", role: "region", "aria-label": label }, h("code", {}, text)), button);
}

/** A named number. */
export function fact(name, ...value) {
  return h("div", {}, h("dt", {}, name), h("dd", {}, ...value));
}
