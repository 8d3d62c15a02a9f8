// The curves of a comparison: what every suite did, over the same time line, a colour a suite.
import { distanceFrom, energyAgainst, meanHeight, totalEnergy } from '../data/ensemble.js';
import { scientific, trimmed, withUnit } from '../data/units.js';
import { Plot, seekBy } from './plot.js';

/** Title, how a figure comes from a run (and the reference), how it is written, what it means. */
const figures = [
  { title: 'Energy', values: totalEnergy, format: (x) => withUnit(x, 'J', 4), afloat: true, meaning: () => 'kinetic and potential' },
  { title: 'Energy, difference', values: energyAgainst, format: (x) => withUnit(x, 'J', 3), afloat: true, meaning: (name) => `what it has more than ${name}` },
  { title: 'Kinetic energy', values: ({ steps }) => steps.kinetic_energy, format: (x) => withUnit(x, 'J', 2), log: true, meaning: () => 'down to rest' },
  { title: 'Height', values: meanHeight, format: (x) => `${trimmed(x, 4)} m`, afloat: true, meaning: () => 'of the common centre of mass' },
  { title: 'Distance', values: distanceFrom, byFrame: true, format: (x) => withUnit(x, 'm', 2), log: true, meaning: (name) => `mean, of a body from where ${name} has it` },
  { title: 'Contacts', values: ({ steps }) => steps.active_contacts, format: (x) => trimmed(x, 4), meaning: () => 'that carry an impulse' },
  { title: 'Penetration', values: ({ steps }) => steps.max_penetration.map((x) => Math.max(0, x)), format: (x) => withUnit(x, 'm', 2), log: true, meaning: () => 'deepest overlap' },
  { title: 'Residual', values: ({ steps }) => steps.residual_coulomb, format: (x) => scientific(x), log: true, meaning: () => 'distance from Coulomb’s law' },
  { title: 'Time of a step', values: ({ steps }) => steps.step_ms.map((x) => 1e-3 * x), format: (x) => withUnit(x, 's', 2), log: true, meaning: () => 'wall time' },
];

export class ComparePlots {
  /** `actions.raise(suite or null)`: the mouse is closest to its curve. */
  constructor(parent, tip, ensemble, player, actions) {
    Object.assign(this, { player, tip, actions });
    const span = [ensemble.start, ensemble.end];
    const { reference } = ensemble;
    this.plots = reference ? figures.map(({ title, values, byFrame, meaning, ...spec }) => {
      const lines = ensemble.runs.map((suite) => ({
        suite, name: suite.name, color: suite.color, times: byFrame ? suite.replay.times : suite.replay.steps.time,
        values: values(suite.replay, reference.replay),
      })).filter((line) => line.values.length > 0);
      const plot = new Plot(parent, { title, lines, ...spec }, span);
      plot.element.querySelector('.label span').insertAdjacentHTML('beforeend', ` <i>${meaning(reference.name)}</i>`);
      return plot;
    }) : [];
    for (const plot of this.plots) {
      seekBy(plot, player);
      this.#readOut(plot);
    }
    new ResizeObserver(() => this.draw()).observe(parent);
    this.showSuites();
  }

  /** What every curve has at the mouse, the largest first. */
  #readOut(plot) {
    plot.area.addEventListener('pointermove', (event) => {
      const box = plot.area.getBoundingClientRect();
      const [from, to] = plot.span;
      const t = from + Math.min(1, Math.max(0, (event.clientX - box.left) / box.width)) * (to - from);
      const rows = plot.spec.lines.filter((line) => !line.hidden)
        .map((line) => ({ line, value: plot.valueAt(line, t) })).filter((row) => row.value !== undefined)
        .sort((a, b) => b.value - a.value);
      this.tip.innerHTML = `<b>${plot.spec.title} at ${trimmed(t, 4)} s</b><dl>${rows.map(({ line, value }) =>
        `<dt style="--c:var(${line.color})">${line.name}</dt><dd>${plot.spec.format(value)}</dd>`).join('')}</dl>`;
      this.tip.hidden = rows.length === 0;
      const { offsetWidth: width, offsetHeight: height } = this.tip;
      const left = event.clientX + 16 + width > innerWidth ? event.clientX - width - 12 : event.clientX + 16;
      const top = Math.max(4, Math.min(event.clientY + 14, innerHeight - height - 70));
      this.tip.style.transform = `translate(${Math.max(4, left)}px, ${top}px)`;
    });
    plot.area.addEventListener('pointerleave', () => (this.tip.hidden = true));
  }

  /** After suites have been switched on or off. */
  showSuites() {
    for (const plot of this.plots) {
      for (const line of plot.spec.lines) line.hidden = !line.suite.shown;
      plot.measure();
    }
    this.draw();
  }

  /** One suite before the others; null: all alike. */
  raise(suite) {
    for (const plot of this.plots) {
      plot.raised = plot.spec.lines.find((line) => line.suite === suite) ?? null;
      plot.main = plot.raised;
      plot.draw();
    }
    this.setTime(this.player.time);
  }

  draw() {
    for (const plot of this.plots) plot.draw();
    this.setTime(this.player.time);
  }

  setTime(t) {
    for (const plot of this.plots) plot.setTime(t);
  }
}
