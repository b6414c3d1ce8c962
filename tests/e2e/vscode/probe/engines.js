// What engines.json expects of an example of each engine, queried from VS Code's own API.
const path = require("node:path");
const { ask, check, eventually, find, findings, hover, open, texts } = require("./tools");

const middle = (document, place) => {
  const start = find(document, place.at, place.after).translate(0, -1);
  return start.translate(0, Math.floor(place.at.length / 2));
};

async function engine(name, test) {
  let document = await open(test.finding.file);
  const mistake = middle(document, test.finding);
  const here = () => findings(document, test.finding.rule).filter((d) => d.range.contains(mistake));
  await eventually(() => here().length > 0);
  check(`${name}: a finding where the mistake is`, here().length === 1, texts(findings(document)));

  document = await open(test.hover.file);
  const told = await hover(document, middle(document, test.hover));
  check(`${name}: hover`, told.toLowerCase().includes(test.hover.says), told);

  document = await open(test.definition.file);
  const places = await ask(document, "executeDefinitionProvider", middle(document, test.definition));
  const target = await open(test.definition.to);
  const line = find(target, test.definition.line).line;
  const isThere = (p) =>
    String(p.uri ?? p.targetUri) === String(target.uri) && (p.targetSelectionRange ?? p.targetRange ?? p.range).start.line === line;
  check(`${name}: definition`, places.some(isThere), places);

  document = await open(test.lens.file);
  const lenses = await ask(document, "executeCodeLensProvider", 10);
  check(
    `${name}: lens`,
    lenses.some((lens) => lens.command?.title.includes(test.lens.says) && lens.command.command !== ""),
    lenses.map((lens) => lens.command),
  );

  document = await open(test.rename.file);
  const edit = await ask(document, "executeDocumentRenameProvider", middle(document, test.rename), test.rename.name);
  const edits = edit.entries().flatMap(([uri, list]) => list.map((e) => `${path.basename(uri.path)}:${e.range.start.line + 1}`));
  check(`${name}: rename`, edits.length === test.rename.edits, edits);
}

exports.engines = async () => {
  for (const test of JSON.parse(process.env.PROBE_ENGINES)) await engine(test.engine, test);
  const stack = await open("terramate/shop/tools/stack.tm");
  await eventually(() => findings(stack, "unknown-dependency").length > 0);
  check("a .tm has findings", findings(stack, "unknown-dependency").length === 1, texts(findings(stack)));
  const config = await open("kapp/shop/applyorder.toml");
  const told = await hover(config, find(config, "files"));
  check("the configuration is explained", told.includes("`-f`"), told);
  const labels = (await ask(config, "executeCompletionItemProvider", config.positionAt(0))).items.map((i) => i.label.label ?? i.label);
  check("and completed", labels.includes("[rules]"), labels.slice(0, 20));
};
