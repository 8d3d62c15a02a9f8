// Figures over time as lines on a small field, with a cursor.
import { trimmed } from '../data/units.js';

/** A round number not below x. */
function roundUp(x) {
  if (!(x > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(x));
  return power * [1, 1.5, 2, 3, 4, 5, 6, 8, 10].find((n) => n * power >= x * 0.999);
}

export class Plot {
  /** `spec`: `title`; `lines`, each with `name`, `values`, `times`, `color` (a custom property of the style) and, if wanted,
   *  `strong`, `fill` and `hidden`; `format`, how a value is written; `log`; `afloat`: the scale begins at the least value
   *  and not at zero. `span`: first and last time. */
  constructor(parent, spec, span) {
    Object.assign(this, { spec, span });
    this.element = document.createElement('div');
    this.element.className = 'plot';
    const keys = spec.keys ? spec.lines.map((line) => `<span class="key" data-line="${line.name}">${line.name}</span>`).join('') : '';
    this.element.innerHTML = `<div class="label"><span>${spec.title}${keys}</span><b></b></div>
      <div class="area" role="img"><canvas></canvas><div class="cursor"></div></div>`;
    parent.append(this.element);
    this.value = this.element.querySelector('b');
    this.area = this.element.querySelector('.area');
    this.canvas = this.element.querySelector('canvas');
    this.cursor = this.element.querySelector('.cursor');
    this.area.setAttribute('aria-label', `${spec.title} over time. Click to go there.`);
    this.main = spec.lines.find((line) => line.strong) ?? null;
    this.measure();
  }

  /** The ends of the scale, from the lines that are shown. */
  measure() {
    const { log, afloat } = this.spec;
    let least = Infinity, most = afloat ? -Infinity : 0;
    for (const { values, hidden } of this.spec.lines) {
      if (hidden) continue;
      for (const x of values) {
        if (x > most) most = x;
        if ((x > 0 || afloat) && x < least) least = x;
      }
    }
    this.empty = afloat ? !(most >= least) : !(most > 0);
    if (log) {
      this.high = 10 ** Math.ceil(Math.log10(Math.max(most, 1e-12)));
      this.low = Math.max(this.high * 1e-8, 10 ** Math.floor(Math.log10(Math.min(least, this.high / 10))));
    } else if (afloat) {
      // A flat line stands in the middle, and rounding does not fill the field.
      const room = Math.max(0.06 * (most - least), 1e-6 * Math.max(Math.abs(most), Math.abs(least)), 1e-12);
      this.high = most + room;
      this.low = least - room;
    } else {
      this.high = roundUp(most);
      this.low = 0;
    }
  }

  /** 0 at the foot, 1 at the top. */
  #height(x) {
    if (!this.spec.log) return (x - this.low) / (this.high - this.low);
    return x > this.low ? Math.log(x / this.low) / Math.log(this.high / this.low) : 0;
  }

  draw() {
    const { clientWidth: width, clientHeight: height } = this.area;
    if (width === 0) return;
    this.width = width;
    const ratio = Math.min(3, window.devicePixelRatio || 1);
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    const c = this.canvas.getContext('2d');
    const style = getComputedStyle(document.documentElement);
    const color = (name) => style.getPropertyValue(name).trim();
    c.scale(ratio, ratio);
    const top = 3, foot = height - 14;
    this.#frame(c, width, top, foot, { line: color('--line'), soft: color('--soft'), panel: color('--panel') });
    const y = (x) => foot - (foot - top) * Math.min(1, Math.max(0, this.#height(x)));
    for (const line of this.spec.lines) {
      const key = this.element.querySelector(`[data-line="${line.name}"]`);
      if (key) key.style.setProperty('--c', color(line.color));
      if (!line.hidden && line !== this.raised) this.#line(c, line, width, y, foot, color(line.color));
    }
    if (this.raised && !this.raised.hidden) this.#line(c, this.raised, width, y, foot, color(this.raised.color));
    this.drawLabels();
  }

  #frame(c, width, top, foot, { line, soft, panel }) {
    c.strokeStyle = line;
    c.lineWidth = 1;
    const marks = this.spec.log ? 4 : 2;
    for (let i = 0; i <= marks; i++) {
      const at = Math.round(foot - ((foot - top) * i) / marks) + 0.5;
      c.beginPath();
      c.moveTo(0, at);
      c.lineTo(width, at);
      c.stroke();
    }
    c.fillStyle = soft;
    c.font = '10px system-ui, sans-serif';
    c.textBaseline = 'top';
    c.textAlign = 'left';
    // Over the lines, with a rim of the background, so that they can always be read.
    const label = (text, align, baseline, x, y) => {
      Object.assign(c, { textAlign: align, textBaseline: baseline, strokeStyle: panel, lineWidth: 3, fillStyle: soft });
      c.strokeText(text, x, y);
      c.fillText(text, x, y);
    };
    this.drawLabels = () => {
      if (!this.empty) label(this.spec.format(this.high), 'left', 'top', 2, top + 3);
      if ((this.spec.log || this.spec.afloat) && !this.empty) label(this.spec.format(this.low), 'right', 'bottom', width - 2, foot - 2);
    };
    c.textBaseline = 'alphabetic';
    c.fillText(`${trimmed(this.span[0])} s`, 0, foot + 12);
    c.textAlign = 'right';
    c.fillText(`${trimmed(this.span[1], 4)} s`, width, foot + 12);
  }

  #line(c, line, width, y, foot, color) {
    const { values, times, strong, fill } = line;
    const path = new Path2D();
    const [from, to] = this.span;
    const x = (i) => (width * (times[i] - from)) / (to - from || 1);
    for (let i = 0; i < values.length; i++) path.lineTo(x(i), y(values[i]));
    c.strokeStyle = color;
    c.lineWidth = line === this.raised ? 2.2 : strong ? 1.4 : 1;
    c.lineJoin = 'round';
    c.globalAlpha = this.raised && line !== this.raised ? 0.28 : 1;
    c.stroke(path);
    c.globalAlpha = 1;
    if (!fill || values.length === 0) return;
    path.lineTo(x(values.length - 1), foot);
    path.lineTo(x(0), foot);
    c.fillStyle = color;
    c.globalAlpha = 0.1;
    c.fill(path);
    c.globalAlpha = 1;
  }

  /** Of a line, in the step that the time t falls into: figures are those of a step's end. Nothing beyond its end. */
  valueAt({ times, values }, t) {
    const slack = 1e-5;
    if (values.length === 0 || t > times[times.length - 1] + Math.max(slack, (this.span[1] - this.span[0]) / 200)) return undefined;
    let low = 0, high = times.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (times[middle] < t - slack) low = middle + 1;
      else high = middle;
    }
    return values[low];
  }

  setTime(t) {
    const [from, to] = this.span;
    this.cursor.style.transform = `translateX(${(((t - from) / (to - from || 1)) * (this.width ?? 0)).toFixed(1)}px)`;
    const value = this.main && this.valueAt(this.main, t);
    const text = value === undefined ? '–' : value === null ? '' : this.spec.format(value);
    if (text !== this.value.textContent) this.value.textContent = text;
  }
}

/** A click or a drag on the field goes to that time. */
export function seekBy(plot, player) {
  const seek = (event) => {
    const box = plot.area.getBoundingClientRect();
    const [from, to] = plot.span;
    player.seek(from + ((event.clientX - box.left) / box.width) * (to - from));
  };
  plot.area.addEventListener('pointerdown', (event) => {
    plot.area.setPointerCapture(event.pointerId);
    seek(event);
  });
  plot.area.addEventListener('pointermove', (event) => {
    if (event.buttons > 0) seek(event);
  });
}
