// Opens the example workspace in a running code-server, checks what a person sees, and takes pictures:
//   node look.mjs --url URL --workspace DIR --engines DIR --plain DIR --missing DIR --alone DIR --beside DIR --sessions DIR
//     --pictures DIR --probe DIR --settings FILE
// In each folder it then starts the probe extension through the file PROBE/FOLDER.go; the probe writes
// PROBE/FOLDER.report. Ends with "N passed, N failed", including the probe's checks.
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { workbench } from "./workbench.mjs";

const { values: given } = parseArgs({
  options: Object.fromEntries(["url", "workspace", "engines", "plain", "missing", "alone", "beside", "sessions", "pictures", "probe", "settings"].map((name) => [name, { type: "string" }])),
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
  // What the server says; the finding itself is there earlier.
  const text = await editor.hover("postgres", "In a cycle");
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
  await editor.putCursorOn("catalog");
  const rows = await editor.orderOf("storefront", "Runs before");
  await editor.raise("Outline", 100);
  await picture("vscode-order");
  return rows;
});
/** The lowest contrast between each text of the picture and its background. */
const contrast = (graph) =>
  graph.evaluate(() => {
    const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    const light = (color) => {
      canvas.fillStyle = color;
      canvas.fillRect(0, 0, 1, 1);
      const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const fill = (el) => light(getComputedStyle(el).fill);
    const ratio = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const paper = fill(document.querySelector("#stage .paper"));
    const all = [...document.querySelectorAll("#stage text")].map((text) => {
      const box = text.closest("[data-node]")?.querySelector(".box");
      return ratio(fill(text), box && !text.closest(".unknown") ? fill(box) : paper);
    });
    return { worst: Math.min(...all), paper };
  });

await check("the graph is drawn beside the file, follows the cursor, and a click shows the source", async () => {
  await editor.openFile("shop/apps.yaml");
  await editor.hidePanel();
  await editor.putCursorOn("checkout");
  await editor.command("applyorder: Show graph");
  const graph = await editor.webview("#stage svg [data-node]");
  const node = (name) => graph.locator("#stage [data-node]", { hasText: name }).first();
  await node("orders-db").waitFor();
  const count = await graph.locator("#stage [data-node]").count();
  await graph.locator("#stage [data-node].selected", { hasText: "checkout" }).waitFor();
  await editor.putCursorOn("catalog");
  await graph.locator("#stage [data-node].selected", { hasText: "catalog" }).waitFor();
  await editor.orderOf("checkout", "Runs beside");
  await editor.withoutSideBar(() => picture("vscode-graph"));
  await node("orders-db").click();
  await editor.page.locator(".tab", { hasText: "data.yaml" }).first().waitFor();
  await graph.locator("#bar strong", { hasText: "orders-db" }).waitFor();
  return `${count} units`;
});
await check("the picture is read in a light theme and in a dark one", async () => {
  const graph = await editor.webview("#stage svg [data-node]");
  const seen = [await contrast(graph)];
  await editor.command("Preferences: Toggle between Light/Dark Themes");
  await editor.page.waitForSelector(".monaco-workbench.vs-dark");
  await graph.waitForFunction(() => document.body.classList.contains("vscode-dark"));
  seen.push(await contrast(graph));
  await picture("vscode-graph-dark");
  await editor.command("Preferences: Toggle between Light/Dark Themes");
  await graph.waitForFunction(() => document.body.classList.contains("vscode-light"));
  // If the page were left too early, it would come back in the other theme.
  for (const end = Date.now() + 20000; /"workbench.colorTheme": "[^"]*Dark/.test(readFileSync(given.settings, "utf8")); await sleep(100)) {
    if (Date.now() > end) throw new Error("the light theme is not kept");
  }
  if (!(seen[0].paper > 0.8 && seen[1].paper < 0.1)) throw new Error(`the paper is not the theme's: ${JSON.stringify(seen)}`);
  if (seen.some(({ worst }) => worst < 4.5)) throw new Error(`too little contrast: ${JSON.stringify(seen)}`);
  return seen;
});
await check("an environment is chosen and shown in the status bar", async () => {
  await editor.openFile("shop/apps.yaml");
  await editor.status("6 layers");
  await editor.command("applyorder: Choose environments…");
  await editor.pick("production");
  await editor.page.keyboard.press("Enter");
  const said = await editor.status("6 layers · production");
  await editor.command("applyorder: Choose environments…");
  await editor.pick("production");
  await editor.page.keyboard.press("Enter");
  await editor.page.locator(".statusbar-item", { hasText: "production" }).waitFor({ state: "detached" });
  return said;
});
await check("a part of the lens opens its list, and a command says why a unit waits for another", async () => {
  await editor.openFile("shop/apps.yaml");
  await editor.status("6 layers");
  await editor.putCursorOn("apiVersion");
  await editor.page.locator(".codelens-decoration a", { hasText: "layers 5–6 of 6" }).click();
  await editor.quickRow(/storefront.*layer 6/).waitFor();
  await editor.page.keyboard.press("Escape");
  await editor.command("applyorder: Why does one unit wait for another…");
  await editor.type("storefront");
  await editor.type("cilium");
  await editor.page.locator(".quick-input-title", { hasText: "storefront runs after cilium, 3 steps" }).waitFor();
  const rows = await editor.page.locator(".quick-input-list .monaco-list-row").allInnerTexts();
  await editor.page.keyboard.press("Escape");
  if (!rows.some((row) => row.includes("cert-manager waits for cilium"))) throw new Error(JSON.stringify(rows));
  return rows.map((row) => row.replace(/\s+/g, " "));
});
await check("a cycle is no order, in which nothing is said to run beside", async () => {
  await editor.openFile("broken/platform.yaml");
  const said = await editor.status("no order: cycle");
  await editor.command("Explorer: Focus on Order View");
  await editor.putCursorOn("vault");
  const rows = await editor.orderOf("external-secrets", "Runs before");
  if (rows.some((row) => row.startsWith("Runs beside"))) throw new Error(JSON.stringify(rows));
  return said;
});

