import * as vscode from "vscode";
import { CodeAction, CodeActionRequest, type LanguageClient } from "vscode-languageclient/node";
import { type OrderItem, type Told, reveal } from "./order";

type Operation = "apply" | "delete";

/** The answer to `applyorder/graph`. */
interface Picture {
  text: string;
  data: object;
  environments: (string | null)[];
}

/** What the page says; a link is a place: `file:///w/a.yaml#L9,11`. */
type FromPage =
  | { type: "ready" }
  | { type: "open"; link: string; go: boolean }
  | { type: "cut"; link: string }
  | { type: "run"; operation: Operation; environment: string }
  | { type: "follow"; on: boolean };

const quiet = 150;

/** The place that a link refers to; only files are opened. */
function placeOf(link: string): { uri: string; line: number; character: number } | undefined {
  const [, uri, line, column] = /^((?:file|untitled):[^#]*)#L(\d+)(?:,(\d+))?$/.exec(link) ?? [];
  return uri ? { uri, line: Number(line) - 1, character: Number(column ?? 1) - 1 } : undefined;
}

/** The picture of the order next to the file: it follows edits and the cursor, and a click shows the source. */
export class GraphPanel implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  private document: vscode.TextDocument | undefined;
  private operation: Operation = "apply";
  private environment: string | undefined;
  private at: OrderItem | undefined;
  private timer: NodeJS.Timeout | undefined;
  private asked = 0;
  private ready = false;
  private readonly watching: vscode.Disposable[];
  client: LanguageClient | undefined;

  constructor(
    private readonly extension: vscode.Uri,
    private readonly isOurs: (document: vscode.TextDocument) => boolean,
    private readonly log: vscode.LogOutputChannel,
  ) {
    const soon = (): void => this.soon();
    this.watching = [
      vscode.workspace.onDidChangeTextDocument((change) => this.isOurs(change.document) && soon()),
      vscode.languages.onDidChangeDiagnostics(soon),
    ];
  }

  /** Opens the picture of a file's project, or brings it to the front. */
  show(document: vscode.TextDocument): void {
    this.document = document;
    if (this.panel) {
      this.panel.reveal(undefined, true);
    } else {
      const media = [vscode.Uri.joinPath(this.extension, "media"), vscode.Uri.joinPath(this.extension, "dist")];
      this.panel = vscode.window.createWebviewPanel(
        "applyorder.graph",
        "Order",
        { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true },
        { enableScripts: true, localResourceRoots: media, retainContextWhenHidden: true },
      );
      this.ready = false;
      this.panel.iconPath = vscode.Uri.joinPath(this.extension, "icon.png");
      this.panel.webview.onDidReceiveMessage((message: FromPage) => this.heard(message));
      this.panel.onDidDispose(() => {
        this.panel = undefined;
      });
      this.panel.webview.html = page(this.panel.webview, this.extension);
    }
    this.soon();
  }

  /** Lets the user choose which run the picture is of, and opens it. */
  async chooseOperation(document: vscode.TextDocument): Promise<void> {
    const items = [
      { label: "$(arrow-right) apply", operation: "apply" as const },
      { label: "$(trash) delete", operation: "delete" as const },
    ];
    for (const item of items) Object.assign(item, { picked: item.operation === this.operation });
    const chosen = await vscode.window.showQuickPick(items, { title: "applyorder: operation", placeHolder: "The run whose order is drawn" });
    if (!chosen) return;
    this.operation = chosen.operation;
    this.show(document);
  }

  private heard(message: FromPage): void {
    switch (message.type) {
      case "ready":
        this.ready = true;
        this.soon();
        return;
      case "run":
        this.operation = message.operation;
        this.environment = message.environment || undefined;
        this.soon();
        return;
      case "cut":
        void this.cut(message.link);
        return;
      case "follow":
        void vscode.workspace
          .getConfiguration("applyorder")
          .update("graph.follow", message.on, vscode.ConfigurationTarget.Global);
        return;
      case "open": {
        const place = placeOf(message.link);
        // From now on the choice made in the picture applies, until the cursor moves.
        this.at = undefined;
        if (place) void reveal(place.uri, { start: place, end: place }, !message.go);
      }
    }
  }

  /** Asks for the picture again after a moment in which nothing changes. */
  soon(): void {
    if (!this.panel) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.draw(), quiet);
  }

  private async draw(): Promise<void> {
    const { client, document, panel } = this;
    if (!client || !document || !panel || !this.ready) return;
    const turn = ++this.asked;
    const uri = client.code2ProtocolConverter.asUri(document.uri);
    let picture: Picture | null;
    try {
      const { operation, environment } = this;
      const asked = { textDocument: { uri }, format: "page", operation, environment };
      picture = await client.sendRequest<Picture | null>("applyorder/graph", asked);
    } catch (error) {
      this.log.debug(`applyorder/graph: ${error}`);
      // Another project, or one in which the environment is no longer declared.
      if (this.environment !== undefined) {
        this.environment = undefined;
        this.soon();
        return;
      }
      if (turn === this.asked) this.say("The order is not known just now: this is the last one that was.");
      return;
    }
    if (turn !== this.asked) return;
    if (!picture?.text) {
      this.say("This file belongs to no project.");
      return;
    }
    panel.title = `Order · ${vscode.workspace.asRelativePath(document.uri)}`;
    const { text: svg, data, environments } = picture;
    const { operation, environment } = this;
    const shown = { type: "show", svg, data, environments, environment, operation, follow: this.follows() };
    void panel.webview.postMessage(shown);
    this.select();
  }

  private say(text: string): void {
    void this.panel?.webview.postMessage({ type: "say", text });
  }

  private follows(): boolean {
    return vscode.workspace.getConfiguration("applyorder").get("graph.follow", true);
  }

  /** Selects what the cursor is on; another project's file brings its own picture. */
  follow({ editor, state }: Told): void {
    if (!editor || !state) return;
    this.at = state.at?.[0];
    if (!this.panel) return;
    if (editor.document !== this.document) {
      this.document = editor.document;
      this.soon();
    }
    this.select();
  }

  private select(): void {
    const { at } = this;
    if (!at || !this.follows()) return;
    const { line, character } = at.range.start;
    const link = `${at.uri}#L${line + 1},${character + 1}`;
    void this.panel?.webview.postMessage({ type: "select", link, name: at.name });
  }

  /** Takes away the entry at a place on a cycle, by the quick fix that the server has for it. */
  async cut(link: string): Promise<void> {
    const { client } = this;
    const place = placeOf(link);
    if (!client || !place) return;
    const uri = vscode.Uri.parse(place.uri, true);
    const at = new vscode.Position(place.line, place.character);
    const rule = ({ code }: vscode.Diagnostic): unknown => (typeof code === "object" ? code.value : code);
    const about = vscode.languages
      .getDiagnostics(uri)
      .filter((found) => found.source === "applyorder" && found.range.contains(at) && /cycle|self-dependency/.test(String(rule(found))));
    const found = await client.sendRequest(CodeActionRequest.type, {
      textDocument: { uri: client.code2ProtocolConverter.asUri(uri) },
      range: { start: place, end: place },
      context: { diagnostics: await client.code2ProtocolConverter.asDiagnostics(about), only: ["quickfix"] },
    });
    const fixes = (found ?? []).filter((action): action is CodeAction => CodeAction.is(action) && action.diagnostics !== undefined);
    const fix = fixes.find((action) => action.isPreferred) ?? fixes[0];
    const edit = await client.protocol2CodeConverter.asWorkspaceEdit(fix?.edit);
    if (edit && (await vscode.workspace.applyEdit(edit))) this.log.info(fix?.title ?? "");
    else void vscode.window.showInformationMessage("This entry cannot be removed automatically: change it by hand.");
    await reveal(place.uri, { start: place, end: place }, true);
  }

  dispose(): void {
    clearTimeout(this.timer);
    for (const one of this.watching) one.dispose();
    this.panel?.dispose();
  }
}

function page(webview: vscode.Webview, extension: vscode.Uri): string {
  const file = (...path: string[]): vscode.Uri => webview.asWebviewUri(vscode.Uri.joinPath(extension, ...path));
  const policy = `default-src 'none'; style-src ${webview.cspSource}; script-src ${webview.cspSource}`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${file("dist", "style.css")}">
<link rel="stylesheet" href="${file("dist", "page.css")}">
<link rel="stylesheet" href="${file("media", "graph.css")}">
<title>Order</title>
</head>
<body>
<main id="stage" tabindex="-1"></main>
<script src="${file("dist", "page.js")}"></script>
</body>
</html>`;
}
