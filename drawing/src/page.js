// The page around a picture: search, zoom, keyboard, links. Runs on its own in a browser, or in an editor's panel
// (`host`), which sends new pictures and is told what to open. Uses no network; text from files is only ever inserted
// as text.
(() => {
  'use strict';
  const host = typeof acquireVsCodeApi === 'function' ? acquireVsCodeApi() : null;
  const stage = document.getElementById('stage');
  let data = { pictures: [], links: [] };
  let svg = null;
  let nodes = [];
  let edges = [];
  let base = { w: 1, h: 1 };
  let zoom = 1;
  let isFitted = true; // as large as the page has room for, until the user zooms
  let selected = null;
  let picked = null; // the ends of the selected edge
  let shown = '';
  let hits = [];
  let follow = true;

  const MOST_MEMBERS = 30; // More names of a folded box are only counted.
  const KEYS = [
    ['← →', 'along the edges'], ['↑ ↓', 'within a layer'], ['/', 'find'], ['n N', 'next, previous problem'],
    ['Enter', host ? 'go to the source; a click shows it' : 'open the source (or click again)'],
    ['l', 'longest chain only'], ['i', 'implied edges'], ['r', 'edges that others imply'], ['t', 'table'], ['+ - 0', 'zoom, all of it'],
    ...(host ? [['f', 'follow the cursor']] : []), ['Esc ?', 'clear, help'],
  ];

  function make(tag, text, parent, attributes = {}) {
    const el = document.createElement(tag);
    if (text) el.textContent = text;
    for (const [name, value] of Object.entries(attributes)) el.setAttribute(name, value);
    if (parent) parent.appendChild(el);
    return el;
  }
  function button(text, does, title, parent) {
    const el = make('button', text, parent, { type: 'button', title });
    el.addEventListener('click', does);
    return el;
  }
  function chooser(label) {
    const el = make('select', '', head, { 'aria-label': label, hidden: '' });
    el.addEventListener('change', () => host.postMessage({ type: 'run', operation: operation.value, environment: environment.value }));
    return el;
  }

  // What surrounds the picture.
  const head = make('header', '', null, { role: 'toolbar', 'aria-label': 'Picture' });
  if (!host) make('h1', document.title, head);
  const operation = host && chooser('Operation');
  const environment = host && chooser('Environment');
  const find = make('input', '', head, { id: 'find', type: 'search', placeholder: '/ find', 'aria-label': 'Find a unit' });
  const found = make('span', '', head, { id: 'found', role: 'status' });
  const followButton = host && button('◎ follow', () => setFollow(!follow, true), 'Follow the cursor (f)', head);
  button(host ? '!' : 'next problem', () => next(problems(), 1), 'Next problem (n)', head);
  button(host ? '☰' : 'table', showTable, 'Table (t)', head);
  button(host ? '⤢ fit' : 'fit', fitAll, 'All of it (0)', head);
  const helpButton = button('?', showHelp, 'Keys (?)', head);
  const said = make('p', '', null, { id: 'said', role: 'status', hidden: '' });
  document.body.insertBefore(head, stage);
  document.body.insertBefore(said, stage);
  const table = make('section', '', document.body, { id: 'table', hidden: '' });
  const help = make('aside', '', document.body, { id: 'help', hidden: '' });
  const keys = make('dl', '', help);
  for (const [key, does] of KEYS) {
    make('dt', key, keys);
    make('dd', does, keys);
  }
  const bar = make('div', '', make('footer', '', document.body), { id: 'bar', 'aria-live': 'polite' });

  function read(now) {
    data = now;
    nodes = [];
    edges = [];
    for (const picture of data.pictures) {
      for (const node of picture.nodes) nodes[node.id] = Object.assign(node, { picture, after: [], before: [] });
      for (const edge of picture.edges) {
        edges.push(edge);
        nodes[edge.from].after.push(edge.to);
        nodes[edge.to].before.push(edge.from);
      }
    }
    svg = stage.querySelector('svg.applyorder');
    base = { w: svg.viewBox.baseVal.width, h: svg.viewBox.baseVal.height };
    for (const el of svg.querySelectorAll('[data-node]')) {
      const node = nodes[Number(el.getAttribute('data-node'))];
      if (node) node.el = el;
    }
    for (const el of svg.querySelectorAll('[data-edge]')) {
      const edge = edges[Number(el.getAttribute('data-edge'))];
      if (!edge) continue;
      edge.el = el;
      // Suppress the editor's own menu here.
      if (host && isCuttable(edge)) {
        el.setAttribute('data-vscode-context', JSON.stringify({ applyorderCut: true, link: edge.place.link, preventDefaultContextMenuItems: true }));
      }
    }
    if (!table.hidden) fillTable();
  }

  function scale(to) {
    zoom = Math.min(4, Math.max(0.05, to));
    svg.style.width = base.w * zoom + 'px';
    svg.style.height = base.h * zoom + 'px';
    keepTitles();
  }
  // The title of a picture stays in view when it is scrolled sideways: its beginning above all, on two lines if it is
  // longer than the stage is wide.
  function keepTitles() {
    if (stage.hidden) return;
    const left = stage.scrollLeft / zoom;
    const room = stage.clientWidth / zoom - 2 * 16;
    for (const text of svg.querySelectorAll('.picture > .title, .picture > .lead')) {
      const lines = linesOf(text, room);
      const width = text.getBBox().width;
      const x = Math.max(0, width > room ? left : Math.min(left, base.w - 2 * 16 - width));
      for (const line of lines) line.setAttribute('x', x);
    }
  }
  function linesOf(text, room) {
    const said = text.dataset.said || text.textContent;
    if (text.dataset.room !== String(room)) {
      text.dataset.said = said;
      text.dataset.room = room;
      text.textContent = said;
      const letters = room / (text.getBBox().width / said.length);
      const parts = said.split(' · ');
      let first = parts.length;
      while (first > 1 && parts.slice(0, first).join(' · ').length > letters) first -= 1;
      const lines = [parts.slice(0, first).join(' · '), parts.slice(first).join(' · ')].filter(Boolean);
      if (text.classList.contains('lead') && lines.length > 1) {
        text.textContent = '';
        lines.forEach((line, n) => {
          const span = document.createElementNS(text.namespaceURI, 'tspan');
          // Copied text has a space in between.
          span.textContent = n === 0 ? line + ' ' : line;
          if (n > 0) span.setAttribute('dy', '1.15em');
          text.appendChild(span);
        });
      }
    }
    return text.childElementCount > 0 ? text.children : [text];
  }
  function zoomBy(factor) {
    isFitted = false;
    scale(zoom * factor);
  }
  // Never so small that names become unreadable: the rest is reached by scrolling.
  function fit() {
    if (isFitted && svg) scale(Math.min(1, Math.max(0.8, (stage.clientWidth - 4) / base.w)));
  }
  function fitAll() {
    isFitted = true;
    scale(Math.min(1, (stage.clientWidth - 4) / base.w, (stage.clientHeight - 4) / base.h));
  }

  // A join is an intermediate stop, not an end.
  function across(node, side) {
    const out = [];
    for (const id of node[side]) {
      const there = nodes[id];
      out.push(there);
      if (there.kind === 'join') for (const far of there[side]) out.push(nodes[far]);
    }
    return out;
  }
  const units = (list) => list.filter((n) => n && n.kind !== 'join');
  function names(list) {
    const all = units(list).map((n) => n.name);
    const shown = all.slice(0, 5);
    if (all.length > 5) shown.push(all.length - 5 + ' more');
    return shown.join(', ') || 'nothing';
  }

  function say(text) {
    bar.textContent = text;
  }
  function summary() {
    if (data.pictures.length <= 2) return data.pictures.map((p) => p.key + ': ' + p.summary).join(' · ');
    const ordered = data.pictures.filter((p) => p.ordered).length;
    const not = data.pictures.length - ordered;
    return data.pictures.length + ' projects, ' + ordered + ' with an order' + (not ? ', ' + not + ' without' : '');
  }
  // A place as a link: the host opens it, a page follows it.
  function placeLink(place, parent, does) {
    const text = place.path + ':' + place.line;
    const el = make(place.link ? 'a' : 'span', text, parent);
    if (!place.link) return;
    el.href = host ? '#' : place.link;
    if (host) el.addEventListener('click', (event) => { event.preventDefault(); does(); });
  }

  function unmark() {
    for (const el of svg.querySelectorAll('.selected,.near')) el.classList.remove('selected', 'near');
  }
  function select(id, { quiet = false, scroll = true, focus = false } = {}) {
    unmark();
    selected = id;
    picked = null;
    svg.classList.toggle('picked', id !== null);
    bar.textContent = '';
    if (id === null) {
      say(summary());
      return;
    }
    const node = nodes[id];
    node.el.classList.add('selected');
    for (const n of across(node, 'after').concat(across(node, 'before'))) n.el && n.el.classList.add('near');
    const isNear = (end) => end === id || (nodes[end].kind === 'join' && nodes[end].el && nodes[end].el.classList.contains('near'));
    for (const edge of edges) {
      const near = edge.from === id || edge.to === id || isNear(edge.from) || isNear(edge.to);
      if (near && edge.el) edge.el.classList.add('near');
    }
    make('strong', node.name, bar);
    make('span', ' · ' + node.picture.columns[node.column].words + (node.later ? ' or later' : ''), bar);
    make('span', ' · after ' + names(across(node, 'after')), bar);
    make('span', ' · before ' + names(across(node, 'before')), bar);
    if (node.members) {
      const more = node.members.length - MOST_MEMBERS;
      const some = node.members.slice(0, MOST_MEMBERS).join(', ');
      make('span', ' · ' + some + (more > 0 ? ', ' + more + ' more' : ''), bar);
    }
    for (const link of data.links.filter((l) => l.from === id)) {
      const there = data.pictures[link.to];
      make('span', ' · runs ' + there.key + ' (' + there.summary + ')', bar);
    }
    if (node.place) {
      make('span', ' · ', bar);
      placeLink(node.place, bar, () => open(node, true));
    }
    if (scroll) {
      // In a cycle, with the labels of its edges, which include the one to cut.
      const ring = edges.filter((edge) => edge.el && edge.ring !== null && (edge.from === id || edge.to === id));
      for (const { el } of [...ring, node]) el.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    }
    if (focus) node.el.focus({ preventScroll: true });
    if (!quiet && !host && node.kind === 'unit') history.replaceState(null, '', '#unit=' + encodeURIComponent(node.name));
  }

  const isCuttable = (edge) => edge.ring !== null && edge.place !== null && edge.place.link !== null;
  function pickEdge(edge, quiet = false) {
    unmark();
    selected = null;
    picked = [nodes[edge.from].name, nodes[edge.to].name];
    svg.classList.add('picked');
    edge.el.classList.add('near');
    for (const end of [edge.from, edge.to]) nodes[end].el.classList.add('near');
    bar.textContent = '';
    make('span', edge.el.querySelector('title').textContent, bar);
    if (edge.place) {
      make('span', ' · ', bar);
      placeLink(edge.place, bar, () => host.postMessage({ type: 'open', link: edge.place.link, go: true }));
    }
    if (host && isCuttable(edge)) {
      make('span', ' ', bar);
      button('Cut here', () => host.postMessage({ type: 'cut', link: edge.place.link }), 'Take this entry away: it breaks the cycle', bar);
    }
    if (host && !quiet && edge.place && edge.place.link) host.postMessage({ type: 'open', link: edge.place.link, go: false });
  }

  function open(node, go) {
    if (!node.place || !node.place.link) return;
    if (host) host.postMessage({ type: 'open', link: node.place.link, go });
    else window.location.href = node.place.link;
  }

  const byName = (name) => units(nodes).find((n) => n.name === name || (n.members && n.members.includes(name)));
  const byPlace = (link) => units(nodes).find((n) => n.place && n.place.link === link);
  function fromHash() {
    const match = /^#unit=(.*)$/.exec(window.location.hash);
    if (!match) return;
    let name = match[1];
    try { name = decodeURIComponent(name); } catch { return; }
    const node = byName(name);
    if (node) select(node.id, { quiet: true });
  }

  function search() {
    const text = find.value.toLowerCase();
    const says = (n) => [n.name].concat(n.members || [], n.tags || []).join('\n').toLowerCase().includes(text);
    hits = text ? units(nodes).filter(says) : [];
    for (const el of svg.querySelectorAll('.match')) el.classList.remove('match');
    for (const n of hits) n.el.classList.add('match');
    found.textContent = text ? hits.length + ' found' : '';
    if (hits.length) select(hits[0].id, { quiet: true });
    else select(null);
  }

  function next(list, step) {
    if (!list.length) return;
    const at = list.findIndex((n) => n.id === selected);
    select(list[(at < 0 && step < 0 ? list.length - 1 : at + step + list.length) % list.length].id, { focus: true });
  }
  const problems = () => nodes.filter((n) => n && (n.cycle || n.finding || n.kind === 'unknown'));
  function beside(step) {
    const here = nodes[selected];
    const column = units(nodes).filter((n) => n.picture === here.picture && n.column === here.column);
    const top = (n) => n.el.getBoundingClientRect().top;
    next(column.sort((a, b) => top(a) - top(b)), step);
  }
  function along(side) {
    const there = units(across(nodes[selected], side)).sort((a, b) => Number(b.chain) - Number(a.chain));
    if (there.length) select(there[0].id, { focus: true });
  }

  function fillTable() {
    table.textContent = '';
    for (const picture of data.pictures) {
      const el = make('table', '', table);
      make('caption', picture.key + ': ' + picture.summary, el);
      const row = make('tr', '', make('thead', '', el));
      for (const text of ['layer', 'unit', 'waits for', 'place']) make('th', text, row, { scope: 'col' });
      const body = make('tbody', '', el);
      for (const node of units(picture.nodes)) {
        const line = make('tr', '', body);
        make('td', picture.columns[node.column].title + (node.later ? ' or later' : ''), line);
        make('th', (node.cycle ? '↻ ' : '') + node.name, line, { scope: 'row' });
        make('td', names(across(node, 'after')), line);
        const cell = make('td', '', line);
        if (node.place) placeLink(node.place, cell, () => open(node, true));
      }
    }
  }
  function showTable() {
    table.hidden = !table.hidden;
    stage.hidden = !table.hidden;
    if (!table.hidden) fillTable();
  }
  function showHelp() {
    help.hidden = !help.hidden;
    helpButton.setAttribute('aria-expanded', String(!help.hidden));
  }
  function setFollow(on, tell) {
    if (!host) return;
    follow = on;
    followButton.setAttribute('aria-pressed', String(on));
    if (tell) host.postMessage({ type: 'follow', on });
  }

  const toggle = (name) => () => svg.classList.toggle(name);
  const acts = {
    '/': () => find.focus(), 0: fitAll, '+': () => zoomBy(1.25), '=': () => zoomBy(1.25), '-': () => zoomBy(0.8),
    l: toggle('only-chain'), i: toggle('no-implied'), r: toggle('show-needless'), t: showTable, '?': showHelp,
    f: () => setFollow(!follow, true), n: () => next(problems(), 1), N: () => next(problems(), -1),
    Escape: () => { help.hidden = true; select(null); },
    ArrowLeft: () => along('after'), ArrowRight: () => along('before'), ArrowUp: () => beside(-1), ArrowDown: () => beside(1),
  };
  function key(event) {
    if (event.target === find) {
      if (event.key === 'Escape') { find.value = ''; search(); find.blur(); }
      if (event.key === 'Enter') next(hits, event.shiftKey ? -1 : 1);
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || !svg || event.target.closest('select')) return;
    const edge = event.target.closest('[data-edge]');
    if (event.key === 'Enter') {
      if (edge) pickEdge(edges[Number(edge.getAttribute('data-edge'))]);
      else if (event.target.closest('a[href="#"],button') || selected === null) return;
      else open(nodes[selected], true);
    } else if (selected === null && event.key.startsWith('Arrow')) {
      const first = units(nodes)[0];
      if (first) select(first.id, { focus: true });
    } else if (Object.hasOwn(acts, event.key)) {
      acts[event.key]();
    } else {
      return;
    }
    event.preventDefault();
  }

  function clicked(event) {
    const el = event.target.closest('[data-node],[data-edge]');
    if (!svg) return;
    if (!el) {
      select(null);
      return;
    }
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    if (el.hasAttribute('data-edge')) {
      pickEdge(edges[Number(el.getAttribute('data-edge'))]);
      return;
    }
    const id = Number(el.getAttribute('data-node'));
    const again = id === selected;
    if (!again) select(id, { focus: true, scroll: false });
    if (host) open(nodes[id], false);
    else if (again) open(nodes[id], true);
  }

  // Boxes move to their new positions so that the eye can follow.
  function move(from) {
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) return;
    for (const node of units(nodes)) {
      const was = from.get(node.name);
      if (!was || !node.el) continue;
      const is = node.el.getBoundingClientRect();
      const [x, y] = [(was.x - is.x) / zoom, (was.y - is.y) / zoom];
      if (x || y) node.el.animate([{ transform: 'translate(' + x + 'px,' + y + 'px)' }, { transform: 'none' }], 150);
    }
  }
  const projects = () => data.pictures.map((p) => [p.engine, p.root, p.key].join(' ')).join('\n');
  function show(message) {
    said.hidden = true;
    setFollow(message.follow, false);
    if (message.svg === shown) return;
    shown = message.svg;
    const drawn = new DOMParser().parseFromString(message.svg, 'image/svg+xml').documentElement;
    if (drawn.localName !== 'svg') return;
    // The panel's style sheets provide the style, and the host opens links.
    for (const el of drawn.querySelectorAll('style')) el.remove();
    for (const el of drawn.querySelectorAll('a')) el.removeAttribute('href');
    const name = selected === null ? null : nodes[selected].name;
    const was = new Map(units(nodes).filter((n) => n.el).map((n) => [n.name, n.el.getBoundingClientRect()]));
    const { scrollLeft, scrollTop } = stage;
    const about = projects();
    const classes = svg ? [...svg.classList] : [];
    stage.replaceChildren(document.importNode(drawn, true));
    read(message.data);
    svg.classList.add(...classes);
    if (isFitted) fit();
    else scale(zoom);
    // Another project is shown from its start.
    if (about === projects()) stage.scrollTo(scrollLeft, scrollTop);
    else stage.scrollTo(0, 0);
    move(was);
    choices(operation, ['apply', 'delete'], message.operation);
    choices(environment, message.environments, message.environment);
    const ends = picked;
    const edge = ends && edges.find((e) => e.el && nodes[e.from].name === ends[0] && nodes[e.to].name === ends[1]);
    const again = name === null ? null : byName(name);
    if (edge) pickEdge(edge, true);
    else select(again ? again.id : null, { quiet: true, scroll: false });
  }
  function choices(el, all, chosen) {
    el.hidden = all.length < 2;
    el.replaceChildren();
    for (const name of all) make('option', name || 'no environment', el, { value: name || '' });
    el.value = chosen || all[0] || '';
  }

  stage.addEventListener('scroll', keepTitles);
  stage.addEventListener('click', clicked);
  stage.addEventListener('dblclick', (event) => {
    const el = event.target.closest('[data-node]');
    if (el && host) open(nodes[Number(el.getAttribute('data-node'))], true);
  });
  stage.addEventListener('focusin', (event) => {
    const el = event.target.closest('[data-node]');
    if (el && el.matches(':focus-visible')) select(Number(el.getAttribute('data-node')), { quiet: true });
  });
  stage.addEventListener('wheel', (event) => {
    if (!event.ctrlKey || !svg) return;
    event.preventDefault();
    zoomBy(event.deltaY < 0 ? 1.1 : 1 / 1.1);
  }, { passive: false });
  document.addEventListener('keydown', key);
  find.addEventListener('input', search);
  window.addEventListener('resize', fit);
  if (host) {
    window.addEventListener('message', ({ data: message }) => {
      if (message.type === 'show') show(message);
      if (message.type === 'say') { said.textContent = message.text; said.hidden = false; }
      if (message.type === 'select' && follow && svg) {
        const node = byPlace(message.link) || byName(message.name);
        // A click on an edge moves the cursor to where it is written, in one of the units that it connects.
        const isEnd = node && picked && picked.includes(node.name);
        if (node && !isEnd) select(node.id, { quiet: true });
      }
    });
    host.postMessage({ type: 'ready' });
  } else {
    window.addEventListener('hashchange', fromHash);
    read(JSON.parse(document.getElementById('data').textContent));
    fit();
    select(null);
    fromHash();
  }
})();
