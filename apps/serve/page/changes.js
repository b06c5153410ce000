// What is compared, and how a change is written.
import { plusMinusText } from "./number_text.js";

/** "+0.4 ± 0.3", with the sign that says up or down. */
export function changeText(change, high) {
  if (change === null) return "too few rows";
  return `${change > 0 ? "+" : ""}${plusMinusText(change, high - change)}`;
}

/** The release since which a share of all releases came; null where there is none before the newest one. */
export function releaseBefore(points, share) {
  const place = Math.floor((points.length - 1) * (1 - share));
  return points.length > 1 && place < points.length - 1 ? points[Math.max(0, place)] : null;
}
