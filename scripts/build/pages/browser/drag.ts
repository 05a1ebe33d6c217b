// Chooses a part of a chart by dragging over it with mouse, pen or finger, and all of it by a double click.
// The fields above the charts do the same for the keyboard.

/** The parts of Plot's figure that are used. */
interface Scaled {
  scale(name: "x"): { range: readonly [number, number]; invert(at: number): number };
}

interface Choosing {
  zoom(start: number, other: number): void;
  whole(): void;
}

/** Below it a drag is a click. */
const DRAG_LEAST = 6;
const SVG = "http://www.w3.org/2000/svg";

export function draggable<T extends Element>(figure: T, { scale }: Scaled, { zoom, whole }: Choosing): T {
  const drawing = (figure.matches("svg") ? figure : figure.querySelector("svg[role=img]")) as SVGSVGElement;
  const { range, invert } = scale("x");
  const { width, height } = drawing.viewBox.baseVal;
  /** In the drawing's units, within its axis. */
  const at = ({ clientX }: PointerEvent): number => {
    const box = drawing.getBoundingClientRect();
    return Math.max(range[0], Math.min(range[1], ((clientX - box.left) / box.width) * width));
  };
  let from: number | null = null;
  const band = document.createElementNS(SVG, "rect");
  const draw = (start: number, other: number) => {
    const said = { x: Math.min(start, other), y: 0, width: Math.abs(start - other), height };
    for (const [name, value] of Object.entries(said)) band.setAttribute(name, `${value}`);
  };
  band.setAttribute("class", "band");
  // Captured, since Plot passes a click that keeps its tip open to no other handler.
  const begin = (event: PointerEvent) => {
    if (event.button === 0) from = at(event);
  };
  drawing.addEventListener("pointerdown", begin, { capture: true });
  drawing.addEventListener("pointermove", (event) => {
    if (from === null || Math.abs(at(event) - from) < DRAG_LEAST) return;
    if (!band.isConnected) {
      drawing.append(band);
      // The drag goes on where the pointer leaves the chart.
      drawing.setPointerCapture(event.pointerId);
    }
    draw(from, at(event));
  });
  const end = (event: PointerEvent) => {
    const [began, dragged] = [from, band.isConnected];
    from = null;
    band.remove();
    if (began !== null && dragged && event.type === "pointerup") zoom(invert(began), invert(at(event)));
  };
  drawing.addEventListener("pointerup", end);
  drawing.addEventListener("pointercancel", end);
  drawing.addEventListener("dblclick", whole);
  return figure;
}
