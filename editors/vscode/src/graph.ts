import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { type OrderItem, type Told, reveal } from "./order";

/** The answer to `applyorder/graph`. */
interface Picture {
  text: string;
}

/** A unit of the picture, and the link to its place: `file:///w/a.yaml#L9,11`. */
interface Unit {
  id: string;
  link: string | null;
}

type FromPage =
  | { type: "ready" }
  | { type: "drawn"; units: Unit[] }
  | { type: "open"; id: string; go: boolean }
  | { type: "follow"; on: boolean };

const quiet = 150;

/** The place that a link means; only files are opened. */
function placeOf(link: string | null): { uri: string; line: number; character: number } | undefined {
  const [, uri, line, column] = /^(file:[^#]*)#L(\d+)(?:,(\d+))?$/.exec(link ?? "") ?? [];
  return uri ? { uri, line: Number(line) - 1, character: Number(column ?? 1) - 1 } : undefined;
}

const isSame = (a: string, b: string): boolean => vscode.Uri.parse(a, true).toString() === vscode.Uri.parse(b, true).toString();

/** The picture of the order beside the file: it follows edits and the cursor, and a click shows the source. */
export class GraphPanel implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  private document: vscode.TextDocument | undefined;
  private units: Unit[] = [];
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
      const media = vscode.Uri.joinPath(this.extension, "media");
      this.panel = vscode.window.createWebviewPanel(
        "applyorder.graph",
        "Order",
        { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true },
        { enableScripts: true, localResourceRoots: [media], retainContextWhenHidden: true },
      );
      this.ready = false;
      this.panel.iconPath = vscode.Uri.joinPath(this.extension, "icon.png");
      this.panel.webview.onDidReceiveMessage((message: FromPage) => this.heard(message));
      this.panel.onDidDispose(() => {
        this.panel = undefined;
        this.units = [];
      });
      this.panel.webview.html = page(this.panel.webview, media);
    }
    this.soon();
  }

  private heard(message: FromPage): void {
    switch (message.type) {
      case "ready":
        this.ready = true;
        this.soon();
        return;
      case "drawn":
        this.units = message.units;
        this.select();
        return;
      case "follow":
        void vscode.workspace
          .getConfiguration("applyorder")
          .update("graph.follow", message.on, vscode.ConfigurationTarget.Global);
        return;
      case "open": {
        const place = placeOf(this.units.find((unit) => unit.id === message.id)?.link ?? null);
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
      picture = await client.sendRequest<Picture | null>("applyorder/graph", { textDocument: { uri }, format: "svg" });
    } catch (error) {
      this.log.debug(`applyorder/graph: ${error}`);
      if (turn === this.asked) this.say("The order is not known just now: this is the last one that was.");
      return;
    }
    if (turn !== this.asked) return;
    if (!picture?.text) {
      this.say("This file belongs to no project.");
      return;
    }
    panel.title = `Order · ${vscode.workspace.asRelativePath(document.uri)}`;
    void panel.webview.postMessage({ type: "picture", svg: picture.text, follow: this.follows() });
  }

  private say(text: string): void {
    void this.panel?.webview.postMessage({ type: "say", text });
  }

  private follows(): boolean {
    return vscode.workspace.getConfiguration("applyorder").get("graph.follow", true);
  }

  /** Selects what the cursor is on; another project's file brings its own picture. */
  follow({ editor, state }: Told): void {
    if (!this.panel || !editor || !state) return;
    if (editor.document !== this.document) {
      this.document = editor.document;
      this.soon();
    }
    this.at = state.at?.[0];
    this.select();
  }

  private select(): void {
    const { at } = this;
    if (!at || !this.follows()) return;
    const { line, character } = at.range.start;
    const isAt = ({ link }: Unit): boolean => {
      const place = placeOf(link);
      return place !== undefined && place.line === line && place.character === character && isSame(place.uri, at.uri);
    };
    const unit = this.units.find(isAt);
    if (unit) void this.panel?.webview.postMessage({ type: "select", id: unit.id });
  }

  dispose(): void {
    clearTimeout(this.timer);
    for (const one of this.watching) one.dispose();
    this.panel?.dispose();
  }
}

function page(webview: vscode.Webview, media: vscode.Uri): string {
  const file = (name: string): vscode.Uri => webview.asWebviewUri(vscode.Uri.joinPath(media, name));
  const policy = `default-src 'none'; style-src ${webview.cspSource}; script-src ${webview.cspSource}`;
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${file("graph.css")}">
<title>Order</title>
</head>
<body>
<header role="toolbar" aria-label="Picture">
<input id="find" type="search" placeholder="/ find" aria-label="Find a unit">
<button id="follow" type="button" aria-pressed="true" title="Follow the cursor (f)">◎ follow</button>
<button id="fit" type="button" title="Show all (0)">⤢ fit</button>
<button id="help" type="button" aria-expanded="false" title="Keys (?)">?</button>
</header>
<p id="said" role="status" hidden></p>
<dl id="keys" hidden>
<dt>arrows</dt><dd>walk along the edges, and within a layer</dd>
<dt>Enter</dt><dd>go to the source; a click shows it</dd>
<dt>/</dt><dd>find</dd><dt>f</dt><dd>follow the cursor</dd><dt>n</dt><dd>next problem</dd>
<dt>l</dt><dd>the longest chain only</dd><dt>i</dt><dd>implied edges</dd>
<dt>0</dt><dd>show all</dd><dt>+ −</dt><dd>larger, smaller</dd><dt>Esc</dt><dd>select nothing</dd>
</dl>
<main id="stage" tabindex="-1"></main>
<footer id="bar" aria-live="polite"></footer>
<script src="${file("graph.js")}"></script>
</body>
</html>`;
}
