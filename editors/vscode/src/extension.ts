import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { type Choice, newClient, program, settings } from "./client";
import { GraphPanel } from "./graph";
import { OrderFollower, type OrderItem, reveal } from "./order";
import { isOurs, whenFound } from "./project";
import { StatusItem } from "./status";
import { OrderTree } from "./tree";

/** What is on between `activate` and `deactivate`. */
class Session {
  private readonly log = vscode.window.createOutputChannel("applyorder", { log: true });
  private readonly status = new StatusItem();
  private readonly tree = new OrderTree();
  private readonly follower = new OrderFollower(isOurs);
  private readonly graph: GraphPanel;
  private client: LanguageClient | undefined;
  // Starts and stops run one after the other: a setting may change while the server is starting.
  private queue: Promise<void> = Promise.resolve();
  private begun = false;
  private isMissing = false;

  constructor(private readonly context: vscode.ExtensionContext) {
    const graph = new GraphPanel(context.extensionUri, isOurs, this.log);
    this.graph = graph;
    context.subscriptions.push(
      this.log,
      this.status,
      this.tree,
      this.follower,
      graph,
      this.follower.onDidTell((told) => {
        this.status.show(told.state);
        this.tree.show(told.state);
        graph.follow(told);
        void vscode.commands.executeCommand("setContext", "applyorder.inProject", told.state !== undefined);
      }),
      vscode.commands.registerCommand("applyorder.restart", () => this.restart()),
      vscode.commands.registerCommand("applyorder.showLog", () => this.log.show()),
      vscode.commands.registerCommand("applyorder.showGraph", (uri?: string) => this.showGraph(uri)),
      vscode.commands.registerCommand("applyorder.reveal", (uri: string, range: OrderItem["range"]) => reveal(uri, range)),
      vscode.commands.registerCommand("applyorder.chooseEnvironments", () => this.choose("environments")),
      vscode.commands.registerCommand("applyorder.chooseTags", () => this.choose("tags")),
      vscode.commands.registerCommand("applyorder.menu", () => this.menu()),
      vscode.commands.registerCommand("applyorder.walkthrough", () =>
        vscode.commands.executeCommand(
          "workbench.action.openWalkthrough",
          `${context.extension.id}#applyorder.start`,
          false,
        ),
      ),
      vscode.workspace.onDidGrantWorkspaceTrust(() => void this.restart()),
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration("applyorder.path")) void this.restart();
        else if (change.affectsConfiguration("applyorder")) this.tell();
      }),
      whenFound(() => {
        this.begun = true;
        void vscode.commands.executeCommand("setContext", "applyorder.found", true);
        void this.inTurn(() => this.start());
      }),
    );
  }

  private inTurn(step: () => Promise<void>): Promise<void> {
    this.queue = this.queue.then(step, step);
    return this.queue;
  }

  async restart(): Promise<void> {
    // Who asks for it wants it, project or not; a setting alone starts nothing.
    if (!this.begun && !this.client) return;
    await this.inTurn(() => this.stop());
    await this.inTurn(() => this.start());
  }

  private async start(): Promise<void> {
    if (this.client) return;
    const command = await program(this.context.extensionUri);
    if (command === undefined) {
      this.status.fail("missing");
      if (!this.isMissing) void this.sayMissing();
      this.isMissing = true;
      return;
    }
    this.isMissing = false;
    this.status.fail(undefined);
    const starting = newClient(command, this.log, this.context.workspaceState, this.status);
    try {
      await starting.start();
      starting.onNotification("applyorder/graphChanged", () => this.graph.soon());
      this.set(starting);
    } catch (error) {
      this.log.error(`${command} server: ${error}`);
      const show = "Show log";
      void vscode.window
        .showErrorMessage(`'${command} server' did not start.`, show)
        .then((chosen) => chosen === show && this.log.show());
    }
  }

  private async sayMissing(): Promise<void> {
    const open = "Open settings";
    const how = "How to install";
    const message = "applyorder is not installed: the program is neither on the PATH nor where the settings say.";
    switch (await vscode.window.showErrorMessage(message, open, how)) {
      case open:
        await vscode.commands.executeCommand("workbench.action.openSettings", "applyorder.path");
        break;
      case how:
        await vscode.commands.executeCommand("applyorder.walkthrough");
    }
  }

  private set(client: LanguageClient | undefined): void {
    this.client = client;
    this.follower.client = client;
    this.graph.client = client;
    this.follower.soon();
  }

  async stop(): Promise<void> {
    const stopping = this.client;
    this.set(undefined);
    this.status.read(undefined);
    await stopping?.dispose();
  }

  /** Ends the session. */
  end(): Promise<void> {
    return this.inTurn(() => this.stop());
  }

  /** Tells the server the settings as they are now. */
  private tell(): void {
    const now = { applyorder: settings(this.context.workspaceState) };
    void this.client?.sendNotification("workspace/didChangeConfiguration", { settings: now });
    this.follower.soon();
  }

  private async showGraph(uri?: string): Promise<void> {
    const document = uri
      ? await vscode.workspace.openTextDocument(vscode.Uri.parse(uri, true))
      : vscode.window.activeTextEditor?.document;
    if (document && isOurs(document)) this.graph.show(document);
    else void vscode.window.showInformationMessage("Open a file of a project to see its order.");
  }

  private async choose(what: Choice): Promise<void> {
    const memory = this.context.workspaceState;
    const now = memory.get<string[]>(what) ?? vscode.workspace.getConfiguration("applyorder").get<string[]>(what, []);
    const prompt =
      what === "environments"
        ? "Environments to analyze, separated by commas. Empty: none given, and each that is declared."
        : "Tags that a run is limited to, separated by commas. Empty: all.";
    const answer = await vscode.window.showInputBox({ title: `applyorder: ${what}`, prompt, value: now.join(", ") });
    if (answer === undefined) return;
    const chosen = answer.split(",").map((name) => name.trim()).filter((name) => name !== "");
    await memory.update(what, chosen.length > 0 ? chosen : undefined);
    this.tell();
  }

  private async menu(): Promise<void> {
    if (this.isMissing) return this.sayMissing();
    const entries = [
      ["$(type-hierarchy) Show graph", "applyorder.showGraph"],
      ["$(server-environment) Choose environments…", "applyorder.chooseEnvironments"],
      ["$(tag) Choose tags…", "applyorder.chooseTags"],
      ["$(output) Show log", "applyorder.showLog"],
      ["$(debug-restart) Restart server", "applyorder.restart"],
    ] as const;
    const items = entries.map(([label, command]) => ({ label, command }));
    const chosen = await vscode.window.showQuickPick(items, { title: "applyorder" });
    if (chosen) await vscode.commands.executeCommand(chosen.command);
  }
}

let session: Session | undefined;

export function activate(context: vscode.ExtensionContext): void {
  session = new Session(context);
}

export async function deactivate(): Promise<void> {
  await session?.end();
}
