// The replay page: unpacks the data, puts stage, plots and controls together, and keeps the clock.
import { Replay } from './data/replay.js';
import { withUnit } from './data/units.js';
import { Player } from './player.js';
import { Controls } from './ui/controls.js';
import { fillHeader } from './ui/header.js';
import { Legend } from './ui/legend.js';
import { Loop } from './ui/loop.js';
import { Plots } from './ui/plots.js';
import { Theme } from './ui/theme.js';
import { Tooltip } from './ui/tooltip.js';
import { Stage } from './view/stage.js';

const element = (id) => document.getElementById(id);
const timing = { start: performance.now() };

function say(text) {
  element('message').textContent = text;
  element('message').hidden = false;
}

/** The picture, or nothing where the browser cannot draw it. */
function makeStage(replay) {
  try {
    return new Stage(element('view'), replay);
  } catch (error) {
    console.info(error);
    say('This browser cannot draw in three dimensions (WebGL 2 is missing or switched off). The plots below still work.');
    return null;
  }
}

/** What a half step of rounding means for what is seen, for the reader who wants to know. */
function precision(replay) {
  const { position, orientation } = replay.quantum;
  const turn = orientation * 1.16 * (180 / Math.PI);
  return `Poses are exact to ${withUnit(position / 2, 'm', 2)} and ${turn.toPrecision(1)}°, speeds and energies to a few percent.`;
}

class Page {
  constructor() {
    this.replay = new Replay(element('carom-data').textContent);
    element('carom-data').remove();
    timing.unpacked = performance.now();
    this.player = new Player(this.replay);
    this.loop = new Loop(this.player, (elapsed) => this.#turn(elapsed));
    fillHeader(this.replay);
    this.stage = makeStage(this.replay);
    this.legend = this.stage && new Legend(element('legend'), this.stage);
    this.controls = new Controls(this.player, this.#actions());
    this.plots = new Plots(element('plots'), this.replay, this.player);
    this.theme = new Theme((name) => this.#themed(name));
    this.#themed(this.theme.name);
    if (this.stage) this.#setUpStage();
    for (const id of ['colors', 'arrows', 'reset', 'legend']) element(id).hidden = !this.stage;
    this.player.onChange(() => this.#timeChanged());
    timing.built = performance.now();
  }

  #actions() {
    return {
      toggleArrows: () => this.setArrows(!this.stage?.arrows.shown),
      toggleImpacts: () => this.setImpacts(!this.stage?.impacts.shown),
      toggleTheme: () => this.theme.toggle(),
      setColor: (mode) => this.setColor(mode),
      resetView: () => {
        this.tooltip?.follow(-1);
        this.stage?.view.reset();
        this.loop.wake();
      },
      turn: (azimuth, elevation) => {
        this.stage?.view.turn(0.09 * azimuth, 0.06 * elevation);
        this.loop.wake();
      },
      zoom: (factor) => {
        this.stage?.view.zoom(factor);
        this.loop.wake();
      },
      letGo: () => this.tooltip?.follow(-1),
      description: () => this.replay.header.description,
      hasImpacts: this.replay.hasEvents,
      about: `Drag to turn, drag with the right button or two fingers to move, scroll or pinch to zoom. Point at a body to
        see its state; click it to follow it. Click a plot to go to that time.<br>${precision(this.replay)}`,
    };
  }

  #setUpStage() {
    const { stage, player } = this;
    this.tooltip = new Tooltip(stage, player, { canvas: element('view'), tip: element('tip'), follow: element('follow') });
    this.tooltip.onFollow = () => this.loop.wake();
    stage.view.controls.addEventListener('change', () => this.loop.wake());
    const measure = () => {
      const box = element('stage');
      // On a narrow screen header and buttons lie over the picture; elsewhere they are beside what matters.
      const narrow = matchMedia('(max-width: 680px)').matches;
      stage.resize(box.clientWidth, box.clientHeight, { top: narrow ? 66 : 40, bottom: narrow ? 52 : 20 });
      this.loop.wake();
    };
    new ResizeObserver(measure).observe(element('stage'));
    measure();
    this.setColor('body');
    this.setArrows(false);
    this.setImpacts(false);
  }

  setColor(mode) {
    this.stage?.setColor(mode);
    this.controls.showColor(mode);
    this.#timeChanged();
  }

  setArrows(on) {
    this.stage?.setArrows(this.stage.arrows, on);
    this.controls.showArrows(this.stage?.arrows.shown ?? false, this.stage?.arrows.available ?? false);
    this.#timeChanged();
  }

  setImpacts(on) {
    this.stage?.setArrows(this.stage.impacts, on);
    this.controls.showImpacts(this.stage?.impacts.shown ?? false, this.stage?.impacts.available ?? false);
    this.#timeChanged();
  }

  #themed(name) {
    this.stage?.setTheme(name);
    this.controls?.showTheme(name);
    this.plots?.draw();
    if (this.plots) this.#timeChanged();
  }

  #timeChanged() {
    this.stage?.setTime(this.player.time);
    this.legend?.update(this.player.frame);
    this.plots?.setTime(this.player.time);
    this.loop.wake();
  }

  #turn(elapsed) {
    const more = this.stage?.draw(elapsed, this.player.playing) ?? false;
    if (this.player.playing && this.tooltip) this.tooltip.update();
    return more;
  }

  start() {
    this.loop.start();
  }

  /** For tests and for the console. */
  handle() {
    const { player, replay, stage } = this;
    const poseOf = (i) => {
      const pose = new Float64Array(7);
      const body = replay.bodies[i];
      // What is drawn, not what would be computed anew.
      if (stage && !body.fixed) pose.set(stage.bodies.poses.subarray(7 * body.slot, 7 * body.slot + 7));
      else replay.pose(body, player.time, pose);
      return { position: [...pose.subarray(0, 3)], orientation: [...pose.subarray(3)] };
    };
    return {
      ready: this.ready,
      timing,
      quantum: replay.quantum,
      bodies: replay.bodies.map(({ name, type, mass }) => ({ name, type, mass })),
      times: replay.times,
      time: () => player.time,
      frame: () => player.frame,
      playing: () => player.playing,
      pose: poseOf,
      speed: (i) => replay.speed(replay.bodies[i], player.frame),
      energy: (i) => replay.energy(replay.bodies[i], player.frame),
      seek: (t) => player.seek(t),
      play: () => player.play(),
      pause: () => player.pause(),
      setColor: (mode) => this.setColor(mode),
      setTheme: (name) => this.theme.set(name),
      setArrows: (on) => this.setArrows(on),
      setImpacts: (on) => this.setImpacts(on),
      follow: (i) => this.tooltip?.follow(i),
      state: () => ({
        color: stage?.bodies.mode, theme: this.theme.name, arrows: stage?.arrows.shown ?? false,
        impacts: stage?.impacts.shown ?? false,
        followed: stage?.followed ?? -1, loop: player.loop, speed: player.speed,
      }),
      steps: replay.steps,
      contacts: (frame) => replay.hasContacts && { drawn: replay.contacts.counts[frame], all: replay.contacts.totals[frame] },
      events: (frame) => replay.hasEvents && {
        drawn: replay.events.counts[frame], all: replay.events.totals[frame],
        impacts: replay.events.impacts[frame], micro: replay.events.micro[frame],
      },
      pairs: (i) => replay.pairs.of(i),
      stage,
    };
  }
}

function open() {
  const page = new Page();
  page.ready = new Promise((resolve) => {
    requestAnimationFrame(() => {
      page.start();
      requestAnimationFrame(() => {
        timing.ready = performance.now();
        resolve(timing);
      });
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
