// Takes the frames of the README's recording: a cycle across two files is found, explained and fixed.
//   node record.mjs --url URL --workspace DIR --pictures DIR --theme light|dark
// Frame NN-MS.png is to be shown for MS milliseconds; gif.py joins them.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { workbench } from "./workbench.mjs";

const { values: given } = parseArgs({
  options: Object.fromEntries(["url", "workspace", "pictures", "theme"].map((name) => [name, { type: "string" }])),
});
const frames = join(given.pictures, "frames");
rmSync(frames, { recursive: true, force: true });
mkdirSync(frames, { recursive: true });

// Only one story: the other mistakes of the example are fixed before it starts.
function fix(file, from, to) {
  const path = join(given.workspace, "broken", file);
  writeFileSync(path, readFileSync(path, "utf8").replace(from, to));
}
fix("tazuna.yaml", "prometheus-operater", "prometheus-operator");
fix("apps.yaml", "        - session-cache\n", "");

const editor = await workbench(given.url, given.workspace, { width: 1000, height: 620 });
const { page } = editor;
let count = 0;

async function frame(milliseconds) {
  count += 1;
  await page.screenshot({ path: join(frames, `${String(count).padStart(2, "0")}-${milliseconds}.png`) });
}

await editor.openFile("broken/platform.yaml");
await page.waitForSelector(given.theme === "dark" ? ".monaco-workbench.vs-dark" : ".monaco-workbench.vs");
await page.waitForSelector(".monaco-editor .squiggly-error", { state: "attached" });
await editor.openProblems();
await page.keyboard.press("Control+B"); // no side bar: more room for the text
await editor.putCursorOn("vault");
await sleep(500);
await frame(2500);
await editor.hover("postgres", "cycle");
await sleep(300);
await frame(5000);

// Vault gets its own disk: the entry is removed, and with it the cycle.
await page.keyboard.press("Escape");
await page.mouse.move(640, 20);
await editor.putCursorOn("postgres");
await page.keyboard.press("Home");
await page.keyboard.press("Shift+End");
await frame(1000);
await page.keyboard.press("Control+Shift+K");
await page.waitForFunction(() => !document.querySelector(".monaco-editor .squiggly-error"));
await sleep(700);
await frame(2500);
await editor.hover("external-secrets", /layer \d+ of \d+/i);
await sleep(300);
await frame(5000);

// The whole order, next to the file.
await page.keyboard.press("Escape");
await page.mouse.move(640, 20);
await editor.hidePanel();
await editor.putCursorOn("vault");
await editor.command("applyorder: Show graph");
const graph = await editor.webview("#stage svg [data-node]");
await graph.locator("#stage [data-node].selected", { hasText: "vault" }).waitFor();
await sleep(700);
await frame(5000);
await editor.close();
