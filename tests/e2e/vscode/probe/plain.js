// Without a project, nothing is started and nothing is shown.
const vscode = require("vscode");
const { ask, check, eventually, open } = require("./tools");

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

exports.plain = async () => {
  const yaml = await open("values.yaml");
  await open("main.tf");
  const extension = vscode.extensions.getExtension("applyorder.applyorder");
  check("the extension is active on YAML", await eventually(() => extension?.isActive === true));
  // Time for what must not appear.
  await pause(2000);
  const lenses = await ask(yaml, "executeCodeLensProvider");
  check("and says nothing", vscode.languages.getDiagnostics().every(([, found]) => found.length === 0) && !lenses?.length);
};
