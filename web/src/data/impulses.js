// The strongest impulses of each frame, of contacts or of impacts, as src/io/replay_impulses.cpp writes them.
import { Reader } from './reader.js';

export class Impulses {
  /** `header`: the part of the page's header that speaks of them. */
  constructor(header, content) {
    const reader = new Reader(content);
    const frames = reader.u32();
    this.counts = reader.u32s(frames);
    this.totals = reader.u32s(frames);
    this.starts = new Uint32Array(frames + 1);
    for (let f = 0; f < frames; f++) this.starts[f + 1] = this.starts[f] + this.counts[f];
    const count = this.starts[frames];
    this.step = header.step;
    this.strongest = header.strongest;
    this.bodies = reader.differences(count);
    this.arms = Array.from({ length: 3 }, () => reader.differences(count));
    this.kinds = reader.bytes(count);
    this.directions = [reader.bytes(count), reader.bytes(count)];
    this.sizes = reader.bytes(count);
    for (let f = 0; f < frames; f++)
      for (let i = this.starts[f] + 1; i < this.starts[f + 1]; i++) this.bodies[i] += this.bodies[i - 1];
  }

  /** N s: so large a share of all is weaker. */
  quantile(share) {
    const sorted = this.sizes.slice().sort();
    return this.#sizeOf(sorted[Math.floor(share * (sorted.length - 1))]);
  }

  #sizeOf(code) {
    return this.strongest * 2 ** ((code - 255) / 12);
  }

  /** N s */
  size(i) {
    return this.#sizeOf(this.sizes[i]);
  }

  /** Unit vector along the impulse on the second body. */
  direction(i, out) {
    const x = this.directions[0][i] / 127.5 - 1, y = this.directions[1][i] / 127.5 - 1;
    const z = 1 - Math.abs(x) - Math.abs(y);
    if (z >= 0) out.set(x, y, z);
    else out.set((1 - Math.abs(y)) * (x < 0 ? -1 : 1), (1 - Math.abs(x)) * (y < 0 ? -1 : 1), z);
    return out.normalize();
  }
}
