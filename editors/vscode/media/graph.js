// The page of the picture: selection, keys, search, size. It has no network and no way to the files but messages.
"use strict";
(() => {
  const vscode = acquireVsCodeApi();
  const byId = (id) => document.getElementById(id);
  const stage = byId("stage");
  const find = byId("find");
  const followButton = byId("follow");
  let selected = null;
  let follow = true;
  let zoom = 0; // 0: as wide as the page, at most as large as it is
  let sheet = null;

  const svg = () => stage.querySelector("svg");
  const nodes = () => [...stage.querySelectorAll("[data-node]")];
  const node = (id) => nodes().find((one) => one.dataset.node === id);
  const edges = () => [...stage.querySelectorAll("[data-edge]")];

  // The policy of this page lets no text bring style or script along: what the picture says of style goes through the
  // style sheet's own interface, and everything that could act is left out.
  function clean(text) {
    const links = [];
    const parsed = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
    if (parsed.localName !== "svg") return null;
    for (const one of parsed.querySelectorAll("[data-node]")) {
      const link = one.closest("a");
      links.push({ id: one.dataset.node, link: link && (link.getAttribute("href") ?? link.getAttribute("xlink:href")) });
    }
    let style = "";
    for (const one of [...parsed.querySelectorAll("*")]) {
      if (one.localName === "style") {
        style += one.textContent;
        one.remove();
      } else if (["script", "foreignObject", "iframe", "image", "animate", "set"].includes(one.localName)) {
        one.remove();
      } else {
        for (const { name } of [...one.attributes]) {
          if (/^on/i.test(name) || /href$/i.test(name) || name === "style") one.removeAttribute(name);
        }
      }
    }
    return { picture: document.importNode(parsed, true), style, links };
  }

  function draw(text) {
    const cleaned = clean(text);
    if (!cleaned) return;
    const { scrollLeft, scrollTop } = stage;
    if (sheet === null) {
      sheet = new CSSStyleSheet();
      document.adoptedStyleSheets = [sheet];
    }
    // A theme is chosen by the editor, not by the system.
    sheet.replaceSync(cleaned.style.replace(/@media \(prefers-color-scheme:\s*dark\)\s*\{(?:[^{}]*\{[^{}]*\})*\s*\}/g, ""));
    stage.replaceChildren(cleaned.picture);
    size();
    stage.scrollTo(scrollLeft, scrollTop);
    vscode.postMessage({ type: "drawn", units: cleaned.links });
  }

  function size() {
    const picture = svg();
    if (!picture) return;
    const [, , width, height] = picture.getAttribute("viewBox").split(" ").map(Number);
    const scale = zoom || Math.min(1, stage.clientWidth / width);
    picture.setAttribute("width", width * scale);
    picture.setAttribute("height", height * scale);
  }

  function select(id, { scroll = false, focus = false } = {}) {
    selected = id !== null && node(id) ? id : null;
    stage.classList.toggle("chosen", selected !== null);
    const near = new Set([selected]);
    for (const edge of edges()) {
      const { before, after } = edge.dataset;
      const isNear = selected !== null && (before === selected || after === selected);
      edge.classList.toggle("near", isNear);
      if (isNear) near.add(before).add(after);
    }
    for (const one of nodes()) {
      one.classList.toggle("near", near.has(one.dataset.node));
      one.classList.toggle("selected", one.dataset.node === selected);
      one.setAttribute("aria-current", String(one.dataset.node === selected));
    }
    const at = selected === null ? null : node(selected);
    byId("bar").textContent = at?.getAttribute("aria-label") ?? "";
    if (scroll) at?.scrollIntoView({ block: "nearest", inline: "nearest" });
    if (focus) at?.focus({ preventScroll: !scroll });
  }

  const open = (id, go) => {
    if (id !== null) vscode.postMessage({ type: "open", id, go });
  };

  // Along the edges to the left and right; within a layer by where things are.
  function walk(key) {
    const here = selected === null ? null : node(selected);
    if (!here) {
      const first = nodes()[0];
      if (first) select(first.dataset.node, { scroll: true, focus: true });
      return;
    }
    const center = (one) => {
      const box = one.getBoundingClientRect();
      return [box.x + box.width / 2, box.y + box.height / 2];
    };
    const [x, y] = center(here);
    let among;
    if (key === "ArrowLeft" || key === "ArrowRight") {
      const [from, to] = key === "ArrowLeft" ? ["after", "before"] : ["before", "after"];
      const ids = new Set(edges().filter((e) => e.dataset[from] === selected).map((e) => e.dataset[to]));
      among = nodes().filter((one) => ids.has(one.dataset.node));
    } else {
      among = nodes().filter((one) => {
        const [otherX, otherY] = center(one);
        return Math.abs(otherX - x) < here.getBoundingClientRect().width / 2 && (key === "ArrowUp" ? otherY < y - 1 : otherY > y + 1);
      });
    }
    const distance = (one) => Math.abs(center(one)[1] - y);
    among.sort((a, b) => distance(a) - distance(b));
    if (among[0]) select(among[0].dataset.node, { scroll: true, focus: true });
  }

  function next(list) {
    if (list.length === 0) return;
    const at = list.findIndex((one) => one.dataset.node === selected);
    select(list[(at + 1) % list.length].dataset.node, { scroll: true, focus: true });
  }

  function setFollow(on, tell) {
    follow = on;
    followButton.setAttribute("aria-pressed", String(on));
    if (tell) vscode.postMessage({ type: "follow", on });
  }

  function help() {
    const keys = byId("keys");
    keys.hidden = !keys.hidden;
    byId("help").setAttribute("aria-expanded", String(!keys.hidden));
  }

  function scaleBy(factor) {
    const picture = svg();
    if (!picture) return;
    const width = Number(picture.getAttribute("viewBox").split(" ")[2]);
    const now = zoom || Math.min(1, stage.clientWidth / width);
    zoom = Math.min(4, Math.max(0.1, now * factor));
    size();
  }

  function fit() {
    zoom = 0;
    size();
  }

  document.addEventListener("keydown", (event) => {
    if (event.target === find) {
      if (event.key === "Enter") next(found());
      if (event.key === "Escape") {
        find.value = "";
        stage.focus();
      }
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const keys = {
      "/": () => find.focus(), f: () => setFollow(!follow, true), 0: fit, "+": () => scaleBy(1.25), "-": () => scaleBy(0.8),
      n: () => next(nodes().filter((one) => /\b(error|warning|cycle|unknown)\b/.test(one.getAttribute("class")))),
      l: () => stage.classList.toggle("chain-only"), i: () => stage.classList.toggle("no-implied"),
      Escape: () => select(null), Enter: () => open(selected, true), "?": help,
      ArrowLeft: () => walk("ArrowLeft"), ArrowRight: () => walk("ArrowRight"), ArrowUp: () => walk("ArrowUp"), ArrowDown: () => walk("ArrowDown"),
    };
    const act = keys[event.key];
    if (act) {
      act();
      event.preventDefault();
    }
  });
  const found = () => {
    const wanted = find.value.toLowerCase();
    return wanted === "" ? [] : nodes().filter((one) => one.textContent.toLowerCase().includes(wanted));
  };
  find.addEventListener("input", () => {
    const first = found()[0];
    select(first ? first.dataset.node : null, { scroll: true });
  });
  stage.addEventListener("click", (event) => {
    const at = event.target.closest("[data-node]");
    select(at ? at.dataset.node : null);
    if (at) open(at.dataset.node, false);
  });
  stage.addEventListener("dblclick", (event) => {
    const at = event.target.closest("[data-node]");
    if (at) open(at.dataset.node, true);
  });
  stage.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    scaleBy(event.deltaY < 0 ? 1.1 : 0.9);
    event.preventDefault();
  }, { passive: false });
  followButton.addEventListener("click", () => setFollow(!follow, true));
  byId("fit").addEventListener("click", fit);
  byId("help").addEventListener("click", help);
  window.addEventListener("resize", size);

  window.addEventListener("message", ({ data }) => {
    const said = byId("said");
    switch (data.type) {
      case "picture":
        said.hidden = true;
        setFollow(data.follow, false);
        draw(data.svg);
        select(selected);
        break;
      case "say":
        said.textContent = data.text;
        said.hidden = false;
        break;
      case "select":
        if (follow) select(data.id, { scroll: true });
        break;
    }
  });
  vscode.postMessage({ type: "ready" });
})();
