// The parts of the page that need no browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import { delayBefore, EventParser, follow, Pause } from "../../apps/serve/page/event_stream.js";
import { fitRange, mostPoints, readingPlan, Thinned } from "../../apps/serve/page/thinning.js";
import { fixedText, numberText, percentText, plainText, plusMinusText } from "../../apps/serve/page/number_text.js";
import { bandOfAll, pairsOf } from "../../apps/serve/page/multiplicity.js";
import { changeText, releaseBefore } from "../../apps/serve/page/changes.js";
import { componentsOf, correlationOf, eigen } from "../../apps/serve/page/matrices.js";
import { boundsOf, describe, limitOfPerson, matrixOf, meansAtBounds, meansAtBoundsText, pointOf, variancesOf } from "../../apps/serve/page/release.js";
import { createCommand, feedCommand, numberOr, settingsOf } from "../../apps/serve/page/settings.js";

const near = (a, b, tolerance) => assert.ok(Math.abs(a - b) <= tolerance, `${a} is not ${b}`);

function eventsOf(...pieces) {
  const events = [];
  const parser = new EventParser((event) => events.push(event));
  for (const piece of pieces) parser.push(piece);
  return { events, parser };
}

test("an event stream gives the same events however it is cut", () => {
  const text = "\uFEFFretry: 2000\n\n: still here\n\nid: 10\ndata: {\"t\":10}\n\nid: 20\r\ndata: a\r\ndata: b\r\n\r\nid: 30\rdata:no space\r\r\nignored\ndata: no end";
  const expected = [{ id: "10", data: '{"t":10}' }, { id: "20", data: "a\nb" }, { id: "30", data: "no space" }];
  const whole = eventsOf(text);
  assert.deepEqual(whole.events, expected);
  assert.equal(whole.parser.retry, 2000);
  for (let i = 0; i <= text.length; ++i) {
    for (let j = i; j <= text.length; j += 7) assert.deepEqual(eventsOf(text.slice(0, i), text.slice(i, j), text.slice(j)).events, expected);
  }
});

test("an event without data is no event, and an id with a zero byte is ignored", () => {
  assert.deepEqual(eventsOf("id: 1\n\nid: 2\0\ndata: x\n\n").events, [{ id: "1", data: "x" }]);
});

test("the delay before a connection doubles, has an end, and is not the same for all", () => {
  assert.equal(delayBefore(1, () => 0.5), 500);
  assert.equal(delayBefore(3, () => 0.5), 2000);
  assert.equal(delayBefore(30, () => 0.5), 15_000);
  assert.equal(delayBefore(1, () => 0), 375);
  assert.equal(delayBefore(1, () => 1), 625);
});

test("following goes on after the last event that was seen, and ends at a refusal", async () => {
  const asked = [];
  const states = [];
  const body = (text) => ({ body: new Response(text).body });
  const answers = [body("id: 10\ndata: a\n\n"), new Error("network"), body("id: 20\ndata: b\n\nid: 3"), Object.assign(new Error("gone"), { isFinal: true })];
  const pause = new Pause();
  pause.wait = async () => {};
  const events = [];
  await assert.rejects(follow({
    open: async (id) => {
      asked.push(id);
      const answer = answers.shift();
      if (answer instanceof Error) throw answer;
      return answer;
    },
    id: "5", onEvent: ({ data }) => events.push(data), onState: ({ state }) => states.push(state), signal: new AbortController().signal, pause,
  }), /gone/);
  assert.deepEqual(asked, ["5", "10", "10", "20"]);
  assert.deepEqual(events, ["a", "b"]);
  assert.deepEqual(states, ["live", "waiting", "waiting", "live", "waiting"]);
});

test("thinning keeps a bounded number of points, evenly, with the first and the newest", () => {
  const thinned = new Thinned(100);
  for (let t = 1; t <= 100_000; ++t) {
    thinned.add({ t });
    const points = thinned.points();
    assert.ok(points.length <= 101);
    assert.equal(points[points.length - 1].t, t);
  }
  const points = thinned.points().map((point) => point.t);
  assert.equal(points[0], 1);
  assert.ok(points.length > 50);
  const steps = new Set(points.slice(1, -1).map((t, i) => t - points[i]));
  assert.equal(steps.size, 1);
});

test("many columns keep fewer points", () => {
  assert.equal(mostPoints(2), 1500);
  assert.equal(mostPoints(1000), 400);
  assert.equal(mostPoints(1e6), 100);
});

