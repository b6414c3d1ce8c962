// Queries VS Code's own API for what it got from `applyorder server`, with separate checks for each folder. Writes one
// line per check to PROBE_DIR/FOLDER.report. Waits for PROBE_DIR/FOLDER.go, so that the pictures are taken of an
// untouched editor.
const fs = require("node:fs");
const path = require("node:path");
const vscode = require("vscode");
const { check, report } = require("./tools");
const { neighbor } = require("./neighbor");
const parts = {
  work: require("./tazuna").tazuna,
  engines: require("./engines").engines,
  plain: require("./plain").plain,
  alone: neighbor,
  beside: neighbor,
};

exports.activate = async () => {
  const folder = path.basename(vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "");
  const { PROBE_DIR } = process.env;
  if (!PROBE_DIR || !parts[folder]) return;
  const place = path.join(PROBE_DIR, folder);
  while (!fs.existsSync(`${place}.go`)) await new Promise((resolve) => setTimeout(resolve, 100));
  try {
    await parts[folder](place);
  } catch (error) {
    check("no error in the probe", false, String(error?.stack));
  }
  fs.writeFileSync(`${place}.part`, report());
  fs.renameSync(`${place}.part`, `${place}.report`);
};
