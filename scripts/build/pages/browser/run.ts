// Owns the page of a run: its alarms, its measures over steps, its table of steps; new steps come
// as they are logged.
import type { StepSummary } from "../../../lab/rescore/by-step.ts";
import { chart, copying, heatMap, saving } from "./charts.ts";
import { comparing } from "./comparing.ts";
import { el, link, table } from "./dom.ts";
import {
  type AlarmSpan,
  health,
  histogram,
  type RewardHistogram,
  type RunDetail,
  run,
  runs,
  type StepRow,
  steps,
} from "./log.ts";
import { type Drawn, measures, withRescored } from "./measures.ts";
import { counted, figure, percent } from "./numbers.ts";
import { rescoring } from "./rescoring.ts";

const LIVE_MS = 5000;

function charts(shown: Shown, others: readonly Drawn[]): HTMLElement[] {
  const { spread, again } = shown;
  const changes = changesOf(spread);
  const [logged, ...measured] = measures(shown, others, changes);
  const rewards = logged && chart(again === null ? logged : withRescored(logged, again));
  const rest = measured.map(chart);
  const heat = spread === null ? null : heatMap("spread of rewards", spread, changes);
  return [rewards ?? null, heat, ...rest].filter((one) => one !== null);
}

/** Steps at which a spec came into use that was not there at the run's first. */
function changesOf(spread: RewardHistogram | null): number[] {
  const [first, ...later] = spread?.specs ?? [];
  return later.map(({ first_step }) => first_step).filter((step) => step > (first?.first_step ?? 0));
}

function alarmList(alarms: readonly AlarmSpan[], href: (step: number) => string): HTMLElement {
  if (alarms.length === 0) return el("p", { class: "calm" }, "No alarm.");
  const told = alarms.map(({ alarm, level, from_step, to_step, evidence }) => {
    const until = to_step === null ? "now" : `step ${to_step}`;
    return el(
      "li",
      { class: to_step === null ? "on" : "over" },
      link(`/docs/alarms#${alarm}`, alarm),
      ` ${level}, step ${from_step} to ${until}: ${figure(evidence.value)} at `,
      link(href(evidence.step), `step ${evidence.step}`),
      ` (threshold ${figure(evidence.threshold)})`,
    );
  });
  return el("ul", { class: "alarm-list", "aria-label": "Alarms" }, ...told);
}

function csv(rows: readonly StepRow[]): string {
  const columns = Object.keys(rows[0] ?? {}) as (keyof StepRow)[];
  const cell = (value: unknown) =>
    typeof value === "object" && value !== null ? JSON.stringify(value) : `${value ?? ""}`;
  const quoted = (text: string) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return [columns, ...rows.map((row) => columns.map((name) => cell(row[name])))]
    .map((line) => line.map(quoted).join(","))
    .join("\n");
}

const sum = (counts: Readonly<Record<string, number>>) => Object.values(counts).reduce((a, b) => a + b, 0);

const ROWS_SHOWN = 50;

function stepTable(rows: readonly StepRow[], href: (step: number) => string): HTMLElement {
  const shown = rows
    .filter(({ step }) => step !== null)
    .slice(-ROWS_SHOWN)
    .reverse();
  const caption =
    shown.length < rows.length ? `the last ${shown.length} of ${rows.length} steps` : counted(shown.length, "step");
  return table<StepRow>(
    caption,
    [
      {
        title: "step",
        cell: ({ step }) => link(href(step as number), `${step}`),
        by: ({ step }) => step,
        number: true,
      },
      { title: "mean reward", cell: (row) => figure(row.reward_mean), by: (row) => row.reward_mean, number: true },
      { title: "std", cell: (row) => figure(row.reward_std), by: (row) => row.reward_std, number: true },
      {
        title: "groups with equal rewards",
        cell: (row) => percent(row.zero_variance_share),
        by: (row) => row.zero_variance_share,
        number: true,
      },
      { title: "parse rate", cell: (row) => percent(row.parse_rate), by: (row) => row.parse_rate, number: true },
      { title: "tau-b", cell: (row) => figure(row.tau_b_mean), by: (row) => row.tau_b_mean, number: true },
      {
        title: "median length",
        cell: (row) => figure(row.length_tokens.p50),
        by: (row) => row.length_tokens.p50,
        number: true,
      },
      { title: "generations", cell: (row) => figure(row.generations), by: (row) => row.generations, number: true },
      {
        title: "failed generations",
        cell: ({ errors }) => figure(sum(errors)),
        by: ({ errors }) => sum(errors),
        number: true,
      },
    ],
    shown,
  );
}

/** Most runs that are laid over one. */
const LAID_MOST = 4;

/** Another run, as the address names it; null where there is none that the key may read. */
async function laidOver(id: string): Promise<Drawn | null> {
  try {
    const [found, rows] = await Promise.all([health(id, null), steps(id, null, null)]);
    return { id, rows, health: found };
  } catch {
    return null;
  }
}

/**
 * The form that lays another run over this one: in the address, so that the view can be sent on.
 */
