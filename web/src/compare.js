// The comparison page: one scene by several suites, their replays on one time line and under one camera, the table and
// the curves.
import { Ensemble } from './data/ensemble.js';
import { trimmed } from './data/units.js';
import { Player } from './player.js';
import { describeCell, describeSuites, makeCell, makeChips } from './ui/compare_cells.js';
import { ComparePlots } from './ui/compare_plots.js';
import { CompareTable } from './ui/compare_table.js';
import { Controls } from './ui/controls.js';
import { legendRows } from './ui/legend.js';
import { Loop } from './ui/loop.js';
import { Theme } from './ui/theme.js';
import { Tooltip } from './ui/tooltip.js';
import { Gallery } from './view/gallery.js';

const element = (id) => document.getElementById(id);

function say(text) {
  element('message').textContent = text;
  element('message').hidden = false;
}

function fillHeader({ facts, suites, runs }) {
  const { scene, description, bodies, duration, dt, threads, version } = facts;
  element('title').textContent = `${scene}, by ${runs.length === 1 ? 'one suite' : `${runs.length} suites`}`;
  element('about').textContent = description;
  const parts = [
    `${bodies.toLocaleString('en')} ${bodies === 1 ? 'body' : 'bodies'}`, `${trimmed(duration, 4)} s`,
    dt < 1 && Math.abs(1 / dt - Math.round(1 / dt)) < 1e-3 ? `dt = 1/${Math.round(1 / dt)} s` : `dt = ${trimmed(dt, 4)} s`,
    `${threads} ${threads === 1 ? 'thread' : 'threads'}`, `Carom ${version}`,
  ];
  const missing = suites.length - runs.length;
  if (missing > 0) parts.push(`${missing} not run: see the table`);
  element('facts').textContent = parts.join(' · ');
}

/** The pictures, or nothing where the browser cannot draw them or no suite ran. */
function makeGallery(ensemble, actions, onMove) {
  if (ensemble.runs.length === 0) {
    say('No suite has run: the table says why.');
    return null;
  }
  try {
    return new Gallery(element('cells'), ensemble, (suite) => makeCell(element('cells'), suite, actions), onMove);
  } catch (error) {
    console.info(error);
    element('cells').replaceChildren();
    say('This browser cannot draw in three dimensions (WebGL 2 is missing or switched off). Table and curves still work.');
    return null;
  }
}

class Page {
  constructor() {
    this.ensemble = new Ensemble(JSON.parse(element('carom-data').textContent));
    element('carom-data').remove();
    this.chosen = -1;
    this.player = new Player(this.ensemble);
    this.loop = new Loop(this.player, (elapsed) => this.#turn(elapsed));
    const actions = { raise: (suite) => this.raise(suite), toggle: (suite) => this.toggle(suite) };
    fillHeader(this.ensemble);
    makeChips(element('chips'), this.ensemble, actions);
    describeSuites(element('suites').querySelector('dl'), this.ensemble);
    this.gallery = makeGallery(this.ensemble, actions, () => this.loop.wake());
    this.controls = new Controls(this.player, this.#actions());
    this.table = new CompareTable(element('table'), this.ensemble, actions);
    this.plots = new ComparePlots(element('plots'), element('plot-tip'), this.ensemble, this.player, actions);
    this.theme = new Theme((name) => this.#themed(name));
    this.#themed(this.theme.name);
    if (this.gallery) this.#setUpGallery();
    for (const id of ['colors', 'arrows', 'reset']) element(id).hidden = !this.gallery;
    element('follow').querySelector('button').onclick = () => this.choose(-1);
    this.#showSuites();
    this.player.onChange(() => this.#timeChanged());
  }

  #actions() {
    const view = () => this.gallery?.view;
    return {
      toggleArrows: () => this.setArrows(!this.arrows),
      toggleImpacts: () => {},
      toggleTheme: () => this.theme.toggle(),
      setColor: (mode) => this.setColor(mode),
      resetView: () => view()?.reset(),
      turn: (azimuth, elevation) => view()?.turn(0.09 * azimuth, 0.06 * elevation),
      zoom: (factor) => view()?.zoom(factor),
      letGo: () => this.choose(-1),
      description: () => this.ensemble.facts.description,
      about: 'Drag a picture to turn all of them, hold Ctrl and scroll, or pinch, to zoom. Point at a body to see its state; click it to see it in all pictures. Click a curve to go to that time; point at a row of the table or a name to raise its curves.',
    };
  }

  #setUpGallery() {
    const { gallery, player } = this;
    for (const cell of gallery.cells) {
      const tip = cell.element.querySelector('.tip');
      cell.tooltip = new Tooltip(cell.stage, player, { canvas: cell.canvas, tip }, (body) => this.choose(body));
      cell.canvas.addEventListener('pointerdown', () => (this.pressed = cell));
    }
    // The camera's controls take the pointer while it is down, so that its release is seen only here.
    element('cells').addEventListener('pointerup', (event) => {
      this.pressed?.tooltip.released(event);
      this.pressed = null;
    });
    new ResizeObserver(() => this.#measure()).observe(element('cells'));
    this.setColor('body');
    this.setArrows(false);
  }

  /** As many pictures in a row as fit, and rows that are equally full. */
  #measure() {
    const cells = element('cells');
    const shown = Math.max(1, this.ensemble.runs.filter((suite) => suite.shown).length);
    const least = cells.clientWidth < 680 ? 150 : 280;
    const fit = Math.max(1, Math.floor(cells.clientWidth / least));
    const rows = Math.ceil(shown / Math.min(fit, 4));
    cells.style.setProperty('--columns', Math.ceil(shown / rows));
    this.gallery?.resize();
    this.loop.wake();
  }

  choose(body) {
    this.chosen = body === this.chosen ? -1 : body;
    this.gallery?.all((stage) => stage.choose(this.chosen));
    element('follow').hidden = this.chosen < 0;
    if (this.chosen >= 0) element('follow').querySelector('span').textContent = this.ensemble.reference.replay.bodies[this.chosen].name;
    this.#timeChanged();
  }

  toggle(suite) {
    suite.shown = !suite.shown;
    // An empty page helps nobody.
    if (!this.ensemble.runs.some((one) => one.shown)) suite.shown = true;
    this.#showSuites();
  }

  #showSuites() {
    for (const suite of this.ensemble.suites) {
      suite.chip.setAttribute('aria-pressed', suite.shown);
      this.table.rows.get(suite).classList.toggle('off', !suite.shown);
    }
    for (const cell of this.gallery?.cells ?? []) cell.element.hidden = !cell.suite.shown;
    this.plots.showSuites();
    this.#measure();
    this.#timeChanged();
  }

  raise(suite) {
    this.table?.raise(suite);
    this.plots?.raise(suite?.replay && suite.shown ? suite : null);
  }

  setColor(mode) {
    this.gallery?.all((stage) => stage.setColor(mode));
    this.color = mode;
    this.controls.showColor(mode);
    this.#showLegend();
    this.#timeChanged();
  }

  /** Scales are common, so that any picture with all kinds of arrows can speak for them. */
  #showLegend() {
    const cell = this.gallery?.cells.find(({ stage }) => stage.arrows.shown) ?? this.gallery?.cells[0];
    element('legend').innerHTML = cell ? legendRows(cell.stage, null).join('') : '';
  }

