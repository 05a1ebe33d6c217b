// The page of a run: its alarms, its measures over steps, its table of steps; new steps come as they are
// logged.
import type { StepSummary } from "../../../rescore/by-step.ts";
import { aboutRun, deleting } from "./about-run.ts";
import { alarmList } from "./alarm-list.ts";
import { chart, copying, heatMap, saving } from "./charts.ts";
import { comparing, LAID_MOST } from "./comparing.ts";
import { el, link } from "./dom.ts";
import { showFrame } from "./frame.ts";
import { headlines } from "./headline.ts";
import { health, newerHealth, type RunDetail, run, runs, steps } from "./log.ts";
import { type Drawn, EVERY_ALARM, hoursOf, measures, withRescored } from "./measures.ts";
import { copyingName, nameTitle, shortName } from "./names.ts";
import { isSimulatedStep, simulatedBanner } from "./notices.ts";
import { age, counted, figure } from "./numbers.ts";
import { relativeNote } from "./relative-reward.ts";
import { repeatNotes } from "./repeated-steps.ts";
import { rescoring } from "./rescoring.ts";
import { POINTS_MOST } from "./series.ts";
import { specChanges, specStarts } from "./spec-starts.ts";
import { type Spread, spreading } from "./spread.ts";
import { csv, type StepTable, stepTable } from "./steps-table.ts";
import { type ViewControls, viewControls } from "./view.ts";

const LIVE_MS = 5000;
/** Steps that are read again: their requests may still be coming. */
const READ_AGAIN = 3;

/** The charts that have data, below the question that they answer. */
function sections(shown: Shown, others: readonly Drawn[], looking: ViewControls): HTMLElement[] {
  const { detail, rows, spread, rescored } = shown;
  const changes = specChanges(specStarts(detail, rows));
  const drawn = measures(shown, others, changes).flatMap((options) => {
    const isMean = options.title === EVERY_ALARM;
    const figure = chart(isMean && rescored !== null ? withRescored(options, rescored) : options, looking);
    const heatChart = { title: "distribution of rewards", changes, hours: hoursOf(shown) };
    // The distribution of rewards comes next to their mean.
    const heat = isMean && spread !== null ? heatMap(heatChart, spread, looking) : null;
    return [figure, heat].flatMap((element) => (element === null ? [] : [{ section: options.section, element }]));
  });
  return [...Map.groupBy(drawn, ({ section }) => section)].map(([title, figures]) =>
    el(
      "section",
      { class: "part" },
      el("h2", {}, title),
      el("div", { class: "charts" }, ...figures.map(({ element }) => element)),
    ),
  );
}

/**
 * Another run, as the address names it: of the page's owner, else of whoever has one of this name;
 * null where there is none that the key may read.
 */
async function laidOver(id: string, pageOwner: string | null): Promise<Drawn | null> {
  for (const owner of pageOwner === null ? [null] : [pageOwner, null]) {
    try {
      const [found, rows] = await Promise.all([health(id, owner), steps(id, owner, null)]);
      return { id, owner, rows, health: found, relative: null };
    } catch {
      // The next may have it.
    }
  }
  return null;
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
    for (const runId of wanted) search.append("with", runId);
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
  const removing = laid.map((runId) =>
    el(
      "button",
      { type: "button", class: "small", onclick: () => go(laid.filter((other) => other !== runId)) },
      `Remove ${shortName(runId)}`,
    ),
  );
  const add = el("button", { type: "submit", class: "small" }, "Add");
  const label = el("label", { for: "with" }, "Compare with another run");
  return el("form", { class: "filters", onsubmit: submit }, label, input, names, add, ...removing);
}

const specList = ({ specs }: RunDetail, starts: ReadonlyMap<string, number>): HTMLElement => {
  const items = specs.map(({ spec_hash, requests, spec, cut_share }) => {
    const step = starts.get(spec_hash);
    const cut =
      cut_share === null ? "" : `, ${(100 * cut_share).toFixed(1)} % of the verifier's answers cut at max_tokens`;
    const head = `${counted(requests, "request")}${step === undefined ? "" : `, from step ${step}`}${cut}`;
    const text = el(
      "details",
      {},
      el("summary", {}, "As JSON"),
      el("pre", { tabindex: "0" }, JSON.stringify(spec, null, 1)),
    );
    return el("li", {}, el("code", {}, spec_hash.slice(0, 19)), ` ${head}`, text);
  });
  return el("details", {}, el("summary", {}, counted(specs.length, "spec")), el("ul", {}, ...items));
};

