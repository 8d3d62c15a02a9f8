// What colours mean, and how many of the contacts and impacts are drawn.
import { withUnit } from '../data/units.js';
import { awakeColor, eventColors, frozenColor, heat, impulseRamp } from '../view/palette.js';

const gradient = (table) =>
  `linear-gradient(to right, ${[0, 51, 102, 153, 204, 255].map((i) => table[i].getStyle()).join(', ')})`;

function scaleRow(name, side, table, { unit, values }) {
  const ends = values.map((value) => `<span>${withUnit(value, unit, 2)}</span>`).join('');
  return `<div class="row"><div class="name">${name}<i>${side}</i></div>
    <div class="bar" style="background:${gradient(table)}"></div><div class="ends">${ends}</div></div>`;
}

/** Impacts are merged; the row says so, and what of them is left out. */
function impactsRow(arrows, frame) {
  const { counts, totals, impacts, micro } = arrows.drawn;
  const drawn = counts[frame], all = totals[frame];
  const names = ['impact', 'micro', 'reversed'];
  const keys = names.map((name, i) => `<span style="--c:${eventColors[i].getStyle()}">${name}</span>`).join('');
  const side = `${impacts[frame].toLocaleString('en')} + ${micro[frame].toLocaleString('en')} micro`;
  const which = drawn < all ? ` The strongest ${drawn.toLocaleString('en')} of ${all.toLocaleString('en')} are drawn.` : '';
  return `<div class="row"><div class="name">Impacts<i>${side}</i></div><div class="keys">${keys}</div>
    <div class="note">Impulses since the last frame, added up by pair of bodies and kind${arrows.seconds > 0 ? '; impacts shrink away' : ''}.${which} A long arrow is ${withUnit(arrows.strong, 'N·s', 2)}.</div></div>`;
}

/** What the colours of a stage mean. `frame`: counts are those of this frame; null: of several runs, without counts. */
export function legendRows({ bodies, arrows, impacts, replay }, frame) {
  const rows = [];
  if (bodies.mode === 'speed') rows.push(scaleRow('Speed', '', heat, bodies.scale()));
  if (bodies.mode === 'energy') rows.push(scaleRow('Kinetic energy', '', heat, bodies.scale()));
  if (bodies.mode === 'frozen') {
    const side = frame === null ? '' : `${bodies.frozenCount(frame)} of ${bodies.movers.length}`;
    rows.push(`<div class="row"><div class="name">Frozen<i>${side}</i></div>
      <div class="keys"><span style="--c:${awakeColor.getStyle()}">awake</span><span style="--c:${frozenColor.getStyle()}">frozen</span></div></div>`);
  }
  if (arrows.shown) {
    let side = '';
    if (frame !== null) {
      const drawn = replay.contacts.counts[frame], total = replay.contacts.totals[frame];
      side = drawn < total ? `strongest ${drawn} of ${total}` : `${total} drawn`;
    }
    rows.push(scaleRow('Impulse', side, impulseRamp, arrows.scale()));
  }
  if (impacts.shown && frame !== null) rows.push(impactsRow(impacts, frame));
  return rows;
}

export class Legend {
  #shown = '';

  constructor(element, stage) {
    this.element = element;
    this.stage = stage;
  }

  update(frame) {
    const html = legendRows(this.stage, frame).join('');
    if (html === this.#shown) return;
    this.#shown = html;
    this.element.innerHTML = html;
  }
}
