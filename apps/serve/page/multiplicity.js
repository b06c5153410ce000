// Where many numbers are looked at together, some stand out by chance. What is coloured, or called the strongest, lies
// outside of the band that holds all of them at once with 95% probability (Bonferroni).

/** P(N > z) of a standard normal N for z >= 1, by the continued fraction of Mills' ratio. */
function upperTail(z) {
  let fraction = z;
  for (let k = 200; k > 0; --k) fraction = z + k / fraction;
  return Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI) / fraction;
}

/** Half of the band of each of `comparisons` numbers in standard deviations: 1.96 for a single one. */
export function bandOfAll(comparisons) {
  const tail = 0.025 / Math.max(1, comparisons);
  let low = 1.9, high = 40;
  for (let i = 0; i < 60; ++i) {
    const middle = (low + high) / 2;
    if (upperTail(middle) > tail) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** Pairs of different columns. */
export const pairsOf = (columns) => (columns * (columns - 1)) / 2;
