// The page of runs: each with its last step, age, rewards and alarms; filtered by text and by alarm.
import { LAID_MOST } from "./comparing.ts";
import { type Column, el, link, liveTable } from "./dom.ts";
import { showFrame } from "./frame.ts";
import { health, type RunHealth, type RunSummary, runs } from "./log.ts";
import { nameLink } from "./names.ts";
import { isSimulatedRun, simulatedBanner } from "./notices.ts";
import { age, compact, counted, figure, percent } from "./numbers.ts";
import { type Trend, trendOf } from "./trend.ts";

/** Runs whose alarms and rewards are looked up; the newest. */
const LOOKED_AT = 24;
const STEPS_LOOKED_AT = 300;

export const runHref = ({ run_id, owner }: Pick<RunSummary, "run_id" | "owner">, named: boolean): string =>
  `/runs/${encodeURIComponent(run_id)}${named ? `?owner=${encodeURIComponent(owner ?? "")}` : ""}`;

interface Seen extends RunSummary {
  health: RunHealth | null;
  /** Its rewards; null where its steps were not looked up. */
  rewards: Trend | null;
}

export async function runsPage(): Promise<HTMLElement[]> {
  showFrame([el("h1", {}, "Runs")]);
  const { rows: all, more } = await runs();
  if (all.length === 0) {
    const how =
      "No run is logged yet. Send a run_id with POST /v1/rewards to start a run, and a step to order its charts: ";
    return [el("h1", {}, "Runs"), el("p", {}, how, link("/docs/guides/training", "training guide"), ".")];
  }
  const named = new Set(all.map(({ owner }) => owner)).size > 1;
  const owner = (run: RunSummary) => (named ? (run.owner ?? "") : null);
  const seen = await Promise.all(
    all.map(async (run, i): Promise<Seen> => {
      const found = i < LOOKED_AT ? await health(run.run_id, owner(run), [STEPS_LOOKED_AT]).catch(() => null) : null;
      return { ...run, health: found, rewards: found === null ? null : trendOf(found.rows, (row) => row.reward_mean) };
    }),
  );
  const compare = comparison(named);
  const found = liveTable("", columns(named, compare.box), seen);
  found.element.classList.add("cards");
  const text = el("input", { type: "search", placeholder: "run id", "aria-label": "Filter by run id" });
  const names = [...new Set(seen.flatMap(({ health }) => health?.on ?? []))].sort();
  const alarm = el(
    "select",
    { id: "alarm" },
    ...[["", "any run"], ["any", "any active alarm"], ...names.map((name) => [name, name])].map(
      ([value = "", text = ""]) => el("option", { value }, text),
    ),
  );
  const show = () => {
    const rows = seen.filter(
      ({ run_id, health }) =>
        run_id.toLowerCase().includes(text.value.toLowerCase()) && fits(health?.on ?? [], alarm.value),
    );
    const part = rows.length === seen.length ? "" : `${figure(rows.length)} of `;
    found.update(`${part}${more ? "the newest " : ""}${counted(seen.length, "run")}, newest first`, rows);
  };
  text.addEventListener("input", show);
  alarm.addEventListener("change", show);
  show();
  const choice = el("span", { class: "field" }, el("label", { for: "alarm" }, "Alarm"), alarm);
  const filters = el("p", { class: "filters" }, text, choice, compare.element);
  const part = `Alarms and reward curves are shown for the ${LOOKED_AT} newest runs. Open an older run to see its alarms.`;
  const hint = all.length > LOOKED_AT ? [el("p", { class: "soft" }, part)] : [];
  const banner = simulatedBanner(
    seen.some(({ health }) => isSimulatedRun(health?.rows ?? [])),
    "verdicts of runs marked (simulated)",
  );
  return [...banner, el("h1", {}, "Runs"), filters, ...hint, found.element];
}

