// SPDX-License-Identifier: Apache-2.0
//
// The picture's elements. A line of the SVG is a mark: what the last picture had stays as it is, and
// only lines that differ are made anew. Titles are not in the page: they are asked for by those who
// rest on a mark.
"use strict";

const SVG = "http://www.w3.org/2000/svg";

// Head: up to the style block's end.
function linesOf(svg) {
  const cut = svg.indexOf("</style>\n") + "</style>\n".length;
  return { head: svg.slice(0, cut), lines: svg.slice(cut, svg.lastIndexOf("\n</svg>")).split("\n") };
}

// The elements of each line: text nodes, the ends of lines, stand between.
function grouped(nodes) {
  const groups = [[]];
  for (const node of nodes) {
    if (node.nodeType === Node.TEXT_NODE) groups.push([]);
    else groups[groups.length - 1].push(node);
  }
  return groups;
}

function elementsOf(text) {
  const room = document.createElementNS(SVG, "svg");
  room.innerHTML = text;
  return room;
}

// A new head for the same element: attributes and those children that differ.
function changeHead(root, head) {
  const room = document.createElement("div");
  room.innerHTML = head + "</svg>";
  const made = room.firstElementChild;
  for (const { name, value } of made.attributes) if (root.getAttribute(name) !== value) root.setAttribute(name, value);
  [...made.children].forEach((child, i) => {
    if (child.textContent !== root.children[i].textContent) root.children[i].replaceWith(child);
  });
}

// The new list of marks, in which those without elements are to be made.
function kept(marks, lines) {
  const place = new Map(marks.map((mark, i) => [mark.line, i]));
  let next = 0;
  return lines.map((line) => {
    const at = marks[next]?.line === line ? next : place.get(line);
    if (!(at >= next)) return { line, elements: null };
    next = at + 1;
    return marks[at];
  });
}

function tmaMarks(place, titlesOf) {
  let root = null, head = "", marks = [], titles = null;

  function anew(svg, lines) {
    place.innerHTML = svg;
    root = place.firstElementChild;
    const nodes = [...root.childNodes];
    const groups = grouped(nodes.slice(nodes.indexOf(root.querySelector("style")) + 2));
    marks = lines.map((line, i) => ({ line, elements: groups[i] }));
  }

  // False where too little stays for it to be worth while.
  function change(lines) {
    const now = kept(marks, lines);
    const fresh = now.filter((mark) => !mark.elements);
    if (2 * fresh.length > lines.length) return false;
    const stays = new Set(now);
    for (const mark of marks) if (!stays.has(mark)) mark.elements.forEach((element) => element.remove());
    marks = now;
    if (!fresh.length) return true;
    const made = grouped(elementsOf(fresh.map((mark) => mark.line).join("\n")).childNodes);
    fresh.forEach((mark, i) => { mark.elements = made[i]; });
    let before = null;
    for (let i = marks.length - 1; i >= 0; i--) {
      const mark = marks[i];
      if (mark.elements[0]?.parentNode !== root) mark.elements.forEach((element) => root.insertBefore(element, before));
      before = mark.elements[0] || before;
    }
    return true;
  }

  return {
    show(svg) {
      titles = null;
      if (!svg) {
        place.replaceChildren();
        root = null;
        return;
      }
      const now = linesOf(svg);
      if (!root || !change(now.lines)) anew(svg, now.lines);
      else if (now.head !== head) changeHead(root, now.head);
      head = now.head;
    },
    // What the mark says that the element is in, "" if nothing.
    says(element) {
      const mark = marks.findIndex(({ elements }) => elements.some((own) => own.contains(element)));
      titles = titles || titlesOf();
      return titles[mark] || "";
    },
  };
}