test("a long history is sampled evenly and a short one is read whole", () => {
  assert.deepEqual(readingPlan(1000, 500, 10_000), { all: true });
  const plan = readingPlan(100_000, 600, 1_000_000);
  assert.equal(plan.all, false);
  assert.equal(plan.after.length, 400);
  assert.equal(plan.after[0], 0);
  assert.ok(plan.after.every((t, i) => i === 0 || (t > plan.after[i - 1] && t < 1_000_000)));
  assert.equal(readingPlan(1000, 400_000, 1000).after.length, 62); // 24 MiB of releases of 400 kB
});

test("the range of a chart leaves out bands that are wider than the quiet half", () => {
  const low = [-1000, -10, 9, 9.5, 9.6, 9.7];
  const high = [1000, 30, 11, 10.5, 10.4, 10.3];
  const [least, most] = fitRange(low, high);
  near(least, 9 - 0.04 * 2, 1e-12);
  near(most, 11 + 0.04 * 2, 1e-12);
  assert.equal(fitRange([NaN], [NaN]), null);
  assert.ok(fitRange([5], [5])[0] < 5 && fitRange([0], [0])[1] > 0);
});

test("a mean within its noise of a bound is doubted, and one that the noise leaves anywhere is not", () => {
  const columns = ["temp", "pulse", "other"];
  const bounds = new Map([["temp", [86, 113]], ["pulse", [30, 220]]]);
  const of = (mean, noise, more = {}) => meansAtBounds(pointOf({ t: 1, mean, noise_std: { mean: noise }, ...more }), columns, bounds);
  assert.deepEqual(of([86.02, 70, 5], [0.1, 1, 1]), ["temp"]);
  assert.deepEqual(of([85.5, 221, 5], [0.1, 1, 1]), ["temp", "pulse"]);
  assert.deepEqual(of([86.5, 215, 5], [0.1, 1, 1]), []);
  assert.deepEqual(of([87, 215, 5], [50, 500, 1]), []);
  assert.deepEqual(of([null, 70, 5], [null, 1, 1]), []);
  // Where the count is private, the exact interval decides.
  assert.deepEqual(of([87, 70, 5], [0.1, 1, 1], { interval: { mean: [[85.9, 88], [60, 80], [4, 6]] } }), ["temp"]);
  assert.deepEqual(meansAtBounds(pointOf({ t: 1, first: [86], noise_std: { first: [1] } }), columns, bounds), []);
  assert.equal(meansAtBoundsText([]), "");
  assert.equal(meansAtBoundsText(["temp"]), "The mean of temp lies within its noise of a bound: check bounds and units.");
  assert.match(meansAtBoundsText(Array.from({ length: 14 }, (_, i) => `c${i}`)), /c0, .*, c11 and 2 more columns lie/);
});

test("the limit of a person is told in words, as the statement has it", () => {
  assert.equal(limitOfPerson(undefined), "");
  assert.equal(limitOfPerson(3), " (at most 3 per person)");
  assert.equal(limitOfPerson("3/day"), " (at most 3 per person and day)");
  assert.equal(limitOfPerson("3/6h:30"), " (at most 3 per person and 6h, 30 in all)");
});

test("numbers are written as reports write them", () => {
  assert.equal(plusMinusText(79.6481, 0.0912), "79.648 ± 0.091");
  assert.equal(plusMinusText(-1227.71, 1.84), "−1227.7 ± 1.8");
  assert.equal(plusMinusText(123456789, 1234), "(1.234568 ± 0.000012)×10⁸");
  assert.equal(plusMinusText(NaN, 1), "–");
  assert.equal(plusMinusText(3, 0), "3");
  assert.equal(plainText(1e-6), "10⁻⁶");
  assert.equal(plainText(2.5e-7), "2.5×10⁻⁷");
  assert.equal(plainText(420768), "420,768");
  assert.equal(plainText(-1234), "−1234");
  assert.equal(numberText(0.000012345), "1.23×10⁻⁵");
  assert.equal(numberText(9.996, 3), "10.0");
  assert.equal(fixedText(-0.001, 2), "0.00");
  assert.equal(percentText(0.5), "50.0%");
});

test("correlations of a covariance are its entries over the deviations", () => {
  const { value, noise } = correlationOf([[4, 3], [3, 9]], [[0, 0.6], [0.6, 0]]);
  assert.deepEqual(value, [[1, 0.5], [0.5, 1]]);
  near(noise[0][1], 0.1, 1e-15);
  assert.ok(Number.isNaN(correlationOf([[-1, 0], [0, 1]], [[1, 1], [1, 1]]).value[0][1]));
});

test("a change has its sign and half of its interval", () => {
  assert.equal(changeText(0.4, 0.7), "+0.40 ± 0.30");
  assert.equal(changeText(-1.5, -1), "−1.50 ± 0.50");
  assert.equal(changeText(null, null), "too few rows");
});

