// Bytes as src/io/replay_bytes.cpp writes them.
import { decompress } from 'fzstd';

export function fromBase64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** Reads numbers, byte planes and columns of differences one after another. */
export class Reader {
  constructor(bytes) {
    this.data = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.at = 0;
  }

  get atEnd() {
    return this.at >= this.data.length;
  }

  u32() {
    this.at += 4;
    return this.view.getUint32(this.at - 4, true);
  }

  bytes(count) {
    this.at += count;
    if (this.at > this.data.length) throw new Error('the data of this page is cut short');
    return this.data.subarray(this.at - count, this.at);
  }

  u32s(count) {
    return Uint32Array.from({ length: count }, () => this.u32());
  }

  #fromPlanes(count, size, Numbers) {
    const planes = this.bytes(count * size);
    const joined = new Uint8Array(count * size);
    for (let plane = 0; plane < size; plane++)
      for (let i = 0; i < count; i++) joined[i * size + plane] = planes[plane * count + i];
    return new Numbers(joined.buffer);
  }

  floats(count) {
    return this.#fromPlanes(count, 4, Float32Array);
  }

  doubles(count) {
    return this.#fromPlanes(count, 8, Float64Array);
  }

  /** Differences: two planes of bytes, then those that did not fit. */
  differences(count) {
    const low = this.bytes(count);
    const high = this.bytes(count);
    const wide = this.u32s(this.u32());
    const values = new Int32Array(count);
    let next = 0;
    for (let i = 0; i < count; i++) {
      let folded = low[i] | (high[i] << 8);
      if (folded === 0xffff) folded = wide[next++];
      values[i] = (folded >>> 1) ^ -(folded & 1);
    }
    return values;
  }
}

/** All sections by their tags, each tag with a list of functions that unpack one. */
export function readSections(bytes) {
  const reader = new Reader(bytes);
  if (String.fromCharCode(...reader.bytes(8)) !== 'CAROMPG1') throw new Error('this page holds no data of Carom');
  const sections = new Map();
  while (!reader.atEnd) {
    const tag = String.fromCharCode(...reader.bytes(4));
    const size = reader.u32();
    const packed = reader.bytes(reader.u32());
    if (!sections.has(tag)) sections.set(tag, []);
    sections.get(tag).push(() => decompress(packed, new Uint8Array(size)));
  }
  return sections;
}
