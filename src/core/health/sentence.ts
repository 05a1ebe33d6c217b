// Number formats for alarm messages.

/** Formats a share as a percentage with at most three significant digits. */
export const percent = (share: number | null | undefined): string =>
  share == null ? "an unknown share" : `${significant(share * 100)} %`;

/** Formats a difference of shares in percentage points. */
export const points = (difference: number): string => `${significant(difference * 100)} points`;

/** Formats a number with at most three significant digits; numbers from 100 on are rounded to integers. */
export const significant = (value: number): string =>
  Math.abs(value) >= 100 ? `${Math.round(value)}` : `${Number(value.toPrecision(3))}`;