/** A box to tick each run, and the link to the page that draws the ticked runs together: the first one's. */
function comparison(named: boolean): { box: (run: Seen) => HTMLElement; element: HTMLElement } {
  let ticked: Seen[] = [];
  const element = el("span", { class: "soft", "aria-live": "polite" });
  const show = () => {
    const [first, ...others] = ticked;
    if (first === undefined || others.length === 0) {
      element.replaceChildren(`Tick 2 to ${LAID_MOST + 1} runs to compare them.`);
      return;
    }
    const address = new URL(runHref(first, named), location.href);
    for (const { run_id } of others) address.searchParams.append("with", run_id);
    element.replaceChildren(link(address.pathname + address.search, `Compare ${counted(ticked.length, "run")}`));
  };
  const tick = (run: Seen, box: HTMLInputElement) => {
    // The address of a comparison names one owner, so a run of another owner starts a new selection.
    ticked = ticked.filter((other) => other !== run && other.owner === run.owner);
    if (box.checked) ticked.push(run);
    // The run that was ticked first makes room.
    ticked = ticked.slice(-LAID_MOST - 1);
    for (const [other, shown] of boxes) shown.checked = ticked.includes(other);
    show();
  };
  const boxes = new Map<Seen, HTMLInputElement>();
  const boxOf = (run: Seen) => {
    const box = boxes.get(run) ?? el("input", { type: "checkbox", "aria-label": `Compare ${run.run_id}` });
    if (!boxes.has(run)) box.addEventListener("change", () => tick(run, box));
    boxes.set(run, box);
    return box;
  };
  show();
  return { box: boxOf, element };
}

/** Whether the alarms that are on fit the choice: `any`, a name, or all. */
const fits = (on: readonly string[], wanted: string): boolean =>
  wanted === "" || (wanted === "any" ? on.length > 0 : on.includes(wanted));

const tokensOf = ({ prompt_tokens, completion_tokens }: RunSummary) => prompt_tokens + completion_tokens;

/** @param box the box that ticks a run */
function columns(named: boolean, box: (run: Seen) => HTMLElement): Column<Seen>[] {
  const now = Date.now();
  return [
    {
      title: "run",
      cell: (run) => {
        const simulated = isSimulatedRun(run.health?.rows ?? []) ? " (simulated)" : null;
        return el(
          "span",
          { class: "field" },
          box(run),
          el("span", {}, nameLink(runHref(run, named), run.run_id), simulated),
        );
      },
      sortValue: ({ run_id }) => run_id,
    },
    {
      title: "alarms",
      // Not looked up, or nothing to look at, is not the same as none.
      cell: ({ health }) =>
        health === null || health.looked_at.length === 0
          ? figure(null)
          : health.on.length === 0
            ? el("span", { class: "soft" }, `none of ${health.looked_at.length}`)
            : el("span", { class: "alarms" }, ...health.on.map((name) => el("b", {}, name))),
      sortValue: ({ health }) => health?.on.length ?? null,
    },
    ...(named ? [{ title: "owner", cell: ({ owner }: Seen) => owner ?? "" }] : []),
    {
      title: "last step",
      cell: ({ last_step }) => figure(last_step),
      sortValue: ({ last_step }) => last_step,
      number: true,
    },
    { title: "last update", cell: ({ last_at }) => age(last_at, now), sortValue: ({ last_at }) => last_at },
    {
      title: "latest reward",
      cell: ({ rewards }) => el("span", { class: "spark" }, figure(rewards?.to), rewards?.line ?? null),
      sortValue: ({ rewards }) => rewards?.to ?? null,
      number: true,
    },
    {
      title: "parse rate",
      cell: ({ parse_rate }) => percent(parse_rate),
      sortValue: ({ parse_rate }) => parse_rate,
      number: true,
    },
    { title: "groups", cell: ({ groups }) => figure(groups), sortValue: ({ groups }) => groups, number: true },
    { title: "tokens", cell: (run) => compact(tokensOf(run)), sortValue: tokensOf, number: true },
  ];
}
