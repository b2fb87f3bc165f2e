// nearest are the first of all, as many as a picture holds before it is a
// thicket: at most 60 locks and, past a dozen locks, 80 arrows.
function nearest(chart, all, implied) {
  const next = new Map();
  for (const a of chart.arrows) {
    if (a.implied && !implied) continue;
    for (const [x, y] of [[a.from, a.to], [a.to, a.from]]) next.set(x, [...(next.get(x) || []), y]);
  }
  const shown = new Set();
  let arrows = 0;
  for (const n of all) {
    for (const o of next.get(n) || []) if (shown.has(o)) arrows++;
    if (shown.size >= 60 || (shown.size >= 12 && arrows > 80)) break;
    shown.add(n);
  }
  return [...shown];
}

// draw lays out the locks that are shown and returns {svg, width, height}.
// shown are places in chart.locks; implied says whether arrows that a chain
// of others implies are drawn too. It runs in a browser's worker and in the
// command alike and touches no document.
function draw(chart, shown, implied) {
  const places = new Map(shown.map((n) => [n, true]));
  const arrows = [];
  chart.arrows.forEach((a, i) => {
    if (places.has(a.from) && places.has(a.to) && (implied || !a.implied)) arrows.push(i);
  });
  const g = new dagre.graphlib.Graph();
  g.setGraph({ rankdir: "LR", nodesep: 18, ranksep: 70, marginx: 16, marginy: 16, ranker: shown.length > 100 ? "tight-tree" : "network-simplex" });
  g.setDefaultEdgeLabel(() => ({}));
  for (const n of shown) g.setNode(String(n), { width: Math.ceil(chart.locks[n].label.length * 7.3) + 26, height: 30 });
  for (const i of arrows) g.setEdge(String(chart.arrows[i].from), String(chart.arrows[i].to));
  dagre.layout(g);

  const out = [];
  for (const i of arrows) {
    const a = chart.arrows[i];
    const says = chart.locks[a.from].label + " is held when " + chart.locks[a.to].label + " is taken";
    out.push(
      `<g class="arrow ${a.cycle || "plain"}${a.guess ? " guess" : ""}" data-arrow="${i}" tabindex="0" role="button" aria-label="${esc(says)}">` +
        `<title>${esc(says)}</title><path class="hit" d="${curve(g.edge(String(a.from), String(a.to)).points)}"/>` +
        `<path class="line" d="${curve(g.edge(String(a.from), String(a.to)).points)}" marker-end="url(#head-${head(a)})"/></g>`
    );
  }
  for (const n of shown) {
    const l = chart.locks[n];
    const at = g.node(String(n));
    const x = round(at.x - at.width / 2);
    const y = round(at.y - at.height / 2);
    const corner = l.family === "advisory" || l.family === "mutex" ? 15 : 3;
    out.push(
      `<g class="lock ${esc(l.family)}" data-lock="${n}" tabindex="0" role="button" aria-label="${esc(l.label)}">` +
        `<rect x="${x}" y="${y}" width="${round(at.width)}" height="${at.height}" rx="${corner}"/>` +
        (l.family === "table" ? `<rect class="inner" x="${x + 3}" y="${y + 3}" width="${round(at.width - 6)}" height="${at.height - 6}"/>` : "") +
        `<text x="${round(at.x)}" y="${round(at.y + 4.5)}">${esc(l.label)}</text></g>`
    );
  }
  const heads = ["plain", "supported", "possible"].map(
    (k) =>
      `<marker id="head-${k}" class="${k}" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto-start-reverse"><path d="M0 0L10 5L0 10z"/></marker>`
  );
  const size = g.graph();
  const width = shown.length ? Math.ceil(size.width) : 320;
  const height = shown.length ? Math.ceil(size.height) : 60;
  return { svg: `<defs>${heads.join("")}</defs>` + out.join(""), width, height };

  function head(a) {
    return a.cycle === "supported" || a.cycle === "possible" ? a.cycle : "plain";
  }
  function round(v) {
    return Math.round(v * 10) / 10;
  }
  function curve(points) {
    let d = `M${round(points[0].x)} ${round(points[0].y)}`;
    for (let i = 1; i < points.length - 1; i++) {
      const p = points[i];
      const next = points[i + 1];
      const last = i === points.length - 2;
      d += `Q${round(p.x)} ${round(p.y)} ${round(last ? next.x : (p.x + next.x) / 2)} ${round(last ? next.y : (p.y + next.y) / 2)}`;
    }
    return points.length === 2 ? d + `L${round(points[1].x)} ${round(points[1].y)}` : d;
  }
  function esc(s) {
    return s.replace(/[&<>"']/g, (c) => "&#" + c.charCodeAt(0) + ";");
  }
}
