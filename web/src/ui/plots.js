// The figures of every step over time, with a cursor that follows the replay. A click or a drag seeks.
import { scientific, trimmed, withUnit } from '../data/units.js';

const milli = (column) => column.map((x) => 1e-3 * x);

/** What is plotted: title, lines (name and values), how values are written, and whether the scale is logarithmic. */
function describePlots(steps) {
  const floor = Math.min(...steps.potential_energy);
  const potential = steps.potential_energy.map((x) => x - floor);
  const total = steps.kinetic_energy.map((x, i) => x + potential[i]);
  // Only event-driven suites have impacts.
  const impacts = {
    title: 'Impacts', color: '--plot-6', format: (x) => trimmed(x, 6),
    lines: [{ name: 'all', values: steps.events, strong: true }, { name: 'micro', values: steps.micro_events }],
  };
  return [
    ...(steps.events.some((x) => x > 0) ? [impacts] : []),
    {
      title: 'Contacts', color: '--plot-1', format: (x) => trimmed(x, 4),
      lines: [{ name: 'found', values: steps.contacts }, { name: 'active', values: steps.active_contacts, strong: true }],
    },
    { title: 'Step time', color: '--plot-2', format: (x) => withUnit(x, 's'), lines: [{ name: 'whole step', values: milli(steps.step_ms), strong: true }] },
    {
      title: 'Energy', color: '--plot-3', format: (x) => withUnit(x, 'J'),
      lines: [{ name: 'total', values: total }, { name: 'kinetic', values: steps.kinetic_energy, strong: true }],
      note: 'potential energy counted from its lowest',
    },
    { title: 'Worst penetration', color: '--plot-4', format: (x) => withUnit(Math.max(0, x), 'm'), lines: [{ name: 'depth', values: steps.max_penetration, strong: true }] },
    { title: 'Residual', color: '--plot-5', format: (x) => scientific(x), log: true, lines: [{ name: 'Coulomb', values: steps.residual_coulomb, strong: true }] },
  ];
}

/** A round number not below x. */
function roundUp(x) {
  if (!(x > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(x));
  return power * [1, 1.5, 2, 3, 4, 5, 6, 8, 10].find((n) => n * power >= x * 0.999);
}

class Plot {
  constructor(parent, spec, times, span) {
    Object.assign(this, { spec, times, span });
    this.element = document.createElement('div');
    this.element.className = 'plot';
    const keys = spec.lines.length > 1 ? spec.lines.map((line) => `<span class="key" data-line="${line.name}">${line.name}</span>`).join('') : '';
    this.element.innerHTML = `<div class="label"><span>${spec.title}${keys}</span><b></b></div>
      <div class="area" role="img"><canvas></canvas><div class="cursor"></div></div>`;
    parent.append(this.element);
    this.value = this.element.querySelector('b');
    this.area = this.element.querySelector('.area');
    this.canvas = this.element.querySelector('canvas');
    this.cursor = this.element.querySelector('.cursor');
    this.area.setAttribute('aria-label', `${spec.title} over time. Click to go there.`);
    this.#range();
  }

  #range() {
    let least = Infinity, most = 0;
    for (const { values } of this.spec.lines) {
      for (const x of values) {
        most = Math.max(most, x);
        if (x > 0) least = Math.min(least, x);
      }
    }
    this.empty = !(most > 0);
    this.high = this.spec.log ? 10 ** Math.ceil(Math.log10(Math.max(most, 1e-12))) : roundUp(most);
    this.low = this.spec.log ? Math.max(this.high * 1e-8, 10 ** Math.floor(Math.log10(Math.min(least, this.high / 10)))) : 0;
  }

  /** 0 at the foot, 1 at the top. */
  #height(x) {
    if (!this.spec.log) return x / this.high;
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
    const main = color(this.spec.color), soft = color('--faint');
    const top = 3, foot = height - 14;
    this.#frame(c, width, top, foot, { line: color('--line'), soft: color('--soft'), panel: color('--panel') });
    const y = (x) => foot - (foot - top) * Math.min(1, Math.max(0, this.#height(x)));
    for (const line of this.spec.lines) {
      const key = this.element.querySelector(`[data-line="${line.name}"]`);
      if (key) key.style.setProperty('--c', line.strong ? main : soft);
      this.#line(c, line, width, y, foot, line.strong ? main : soft);
    }
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
      if (this.spec.log && !this.empty) label(this.spec.format(this.low), 'right', 'bottom', width - 2, foot - 2);
    };
    c.textBaseline = 'alphabetic';
    c.fillText(`${trimmed(this.span[0])} s`, 0, foot + 12);
    c.textAlign = 'right';
    c.fillText(`${trimmed(this.span[1], 4)} s`, width, foot + 12);
  }

  #line(c, { values, strong }, width, y, foot, color) {
    const path = new Path2D();
    const [from, to] = this.span;
    const x = (i) => (width * (this.times[i] - from)) / (to - from || 1);
    for (let i = 0; i < values.length; i++) path.lineTo(x(i), y(values[i]));
    c.strokeStyle = color;
    c.lineWidth = strong ? 1.4 : 1;
    c.lineJoin = 'round';
    c.stroke(path);
    if (!strong || values.length === 0) return;
    path.lineTo(x(values.length - 1), foot);
    path.lineTo(x(0), foot);
    c.fillStyle = color;
    c.globalAlpha = 0.1;
    c.fill(path);
    c.globalAlpha = 1;
  }

  /** The step that the time t falls into: figures are those of a step's end. */
  #stepAt(t) {
    let low = 0, high = this.times.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.times[middle] < t - 1e-5) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  setTime(t) {
    const [from, to] = this.span;
    this.cursor.style.transform = `translateX(${(((t - from) / (to - from || 1)) * (this.width ?? 0)).toFixed(1)}px)`;
    const line = this.spec.lines.find((one) => one.strong);
    const text = line.values.length > 0 ? this.spec.format(line.values[this.#stepAt(t)]) : '–';
    if (text !== this.value.textContent) this.value.textContent = text;
  }
}

export class Plots {
  constructor(parent, replay, player) {
    this.player = player;
    const span = [replay.start, replay.end];
    this.plots = describePlots(replay.steps).map((spec) => new Plot(parent, spec, replay.steps.time, span));
    parent.style.setProperty('--plots', this.plots.length);
    for (const plot of this.plots) this.#seekBy(plot);
    new ResizeObserver(() => this.draw()).observe(parent);
    this.draw();
  }

  #seekBy(plot) {
    const seek = (event) => {
      const box = plot.area.getBoundingClientRect();
      const [from, to] = plot.span;
      this.player.seek(from + ((event.clientX - box.left) / box.width) * (to - from));
    };
    plot.area.addEventListener('pointerdown', (event) => {
      plot.area.setPointerCapture(event.pointerId);
      seek(event);
    });
    plot.area.addEventListener('pointermove', (event) => {
      if (event.buttons > 0) seek(event);
    });
  }

  draw() {
    for (const plot of this.plots) plot.draw();
    this.setTime(this.player.time);
  }

  setTime(t) {
    for (const plot of this.plots) plot.setTime(t);
  }
}
