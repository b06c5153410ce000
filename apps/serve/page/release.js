// A release and a stream's description as this page uses them.

/** Half the width of a 95% band, in standard deviations. */
export const band95 = 1.959963984540054;

const numbers = (values) => Float64Array.from(values, (value) => value ?? NaN);
const matrix = (rows) => rows.map((row) => [...numbers(row)]);
const isMatrix = (value) => Array.isArray(value) && Array.isArray(value[0]);

/** One point of the curves: t, and for each column the value, the ends of its 95% band and its noise. */
export function pointOf(release) {
  const kind = release.mean ? "mean" : release.first ? "first" : null;
  const point = { t: release.t, x: release.time ? Date.parse(release.time) / 1000 : release.t, kind };
  if (kind === null) return point;
  point.value = numbers(release[kind]);
  point.noise = numbers(release.noise_std[kind]);
  const intervals = kind === "mean" ? release.interval?.mean : null;
  if (intervals) {
    point.low = numbers(intervals.map((ends) => ends?.[0]));
    point.high = numbers(intervals.map((ends) => ends?.[1]));
  } else {
    point.low = point.value.map((value, i) => value - band95 * point.noise[i]);
    point.high = point.value.map((value, i) => value + band95 * point.noise[i]);
  }
  return point;
}

/**
 * Columns whose mean lies within its noise of a bound: its 95% interval reaches the bound, and not the middle of the
 * range. Made from released numbers and public bounds alone.
 */
export function meansAtBounds(point, columns, bounds) {
  if (point.kind !== "mean") return [];
  return columns.filter((name, j) => {
    if (!bounds.has(name)) return false;
    const [low, high] = bounds.get(name);
    const middle = low / 2 + high / 2;
    return (point.low[j] <= low && point.high[j] < middle) || (point.high[j] >= high && point.low[j] > middle);
  });
}

const mostNames = 12;

/** What to tell about them; empty where there are none. */
export function meansAtBoundsText(names) {
  if (names.length === 0) return "";
  if (names.length === 1) return `The mean of ${names[0]} lies within its noise of a bound: check bounds and units.`;
  const more = names.length > mostNames ? ` and ${names.length - mostNames} more columns` : "";
  return `The means of ${names.slice(0, mostNames).join(", ")}${more} lie within their noise of a bound: check bounds and units.`;
}

/** A matrix of a release and its noise, or null where it was not emitted. */
export function matrixOf(release, name) {
  if (!isMatrix(release[name])) return null;
  return { value: matrix(release[name]), noise: matrix(release.noise_std[name]) };
}

/** Variances and their noise, from a full covariance or from its diagonal. */
export function variancesOf(release) {
  const covariance = release.covariance;
  if (!covariance) return null;
  const noise = release.noise_std.covariance;
  if (!isMatrix(covariance)) return { value: [...numbers(covariance)], noise: [...numbers(noise)] };
  return { value: covariance.map((row, i) => row[i] ?? NaN), noise: noise.map((row, i) => row[i] ?? NaN) };
}

/** "temp=-20:45,co=0:100" as a map from names to [low, high]. Names may hold anything, so it is read from the end. */
export function boundsOf(text, columns) {
  const bounds = new Map();
  let rest = text ?? "";
  for (const column of [...columns].reverse()) {
    const at = rest.lastIndexOf(`${column}=`);
    const ends = at < 0 ? null : /^(-?[\d.eE+-]+):(-?[\d.eE+-]+)$/.exec(rest.slice(at + column.length + 1));
    if (!ends) return new Map();
    bounds.set(column, [Number(ends[1]), Number(ends[2])]);
    rest = rest.slice(0, Math.max(0, at - 1));
  }
  return bounds;
}

/** " (at most 3 per person and day)" of "3/day"; empty where rows of a person are not limited. */
export function limitOfPerson(rowsPerPerson) {
  const parts = /^(\d+)(?:\/([^:]+))?(?::(.+))?$/.exec(String(rowsPerPerson ?? ""));
  if (!parts) return "";
  const [, rows, window, inAll] = parts;
  return ` (at most ${rows} per person${window ? ` and ${window}` : ""}${inAll ? `, ${inAll} in all` : ""})`;
}

/** What a stream's description says, under names of this page. */
export function describe(stream) {
  // The server could not read its settings: nothing else is known of it.
  if (stream.stream === null) {
    return { name: stream.name, condition: stream.condition, releases: null, t: null, isKnown: false, hasSettings: false, isSpent: null, columns: [], bounds: new Map(), emit: [], privacy: null, problem: stream.problem };
  }
  const { configuration, privacy, columns, alarms } = stream.stream;
  const bounds = boundsOf(configuration.bounds, columns);
  const hasSlots = typeof configuration.every === "string" || Boolean(configuration.slot_seconds);
  return {
    name: stream.name,
    condition: stream.condition,
    releases: stream.releases,
    t: stream.t,
    isKnown: stream.releases !== null,
    hasSettings: true,
    columns,
    bounds,
    hasSlots,
    horizon: hasSlots ? configuration.steps : configuration.rows,
    every: configuration.every,
    person: configuration.person,
    limitOfPerson: limitOfPerson(configuration.rows_per_person),
    workload: configuration.workload,
    emit: configuration.emit ?? [],
    privacy,
    guaranteeOfAlarms: alarms?.guarantee,
    // A budget is spent from the first row, or the first slot of time, on.
    // Null: nobody knows.
    isSpent: stream.budget?.spent !== undefined ? stream.budget.spent : stream.releases > 0 || stream.writer?.rows > 0,
    writer: stream.writer,
    problem: stream.problem,
  };
}

export const widthOf = (bounds) => (bounds ? bounds[1] - bounds[0] : NaN);
