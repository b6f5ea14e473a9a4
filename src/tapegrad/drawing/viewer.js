"use strict";
// Shows one drawing of the page at a time. All texts come from a program: they are set as text, never as HTML.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const at = (id) => document.getElementById(id);
  const drawing = at("drawing");
  const names = Object.keys(data.foldings);
  let folding = names[0];
  let key = "0 open";
  let box = { x: 0, y: 0, width: 1, height: 1 }; // the part of the drawing that is seen
  let selected = null;

  const views = () => data.foldings[folding].views;
  const svg = () => drawing.querySelector("svg");

  function element(tag, text, parent) {
    const made = document.createElement(tag);
    made.textContent = text;
    parent.append(made);
    return made;
  }

  function link(text, parent, action) {
    const made = element("button", text, parent);
    made.type = "button";
    made.addEventListener("click", action);
    return made;
  }

  function look() {
    svg().setAttribute("viewBox", `${box.x} ${box.y} ${box.width} ${box.height}`);
  }

  // The part of the drawing that has the form of the window, with this centre and scale.
  function lookAt(x, y, scale) {
    const width = drawing.clientWidth / scale;
    const height = drawing.clientHeight / scale;
    box = { x: x - width / 2, y: y - height / 2, width, height };
    look();
  }

  function fit() {
    const whole = svg().dataset.whole.split(" ").map(Number);
    const scale = Math.min(drawing.clientWidth / whole[2], drawing.clientHeight / whole[3], 1.5);
    lookAt(whole[0] + whole[2] / 2, whole[1] + whole[3] / 2, scale);
    // Of a high drawing the upper part, in letters that can be read.
    const least = Math.min(0.6, drawing.clientWidth / whole[2]);
    if (scale < least) {
      lookAt(whole[0] + whole[2] / 2, whole[1] + drawing.clientHeight / least / 2, least);
    }
  }

  function zoom(factor, x = box.x + box.width / 2, y = box.y + box.height / 2) {
    const scale = Math.min(Math.max((drawing.clientWidth / box.width) * factor, 0.02), 8);
    factor = scale / (drawing.clientWidth / box.width);
    box = { x: x - (x - box.x) / factor, y: y - (y - box.y) / factor,
      width: box.width / factor, height: box.height / factor };
    look();
  }

  function keyOf(group) {
    return [`${group} open`, `${group} folded`].find((name) => name in views());
  }

  function show(next) {
    key = next;
    drawing.replaceChildren(at(`${folding} ${key}`).content.cloneNode(true));
    svg().dataset.whole = svg().getAttribute("viewBox");
    svg().removeAttribute("width");
    svg().removeAttribute("height");
    const view = views()[key];
    const crumbs = at("crumbs");
    crumbs.replaceChildren();
    for (const group of view.path) {
      const name = keyOf(group);
      if (!name) continue; // it is drawn open in the drawing around it
      if (crumbs.childNodes.length) crumbs.append(" / ");
      link(views()[name].label, crumbs, () => show(name));
    }
    at("unfold").hidden = !view.other;
    at("unfold").textContent = view.folds ? "fold" : "unfold";
    fit();
    mark();
  }

  function mark() {
    for (const old of drawing.querySelectorAll(".selected")) old.classList.remove("selected");
    if (selected === null) return null;
    const node = drawing.querySelector(`[data-node="${selected}"]`);
    if (node) node.classList.add("selected");
    return node;
  }

  function select(number) {
    selected = number;
    const node = data.nodes[number];
    const details = at("details");
    details.replaceChildren();
    element("h2", node.label, details);
    const list = element("dl", "", details);
    element("dt", "kind", list);
    element("dd", node.kind, list);
    for (const [title, text] of Object.entries(node.facts)) {
      element("dt", title, list);
      element("dd", text, list).className = title === "no gradient" ? "bad" : "";
    }
    for (const [title, others] of [["reads", node.reads], ["is read by", node.readers]]) {
      if (!others.length) continue;
      element("dt", title, list);
      const lines = element("dd", "", list);
      for (const other of others.slice(0, 30)) {
        link(data.nodes[other].label, element("div", "", lines), () => go(other));
      }
      if (others.length > 30) element("div", `and ${others.length - 30} more`, lines);
    }
    mark();
  }

  // Show a node, in the drawing that is open if it is there.
  function go(number) {
    if (!drawing.querySelector(`[data-node="${number}"]`)) show(data.foldings[folding].homes[number]);
    select(number);
    const rect = mark().querySelector("rect");
    const [x, y, width, height] = ["x", "y", "width", "height"].map((name) => Number(rect.getAttribute(name)));
    lookAt(x + width / 2, y + height / 2, Math.max(drawing.clientWidth / box.width, 0.8));
  }

  function search() {
    const words = at("search").value.trim().toLowerCase().split(/\s+/).filter(Boolean);
    const results = at("results");
    results.replaceChildren();
    if (!words.length) return;
    const hits = [];
    data.nodes.forEach((node, number) => {
      if (words.every((word) => node.words.includes(word))) hits.push(number);
    });
    // Those first whose names have the words; of the others it is the scope, or the line of the program.
    const byName = (number) => words.every((word) => data.nodes[number].label.toLowerCase().includes(word));
    hits.sort((one, other) => byName(other) - byName(one));
    element("h2", `${hits.length} found`, results);
    const list = element("ul", "", results);
    for (const number of hits.slice(0, 50)) {
      const node = data.nodes[number];
      const place = node.facts.modules || node.facts["name scope"] || node.facts.result || "";
      link(place ? `${node.label} – ${place}` : node.label, element("li", "", list), () => go(number));
    }
    if (hits.length > 50) element("li", `and ${hits.length - 50} more`, list);
  }

  // Where a pointer is, in the units of the drawing.
  function place(event) {
    const frame = drawing.getBoundingClientRect();
    return [box.x + ((event.clientX - frame.left) / frame.width) * box.width,
      box.y + ((event.clientY - frame.top) / frame.height) * box.height];
  }

  const pointers = new Map();
  let moved = 0;
  drawing.addEventListener("pointerdown", (event) => {
    pointers.set(event.pointerId, event);
    moved = 0;
  });
  addEventListener("pointermove", (event) => {
    const before = pointers.get(event.pointerId);
    if (!before) return;
    const others = [...pointers.values()].filter((other) => other.pointerId !== event.pointerId);
    const scale = box.width / drawing.clientWidth;
    moved += Math.hypot(event.clientX - before.clientX, event.clientY - before.clientY);
    if (others.length) {
      const far = (one) => Math.hypot(one.clientX - others[0].clientX, one.clientY - others[0].clientY);
      zoom(far(event) / Math.max(far(before), 1), ...place(others[0]));
    } else {
      box.x -= (event.clientX - before.clientX) * scale;
      box.y -= (event.clientY - before.clientY) * scale;
      look();
    }
    pointers.set(event.pointerId, event);
  });
  for (const end of ["pointerup", "pointercancel"]) {
    addEventListener(end, (event) => pointers.delete(event.pointerId));
  }
  drawing.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoom(Math.exp(-event.deltaY / 400), ...place(event));
  }, { passive: false });

  function choose(target) {
    const node = target.closest("[data-node]");
    if (node) return select(Number(node.dataset.node));
    const group = target.closest("[data-group]");
    if (!group) return undefined;
    const name = keyOf(group.dataset.group);
    const isFrame = group.classList.contains("frame");
    if (isFrame && !target.closest(".title")) return undefined;
    // The title of an open group folds what is drawn, if there is no drawing of the group alone.
    if (name && name !== key) return show(name);
    return views()[key].other ? show(views()[key].other) : undefined;
  }
  drawing.addEventListener("click", (event) => {
    if (moved < 6) choose(event.target);
  });
  drawing.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === " ") choose(event.target);
  });

  for (const name of names) {
    const option = element("option", name, at("folding"));
    option.value = name;
  }
  at("foldings").hidden = names.length < 2;
  at("folding").addEventListener("change", (event) => {
    folding = event.target.value;
    show("0 open");
  });
  at("unfold").addEventListener("click", () => show(views()[key].other));
  at("in").addEventListener("click", () => zoom(1.3));
  at("out").addEventListener("click", () => zoom(1 / 1.3));
  at("whole").addEventListener("click", fit);
  at("search").addEventListener("input", search);
  addEventListener("resize", fit);
  at("text").textContent = data.text;
  show(key);
  const marked = data.nodes.findIndex((node) => node.marked);
  if (marked >= 0) select(marked);
})();
