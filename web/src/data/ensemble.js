// Several runs of one scene on one time line. To the player and the buttons it looks like a replay.
import { Replay } from './replay.js';

/** Of the steps of a run: height of the common centre of mass against gravity, from the potential energy. */
export function meanHeight(replay) {
  const gravity = Math.hypot(...replay.header.gravity);
  const mass = replay.bodies.reduce((sum, body) => sum + (body.type === 'dynamic' ? body.mass : 0), 0);
  return gravity * mass > 0 ? replay.steps.potential_energy.map((x) => x / (gravity * mass)) : [];
}

/** J, of every step. */
export function totalEnergy({ steps }) {
  return steps.kinetic_energy.map((x, i) => x + steps.potential_energy[i]);
}

/** J: how much more energy a run has than the reference, step by step while both go on. */
export function energyAgainst(replay, reference) {
  const here = totalEnergy(replay), there = totalEnergy(reference);
  const times = replay.steps.time, theirs = reference.steps.time;
  const same = times.findIndex((t, i) => !(Math.abs(t - theirs[i]) < 1e-5));
  return here.slice(0, same < 0 ? here.length : same).map((x, i) => x - there[i]);
}

/** m: mean distance of the dynamic bodies from where the reference has them, frame by frame while both go on. */
export function distanceFrom(replay, reference) {
  const frames = Math.min(replay.frames, reference.frames), { moving } = replay.motion;
  const slots = replay.bodies.filter((body) => body.type === 'dynamic').map((body) => body.slot);
  const here = replay.motion.positions, there = reference.motion.positions;
  return Float64Array.from({ length: slots.length > 0 ? frames : 0 }, (_, f) => {
    let sum = 0;
    for (const slot of slots) {
      const at = 3 * (f * moving + slot);
      sum += Math.hypot(here[at] - there[at], here[at + 1] - there[at + 1], here[at + 2] - there[at + 2]);
    }
    return (sum * replay.step) / slots.length;
  });
}

/** A suite has the same colour on every page. */
const known = ['sequential', 'schmidl', 'bender', 'guendelman', 'lcp', 'penalty', 'exact', 'mirtich'];
const colorOf = (name, i) => `--suite-${((known.includes(name) ? known.indexOf(name) : i) % known.length) + 1}`;

export class Ensemble {
  /** `comparison`: what the program wrote into the page. */
  constructor(comparison) {
    const { suites, replays, ...facts } = comparison;
    this.facts = facts;
    /** Rows of the table in its order; those that ran carry their replay. */
    this.suites = suites.map((row, i) => ({
      ...row, name: row.suite, color: colorOf(row.suite, i), shown: row.suite in replays,
      replay: row.suite in replays ? new Replay(replays[row.suite]) : null,
    }));
    this.runs = this.suites.filter((suite) => suite.replay);
    this.reference = this.runs.find((suite) => suite.name === facts.reference) ?? this.runs[0];
    // A run that failed or was interrupted ends earlier than the others.
    this.longest = this.runs.reduce((most, suite) => (most && most.end >= suite.replay.end ? most : suite.replay), null);
  }

  get times() {
    return this.longest?.times ?? new Float64Array(1);
  }

  get frames() {
    return this.times.length;
  }

  get start() {
    return this.times[0];
  }

  get end() {
    return this.times[this.frames - 1];
  }

  get hasEvents() {
    return this.runs.some((suite) => suite.replay.hasEvents);
  }

  frameAt(t) {
    return this.longest?.frameAt(t) ?? 0;
  }

  /** m: how far a body is from where the reference has it at time t; `undefined` where one of them has ended. */
  distance(suite, body, t) {
    const { reference } = this;
    if (t > suite.replay.end || t > reference.replay.end) return undefined;
    const here = new Float64Array(7), there = new Float64Array(7);
    suite.replay.pose(suite.replay.bodies[body], t, here);
    reference.replay.pose(reference.replay.bodies[body], t, there);
    return Math.hypot(here[0] - there[0], here[1] - there[1], here[2] - there[2]);
  }
}
