// Opens the example workspace in a running code-server with a real Chromium, checks what a person
// sees, and takes pictures:  node look.mjs --url URL --workspace DIR --pictures DIR --go FILE --report FILE
// Writing FILE of --go starts the probe extension, which needs this page connected; its report is printed.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { chromium } from "playwright-core";

const { values: given } = parseArgs({
  options: Object.fromEntries(["url", "workspace", "pictures", "go", "report"].map((name) => [name, { type: "string" }])),
});
let passed = 0;
let failed = 0;

async function check(name, step) {
  try {
    const detail = await step();
    passed += 1;
    console.log(`ok   ${name}${detail ? `: ${JSON.stringify(detail).slice(0, 600)}` : ""}`);
  } catch (error) {
    failed += 1;
    console.log(`FAIL ${name}: ${error.message}`);
    await page.screenshot({ path: join(given.pictures, `failed-${failed}.png`) }).catch(() => {});
  }
}

function assert(condition, message) {
  if (!condition) throw new Error(message);
}

/** The workbench opens the file itself: typing into quick-open would race with its start. */
async function openFile(file) {
  const uri = `vscode-remote://${new URL(given.url).host}${join(given.workspace, file)}`;
  const query = new URLSearchParams({ folder: given.workspace, payload: JSON.stringify([["openFile", uri]]) });
  await page.goto(`${given.url}/?${query}`, { waitUntil: "domcontentloaded" });
  await page.waitForSelector(".monaco-workbench .part.editor .monaco-editor .view-lines .view-line");
}

/** Hovers over the word, on the last line that shows it if `last`, until the popup holds `text`. */
async function hover(word, text, last = false) {
  const words = page.locator(".view-lines .view-line span span", { hasText: new RegExp(`^\\s*${word}\\s*$`) });
  const popup = page.locator(".monaco-hover:visible .hover-contents", { hasText: text }).first();
  for (let attempt = 0; attempt < 5; attempt++) {
    await page.mouse.move(640, 20);
    await (last ? words.last() : words.first()).hover();
    try {
      await popup.waitFor({ timeout: 8000 });
      return (await page.locator(".monaco-hover:visible").first().innerText()).trim();
    } catch (error) {
      if (attempt === 4) throw error;
    }
  }
}

const profile = mkdtempSync(join(tmpdir(), "applyorder-chromium-"));
const context = await chromium.launchPersistentContext(profile, {
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  headless: true,
  viewport: { width: 1200, height: 720 },
  args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});
const page = context.pages()[0] ?? (await context.newPage());
page.setDefaultTimeout(90000);

await check("a cycle over two files is underlined", async () => {
  await openFile("broken/platform.yaml");
  await page.waitForSelector(".monaco-editor .squiggly-error", { state: "attached" });
});
await check("the Problems panel lists what is wrong in all files", async () => {
  await page.keyboard.press("Control+Shift+M");
  await page.waitForSelector(".markers-panel .monaco-list-row");
  await sleep(1000);
  const rows = (await page.locator(".markers-panel .monaco-list-row").allInnerTexts()).map((r) => r.replace(/\s+/g, " ").trim());
  for (const rule of ["cycle", "unknown-dependency", "self-dependency"]) {
    assert(rows.some((row) => row.includes(rule)), `no row holds ${rule}: ${JSON.stringify(rows)}`);
  }
  return rows;
});
await check("hover on the underlined entry explains the cycle", async () => {
  const text = await hover("postgres", "cycle");
  await page.screenshot({ path: join(given.pictures, "vscode-cycle.png") });
  return text;
});
await check("hover on a name says its layer", async () => {
  await openFile("shop/apps.yaml");
  const text = await hover("checkout", /layer 5 of 6/i);
  await page.screenshot({ path: join(given.pictures, "vscode-hover.png") });
  return text;
});

writeFileSync(given.go, "");
const end = Date.now() + 150000;
while (!existsSync(given.report) && Date.now() < end) await sleep(200);
if (existsSync(given.report)) {
  const report = readFileSync(given.report, "utf8").trimEnd().split("\n");
  const [, good, bad] = /^(\d+) passed, (\d+) failed$/.exec(report.pop());
  passed += Number(good);
  failed += Number(bad);
  console.log(report.join("\n"));
} else {
  failed += 1;
  console.log("FAIL the probe extension wrote no report");
}
await context.close();
rmSync(profile, { recursive: true, force: true });
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
