// The picture: light, bodies, surroundings, arrows; drawn only when something has changed.
import {
  BufferAttribute, BufferGeometry, DirectionalLight, HemisphereLight, Mesh, PlaneGeometry, Scene, ShadowMaterial, Vector3,
} from 'three';
import { findAction } from '../data/bounds.js';
import { Arrows } from './arrows.js';
import { Bodies } from './bodies.js';
import { View } from './camera.js';
import { Painter } from './painter.js';
import { eventColors } from './palette.js';
import { Picker } from './picking.js';
import { Surroundings } from './surroundings.js';

const themes = {
  light: {
    sky: '#ffffff', earth: '#dad7d2', key: '#fff8ef', ambient: 2.15, light: 1.9,
    solid: '#dddcda', glass: '#5d7480', ground: '#e9e7e3', line: '#c4bfb7', shadow: 0.17,
  },
  dark: {
    sky: '#d3dcec', earth: '#7b7d86', key: '#fff3e4', ambient: 1.9, light: 2.0,
    solid: '#6b727c', glass: '#9db4c6', ground: '#343941', line: '#4b525c', shadow: 0.4,
  },
};

function makeGeometry(mesh) {
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(mesh.positions, 3));
  geometry.setAttribute('normal', new BufferAttribute(mesh.normals, 3));
  geometry.setIndex(new BufferAttribute(mesh.index, 1));
  return geometry;
}

export class Stage {
  /** With a canvas it draws there, through a view of its own. Without one it is one of several: `shared` has the painter,
   *  the action, and the size of the shadow map, and `lookThrough` brings the view. */
  constructor(canvas, replay, shared = {}) {
    this.replay = replay;
    this.scene = new Scene();
    this.action = shared.action ?? findAction(replay);
    this.painter = shared.painter ?? new Painter(canvas, 1.6 * this.action.size);
    this.shadowSize = shared.shadowSize ?? 2048;
    const geometries = replay.meshes.map(makeGeometry);
    this.bodies = new Bodies(replay, geometries);
    this.surroundings = new Surroundings(replay, geometries, this.action);
    const add = (...meshes) => this.scene.add(...meshes);
    const contacts = { available: replay.hasContacts, impulses: () => replay.contacts };
    const impacts = { available: replay.hasEvents, impulses: () => replay.events, kinds: eventColors };
    this.arrows = new Arrows(replay, this.action, contacts, add);
    this.impacts = new Arrows(replay, this.action, impacts, add);
    for (const mesh of [...this.bodies.meshes, ...this.surroundings.meshes]) this.scene.add(mesh);
    this.#light();
    this.#floor();
    this.picker = new Picker(replay, this.bodies, this.surroundings);
    this.followed = -1;
    this.paintedFrame = -1;
    this.sinceShadows = 0;
    this.dirty = true;
    if (canvas) this.lookThrough(new View(canvas, this.action, this.framePoints(), () => this.cameraMoved()));
  }

  /** What a first view shows. */
  framePoints() {
    return this.surroundings.framePoints(this.action);
  }

  lookThrough(view) {
    this.view = view;
    this.cameraMoved();
  }

