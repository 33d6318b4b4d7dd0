// The report without this script has all its text; with it, lines light up their counterparts, and keys work.
(() => {
  const page = document.querySelector('main.depyf');
  page.classList.add('js');
  const all = (selector, root = page) => [...root.querySelectorAll(selector)];

  const show = (element) => {
    for (let up = element; up; up = up.parentElement) if (up.tagName === 'DETAILS') up.open = true;
  };
  const remember = (fragment) => history.replaceState(null, '', fragment ? '#' + fragment : location.pathname + location.search);

  // ---- panes

  const compilations = new Map(all('.comp').map((root) => [root, index(root)]));
  let pinned = null; // the compilation and the row that a click has fixed

  function index(root) {
    const rows = all('.l[data-k], .l[data-t]', root);
    const byLine = new Map();
    const add = (row, name, lines) => {
      for (const line of lines) {
        if (!byLine.has(line)) byLine.set(line, {own: [], through: []});
        byLine.get(line)[name].push(row);
      }
    };
    for (const row of rows) {
      add(row, 'own', numbers(row.dataset.k));
      add(row, 'through', numbers(row.dataset.t));
    }
    const places = root.dataset.places.split('\n');
    return {rows, byLine, places, lit: []};
  }

  function numbers(text) {
    return text ? text.split(' ') : [];
  }

  function clear(root) {
    const found = compilations.get(root);
    for (const row of found.lit) row.classList.remove('on', 'via', 'from');
    for (const tab of all('.tabs .more', root)) tab.classList.remove('more');
    root.classList.remove('lit');
    found.lit = [];
  }

  function light(root, row) {
    clear(root);
    const found = compilations.get(root);
    const mark = (other, kind) => {
      if (other.classList.contains('on')) return;
      other.classList.add(kind);
      found.lit.push(other);
    };
    for (const line of numbers(row.dataset.k)) {
      const counterparts = found.byLine.get(line);
      for (const other of counterparts.own) mark(other, 'on');
      for (const other of counterparts.through) mark(other, 'on');
    }
    for (const line of numbers(row.dataset.t))
      for (const other of found.byLine.get(line).own)
        if (other.closest('.pane[data-pane=source]')) mark(other, 'via');
    row.classList.add('from');
    found.lit.push(row);
    root.classList.add('lit');
    for (const pane of all('.pane', root)) {
      const first = pane.querySelector('.l.on, .l.via');
      const tab = root.querySelector('.tabs [data-pane=' + pane.dataset.pane + ']');
      if (first && tab && tab.getAttribute('aria-selected') !== 'true') tab.classList.add('more');
      if (first && !pane.contains(row)) reveal(pane.querySelector('pre'), pane.querySelectorAll('.l.on, .l.via'));
    }
  }

  // Each pane begins at the call of a graph, at the body of a kernel, or at the first line that is linked.
  function begin(root) {
    for (const box of all('.pane pre', root)) {
      if (!box.clientHeight || box.dataset.begun) continue;
      box.dataset.begun = '1';
      const first = box.querySelector('.main') || box.querySelector('.l[data-k]');
      if (first) reveal(box, [first]);
    }
  }

  // Scrolls one pane, and never the page; not at all if a counterpart is in sight.
  function reveal(box, found) {
    const main = [...found].filter((row) => row.classList.contains('main'));
    const rows = main.length ? main : [...found];
    const frame = box.getBoundingClientRect();
    const inSight = (row) => {
      const at = row.getBoundingClientRect();
      return at.top >= frame.top && at.bottom <= frame.bottom;
    };
    if (!rows.some(inSight)) box.scrollTop += rows[0].getBoundingClientRect().top - frame.top - frame.height / 3;
  }

  function name(root, row) {
    const first = numbers(row.dataset.k)[0];
    return first === undefined ? '' : root.id + ':' + compilations.get(root).places[first];
  }

  function pin(root, row) {
    if (pinned) clear(pinned.root);
    pinned = row ? {root, row} : null;
    if (row) light(root, row);
    remember(row ? name(root, row) : '');
  }

  for (const root of compilations.keys()) {
    const rowOf = (event) => event.target.closest('.l[data-k]'); // a line of a pane, or a box of a drawing
    root.addEventListener('mouseover', (event) => {
      if (pinned) return;
      const row = rowOf(event);
      if (row) light(root, row);
      else clear(root);
    });
    begin(root);
    root.addEventListener('toggle', () => begin(root));
    root.addEventListener('mouseleave', () => pinned || clear(root));
    root.addEventListener('focusin', (event) => pinned || (rowOf(event) && light(root, rowOf(event))));
    root.addEventListener('click', (event) => {
      const row = rowOf(event);
      if (!row || event.target.closest('a') || String(getSelection())) return;
      pin(root, pinned && pinned.row === row ? null : row);
    });
    for (const tab of all('.tabs button', root))
      tab.addEventListener('click', () => {
        for (const other of all('.tabs button', root)) other.setAttribute('aria-selected', other === tab);
        for (const pane of all('.pane', root)) pane.classList.toggle('shown', pane.dataset.pane === tab.dataset.pane);
        tab.classList.remove('more');
        begin(root);
        const rows = all('.pane.shown .l.on, .pane.shown .l.via', root);
        if (rows.length) reveal(root.querySelector('.pane.shown pre'), rows);
      });
  }

  // ---- lines with remarks

  const remarked = all('.l.has');
  let at = -1;

  function go(to) {
    if (to < 0 || to >= remarked.length) return;
    if (at >= 0) remarked[at].classList.remove('at');
    at = to;
    show(remarked[at]);
    remarked[at].classList.add('at');
    remarked[at].scrollIntoView({block: 'center'});
    remember(remarked[at].id);
  }

  // j and k go from line to line: of the panes while one is pinned there, else of the remarks.
  function step(by) {
    if (!pinned) return go(at < 0 ? 0 : at + by);
    const rows = all('.pane[data-pane=source] .l[data-k]', pinned.root);
    const own = numbers(pinned.row.dataset.k)[0];
    const now = rows.findIndex((row) => numbers(row.dataset.k).includes(own));
    const next = rows[now + by];
    if (!next) return;
    pin(pinned.root, next);
    reveal(next.closest('pre'), [next]);
  }

  // ---- the place in the address

  function open() {
    const wanted = decodeURIComponent(location.hash.slice(1));
    if (!wanted) return;
    const line = remarked.findIndex((row) => row.id === wanted);
    if (line >= 0) return go(line);
    for (const [root, found] of compilations) {
      if (root.id !== wanted && !wanted.startsWith(root.id + ':')) continue;
      show(root);
      const place = found.places.indexOf(wanted.slice(root.id.length + 1));
      const row = place >= 0 && root.querySelector('.l[data-k~="' + place + '"]');
      root.scrollIntoView();
      if (row) {
        pin(root, row);
        reveal(row.closest('pre'), [row]);
      }
      return;
    }
  }

  // ---- search

  const box = page.querySelector('input[type=search]');
  const said = page.querySelector('.found');
  let hits = [];
  let hit = -1;

  function search(text) {
    for (const row of hits) row.classList.remove('at');
    const wanted = text.trim().toLowerCase();
    hits = wanted ? all('.l, .r').filter((row) => row.textContent.toLowerCase().includes(wanted)) : [];
    hit = -1;
    said.textContent = wanted ? hits.length + ' found' : '';
  }

  function next(by) {
    if (!hits.length) return;
    if (hit >= 0) hits[hit].classList.remove('at');
    hit = (hit + by + hits.length) % hits.length;
    show(hits[hit]);
    const pane = hits[hit].closest('.pane');
    if (pane) {
      const tab = pane.closest('.comp').querySelector('.tabs [data-pane=' + pane.dataset.pane + ']');
      if (tab) tab.click();
    }
    hits[hit].classList.add('at');
    hits[hit].scrollIntoView({block: 'center'});
    said.textContent = hit + 1 + ' of ' + hits.length;
  }

  box.addEventListener('input', () => search(box.value));
  box.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') next(event.shiftKey ? -1 : 1);
    if (event.key === 'Escape') box.blur();
  });

  // ---- keys

  const keys = page.querySelector('dialog');
  page.querySelector('.tool').addEventListener('click', () => keys.showModal());
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || /INPUT|TEXTAREA/.test(event.target.tagName)) return;
    const row = event.target.closest && event.target.closest('.l[data-k]');
    if (event.key === 'j') step(1);
    else if (event.key === 'k') step(-1);
    else if (event.key === 'Enter' && row) pin(row.closest('.comp'), pinned && pinned.row === row ? null : row);
    else if (event.key === 'Escape' && pinned) pin(pinned.root, null);
    else if (event.key === '?') keys.showModal();
    else if (event.key === '/') {
      event.preventDefault();
      box.focus();
    }
  });
  addEventListener('hashchange', open);
  open();
})();
