// Labels of points never lie on one another, on a point or beyond the edge, wherever the points
// are.

import { expect, it } from "vitest";
import fc from "../../../test/harness/property.ts";
import { placeLabels } from "../../report/labels.ts";

const FRAME = { left: 0, right: 760, top: 0, bottom: 300 };
const point = fc.record({
  x: fc.integer({ min: 20, max: 740 }),
  y: fc.integer({ min: 20, max: 280 }),
  text: fc.string({ minLength: 1, maxLength: 30 }),
});

it("places labels apart from each other and from every point, inside the frame, or leaves them out", () => {
  fc.assert(
    fc.property(fc.array(point, { minLength: 1, maxLength: 25 }), (points) => {
      const boxes = placeLabels(points, points, FRAME).flatMap((offset, i) => {
        const { x, y, text } = points[i] as (typeof points)[number];
        if (offset === null) return [];
        const half = 3.3 * text.length;
        const [middle, height] = [x + offset.dx, y + offset.dy];
        return [{ left: middle - half, right: middle + half, top: height - 6.9, bottom: height + 6.9 }];
      });
      boxes.forEach((box, i) => {
        expect(
          box.left >= FRAME.left && box.right <= FRAME.right && box.top >= FRAME.top && box.bottom <= FRAME.bottom,
        ).toBe(true);
        for (const other of boxes.slice(i + 1)) {
          const apart =
            box.right <= other.left || other.right <= box.left || box.bottom <= other.top || other.bottom <= box.top;
          expect(apart).toBe(true);
        }
        for (const { x, y } of points)
          expect(x > box.left && x < box.right && y > box.top && y < box.bottom).toBe(false);
      });
    }),
  );
});

it("puts a lone label right above its point", () => {
  expect(placeLabels([{ x: 300, y: 150, text: "abc" }], [{ x: 300, y: 150 }], FRAME)).toEqual([{ dx: 0, dy: -12 }]);
});
