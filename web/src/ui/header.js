// What this is a replay of, how long it is, and how wrong it is.
import { scientific, trimmed, withUnit } from '../data/units.js';

const element = (id) => document.getElementById(id);

export function fillHeader(replay) {
  const { scene, description, suite, version, steps } = replay.header;
  const movers = replay.bodies.filter((body) => body.type !== 'fixed').length;
  const fixed = replay.bodies.length - movers;
  element('title').textContent = scene;
  element('title').title = description;
  const count = movers === 1 ? '1 body' : `${movers.toLocaleString('en')} bodies`;
  const facts = element('facts');
  facts.textContent = `${count} · ${trimmed(replay.end - replay.start, 4)} s · suite ${suite}`;
  const long = document.createElement('span');
  long.className = 'long';
  long.textContent = `${fixed > 0 ? ` · ${fixed} fixed` : ''}${version ? ` · Carom ${version}` : ''}`;
  facts.append(long);
  if (steps.count === 0) return;
  const errors = element('errors');
  const add = (name, value, hint) => {
    const item = document.createElement('span');
    item.title = hint;
    item.append(`${name} `);
    const strong = document.createElement('b');
    strong.textContent = value;
    item.append(strong);
    errors.append(item);
  };
  add('worst penetration', withUnit(steps.worst_penetration, 'm'), 'The deepest that any two bodies overlapped, over all steps');
  // Impacts follow their law one by one; where no contact was solved for there is no residual to boast of.
  if (replay.hasEvents && steps.worst_residual === 0) return;
  add('worst residual', scientific(steps.worst_residual), 'The largest violation of the laws of contact and friction that the solver left, relative to the speed gravity gives in a step');
}
