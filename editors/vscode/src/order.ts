import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";

/** A unit in a list around another. */
export interface OrderItem {
  name: string;
  detail: string;
  uri: string;
  range: { start: { line: number; character: number }; end: { line: number; character: number } };
}

/** The answer to `applyorder/order`. */
export interface OrderState {
  engine: string;
  root: string;
  name: string | null;
  units: number;
  word: string;
  environment: string | null;
  standing: "layers" | "cycle" | "unknown";
  layers: number | null;
  /** Whether there may be further layers, because not all dependencies of units can be known. */
  mayBeMore: boolean;
  because: string | null;
  at?: OrderItem[];
  after?: OrderItem[];
  beside?: OrderItem[];
  before?: OrderItem[];
  /** How many more there are than are listed. */
  more?: { after?: number; beside?: number; before?: number };
}

/** What a client-side reader of the order is told. */
export interface Told {
  editor: vscode.TextEditor | undefined;
  state: OrderState | undefined;
}

const quiet = 120;

/** Asks the server for the order around the cursor whenever it may have changed, and notifies all listeners. */
export class OrderFollower implements vscode.Disposable {
  private readonly told = new vscode.EventEmitter<Told>();
  private readonly watching: vscode.Disposable[];
  private timer: NodeJS.Timeout | undefined;
  private asked = 0;
  client: LanguageClient | undefined;
  readonly onDidTell = this.told.event;

  constructor(private readonly isOurs: (document: vscode.TextDocument) => boolean) {
    const soon = (): void => this.soon();
    this.watching = [
      vscode.window.onDidChangeActiveTextEditor(soon),
      vscode.window.onDidChangeTextEditorSelection((event) => {
        if (event.textEditor === vscode.window.activeTextEditor) soon();
      }),
      // An edit anywhere may move layers here; findings come when the server has seen it.
      vscode.languages.onDidChangeDiagnostics(soon),
      vscode.workspace.onDidChangeTextDocument((change) => this.isOurs(change.document) && soon()),
    ];
  }

  soon(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.ask(), quiet);
  }

  private async ask(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const { client } = this;
    const turn = ++this.asked;
    if (!client || !editor || !this.isOurs(editor.document)) {
      // A panel next to the text takes the focus: what was shown stays while the text is still visible.
      if (!client || vscode.window.visibleTextEditors.length === 0 || editor) this.told.fire({ editor, state: undefined });
      return;
    }
    try {
      const state = await client.sendRequest<OrderState | null>("applyorder/order", {
        textDocument: { uri: client.code2ProtocolConverter.asUri(editor.document.uri) },
        position: client.code2ProtocolConverter.asPosition(editor.selection.active),
      });
      if (turn === this.asked) this.told.fire({ editor, state: state ?? undefined });
    } catch {
      // The text has moved on, or the server has ended: there is a next time.
    }
  }

  dispose(): void {
    clearTimeout(this.timer);
    for (const one of this.watching) one.dispose();
    this.told.dispose();
  }
}

/** Shows a place that the server named. */
export async function reveal(uri: string, range: OrderItem["range"], preserveFocus = false): Promise<void> {
  const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(uri, true));
  const selection = new vscode.Range(range.start.line, range.start.character, range.start.line, range.start.character);
  const column = vscode.window.visibleTextEditors.find((editor) => editor.document === document)?.viewColumn;
  const editor = await vscode.window.showTextDocument(document, {
    selection,
    preserveFocus,
    viewColumn: column ?? vscode.ViewColumn.One,
  });
  editor.revealRange(selection, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}