/** The parts of a run that change while it goes on. */
interface Shown extends Drawn {
  detail: RunDetail;
  /** Null unless somebody asked for it. */
  spread: Spread | null;
  /** By step, under another spec; null unless somebody asked for it. */
  rescored: readonly StepSummary[] | null;
}

/** The parts of the page below its controls that are drawn anew with every step: charts. */
function drawnParts(shown: Shown, others: readonly Drawn[], looking: ViewControls): HTMLElement[] {
  const { health: looked, rows } = shown;
  if (shown.detail.last_step === null) return [];
  const part = looked.rows.length < rows.length ? `Alarms use the last ${counted(looked.rows.length, "step")}. ` : "";
  const long = rows.length > POINTS_MOST ? "Each point averages neighbouring steps. " : "";
  const note = `${part}${long}`.trim();
  return [...sections(shown, others, looking), ...(note === "" ? [] : [el("p", { class: "soft" }, note)])];
}

/** Replaces the parts of a place. The focus stays, and named details that were open stay open. */
function redraw(place: HTMLElement, parts: readonly HTMLElement[]): void {
  const open = [...place.querySelectorAll<HTMLElement>("details[open]")].map(({ dataset }) => dataset.name);
  const stops = () => [...place.querySelectorAll<HTMLElement>("a, button, summary")];
  const at = stops().indexOf(document.activeElement as HTMLElement);
  place.replaceChildren(...parts);
  for (const details of place.querySelectorAll("details")) details.open = open.includes(details.dataset.name);
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
  const unchanged = after === null ? [] : rows.slice(0, -READ_AGAIN);
  const read = await steps(id, owner, after);
  if (JSON.stringify(read) === JSON.stringify(rows.slice(unchanged.length))) return null;
  const [now, detail] = await Promise.all([
    newerHealth(id, owner, looked.rows, read.length).catch(() => looked),
    run(id, owner).catch(() => shown.detail),
  ]);
  return { ...shown, rows: [...unchanged, ...read], health: now, detail };
}

/** Says why a run without steps has no curves. */
const steplessNote = (): HTMLElement =>
  el(
    "p",
    {},
    "The requests of this run have no step, so the run has no charts and no alarms. Send ",
    el("code", {}, "step"),
    " with requests.",
  );

/** Where the page is, and its title: a long id is cut. */
const head = (id: string): HTMLElement[] => [
  el("nav", { "aria-label": "Where" }, link("/runs", "Runs")),
  nameTitle(id),
];

function notFound(laid: readonly string[], others: readonly Drawn[]): HTMLElement[] {
  const missing = laid.filter((runId) => !others.some(({ id }) => id === runId));
  const text = `Run not found, or not readable with this key: ${missing.join(", ")}.`;
  return missing.length === 0 ? [] : [el("p", { role: "alert", class: "fault" }, text)];
}

/** The pages of the run's steps: plain, and with the groups sorted by what an alarm measures. */
function addresses(id: string, owner: string | null) {
  const query = owner === null ? "" : `owner=${encodeURIComponent(owner)}`;
  const href = (step: number) => `/runs/${encodeURIComponent(id)}/steps/${step}${query === "" ? "" : `?${query}`}`;
  const alarmed = (step: number, alarm: string) => `${href(step)}${query === "" ? "?" : "&"}alarm=${alarm}`;
  return { href, alarmed };
}

const stepsPart = (id: string, text: () => string, { element }: StepTable): HTMLElement => {
  const buttons = [saving("CSV", `${id}.csv`, "text/csv", text), copying("Copy CSV", text)];
  return el("div", {}, el("h2", {}, "Steps", ...buttons), element);
};

/** A run that wrote nothing for so long is idle. */
const IDLE_MS = 600_000;

