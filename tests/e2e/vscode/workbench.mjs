// VS Code's window in a Chromium, for tests and recordings.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { chromium } from "playwright-core";

/** A window of the code-server at `url` on the folder `workspace`; `close` it in the end. */
export async function workbench(url, workspace, viewport = { width: 1200, height: 720 }) {
  const profile = mkdtempSync(join(tmpdir(), "applyorder-chromium-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    headless: true,
    viewport,
    args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
      "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
  const page = context.pages()[0] ?? (await context.newPage());
  page.setDefaultTimeout(90000);

  return {
    page,

    /**
     * The workbench opens the file itself: typing into quick-open would race with its start. Returns once the file is the
     * one that is shown; before that, it shows the files that were open when the page was left.
     */
    async openFile(file, folder = workspace) {
      const uri = `vscode-remote://${new URL(url).host}${join(folder, file)}`;
      const query = new URLSearchParams({ folder, payload: JSON.stringify([["openFile", uri]]) });
      await page.goto(`${url}/?${query}`, { waitUntil: "domcontentloaded" });
      await page.waitForSelector(`.part.editor .tab.active[data-resource-name="${basename(file)}"]`);
      await page.waitForSelector(`.part.editor .monaco-editor[data-uri$="/${file}"] .view-lines .view-line`);
    },

    async openProblems() {
      await page.keyboard.press("Control+Shift+M");
      await page.waitForSelector(".markers-panel .monaco-list-row");
    },

    /** The rows of the Problems panel, each as one line of text; only those in sight are there to be read. */
    async problems() {
      const found = new Set();
      // With the mouse wheel: keys would open the entries that they reach.
      await page.locator(".markers-panel .monaco-list").first().hover();
      for (const pixels of [-5000, 120, 120, 120, 120, -5000]) {
        await page.mouse.wheel(0, pixels);
        await page.waitForTimeout(150);
        for (const row of await page.locator(".markers-panel .monaco-list-row").allInnerTexts()) {
          found.add(row.replace(/\s+/g, " ").trim());
        }
      }
      return [...found];
    },

    /** Where `word` is first shown in the editor. */
    word(word) {
      return page.locator(".view-lines .view-line span span", { hasText: new RegExp(`^\\s*${word}\\s*$`) }).first();
    },

    /** Puts the cursor on `word`. If a lens that appears meanwhile moves the text, it clicks again. */
    async putCursorOn(word) {
      const at = this.word(word);
      const cursor = page.locator(".part.editor .monaco-editor .cursors-layer .cursor").first();
      for (const end = Date.now() + 30000; ; await page.waitForTimeout(200)) {
        await at.click();
        await page.waitForTimeout(200);
        const [text, caret] = [await at.boundingBox(), await cursor.boundingBox()];
        if (text && caret && Math.abs(text.y - caret.y) < text.height / 2 && caret.x >= text.x - 2 && caret.x <= text.x + text.width + 2) return;
        if (Date.now() > end) throw new Error(`the cursor is not on ${word}: ${JSON.stringify({ text, caret })}`);
      }
    },

    /** Hovers over `word` until the popup contains `text`; returns its whole text. */
    async hover(word, text) {
      const popup = page.locator(".monaco-hover:visible .hover-contents", { hasText: text }).first();
      for (let attempt = 1; ; attempt++) {
        await page.mouse.move(640, 20);
        await this.word(word).hover();
        try {
          await popup.waitFor({ timeout: 8000 });
          return (await page.locator(".monaco-hover:visible").first().innerText()).trim();
        } catch (error) {
          if (attempt === 5) throw error;
        }
      }
    },

    /** Runs a command by its title, as from the palette, which lists it once the extension has enabled it. */
    async command(title) {
      const row = page.locator(".quick-input-list .monaco-list-row.focused", { hasText: title }).first();
      for (let attempt = 1; ; attempt++) {
        // A window that is still busy misses the key.
        await page.keyboard.press("F1");
        try {
          await page.locator(".quick-input-widget input[type=text]").fill(`>${title}`, { timeout: 8000 });
          await row.waitFor({ timeout: 3000 });
          break;
        } catch (error) {
          if (attempt === 10) throw error;
          await page.keyboard.press("Escape");
        }
      }
      await page.keyboard.press("Enter");
    },

    /** Hides the panel below the editor. */
    async hidePanel() {
      const panel = page.locator(".part.panel");
      if (!(await panel.isVisible())) return;
      await page.keyboard.press("Control+j");
      await panel.waitFor({ state: "hidden" });
    },

    /** Does something while the side bar is hidden, which leaves more room. */
    async withoutSideBar(what) {
      const bar = page.locator(".part.sidebar");
      await this.command("View: Toggle Primary Side Bar Visibility");
      await bar.waitFor({ state: "hidden" });
      const done = await what();
      await this.command("View: Toggle Primary Side Bar Visibility");
      await bar.waitFor({ state: "visible" });
      return done;
    },

    /** Checks a row of a multi-select list. */
    async pick(text) {
      await this.quickRow(text).click();
    },

    /** A row of the open quick pick. */
    quickRow(text) {
      return page.locator(".quick-input-list .monaco-list-row", { hasText: text }).first();
    },

    /** Types into the open quick pick, and accepts the first row. */
    async type(text) {
      const before = await page.locator(".quick-input-title").innerText();
      await page.locator(".quick-input-widget input[type=text]").fill(text);
      await page.locator(".quick-input-list .monaco-list-row.focused", { hasText: text }).first().waitFor();
      await page.keyboard.press("Enter");
      await page.waitForFunction((was) => document.querySelector(".quick-input-title")?.textContent !== was, before);
    },

    /** Opens another file of the folder from the explorer. */
    async switchTo(file) {
      await page.locator(".explorer-folders-view .monaco-list-row", { hasText: file }).first().dblclick();
      await page.waitForSelector(`.part.editor .tab.active[data-resource-name="${file}"]`);
    },

    /** Opens another file of the folder by its path, once the workbench is there. */
    async quickOpen(file) {
      await page.keyboard.press("Control+p");
      const input = page.locator(".quick-input-widget input[type=text]");
      await input.waitFor();
      await input.fill(file);
      await page.locator(".quick-input-list .monaco-list-row.focused", { hasText: basename(file) }).first().waitFor();
      await page.keyboard.press("Enter");
      await page.waitForSelector(`.part.editor .monaco-editor[data-uri$="/${file}"] .view-lines .view-line`);
    },

    /** The rows of the view Order, once `unit` is below `heading`. */
    async orderOf(unit, heading) {
      const view = page.locator(".pane", { hasText: "Order" });
      const rows = view.locator(".monaco-list-row");
      for (const end = Date.now() + 30000; ; await page.waitForTimeout(100)) {
        const texts = (await rows.allInnerTexts()).map((row) => row.replace(/\s+/g, " ").trim());
        const from = texts.findIndex((row) => row.startsWith(heading));
        const until = texts.findIndex((row, at) => at > from && row.startsWith("Runs "));
        if (from >= 0 && texts.slice(from, until < 0 ? undefined : until).some((row) => row.startsWith(unit))) return texts;
        if (Date.now() > end) throw new Error(`${unit} is not below ${heading}: ${JSON.stringify([texts, await view.allInnerTexts()])}`);
      }
    },

    /** Gives the views at the foot of the side bar more room, from the header of the first of them on. */
    async raise(pane, pixels) {
      const { x, y } = await page.locator(".part.sidebar .pane-header", { hasText: pane }).first().boundingBox();
      await page.mouse.move(x + 60, y);
      await page.mouse.down();
      await page.mouse.move(x + 60, y - pixels, { steps: 10 });
      await page.mouse.up();
      // The dragged element is highlighted while the mouse is on it.
      await page.mouse.move(640, 20);
      await page.locator(".monaco-sash.hover").waitFor({ state: "detached" });
      await page.waitForTimeout(500);
    },

    /** Waits for an item of the status bar with a text. */
    async status(text) {
      const item = page.locator(".statusbar-item", { hasText: text }).first();
      await item.waitFor({ timeout: 30000 });
      return (await item.innerText()).trim();
    },

    /** The page of a webview that has an element. */
    async webview(selector) {
      for (const end = Date.now() + 60000; Date.now() < end; await page.waitForTimeout(200)) {
        for (const frame of page.frames()) {
          if (await frame.locator(selector).count().catch(() => 0)) return frame;
        }
      }
      throw new Error(`no webview has ${selector}`);
    },

    /** The texts of the open notifications. */
    async notifications() {
      return page.locator(".notification-toast .notification-list-item-message").allInnerTexts();
    },

    async close() {
      await context.close();
      rmSync(profile, { recursive: true, force: true });
    },
  };
}
