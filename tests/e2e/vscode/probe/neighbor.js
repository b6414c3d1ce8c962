// What VS Code shows of a file beside an extension for YAML. The page compares the folder with our server and the one
// without.
const fs = require("node:fs");
const path = require("node:path");
const vscode = require("vscode");
const { ask, check, open } = require("./tools");

function flat(symbols, into = []) {
  for (const symbol of symbols ?? []) {
    const range = symbol.selectionRange ?? symbol.location.range;
    into.push(`${symbol.name} ${range.start.line + 1}`);
    flat(symbol.children, into);
  }
  return into;
}

async function seen(file) {
  const document = await open(file);
  await vscode.window.showTextDocument(document);
  const folding = (await ask(document, "executeFoldingRangeProvider")) ?? [];
  const tokens = await ask(document, "provideDocumentSemanticTokens").then((t) => [...(t?.data ?? [])], () => []);
  const words = [...document.getText().matchAll(/\w+/g)].slice(0, 20).map((m) => document.positionAt(m.index));
  const selections = (await ask(document, "executeSelectionRangeProvider", words)) ?? [];
  return {
    folding: folding.map((r) => `${r.start}-${r.end}`).sort(),
    tokens,
    selections: selections.map((s) => JSON.stringify(s)),
    outline: flat(await ask(document, "executeDocumentSymbolProvider")),
  };
}

exports.neighbor = async (place) => {
  const yaml = await open("platform.yaml");
  let symbols = [];
  for (let attempt = 0; attempt < 200 && !flat(symbols).some((s) => s.startsWith("apiVersion")); attempt++) {
    symbols = await ask(yaml, "executeDocumentSymbolProvider");
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  check("the neighbor answers", flat(symbols).some((s) => s.startsWith("apiVersion")), flat(symbols).slice(0, 5));
  const all = {};
  for (const file of ["platform.yaml", "stack.tm.hcl", "main.tf"]) all[file] = await seen(file);
  const outline = all["platform.yaml"].outline;
  const twice = outline.filter((entry, at) => outline.indexOf(entry) !== at);
  check("in the outline nothing stands twice", twice.length === 0, twice);
  fs.writeFileSync(`${place}.json`, JSON.stringify(all));
};
