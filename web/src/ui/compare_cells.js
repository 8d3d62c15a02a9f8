// Around the pictures: a switch for each suite, and for each picture whose it is and what it is doing.
import { scientific, trimmed, withUnit } from '../data/units.js';

const make = (name, className, text = '') => Object.assign(document.createElement(name), { className, textContent: text });

/** A switch a suite, in its colour; those that did not run are there, and say why. */
export function makeChips(parent, ensemble, { toggle, raise }) {
  for (const suite of ensemble.suites) {
    const chip = make('button', 'chip', suite.name);
    chip.style.setProperty('--c', `var(${suite.color})`);
    chip.disabled = !suite.replay;
    chip.title = suite.replay ? `Show or hide ${suite.name}` : `${suite.end}: ${suite.message}`;
    chip.onclick = () => toggle(suite);
    chip.addEventListener('pointerenter', () => raise(suite));
    chip.addEventListener('pointerleave', () => raise(null));
    suite.chip = chip;
    parent.append(chip);
  }
}

export function makeCell(parent, suite, { raise }) {
  const cell = make('figure', 'cell');
  cell.style.setProperty('--c', `var(${suite.color})`);
  const caption = make('figcaption', '');
  caption.append(make('b', '', suite.name), make('span', 'now'));
  const field = make('div', 'field');
  const canvas = make('canvas', '');
  canvas.setAttribute('role', 'img');
  canvas.setAttribute('aria-label', `The scene by the suite ${suite.name}`);
  field.append(canvas, Object.assign(make('div', 'tip'), { hidden: true }));
  cell.append(caption, field, make('p', 'state'), make('p', 'what', suite.summary));
  cell.addEventListener('pointerenter', () => raise(suite));
  cell.addEventListener('pointerleave', () => raise(null));
  parent.append(cell);
  return cell;
}

/** Figures of the step that the time falls into. */
function stepFigures(replay, t) {
  const { time, max_penetration: depth, residual_coulomb: residual } = replay.steps;
  if (time.length === 0) return '';
  let low = 0, high = time.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (time[middle] < t - 1e-5) low = middle + 1;
    else high = middle;
  }
  const law = replay.hasEvents && residual[low] === 0 ? '' : ` · residual ${scientific(residual[low])}`;
  return `overlap ${withUnit(Math.max(0, depth[low]), 'm', 2)}${law}`;
}

/** What stands beside and below a picture at time t; `chosen`: a body, or −1. */
export function describeCell(cell, ensemble, t, chosen) {
  const { suite, element } = cell;
  const { replay } = suite;
  const over = t > replay.end + 1e-9;
  const now = element.querySelector('.now');
  const figures = over ? `${suite.end} at ${trimmed(replay.end, 4)} s` : stepFigures(replay, t);
  if (now.textContent !== figures) now.textContent = figures;
  const state = element.querySelector('.state');
  state.hidden = chosen < 0;
  if (chosen < 0) return;
  const body = replay.bodies[chosen];
  const pose = new Float64Array(7);
  replay.pose(body, Math.min(t, replay.end), pose);
  const away = suite === ensemble.reference ? undefined : ensemble.distance(suite, chosen, t);
  const place = [0, 1, 2].map((axis) => trimmed(Number(pose[axis].toFixed(3)), 4)).join(', ');
  state.textContent = `${body.name}: ${place} m · ${withUnit(replay.speed(body, replay.frameAt(t)), 'm/s', 2)}${
    away === undefined ? '' : ` · ${withUnit(away, 'm', 2)} from ${ensemble.reference.name}`}`;
}

/** Name, sentence and paper of each. */
export function describeSuites(list, ensemble) {
  for (const suite of ensemble.suites) {
    const name = make('dt', '', suite.name);
    name.style.setProperty('--c', `var(${suite.color})`);
    const text = make('dd', '', `${suite.summary.charAt(0).toUpperCase()}${suite.summary.slice(1)}.`);
    if (suite.source) text.append(' ', make('cite', '', suite.source), '.');
    list.append(name, text);
  }
}
