// Numbers as the report writes them (src/report/number_text.cpp).

const minus = "−";
const nothing = "–";
const mostDecimals = 12;

function superscript(number) {
  const digits = "⁰¹²³⁴⁵⁶⁷⁸⁹";
  return (number < 0 ? "⁻" : "") + [...String(Math.abs(number))].map((c) => digits[Number(c)]).join("");
}

function grouped(figures) {
  const [whole, part] = figures.split(".");
  const text = whole.length < 5 ? whole : whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return part === undefined ? text : `${text}.${part}`;
}

function exponentOf(magnitude, digits) {
  return Number(magnitude.toExponential(digits - 1).split("e")[1]);
}

export function fixedText(value, decimals) {
  if (!Number.isFinite(value)) return nothing;
  const figures = Math.abs(value).toFixed(Math.min(Math.max(decimals, 0), mostDecimals));
  const isZero = !/[1-9]/.test(figures);
  return (value < 0 && !isZero ? minus : "") + grouped(figures);
}

export function numberText(value, digits = 3) {
  if (!Number.isFinite(value)) return nothing;
  if (value === 0) return "0";
  const exponent = exponentOf(Math.abs(value), digits);
  if (exponent >= -4 && exponent < 6) return fixedText(value, Math.max(0, digits - 1 - exponent));
  const mantissa = Math.abs(value).toExponential(digits - 1).split("e")[0];
  return `${value < 0 ? minus : ""}${mantissa}×10${superscript(exponent)}`;
}

/** A number that somebody chose, with the digits that it has. */
export function plainText(value) {
  if (!Number.isFinite(value)) return nothing;
  const magnitude = Math.abs(value);
  const sign = value < 0 ? minus : "";
  if (magnitude === 0 || (magnitude >= 1e-4 && magnitude < 1e10)) {
    return sign + grouped(String(Number(magnitude.toPrecision(10))));
  }
  const [mantissa, exponent] = String(Number(magnitude.toPrecision(10)).toExponential()).split("e");
  const ten = `10${superscript(Number(exponent))}`;
  return sign + (mantissa === "1" ? ten : `${mantissa}×${ten}`);
}

/** A value and the half width of its 95% band, with two figures of the band. */
export function plusMinusText(value, half) {
  if (!Number.isFinite(value) || !Number.isFinite(half)) return nothing;
  if (half <= 0) return plainText(value);
  const exponent = exponentOf(half, 2);
  const largest = Math.max(Math.abs(value), half);
  if (largest < 1e7 && exponent >= -6) {
    const decimals = Math.max(0, 1 - exponent);
    return `${fixedText(value, decimals)} ± ${fixedText(half, decimals)}`;
  }
  const common = exponentOf(largest, 4);
  const scale = 10 ** common;
  const decimals = Math.min(Math.max(common + 1 - exponent, 1), mostDecimals);
  return `(${fixedText(value / scale, decimals)} ± ${fixedText(half / scale, decimals)})×10${superscript(common)}`;
}

export function percentText(share) {
  if (!Number.isFinite(share)) return nothing;
  return `${numberText(100 * share, share > 0.0995 ? 3 : 2)}%`;
}

/** "1 release", "2,000 releases". */
export function counted(count, word) {
  return `${plainText(count)} ${word}${count === 1 ? "" : "s"}`;
}
