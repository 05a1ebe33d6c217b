// Owns the page of a run: its alarms, its measures over steps, its table of steps; new steps come
// as they are logged.
import type { StepSummary } from "../../../rescore/by-step.ts";
import { aboutRun, deleting } from "./about-run.ts";
import { alarmList } from "./alarm-list.ts";
import { type Axis, axisBeside, axisOf, axisQuery } from "./axis.ts";
import { chart, copying, heatMap, saving } from "./charts.ts";
import { comparing } from "./comparing.ts";
import { el, link } from "./dom.ts";
import { health, histogram, type RewardHistogram, type RunDetail, run, runs, steps } from "./log.ts";
import { type Drawn, hoursOf, measures, withRescored } from "./measures.ts";
import { counted, figure } from "./numbers.ts";
import { rescoring } from "./rescoring.ts";
import { POINTS_MOST } from "./series.ts";
import { csv, stepTable } from "./steps-table.ts";
import { type ViewControls, viewControls } from "./view.ts";

const LIVE_MS = 5000;
/** Steps that are read again: their requests may still be coming. */
const READ_AGAIN = 3;

function charts(shown: Shown, others: readonly Drawn[], looking: ViewControls): HTMLElement[] {
  const { spread, again } = shown;
  const changes = changesOf(spread);
  const [logged, ...measured] = measures(shown, others, changes);
  const rewards = logged && chart(again === null ? logged : withRescored(logged, again), looking);
  const rest = measured.map((one) => chart(one, looking));
  const spreading = { title: "spread of rewards", changes, axis: shown.health.by, hours: hoursOf(shown) };
  const heat = spread === null ? null : heatMap(spreading, spread, looking);
  return [rewards ?? null, heat, ...rest].filter((one) => one !== null);
}

function boundsOf(spread: RewardHistogram | null): Drawn["bounds"] {
  const [least, greatest] = [spread?.edges[0], spread?.edges.at(-1)];
  return least === undefined || greatest === undefined ? null : [least, greatest];
}

/** Steps at which a spec came into use that was not there at the run's first. */
function changesOf(spread: RewardHistogram | null): number[] {
  const [first, ...later] = spread?.specs ?? [];
  return later.map(({ first_step }) => first_step).filter((step) => step > (first?.first_step ?? 0));
}

/** Most runs that are laid over one. */
const LAID_MOST = 4;

/**
 * Another run, as the address names it: of the page's owner, else of whoever has one of this name;
 * null where there is none that the key may read.
 * @param groupsAStep of the run that it is laid over
 */
async function laidOver(id: string, of: string | null, axis: Axis, groupsAStep: number): Promise<Drawn | null> {
  for (const owner of of === null ? [null] : [of, null]) {
    try {
      const beside = axisBeside(await run(id, owner), axis, groupsAStep);
      const [found, rows] = await Promise.all([health(id, owner, beside), steps(id, owner, beside, null)]);
      return { id, owner, rows, health: found, bounds: null };
    } catch {
      // The next may have it.
    }
  }
  return null;
}

