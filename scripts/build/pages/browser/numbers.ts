// How numbers and times are written on the pages.

const UNKNOWN = "\u2013";

/** Three significant places, or a dash. */
export function figure(value: number | null | undefined): string {
  if (value === null || value === undefined) return UNKNOWN;
  if (Number.isInteger(value)) return value.toLocaleString("en");
  return Math.abs(value) >= 1000 ? Math.round(value).toLocaleString("en") : Number(value.toPrecision(3)).toString();
}

/** A large count in few places: `9.8B`. */
export const compact = (value: number): string =>
  value.toLocaleString("en", { notation: "compact", maximumFractionDigits: 1 });

/** A count of a thing, in singular or plural. */
export const counted = (count: number, noun: string): string => `${figure(count)} ${noun}${count === 1 ? "" : "s"}`;

export const percent = (share: number | null | undefined): string =>
  share === null || share === undefined ? UNKNOWN : `${figure(Math.round(share * 1000) / 10)} %`;

const UNITS: readonly (readonly [ms: number, name: string])[] = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "min"],
  [1000, "s"],
];

/** How long ago, in its largest unit. */
export function age(time: string, now: number): string {
  const ms = Math.max(0, now - Date.parse(time));
  const [unit, name] = UNITS.find(([each]) => ms >= each) ?? (UNITS.at(-1) as readonly [number, string]);
  return `${Math.floor(ms / unit)} ${name} ago`;
}
