"use strict";
// What the test asks of the page.
(() => {
  const all = (selector, of = document) => [...of.querySelectorAll(selector)];
  const text = (it) => it.textContent.trim();
  const read = (it) => ({
    section: it.closest("section").id,
    caption: text(it.caption),
    head: [...it.tHead.rows[0].cells].map(text),
    rows: [...it.tBodies[0].rows].map((row) => [...row.cells].map(text)),
  });
  const answer = { sections: all("main > section").map((it) => it.id) };
  answer.tables = all("main > section table.sortable").map(read);
  // The axes of a chart are told by the lines of its grid, each of which has its figure behind it.
  const axis = (chart, name, other) => all("line.grid", chart)
    .filter((it) => it.getAttribute(`${name}1`) === it.getAttribute(`${name}2`) && it.getAttribute(`${other}1`) !== it.getAttribute(`${other}2`))
    .map((it) => [parseFloat(it.getAttribute(`${name}1`)), parseFloat(it.nextSibling.textContent)]);
  answer.charts = all("figure").filter((it) => it.querySelector("polyline.line")).map((figure) => {
    const chart = figure.querySelector("svg.chart");
    return {
      caption: text(figure.querySelector("figcaption")),
      table: read(figure.querySelector("table")),
      across: axis(chart, "x", "y"),
      up: axis(chart, "y", "x"),
      marks: all("g", chart).map((it) => {
        const box = it.querySelector("circle, rect, path").getBBox();
        return {
          told: it.querySelector("title").textContent,
          x: box.x + box.width / 2, y: box.y + box.height / 2,
          published: it.classList.contains("published"),
        };
      }),
    };
  });
  answer.data = JSON.parse(document.getElementById("data").textContent);
  // Sorted down, then up.
  const table = all("table.sortable").find((it) => it.tBodies[0].rows.length > 2);
  const heading = table.tHead.rows[0].cells[1];
  heading.querySelector("button").click();
  const order = () => [...table.tBodies[0].rows].map((row) => parseFloat(row.cells[1].textContent));
  const is = (good) => order().every((it, at, rows) => at === 0 || Number.isNaN(it) || good(rows[at - 1], it));
  const down = is((before, after) => before >= after) && heading.getAttribute("aria-sort") === "descending";
  heading.querySelector("button").click();
  const up = is((before, after) => before <= after) && heading.getAttribute("aria-sort") === "ascending";
  answer.sorted = [up && "ascending", down && "descending"];
  return answer;
})()
