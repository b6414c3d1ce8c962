import * as vscode from "vscode";
import type { OrderItem, OrderState } from "./order";

const groups = [
  ["after", "Runs after", "arrow-up"],
  ["beside", "Runs beside", "arrow-both"],
  ["before", "Runs before", "arrow-down"],
] as const;
type Group = (typeof groups)[number];
type Node = { group: Group } | { item: OrderItem } | { more: number };

/** The view Order: what runs after, beside and before the unit at the cursor. */
export class OrderTree implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;
  private state: OrderState | undefined;
  // Reads the event above at once.
  private readonly view = vscode.window.createTreeView<Node>("applyorder.orderView", { treeDataProvider: this });

  show(state: OrderState | undefined): void {
    this.state = state;
    const at = state?.at?.[0];
    this.view.description = at ? at.name : "";
    this.view.message = state && !at ? "Put the cursor on a unit or on a reference to one." : undefined;
    this.changed.fire();
  }

  getChildren(parent?: Node): Node[] {
    if (!parent) return this.state?.at?.length ? this.groups().map((group) => ({ group })) : [];
    if (!("group" in parent)) return [];
    const items: Node[] = this.items(parent.group).map((item) => ({ item }));
    const more = this.more(parent.group);
    return more > 0 ? [...items, { more }] : items;
  }

  /** What runs in parallel with a unit is unknown if there are no layers. */
  private groups(): Group[] {
    return groups.filter(([list]) => list !== "beside" || this.state?.standing === "layers");
  }

  private items([list]: Group): OrderItem[] {
    return this.state?.[list] ?? [];
  }

  private more([list]: Group): number {
    return this.state?.more?.[list] ?? 0;
  }

  getTreeItem(node: Node): vscode.TreeItem {
    if ("group" in node) {
      const [, label, icon] = node.group;
      const count = this.items(node.group).length + this.more(node.group);
      const open = count > 0 ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.None;
      const item = new vscode.TreeItem(label, open);
      item.description = count > 0 ? String(count) : "nothing";
      item.iconPath = new vscode.ThemeIcon(icon);
      return item;
    }
    if ("more" in node) return new vscode.TreeItem(`${node.more} more`);
    const { name, detail, uri, range } = node.item;
    const item = new vscode.TreeItem(name);
    item.description = detail;
    item.tooltip = `${name}\n${detail}`;
    item.command = { command: "applyorder.reveal", title: "Go to", arguments: [uri, range] };
    return item;
  }

  dispose(): void {
    this.view.dispose();
    this.changed.dispose();
  }
}