test("the last part of the releases is compared with what was before", () => {
  const points = Array.from({ length: 11 }, (_, i) => ({ t: 10 * i }));
  assert.equal(releaseBefore(points, 1 / 2).t, 50);
  assert.equal(releaseBefore(points, 1 / 10).t, 90);
  assert.equal(releaseBefore(points.slice(0, 2), 1 / 10).t, 0);
  assert.equal(releaseBefore(points.slice(0, 1), 1 / 2), null);
});

test("bands of many numbers together are those of Bonferroni", () => {
  // Quantiles of the normal law for 0.025, 0.025/10 and 0.025/780 in the tail (mpmath).
  near(bandOfAll(1), 1.959963984540054, 1e-9);
  near(bandOfAll(10), 2.807033768343811, 1e-9);
  near(bandOfAll(780), 3.997176284290048, 1e-9);
  assert.equal(pairsOf(40), 780);
});

test("forty independent columns have no chance correlations", () => {
  // Whole releases of standard normal correlations over their noise: at most 5% of them may have any, 1 in 20. With 1.96
  // nearly every release has dozens.
  let state = 12345; // of xorshift
  const uniform = () => {
    for (const shift of [13, -17, 5]) state ^= shift > 0 ? state << shift : state >>> -shift;
    return ((state >>> 0) + 0.5) / 4294967296;
  };
  const normal = () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
  const band = bandOfAll(pairsOf(40));
  let corrected = 0, uncorrected = 0;
  for (let release = 0; release < 200; ++release) {
    let any = false;
    for (let pair = 0; pair < pairsOf(40); ++pair) {
      const z = Math.abs(normal());
      any ||= z > band;
      uncorrected += z > 1.96 ? 1 : 0;
    }
    corrected += any ? 1 : 0;
  }
  assert.ok(corrected <= 10 + 18, `${corrected} of 200`); // six standard deviations of a binomial law
  assert.ok(uncorrected > 200 * 30, `${uncorrected}`);
});

test("eigenvectors diagonalise the matrix", () => {
  const d = 12;
  const matrix = Array.from({ length: d }, (_, i) => Array.from({ length: d }, (_, j) => Math.cos(i * j) + Math.cos(i + j) + (i === j ? i : 0)));
  for (let i = 0; i < d; ++i) for (let j = 0; j < i; ++j) matrix[i][j] = matrix[j][i];
  const { values, vectors } = eigen(matrix);
  for (let k = 0; k < d; ++k) {
    if (k > 0) assert.ok(values[k] <= values[k - 1]);
    for (let i = 0; i < d; ++i) near(matrix[i].reduce((sum, value, j) => sum + value * vectors[k][j], 0), values[k] * vectors[k][i], 1e-11 * d * d);
    for (let l = 0; l <= k; ++l) near(vectors[k].reduce((sum, value, i) => sum + value * vectors[l][i], 0), k === l ? 1 : 0, 1e-12 * d);
  }
});

test("the noise of components agrees with a simulation to first order", () => {
  const covariance = [[4, 1, 0.5], [1, 2, 0.2], [0.5, 0.2, 1]];
  const std = covariance.map((row) => row.map(() => 1e-3));
  const found = componentsOf(covariance, std, [1, 1, 1], 2);
  // A small linear congruential generator: the same numbers everywhere.
  let state = 7;
  const uniform = () => (state = (state * 48271) % 2147483647) / 2147483647;
  const normal = () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
  const runs = 4000;
  const sums = { value: 0, weight: 0 };
  for (let run = 0; run < runs; ++run) {
    const noisy = covariance.map((row) => [...row]);
    for (let i = 0; i < 3; ++i) for (let j = 0; j <= i; ++j) noisy[i][j] = noisy[j][i] = covariance[i][j] + 1e-3 * normal();
    const one = componentsOf(noisy, std, [1, 1, 1], 2);
    sums.value += (one.values[0] - found.values[0]) ** 2;
    sums.weight += (one.components[1][0] - found.components[1][0]) ** 2;
  }
  // 4000 squares of normals: a standard deviation is known to 1 / sqrt(8000), 1.1%; six of these.
  near(Math.sqrt(sums.value / runs) / found.noise.values[0], 1, 0.067);
  near(Math.sqrt(sums.weight / runs) / found.noise.components[1][0], 1, 0.067);
});

