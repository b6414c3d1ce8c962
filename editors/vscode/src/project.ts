import * as vscode from "vscode";

/** Files that an engine may read. The server examines each and reports nothing about all others. */
export const selector: ({ scheme: string; language: string } | { scheme: string; pattern: string })[] = [
  { scheme: "file", language: "yaml" },
  { scheme: "file", language: "terraform" },
  { scheme: "file", pattern: "**/*.{yaml,yml,tf,tofu,tm}" },
  { scheme: "file", pattern: "**/*.tm.hcl" },
  { scheme: "file", pattern: "**/*.{tf,tofu}.json" },
  { scheme: "file", pattern: "**/{applyorder,.applyorder}.toml" },
  // Not saved yet.
  { scheme: "untitled", language: "yaml" },
  { scheme: "untitled", language: "terraform" },
];

// Files whose name alone says that there is a project.
const markers = "**/{tazuna.yaml,terramate.tm,terramate.tm.hcl,stack.tm,stack.tm.hcl,applyorder.toml,.applyorder.toml}";
const left = "**/{node_modules,.git,.terraform}/**";

// Signs that only one engine's files contain. The server makes the final decision: this only decides whether to start
// it.
const signs: { file: RegExp; text: RegExp }[] = [
  { file: /\.ya?ml$/, text: /tazuna\.pepabo\.com\/|kapp\.k14s\.io\/|^workloads:/m },
  { file: /\.tm(\.hcl)?$/, text: /^\s*(stack|terramate|globals|import|generate_\w+)\b/m },
  { file: /\.(tf|tofu)$/, text: /^\s*resource\s+"?spacelift_stack/m },
  { file: /\.(tf|tofu)\.json$/, text: /"spacelift_stack/ },
  { file: /(^|[\\/])\.?applyorder\.toml$/, text: /^/ },
];
const looked = 200_000;

export function isOurs(document: vscode.TextDocument): boolean {
  return vscode.languages.match(selector, document) > 0;
}

/** Whether a document looks like a part of a project. */
export function isSign(document: vscode.TextDocument): boolean {
  if (!isOurs(document)) return false;
  const range = new vscode.Range(document.positionAt(0), document.positionAt(looked));
  // What was never saved has a language and no name.
  const name = document.isUntitled ? `new.${document.languageId === "yaml" ? "yaml" : "tf"}` : document.uri.path;
  return signs.some(({ file, text }) => file.test(name) && text.test(document.getText(range)));
}

/** Calls `found` once, as soon as there is a project: in the folders, or in a document that is opened or edited. */
export function whenFound(found: () => void): vscode.Disposable {
  const watching: vscode.Disposable[] = [];
  let over = false;
  const stop = (): void => {
    over = true;
    for (const one of watching) one.dispose();
  };
  const tell = (): void => {
    if (over) return;
    stop();
    found();
  };
  const look = (document: vscode.TextDocument): void => {
    if (isSign(document)) tell();
  };
  watching.push(
    vscode.workspace.onDidOpenTextDocument(look),
    vscode.workspace.onDidSaveTextDocument(look),
    vscode.workspace.onDidChangeTextDocument((change) => look(change.document)),
  );
  vscode.workspace.textDocuments.forEach(look);
  if (!over) {
    const watcher = vscode.workspace.createFileSystemWatcher(markers, false, true, true);
    watching.push(watcher, watcher.onDidCreate(tell));
    void vscode.workspace.findFiles(markers, left, 1).then((files) => files.length > 0 && tell());
  }
  return new vscode.Disposable(stop);
}
