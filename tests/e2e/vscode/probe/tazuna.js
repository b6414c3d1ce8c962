// The Tazuna examples, with edits.
const path = require("node:path");
const vscode = require("vscode");
const { ask, check, eventually, find, findings, hover, open, replace, texts } = require("./tools");

async function shop() {
  const apps = await open("shop/apps.yaml");
  const data = await open("shop/data.yaml");
  const reference = find(apps, "orders-db", "name: catalog");
  let text = "";
  const end = Date.now() + 60000; // the server may still be starting
  while (!text && Date.now() < end) text = await hover(apps, reference);
  check("hover on a reference says the layer", text.toLowerCase().includes("layer 4 of 6"), text);

  const places = await ask(apps, "executeDefinitionProvider", reference);
  const place = places[0] ?? {};
  check(
    "definition leads to the name in another file",
    places.length === 1 && String(place.uri ?? place.targetUri) === String(data.uri) &&
      (place.targetSelectionRange ?? place.targetRange ?? place.range).start.line === find(data, "orders-db").line,
    places,
  );
  const references = await ask(apps, "executeReferenceProvider", reference);
  check("references are found in both files", references.length === 3, references);
  const rename = await ask(apps, "executeDocumentRenameProvider", reference, "orders-store");
  const edits = rename.entries().flatMap(([, list]) => list);
  check("rename edits the name and both references", edits.length === 3, edits);
  const symbols = await ask(data, "executeDocumentSymbolProvider");
  check("document symbols name the manifests", JSON.stringify(symbols ?? []).includes("session-cache"));
  const completion = await ask(apps, "executeCompletionItemProvider", reference.translate(0, -1));
  const labels = completion.items.map((item) => item.label.label ?? item.label);
  check("completion offers names of other files", labels.includes("session-cache"), labels.slice(0, 20));
  const loud = [apps, data].flatMap((d) => findings(d)).filter((d) => d.severity <= vscode.DiagnosticSeverity.Warning);
  check("no error or warning on the clean example", loud.length === 0, texts(loud));
}

async function broken() {
  const [root, platform, apps] = await Promise.all(["tazuna", "platform", "apps"].map((f) => open(`broken/${f}.yaml`)));
  const all = (wanted) => [root, platform, apps].flatMap((d) => findings(d, wanted));
  await eventually(() => all("cycle").length && all("unknown-dependency").length && all("self-dependency").length);
  const cycles = all("cycle").filter((d) => d.severity === vscode.DiagnosticSeverity.Error);
  const related = cycles[0]?.relatedInformation ?? [];
  check("one cycle in three files", cycles.length === 1, texts(cycles));
  check("each of its edges has a mark", all("cycle").length === 3, texts(all("cycle")));
  check(
    "its related places lie in both included files",
    ["platform.yaml", "apps.yaml"].every((f) => related.some((r) => r.location.uri.path.endsWith(f))),
    related.map((r) => `${path.basename(r.location.uri.path)}:${r.location.range.start.line + 1} ${r.message}`),
  );
  const unknown = findings(root, "unknown-dependency");
  check(
    "unknown dependency underlined",
    unknown.length === 1 && root.getText(unknown[0].range).includes("prometheus-operater"),
    texts(unknown),
  );
  check("self-dependency underlined", findings(apps, "self-dependency").length === 1, texts(findings(apps)));

  const wrong = find(root, "prometheus-operater");
  const actions = await ask(root, "executeCodeActionProvider", unknown[0]?.range ?? new vscode.Range(wrong, wrong));
  const titles = actions.map((a) => a.title);
  check("a quick fix names the nearest manifest", titles.some((t) => t.includes("prometheus-operator")), titles);
  await replace(root, wrong, "prometheus-operater", "prometheus-operator");
  check(
    "an edit that is not saved clears the unknown dependency",
    (await eventually(() => findings(root, "unknown-dependency").length === 0)) && root.isDirty,
  );
  await replace(platform, find(platform, "postgres", "name: vault"), "postgres", "cilium");
  check("an edit in one file clears the cycle in all", await eventually(() => all("cycle").length === 0), texts(all("cycle")));
}

exports.tazuna = async () => {
  await shop();
  await broken();
};
