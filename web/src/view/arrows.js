// Impulses: a dot where bodies touch and an arrow along the impulse on the second body.
import {
  BufferAttribute, BufferGeometry, Color, ConeGeometry, CylinderGeometry, InstancedMesh, Matrix4, MeshBasicMaterial,
  Quaternion, SphereGeometry, Vector3,
} from 'three';
import { impulseRamp } from './palette.js';

/** Impulses are coloured over this many powers of ten below a strong one. */
const decades = 2;

/** An impact is over in no time: its arrow shrinks away within so many seconds, unless that would be a thicket. */
const linger = 0.3;
const mostLingering = 1500;

/** Shaft and head along z, of length 1, as one geometry. */
function arrowGeometry() {
  const shaft = new CylinderGeometry(0.045, 0.045, 0.76, 8).rotateX(Math.PI / 2).translate(0, 0, 0.38);
  const head = new ConeGeometry(0.13, 0.28, 12).rotateX(Math.PI / 2).translate(0, 0, 0.87);
  const positions = [], index = [];
  for (const part of [shaft, head]) {
    const offset = positions.length / 3;
    positions.push(...part.attributes.position.array);
    index.push(...Array.from(part.index.array, (i) => i + offset));
  }
  const joined = new BufferGeometry();
  joined.setAttribute('position', new BufferAttribute(new Float32Array(positions), 3));
  joined.setIndex(index);
  return joined;
}

export class Arrows {
  /** `available`: whether there are any; `impulses`: a function that unpacks them; `kinds`: colours by kind, where it is
   *  not the size that is told by colour; `add`: called with the meshes once there are any. */
  constructor(replay, action, { available, impulses, kinds }, add) {
    Object.assign(this, { replay, available, impulses, kinds, add });
    this.shown = false;
    this.meshes = [];
    this.length = 2.4 * action.size;
    this.frame = -1;
    // What `#place` computes with.
    const up = new Vector3(0, 0, 1), at = new Vector3(), size = new Vector3(), along = new Vector3();
    Object.assign(this, { up, at, size, along, matrix: new Matrix4(), turn: new Quaternion(), pose: new Float64Array(7) });
  }

  /** The first frame some of whose arrows are still to be seen at `frame`. */
  #oldest(frame, seconds) {
    const { times } = this.replay;
    let first = frame;
    while (first > 0 && times[first - 1] > times[frame] - seconds) first--;
    return first;
  }

  /** Most arrows at once. */
  #most(seconds) {
    const { starts, counts } = this.drawn;
    return counts.reduce((most, _, frame) => Math.max(most, starts[frame + 1] - starts[this.#oldest(frame, seconds)]), 1);
  }

  #build() {
    this.drawn = this.impulses();
    this.strong = this.drawn.quantile(0.985);
    this.seconds = this.kinds && this.#most(linger) <= mostLingering ? linger : 0;
    const most = this.#most(this.seconds);
    // Drawn over the bodies: contacts are inside a heap, where nothing could be seen of them.
    const material = new MeshBasicMaterial({ depthTest: false, depthWrite: false, transparent: true, toneMapped: false });
    this.arrows = new InstancedMesh(arrowGeometry(), material, most);
    this.dots = new InstancedMesh(new SphereGeometry(1, 10, 8), material, most);
    this.meshes = [this.arrows, this.dots];
    for (const mesh of this.meshes) {
      mesh.frustumCulled = false;
      mesh.renderOrder = 10;
      mesh.setColorAt(0, new Color());
    }
    this.add(...this.meshes);
  }

  show(on) {
    this.shown = on && this.available;
    if (this.shown && this.meshes.length === 0) this.#build();
    for (const mesh of this.meshes) mesh.visible = this.shown;
    this.frame = -1;
  }

  /** 0 to 1 on the scale of colours. */
  level(size) {
    return Math.min(1, Math.max(0, 1 + Math.log10(size / this.strong) / decades));
  }

  move(frame) {
    if (!this.shown || frame === this.frame) return;
    this.frame = frame;
    const { drawn, seconds } = this, { times } = this.replay;
    let k = 0;
    for (let f = this.#oldest(frame, seconds); f <= frame; f++) {
      const share = f === frame ? 1 : 1 - (times[frame] - times[f]) / seconds;
      for (let i = drawn.starts[f]; i < drawn.starts[f + 1]; i++)
        if (f === frame || drawn.kinds[i] === 0) this.#place(k++, i, f, share);
    }
    for (const mesh of this.meshes) {
      mesh.count = k;
      mesh.instanceMatrix.needsUpdate = mesh.instanceColor.needsUpdate = true;
    }
  }

  /** Arrow k is impulse i of a frame. Lengths go with the root: a heap and a blow are both to be seen. */
  #place(k, i, frame, share) {
    const { drawn, matrix, turn, at, size, along, up, pose } = this;
    this.replay.pose(this.replay.bodies[drawn.bodies[i]], this.replay.times[frame], pose);
    at.set(...drawn.arms.map((arm, axis) => pose[axis] + arm[i] * drawn.step));
    const impulse = drawn.size(i), length = share * this.length * Math.min(1.6, Math.sqrt(impulse / this.strong));
    turn.setFromUnitVectors(up, drawn.direction(i, along));
    const width = Math.max(length, 0.3 * share * this.length);
    this.arrows.setMatrixAt(k, matrix.compose(at, turn, size.set(width, width, length)));
    const dot = 0.075 * width;
    this.dots.setMatrixAt(k, matrix.compose(at, turn, size.set(dot, dot, dot)));
    const color = this.kinds?.[drawn.kinds[i]] ?? impulseRamp[Math.round(255 * this.level(impulse))];
    for (const mesh of this.meshes) mesh.setColorAt(k, color);
  }

  scale() {
    const top = this.strong;
    return { unit: 'N·s', values: [top * 10 ** -decades, top * 10 ** (-decades / 2), top] };
  }
}
