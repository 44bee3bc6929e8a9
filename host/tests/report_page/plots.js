"use strict";
// The plots of the page: what is drawn in each, in its own words, and the tables behind it.
(() => {
  const all = (selector, of) => [...of.querySelectorAll(selector)];
  const text = (it) => it.textContent.trim();
  const read = (it) => ({
    caption: text(it.caption),
    head: [...it.tHead.rows[0].cells].map(text),
    rows: [...it.tBodies[0].rows].map((row) => [...row.cells].map(text)),
  });
  const seen = (it) => {
    for (const around of all("details", it)) around.open = true;
    return all("table", it).every((table) => table.checkVisibility() && table.getBoundingClientRect().height > 0);
  };
  const title = (it) => text(it.querySelector("title"));
  const kinds = {
    waveform: (it) => it.querySelector("path.wave") &&
      [...all("rect.fill", it).map((it) => title(it.parentNode)), ...all("g.mark text", it).map(text)],
    bars: (it) => it.querySelector("rect.ours, rect.theirs") &&
      all("rect.ours, rect.theirs", it).map((it) => text(it.nextElementSibling)),
    growth: (it) => /larger systems/.test(title(it)) && all("g", it).map(title),
    sizes: (it) => it.querySelector("polyline.line") && all("g", it).map(title),
  };
  const figures = all("figure", document).map((it) => {
    const drawings = all("svg:not([aria-hidden])", it);
    const [kind, drawn] = Object.entries(kinds).map(([kind, of]) => [kind, drawings.length === 1 && of(drawings[0])]).find(([, it]) => it);
    return { caption: text(it.querySelector("figcaption")), kind, drawn, tables: all("table", it).map(read), seen: seen(it) };
  });
  const elsewhere = all("svg:not([aria-hidden])", document).filter((it) => !it.closest("figure")).length;
  return { figures, elsewhere };
})()
