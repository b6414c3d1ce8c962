// What VS Code shows for a file with extensions for YAML, Terraform and Terramate. The page compares the folder with
// our server and the one without.
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

// Signs that a neighbor has answered; the check waits for them, because it may still be starting.
const signs = {
  YAML: async () => flat(await ask(await open("platform.yaml"), "executeDocumentSymbolProvider")).some((s) => s.startsWith("apiVersion")),
  Terraform: async () => {
    const document = await open("main.tf");
    const tokens = await ask(document, "provideDocumentSemanticTokens").then((t) => t?.data ?? [], () => []);
    const outline = flat(await ask(document, "executeDocumentSymbolProvider"));
    return tokens.length > 0 && outline.some((s) => s.startsWith("resource "));
  },
  Terramate: async () => {
    const document = await open("broken.tm");
    return vscode.languages.getDiagnostics(document.uri).some((d) => d.source !== "applyorder");
  },
};

exports.neighbor = async (place) => {
  for (const { name } of JSON.parse(process.env.NEIGHBORS)) {
    let answers = false;
    for (const end = Date.now() + 40000; !answers && Date.now() < end; ) {
      answers = await signs[name]();
      if (!answers) await new Promise((resolve) => setTimeout(resolve, 100));
    }
    check(`the neighbor for ${name} answers`, answers);
  }
  const all = {};
  for (const file of ["platform.yaml", "stack.tm.hcl", "main.tf"]) {
    all[file] = await seen(file);
  }
  fs.writeFileSync(`${place}.json`, JSON.stringify(all));
};
