// A server of our own for each test, and a browser that notes what goes wrong.
import { spawn, execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

// Packages are installed below build, so that the source stays as it is.
const packages = createRequire(new URL("../../build/browser/", import.meta.url));
const { chromium } = packages("playwright-core");
const axeSource = readFileSync(packages.resolve("axe-core/axe.min.js"), "utf8");
export const jme = process.env.JME_BINARY ?? new URL("../../build/dev/apps/cli/jme", import.meta.url).pathname;

/** `jme serve` on a free port, with a folder that is removed at the end. */
export class Server {
  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), "jme-browser-"));
    this.state = join(this.folder, "state");
    this.admin = this.token("admin");
    this.listen = "127.0.0.1:0";
  }

  token(role, stream = "*") {
    return execFileSync(jme, ["token", "add", "--state", this.state, "--stream", stream, "--role", role], { encoding: "utf8" }).trim();
  }

  revoke(token) {
    execFileSync(jme, ["token", "revoke", "--state", this.state, token.split("_")[1]]);
  }

  /** Again after stop(): at the same address. */
  async start(...options) {
    this.options = options.length > 0 ? options : this.options ?? [];
    this.process = spawn(jme, ["serve", "--state", this.state, "--listen", this.listen, ...this.options], { stdio: ["ignore", "pipe", "inherit"] });
    this.url = await new Promise((resolve, reject) => {
      let text = "";
      this.process.stdout.on("data", (bytes) => {
        text += bytes;
        const found = /listening on (\S+)/.exec(text);
        if (found) resolve(found[1]);
      });
      this.process.once("exit", (code) => reject(new Error(`jme serve ended with ${code}`)));
    });
    this.listen = new URL(this.url).host;
    return this;
  }

  async stop() {
    if (!this.process || this.process.exitCode !== null) return;
    const ended = new Promise((resolve) => this.process.once("exit", resolve));
    this.process.kill("SIGTERM");
    await ended;
  }

  async end() {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  async create(name, settings = {}) {
    const body = { name, epsilon: 1, delta: 1e-6, bounds: { temp: [-20, 45], co: [0, 100] }, rows: 10_000, every: 10, ...settings };
    const answer = await fetch(`${this.url}/v1/streams`, { method: "POST", body: JSON.stringify(body), headers: { Authorization: `Bearer ${this.admin}` } });
    if (answer.status !== 201) throw new Error(await answer.text());
  }

  /** Rows by curl, as the page tells people to give them. */
  post(name, csv) {
    return JSON.parse(execFileSync("curl", ["-sS", "--fail-with-body", "-H", `Authorization: Bearer ${this.admin}`, "-H", "Content-Type: text/csv", "--data-binary", "@-",
      `${this.url}/v1/streams/${name}/rows`], { input: csv, encoding: "utf8" }));
  }
}

/** "temp,co" and so many rows. */
export function someRows(count, columns = ["temp", "co"]) {
  const rows = Array.from({ length: count }, (_, i) => columns.map((_, j) => (20 + 5 * Math.sin(i / 7 + j)).toFixed(2)).join(","));
  return `${columns.join(",")}\n${rows.join("\n")}\n`;
}

const flags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

export const launch = () => chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", headless: true, args: flags });

/** A page of a context of its own. `problems` collects errors of scripts, the console and the content policy. */
export async function open(browser, address, { token, scheme = "light", width = 1200, height = 900 } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme, reducedMotion: "reduce" });
  const page = await context.newPage();
  page.problems = [];
  page.on("pageerror", (error) => page.problems.push(`script: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") page.problems.push(`console: ${message.text()}`);
  });
  if (token) await page.addInitScript((text) => { if (!sessionStorage.getItem("started")) { sessionStorage.setItem("jme-token", text); sessionStorage.setItem("started", "1"); } }, token);
  await page.goto(address);
  return page;
}

/** Serious problems of accessibility, as axe-core finds them; its source runs outside the page's content policy. */
export async function seriousProblems(page) {
  await page.evaluate(axeSource);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  return violations.filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.target} (${node.any[0]?.message ?? node.failureSummary})`).join("; ")}`);
}

export const reading = (page, column) => page.getByRole("slider", { name: `Running mean of ${column}`, exact: true });
export const pill = (page) => page.locator(".connection .pill");
