// Shared by the checks of the probe.
const path = require("node:path");
const vscode = require("vscode");

const workspace = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "";
const lines = [];
let failed = 0;

function check(name, ok, detail) {
  if (!ok) failed += 1;
  const shown = detail === undefined ? "" : `: ${JSON.stringify(detail).slice(0, 600)}`;
  lines.push(`${ok ? "ok  " : "FAIL"} ${name}${shown}`);
}

async function eventually(what) {
  const end = Date.now() + 20000;
  while (Date.now() < end) {
    if (what()) return true;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return false;
}

const open = (file) => vscode.workspace.openTextDocument(path.join(workspace, file));

/** The place one character into `text`, searched from `after` on. */
function find(document, text, after = "") {
  const from = document.getText().indexOf(after);
  const at = document.getText().indexOf(text, from);
  if (from < 0 || at < 0) throw new Error(`no ${text} after ${after}`);
  return document.positionAt(at + 1);
}

const ask = (document, command, ...rest) => vscode.commands.executeCommand(`vscode.${command}`, document.uri, ...rest);

async function hover(document, position) {
  const found = await ask(document, "executeHoverProvider", position);
  return found.flatMap((h) => h.contents.map((c) => c.value ?? c)).join("\n");
}

const code = (diagnostic) => diagnostic.code?.value ?? diagnostic.code;
const findings = (document, wanted) =>
  vscode.languages.getDiagnostics(document.uri).filter((d) => d.source === "applyorder" && (!wanted || code(d) === wanted));
const texts = (diagnostics) => diagnostics.map((d) => `${d.range.start.line + 1} ${code(d)} ${d.message}`);

async function replace(document, position, from, to) {
  const edit = new vscode.WorkspaceEdit();
  const start = position.translate(0, -1);
  edit.replace(document.uri, new vscode.Range(start, start.translate(0, from.length)), to);
  return vscode.workspace.applyEdit(edit);
}

/** The lines of the report, the last one with the counts. */
function report() {
  const checks = lines.length;
  return [`     VS Code ${vscode.version}`, ...lines, `${checks - failed} passed, ${failed} failed`, ""].join("\n");
}

module.exports = { ask, check, code, eventually, find, findings, hover, open, replace, report, texts };
