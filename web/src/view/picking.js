// Which body is under the mouse: spheres around bodies first, then triangles of those that may be hit.
import { Matrix4, Quaternion, Ray, Raycaster, Vector2, Vector3 } from 'three';
import { reachOf } from '../data/bounds.js';

export class Picker {
  #caster = new Raycaster();
  #ray = new Ray();
  #matrix = new Matrix4();
  #inverse = new Matrix4();
  #corners = [new Vector3(), new Vector3(), new Vector3()];
  #hit = new Vector3();

  constructor(replay, bodies, surroundings) {
    this.replay = replay;
    this.bodies = bodies;
    this.surroundings = surroundings;
    this.reaches = replay.bodies.map((body) => reachOf(replay.meshes[body.mesh], body.scale));
    this.slots = replay.bodies.map((body) => body.slot);
  }

  /** Index of the body in the cast, or −1. x and y from −1 to 1. */
  pick(x, y, camera) {
    this.#caster.setFromCamera(new Vector2(x, y), camera);
    const ray = this.#caster.ray;
    let best = Infinity, found = -1;
    const solid = new Map(this.surroundings.items.map((item) => [item.body, item]));
    this.replay.bodies.forEach((body, i) => {
      // What has turned to glass lets the mouse through.
      if (body.fixed && solid.get(body)?.goal === 1) return;
      const pose = body.fixed ?? this.bodies.poses.subarray(7 * body.slot, 7 * body.slot + 7);
      this.#hit.set(pose[0], pose[1], pose[2]);
      if (ray.distanceSqToPoint(this.#hit) > this.reaches[i] ** 2) return;
      const distance = this.#distance(body, pose, ray);
      if (distance < best) (best = distance), (found = i);
    });
    return found;
  }

  #distance(body, pose, ray) {
    const scale = new Vector3(...body.scale);
    this.#matrix.compose(this.#hit, new Quaternion(pose[4], pose[5], pose[6], pose[3]), scale);
    this.#ray.copy(ray).applyMatrix4(this.#inverse.copy(this.#matrix).invert());
    const { positions, index } = this.replay.meshes[body.mesh];
    const point = new Vector3();
    let best = Infinity;
    for (let t = 0; t < index.length; t += 3) {
      this.#corners.forEach((corner, k) => corner.fromArray(positions, 3 * index[t + k]));
      if (this.#ray.intersectTriangle(...this.#corners, true, point))
        best = Math.min(best, point.applyMatrix4(this.#matrix).distanceTo(ray.origin));
    }
    return best;
  }
}
