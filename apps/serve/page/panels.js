// What is shown instead of numbers: while they come, where there are none, and where they may not be seen.
import { h } from "./dom.js";

export const loading = (what) =>
  h("div", { class: "panel-message", role: "status" }, h("span", { class: "spinner", "aria-hidden": "true" }), `Loading ${what} …`);

export function emptyPanel(title, ...content) {
  return h("section", { class: "panel-message tall" }, h("h2", {}, title), ...content);
}

/** Asks for a token. It stays in this tab. */
export function tokenPanel(message, use) {
  const field = h("input", { id: "token", type: "password", autocomplete: "off", spellcheck: "false", required: true,
    "aria-describedby": message === "" ? "token-hint" : "token-hint token-problem" });
  const form = h("form", { class: "token-form" },
    h("label", { for: "token" }, "Token"), field,
    h("button", { type: "submit", class: "main" }, "Show the streams"));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (field.value.trim() !== "") use(field.value.trim());
  });
  return h("section", { class: "panel-message tall" },
    h("h1", {}, "This server asks for a token"),
    message === "" ? null : h("p", { class: "warning", role: "alert", id: "token-problem" }, message),
    form,
    h("p", { class: "hint", id: "token-hint" }, "It is kept by this tab until you close it, and is sent to this server alone. Whoever runs the server makes one with ",
      h("code", {}, "jme token add --state DIR --stream '*' --role read"), "."));
}

const titles = new Map([[403, "This token may not see it"], [404, "There is no such stream"], [429, "Too many requests"]]);

export function problemPanel(error, again) {
  const title = error.status ? titles.get(error.status) ?? `The server refuses (${error.status})` : "The server does not answer";
  const text = error.status ? `The server says: ${error.message}.` : "It may be starting again, or the network may be down.";
  return h("section", { class: "panel-message tall", role: "alert" },
    h("h1", {}, title), h("p", {}, text),
    h("p", {}, h("button", { type: "button", class: "main", onclick: again }, "Try again"), " ", h("a", { href: "#/" }, "All streams")));
}
