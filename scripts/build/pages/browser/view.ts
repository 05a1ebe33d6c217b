// How the charts of a run are looked at: smoothed or not, over steps or time, a part or all of the run. Kept
// in the address, so that the view can be sent on.
import { el } from "./dom.ts";

export interface View {
  /** Weight of the past in the moving average; 0: none. */
  smoothing: number;
  over: "step" | "time";
  /** What is drawn of the axis; null: from its beginning, to its end. */
  from: number | null;
  to: number | null;
}

const SMOOTHING: readonly (readonly [weight: number, name: string])[] = [
  [0, "none"],
  [0.6, "light (0.6)"],
  [0.9, "medium (0.9)"],
  [0.97, "strong (0.97)"],
];

const numberIn = (search: URLSearchParams, name: string): number | null => {
  const text = search.get(name) ?? "";
  return text.trim() === "" || !Number.isFinite(Number(text)) ? null : Number(text);
};

/** The view that an address names. */
export function viewIn(address: string): View {
  const search = new URLSearchParams(address);
  const [smoothing] = SMOOTHING.find(([weight]) => weight === numberIn(search, "smooth")) ?? [0];
  const over = search.get("over") === "time" ? "time" : "step";
  return { smoothing, over, from: numberIn(search, "from"), to: numberIn(search, "to") };
}

/** The same address with this view in it. */
export function withView(address: string, { smoothing, over, from, to }: View): string {
  const search = new URLSearchParams(address);
  const parameters = { smooth: smoothing || null, over: over === "time" ? over : null, from, to };
  for (const [name, value] of Object.entries(parameters)) {
    if (value === null) search.delete(name);
    else search.set(name, `${value}`);
  }
  return search.toString();
}

/** A point's place on the axis; null where that is unknown. */
export const placeOf = (
  { over }: View,
  { step, hours }: { step: number; hours?: number | undefined },
): number | null => (over === "step" ? step : (hours ?? null));

export const isShown = ({ from, to }: View, place: number | null): place is number =>
  place !== null && place >= (from ?? -Infinity) && place <= (to ?? Infinity);

/** An end of what is drawn, no finer than the axis is read. */
const rounded = (over: View["over"], place: number): number =>
  over === "step" ? Math.round(place) : Number(place.toPrecision(4));

export interface ViewControls {
  element: HTMLElement;
  view(): View;
  /** Draws from one place of the axis to another, in either order. */
  zoom(edge: number, other: number): void;
  /** Draws all of the run. */
  whole(): void;
}

/**
 * The page's toolbar.
 * @param onChange called after each change of the view
 * @param others controls that are not of the view
 */
export function viewControls(onChange: () => void, others: readonly HTMLElement[]): ViewControls {
  let view = viewIn(location.search);
  const option = (value: string, text: string) => el("option", { value }, text);
  const smoothing = el("select", { id: "smooth" }, ...SMOOTHING.map(([weight, text]) => option(`${weight}`, text)));
  const over = el("select", { id: "over" }, option("step", "steps"), option("time", "time"));
  const end = (id: string) => el("input", { type: "number", id, step: "any", min: "0" });
  const [from, to] = [end("from"), end("to")];
  const all = el("button", { type: "button", class: "small" }, "Whole run");
  const show = () => {
    smoothing.value = `${view.smoothing}`;
    over.value = view.over;
    from.value = `${view.from ?? ""}`;
    to.value = `${view.to ?? ""}`;
    all.disabled = view.from === null && view.to === null;
  };
  const change = (part: Partial<View>) => {
    view = { ...view, ...part };
    const search = withView(location.search, view);
    history.replaceState(null, "", `${location.pathname}${search === "" ? "" : `?${search}`}${location.hash}`);
    show();
    onChange();
  };
  const zoom = (edge: number, other: number) => {
    const [low, high] = [Math.min(edge, other), Math.max(edge, other)].map((place) => rounded(view.over, place));
    if (low !== high) change({ from: low as number, to: high as number });
  };
  const whole = () => change({ from: null, to: null });
  smoothing.addEventListener("change", () => change({ smoothing: Number(smoothing.value) }));
  // A range of the one axis is none of the other.
  over.addEventListener("change", () => change({ over: over.value as View["over"], from: null, to: null }));
  for (const [input, field] of [
    [from, "from"],
    [to, "to"],
  ] as const) {
    input.addEventListener("change", () => change({ [field]: input.value === "" ? null : Number(input.value) }));
  }
  all.addEventListener("click", whole);
  show();
  const field = (label: string, input: HTMLElement) =>
    el("span", { class: "field" }, el("label", { for: input.id }, label), input);
  const hint = el("span", { class: "soft" }, "Drag to zoom, double-click to reset.");
  const fields = [field("Smoothing", smoothing), field("Over", over), field("from", from), field("to", to), all, hint];
  // A small screen shows the first chart instead of the fields, unless the address changes the view.
  const isChanged = withView("", view) !== "";
  const element = el(
    "details",
    { class: "view", open: isChanged || !matchMedia("(max-width: 40rem)").matches },
    el("summary", {}, "View and compare"),
    el("p", { class: "filters" }, ...fields),
    ...others,
  );
  return { element, view: () => view, zoom, whole };
}