test("a point has the interval where a count is private, and gaps where a mean is null", () => {
  const point = pointOf({ t: 100, mean: [null, 5], interval: { mean: [[-3, 9], null] }, noise_std: { mean: [null, 0.5] } });
  assert.ok(Number.isNaN(point.value[0]));
  assert.deepEqual([point.low[0], point.high[0]], [-3, 9]);
  assert.ok(Number.isNaN(point.low[1]));
  const plain = pointOf({ t: 10, mean: [5], noise_std: { mean: [1] } });
  near(plain.high[0], 6.96, 0.001);
  assert.equal(pointOf({ t: 1, pca: {}, noise_std: {} }).kind, null);
  assert.equal(pointOf({ t: 3, time: "2026-01-01T03:00:00Z", mean: [1], noise_std: { mean: [1] } }).x, 1767236400);
});

test("matrices and diagonals of a release", () => {
  const full = { covariance: [[1, 2], [2, null]], noise_std: { covariance: [[0.1, 0.2], [0.2, null]] } };
  assert.equal(matrixOf(full, "covariance").value[0][1], 2);
  assert.deepEqual(variancesOf(full).value, [1, NaN]);
  assert.equal(matrixOf({ covariance: [1, 2], noise_std: { covariance: [1, 1] } }, "covariance"), null);
  assert.deepEqual(variancesOf({ covariance: [1, 2], noise_std: { covariance: [3, 4] } }), { value: [1, 2], noise: [3, 4] });
});

test("bounds are read for names that hold the marks between them", () => {
  const columns = ["temp", "a=b,c", "x"];
  assert.deepEqual([...boundsOf("temp=-20:45,a=b,c=0:1e+02,x=-1e-3:5", columns)], [["x", [-0.001, 5]], ["a=b,c", [0, 100]], ["temp", [-20, 45]]]);
  assert.equal(boundsOf(undefined, columns).size, 0);
});

test("a stream's horizon is rows or slots", () => {
  const of = (configuration) => describe({ name: "s", stream: { configuration: { workload: "mean", ...configuration }, privacy: {}, columns: [] } });
  assert.equal(of({ rows: 100, steps: 10, every: 10 }).horizon, 100);
  assert.equal(of({ steps: 24, every: "1h" }).horizon, 24);
});

const filled = { name: "air", epsilon: "1", delta: "1e-6", every: "100", horizon: "100,000", workload: "mean", more: "", emit: ["mean"],
  columns: [{ name: "temp", low: "-20", high: "45" }] };

test("a form becomes the settings of a stream", () => {
  const sent = (form) => JSON.parse(JSON.stringify(settingsOf(form)));  // as a body of a request
  assert.deepEqual(sent(filled), { name: "air", epsilon: 1, delta: 1e-6, bounds: { temp: [-20, 45] }, every: 100, rows: 100_000, emit: ["mean"] });
  assert.deepEqual(sent({ ...filled, every: "1 h", horizon: "24", more: '{"source": "x"}' }),
    { name: "air", epsilon: 1, delta: 1e-6, bounds: { temp: [-20, 45] }, every: "1h", steps: 24, emit: ["mean"], source: "x" });
  assert.equal(settingsOf({ ...filled, epsilon: "much" }).epsilon, "much");
  const oddly = JSON.stringify(settingsOf({ ...filled, columns: [{ name: "__proto__", low: "0", high: "1" }] }));
  assert.ok(oddly.includes('"bounds":{"__proto__":[0,1]}'), oddly);
  assert.equal(numberOr(" 1e5 "), 1e5);
});

test("a form with a mistake names its field", () => {
  const field = (change) => {
    try {
      settingsOf({ ...filled, ...change });
    } catch (error) {
      return error.field;
    }
    return null;
  };
  assert.equal(field({ name: " " }), "name");
  assert.equal(field({ columns: [{ name: "", low: "0", high: "1" }] }), "bounds");
  assert.equal(field({ columns: [filled.columns[0], filled.columns[0]] }), "bounds");
  assert.equal(field({ columns: [{ name: "a", low: "x", high: "1" }] }), "bounds");
  assert.equal(field({ more: "{" }), "more");
  assert.equal(field({ more: "[1]" }), "more");
});

test("commands quote what a shell would read", () => {
  const command = feedCommand("http://127.0.0.1:1", "air", ["o'clock", "b"], new Map([["b", [0, 10]]]));
  assert.ok(command.startsWith(`printf 'o'\\''clock,b\\n0,5\\n' |\n`), command);
  assert.ok(feedCommand("http://x", "air", ["a"], new Map(), "who").includes("who,a\\nsomebody,0"));
  assert.ok(!feedCommand("http://x", "air", ["50%"], new Map()).includes("printf"));
  assert.ok(createCommand("http://x", { name: "it's" }).includes(`'{"name":"it'\\''s"}'`));
});
