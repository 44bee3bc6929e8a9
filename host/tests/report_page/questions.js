"use strict";
// What the test asks of the page, answered at its end.
addEventListener("load", async () => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const answer = { wrong: window.wrong };
  answer.dark = matchMedia("(prefers-color-scheme: dark)").matches;
  answer.sections = all("main > section").map((it) => it.id);
  answer.rows = all("tbody tr").map((row) => [...row.cells].map((cell) => cell.textContent.trim()));
  const marks = "figure .chart > g > :is(circle, rect, path)";
  answer.points = all(marks).length;
  answer.lanes = all("figure .chart rect.fill").length;
  answer.data = JSON.parse(document.getElementById("data").textContent).results;
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
  const broken = (await axe.run()).violations;
  answer.axe = broken.map((it) => `${it.id}: ${it.nodes.map((node) => node.html.slice(0, 100)).join(" | ")}`);
  // A frame is a narrower screen.
  answer.wide = [];
  const copy = document.documentElement.outerHTML.replace(/<script>[\s\S]*?<\/script>/g, "");
  for (const width of [390, 800, 1200]) {
    const frame = document.createElement("iframe");
    frame.style.cssText = `width: ${width}px; height: 800px`;
    const loaded = new Promise((done) => frame.addEventListener("load", done));
    frame.srcdoc = copy;
    document.body.append(frame);
    await loaded;
    if (frame.contentDocument.documentElement.scrollWidth > width) answer.wide.push(width);
    frame.remove();
  }
  const text = document.createElement("pre");
  text.id = "answer";
  text.textContent = JSON.stringify(answer);
  document.body.append(text);
});