  #light() {
    const { center, radius } = this.action;
    this.hemisphere = new HemisphereLight();
    this.hemisphere.position.set(0, 0, 1);
    this.key = new DirectionalLight();
    this.fill = new DirectionalLight('#dfe8ff', 0.55);
    const middle = new Vector3(...center);
    this.key.target.position.copy(middle);
    this.key.castShadow = true;
    const shadow = this.key.shadow;
    shadow.mapSize.set(this.shadowSize, this.shadowSize);
    const half = 1.15 * radius;
    Object.assign(shadow.camera, { left: -half, right: half, top: half, bottom: -half, near: 0.1 * radius, far: 6 * radius });
    // The blurred edge reaches over a few texels of the shadow map: so far has the surface to be lifted out of its own shadow.
    shadow.normalBias = (4.5 * 2 * half) / this.shadowSize;
    shadow.bias = -0.0003;
    shadow.radius = 4;
    shadow.intensity = 0.8;
    this.scene.add(this.hemisphere, this.key, this.key.target, this.fill);
  }

  /** Light comes over the left shoulder of the camera, whatever the view: faces that are seen are lit. */
  #aimLight() {
    const { center, radius } = this.action;
    const eye = this.view.camera.position;
    const azimuth = Math.atan2(eye.y - center[1], eye.x - center[0]) - 0.75;
    this.key.position.set(
      center[0] + 3 * radius * 0.46 * Math.cos(azimuth), center[1] + 3 * radius * 0.46 * Math.sin(azimuth),
      center[2] + 3 * radius * 0.89,
    );
    this.fill.position.set(-Math.cos(azimuth - 0.9), -Math.sin(azimuth - 0.9), 0.35);
  }

  /** Where the scene has no wide floor but things stand, a floor that shows nothing but their shadow. */
  #floor() {
    const { items, reach } = this.surroundings;
    if (items.length === 0 || items.some((item) => item.isGround)) return;
    const bottom = Math.min(...items.map((item) => item.world.min.z));
    this.catcher = new Mesh(new PlaneGeometry(2 * reach, 2 * reach), new ShadowMaterial());
    this.catcher.position.set(this.action.center[0], this.action.center[1], bottom - 0.002 * this.action.radius);
    this.catcher.receiveShadow = true;
    this.scene.add(this.catcher);
  }

  cameraMoved() {
    this.lookPending = true;
    this.dirty = true;
  }

  setTheme(name) {
    const theme = themes[name];
    this.hemisphere.color.set(theme.sky);
    this.hemisphere.groundColor.set(theme.earth);
    this.hemisphere.intensity = theme.ambient;
    this.key.color.set(theme.key);
    this.key.intensity = theme.light;
    this.surroundings.setColors(theme);
    this.bodies.mutedLevel = name === 'dark' ? 0.09 : 0.5;
    this.paintedFrame = -1;
    if (this.catcher) this.catcher.material.opacity = theme.shadow;
    this.dirty = true;
  }

  setColor(mode) {
    this.bodies.mode = mode;
    this.paintedFrame = -1;
    this.dirty = true;
  }

  /** `arrows`: those of contacts or of impacts. */
  setArrows(arrows, on) {
    arrows.show(on);
    this.bodies.muted = this.arrows.shown || this.impacts.shown;
    this.paintedFrame = -1;
    this.dirty = true;
  }

  /** One body in its colour, all others grey; −1: all in colour. */
  choose(index) {
    this.bodies.chosen = index < 0 ? -1 : this.replay.bodies[index].slot;
    this.paintedFrame = -1;
    this.dirty = true;
  }

  follow(index) {
    this.followed = index;
    this.followShare = 0.12;
    this.dirty = true;
  }

  resize(width, height, margins) {
    this.painter.quality.resize(width, height);
    this.view.resize(width, height, margins);
    this.lookPending = true;
    this.dirty = true;
  }

  /** Everything at time t; the next `draw` shows it. */
  setTime(t) {
    this.bodies.move(t);
    const frame = this.replay.frameAt(t);
    this.arrows.move(frame);
    this.impacts.move(frame);
    if (frame !== this.paintedFrame) {
      this.bodies.paint(frame);
      this.paintedFrame = frame;
    }
    this.dirty = true;
  }

  #trackFollowed() {
    const body = this.replay.bodies[this.followed];
    if (!body) return false;
    const pose = body.fixed ?? this.bodies.poses.subarray(7 * body.slot, 7 * body.slot + 7);
    const moving = this.view.trackPoint(pose[0], pose[1], pose[2], this.followShare);
    // Soft at first, then firmly on the body.
    this.followShare = Math.min(1, this.followShare * 1.12);
    return moving;
  }

  /** One turn of the loop; true where there is more to come without anybody asking. */
  draw(elapsed, playing) {
    const { quality } = this.painter;
    const tracking = this.#trackFollowed();
    const gliding = this.view.update();
    const fading = this.settle(elapsed);
    const moving = playing || gliding || tracking || fading;
    if (!this.dirty && !moving && !quality.settle()) return false;
    this.render(quality.prepare(moving, elapsed));
    return true;
  }

  /** Light and walls follow the camera; true while walls are still fading. */
  settle(elapsed) {
    if (this.lookPending) {
      this.surroundings.look(this.view.camera);
      this.#aimLight();
      this.lookPending = false;
    }
    return this.surroundings.advance(this.first === undefined ? Infinity : elapsed);
  }

  /** Where the machine is slow, shadows follow every third picture. */
  render(fine) {
    this.sinceShadows = fine ? 0 : (this.sinceShadows + 1) % 3;
    this.painter.render(this.scene, this.view.camera, fine, this.sinceShadows === 0);
    this.first = false;
    this.dirty = false;
  }

  pick(x, y) {
    const { width, height } = this.view.size;
    return this.picker.pick((2 * x) / width - 1, 1 - (2 * y) / height, this.view.camera);
  }
}