/** Whether the run goes on. */
function activity({ last_at }: RunDetail): string {
  const last = new Date(last_at);
  return Date.now() - last.getTime() < IDLE_MS ? "Running" : `Idle since ${last.toLocaleString()}`;
}

/**
 * The line below the title: whether the run goes on, its last step and, apart from what is announced, the
 * age of that step.
 */
function stateLine(id: string) {
  const text = el("span", { "aria-live": "polite" });
  const since = el("span");
  /** @param failed whether the last check for new steps failed */
  const update = ({ rows, detail }: Shown, failed: boolean) => {
    const { step = null } = rows.at(-1) ?? {};
    const fault = failed ? " The last check for new steps failed." : "";
    const last = step === null ? "" : `; last step ${figure(step)}`;
    const said = `${activity(detail)}. ${counted(detail.groups, "group")}${last}.${fault}`;
    if (text.textContent !== said) text.textContent = said;
    since.textContent = ` Updated ${age(detail.last_at, Date.now())}.`;
  };
  return { element: el("p", { class: "soft" }, text, since, copyingName(id)), update };
}

/** The page, and what keeps it going: it looks for new steps until it is left. */
export async function runPage(id: string, owner: string | null): Promise<HTMLElement[]> {
  const laid = new URLSearchParams(location.search).getAll("with").slice(0, LAID_MOST);
  const showProgress = showFrame(head(id), true);
  const reading = (count: number) => showProgress(`Loading steps (${count}) ..`);
  const [detail, found, rows] = await Promise.all([run(id, owner), health(id, owner), steps(id, owner, null, reading)]);
  const starts = specStarts(detail, rows);
  const over = await Promise.all(laid.map((runId) => laidOver(runId, owner)));
  const others = over.filter((drawn) => drawn !== null);
  const { href, alarmed } = addresses(id, owner);
  const [alarms, figures, place] = [el("div"), el("div"), el("div")];
  const state = stateLine(id);
  const table = stepTable(rows, href);
  const listed = stepsPart(id, () => csv(shown.rows), table);
  const draw = (shown: Shown) => {
    const isStepless = shown.detail.last_step === null;
    const found = isStepless ? steplessNote() : alarmList(shown.health, alarmed);
    const banner = simulatedBanner(shown.rows.some(isSimulatedStep));
    redraw(alarms, [...banner, ...repeatNotes(shown.rows), found]);
    for (const part of [looking.element, listed]) part.hidden = isStepless;
    figures.replaceChildren(...headlines(shown));
    redraw(place, drawnParts(shown, others, looking));
    table.update(shown.rows);
  };
  const relative = relativeNote(detail.specs);
  let shown: Shown = { id, owner, rows, health: found, relative, detail, spread: null, rescored: null };
  const onSpread = (spread: Spread) => {
    shown = { ...shown, spread };
    draw(shown);
  };
  const looking = viewControls(
    () => draw(shown),
    [overForm(id, laid), spreading({ id, owner }, () => shown.rows, onSpread)],
  );
  draw(shown);
  state.update(shown, false);
  const onScored = (rescored: Shown["rescored"]) => {
    if (rescored === shown.rescored) return;
    shown = { ...shown, rescored };
    draw(shown);
  };
  const look = async () => {
    if (!place.isConnected) return;
    const now = await newer(shown).catch(() => "failed" as const);
    if (now !== null && now !== "failed") {
      // Meanwhile somebody may have scored the run again, or asked for the distribution of rewards.
      shown = { ...now, rescored: shown.rescored, spread: shown.spread };
      draw(shown);
    }
    state.update(shown, now === "failed");
    setTimeout(look, LIVE_MS);
  };
  setTimeout(look, LIVE_MS);
  return [
    ...head(id),
    state.element,
    ...aboutRun(detail),
    alarms,
    figures,
    ...notFound(laid, others),
    looking.element,
    place,
    ...(others.length === 0 ? [] : [comparing(shown, others)]),
    rescoring(detail, starts, owner, onScored),
    listed,
    specList(detail, starts),
    deleting(detail, owner),
  ];
}
