// In a folder that is not trusted, whose settings name another program:
//   node trust.mjs --url URL --workspace DIR --pictures DIR --sessions DIR
// The server is the user's own, and is told that nothing of the folder may be run. Ends with "N passed, N failed".
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { workbench } from "./workbench.mjs";

const { values: given } = parseArgs({
  options: Object.fromEntries(["url", "workspace", "pictures", "sessions"].map((name) => [name, { type: "string" }])),
});
const before = new Set(readdirSync(given.sessions));
const editor = await workbench(given.url, given.workspace);
let problem;
try {
  await editor.openFile("tazuna.yaml");
  await editor.status("Restricted Mode");
  await editor.status("6 layers");
  const sessions = readdirSync(given.sessions).filter((name) => !before.has(name));
  const lines = sessions.flatMap((name) => readFileSync(join(given.sessions, name), "utf8").trim().split("\n"));
  const initialize = lines.map((line) => JSON.parse(line).msg).filter((message) => message.method === "initialize");
  const trusted = initialize.map((message) => message.params.initializationOptions.trusted);
  if (trusted.length !== 1 || trusted[0] !== false) problem = `trusted: ${JSON.stringify(trusted)}`;
} catch (error) {
  problem = error.message;
}
await editor.page.screenshot({ path: join(given.pictures, "vscode-untrusted.png") });
console.log(problem ? `FAIL an untrusted folder: ${problem}` : "ok   an untrusted folder chooses no program and may run none");
await editor.close();
console.log(problem ? "0 passed, 1 failed" : "1 passed, 0 failed");
process.exit(problem ? 1 : 0);
