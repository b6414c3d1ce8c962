import * as vscode from "vscode";
import { type DocumentSelector, LanguageClient, TransportKind } from "vscode-languageclient/node";

// Files that an engine may read. The server looks into each and stays silent about all others.
const files: DocumentSelector = [
  { scheme: "file", language: "yaml" },
  { scheme: "file", language: "terraform" },
  { scheme: "file", pattern: "**/tazuna.yaml" },
  { scheme: "file", pattern: "**/*.tm" },
  { scheme: "file", pattern: "**/*.tm.hcl" },
];

let client: LanguageClient | undefined;
// Starts and stops run one after the other: a setting may change while the server is starting.
let queue: Promise<void> = Promise.resolve();

function inTurn(step: () => Promise<void>): Promise<void> {
  queue = queue.then(step, step);
  return queue;
}

async function start(log: vscode.LogOutputChannel): Promise<void> {
  const settings = vscode.workspace.getConfiguration("applyorder");
  const command = settings.get("path", "applyorder");
  const starting = new LanguageClient(
    "applyorder",
    "applyorder",
    { command, args: ["server"], transport: TransportKind.stdio },
    {
      documentSelector: files,
      outputChannel: log,
      // Nothing that a folder brings along is run unless the user trusts it.
      initializationOptions: { ...settings, trusted: vscode.workspace.isTrusted },
      synchronize: { configurationSection: "applyorder" },
    },
  );
  try {
    await starting.start();
    client = starting;
  } catch (error) {
    log.error(`${command} server: ${error}`);
    void offerSettings(`'${command} server' did not start. Is applyorder installed?`);
  }
}

async function offerSettings(message: string): Promise<void> {
  const open = "Open settings";
  if ((await vscode.window.showErrorMessage(message, open)) === open) {
    await vscode.commands.executeCommand("workbench.action.openSettings", "applyorder.path");
  }
}

async function stop(): Promise<void> {
  const stopping = client;
  client = undefined;
  await stopping?.dispose();
}

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const log = vscode.window.createOutputChannel("applyorder", { log: true });
  const restart = async (): Promise<void> => {
    await inTurn(stop);
    await inTurn(() => start(log));
  };
  context.subscriptions.push(
    log,
    vscode.commands.registerCommand("applyorder.restart", restart),
    vscode.commands.registerCommand("applyorder.showLog", () => log.show()),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void restart()),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("applyorder.path")) {
        void restart();
      }
    }),
  );
  await inTurn(() => start(log));
}

export async function deactivate(): Promise<void> {
  await inTurn(stop);
}
