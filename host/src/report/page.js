"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const save = (name, type, text) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type }));
    link.download = name;
    link.click();
    URL.revokeObjectURL(link.href);
  };
  const csv = () => {
    const names = ["suite", "case", "board", "metric", "value", "min", "max", "bytes", "iterations", "protected", "config", "method"];
    const cell = (value) => value === null || value === undefined ? "" : `"${String(value).replaceAll('"', '""')}"`;
    const rows = data.results.map((it) => names.map((name) => cell(it[name])).join(","));
    return [names.join(","), ...rows].join("\r\n") + "\r\n";
  };
  document.getElementById("json").addEventListener("click", () => save("riposte.json", "application/json", JSON.stringify(data, null, 2)));
  document.getElementById("csv").addEventListener("click", () => save("riposte.csv", "text/csv", csv()));
  // On paper nothing is closed.
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = [...document.querySelectorAll("details:not([open])")];
    for (const it of closed) it.open = true;
  });
  addEventListener("afterprint", () => {
    for (const it of closed) it.open = false;
    closed = [];
  });
  // A heading sorts its column: figures as figures, downwards and upwards in turn.
  for (const table of document.querySelectorAll("table.sortable")) {
    const body = table.tBodies[0];
    [...table.tHead.rows[0].cells].forEach((heading, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = heading.textContent;
      heading.replaceChildren(button);
      button.addEventListener("click", () => {
        const down = heading.getAttribute("aria-sort") !== "descending";
        for (const other of heading.parentNode.cells) other.removeAttribute("aria-sort");
        heading.setAttribute("aria-sort", down ? "descending" : "ascending");
        const value = (row) => row.cells[column].textContent;
        const order = (a, b) => {
          const [x, y] = [parseFloat(value(a)), parseFloat(value(b))];
          return Number.isNaN(x) || Number.isNaN(y) ? value(a).localeCompare(value(b)) : x - y;
        };
        const rows = [...body.rows].sort(order);
        body.append(...(down ? rows.reverse() : rows));
      });
    });
  }
})();
