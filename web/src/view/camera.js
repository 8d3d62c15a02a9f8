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
    azimuth = (Math.sin(across) < 0 ? across : across + Math.PI) + 24 * degrees;
  }
  const flat = Math.max(width, depth) / Math.max(height, 1e-9);
  const elevation = Math.min(34, Math.max(11, 9 + 5 * flat)) * degrees;
  return new Vector3(
    Math.cos(azimuth) * Math.cos(elevation), Math.sin(azimuth) * Math.cos(elevation), Math.sin(elevation),
  );
}

export class View {
  #offset = new Vector3();

  constructor(canvas, action, onMove) {
    this.action = action;
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

  /** Back to the first view. */
  reset() {
    const { min, max } = this.action;
    const direction = firstDirection(this.action);
    const { height } = this.size;
    const free = Math.max(0.4, (height - this.margins.top - this.margins.bottom) / height);
    const tall = Math.tan((this.camera.fov / 2) * degrees), wide = tall * this.camera.aspect;
    const right = new Vector3(0, 0, 1).cross(direction).normalize();
    const up = direction.clone().cross(right);
    const center = new Vector3(...this.action.center);
    let distance = 0;
    for (let corner = 0; corner < 8; corner++) {
      const offset = new Vector3(...[0, 1, 2].map((axis) => ((corner >> axis) & 1 ? max : min)[axis])).sub(center);
      const near = offset.dot(direction);
      distance = Math.max(
        distance, near + Math.abs(offset.dot(right)) / (wide * 0.9), near + Math.abs(offset.dot(up)) / (tall * 0.94 * free),
      );
    }
    // Panels above and below are not equally high: the middle of the picture moves with them.
    const shift = ((this.margins.top - this.margins.bottom) / height) * tall * distance;
    center.addScaledVector(up, shift);
    this.controls.target.copy(center);
    this.camera.position.copy(center).addScaledVector(direction, distance);
    this.camera.lookAt(center);
    this.controls.update();
    this.untouched = true;
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
    return this.controls.update();
  }
}
