// What the page shows, unpacked: the cast, its motion, its meshes, impulses, and the figures of every step.
import { Impulses } from './impulses.js';
import { Pairs } from './pairs.js';
import { Motion, turnToQuat } from './poses.js';
import { fromBase64, Reader, readSections } from './reader.js';

function readMeshes(content) {
  const reader = new Reader(content);
  return Array.from({ length: reader.u32() }, () => {
    const vertices = reader.u32(), triangles = reader.u32();
    const numbers = reader.floats(6 * vertices);
    return {
      positions: numbers.slice(0, 3 * vertices),
      normals: numbers.slice(3 * vertices),
      index: reader.u32s(3 * triangles),
    };
  });
}

function readSteps(header, content) {
  const { columns, rows } = header.steps;
  const reader = content && new Reader(content);
  return Object.fromEntries(columns.map((name) => [name, reader ? reader.floats(rows) : new Float32Array(0)]));
}

function readEvents(header, arrows, counts) {
  const reader = new Reader(counts);
  const events = new Impulses(header.events, arrows);
  return Object.assign(events, { impacts: reader.u32s(header.frames), micro: reader.u32s(header.frames) });
}

export class Replay {
  constructor(base64) {
    const sections = readSections(fromBase64(base64.trim()));
    const first = (tag) => sections.get(tag)?.[0]();
    this.header = JSON.parse(new TextDecoder().decode(first('HEAD')));
    const { bodies, frames, position_step: step, turn_steps: turnSteps } = this.header;
    this.times = frames > 0 ? new Reader(first('TIME')).doubles(frames) : new Float64Array(1);
    this.motion = new Motion(this.header, (sections.get('POSE') ?? []).map((unpack) => unpack()));
    this.meshes = readMeshes(first('MESH'));
    this.steps = readSteps(this.header, first('STEP'));
    this.hasContacts = sections.has('CONT');
    this.hasEvents = sections.has('EVNT');
    this.#makeContacts = () => new Impulses(this.header.contacts, first('CONT'));
    this.#makeEvents = () => readEvents(this.header, first('EVNT'), first('EVCT'));
    this.pairs = new Pairs(this.header.pairs);
    this.step = step;
    // Rounding moves each of the three stored components by half a step at most, and the fourth, which is at least a
    // half, by no more than the three together.
    this.quantum = { position: step, orientation: 3 / turnSteps };

    this.bodies = bodies.names.map((name, i) => ({
      name,
      type: { d: 'dynamic', f: 'fixed', k: 'kinematic' }[bodies.types[i]],
      mass: bodies.masses[i] ?? Infinity,
      mesh: bodies.meshes[i],
      scale: bodies.scales[i],
      slot: -1,
      fixed: null,
    }));
    let slot = 0, fixed = 0;
    for (const body of this.bodies) {
      if (body.type === 'fixed') body.fixed = bodies.fixed[fixed++];
      else body.slot = slot++;
    }
    this.#q = new Float64Array(8);
  }

  #q;
  #makeContacts;
  #contacts = null;
  #makeEvents;
  #events = null;

  /** Unpacked when somebody first wants to see them; null where none were kept. */
  get contacts() {
    if (this.hasContacts) this.#contacts ??= this.#makeContacts();
    return this.#contacts;
  }

  /** The same of the impacts of an event-driven suite, those of a pair and kind since the last frame as one; `impacts`
   *  and `micro` say how many there were. */
  get events() {
    if (this.hasEvents) this.#events ??= this.#makeEvents();
    return this.#events;
  }

  get frames() {
    return this.times.length;
  }

  get start() {
    return this.times[0];
  }

  get end() {
    return this.times[this.times.length - 1];
  }

  /** The last frame that is not after t. */
  frameAt(t) {
    let low = 0, high = this.times.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.times[middle] <= t) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** Position and orientation (w, x, y, z) of the shape's frame at time t into out[0..6]: the recorded ones at the time
   *  of a frame, between frames on the straight way from one to the next. */
  pose(body, t, out, o = 0) {
    if (body.fixed) {
      for (let i = 0; i < 7; i++) out[o + i] = body.fixed[i];
      return;
    }
    const frame = this.frameAt(t);
    const next = Math.min(frame + 1, this.frames - 1);
    const span = this.times[next] - this.times[frame];
    this.poseBetween(body.slot, frame, next, span > 0 ? Math.max(0, (t - this.times[frame]) / span) : 0, out, o);
  }

  poseBetween(slot, frame, next, share, out, o) {
    const m = this.motion;
    const s = frame * m.moving + slot, n = next * m.moving + slot;
    const q = this.#q;
    turnToQuat(m.turns, m.largest, s, m.turnSteps, q, 0);
    for (let i = 0; i < 3; i++) out[o + i] = m.positions[3 * s + i] * this.step;
    for (let i = 0; i < 4; i++) out[o + 3 + i] = q[i];
    if (share === 0 || s === n) return;

    turnToQuat(m.turns, m.largest, n, m.turnSteps, q, 4);
    const sign = q[0] * q[4] + q[1] * q[5] + q[2] * q[6] + q[3] * q[7] < 0 ? -1 : 1;
    let length = 0;
    for (let i = 0; i < 4; i++) {
      out[o + 3 + i] = q[i] + share * (sign * q[4 + i] - q[i]);
      length += out[o + 3 + i] ** 2;
    }
    for (let i = 0; i < 4; i++) out[o + 3 + i] /= Math.sqrt(length);
    for (let i = 0; i < 3; i++) out[o + i] += share * (m.positions[3 * n + i] - m.positions[3 * s + i]) * this.step;
  }

  /** m/s */
  speed(body, frame) {
    if (body.slot < 0) return 0;
    const { slowest, speed_codes: codes } = this.header;
    return slowest * (2 ** (this.motion.speedCode(frame * this.motion.moving + body.slot) / codes) - 1);
  }

  /** J; zero for bodies of infinite mass */
  energy(body, frame) {
    if (body.type !== 'dynamic') return 0;
    const { slowest, speed_codes: codes } = this.header;
    const code = this.motion.energyCode(frame * this.motion.moving + body.slot);
    return 0.5 * body.mass * slowest ** 2 * (2 ** (code / (codes / 2)) - 1);
  }

  frozen(body, frame) {
    return body.slot >= 0 && this.motion.frozen[frame * this.motion.moving + body.slot] === 1;
  }
}
