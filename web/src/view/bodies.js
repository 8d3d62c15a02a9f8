// Everything that moves: one instanced mesh a form, however many bodies share it.
import { Color, InstancedMesh, Matrix4, MeshStandardMaterial, Quaternion, Vector3 } from 'three';
import { awakeColor, bodyColors, frozenColor, heat } from './palette.js';

export const colorModes = ['body', 'speed', 'energy', 'frozen'];

/** Energies are told apart over this many powers of ten below the largest. */
const energyDecades = 5;

export class Bodies {
  #matrix = new Matrix4();
  #position = new Vector3();
  #turn = new Quaternion();
  #scale = new Vector3();
  #color = new Color();
  #gray = new Color();

  constructor(replay, geometries) {
    this.replay = replay;
    this.movers = replay.bodies.filter((body) => body.slot >= 0);
    this.poses = new Float64Array(7 * this.movers.length);
    this.mode = 'body';
    this.muted = false;
    this.mutedLevel = 0.5;
    this.chosen = -1;
    this.meshes = [];
    this.places = new Array(this.movers.length);
    const counts = new Map();
    for (const body of this.movers) counts.set(body.mesh, (counts.get(body.mesh) ?? 0) + 1);
    const material = new MeshStandardMaterial({ roughness: 0.52, metalness: 0.02 });
    const filled = new Map();
    for (const [form, count] of counts) {
      const mesh = new InstancedMesh(geometries[form], material, count);
      mesh.frustumCulled = false;
      mesh.castShadow = mesh.receiveShadow = true;
      mesh.setColorAt(0, this.#color);
      this.meshes.push(mesh);
      filled.set(form, { mesh, next: 0 });
    }
    this.movers.forEach((body, i) => {
      const place = filled.get(body.mesh);
      this.places[i] = { mesh: place.mesh, at: place.next++ };
    });
    this.material = material;
    this.#measure();
    this.move(replay.start);
    const heights = this.movers.map((_, i) => this.#heightOf(i));
    this.own = bodyColors(replay, heights.length > 0 ? heights : [0]);
  }

  /** Along gravity, or along z where there is none. */
  #heightOf(i) {
    const g = this.replay.header.gravity;
    const size = Math.hypot(...g);
    const up = size > 0 ? g.map((x) => -x / size) : [0, 0, 1];
    return up.reduce((sum, x, axis) => sum + x * this.poses[7 * i + axis], 0);
  }

  /** Ends of the scales: nearly the fastest, so that one shot does not darken all the rest. */
  #measure() {
    const { motion, frames } = this.replay;
    const histogram = new Uint32Array(256);
    for (let s = 0; s < motion.speed.length; s++) histogram[motion.speed[s]]++;
    let left = 0.002 * motion.speed.length, code = 255;
    while (code > 1 && (left -= histogram[code]) > 0) code--;
    const { slowest, speed_codes: codes } = this.replay.header;
    this.topSpeed = Math.max(slowest * (2 ** (code / codes) - 1), 1e-3);
    this.topEnergy = 1e-12;
    const stride = Math.max(1, Math.floor(frames / 60));
    for (const body of this.movers)
      for (let f = 0; f < frames; f += stride) this.topEnergy = Math.max(this.topEnergy, this.replay.energy(body, f));
  }

  /** Poses at time t, on the screen and in `poses`. */
  move(t) {
    const { replay, poses } = this;
    const frame = replay.frameAt(t), next = Math.min(frame + 1, replay.frames - 1);
    const span = replay.times[next] - replay.times[frame];
    const share = span > 0 ? Math.max(0, (t - replay.times[frame]) / span) : 0;
    this.movers.forEach((body, i) => {
      const o = 7 * i;
      replay.poseBetween(body.slot, frame, next, share, poses, o);
      this.#position.set(poses[o], poses[o + 1], poses[o + 2]);
      this.#turn.set(poses[o + 4], poses[o + 5], poses[o + 6], poses[o + 3]);
      this.#matrix.compose(this.#position, this.#turn, this.#scale.fromArray(body.scale));
      this.places[i].mesh.setMatrixAt(this.places[i].at, this.#matrix);
    });
    for (const mesh of this.meshes) mesh.instanceMatrix.needsUpdate = true;
  }

  /** Where a quantity stands on its scale, 0 to 1. */
  level(body, frame) {
    if (this.mode === 'speed') return Math.min(1, Math.sqrt(this.replay.speed(body, frame) / this.topSpeed));
    const energy = this.replay.energy(body, frame);
    return energy > 0 ? Math.min(1, Math.max(0, 1 + Math.log10(energy / this.topEnergy) / energyDecades)) : 0;
  }

  #colorOf(i, frame) {
    const body = this.movers[i];
    if (this.mode === 'body') return this.own[i];
    if (this.mode === 'frozen') return this.replay.frozen(body, frame) ? frozenColor : awakeColor;
    return heat[Math.round(255 * this.level(body, frame))];
  }

  paint(frame) {
    const color = this.#color;
    this.movers.forEach((_, i) => {
      color.copy(this.#colorOf(i, frame));
      if (this.chosen >= 0 ? i !== this.chosen : this.muted) {
        // Under arrows, and beside the one that was chosen, the bodies step back.
        color.lerp(this.#gray.setScalar(this.mutedLevel), 0.8);
      }
      this.places[i].mesh.setColorAt(this.places[i].at, color);
    });
    for (const mesh of this.meshes) mesh.instanceColor.needsUpdate = true;
  }

  frozenCount(frame) {
    return this.movers.reduce((sum, body) => sum + (this.replay.frozen(body, frame) ? 1 : 0), 0);
  }

  /** What the scale of a mode says, for the legend. */
  scale() {
    if (this.mode === 'speed')
      return { unit: 'm/s', values: [0, this.topSpeed / 4, this.topSpeed], top: this.topSpeed };
    return {
      unit: 'J',
      values: [this.topEnergy * 10 ** -energyDecades, this.topEnergy * 10 ** (-energyDecades / 2), this.topEnergy],
    };
  }
}