/** Lets the probe extension, which needs a connected page, query VS Code's own API about the open folder. */
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

await check("an edge of a cycle is cut in the picture", async () => {
  await editor.openFile("tazuna/broken/platform.yaml", given.engines);
  await editor.status("no order: cycle");
  await editor.command("applyorder: Show graph");
  const graph = await editor.webview("#stage svg .edge.cut");
  const edge = graph.locator("#stage .edge.cut", { hasText: "cut here: platform.yaml:17" });
  await edge.locator("text").click();
  const cut = graph.locator("#bar button", { hasText: "Cut here" });
  await cut.waitFor();
  const { scrolled, left } = await graph.locator("#stage").evaluate((stage) => ({
    scrolled: stage.scrollLeft, left: stage.querySelector(".lead").getBoundingClientRect().left,
  }));
  if (scrolled === 0 || left < 0) throw new Error(`scrolled by ${scrolled}, what is said of the order begins at ${left}`);
  const lines = await graph.locator("#stage .lead tspan").allTextContents();
  if (lines.some((line) => line.trimEnd().endsWith("·"))) throw new Error(`a line ends in a dot: ${JSON.stringify(lines)}`);
  await editor.withoutSideBar(() => picture("vscode-cut"));
  await cut.click();
  await edge.waitFor({ state: "detached" });
  await editor.page.waitForSelector(".tab.dirty[data-resource-name='platform.yaml']");
  return graph.locator("#stage .lead").textContent();
});

