// How numbers are written in what an alarm says.

/** A share as per cent, to three significant places at most. */
export const percent = (share: number | null | undefined): string =>
  share == null ? "an unknown share" : `${significant(share * 100)} %`;

/** A difference of shares. */
export const points = (difference: number): string => `${significant(difference * 100)} points`;

/** Three significant places at most; whole from a hundred on. */
export const significant = (value: number): string =>
  Math.abs(value) >= 100 ? `${Math.round(value)}` : `${Number(value.toPrecision(3))}`;
