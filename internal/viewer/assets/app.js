"use strict";
(() => {
  const chart = JSON.parse(document.getElementById("chart").textContent);
  const $ = (id) => document.getElementById(id);
  const picture = $("picture");
  const panel = $("panel");
  let focus = null; // a place in chart.locks whose neighbours are shown
  let view = { x: 0, y: 0, w: 1, h: 1 };
  let size = { width: 1, height: 1 };
  $("app").hidden = false;

  // The layout runs in a worker, so that a large one can be given up.
  const source = $("library").textContent;
  const work = new Blob([source + ";onmessage=e=>{const [chart,shown,implied]=e.data;postMessage(draw(chart,shown,implied))}"], { type: "text/javascript" });
  const slim = { locks: chart.locks.map((l) => ({ label: l.label, family: l.family })), arrows: chart.arrows.map(({ sides, ...a }) => a) };
  let worker = null;

  function layout(shown, done) {
    if (worker) worker.terminate();
    worker = new Worker(URL.createObjectURL(work));
    worker.onmessage = (e) => done(e.data);
    worker.onerror = (e) => { $("status").textContent = "The layout failed: " + e.message; };
    worker.postMessage([slim, shown, $("implied").checked]);
  }

  // What is drawn: the locks that pass the filters, those nearest to the
  // blocking core first.
  function passing() {
    const families = new Set([...$("families").querySelectorAll(":checked")].map((i) => i.value));
    const entry = $("entry").value === "" ? null : new Set(chart.entries[$("entry").value].locks);
    const mode = $("mode").value;
    const core = new Set(chart.cycles.flatMap((c) => c.locks));
    const near = focus === null ? null : new Set([focus, ...chart.arrows.flatMap((a) => (a.from === focus ? [a.to] : a.to === focus ? [a.from] : []))]);
    const out = [];
    chart.locks.forEach((l, i) => {
      if (!families.has(l.family) || (entry && !entry.has(i)) || (mode && !l.modes.includes(mode))) return;
      if (($("cycles").checked && !core.has(i)) || (near && !near.has(i))) return;
      if (l.alone && !entry && !near) return;
      out.push(i);
    });
    return out;
  }

  function redraw(then) {
    const all = passing();
    const whole = $("all").getAttribute("aria-pressed") === "true";
    const shown = whole ? all : nearest(chart, all, $("implied").checked);
    $("status").textContent = "laying out " + shown.length + " locks…";
    picture.setAttribute("aria-busy", "true");
    layout(shown, (drawn) => {
      picture.innerHTML = drawn.svg;
      size = drawn;
      fit();
      readable(shown[0]);
      const rest = all.length - shown.length;
      $("status").textContent =
        (focus !== null ? "Neighbours of " + chart.locks[focus].label + " (Escape shows the rest): " : "") + shown.length + " of " + chart.locks.length + " locks" +
        (rest > 0 ? "; " + rest + " more pass the filters: search for one, choose a path, or press All" : "");
      picture.removeAttribute("aria-busy");
      if (then) then();
    });
  }

  function fit() {
    const box = picture.getBoundingClientRect();
    const scale = Math.max(size.width / Math.max(box.width, 1), size.height / Math.max(box.height, 1), 0.6);
    view = { w: box.width * scale, h: box.height * scale, x: 0, y: 0 };
    view.x = (size.width - view.w) / 2;
    view.y = (size.height - view.h) / 2;
    look();
  }
  // Where the whole is too small to read, the part around the lock nearest to
  // the blocking core is shown; "Fit" shows the whole.
  function readable(first) {
    const most = 1.3;
    const box = picture.getBoundingClientRect();
    const node = picture.querySelector('[data-lock="' + first + '"]');
    if (!node || view.w <= box.width * most) return;
    const at = node.getBoundingClientRect();
    const x = view.x + ((at.x + at.width / 2 - box.x) / box.width) * view.w;
    const y = view.y + ((at.y + at.height / 2 - box.y) / box.height) * view.h;
    const w = box.width * most, h = box.height * most;
    const within = (v, part, all) => (part >= all ? (all - part) / 2 : Math.min(Math.max(v - part / 2, 0), all - part));
    view = { w, h, x: within(x, w, size.width), y: within(y, h, size.height) };
    look();
  }
  function look() { picture.setAttribute("viewBox", [view.x, view.y, view.w, view.h].join(" ")); }
  function zoom(by, cx = 0.5, cy = 0.5) {
    const w = Math.min(Math.max(view.w * by, 60), size.width * 20 + 1000);
    const h = (view.h * w) / view.w;
    view = { w, h, x: view.x + (view.w - w) * cx, y: view.y + (view.h - h) * cy };
    look();
  }

  picture.addEventListener("wheel", (e) => {
    e.preventDefault();
    const box = picture.getBoundingClientRect();
    zoom(e.deltaY > 0 ? 1.15 : 1 / 1.15, (e.clientX - box.left) / box.width, (e.clientY - box.top) / box.height);
  }, { passive: false });
  let drag = null;
  picture.addEventListener("pointerdown", (e) => { drag = { x: e.clientX, y: e.clientY, far: false }; });
  addEventListener("pointermove", (e) => {
    if (!drag) return;
    const box = picture.getBoundingClientRect();
    const dx = e.clientX - drag.x, dy = e.clientY - drag.y;
    if (!drag.far && Math.hypot(dx, dy) < 4) return;
    view.x -= (dx * view.w) / box.width;
    view.y -= (dy * view.h) / box.height;
    drag = { x: e.clientX, y: e.clientY, far: true };
    look();
  });
  addEventListener("pointerup", () => { setTimeout(() => { drag = null; }); });

  picture.addEventListener("click", (e) => { if (!drag || !drag.far) choose(e.target); });
  picture.addEventListener("keydown", (e) => {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[e.key];
    if (step) { view.x += (step[0] * view.w) / 10; view.y += (step[1] * view.h) / 10; look(); e.preventDefault(); }
    else if (e.key === "+" || e.key === "=") zoom(1 / 1.25);
    else if (e.key === "-") zoom(1.25);
    else if (e.key === "0") fit();
    else if (e.key === "Enter" || e.key === " ") { choose(e.target); e.preventDefault(); }
  });
  addEventListener("keydown", (e) => {
    if (e.key === "/" && !/^(INPUT|SELECT)$/.test(e.target.tagName)) { $("find").focus(); e.preventDefault(); }
    if (e.key === "Escape") { mark(null); if (focus !== null) { focus = null; $("find").value = ""; redraw(); } }
  });

  function choose(target) {
    const lock = target.closest("[data-lock]");
    const arrow = target.closest("[data-arrow]");
    if (lock) tellLock(Number(lock.dataset.lock));
    else if (arrow) tellArrow(Number(arrow.dataset.arrow));
  }

  // mark makes the chosen lock or arrow stand out with what touches it.
  function mark(what) {
    picture.classList.toggle("choosing", what !== null);
    for (const g of picture.querySelectorAll(".chosen,.near")) g.classList.remove("chosen", "near");
    if (!what) return;
    const locks = new Set();
    if (what.lock !== undefined) locks.add(what.lock);
    for (const g of picture.querySelectorAll("[data-arrow]")) {
      const i = Number(g.dataset.arrow), a = chart.arrows[i];
      const chosen = i === what.arrow || (what.arrow !== undefined && a.from === chart.arrows[what.arrow].to && a.to === chart.arrows[what.arrow].from);
      if (chosen || a.from === what.lock || a.to === what.lock) { g.classList.add("near"); locks.add(a.from).add(a.to); }
      if (chosen) g.classList.add("chosen");
    }
    for (const g of picture.querySelectorAll("[data-lock]")) {
      g.classList.toggle("near", locks.has(Number(g.dataset.lock)));
      g.classList.toggle("chosen", Number(g.dataset.lock) === what.lock);
    }
  }

  const el = (name, props = {}, ...children) => {
    const e = Object.assign(document.createElement(name), props);
    e.append(...children);
    return e;
  };
  // text turns code spans into elements.
  const text = (s) => s.split("`").map((part, i) => (i % 2 ? el("code", {}, part) : part));
  const lockLink = (n) => el("button", { className: "link", onclick: () => show(n) }, chart.locks[n].label);
  const verdicts = { supported: "can deadlock", possible: "may deadlock", gated: "kept apart by a lock taken before" };

  function tellLock(n) {
    const l = chart.locks[n];
    mark({ lock: n });
    const rows = el("dl");
    for (const [k, v] of [["What is locked", l.what], ["Mode", l.mode], ["Taken by", l.takenBy], ["Serializes", l.serializes || "nobody has said yet"]])
      rows.append(el("dt", {}, k), el("dd", {}, ...text(v)));
    const around = (title, list) => {
      if (!list.length) return "";
      const ul = el("ul");
      for (const [i, o] of list) ul.append(el("li", {}, el("button", { className: "link", onclick: () => tellArrow(i) }, chart.locks[o].label)));
      return el("div", {}, el("h3", {}, title), ul);
    };
    const held = [], taken = [];
    chart.arrows.forEach((a, i) => { if (a.from === n) held.push([i, a.to]); if (a.to === n) taken.push([i, a.from]); });
    panel.replaceChildren(
      el("h2", {}, l.label), rows,
      el("button", { onclick: () => show(n) }, "Show only its neighbours"),
      around("Taken while it is held", held), around("Held when it is taken", taken)
    );
    panel.scrollTop = 0;
  }

  function tellArrow(i) {
    const a = chart.arrows[i];
    mark({ arrow: i });
    const back = chart.arrows.find((o) => o.from === a.to && o.to === a.from);
    const out = [el("h2", {}, "From ", lockLink(a.from), " to ", lockLink(a.to))];
    if (a.cycle) out.push(el("p", { className: a.cycle + "-text" }, "On a cycle: " + verdicts[a.cycle] + "."));
    out.push(...paths(a));
    if (back) out.push(el("h3", {}, "The other way round"), ...paths(back));
    const through = chart.cycles.filter((c) => c.locks.some((n, k) => n === a.from && c.locks[(k + 1) % c.locks.length] === a.to));
    if (through.length) {
      const ul = el("ul");
      for (const c of through) ul.append(el("li", {}, el("span", { className: c.verdict + "-text" }, verdicts[c.verdict] + ": "), ...text(c.text)));
      out.push(el("h3", {}, "Cycles"), ul);
    }
    panel.replaceChildren(...out);
    panel.scrollTop = 0;
  }

  function paths(a) {
    return a.sides.map((s) => {
      const ol = el("ol");
      for (const f of s.frames) {
        const li = el("li", {}, el("code", {}, f.func), " ", el("span", { className: "at" }, f.at), " " + f.does);
        for (const q of f.sql || []) li.append(el("pre", {}, q));
        ol.append(li);
      }
      const head = chart.locks[a.from].label + " (" + s.held + "), then " + chart.locks[a.to].label + " (" + s.wanted + ")" + (s.cut ? "; rests on " + s.cut : "");
      return el("div", {}, el("h3", {}, head), ol);
    });
  }

  function show(n) {
    focus = n;
    $("find").value = chart.locks[n].label;
    redraw(() => tellLock(n));
  }

  function find() {
    const wanted = $("find").value.trim().toLowerCase();
    if (!wanted) { focus = null; mark(null); redraw(); return; }
    let n = chart.locks.findIndex((l) => l.label.toLowerCase() === wanted);
    if (n < 0) n = chart.locks.findIndex((l) => l.label.toLowerCase().includes(wanted));
    if (n < 0) { $("status").textContent = "No lock is called " + $("find").value; return; }
    if (n !== focus) show(n);
  }
  $("find").addEventListener("change", find);
  $("find").addEventListener("keydown", (e) => { if (e.key === "Enter") find(); });
  for (const id of ["entry", "mode", "cycles", "implied", "families"]) $(id).addEventListener("change", () => redraw());
  $("all").addEventListener("click", () => { $("all").setAttribute("aria-pressed", String($("all").getAttribute("aria-pressed") !== "true")); redraw(); });
  $("fit").addEventListener("click", fit);
  $("in").addEventListener("click", () => zoom(1 / 1.25));
  $("out").addEventListener("click", () => zoom(1.25));
  redraw();
})();
