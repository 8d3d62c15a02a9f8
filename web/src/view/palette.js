// Colours of bodies and scales. Mixed in OKLab, where equal steps look equal.
import { Color } from 'three';

function toLab(hex) {
  const c = new Color(hex);
  const l = Math.cbrt(0.4122214708 * c.r + 0.5363325363 * c.g + 0.0514459929 * c.b);
  const m = Math.cbrt(0.2119034982 * c.r + 0.6806995451 * c.g + 0.1073969566 * c.b);
  const s = Math.cbrt(0.0883024619 * c.r + 0.2817188376 * c.g + 0.6299787005 * c.b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

/** Linear-light red, green, blue, as three.js wants instance colours. */
function fromLab([L, a, b], out) {
  const l = (L + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (L - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (L - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return out.setRGB(
    Math.max(0, 4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    Math.max(0, -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    Math.max(0, -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
  );
}

/** A table of 256 colours through the given ones. */
export function ramp(...hexes) {
  const stops = hexes.map(toLab);
  return Array.from({ length: 256 }, (_, i) => {
    const at = (i / 255) * (stops.length - 1);
    const k = Math.min(stops.length - 2, Math.floor(at));
    return fromLab(stops[k].map((x, j) => x + (at - k) * (stops[k + 1][j] - x)), new Color());
  });
}

/** Slow is calm, fast is bright. */
export const heat = ramp('#3f4f86', '#3a78a8', '#35a79a', '#97c973', '#f4c95d', '#f78c5a', '#e4572e');
export const impulseRamp = ramp('#3d7fe0', '#1fa58c', '#e8b000', '#f0652f', '#d11a5b');
const strata = ramp('#3b6ea5', '#3f9fae', '#86c5a8', '#f1dda6', '#f0a868', '#dd6247');

/** Of impacts, in the order of their codes: impact, microcollision, reversed microcollision. */
export const eventColors = ['#d11a5b', '#2f7be0', '#14a085'].map((hex) => new Color(hex));

export const frozenColor = new Color('#8ecae6');
export const awakeColor = new Color('#f2a65a');

const named = {
  ruby: '#d43d57', amber: '#f2ae3c', jade: '#3bb08a', sapphire: '#3f80e0', pearl: '#f4f0e8',
  red: '#cf3f3f', green: '#3d9e5f', blue: '#3c6fd1', yellow: '#f0c23b', orange: '#ee8434', white: '#efece6',
  black: '#33363d', grey: '#8b9099', gray: '#8b9099', purple: '#8058b8', pink: '#e88aa9', teal: '#2b9a9a',
  gold: '#dfaf3d', silver: '#b9c0c8', steel: '#93a1b0', ice: '#bfe3f2', wood: '#b98a5a', stone: '#9b958c',
};
const distinct = ['#e98a4b', '#4a8ec2', '#4fa58a', '#d45d6e', '#8a72be', '#e2b83f', '#5bb0c9', '#a7705a'];

const stemOf = (name) => name.replace(/(\[\d+\]|[\s_-]*\d+)+$/, '').trim().toLowerCase();

/** Always the same small number from the same body, so that neighbours differ a little. */
function scatter(i) {
  let x = Math.imul(i + 1, 0x9e3779b1);
  x = Math.imul(x ^ (x >>> 15), 0x85ebca6b);
  return ((x ^ (x >>> 13)) >>> 0) / 2 ** 32 - 0.5;
}

function varied(hex, i, amount) {
  const [l, a, b] = toLab(hex);
  return fromLab([l + amount * scatter(i), a, b], new Color());
}

/** What each body is told apart by: its name where names differ in more than a number, else its place in a small cast,
 *  else the height it starts from, so that one sees later where everything came from. */
export function bodyColors(replay, startHeights) {
  const movers = replay.bodies.filter((body) => body.slot >= 0);
  const stems = [...new Set(movers.map((body) => stemOf(body.name)))];
  const colors = new Array(movers.length);
  const low = Math.min(...startHeights), span = Math.max(...startHeights) - low || 1;
  movers.forEach((body, i) => {
    const stem = stemOf(body.name);
    const word = stem.split(/\s+/).find((part) => named[part]);
    if (word) colors[i] = varied(named[word], i, 0.05);
    else if (movers.length <= distinct.length) colors[i] = new Color(distinct[i]);
    else if (stems.length > 2 && stems.length <= distinct.length) colors[i] = varied(distinct[stems.indexOf(stem)], i, 0.05);
    else {
      const level = (startHeights[i] - low) / span + 0.05 * scatter(i);
      colors[i] = strata[Math.round(255 * Math.min(1, Math.max(0, level)))].clone();
    }
  });
  return colors;
}
