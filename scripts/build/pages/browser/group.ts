// Owns the page of a group: rollouts side by side, who beat whom, and each verdict.
import { el, link, table } from "./dom.ts";
import { type GroupRow, request, type StoredVerdict, verdicts } from "./log.ts";
import { figure, percent } from "./numbers.ts";

type Rollout = GroupRow["result"]["rollouts"][number];

function rolloutTable({ result, rewards, pass_rates }: GroupRow): HTMLElement {
  const names = [...new Set(result.rollouts.flatMap(({ components }) => Object.keys(components)))];
  const rows = result.rollouts.map((rollout, index) => ({ ...rollout, index }));
  type Row = Rollout & { index: number };
  const count = (title: "wins" | "losses" | "ties" | "undecided" | "unparsed") => ({
    title,
    cell: (row: Row) => figure(row[title]),
    by: (row: Row) => row[title],
    number: true as const,
  });
  return table<Row>(
    `${rows.length} rollouts`,
    [
      { title: "rollout", cell: ({ index }) => `#${index}`, by: ({ index }) => index },
      {
        title: "reward",
        cell: ({ index, error }) => error ?? figure(rewards[index]),
        by: ({ index }) => rewards[index] ?? null,
        number: true,
      },
      ...names.map((name) => ({
        title: name,
        cell: ({ components, errors }: Row) => errors?.[name] ?? figure(components[name]),
        by: ({ components }: Row) => components[name] ?? null,
        number: true as const,
      })),
      {
        title: "pass rate",
        cell: ({ index }) => percent(pass_rates[index]),
        by: ({ index }) => pass_rates[index] ?? null,
        number: true,
      },
      count("wins"),
      count("losses"),
      count("ties"),
      count("undecided"),
      count("unparsed"),
      {
        title: "notes",
        cell: ({ format_ok, jams_judge, duplicate_of, index }) =>
          [
            format_ok ? "" : "breaks a format rule",
            jams_judge ? "jams the judge" : "",
            duplicate_of === null ? "" : `equals #${duplicate_of}`,
            result.selected === index ? "selected" : "",
          ]
            .filter((note) => note !== "")
            .join(", "),
      },
    ],
    rows,
  );
}

/** Place of the letter within the order shown; -1 without one. */
const winnerOf = ({ letter, order }: StoredVerdict) =>
  letter === null ? -1 : (order[letter.charCodeAt(0) - 65] ?? -1);

function matrix(size: number, all: readonly StoredVerdict[], show: (a: number, b: number) => void): HTMLElement {
  const pairs = all.filter(({ order }) => order.length === 2);
  const cell = (a: number, b: number): Node | string => {
    const asked = pairs.filter(({ order }) => order.includes(a) && order.includes(b));
    if (a === b || asked.length === 0) return "";
    const won = asked.filter((verdict) => winnerOf(verdict) === a).length;
    return el(
      "button",
      { type: "button", onclick: () => show(a, b), "aria-label": `${won}/${asked.length} verdicts of #${a} and #${b}` },
      `${won}/${asked.length}`,
    );
  };
  const heads = Array.from({ length: size }, (_, i) => i);
  return table<number>(
    "verdicts won by the row against the column",
    [
      { title: "", cell: (a) => `#${a}` },
      ...heads.map((b) => ({ title: `#${b}`, cell: (a: number) => cell(a, b), number: true as const })),
    ],
    heads,
  );
}

function verdictTable(all: readonly StoredVerdict[], caption: string): HTMLElement {
  return table<StoredVerdict>(
    caption,
    [
      { title: "asked", cell: ({ comparison, sample }) => `${comparison}.${sample}` },
      { title: "shown", cell: ({ order }) => order.map((r, k) => `${String.fromCharCode(65 + k)} #${r}`).join("  ") },
      {
        title: "verdict",
        cell: ({ letter, scores, status, error }) => letter ?? scores?.join(", ") ?? error ?? status ?? "",
      },
      {
        title: "status",
        cell: ({ status, error, finish_reason }) => error ?? (status === "ok" ? "ok" : `${status} (${finish_reason})`),
      },
      {
        title: "tokens",
        cell: ({ completion_tokens }) => figure(completion_tokens),
        by: (row) => row.completion_tokens,
        number: true,
      },
      { title: "ms", cell: ({ latency_ms }) => figure(latency_ms), by: (row) => row.latency_ms, number: true },
      { title: "model", cell: ({ model }) => model ?? "" },
    ],
    all,
  );
}

export async function groupPage(id: string): Promise<HTMLElement[]> {
  const at = id.lastIndexOf(".");
  const [whole, all] = await Promise.all([request(id.slice(0, at)), verdicts(id)]);
  const group = whole.groups.find((row) => row.id === id) as GroupRow;
  const { run_id, step, owner } = whole;
  const list = el("div", {}, verdictTable(all, `${all.length} verdicts`));
  const show = (a: number, b: number) => {
    const some = all.filter(({ order }) => order.includes(a) && order.includes(b));
    list.replaceChildren(verdictTable(some, `${some.length} verdicts of #${a} and #${b}`));
    history.replaceState(null, "", `#pair=${a}-${b}`);
    list.scrollIntoView({ block: "start" });
  };
  const [, a, b] = /^#pair=(\d+)-(\d+)$/.exec(location.hash) ?? [];
  if (a !== undefined && b !== undefined) queueMicrotask(() => show(Number(a), Number(b)));
  const query = owner === null ? "" : `?owner=${encodeURIComponent(owner)}`;
  const runPath = `/runs/${encodeURIComponent(run_id ?? "")}`;
  const trail = [link("/runs", "Runs")];
  if (run_id !== null) trail.push(link(`${runPath}${query}`, run_id));
  if (run_id !== null && step !== null) trail.push(link(`${runPath}/steps/${step}${query}`, `step ${step}`));
  const raw = el(
    "details",
    {},
    el("summary", {}, "As JSON"),
    el("pre", {}, JSON.stringify({ group, verdicts: all }, null, 1)),
  );
  return [
    el("nav", { "aria-label": "Where" }, ...trail.flatMap((one, i) => (i === 0 ? [one] : [" / ", one]))),
    el("h1", {}, group.result.group_id),
    el(
      "p",
      { class: "soft" },
      `${group.result.status}; prompt ${group.prompt_hash.slice(0, 12)}; ${group.language ?? "no language"}`,
    ),
    rolloutTable(group),
    el("h2", {}, "Who beat whom"),
    matrix(group.rewards.length, all, show),
    el("h2", {}, "Verdicts"),
    list,
    raw,
  ];
}
