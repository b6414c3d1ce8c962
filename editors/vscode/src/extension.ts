import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { type Choice, type Commands, type Selection, newClient, program, settings } from "./client";
import { GraphPanel } from "./graph";
import { showList, showWhy } from "./lists";
import { OrderFollower, type OrderItem, reveal } from "./order";
import { isOurs, whenFound } from "./project";
import { StatusItem } from "./status";
import { OrderTree } from "./tree";

/** What `applyorder/graph` says of a project, as far as it is chosen from. */
interface Contents {
  environments: (string | null)[];
  data: { pictures: { nodes: { tags?: string[] }[] }[] };
}

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
  private at: string | undefined;
  private readonly known: Record<Choice, Set<string>> = { environments: new Set(), tags: new Set(), noTags: new Set() };
  private readonly shown: Commands = { graph: (uri) => this.showGraph(uri), list: showList };

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
        this.at = told.state?.at?.[0]?.name;
        this.status.show(told.state);
        this.tree.show(told.state);
        graph.follow(told);
        void vscode.commands.executeCommand("setContext", "applyorder.inProject", told.state !== undefined);
      }),
      vscode.commands.registerCommand("applyorder.restart", () => this.restart()),
      vscode.commands.registerCommand("applyorder.showLog", () => this.log.show()),
      vscode.commands.registerCommand("applyorder.showGraph", (uri?: string) => this.showGraph(uri)),
      vscode.commands.registerCommand("applyorder.chooseOperation", () => this.chooseOperation()),
      vscode.commands.registerCommand("applyorder.whyBefore", () => this.showWhy()),
      vscode.commands.registerCommand("applyorder.cutHere", (edge?: { link?: string }) => edge?.link && this.graph.cut(edge.link)),
      vscode.commands.registerCommand("applyorder.reveal", (uri: string, range: OrderItem["range"]) => reveal(uri, range)),
      vscode.commands.registerCommand("applyorder.chooseEnvironments", () => this.choose("environments")),
      vscode.commands.registerCommand("applyorder.chooseTags", () => this.choose("tags")),
      vscode.commands.registerCommand("applyorder.chooseNoTags", () => this.choose("noTags")),
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
    // The user who asks for it gets it, project or not; a setting alone starts nothing.
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
    const starting = newClient(command, this.log, this.context.workspaceState, this.status, this.shown);
    try {
      starting.onNotification("applyorder/status", (now: { selection: Selection }) => this.status.limit(now.selection));
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
    void vscode.commands.executeCommand("setContext", "applyorder.running", client !== undefined);
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

  private async chooseOperation(): Promise<void> {
    const document = vscode.window.activeTextEditor?.document;
    if (document && isOurs(document)) await this.graph.chooseOperation(document);
    else void vscode.window.showInformationMessage("Open a file of a project to see its order.");
  }

  private async showWhy(): Promise<void> {
    const document = vscode.window.activeTextEditor?.document;
    if (this.client && document && isOurs(document)) await showWhy(this.client, document, this.at);
    else void vscode.window.showInformationMessage("Open a file of a project to see what waits for what.");
  }

  /** What there is to choose from, as the picture of the project in front has it. */
  private async choices(what: Choice): Promise<Set<string>> {
    const known = this.known[what];
    const document = vscode.window.activeTextEditor?.document;
    if (!this.client || !document || !isOurs(document)) return known;
    const asked = { textDocument: { uri: this.client.code2ProtocolConverter.asUri(document.uri) }, format: "json" };
    const answer = await this.client.sendRequest<Contents | null>("applyorder/graph", asked).catch(() => null);
    const nodes = answer?.data.pictures.flatMap((picture) => picture.nodes) ?? [];
    const names = what === "environments" ? (answer?.environments ?? []) : nodes.flatMap((node) => node.tags ?? []);
    for (const name of names) if (name) known.add(name);
    return known;
  }

  private async choose(what: Choice): Promise<void> {
    const memory = this.context.workspaceState;
    const configured = vscode.workspace.getConfiguration("applyorder").get<string[]>(what, []);
    const now = new Set(memory.get<string[]>(what) ?? configured);
    const all = [...new Set([...(await this.choices(what)), ...now])].sort();
    const meaning = {
      environments: "Environments to analyze; none: no environment is given, and each that is declared",
      tags: "Tags that a run is limited to; none: all units",
      noTags: "Tags that a run excludes",
    }[what];
    const other = { label: "$(edit) Others…", alwaysShow: true };
    const items = [...all.map((label) => ({ label, picked: now.has(label) })), other];
    const picked = await vscode.window.showQuickPick(items, { title: `applyorder: ${what}`, placeHolder: meaning, canPickMany: true });
    if (!picked) return;
    let chosen = picked.filter((item) => item !== other).map((item) => item.label);
    if (picked.includes(other)) {
      const typed = await vscode.window.showInputBox({ title: `applyorder: ${what}`, prompt: `${meaning}, separated by commas`, value: chosen.join(", ") });
      if (typed === undefined) return;
      chosen = typed.split(",").map((name) => name.trim()).filter((name) => name !== "");
    }
    await memory.update(what, chosen.length > 0 ? chosen : undefined);
    for (const name of chosen) this.known[what].add(name);
    const selection = { [what]: chosen.length > 0 ? chosen : configured };
    await this.client?.sendRequest("workspace/executeCommand", { command: "applyorder.select", arguments: [selection] });
    this.follower.soon();
  }

  private async menu(): Promise<void> {
    if (this.isMissing) return this.sayMissing();
    const entries = [
      ["$(type-hierarchy) Show graph", "applyorder.showGraph"],
      ["$(list-ordered) Why does one unit wait for another…", "applyorder.whyBefore"],
      ["$(arrow-swap) Choose operation…", "applyorder.chooseOperation"],
      ["$(server-environment) Choose environments…", "applyorder.chooseEnvironments"],
      ["$(tag) Choose tags…", "applyorder.chooseTags"],
      ["$(circle-slash) Choose tags to exclude…", "applyorder.chooseNoTags"],
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
