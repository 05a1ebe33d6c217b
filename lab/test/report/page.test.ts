// The report toolkit: everything from outside is escaped, charts are whole SVG, tables can be
// walked, nothing needs the network.
import { Window } from "happy-dom";
import { describe, expect, it } from "vitest";
import { barChart, heatmap, lineChart, scatterChart } from "../../report/charts.ts";
import { reportPage, shownNumber, tableHtml } from "../../report/page.ts";

const EVIL = `<img src=x onerror="alert(1)">&'`;
const x = { label: EVIL, log: true };
const y = { label: "ms", log: true };
const points = [1, 10, 100].map((at) => ({ x: at, y: 2 * at, low: at - 1, high: 3 * at, label: EVIL }));

describe("reportPage", () => {
  const page = reportPage({
    title: EVIL,
    subtitle: EVIL,
    headline: EVIL,
    facts: [[EVIL, EVIL]],
    sections: [
      {
        title: EVIL,
        lead: `${EVIL} \`${EVIL}\``,
        content: [
          tableHtml({ caption: EVIL, columns: [EVIL, "v"], rows: [[EVIL, EVIL]] }),
          lineChart({
            title: EVIL,
            description: EVIL,
            x,
            y,
            series: [{ name: EVIL, points }],
            rules: [{ axis: "x", at: 5, name: EVIL }],
          }),
          scatterChart({ title: EVIL, x, y, series: [{ name: EVIL, points }], front: points }),
          barChart({ title: EVIL, value: y, bars: [{ name: EVIL, value: 3, series: EVIL }] }),
          heatmap({ title: EVIL, x: EVIL, y: EVIL, cells: [{ x: EVIL, y: EVIL, value: 1 }] }),
        ],
      },
    ],
  });

  const { document } = new Window();
  document.documentElement.innerHTML = page;

  it("never lets text become markup, wherever it is", () => {
    expect(document.querySelectorAll("img, [onerror]").length).toBe(0);
    // happy-dom ends the document at the first chart.
    const facts = new Window().document;
    facts.documentElement.innerHTML = page.slice(page.indexOf("<dl>"));
    for (const place of ["dt", "dd"]) expect(facts.querySelector(place)?.textContent, place).toContain("<img");
    for (const place of ["h1", "h2", "caption", "th[scope=row]", "figcaption", "code"])
      expect(
        [...document.querySelectorAll(place)].some(({ textContent }) => textContent.includes("<img")),
        place,
      ).toBe(true);
  });

  it("needs no script and no request", () => {
    expect(document.querySelectorAll("script, link, iframe, [src], image").length).toBe(0);
    expect(page).not.toMatch(/@import|url\((?!#)/);
  });
});

describe("lineChart", () => {
  const chart = (rows: typeof points) => lineChart({ title: "t", x, y, series: [{ name: "a", points: rows }] }).markup;

  it("leaves out what a log axis cannot show, and draws the rest without NaN", () => {
    const markup = chart([...points, { ...(points[0] as (typeof points)[number]), y: 0 }]);
    expect(markup).toBe(chart(points));
    expect(markup).not.toContain("NaN");
    expect(markup).toMatch(/^<figure class="chart">[\s\S]*role="img"[\s\S]*<\/figure>\n$/);
  });

  it("is empty without points", () => {
    expect(chart([])).not.toContain("NaN");
  });
});

describe("shownNumber", () => {
  it.each([
    [null, "–"],
    [Number.NaN, "–"],
    [0, "0"],
    [0.00012345, "0.0001235"],
    [-1.9494e-18, "-1.949e-18"],
    [12.3456, "12.35"],
    [123456.7, "123,457"],
  ])("shows %s as %s", (value, shown) => {
    expect(shownNumber(value)).toBe(shown);
  });
});