/** Of runs laid over each other that are told in other units what stands at one place. */
function mixedTold({ by }: Axis, others: readonly Drawn[]): HTMLElement[] {
  const mixed = others.filter(({ health: looked }) => looked.by !== by);
  if (mixed.length === 0) return [];
  const told = mixed.map(({ id, health: { by: own, window_groups } }) =>
    own === "window"
      ? `${id} tells no step: its windows of ${window_groups} groups stand at the steps.`
      : `${id} is drawn by its steps, over windows.`,
  );
  return [el("p", { class: "soft" }, told.join(" "))];
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
    const { rows } = await runs().catch(() => ({ rows: [] }));
    names.append(...rows.flatMap(({ run_id }) => (run_id === id ? [] : [el("option", { value: run_id })])));
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
  const told = specs.map(({ spec_hash, requests, spec, cut_share }) => {
    const step = from(spec_hash);
    const cut = cut_share === null ? "" : `, ${(100 * cut_share).toFixed(1)} % of the judge's answers cut at its limit`;
    const head = `${counted(requests, "request")}${step === undefined ? "" : `, from step ${step}`}${cut}`;
    const text = el(
      "details",
      {},
      el("summary", {}, "As JSON"),
      el("pre", { tabindex: "0" }, JSON.stringify(spec, null, 1)),
    );
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

/** What of the page below its controls is drawn anew with every step: charts. */
function drawnParts(shown: Shown, others: readonly Drawn[], looking: ViewControls): HTMLElement[] {
  const { health: looked, rows } = shown;
  const part =
    looked.rows.length < rows.length ? `Alarms look at the last ${counted(looked.rows.length, looked.by)}. ` : "";
  const long = rows.length > POINTS_MOST ? `Neighbouring ${looked.by}s share a point: their mean. ` : "";
  return [
    el(
      "p",
      { class: "soft" },
      `${part}${long}Red lines: an alarm begins. Dashed lines: an alarm's threshold. Dotted lines: another spec comes into use.`,
    ),
    el("div", { class: "charts" }, ...charts(shown, others, looking)),
  ];
}

/** Puts parts in the place of others; what had the focus has it again, and what was open is. */
function redraw(place: HTMLElement, parts: readonly HTMLElement[]): void {
  const open = place.querySelector("details[open]") !== null;
  const stops = () => [...place.querySelectorAll<HTMLElement>("a, button, summary")];
  const at = stops().indexOf(document.activeElement as HTMLElement);
  place.replaceChildren(...parts);
  place.querySelector("details")?.toggleAttribute("open", open);
  if (at >= 0) stops()[at]?.focus({ preventScroll: true });
}

/**
 * The same with what was logged since, the last known steps read again; null where nothing was.
 * Throws where the server does not answer, or refuses.
 */
async function newer(shown: Shown): Promise<Shown | null> {
  const { id, owner, rows, health: looked } = shown;
  if (document.hidden) return null;
  const after = rows.at(-READ_AGAIN - 1)?.step ?? null;
  const kept = after === null ? [] : rows.slice(0, -READ_AGAIN);
  const read = await steps(id, owner, looked, after);
  if (JSON.stringify(read) === JSON.stringify(rows.slice(kept.length))) return null;
  const [now, spread] = await Promise.all([
    health(id, owner, looked).catch(() => looked),
    histogram(id, owner, looked).catch(() => shown.spread),
  ]);
  return { ...shown, rows: [...kept, ...read], health: now, spread, bounds: boundsOf(spread) };
}

/** That windows stand in for steps, and how large they are. */
function windowsTold({ by, window_groups }: Axis, { groups }: RunDetail): HTMLElement[] {
  if (by === "step") return [];
  const said = `No request of this run tells its step: windows of ${counted(window_groups ?? 0, "group")}, in order of logging, stand in for steps. `;
  const larger = (window_groups ?? 0) * 4;
  const search = new URLSearchParams(location.search);
  search.set("window_groups", `${larger}`);
  const more = groups > 20 * larger ? link(`?${search}`, `Windows of ${larger} groups`) : null;
  return [el("p", { class: "soft" }, said, more)];
}

/** Says how far a long run has been read, until its page is there. */
function reading(count: number): void {
  const main = document.querySelector("main[aria-busy]");
  main?.replaceChildren(el("p", { class: "soft", role: "status" }, `${counted(count, "step")} read, and on ..`));
}

function notFound(laid: readonly string[], others: readonly Drawn[]): HTMLElement[] {
  const missing = laid.filter((one) => !others.some(({ id }) => id === one));
  const text = `No run ${missing.join(", ")} that this key may read.`;
  return missing.length === 0 ? [] : [el("p", { role: "alert", class: "fault" }, text)];
}

/** The pages of the run's steps: plain, and with the groups sorted by what an alarm measures. */
function addresses(id: string, owner: string | null, axis: Axis) {
  const query = `${axisQuery(axis)}${owner === null ? "" : `owner=${encodeURIComponent(owner)}`}`;
  const href = (step: number) => `/runs/${encodeURIComponent(id)}/steps/${step}${query === "" ? "" : `?${query}`}`;
  const alarmed = (step: number, alarm: string) => `${href(step)}${query === "" ? "?" : "&"}alarm=${alarm}`;
  return { href, alarmed };
}

const stepsTitle = (id: string, by: Axis["by"], text: () => string): HTMLElement =>
  el(
    "h2",
    {},
    by === "step" ? "Steps" : "Windows",
    saving("CSV", `${id}.csv`, "text/csv", text),
    copying("Copy CSV", text),
  );

/** The page, and what keeps it going: it looks for new steps until it is left. */
export async function runPage(id: string, owner: string | null): Promise<HTMLElement[]> {
  const laid = new URLSearchParams(location.search).getAll("with").slice(0, LAID_MOST);
  const detail = await run(id, owner);
  const axis = axisOf(detail, location.search);
  const [found, rows, spread] = await Promise.all([
    health(id, owner, axis),
    steps(id, owner, axis, null, reading),
    histogram(id, owner, axis).catch(() => null),
  ]);
  const over = await Promise.all(
    laid.map((one) => laidOver(one, owner, axis, detail.groups / Math.max(1, rows.length))),
  );
  const others = over.filter((one) => one !== null);
  const { href, alarmed } = addresses(id, owner, axis);
  const [alarms, place] = [el("div"), el("div")];
  const state = el("p", { class: "soft", "aria-live": "polite" });
  const table = stepTable(rows, href, axis.by);
  const draw = (shown: Shown) => {
    redraw(alarms, [alarmList(shown.health, alarmed)]);
    redraw(place, drawnParts(shown, others, looking));
    table.update(shown.rows);
  };
  const tell = (failed: boolean) => {
    const { step = null } = shown.rows.at(-1) ?? {};
    const opened = `${counted(detail.groups, "group")} when this page was opened; last ${axis.by} ${figure(step)}.`;
    const told = failed ? `${opened} The last look for new ${axis.by}s failed.` : opened;
    if (state.textContent !== told) state.textContent = told;
  };
  let shown: Shown = { id, owner, rows, health: found, spread, again: null, bounds: boundsOf(spread) };
  const looking = viewControls(axis.by, () => draw(shown));
  draw(shown);
  tell(false);
  const onScored = (again: Shown["again"]) => {
    if (again === shown.again) return;
    shown = { ...shown, again };
    draw(shown);
  };
  const look = async () => {
    if (!place.isConnected) return;
    const now = await newer(shown).catch(() => "failed" as const);
    if (now !== null && now !== "failed") {
      // Meanwhile somebody may have scored the run again.
      shown = { ...now, again: shown.again };
      draw(shown);
    }
    tell(now === "failed");
    setTimeout(look, LIVE_MS);
  };
  setTimeout(look, LIVE_MS);
  return [
    el("nav", { "aria-label": "Where" }, link("/runs", "Runs")),
    el("h1", {}, id),
    ...aboutRun(detail),
    alarms,
    state,
    ...windowsTold(axis, detail),
    ...notFound(laid, others),
    overForm(id, laid),
    ...mixedTold(axis, others),
    ...(others.length === 0 ? [] : [comparing(shown, others)]),
    rescoring(detail, spread, owner, onScored),
    looking.element,
    place,
    stepsTitle(id, axis.by, () => csv(shown.rows)),
    table.element,
    specList(detail, spread),
    deleting(detail, owner),
  ];
}
