// What can be computed from a released covariance: post-processing, which costs no privacy. Noise is carried along to
// first order, with the noise of different entries taken as independent.

const zeros = (rows, columns) => Array.from({ length: rows }, () => new Array(columns).fill(0));

/** Correlations of a covariance and their noise. NaN where a variance is not positive: noise hides it. */
export function correlationOf(covariance, std) {
  const d = covariance.length;
  const value = zeros(d, d);
  const noise = zeros(d, d);
  for (let i = 0; i < d; ++i) {
    for (let j = 0; j < d; ++j) {
      const scale = Math.sqrt(covariance[i][i] * covariance[j][j]);
      if (i === j) {
        value[i][j] = covariance[i][i] > 0 ? 1 : NaN;
      } else if (covariance[i][i] > 0 && covariance[j][j] > 0) {
        const r = covariance[i][j] / scale;
        value[i][j] = Math.max(-1, Math.min(1, r));
        noise[i][j] = Math.hypot(std[i][j] / scale, (r * std[i][i]) / (2 * covariance[i][i]),
          (r * std[j][j]) / (2 * covariance[j][j]));
      } else {
        value[i][j] = NaN;
        noise[i][j] = NaN;
      }
    }
  }
  return { value, noise };
}

/** Eigenvalues of a symmetric matrix, largest first, and their vectors (Jacobi's rotations). */
export function eigen(matrix) {
  const d = matrix.length;
  const a = matrix.map((row) => [...row]);
  const v = zeros(d, d);
  for (let i = 0; i < d; ++i) v[i][i] = 1;
  const size = Math.hypot(...a.flat());
  for (let sweep = 0; sweep < 40; ++sweep) {
    let off = 0;
    for (let i = 0; i < d; ++i) for (let j = 0; j < i; ++j) off = Math.max(off, Math.abs(a[i][j]));
    if (!(off > 1e-13 * size)) break;
    for (let p = 0; p < d; ++p) {
      for (let q = p + 1; q < d; ++q) {
        if (a[p][q] === 0) continue;
        const theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
        const t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.hypot(theta, 1));
        const c = 1 / Math.hypot(t, 1);
        const s = t * c;
        for (let k = 0; k < d; ++k) [a[k][p], a[k][q]] = [c * a[k][p] - s * a[k][q], s * a[k][p] + c * a[k][q]];
        for (let k = 0; k < d; ++k) [a[p][k], a[q][k]] = [c * a[p][k] - s * a[q][k], s * a[p][k] + c * a[q][k]];
        for (let k = 0; k < d; ++k) [v[p][k], v[q][k]] = [c * v[p][k] - s * v[q][k], s * v[p][k] + c * v[q][k]];
      }
    }
  }
  const order = [...v.keys()].sort((i, j) => a[j][j] - a[i][i]);
  return { values: order.map((i) => a[i][i]), vectors: order.map((i) => v[i]) };
}

/** Standard deviation of u'Nw for symmetric noise N. */
function formNoise(u, w, std) {
  let sum = 0;
  for (let i = 0; i < u.length; ++i) {
    sum += (u[i] * w[i] * std[i][i]) ** 2;
    for (let j = 0; j < i; ++j) sum += ((u[i] * w[j] + u[j] * w[i]) * std[i][j]) ** 2;
  }
  return Math.sqrt(sum);
}

/** The first `count` principal components of a covariance whose columns are measured in `units`, with their noise. */
export function componentsOf(covariance, std, units, count) {
  const d = covariance.length;
  const scaled = (matrix) => matrix.map((row, i) => row.map((value, j) => value / (units[i] * units[j])));
  const noise = scaled(std);
  const { values, vectors } = eigen(scaled(covariance));
  const total = values.reduce((sum, value) => sum + Math.max(0, value), 0);
  const shown = Math.min(count, d);
  const result = { values: [], shares: [], components: [], noise: { values: [], components: [] } };
  for (let k = 0; k < shown; ++k) {
    // The largest weight is positive, so that signs do not flicker from one release to the next.
    const largest = vectors[k].reduce((best, value) => (Math.abs(value) > Math.abs(best) ? value : best), 0);
    const vector = vectors[k].map((value) => (largest < 0 ? -value : value));
    const squares = new Array(d).fill(0);
    for (let l = 0; l < d; ++l) {
      if (l === k) continue;
      const turn = formNoise(vectors[l], vectors[k], noise) / (values[k] - values[l]);
      for (let i = 0; i < d; ++i) squares[i] += (vectors[l][i] * turn) ** 2;
    }
    result.values.push(values[k]);
    result.shares.push(total > 0 ? Math.max(0, values[k]) / total : NaN);
    result.components.push(vector);
    result.noise.values.push(formNoise(vectors[k], vectors[k], noise));
    result.noise.components.push(squares.map(Math.sqrt));
  }
  return result;
}
