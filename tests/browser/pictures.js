// Makes the pictures of docs/server.md: the page of `./demo --serve`, on a desktop and a phone, light and dark.
// Usage: node tests/browser/pictures.js FOLDER
import { spawn } from "node:child_process";
import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { jme, launch } from "./harness.js";

const folder = process.argv[2];
const hours = 96;
const largest = 150_000; // bytes of a picture

const root = new URL("../../", import.meta.url).pathname;
const demo = spawn(join(root, "scripts/serve-demo"), [jme, "--hours", String(hours), "--pause", "0"], { stdio: ["ignore", "pipe", "inherit"] });
const url = await new Promise((resolve, reject) => {
  let text = "";
  demo.stdout.on("data", (bytes) => {
    text += bytes;
    const found = /The page is at (\S+)/.exec(text);
    if (found) resolve(found[1]);
  });
  demo.once("exit", (code) => reject(new Error(`serve-demo ended with ${code}`)));
});

const pictures = [
  { name: "desktop-light", scheme: "light", width: 1120, height: 1010, zoom: 1 },
  { name: "desktop-dark", scheme: "dark", width: 1120, height: 1010, zoom: 1, from: "How the columns move together" },
  { name: "phone-light", scheme: "light", width: 390, height: 844, zoom: 1.5, from: "Running means" },
  { name: "phone-dark", scheme: "dark", width: 390, height: 844, zoom: 1.5, from: "How the columns move together" },
];
mkdirSync(folder, { recursive: true });
const browser = await launch();
try {
  for (const { name, scheme, width, height, zoom, from } of pictures) {
    const context = await browser.newContext({ viewport: { width, height }, deviceScaleFactor: zoom, colorScheme: scheme, reducedMotion: "reduce" });
    const page = await context.newPage();
    await page.goto(`${url}/#/stream/city-air`);
    await page.waitForFunction((rows) => document.querySelector(".facts dd")?.textContent === rows, `${hours},000`);
    await page.waitForSelector('.connection .pill[data-state="live"]');
    if (from) await page.getByRole("heading", { name: from }).evaluate((heading) => scrollTo(0, heading.getBoundingClientRect().top + scrollY - 24));
    await page.waitForTimeout(1500); // components are drawn once a second
    const path = join(folder, `${name}.png`);
    await page.screenshot({ path });
    const { size } = statSync(path);
    console.log(`${path}: ${size} bytes`);
    if (size > largest) throw new Error(`${path} has more than ${largest} bytes`);
    await context.close();
  }
} finally {
  await browser.close();
  const ended = new Promise((resolve) => demo.once("exit", resolve));
  demo.kill("SIGTERM");
  await ended;
}
