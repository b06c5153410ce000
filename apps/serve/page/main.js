// Which page is shown, and the token of this tab.
import { h } from "./dom.js";
import { askJson, token } from "./session.js";
import { problemPanel, tokenPanel } from "./panels.js";
import { streamsPage } from "./streams_page.js";
import { streamPage } from "./stream_page.js";
import { newStreamPage } from "./new_stream_page.js";

const main = document.getElementById("main");
const tokenButton = document.getElementById("token-button");
let shown = null;
let server = null; // what it says about itself

/** "#/stream/air" and the like: streams have plain names, so nothing needs to be decoded. */
function placeOf(hash) {
  const [, page = "", name = ""] = hash.split("/");
  if (page === "stream" && /^[A-Za-z0-9._-]+$/.test(name)) return { page, name };
  return { page: page === "new" ? "new" : "streams", name: "" };
}

function show(view, title) {
  shown?.stop?.();
  shown = view;
  main.replaceChildren(view.element);
  document.title = title === "" ? "jme" : `${title} · jme`;
  tokenButton.textContent = token.get() === "" ? "Use a token" : "Forget the token";
}

/** What to do where the server refuses: ask for a token, or say why. */
function refuse(error) {
  if (error.status === 401) {
    const wasWrong = token.get() !== "";
    token.forget();
    askForToken(wasWrong ? "The server does not know this token: it may have been revoked, or its time is over." : "");
  } else {
    show({ element: problemPanel(error, go) }, "Not shown");
  }
}

function askForToken(message) {
  show({ element: tokenPanel(message, (text) => { token.set(text); go(); }) }, "Token");
  main.querySelector("input").focus();
}

/** Without a token there is nothing to see, unless releases are public. */
async function isOpen() {
  if (token.get() !== "") return true;
  server ??= await askJson("page/server.json");
  return server.public_releases;
}

async function go() {
  const { page, name } = placeOf(location.hash);
  for (const link of document.querySelectorAll("header nav a")) {
    if (link.dataset.page === page) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  try {
    if (!(await isOpen())) return askForToken("");
  } catch (error) {
    return refuse(error);
  }
  if (page === "stream") show(streamPage(name, refuse), name);
  else if (page === "new") show(newStreamPage(refuse), "New stream");
  else show(streamsPage(refuse), "Streams");
}

tokenButton.addEventListener("click", () => {
  if (token.get() === "") {
    askForToken("");
  } else {
    token.forget();
    go();
  }
});
addEventListener("hashchange", () => {
  go();
  main.focus({ preventScroll: true });
  scrollTo(0, 0);
});
addEventListener("error", (event) => {
  main.prepend(h("p", { class: "warning", role: "alert" }, `This page has an error: ${event.message}`));
});
go();
