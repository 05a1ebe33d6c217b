// Number formats for alarm messages.

/** A share as a percentage with at most three significant digits. */
export const percent = (share: number | null | undefined): string =>
  share == null ? "an unknown share" : `${significant(share * 100)} %`;

/** A difference of shares in percentage points. */
export const points = (difference: number): string => `${significant(difference * 100)} points`;

/** At most three significant digits; rounded to an integer from 100 on. */
export const significant = (value: number): string =>
  Math.abs(value) >= 100 ? `${Math.round(value)}` : `${Number(value.toPrecision(3))}`;
