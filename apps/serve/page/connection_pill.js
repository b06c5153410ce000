// Whether releases are coming.
import { h, setText } from "./dom.js";

const words = { connecting: "connecting", live: "live", finished: "finished", problem: "cannot be written", broken: "cannot be read", closed: "no releases" };

export class ConnectionPill {
  /** `again` is called where somebody does not want to wait. */
  constructor(again) {
    this.label = h("span", {}, words.connecting);
    this.pill = h("span", { class: "pill", "data-state": "connecting" }, h("span", { class: "dot", "aria-hidden": "true" }), this.label);
    this.button = h("button", { type: "button", class: "quiet", hidden: true, onclick: again }, "Connect now");
    this.element = h("span", { class: "connection" }, this.pill, this.button);
  }

  set(state, delay) {
    clearInterval(this.timer);
    this.pill.dataset.state = state;
    this.button.hidden = state !== "waiting";
    if (state !== "waiting") return setText(this.label, words[state]);
    const end = Date.now() + delay;
    const count = () => setText(this.label, `reconnecting in ${Math.max(0, Math.ceil((end - Date.now()) / 1000))} s`);
    count();
    this.timer = setInterval(count, 500);
  }

  stop() {
    clearInterval(this.timer);
  }
}
