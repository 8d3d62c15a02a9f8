// Poses from differences. The prediction repeats src/io/replay_poses.cpp operation by operation: both sides compute in
// IEEE doubles, so both get the same bits. Do not reorder the arithmetic of one without the other.
import { Reader } from './reader.js';

/** Orientation of sample s into q at o, as w, x, y, z. */
export function turnToQuat(turns, largest, s, steps, q, o) {
  const l = largest[s];
  let rest = 1;
  for (let i = 0, k = 3 * s; i < 4; i++) {
    if (i === l) continue;
    const c = turns[k++] / steps;
    q[o + i] = c;
    rest -= c * c;
  }
  q[o + l] = Math.sqrt(rest > 0 ? rest : 0);
}

/** c = a b, quaternions at offsets of one array. */
function multiply(q, a, b, c) {
  const aw = q[a], ax = q[a + 1], ay = q[a + 2], az = q[a + 3];
  const bw = q[b], bx = q[b + 1], by = q[b + 2], bz = q[b + 3];
  q[c] = aw * bw - (ax * bx + ay * by + az * bz);
  q[c + 1] = aw * bx + bw * ax + (ay * bz - az * by);
  q[c + 2] = aw * by + bw * ay + (az * bx - ax * bz);
  q[c + 3] = aw * bz + bw * az + (ax * by - ay * bx);
}

/** Everything that moves, frame after frame; within a frame in the order of the cast. */
export class Motion {
  constructor(header, sections) {
    const { frames, moving } = header;
    this.frames = frames;
    this.moving = moving;
    this.turnSteps = header.turn_steps;
    const samples = frames * moving;
    this.positions = new Int32Array(3 * samples);
    this.turns = new Int16Array(3 * samples);
    this.largest = new Uint8Array(samples);
    this.speed = new Uint8Array(samples);
    this.energy = new Uint8Array(samples);
    this.frozen = new Uint8Array(samples);
    let first = 0;
    for (const section of sections) first += this.#unpack(new Reader(section), first);
    if (first !== frames && moving > 0) throw new Error(`${frames} frames expected, ${first} found`);
  }

  #unpack(reader, first) {
    const frames = reader.u32();
    const count = frames * this.moving;
    const columns = Array.from({ length: 6 }, () => reader.differences(count));
    const [largest, speed, energy, frozen] = Array.from({ length: 4 }, () => reader.bytes(count));
    const scratch = new Float64Array(16);
    for (let body = 0; body < this.moving; body++) {
      for (let f = 0; f < frames; f++) {
        const from = body * frames + f;
        const s = (first + f) * this.moving + body;
        this.#position(columns, from, s, first + f);
        this.#turn(columns, from, s, first + f, largest[from], scratch);
        this.#codes(from, s, first + f, speed, energy, frozen);
      }
    }
    return frames;
  }

  #position(columns, from, s, frame) {
    const p = this.positions;
    const last = 3 * (s - this.moving), before = last - 3 * this.moving;
    for (let axis = 0; axis < 3; axis++) {
      let expected = 0;
      if (frame === 1) expected = p[last + axis];
      else if (frame > 1) expected = 2 * p[last + axis] - p[before + axis];
      p[3 * s + axis] = (expected + columns[axis][from]) | 0;
    }
  }

  #turn(columns, from, s, frame, largestChange, q) {
    const { turns, largest, turnSteps: steps } = this;
    const last = s - this.moving, before = frame > 1 ? last - this.moving : last;
    // At 0: the last turn. At 4: the one before, conjugated. At 8: the change. At 12: what is expected.
    if (frame > 0) {
      turnToQuat(turns, largest, last, steps, q, 0);
      turnToQuat(turns, largest, before, steps, q, 4);
      for (let i = 5; i < 8; i++) q[i] = -q[i];
      multiply(q, 0, 4, 8);
      if (q[8] < 0) for (let i = 8; i < 12; i++) q[i] = -q[i];
      multiply(q, 8, 0, 12);
    } else {
      q[12] = 1;
      q[13] = q[14] = q[15] = 0;
    }
    let l = 0;
    for (let i = 1; i < 4; i++) if (Math.abs(q[12 + i]) > Math.abs(q[12 + l])) l = i;
    l = (l + largestChange) & 3;
    largest[s] = l;
    const sign = q[12 + l] < 0 ? -1 : 1;
    for (let i = 0, k = 0; i < 4; i++) {
      if (i === l) continue;
      turns[3 * s + k] = Math.floor(sign * q[12 + i] * steps + 0.5) + columns[3 + k][from];
      k++;
    }
  }

  #codes(from, s, frame, speed, energy, frozen) {
    const last = s - this.moving;
    // Of the energy only what goes beyond the speed is stored; `energyCode` puts them together.
    this.speed[s] = speed[from] + (frame > 0 ? this.speed[last] : 0);
    this.energy[s] = energy[from] + (frame > 0 ? this.energy[last] : 0);
    this.frozen[s] = frozen[from] ^ (frame > 0 ? this.frozen[last] : 0);
  }

  speedCode(s) {
    return this.speed[s];
  }

  energyCode(s) {
    return (this.energy[s] + this.speed[s]) & 255;
  }
}
