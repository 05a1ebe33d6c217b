// The signs of a chart's legend: each is its series' line, dashes and all.
const SVG = "http://www.w3.org/2000/svg";

/** Plot's legend has squares: those of series that share a run's colour would be the same. */
export function dashedLegend<T extends Element>(figure: T, dashes: readonly string[]): T {
  for (const [at, sign] of [...figure.querySelectorAll(".plot-swatch svg")].entries()) {
    const line = document.createElementNS(SVG, "line");
    const said = { x1: 0, x2: 24, y1: 7.5, y2: 7.5, "stroke-width": 2.5, "stroke-dasharray": dashes[at] || "none" };
    for (const [name, value] of Object.entries(said)) line.setAttribute(name, `${value}`);
    line.setAttribute("stroke", sign.getAttribute("fill") ?? "currentColor");
    sign.setAttribute("width", "24");
    sign.replaceChildren(line);
  }
  return figure;
}
