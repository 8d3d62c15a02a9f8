// The replays side by side: a cell for each suite, one camera for all of them, and one renderer that draws one cell after
// the other. A browser allows few WebGL contexts; a picture that is copied into a plain canvas costs next to nothing.
import { findAction } from '../data/bounds.js';
import { View } from './camera.js';
import { Painter } from './painter.js';
import { Stage } from './stage.js';

/** Shadow maps of several stages are kept at once. */
const shadowSize = 1024;
/** Of pictures at rest as many are drawn in one go as take so long, and one at least. */
const turnMilliseconds = 25;
/** With more pictures than this, those in motion begin without soft shading; where it turns out that there is time for it,
 *  it comes back. */
const mostShaded = 2;

export class Cell {
  constructor(suite, stage, element) {
    Object.assign(this, { suite, stage, element });
    this.canvas = element.querySelector('canvas');
    this.context = this.canvas.getContext('2d');
    this.visible = true;
    this.stale = true;
  }

  /** Takes over what the painter has just drawn. */
  copy(source) {
    if (this.canvas.width !== source.width || this.canvas.height !== source.height)
      Object.assign(this.canvas, { width: source.width, height: source.height });
    else this.context.clearRect(0, 0, source.width, source.height);
    this.context.drawImage(source, 0, 0);
    this.stale = false;
  }

  get wanted() {
    return this.suite.shown && this.visible;
  }
}

export class Gallery {
  /** `makeElement(suite)`: a new cell with a canvas in it, in its place on the page. */
  constructor(parent, ensemble, makeElement, onMove) {
    this.parent = parent;
    const { reference } = ensemble;
    this.action = findAction(reference.replay);
    this.painter = new Painter(document.createElement('canvas'), 1.6 * this.action.size);
    const shared = { painter: this.painter, action: this.action, shadowSize };
    this.cells = ensemble.runs.map((suite) => new Cell(suite, new Stage(null, suite.replay, shared), makeElement(suite)));
    const first = this.cells.find((cell) => cell.suite === reference);
    this.view = new View(parent, this.action, first.stage.framePoints(), () => {
      for (const { stage } of this.cells) stage.cameraMoved();
      onMove();
    });
    for (const { stage } of this.cells) stage.lookThrough(this.view);
    this.last = -1;
    this.painter.quality.shaded = this.cells.length <= mostShaded;
    this.#shareScales();
    this.#gestures();
    this.#watch(onMove);
  }

  /** The page scrolls by the wheel and by a finger that goes up or down: the camera turns by drags, and zooms by Ctrl and
   *  the wheel, as by two fingers. */
  #gestures() {
    const { controls } = this.view;
    controls.enableZoom = false;
    this.parent.style.touchAction = 'pan-y';
    this.parent.addEventListener('wheel', (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      this.view.zoom(1.0015 ** Math.max(-200, Math.min(200, event.deltaY)));
    }, { passive: false });
    // Pinching is the one zoom that does not compete with scrolling.
    this.parent.addEventListener('pointerdown', (event) => (controls.enableZoom = event.pointerType === 'touch'), true);
    this.parent.addEventListener('pointerup', () => (controls.enableZoom = false));
  }

  /** Colours mean the same in every cell. */
  #shareScales() {
    const bodies = this.cells.map((cell) => cell.stage.bodies);
    const common = (key) => {
      const most = Math.max(...bodies.map((one) => one[key]));
      for (const one of bodies) one[key] = most;
    };
    common('topSpeed');
    common('topEnergy');
  }

  /** Cells out of sight are not drawn. A browser may take the graphics away for a while: then all is drawn anew. */
  #watch(onMove) {
    this.painter.canvas.addEventListener('webglcontextrestored', () => {
      this.all(() => {});
      onMove();
    });
    this.observer = new IntersectionObserver((entries) => {
      for (const entry of entries) {
        const cell = this.cells.find((one) => one.element === entry.target);
        cell.visible = entry.isIntersecting;
        cell.stale = true;
      }
      onMove();
    }, { rootMargin: '60px' });
    for (const cell of this.cells) this.observer.observe(cell.element);
  }

  /** Every cell has the size of those shown. */
  resize() {
    const sample = this.cells.find((cell) => cell.suite.shown);
    if (!sample) return;
    const { clientWidth: width, clientHeight: height } = sample.canvas.parentElement;
    if (width === 0 || height === 0) return;
    this.painter.quality.resize(width, height);
    this.view.resize(width, height, { top: 8, bottom: 8 });
    // A drag over one cell turns as far as if the cell were the whole picture.
    this.view.controls.rotateSpeed = this.parent.clientHeight / Math.max(1, height);
    this.all((stage) => stage.cameraMoved());
  }

  all(action) {
    for (const cell of this.cells) {
      action(cell.stage, cell.suite);
      cell.stale = true;
    }
  }

  setTime(t) {
    for (const cell of this.cells) {
      if (!cell.wanted) continue;
      cell.stage.setTime(Math.min(t, cell.suite.replay.end));
      cell.stale = true;
    }
  }

  setArrows(on) {
    const arrowsOf = (stage) => (stage.replay.hasEvents ? stage.impacts : stage.arrows);
    this.all((stage) => stage.setArrows(arrowsOf(stage), on));
    const shown = this.cells.map(({ stage }) => arrowsOf(stage)).filter((arrows) => arrows.shown);
    // One length for one impulse, by the run that has the middle one of the strong ones.
    const strong = shown.map((arrows) => arrows.strong).sort((a, b) => a - b)[shown.length >> 1];
    for (const arrows of shown) arrows.strong = strong;
  }

  get hasArrows() {
    return this.cells.some(({ stage }) => stage.arrows.available || stage.impacts.available);
  }

  /** One turn of the loop; true where there is more to come without anybody asking. */
  draw(elapsed, playing) {
    const { quality } = this.painter;
    const gliding = this.view.update();
    const cells = this.cells.filter((cell) => cell.wanted);
    let fading = false;
    for (const { stage } of cells) fading = stage.settle(elapsed) || fading;
    const moving = playing || gliding || fading;
    if (!moving && quality.settle()) for (const cell of cells) cell.stale = true;
    const due = moving ? cells : cells.filter((cell) => cell.stale || cell.stage.dirty);
    if (due.length === 0) return false;
    const fine = quality.prepare(moving, elapsed);
    // What moves, moves everywhere at once. At rest each gets its fine picture in turn, so that a slow machine can answer
    // in between; the one after the last drawn comes first, so that none waits for ever.
    const until = moving ? Infinity : performance.now() + turnMilliseconds;
    const first = moving ? 0 : Math.max(0, due.findIndex((cell) => this.cells.indexOf(cell) > this.last));
    for (let i = 0; i < due.length && (i === 0 || performance.now() < until); i++) {
      const cell = due[(first + i) % due.length];
      cell.stage.render(fine);
      cell.copy(this.painter.canvas);
      this.last = this.cells.indexOf(cell);
    }
    return true;
  }
}
