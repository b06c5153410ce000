// What a screen reader is told: few words, and not at every release.

export function announce(text) {
  document.getElementById("status").textContent = text;
}
