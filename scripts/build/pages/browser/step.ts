// Owns the page of a step: its groups, sortable by any measure, and the ones worth a look.
import { el, link } from "./dom.ts";
import { disputed, groupTable, meanReward } from "./groups-table.ts";
import { type GroupRow, groups } from "./log.ts";
import { isSimulatedGroup, simulatedBanner } from "./notices.ts";
import { counted, figure, percent } from "./numbers.ts";

const SHOWN = 5;

interface Pick {
  title: string;
  by: (row: GroupRow) => number | null;
  /** The least go first. */
  least?: true;
  shown: (value: number | null) => string;
}

function picked({ title, by, least, shown }: Pick, rows: readonly GroupRow[]): HTMLElement {
  const sign = least === undefined ? 1 : -1;
  const known = rows.filter((row) => by(row) !== null).sort((a, b) => sign * ((by(b) as number) - (by(a) as number)));
  const items = known
    .slice(0, SHOWN)
    .map((row) => el("li", {}, link(`/groups/${row.id}`, row.result.group_id), ` ${shown(by(row))}`));
  return el("section", {}, el("h2", {}, title), el("ol", {}, ...items));
}

const PICKS: readonly Pick[] = [
  { title: "Highest mean reward", by: meanReward, shown: figure },
  { title: "Lowest mean reward", by: meanReward, least: true, shown: figure },
  { title: "Most pairs tied or undecided", by: disputed, shown: percent },
];

export async function stepPage(id: string, step: number, owner: string | null): Promise<HTMLElement[]> {
  const alarm = new URLSearchParams(location.search).get("alarm");
  const { rows, more } = await groups(id, step, owner);
  const query = owner === null ? "" : `?owner=${encodeURIComponent(owner)}`;
  const up = el(
    "nav",
    { "aria-label": "Where" },
    link("/runs", "Runs"),
    " / ",
    link(`/runs/${encodeURIComponent(id)}${query}`, id),
  );
  return [
    up,
    ...simulatedBanner(rows.some(({ result }) => isSimulatedGroup(result))),
    el("h1", {}, `Step ${step}`),
    el("div", { class: "picks" }, ...PICKS.map((pick) => picked(pick, rows))),
    groupTable(rows, more ? `the first ${counted(rows.length, "group")}` : counted(rows.length, "group"), alarm),
  ];
}
