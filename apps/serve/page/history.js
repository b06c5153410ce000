// The releases that there were before this page came, in bounded time and memory.
import { ask, streamPath } from "./session.js";
import { readingPlan } from "./thinning.js";

const atATime = 6;

async function linesOf(path, signal) {
  const response = await ask(path, { signal });
  const text = await response.text();
  return { releases: text.split("\n").filter(Boolean).map((line) => JSON.parse(line)), more: response.headers.has("Link") };
}

async function* everyRelease(name, signal) {
  for (let since = 0; ;) {
    const { releases, more } = await linesOf(`${streamPath(name)}/releases?since=${since}`, signal);
    yield* releases;
    if (!more || releases.length === 0) return;
    since = releases[releases.length - 1].t;
  }
}

async function* someReleases(name, after, signal) {
  let last = 0;
  for (let i = 0; i < after.length; i += atATime) {
    const answers = await Promise.all(after.slice(i, i + atATime).map((since) =>
      linesOf(`${streamPath(name)}/releases?since=${since}&limit=1`, signal)));
    for (const release of answers.flatMap((answer) => answer.releases)) {
      if (release.t > last) yield release;
      last = Math.max(last, release.t);
    }
  }
}

/** Releases of a stream in their order: all, or so many that they can be read quickly, and the newest at the end. */
export async function* history(stream, signal) {
  if (stream.releases === 0) return;
  const text = await (await ask(`${streamPath(stream.name)}/latest`, { signal })).text();
  const newest = JSON.parse(text);
  const plan = readingPlan(stream.releases, text.length, newest.t);
  if (plan.all) {
    yield* everyRelease(stream.name, signal);
    return;
  }
  for await (const release of someReleases(stream.name, plan.after, signal)) {
    if (release.t < newest.t) yield release;
  }
  yield newest;
}
