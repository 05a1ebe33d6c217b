const [n, ...rest] = require("node:fs").readFileSync(0, "utf8").split(/\s+/).filter(Boolean).map(Number);
const heights = rest.slice(0, n);
let best = [0, 0, 0];
for (let i = 0; i < n; i++) {
  if (heights[i] === 0) continue;
  let left = i;
  while (left > 0 && heights[left - 1] >= heights[i]) left--;
  let right = i;
  while (right < n - 2 && heights[right + 1] >= heights[i]) right++;
  const width = right - left + 1;
  const area = width * heights[i];
  const wider = area > best[0] || (area === best[0] && width > best[1]);
  if (wider || (area === best[0] && width === best[1] && left + 1 < best[2])) {
    best = [area, width, left + 1];
  }
}
console.log(best.join(" "));
