import { access, constants } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
import * as vscode from "vscode";
import { LanguageClient, type Middleware, TransportKind } from "vscode-languageclient/node";
import { selector } from "./project";
import type { StatusItem } from "./status";

// What a hover may call; everything else in it is text.
const trusted = ["applyorder.graph", "applyorder.list", "applyorder.showGraph", "applyorder.reveal"];
const choices = ["environments", "tags", "noTags"] as const;
export type Choice = (typeof choices)[number];

/** What runs are limited to, as the server tells it: by the names of the settings. */
export type Selection = Partial<Record<string, string[]>>;

/** Shows what the commands of the server answer. */
export interface Commands {
  graph(uri: string): Promise<void>;
  list(answer: Promise<unknown>): Promise<void>;
}

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

/** The settings as the server reads them: choices in this window take precedence over the configuration. */
export function settings(memory: vscode.Memento): Record<string, unknown> {
  const configured = vscode.workspace.getConfiguration("applyorder");
  const read: Record<string, unknown> = { codeLens: configured.get("codeLens") };
  for (const name of ["render", "inlayHints", "folding", "selectionRanges", "semanticTokens"]) read[name] = configured.get(name);
  for (const name of choices) read[name] = memory.get<string[]>(name) ?? configured.get(name);
  return read;
}

/** Whether another active extension declares that it is for a document's language. */
function hasNeighbor({ languageId }: vscode.TextDocument): boolean {
  return vscode.extensions.all.some(({ id, isActive, packageJSON }) => {
    if (!isActive || id === "applyorder.applyorder" || id.startsWith("vscode.")) return false;
    const { activationEvents = [], contributes = {} } = packageJSON as {
      activationEvents?: string[];
      contributes?: { languages?: { id: string }[] };
    };
    return activationEvents.includes(`onLanguage:${languageId}`) || (contributes.languages ?? []).some((one) => one.id === languageId);
  });
}

function middleware(status: StatusItem, shown: Commands): Middleware {
  return {
    // Counts are in the item of the status bar, not in another one next to it.
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
        if (part instanceof vscode.MarkdownString) part.isTrusted = { enabledCommands: trusted };
      }
      return hover;
    },
    // Next to the outline of another extension, ours would duplicate its entries.
    provideDocumentSymbols(document, token, next) {
      const when = vscode.workspace.getConfiguration("applyorder", document.uri).get<string>("outline");
      return when === "off" || (when !== "on" && hasNeighbor(document)) ? undefined : next(document, token);
    },
    async executeCommand(command, args, next) {
      const [asked] = args as [{ uri?: string }?];
      if (command === "applyorder.graph" && asked?.uri) return shown.graph(asked.uri);
      if (command === "applyorder.list") return shown.list(Promise.resolve(next(command, args)));
      return next(command, args);
    },
  };
}

/** A client that is not started yet. */
export function newClient(
  command: string,
  log: vscode.LogOutputChannel,
  memory: vscode.Memento,
  status: StatusItem,
  shown: Commands,
): LanguageClient {
  return new LanguageClient(
    "applyorder",
    "applyorder",
    { command, args: ["server"], transport: TransportKind.stdio },
    {
      documentSelector: selector,
      outputChannel: log,
      // Nothing that a folder brings along is run unless the user trusts it.
      initializationOptions: { ...settings(memory), trusted: vscode.workspace.isTrusted, commands: true },
      middleware: middleware(status, shown),
      // A failure is reported once, by the caller that started it.
      initializationFailedHandler: () => false,
    },
  );
}