function overForm(id: string, laid: readonly string[]): HTMLElement {
  const names = el("datalist", { id: "runs" });
  const input = el("input", { type: "search", id: "with", list: "runs", autocomplete: "off" });
  const go = (wanted: readonly string[]) => {
    const search = new URLSearchParams(location.search);
    search.delete("with");
    for (const one of wanted) search.append("with", one);
    location.search = search.toString();
  };
  const submit = (event: Event) => {
    event.preventDefault();
    if (input.value !== "" && input.value !== id) go([...new Set([...laid, input.value])].slice(-LAID_MOST));
  };
  // Only who wants to choose asks for the list.
  const fill = async () => {
    if (names.childElementCount > 0) return;
    const all = await runs().catch(() => []);
    names.append(...all.flatMap(({ run_id }) => (run_id === id ? [] : [el("option", { value: run_id })])));
  };
  input.addEventListener("focus", () => void fill());
  const removing = laid.map((one) =>
    el(
      "button",
      { type: "button", class: "small", onclick: () => go(laid.filter((other) => other !== one)) },
      `Without ${one}`,
    ),
  );
  const add = el("button", { type: "submit", class: "small" }, "Add");
  const label = el("label", { for: "with" }, "Lay another run over this one");
  return el("form", { class: "filters", onsubmit: submit }, label, input, names, add, ...removing);
}

const specList = ({ specs }: RunDetail, spread: RewardHistogram | null): HTMLElement => {
  const from = (hash: string) => spread?.specs.find(({ spec_hash }) => spec_hash === hash)?.first_step;
  const told = specs.map(({ spec_hash, requests, spec }) => {
    const step = from(spec_hash);
    const head = `${counted(requests, "request")}${step === undefined ? "" : `, from step ${step}`}`;
    const text = el("details", {}, el("summary", {}, "As JSON"), el("pre", {}, JSON.stringify(spec, null, 1)));
    return el("li", {}, el("code", {}, spec_hash.slice(0, 19)), ` ${head}`, text);
  });
  return el("details", {}, el("summary", {}, counted(specs.length, "spec")), el("ul", {}, ...told));
};

/** What of a run changes while it goes on. */
interface Shown extends Drawn {
  spread: RewardHistogram | null;
  /** By step, under another spec; null unless somebody asked for it. */
  again: readonly StepSummary[] | null;
}

function body(shown: Shown, others: readonly Drawn[], href: (step: number) => string): HTMLElement[] {
  const { id, rows, health } = shown;
  const text = () => csv(rows);
  return [
    alarmList(health.alarms, href),
    el(
      "p",
      { class: "soft" },
      "Red lines: an alarm begins. Dashed lines: an alarm's threshold. Dotted lines: another spec comes into use.",
    ),
    el("div", { class: "charts" }, ...charts(shown, others)),
    el("h2", {}, "Steps", saving("CSV", `${id}.csv`, "text/csv", text), copying("Copy CSV", text)),
    stepTable(rows, href),
  ];
}

/** The same with what was logged since; null where nothing was. */
async function newer(shown: Shown, owner: string | null): Promise<Shown | null> {
  const { id, rows } = shown;
  const last = rows.at(-1)?.step ?? null;
  const more = document.hidden ? [] : await steps(id, owner, last).catch(() => []);
  const fresh = more.filter(({ step }) => step !== null && (last === null || step > last));
  if (fresh.length === 0) return null;
  const [now, spread] = await Promise.all([
    health(id, owner).catch(() => shown.health),
    histogram(id, owner).catch(() => shown.spread),
  ]);
  return { ...shown, rows: [...rows, ...fresh], health: now, spread };
}

/** The page, and what keeps it going: it looks for new steps until it is left. */
export async function runPage(id: string, owner: string | null): Promise<HTMLElement[]> {
  const laid = new URLSearchParams(location.search).getAll("with").slice(0, LAID_MOST);
  const [detail, found, rows, spread, over] = await Promise.all([
    run(id, owner),
    health(id, owner),
    steps(id, owner, null),
    histogram(id, owner).catch(() => null),
    Promise.all(laid.map(laidOver)),
  ]);
  const others = over.filter((one) => one !== null);
  const query = owner === null ? "" : `?owner=${encodeURIComponent(owner)}`;
  const href = (step: number) => `/runs/${encodeURIComponent(id)}/steps/${step}${query}`;
  const place = el("div");
  const state = el("p", { class: "soft", "aria-live": "polite" });
  const draw = (shown: Shown) => {
    place.replaceChildren(...body(shown, others, href));
    const { step = null } = shown.rows.at(-1) ?? {};
    state.textContent = `${counted(detail.groups, "group")} when this page was opened; last step ${figure(step)}.`;
  };
  let shown: Shown = { id, rows, health: found, spread, again: null };
  draw(shown);
  const onScored = (again: Shown["again"]) => {
    if (again === shown.again) return;
    shown = { ...shown, again };
    draw(shown);
  };
  const look = async () => {
    if (!place.isConnected) return;
    const now = await newer(shown, owner);
    if (now !== null) {
      // Meanwhile somebody may have scored the run again.
      shown = { ...now, again: shown.again };
      draw(shown);
    }
    setTimeout(look, LIVE_MS);
  };
  setTimeout(look, LIVE_MS);
  const missing = laid.filter((one) => !others.some(({ id: known }) => known === one));
  const none = el("p", { role: "alert", class: "fault" }, `No run ${missing.join(", ")} that this key may read.`);
  return [
    el("nav", { "aria-label": "Where" }, link("/runs", "Runs")),
    el("h1", {}, id),
    state,
    ...(missing.length === 0 ? [] : [none]),
    overForm(id, laid),
    ...(others.length === 0 ? [] : [comparing(() => shown, owner, others)]),
    rescoring(detail, spread, owner, onScored),
    place,
    specList(detail, spread),
  ];
}
