// Opens the example workspace in a running code-server, checks what a person sees, and takes pictures:
//   node look.mjs --url URL --workspace DIR --pictures DIR --go FILE --report FILE
// Then it writes the file --go, which starts the probe extension; that needs this page connected and writes
// the file --report. Ends with "N passed, N failed", those of the probe included.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { workbench } from "./workbench.mjs";

const { values: given } = parseArgs({
  options: Object.fromEntries(["url", "workspace", "pictures", "go", "report"].map((name) => [name, { type: "string" }])),
});
const editor = await workbench(given.url, given.workspace);
const picture = (name) => editor.page.screenshot({ path: join(given.pictures, `${name}.png`) });
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
    await picture(`vscode-failed-${failed}`).catch(() => {});
  }
}

await check("a cycle over two files is underlined", async () => {
  await editor.openFile("broken/platform.yaml");
  await editor.page.waitForSelector(".monaco-editor .squiggly-error", { state: "attached" });
});
await check("the Problems panel lists what is wrong in all files", async () => {
  await editor.openProblems();
  const wanted = ["cycle", "unknown-dependency", "self-dependency"];
  const end = Date.now() + 20000;
  for (;;) {
    const rows = await editor.problems();
    const missing = wanted.filter((rule) => !rows.some((row) => row.includes(rule)));
    if (missing.length === 0) return rows;
    if (Date.now() > end) throw new Error(`no row holds ${missing}: ${JSON.stringify(rows)}`);
    await sleep(200);
  }
});
await check("hover on the underlined entry explains the cycle", async () => {
  const text = await editor.hover("postgres", "cycle");
  await picture("vscode-cycle");
  return text;
});
await check("hover on a name says its layer", async () => {
  await editor.openFile("shop/apps.yaml");
  const text = await editor.hover("checkout", /layer 5 of 6/i);
  await picture("vscode-hover");
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
await editor.close();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
