import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { type OrderItem, reveal } from "./order";

interface Location {
  uri: string;
  range: OrderItem["range"];
}

interface Listed {
  name: string;
  layer: number | null;
  mayBeLater: boolean;
  location: Location | null;
}

interface Why {
  message: string;
  steps: { name: string; detail: string | null; location: Location | null }[];
}

type Row = vscode.QuickPickItem & { location: Location | null };

function place(location: Location | null): string {
  if (!location) return "";
  const uri = vscode.Uri.parse(location.uri, true);
  return `${vscode.workspace.asRelativePath(uri)}:${location.range.start.line + 1}`;
}

/** Shows rows to choose from; the chosen one is opened, and the active one is shown next to the list. */
async function open(title: string, rows: Row[]): Promise<void> {
  const chosen = await vscode.window.showQuickPick(rows, { title, matchOnDescription: true, matchOnDetail: true });
  if (chosen?.location) await reveal(chosen.location.uri, chosen.location.range);
}

function row({ name, layer, mayBeLater, location }: Listed): Row {
  const shown = layer === null ? "" : `layer ${layer}${mayBeLater ? " or later" : ""}`;
  return { label: name, description: [shown, place(location)].filter(Boolean).join(" · "), location };
}

/** Shows the answer to `applyorder.list`. */
export async function showList(answer: Promise<unknown>): Promise<void> {
  const { items } = (await answer) as { items: Listed[] };
  if (items.length > 0) await open("Units by layers", items.map(row));
  else void vscode.window.showInformationMessage("No unit is in this list.");
}

/** Asks for two units and shows why the one waits for the other. */
export async function showWhy(client: LanguageClient, document: vscode.TextDocument, at: string | undefined): Promise<void> {
  const uri = client.code2ProtocolConverter.asUri(document.uri);
  const ask = <T>(command: string, argument: object): Promise<T> =>
    client.sendRequest<T>("workspace/executeCommand", { command, arguments: [{ uri, ...argument }] });
  try {
    const { items } = await ask<{ items: Listed[] }>("applyorder.list", {});
    const rows = items.map(row);
    // The unit at the cursor is the likeliest.
    rows.sort((a, b) => Number(b.label === at) - Number(a.label === at));
    const later = await vscode.window.showQuickPick(rows, { title: "Why does this unit wait …", placeHolder: "The one that waits" });
    if (!later) return;
    const others = rows.filter((unit) => unit !== later);
    const earlier = await vscode.window.showQuickPick(others, { title: `Why does ${later.label} wait for …`, placeHolder: "The one that it waits for" });
    if (!earlier) return;
    const { message, steps } = await ask<Why>("applyorder.why", { a: later.label, b: earlier.label });
    const shown = steps.map(({ name, detail, location }) => ({ label: name, description: place(location), detail: detail ?? undefined, location }));
    if (shown.length > 0) await open(message, shown);
    else void vscode.window.showInformationMessage(message);
  } catch (error) {
    void vscode.window.showInformationMessage(error instanceof Error ? error.message : String(error));
  }
}
