// Opens the example workspace in a running code-server, checks what a person sees, and takes pictures:
//   node look.mjs --url URL --workspace DIR --engines DIR --plain DIR --missing DIR --alone DIR --beside DIR --sessions DIR
//     --pictures DIR --probe DIR
// In each folder it then starts the probe extension by the file PROBE/FOLDER.go, which writes PROBE/FOLDER.report.
// Ends with "N passed, N failed", those of the probe included.
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { workbench } from "./workbench.mjs";

const { values: given } = parseArgs({
  options: Object.fromEntries(["url", "workspace", "engines", "plain", "missing", "alone", "beside", "sessions", "pictures", "probe"].map((name) => [name, { type: "string" }])),
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

await check("the status bar says how many layers there are", () => editor.status("6 layers"));
await check("the view Order follows the cursor", async () => {
  await editor.command("Explorer: Focus on Order View");
  await editor.word("catalog").click();
  const rows = editor.page.locator(".pane", { hasText: "Order" }).locator(".monaco-list-row");
  await rows.filter({ hasText: "Runs before" }).first().waitFor();
  await rows.filter({ hasText: "storefront" }).first().waitFor();
  await picture("vscode-order");
  return (await rows.allInnerTexts()).map((row) => row.replace(/\s+/g, " ").trim());
});
await check("a cycle is no order", async () => {
  await editor.openFile("broken/platform.yaml");
  return editor.status("no order: cycle");
});

/** Lets the probe extension, which needs a page that is connected, ask VS Code's own API about the folder that is open. */
async function probe(folder) {
  const place = join(given.probe, basename(folder));
  writeFileSync(`${place}.go`, "");
  const end = Date.now() + 150000;
  while (!existsSync(`${place}.report`) && Date.now() < end) await sleep(200);
  if (!existsSync(`${place}.report`)) {
    failed += 1;
    console.log(`FAIL the probe extension wrote no report in ${basename(folder)}`);
    return;
  }
  const report = readFileSync(`${place}.report`, "utf8").trimEnd().split("\n");
  const [, good, bad] = /^(\d+) passed, (\d+) failed$/.exec(report.pop());
  passed += Number(good);
  failed += Number(bad);
  console.log(report.join("\n"));
}

const sessions = () => readdirSync(given.sessions).length;
await probe(given.workspace);
await editor.openFile("kapp/shop/config/migrate.yaml", given.engines);
await probe(given.engines);

await check("where there is no project no server is started", async () => {
  const before = sessions();
  await editor.openFile("values.yaml", given.plain);
  await probe(given.plain);
  const said = await editor.notifications();
  if (sessions() !== before || said.length > 0) throw new Error(`${sessions() - before} sessions, ${JSON.stringify(said)}`);
});
await check("a program that is missing is said once", async () => {
  await editor.openFile("tazuna.yaml", given.missing);
  await editor.status("applyorder is not installed");
  await sleep(2000);
  const said = await editor.notifications();
  if (said.length !== 1 || !said[0].includes("not installed")) throw new Error(JSON.stringify(said));
  await picture("vscode-missing");
  return said;
});

/** What VS Code shows of the files of a folder: what its API says, and the colors on the page. */
async function seen(folder) {
  await editor.openFile("platform.yaml", folder);
  if (folder === given.beside) await editor.status("6 layers");
  await probe(folder);
  const all = JSON.parse(readFileSync(join(given.probe, `${basename(folder)}.json`), "utf8"));
  await editor.openFile("platform.yaml", folder);
  await sleep(3000);
  const spans = editor.page.locator(".view-lines .view-line span[class*=mtk]");
  all["platform.yaml"].colors = await spans.evaluateAll((found) => found.map((s) => `${s.textContent} ${s.className}`));
  return all;
}
await check("beside an extension for YAML nothing folds, selects or is colored otherwise", async () => {
  const [alone, beside] = [await seen(given.alone), await seen(given.beside)];
  for (const [file, was] of Object.entries(alone)) {
    for (const what of Object.keys(was).filter((what) => what !== "outline")) {
      const [a, b] = [was[what], beside[file][what]].map((x) => JSON.stringify(x));
      if (a !== b) throw new Error(`${what} of ${file}: ${a.slice(0, 300)} and with us ${b.slice(0, 300)}`);
    }
  }
  return Object.entries(beside).map(([file, is]) => `${file}: ${is.folding.length} folds, ${is.colors?.length ?? 0} colored words`);
});
await editor.close();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
