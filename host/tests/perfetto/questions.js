// Opens a file in Perfetto's page, and asks its trace processor what is in it: rows of texts.
async (file) => {
  const comes = async (is) => {
    while (!is()) await new Promise((then) => setTimeout(then, 20));
  };
  await comes(() => window.app);
  const buffer = await fetch(file).then((it) => it.arrayBuffer());
  app.openTraceFromBuffer({ buffer, title: file, fileName: file });
  await comes(() => app.trace?.traceInfo.source.title === file && !app.isLoadingTrace);
  const rows = async (columns, rest) => {
    const named = columns.map((it, index) => `cast(${it} as text) as c${index}`);
    const result = await app.trace.engine.query(`select ${named.join(", ")} ${rest}`);
    const names = columns.map((_, index) => `c${index}`);
    const types = Object.fromEntries(names.map((it) => [it, "str_null"]));
    const all = [];
    for (const it = result.iter(types); it.valid(); it.next()) all.push(names.map((name) => it[name]));
    return all;
  };
  const threads = `select slice.id, pid as p, tid as t, slice.name as n, ts from slice
    join thread_track on slice.track_id = thread_track.id join thread using (utid) join process using (upid)`;
  return {
    left_out: await rows(["name", "value"], "from stats where severity in ('error', 'data_loss') and value > 0"),
    slices: await rows(["p", "t", "n", "ts"], `from (${threads}) order by ts`),
    flows: await rows(
      ["a.p", "a.t", "a.n", "a.ts", "b.p", "b.t", "b.n", "b.ts"],
      `from flow join (${threads}) a on a.id = slice_out join (${threads}) b on b.id = slice_in`,
    ),
    threads: await rows(["pid", "tid", "thread.name"], "from thread join process using (upid) where thread.name is not null"),
    counters: await rows(
      ["t.name", "count(*)"],
      "from counter join counter_track t on counter.track_id = t.id group by t.name",
    ),
  };
}
