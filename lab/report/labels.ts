// Where the labels of a chart's points go so that none lies on another, on a point or beyond the edge.

export interface LabelledPlace {
  /** Pixels. */
  x: number;
  y: number;
  text: string;
}

interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

const CHARACTER = 6.8;
const HEIGHT = 14;
const POINT = 5;
/** Rows of text that a label may be away from its point. */
const RINGS = 4;

const overlap = (a: Box, b: Box): boolean =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

const boxAt = (x: number, y: number, width: number): Box => ({
  left: x - width / 2,
  right: x + width / 2,
  top: y - HEIGHT / 2,
  bottom: y + HEIGHT / 2,
});

/**
 * Middles of a label beside a point, the nearest first: above, below, to both sides, then farther.
 */
function* offsets(width: number): Generator<readonly [dx: number, dy: number]> {
  for (let ring = 0; ring < RINGS; ring++) {
    const away = POINT + HEIGHT / 2 + ring * HEIGHT;
    const beside = POINT + 3 + width / 2;
    yield [0, -away];
    yield [0, away];
    for (const dx of [beside, -beside]) {
      yield [dx, -ring * HEIGHT];
      yield [dx, ring * HEIGHT];
    }
  }
}

/**
 * For each point the middle of its label, as an offset in pixels, or null where it does not fit: greedy, in
 * the order given, so that what matters most comes first.
 * @param marks all points of the chart, labelled or not @param frame where labels may lie
 */
export function placeLabels(
  points: readonly LabelledPlace[],
  marks: readonly { x: number; y: number }[],
  frame: Box,
): ({ dx: number; dy: number } | null)[] {
  const taken = marks.map(({ x, y }) => ({ left: x - POINT, right: x + POINT, top: y - POINT, bottom: y + POINT }));
  return points.map(({ x, y, text }) => {
    const width = CHARACTER * text.length;
    for (const [dx, dy] of offsets(width)) {
      const box = boxAt(x + dx, y + dy, width);
      const inside =
        box.left >= frame.left && box.right <= frame.right && box.top >= frame.top && box.bottom <= frame.bottom;
      if (!inside || taken.some((other) => overlap(box, other))) continue;
      taken.push(box);
      return { dx, dy };
    }
    return null;
  });
}
