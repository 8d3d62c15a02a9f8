// The figures of every step over time, with a cursor that follows the replay. A click or a drag seeks.
import { scientific, trimmed, withUnit } from '../data/units.js';
import { Plot, seekBy } from './plot.js';

const milli = (column) => column.map((x) => 1e-3 * x);

/** What is plotted: title, lines (name and values), how values are written, and whether the scale is logarithmic. The
 *  last line is the one that counts; others stand behind it. */
function describePlots(steps) {
  const floor = Math.min(...steps.potential_energy);
  const potential = steps.potential_energy.map((x) => x - floor);
  const total = steps.kinetic_energy.map((x, i) => x + potential[i]);
  const lines = (color, ...named) => named.map(([name, values], i) => {
    const strong = i === named.length - 1;
    return { name, values, times: steps.time, strong, fill: strong, color: strong ? color : '--faint' };
  });
  const plot = (title, format, all, more = {}) => ({ title, format, lines: all, keys: all.length > 1, ...more });
  const plots = [
    plot('Contacts', (x) => trimmed(x, 4), lines('--plot-1', ['found', steps.contacts], ['active', steps.active_contacts])),
    plot('Step time', (x) => withUnit(x, 's'), lines('--plot-2', ['whole step', milli(steps.step_ms)])),
    plot('Energy', (x) => withUnit(x, 'J'), lines('--plot-3', ['total', total], ['kinetic', steps.kinetic_energy])),
    plot('Worst penetration', (x) => withUnit(Math.max(0, x), 'm'), lines('--plot-4', ['depth', steps.max_penetration])),
    plot('Residual', (x) => scientific(x), lines('--plot-5', ['Coulomb', steps.residual_coulomb]), { log: true }),
  ];
  // Only event-driven suites have impacts.
  if (steps.events.some((x) => x > 0))
    plots.unshift(plot('Impacts', (x) => trimmed(x, 6), lines('--plot-6', ['micro', steps.micro_events], ['all', steps.events])));
  return plots;
}

export class Plots {
  constructor(parent, replay, player) {
    this.player = player;
    const span = [replay.start, replay.end];
    this.plots = describePlots(replay.steps).map((spec) => new Plot(parent, spec, span));
    parent.style.setProperty('--plots', this.plots.length);
    for (const plot of this.plots) seekBy(plot, player);
    new ResizeObserver(() => this.draw()).observe(parent);
    this.draw();
  }

  draw() {
    for (const plot of this.plots) plot.draw();
    this.setTime(this.player.time);
  }

  setTime(t) {
    for (const plot of this.plots) plot.setTime(t);
  }
}
