// Server-sent events read by fetch: EventSource cannot send a token.

/** Takes the text of an event stream in any pieces, and calls `onEvent({ id, data })` for each event. */
export class EventParser {
  constructor(onEvent) {
    this.onEvent = onEvent;
    this.rest = "";
    this.data = [];
    this.id = "";
    this.retry = null;
    this.isFirst = true;
  }

  push(text) {
    this.rest += text;
    if (this.isFirst && this.rest.length > 0) {
      this.rest = this.rest.replace(/^\uFEFF/, "");
      this.isFirst = false;
    }
    // A carriage return at the end may be the first half of a line's end.
    const lines = this.rest.split(/\r\n|\n|\r(?!$)/);
    this.rest = lines.pop();
    for (const line of lines) this.take(line);
  }

  take(line) {
    if (line === "") {
      if (this.data.length > 0) this.onEvent({ id: this.id, data: this.data.join("\n") });
      this.data = [];
      return;
    }
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "data") this.data.push(value);
    else if (field === "id" && !value.includes("\0")) this.id = value;
    else if (field === "retry" && /^\d+$/.test(value)) this.retry = Number(value);
  }
}

const firstDelay = 500;
const longestDelay = 15_000;
const longestSilence = 40_000; // the server says something every 15 seconds

/** How long to wait before attempt `attempt` (1, 2, ..): twice as long each time, and not the same for all readers. */
export function delayBefore(attempt, random = Math.random) {
  return Math.min(longestDelay, firstDelay * 2 ** (attempt - 1)) * (0.75 + 0.5 * random());
}

/** A pause that `wake` and `signal` cut short. */
export class Pause {
  wait(milliseconds, signal) {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
      signal.addEventListener("abort", this.wake, { once: true });
    });
  }

  wake() {}
}

async function readAll(response, parser, silence) {
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      silence();
      parser.push(decoder.decode(value, { stream: true }));
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

/**
 * Follows events until `signal` is aborted, and connects again whenever a connection ends. `open(id, signal)` makes a
 * connection that goes on after the event `id`; an error of it whose `isFinal` is true ends all and is thrown.
 * `onState` gets { state: "live" } and { state: "waiting", delay }.
 */
export async function follow({ open, id, onEvent, onState, signal, pause = new Pause() }) {
  let last = id;
  for (let attempt = 0; !signal.aborted;) {
    const connection = new AbortController();
    const end = () => connection.abort();
    signal.addEventListener("abort", end, { once: true });
    let timer = setTimeout(end, longestSilence);
    try {
      const response = await open(last, connection.signal);
      attempt = 0;
      onState({ state: "live" });
      const parser = new EventParser((event) => {
        last = event.id;
        onEvent(event);
      });
      await readAll(response, parser, () => {
        clearTimeout(timer);
        timer = setTimeout(end, longestSilence);
      });
    } catch (error) {
      if (error.isFinal) throw error;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
    }
    if (signal.aborted) return;
    attempt += 1;
    const delay = delayBefore(attempt);
    onState({ state: "waiting", delay });
    await pause.wait(delay, signal);
  }
}
