// The camera: a first view that frames the whole action, orbiting around it, and following one body.
import { PerspectiveCamera, Vector3 } from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { mainAxis } from '../data/bounds.js';

const degrees = Math.PI / 180;

/** From where to look first: across the widest spread of the motion, from a little above; steeper on flat scenes. */
function firstDirection(action) {
  const { angle, ratio } = mainAxis(action.points);
  const [width, depth, height] = action.max.map((high, axis) => high - action.min[axis]);
  let azimuth = -62 * degrees;
  if (ratio > 1.25) {
    const across = angle - 90 * degrees;
    // Of the two sides, that of negative y; turned a little, so that depth shows.
    azimuth = (Math.sin(across) < 0 ? across : across + Math.PI) + 20 * degrees;
  }
  const flat = Math.max(width, depth) / Math.max(height, 1e-9);
  // A row of things would stand on a slope if it were seen from far above.
  const steepest = ratio > 4 ? 14 : 34;
  const alone = action.radius < 4 * action.size;
  const elevation = (alone ? 22 : Math.min(steepest, Math.max(10, 8 + 5 * flat))) * degrees;
  return new Vector3(
    Math.cos(azimuth) * Math.cos(elevation), Math.sin(azimuth) * Math.cos(elevation), Math.sin(elevation),
  );
}

export class View {
  #offset = new Vector3();

  /** `framed`: points that the first view shows. */
  constructor(canvas, action, framed, onMove) {
    Object.assign(this, { action, framed });
    this.camera = new PerspectiveCamera(30, 1, 0.01 * action.radius, 60 * action.radius);
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.12;
    this.controls.minDistance = 0.02 * action.radius;
    this.controls.maxDistance = 25 * action.radius;
    this.controls.addEventListener('change', onMove);
    this.controls.addEventListener('start', () => (this.untouched = false));
    this.untouched = true;
    this.following = null;
    this.margins = { top: 0, bottom: 0 };
  }

  /** Margins are parts of the picture (pixels) that panels lie over. */
  resize(width, height, margins) {
    this.size = { width, height };
    this.margins = margins;
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    if (this.untouched) this.reset();
  }

  /** Back to the first view: as close as everything framed allows, and centred on the picture of it. */
  reset() {
    const direction = firstDirection(this.action);
    const { height } = this.size;
    const { top, bottom } = this.margins;
    const tall = Math.tan((this.camera.fov / 2) * degrees), wide = tall * this.camera.aspect;
    const halfHeight = tall * 0.97 * Math.max(0.4, (height - top - bottom) / height), halfWidth = wide * 0.92;
    const right = new Vector3(0, 0, 1).cross(direction).normalize();
    const up = direction.clone().cross(right);
    const center = new Vector3(...this.action.center);
    let distance = this.action.radius;
    // Perspective makes near things larger, so where the middle is depends on the distance: a few rounds settle both.
    for (let round = 0; round < 6; round++) {
      const spread = this.#spread(center, direction, right, up, distance);
      center.addScaledVector(right, ((spread.right + spread.left) / 2) * distance);
      center.addScaledVector(up, ((spread.up + spread.down) / 2) * distance);
      distance *= Math.max((spread.right - spread.left) / 2 / halfWidth, (spread.up - spread.down) / 2 / halfHeight);
      distance = Math.max(distance, 1.02 * spread.nearest);
    }
    center.addScaledVector(up, ((top - bottom) / height) * tall * distance);
    this.controls.target.copy(center);
    this.camera.position.copy(center).addScaledVector(direction, distance);
    this.camera.lookAt(center);
    this.controls.update();
    this.untouched = true;
  }

  /** Tangents of the angles under which the framed points appear. */
  #spread(center, direction, right, up, distance) {
    const spread = { left: Infinity, right: -Infinity, down: Infinity, up: -Infinity, nearest: 0 };
    for (const point of this.framed) {
      const offset = this.#offset.subVectors(point, center);
      const near = offset.dot(direction);
      const depth = Math.max(distance - near, 0.05 * distance);
      const x = offset.dot(right) / depth, y = offset.dot(up) / depth;
      spread.left = Math.min(spread.left, x);
      spread.right = Math.max(spread.right, x);
      spread.down = Math.min(spread.down, y);
      spread.up = Math.max(spread.up, y);
      spread.nearest = Math.max(spread.nearest, near);
    }
    return spread;
  }

  /** Turns and zooms as the mouse does; for keys. */
  turn(azimuth, elevation) {
    this.untouched = false;
    const offset = this.#offset.subVectors(this.camera.position, this.controls.target);
    const radius = offset.length();
    const theta = Math.atan2(offset.y, offset.x) + azimuth;
    const phi = Math.min(89 * degrees, Math.max(-89 * degrees, Math.asin(offset.z / radius) + elevation));
    offset.set(Math.cos(phi) * Math.cos(theta), Math.cos(phi) * Math.sin(theta), Math.sin(phi)).multiplyScalar(radius);
    this.camera.position.copy(this.controls.target).add(offset);
    this.controls.update();
  }

  zoom(factor) {
    this.untouched = false;
    const offset = this.#offset.subVectors(this.camera.position, this.controls.target);
    const { minDistance, maxDistance } = this.controls;
    offset.setLength(Math.min(maxDistance, Math.max(minDistance, offset.length() * factor)));
    this.camera.position.copy(this.controls.target).add(offset);
    this.controls.update();
  }

  /** Keeps the picture centred on a point: the camera goes along. `share` of the way, for a soft start. */
  trackPoint(x, y, z, share) {
    const step = this.#offset.set(x, y, z).sub(this.controls.target).multiplyScalar(share);
    if (step.lengthSq() < 1e-14 * this.action.radius ** 2) return false;
    this.untouched = false;
    this.controls.target.add(step);
    this.camera.position.add(step);
    return true;
  }

  /** True while the camera is still moving by itself. */
  update() {
    const moved = this.controls.update();
    // As much depth precision as there is: nothing is drawn nearer than a part of the way to the target.
    const distance = this.camera.position.distanceTo(this.controls.target);
    const near = 0.04 * distance, far = distance + 9 * this.action.radius;
    if (Math.abs(near / this.camera.near - 1) > 0.05 || Math.abs(far / this.camera.far - 1) > 0.05) {
      Object.assign(this.camera, { near, far });
      this.camera.updateProjectionMatrix();
    }
    return moved;
  }
}
