// A bounded picture of a stream of any length.

/** Keeps at most `most` points of those that were added, evenly by their order, and always the newest. */
export class Thinned {
  constructor(most) {
    this.most = most;
    this.kept = [];
    this.stride = 1;
    this.seen = 0;
    this.newest = null;
  }

  add(point) {
    if (this.seen % this.stride === 0) this.kept.push(point);
    this.seen += 1;
    this.newest = point;
    if (this.kept.length > this.most) {
      this.kept = this.kept.filter((_, i) => i % 2 === 0);
      this.stride *= 2;
    }
  }

  points() {
    const last = this.kept[this.kept.length - 1];
    return this.newest === null || last === this.newest ? this.kept : [...this.kept, this.newest];
  }
}

/** How many points a stream of so many columns may keep: about ten megabytes. */
export function mostPoints(columns) {
  return Math.max(100, Math.min(1500, Math.floor(400_000 / Math.max(1, columns))));
}

const mostBytes = 24 << 20;
const mostSamples = 400;

/**
 * How to read `releases` releases of about `bytes` bytes each: all of them, or single ones after these t, which lie
 * evenly up to `newest`.
 */
export function readingPlan(releases, bytes, newest) {
  if (releases * bytes <= mostBytes) return { all: true };
  const count = Math.max(10, Math.min(mostSamples, Math.floor(mostBytes / bytes)));
  const after = [];
  for (let i = 0; i < count; ++i) after.push(Math.floor((i * newest) / count));
  return { all: false, after: [...new Set(after)] };
}

/**
 * The range that shows the part of a curve with little noise: values count only where their band is no wider than the
 * range of the half with less noise (as in the report). `low` and `high` are the band's ends; gaps are NaN.
 */
export function fitRange(low, high) {
  const widths = low.map((value, i) => high[i] - value);
  const sorted = widths.filter(Number.isFinite).sort((a, b) => a - b);
  if (sorted.length === 0) return null;
  const upTo = (widest) => {
    let [least, most] = [Infinity, -Infinity];
    widths.forEach((width, i) => {
      if (!(width <= widest)) return;
      least = Math.min(least, low[i]);
      most = Math.max(most, high[i]);
    });
    return [least, most];
  };
  const median = sorted[Math.floor(sorted.length / 2)];
  const quiet = upTo(median);
  const [least, most] = upTo(Math.max(median, quiet[1] - quiet[0]));
  const room = most > least ? 0.04 * (most - least) : 0.05 * Math.abs(most) || 1;
  return [least - room, most + room];
}
