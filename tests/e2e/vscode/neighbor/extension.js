// Starts the servers that other extensions run, in folders that are meant to have neighbors. NEIGHBORS lists them: [{
// "name", "command", "args", "documents" }].
const path = require("node:path");
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let clients = [];

exports.activate = async () => {
  const folder = path.basename(vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "");
  if (!["alone", "beside"].includes(folder)) return;
  clients = JSON.parse(process.env.NEIGHBORS ?? "[]").map(
    ({ name, command, args, documents }) =>
      new LanguageClient(`${name}-neighbor`, `${name} neighbor`, { command, args }, { documentSelector: documents }),
  );
  await Promise.all(clients.map((client) => client.start()));
};

exports.deactivate = () => Promise.all(clients.map((client) => client.dispose()));
