// The table of a comparison: a row a suite, the best of each column marked, what each column means below.
import { scientific, trimmed, withUnit } from '../data/units.js';

const count = (x) => x.toLocaleString('en');
const small = (x) => (x === 0 ? '0' : scientific(x, 2));

/** `best`: the least value is marked; columns where less is not better, or where rounding decides, have none. */
function describeColumns(facts) {
  return [
    { key: 'median_step_ms', head: 'step', text: (x) => withUnit(1e-3 * x, 's'), best: true, meaning: 'wall time of a step, median' },
    { key: 'step_seconds', head: 'whole', text: (x) => withUnit(x, 's'), best: true, meaning: 'wall time of all steps' },
    { key: 'worst_residual_coulomb', ofSolver: true, head: 'Coulomb, worst', text: small, best: true, meaning: 'distance of the answer from Coulomb’s law in the worst step, in units of what gravity adds to a velocity in a step' },
    { key: 'mean_residual_coulomb', ofSolver: true, head: 'mean', text: small, best: true, meaning: 'the same, mean over steps' },
    { key: 'unconverged_steps', ofSolver: true, head: 'not converged', text: count, best: true, meaning: 'steps in which a solver missed its tolerance; of event-driven suites: frames with more impacts than allowed' },
    { key: 'worst_penetration', head: 'penetration', text: (x) => withUnit(x, 'm'), best: true, meaning: 'deepest overlap of two bodies' },
    { key: 'largest_energy_rise', head: 'energy rise', text: (x) => withUnit(x, 'J'), best: true, meaning: 'largest rise of the mechanical energy above its lowest so far, work of forces taken off' },
    { key: 'energy_end', head: 'energy', text: (x) => withUnit(x, 'J', 6), meaning: 'kinetic and potential, at the end' },
    { key: 'momentum_error', head: 'momentum error', text: small, meaning: 'worst step: change of momentum that impulses and forces do not explain' },
    { key: 'mean_height', head: 'height', text: (x) => `${trimmed(x, 6)} m`, meaning: 'of the common centre of mass, at the end' },
    { key: 'mean_distance', head: `from ${facts.reference}`, text: (x) => withUnit(x, 'm'), meaning: `mean distance of a body from where ${facts.reference} has it, at the end` },
    { key: 'moving_end', head: 'moving', text: count, meaning: 'bodies that still move at the end, at 1 cm/s or more' },
    { key: 'frozen_end', head: 'frozen', text: count, meaning: 'bodies that are left out because they rest' },
  ];
}

const cell = (name, text) => Object.assign(document.createElement(name), { textContent: text });

export class CompareTable {
  /** `actions.raise(suite or null)`: the mouse is on its row. */
  constructor(section, ensemble, actions) {
    this.columns = describeColumns(ensemble.facts);
    this.rows = new Map();
    const table = document.createElement('table');
    const head = table.createTHead().insertRow();
    head.append(cell('th', 'suite'));
    for (const column of this.columns) head.append(Object.assign(cell('th', column.head), { title: column.meaning, className: 'number' }));
    const body = table.createTBody();
    for (const suite of ensemble.suites) this.#row(body.insertRow(), suite, ensemble.facts.reference, actions);
    this.#markBest(ensemble.suites);
    section.querySelector('.scroll').append(table);
    const note = section.querySelector('.note');
    for (const { head: name, meaning } of this.columns) {
      const entry = document.createElement('span');
      entry.append(cell('b', name), ` ${meaning}. `);
      note.append(entry);
    }
  }

  #row(row, suite, reference, actions) {
    this.rows.set(suite, row);
    row.style.setProperty('--c', `var(${suite.color})`);
    row.append(Object.assign(cell('th', suite.name), { scope: 'row' }));
    row.addEventListener('pointerenter', () => actions.raise(suite));
    row.addEventListener('pointerleave', () => actions.raise(null));
    if (!suite.replay) {
      row.append(Object.assign(cell('td', `${suite.end}: ${suite.message}`), { colSpan: this.columns.length, className: 'why' }));
      return;
    }
    for (const { key, text } of this.columns) {
      const value = suite[key];
      const isReference = key === 'mean_distance' && suite.name === reference;
      const shown = typeof value !== 'number' ? '–' : isReference ? 'reference' : text(value);
      row.append(Object.assign(cell('td', shown), { className: 'number' }));
    }
    const remarks = [suite.end === 'complete' ? '' : `${suite.end}: ${suite.message}`, suite.note && `ran ${suite.note}: it has no such option`];
    for (const remark of remarks.filter(Boolean)) {
      const more = document.createElement('tr');
      more.append(cell('th', ''), Object.assign(cell('td', remark), { colSpan: this.columns.length, className: 'why' }));
      row.after(more);
    }
  }

  /** Only among those that went all the way: a run that ends early has fewer errors to show. */
  #markBest(suites) {
    const whole = suites.filter((suite) => suite.end === 'complete');
    this.columns.forEach((column, i) => {
      // An event-driven suite calls a solver now and then at most: its residual is not one of a whole run.
      const judged = whole.filter((suite) => !suite.event_driven || !column.ofSolver);
      const values = judged.map((suite) => suite[column.key]).filter((x) => typeof x === 'number');
      const least = Math.min(...values);
      // Where all are as good, nobody is the best.
      if (!column.best || values.every((x) => x === least)) return;
      for (const suite of judged) if (suite[column.key] === least) this.rows.get(suite).cells[i + 1].classList.add('best');
    });
  }

  raise(suite) {
    for (const [other, row] of this.rows) row.classList.toggle('raised', other === suite);
  }
}