  setArrows(on) {
    const available = this.gallery?.hasArrows ?? false;
    this.arrows = on && available;
    this.gallery?.setArrows(this.arrows);
    this.controls.showArrows(this.arrows, available);
    this.#showLegend();
    this.#timeChanged();
  }

  #themed(name) {
    this.gallery?.all((stage) => stage.setTheme(name));
    this.controls?.showTheme(name);
    this.plots?.draw();
    if (this.plots) this.#timeChanged();
  }

  #timeChanged() {
    const { time } = this.player;
    this.gallery?.setTime(time);
    for (const cell of this.gallery?.cells ?? []) if (cell.wanted) describeCell(cell, this.ensemble, time, this.chosen);
    this.plots?.setTime(time);
    this.loop.wake();
  }

  #turn(elapsed) {
    return this.gallery?.draw(elapsed, this.player.playing) ?? false;
  }

  start() {
    this.loop.start();
  }

  /** For tests and for the console. */
  handle() {
    const { player, ensemble } = this;
    return {
      ready: this.ready,
      suites: ensemble.suites.map(({ name, end }) => ({ name, end })),
      times: ensemble.times,
      time: () => player.time,
      playing: () => player.playing,
      seek: (t) => player.seek(t),
      play: () => player.play(),
      pause: () => player.pause(),
      quantum: ensemble.reference?.replay.quantum,
      bodies: ensemble.reference?.replay.bodies.map(({ name, type }) => ({ name, type })) ?? [],
      /** What is drawn. */
      position: (suite, body) => {
        const { stage } = this.gallery.cells.find((cell) => cell.suite.name === suite);
        const { slot } = stage.replay.bodies[body];
        return [...stage.bodies.poses.subarray(7 * slot, 7 * slot + 3)];
      },
      choose: (body) => this.choose(body),
      setColor: (mode) => this.setColor(mode),
      setArrows: (on) => this.setArrows(on),
      setTheme: (name) => this.theme.set(name),
      toggle: (name) => this.toggle(ensemble.suites.find((suite) => suite.name === name)),
      state: () => ({
        chosen: this.chosen, color: this.color, arrows: this.arrows, theme: this.theme.name,
        shown: ensemble.runs.filter((suite) => suite.shown).map((suite) => suite.name),
        camera: this.gallery?.view.camera.position.toArray(),
      }),
      gallery: this.gallery,
    };
  }
}

function open() {
  const page = new Page();
  page.ready = new Promise((resolve) => {
    requestAnimationFrame(() => {
      page.start();
      requestAnimationFrame(resolve);
    });
  });
  window.carom = page.handle();
  const calm = matchMedia('(prefers-reduced-motion: reduce)').matches;
  page.ready.then(() => !calm && page.player.play());
}

try {
  open();
} catch (error) {
  say(`This page could not be read: ${error.message}`);
  throw error;
}
