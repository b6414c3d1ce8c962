(function () {
  'use strict';
  var host = typeof acquireVsCodeApi === 'function' ? acquireVsCodeApi() : null;
  var stage = document.getElementById('stage');
  var table = document.getElementById('table');
  var bar = document.getElementById('bar');
  var find = document.getElementById('find');
  var found = document.getElementById('found');
  var help = document.getElementById('help');
  var data, svg, nodes, edges, base, zoom = 1, selected = null, hits = [], follow = true;

  function make(tag, text, parent) {
    var el = document.createElement(tag);
    if (text !== undefined) el.textContent = text;
    if (parent) parent.appendChild(el);
    return el;
  }

  function read(text) {
    data = JSON.parse(text);
    nodes = [];
    edges = [];
    data.pictures.forEach(function (picture) {
      picture.nodes.forEach(function (node) {
        node.picture = picture;
        node.after = [];
        node.before = [];
        nodes[node.id] = node;
      });
      picture.edges.forEach(function (edge) {
        edges.push(edge);
        nodes[edge.from].after.push(edge.to);
        nodes[edge.to].before.push(edge.from);
      });
    });
    svg = stage.querySelector('svg.applyorder');
    base = { w: svg.viewBox.baseVal.width, h: svg.viewBox.baseVal.height };
    Array.prototype.forEach.call(svg.querySelectorAll('[data-node]'), function (el) {
      var node = nodes[Number(el.getAttribute('data-node'))];
      if (node) node.el = el;
    });
    Array.prototype.forEach.call(svg.querySelectorAll('[data-edge]'), function (el) {
      var edge = edges[Number(el.getAttribute('data-edge'))];
      if (edge) edge.el = el;
    });
    if (!table.hidden) fillTable();
  }

  function scale(to) {
    zoom = Math.min(4, Math.max(0.05, to));
    svg.style.width = base.w * zoom + 'px';
    svg.style.height = base.h * zoom + 'px';
  }

  function fit() {
    scale(Math.min(1, (stage.clientWidth - 4) / base.w, (stage.clientHeight - 4) / base.h));
  }

  // A join is on the way, not an end.
  function across(node, side) {
    var out = [];
    node[side].forEach(function (id) {
      var there = nodes[id];
      if (there.kind === 'join') {
        out.push(there);
        there[side].forEach(function (far) { out.push(nodes[far]); });
      } else {
        out.push(there);
      }
    });
    return out;
  }

  function names(list) {
    var units = list.filter(function (n) { return n.kind !== 'join'; });
    var shown = units.slice(0, 5).map(function (n) { return n.name; });
    if (units.length > 5) shown.push(units.length - 5 + ' more');
    return shown.join(', ') || 'nothing';
  }

  function select(id, options) {
    options = options || {};
    Array.prototype.forEach.call(svg.querySelectorAll('.selected,.near'), function (el) {
      el.classList.remove('selected', 'near');
    });
    selected = id;
    svg.classList.toggle('picked', id !== null);
    bar.textContent = '';
    if (id === null) {
      say(data.pictures.map(function (p) { return p.key + ': ' + p.summary; }).join(' · '));
      return;
    }
    var node = nodes[id];
    node.el.classList.add('selected');
    across(node, 'after').concat(across(node, 'before')).forEach(function (n) {
      if (n.el) n.el.classList.add('near');
    });
    edges.forEach(function (edge) {
      var near = edge.from === id || edge.to === id ||
        (nodes[edge.from].kind === 'join' && nodes[edge.from].el.classList.contains('near')) ||
        (nodes[edge.to].kind === 'join' && nodes[edge.to].el.classList.contains('near'));
      if (near && edge.el) edge.el.classList.add('near');
    });
    make('strong', node.name, bar);
    make('span', ' · ' + node.picture.columns[node.column].words, bar);
    make('span', ' · after ' + names(across(node, 'after')), bar);
    make('span', ' · before ' + names(across(node, 'before')), bar);
    if (node.members) make('span', ' · ' + node.members.slice(0, 30).join(', '), bar);
    if (node.place) {
      make('span', ' · ', bar);
      var place = make(node.place.link || host ? 'a' : 'span', node.place.path + ':' + node.place.line, bar);
      if (node.place.link) place.href = node.place.link;
      if (host) place.addEventListener('click', function (event) { event.preventDefault(); open(node); });
    }
    if (options.scroll !== false) node.el.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    if (options.focus) node.el.focus({ preventScroll: true });
    if (!options.quiet && !host && node.kind === 'unit') {
      history.replaceState(null, '', '#unit=' + encodeURIComponent(node.name));
    }
    if (!options.quiet && host) tell(node, true);
  }

  function say(text) { bar.textContent = text; }

  function tell(node, keep) {
    if (node.place) host.postMessage({ type: 'reveal', unit: node.name, place: node.place, keepFocus: keep });
  }

  function open(node) {
    if (host) tell(node, false);
    else if (node.place && node.place.link) window.location.href = node.place.link;
  }

  function byName(name) {
    return nodes.filter(function (n) {
      return n && n.kind !== 'join' && (n.name === name || (n.members && n.members.indexOf(name) >= 0));
    })[0];
  }

  function fromHash() {
    var match = /^#unit=(.*)$/.exec(window.location.hash);
    if (!match) return;
    var name = match[1];
    try { name = decodeURIComponent(name); } catch (e) { return; }
    var node = byName(name);
    if (node) select(node.id, { quiet: true });
  }

  function search() {
    var text = find.value.toLowerCase();
    hits = !text ? [] : nodes.filter(function (n) {
      if (!n || n.kind === 'join') return false;
      var all = [n.name].concat(n.members || [], n.tags || []).join('\n').toLowerCase();
      return all.indexOf(text) >= 0;
    });
    Array.prototype.forEach.call(svg.querySelectorAll('.match'), function (el) { el.classList.remove('match'); });
    hits.forEach(function (n) { n.el.classList.add('match'); });
    found.textContent = text ? hits.length + ' found' : '';
    if (hits.length) select(hits[0].id, { quiet: true });
  }

  function next(list, step) {
    if (!list.length) return;
    var at = list.map(function (n) { return n.id; }).indexOf(selected);
    var there = list[(at + step + list.length) % list.length];
    select(there.id, { focus: true });
  }

  function problems() {
    return nodes.filter(function (n) { return n && (n.cycle || n.finding || n.kind === 'unknown'); });
  }

  function beside(step) {
    var here = nodes[selected];
    var column = nodes.filter(function (n) {
      return n && n.picture === here.picture && n.column === here.column && n.kind !== 'join';
    });
    column.sort(function (a, b) {
      return a.el.getBoundingClientRect().top - b.el.getBoundingClientRect().top;
    });
    next(column, step);
  }

  function along(side) {
    var there = across(nodes[selected], side).filter(function (n) { return n.kind !== 'join'; });
    there.sort(function (a, b) { return (b.chain ? 1 : 0) - (a.chain ? 1 : 0); });
    if (there.length) select(there[0].id, { focus: true });
  }

  function toggle(name) { svg.classList.toggle(name); }

  function fillTable() {
    table.textContent = '';
    data.pictures.forEach(function (picture) {
      var el = make('table', undefined, table);
      make('caption', picture.key + ': ' + picture.summary, el);
      var head = make('tr', undefined, make('thead', undefined, el));
      ['layer', 'unit', 'waits for', 'place'].forEach(function (text) {
        make('th', text, head).scope = 'col';
      });
      var body = make('tbody', undefined, el);
      picture.nodes.forEach(function (node) {
        if (node.kind === 'join') return;
        var row = make('tr', undefined, body);
        make('td', picture.columns[node.column].title, row);
        make('th', (node.cycle ? '↻ ' : '') + node.name, row).scope = 'row';
        make('td', names(across(node, 'after')), row);
        var cell = make('td', undefined, row);
        if (!node.place) return;
        var place = make(node.place.link ? 'a' : 'span', node.place.path + ':' + node.place.line, cell);
        if (node.place.link) place.href = node.place.link;
      });
    });
  }

  function showTable() {
    table.hidden = !table.hidden;
    stage.hidden = !table.hidden;
    if (!table.hidden) fillTable();
  }

  function key(event) {
    if (event.target === find) {
      if (event.key === 'Escape') { find.value = ''; search(); find.blur(); }
      if (event.key === 'Enter') next(hits, event.shiftKey ? -1 : 1);
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    var done = true;
    if (selected === null && event.key.indexOf('Arrow') === 0) {
      var first = nodes.filter(function (n) { return n && n.kind !== 'join'; })[0];
      if (first) select(first.id, { focus: true });
    } else switch (event.key) {
      case '/': find.focus(); break;
      case '0': fit(); break;
      case '+': case '=': scale(zoom * 1.25); break;
      case '-': scale(zoom / 1.25); break;
      case 'l': toggle('only-chain'); break;
      case 'i': toggle('no-implied'); break;
      case 'r': toggle('show-needless'); break;
      case 't': showTable(); break;
      case 'f': follow = !follow; say(follow ? 'follows the cursor' : 'does not follow the cursor'); break;
      case 'n': next(problems(), 1); break;
      case 'N': next(problems(), -1); break;
      case '?': help.hidden = !help.hidden; break;
      case 'Escape': help.hidden = true; select(null); break;
      case 'Enter': if (selected !== null) open(nodes[selected]); else done = false; break;
      case 'ArrowLeft': along('after'); break;
      case 'ArrowRight': along('before'); break;
      case 'ArrowUp': beside(-1); break;
      case 'ArrowDown': beside(1); break;
      default: done = false;
    }
    if (done) event.preventDefault();
  }

  function clicked(event) {
    var el = event.target.closest && event.target.closest('[data-node],[data-edge]');
    if (!el) { select(null); return; }
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    if (el.hasAttribute('data-edge')) {
      var edge = edges[Number(el.getAttribute('data-edge'))];
      say(el.querySelector('title').textContent);
      if (edge.place && host) host.postMessage({ type: 'reveal', place: edge.place, keepFocus: true });
      return;
    }
    var id = Number(el.getAttribute('data-node'));
    if (id === selected) open(nodes[id]);
    else select(id, { focus: true, scroll: false });
  }

  stage.addEventListener('click', clicked);
  stage.addEventListener('focusin', function (event) {
    var el = event.target.closest && event.target.closest('[data-node]');
    if (el && el.matches(':focus-visible')) select(Number(el.getAttribute('data-node')), { quiet: true });
  });
  stage.addEventListener('wheel', function (event) {
    if (!event.ctrlKey) return;
    event.preventDefault();
    scale(zoom * (event.deltaY < 0 ? 1.1 : 1 / 1.1));
  }, { passive: false });
  document.addEventListener('keydown', key);
  find.addEventListener('input', search);
  window.addEventListener('hashchange', fromHash);
  Array.prototype.forEach.call(document.querySelectorAll('button[data-key]'), function (button) {
    button.addEventListener('click', function () {
      key({ key: button.getAttribute('data-key'), target: button, preventDefault: function () {} });
    });
  });
  if (host) {
    window.addEventListener('message', function (event) {
      var message = event.data;
      if (message.type === 'select') {
        var node = follow && byName(message.unit);
        if (node) select(node.id, { quiet: true });
      } else if (message.type === 'show') {
        var name = selected === null ? null : nodes[selected].name;
        var doc = new DOMParser().parseFromString(message.svg, 'image/svg+xml');
        if (doc.querySelector('parsererror')) return;
        stage.replaceChildren(document.importNode(doc.documentElement, true));
        read(message.data);
        scale(zoom);
        var again = name === null ? null : byName(name);
        select(again ? again.id : null, { quiet: true, scroll: false });
      } else if (message.type === 'stale') {
        say(message.text);
      }
    });
  }
  read(document.getElementById('data').textContent);
  fit();
  select(null);
  fromHash();
})();
