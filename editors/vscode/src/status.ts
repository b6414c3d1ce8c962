import * as vscode from "vscode";
import type { Selection } from "./client";
import type { OrderState } from "./order";

/** What the item says while the server is unavailable. */
export type Trouble = "missing" | undefined;

/** `6 layers`, `6 layers or more`. */
function counted({ layers, mayBeMore }: OrderState): string {
  return `${layers} ${layers === 1 ? "layer" : "layers"}${mayBeMore ? " or more" : ""}`;
}

/** The item of the status bar: whether there is an order. Only in files of a project. */
export class StatusItem implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("applyorder.order", vscode.StatusBarAlignment.Left, 0);
  private state: OrderState | undefined;
  private selection: Selection = {};
  private reading: string | undefined;
  private trouble: Trouble;

  constructor() {
    this.item.name = "applyorder: order";
    this.item.command = "applyorder.menu";
  }

  /** The order of the file in front; `undefined` where it has none. */
  show(state: OrderState | undefined): void {
    this.state = state;
    this.draw();
  }

  /** What the server says that runs are limited to. */
  limit(selection: Selection): void {
    this.selection = selection;
    this.draw();
  }

  /** How far the workspace is read: `6,412/10,000`. */
  read(progress: string | undefined): void {
    this.reading = progress;
    this.draw();
  }

  fail(trouble: Trouble): void {
    this.trouble = trouble;
    this.draw();
  }

  private draw(): void {
    const said = this.said();
    if (!said) {
      this.item.hide();
      return;
    }
    const [text, tooltip, severity] = said;
    this.item.text = text;
    this.item.tooltip = tooltip;
    this.item.accessibilityInformation = { label: `applyorder: ${text.replace(/\$\([^)]*\)\s*/g, "")}` };
    this.item.backgroundColor = severity && new vscode.ThemeColor(`statusBarItem.${severity}Background`);
    this.item.show();
  }

  private said(): [text: string, tooltip: string | vscode.MarkdownString, severity?: "error" | "warning"] | undefined {
    if (this.trouble === "missing") return ["$(warning) applyorder is not installed", "Click to set its path", "warning"];
    if (this.reading !== undefined) return [`$(sync~spin) ${this.reading}`, "The workspace is being read"];
    const { state } = this;
    if (!state) return undefined;
    const limits = Object.entries(this.selection).flatMap(([what, words]) => (words?.length ? [{ what, words }] : []));
    const named = limits.find(({ what }) => what === "environments")?.words.join(", ") ?? state.environment;
    const isPart = limits.some(({ what }) => what !== "environments");
    const where = `${named ? ` · ${named}` : ""}${isPart ? " · $(filter)" : ""}`;
    const about = this.about(state, limits.map(({ what, words }) => `${what}: ${words.join(", ")}`));
    switch (state.standing) {
      case "layers":
        return [`$(layers) ${counted(state)}${where}`, about];
      case "cycle":
        return [`$(error) no order: cycle${where}`, about, "error"];
      case "unknown":
        return [`$(question) order not known${where}`, about];
    }
  }

  /** The details, shown when hovering over the item. */
  private about(state: OrderState, limits: string[]): vscode.MarkdownString {
    const text = new vscode.MarkdownString();
    const line = (said: string): void => void text.appendText(said).appendMarkdown("\n\n");
    const name = state.name ?? vscode.workspace.asRelativePath(vscode.Uri.parse(state.root, true));
    line(`${state.engine}: ${name}`);
    line(`${state.units} ${state.word}${state.layers === null ? "" : ` in ${counted(state)}`}`);
    if (state.mayBeMore) line("what units wait for can't all be known");
    if (state.standing === "cycle") line("they wait for each other in a cycle");
    if (state.because) line(state.because);
    line(state.environment ? `environment: ${state.environment}` : "no environment given");
    for (const limit of limits) line(`limited to ${limit}`);
    line("click: choose environments and tags, show the graph");
    return text;
  }

  dispose(): void {
    this.item.dispose();
  }
}
