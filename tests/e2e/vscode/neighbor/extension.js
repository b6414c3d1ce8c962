// Starts yaml-language-server in folders that are meant to have a neighbor.
const path = require("node:path");
const vscode = require("vscode");
const { LanguageClient, TransportKind } = require("vscode-languageclient/node");

let client;

exports.activate = async () => {
  const folder = path.basename(vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "");
  const module = process.env.YAML_LANGUAGE_SERVER;
  if (!module || !["alone", "beside"].includes(folder)) return;
  const run = { module, transport: TransportKind.stdio, args: ["--stdio"] };
  client = new LanguageClient("yaml-neighbor", "YAML neighbor", { run, debug: run }, { documentSelector: [{ language: "yaml" }] });
  await client.start();
};

exports.deactivate = () => client?.dispose();
