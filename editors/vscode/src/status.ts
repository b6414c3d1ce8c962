import * as vscode from "vscode";
import type { OrderState } from "./order";

/** What the item says while the server is no help. */
export type Trouble = "missing" | undefined;

/** The item of the status bar: whether there is an order. Only in files of a project. */
export class StatusItem implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("applyorder.order", vscode.StatusBarAlignment.Left, 0);
  private state: OrderState | undefined;
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

  private said(): [text: string, tooltip: string, severity?: "error" | "warning"] | undefined {
    if (this.trouble === "missing") return ["$(warning) applyorder is not installed", "Click to set its path", "warning"];
    if (this.reading !== undefined) return [`$(sync~spin) ${this.reading}`, "The workspace is being read"];
    const { state } = this;
    if (!state) return undefined;
    const where = state.environment ? ` · ${state.environment}` : "";
    const about = `${state.engine}: ${state.units} ${state.word}`;
    switch (state.standing) {
      case "layers":
        return [`$(layers) ${state.layers} ${state.layers === 1 ? "layer" : "layers"}${where}`, about];
      case "cycle":
        return [`$(error) no order: cycle${where}`, `${about} wait for each other in a cycle`, "error"];
      case "unknown":
        return [`$(question) order not known${where}`, state.because ?? about];
    }
  }

  dispose(): void {
    this.item.dispose();
  }
}
