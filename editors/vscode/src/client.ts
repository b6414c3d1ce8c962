import { access, constants } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
import * as vscode from "vscode";
import { LanguageClient, type Middleware, TransportKind } from "vscode-languageclient/node";
import { selector } from "./project";
import type { StatusItem } from "./status";

// What a hover may call; everything else in it is text.
const commands = ["applyorder.showGraph", "applyorder.reveal"];
const choices = ["environments", "tags"] as const;
export type Choice = (typeof choices)[number];

const executable = process.platform === "win32" ? "applyorder.exe" : "applyorder";

async function isExecutable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(() => true, () => false);
}

/** The program to start: the one that is set, else the one in this extension, else the one on the `PATH`. */
export async function program(extension: vscode.Uri): Promise<string | undefined> {
  const set = vscode.workspace.getConfiguration("applyorder").get("path", "applyorder");
  if (set === "applyorder") {
    const carried = vscode.Uri.joinPath(extension, "server", executable).fsPath;
    if (await isExecutable(carried)) return carried;
  }
  if (isAbsolute(set)) return (await isExecutable(set)) ? set : undefined;
  const names = process.platform === "win32" && !/\.exe$/i.test(set) ? [`${set}.exe`, set] : [set];
  for (const dir of (process.env.PATH ?? "").split(delimiter).filter(isAbsolute)) {
    for (const name of names) {
      if (await isExecutable(join(dir, name))) return join(dir, name);
    }
  }
  return undefined;
}

/** The settings as the server reads them: what was chosen in this window wins over what is configured. */
export function settings(memory: vscode.Memento): Record<string, unknown> {
  const configured = vscode.workspace.getConfiguration("applyorder");
  const read: Record<string, unknown> = { codeLens: configured.get("codeLens") };
  for (const name of ["render", "inlayHints", "folding", "selectionRanges", "semanticTokens"]) read[name] = configured.get(name);
  for (const name of choices) read[name] = memory.get<string[]>(name) ?? configured.get(name);
  return read;
}

function middleware(status: StatusItem): Middleware {
  return {
    // Counts are in the item of the status bar, not in one more beside it.
    handleWorkDoneProgress(_token, params) {
      if (params.kind === "end") {
        status.read(undefined);
        return;
      }
      const percent = params.percentage === undefined ? "" : `${params.percentage} %`;
      status.read(params.message ?? (percent || (params.kind === "begin" ? params.title : "")));
    },
    async provideHover(document, position, token, next) {
      const hover = await next(document, position, token);
      for (const part of hover?.contents ?? []) {
        if (part instanceof vscode.MarkdownString) part.isTrusted = { enabledCommands: commands };
      }
      return hover;
    },
    async provideCodeLenses(document, token, next) {
      const lenses = await next(document, token);
      for (const lens of lenses ?? []) {
        if (lens.command?.command === "") {
          lens.command = { ...lens.command, command: "applyorder.showGraph", arguments: [document.uri.toString()] };
        }
      }
      return lenses;
    },
  };
}

/** A client that is not started yet. */
export function newClient(
  command: string,
  log: vscode.LogOutputChannel,
  memory: vscode.Memento,
  status: StatusItem,
): LanguageClient {
  return new LanguageClient(
    "applyorder",
    "applyorder",
    { command, args: ["server"], transport: TransportKind.stdio },
    {
      documentSelector: selector,
      outputChannel: log,
      // Nothing that a folder brings along is run unless the user trusts it.
      initializationOptions: { ...settings(memory), trusted: vscode.workspace.isTrusted, commands },
      middleware: middleware(status),
      // What went wrong is said once, by who started it.
      initializationFailedHandler: () => false,
    },
  );
}