await check("the picture of another project begins at its beginning, with the edge to cut in sight", async () => {
  const graph = await editor.webview("#stage svg .edge");
  await editor.page.locator(".tab", { hasText: "platform.yaml" }).first().click();
  await editor.quickOpen("spacelift/broken/main.tf");
  await editor.page.locator(".view-line", { hasText: "spacelift_stack.network.id" }).first().click();
  await graph.locator("#stage [data-node]", { hasText: "spacelift_stack.database" }).first().waitFor();
  await graph.locator("#stage [data-node].selected").first().waitFor();
  const seen = await graph.evaluate(() => {
    const left = (selector) => document.querySelector(selector).getBoundingClientRect().left;
    return { said: left("#stage .lead"), cut: left("#stage .edge.cut text"), text: document.querySelector("#stage .lead").textContent };
  });
  if (seen.said < 0 || seen.cut < 0) throw new Error(JSON.stringify(seen));
  return seen;
});

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
  await editor.page.locator(".notification-toast", { hasText: "not installed" }).first().waitFor();
  // A message that would be repeated appears when another file of the project comes to the front.
  await editor.switchTo("data.yaml");
  await editor.status("applyorder is not installed");
  const said = await editor.notifications();
  if (said.length !== 1 || !said[0].includes("not installed")) throw new Error(JSON.stringify(said));
  await picture("vscode-missing");
  return said;
});

/** The result of `read` once it is stable for a second and a half. */
async function settled(read) {
  let last;
  let same = 0;
  for (const end = Date.now() + 30000; same < 6; await sleep(250)) {
    const now = await read();
    same = now === last && now !== "[]" ? same + 1 : 0;
    last = now;
    if (Date.now() > end) throw new Error(`never at rest: ${now.slice(0, 300)}`);
  }
  return JSON.parse(last);
}

/** What VS Code shows for the files of a folder: the results of its API, and the colors on the page. */
async function seen(folder) {
  await editor.openFile("platform.yaml", folder);
  if (folder === given.beside) await editor.status("6 layers");
  await probe(folder);
  const all = JSON.parse(readFileSync(join(given.probe, `${basename(folder)}.json`), "utf8"));
  for (const [file, is] of Object.entries(all)) {
    is.colors = await colors(file, folder);
  }
  return all;
}

/**
 * The words of a file with their colors on the page. A file that was open when the page was left may come to
 * the front after the one that was asked for, and its words are drawn a while longer: then the file is opened again.
 */
async function colors(file, folder) {
  const squeezed = (text) => text.replace(/[\s\u00a0\u00b7]/g, "");
  const beginning = squeezed(readFileSync(join(folder, file), "utf8")).slice(0, 40);
  const spans = editor.page.locator(`.part.editor .monaco-editor[data-uri$="/${file}"] .view-lines .view-line span[class*=mtk]`);
  const read = (found) => JSON.stringify(found.map((s) => [s.textContent, s.className, getComputedStyle(s).color]));
  for (let attempt = 1; ; attempt++) {
    await editor.openFile(file, folder);
    try {
      const words = await settled(() => spans.evaluateAll(read));
      const shown = squeezed(words.map(([text]) => text).join(""));
      if (!shown.startsWith(beginning)) throw new Error(`${file} is not what is shown: ${shown.slice(0, 80)}`);
      return words;
    } catch (error) {
      if (attempt === 3) throw error;
    }
  }
}
await check("beside extensions for YAML, Terraform and Terramate nothing folds, selects, is outlined or colored otherwise", async () => {
  const [alone, beside] = [await seen(given.alone), await seen(given.beside)];
  for (const [file, was] of Object.entries(alone)) {
    for (const what of Object.keys(was)) {
      const [a, b] = [was[what], beside[file][what]].map((x) => JSON.stringify(x));
      if (a !== b) throw new Error(`${what} of ${file}: ${a.slice(0, 300)} and with us ${b.slice(0, 300)}`);
    }
    if (new Set(was.colors.map(([, , color]) => color)).size < 2) throw new Error(`${file} has no colors`);
  }
  return Object.entries(beside).map(([file, is]) => `${file}: ${is.folding.length} folds, ${is.colors.length} colored words`);
});
await editor.close();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
