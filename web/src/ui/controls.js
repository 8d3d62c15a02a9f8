// Buttons, the time line, and the keys that do the same.
import { seconds } from '../data/units.js';
import { speeds } from '../player.js';
import { colorModes } from '../view/bodies.js';
import { icons } from './icons.js';

const element = (id) => document.getElementById(id);
const modeNames = { body: 'Body', speed: 'Speed', energy: 'Energy', frozen: 'Frozen' };

function dress(button, icon, label) {
  button.innerHTML = icons[icon];
  button.setAttribute('aria-label', label);
  button.title = label;
}

/** `actions`: what keys and buttons ask for; see `#actions` of the pages. */
export class Controls {
  constructor(player, actions) {
    this.player = player;
    this.actions = actions;
    this.#buttons();
    this.#timeline();
    this.#help();
    addEventListener('keydown', (event) => this.#key(event));
    player.onChange(() => this.update());
  }

  #buttons() {
    const { player, actions } = this;
    dress(element('back'), 'back', 'One frame back (←)');
    dress(element('forward'), 'forward', 'One frame on (→)');
    dress(element('loop'), 'loop', 'Start again at the end (L)');
    dress(element('arrows'), 'arrows', 'Contacts and impulses (A)');
    dress(element('impacts'), 'impacts', 'Impacts and their impulses (I)');
    dress(element('reset'), 'reset', 'First view (R)');
    dress(element('help-button'), 'help', 'Keys (?)');
    element('play').onclick = () => player.toggle();
    element('back').onclick = () => player.step(-1);
    element('forward').onclick = () => player.step(1);
    element('loop').onclick = () => player.setLoop(!player.loop);
    element('arrows').onclick = actions.toggleArrows;
    element('impacts').onclick = actions.toggleImpacts;
    element('reset').onclick = actions.resetView;
    element('theme').onclick = actions.toggleTheme;
    element('help-button').onclick = () => this.toggleHelp();
    for (const mode of colorModes) {
      const button = document.createElement('button');
      button.textContent = modeNames[mode];
      button.dataset.mode = mode;
      button.setAttribute('role', 'radio');
      button.title = `Colour by ${mode} (${colorModes.indexOf(mode) + 1})`;
      button.onclick = () => actions.setColor(mode);
      element('colors').append(button);
    }
  }

  #timeline() {
    const { player } = this;
    const { replay } = player;
    const scrub = element('scrub');
    Object.assign(scrub, { min: replay.start, max: replay.end, step: 'any' });
    scrub.addEventListener('input', () => player.seek(Number(scrub.value)));
    const select = element('speed');
    for (const speed of speeds) select.add(new Option(`${speed}×`, speed));
    select.onchange = () => {
      player.setSpeed(Number(select.value));
      select.blur();
    };
  }

  #help() {
    const { actions } = this;
    const rows = [
      [['Space'], 'play or pause'],
      [['←', '→'], 'one frame back or on; with Shift ten'],
      [['Home', 'End'], 'to the start or the end'],
      [['[', ']'], 'slower or faster'],
      [['L'], 'start again at the end, or stop there'],
      [['1', '2', '3', '4'], 'colour by body, speed, energy, frozen'],
      [['A'], 'contacts and their impulses'],
      ...(actions.hasImpacts ? [[['I'], 'impacts since the last frame and their impulses']] : []),
      [['Q', 'E'], 'walk around the scene'],
      [['W', 'S'], 'see it from higher or lower'],
      [['+', '−'], 'closer or farther'],
      [['R'], 'back to the first view'],
      [['Esc'], 'let go of the body that was clicked'],
      [['T'], 'light or dark'],
    ];
    const cells = rows.map(([keys, text]) => `<tr><td>${keys.map((k) => `<kbd>${k}</kbd>`).join('')}</td><td>${text}</td></tr>`);
    element('help').innerHTML = `<p class="about"></p><h2>Keys</h2><table>${cells.join('')}</table>
      <p>${actions.about}</p>`;
    element('help').querySelector('.about').textContent = actions.description();
    element('help').addEventListener('click', () => element('help').close());
  }

  toggleHelp() {
    const dialog = element('help');
    if (dialog.open) dialog.close();
    else dialog.showModal();
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { player, actions } = this;
    const typing = event.target.matches?.('select');
    // On a focused button the space bar presses that button.
    const onButton = event.target.matches?.('button');
    const keys = {
      ' ': () => player.toggle(),
      ArrowLeft: () => player.step(event.shiftKey ? -10 : -1),
      ArrowRight: () => player.step(event.shiftKey ? 10 : 1),
      Home: () => player.seek(player.replay.start),
      End: () => player.seek(player.replay.end),
      '[': () => player.shiftSpeed(-1),
      ']': () => player.shiftSpeed(1),
      l: () => player.setLoop(!player.loop),
      a: actions.toggleArrows,
      i: actions.toggleImpacts,
      t: actions.toggleTheme,
      r: actions.resetView,
      w: () => actions.turn(0, 1),
      s: () => actions.turn(0, -1),
      q: () => actions.turn(-1, 0),
      e: () => actions.turn(1, 0),
      '+': () => actions.zoom(0.9),
      '=': () => actions.zoom(0.9),
      '-': () => actions.zoom(1 / 0.9),
      Escape: actions.letGo,
      '?': () => this.toggleHelp(),
    };
    colorModes.forEach((mode, i) => (keys[i + 1] = () => actions.setColor(mode)));
    const action = keys[event.key] ?? keys[event.key.toLowerCase()];
    // The browser closes an open dialog by Escape; what else is typed there is not meant for the scene.
    if (!action || typing || (element('help').open && event.key !== '?')) return;
    if (onButton && event.key === ' ') return;
    action();
    event.preventDefault();
  }

  update() {
    const { player } = this;
    const { replay } = player;
    dress(element('play'), player.playing ? 'pause' : 'play', player.playing ? 'Pause (space)' : 'Play (space)');
    element('loop').setAttribute('aria-pressed', player.loop);
    element('speed').value = player.speed;
    const scrub = element('scrub');
    scrub.value = player.time;
    const span = replay.end - replay.start || 1;
    scrub.style.setProperty('--done', `${(100 * (player.time - replay.start)) / span}%`);
    scrub.setAttribute('aria-valuetext', `${seconds(player.time)} seconds`);
    element('clock').innerHTML = `${seconds(player.time)} <span>/ ${seconds(replay.end)} s</span>`;
  }

  showColor(mode) {
    for (const button of element('colors').children) button.setAttribute('aria-checked', button.dataset.mode === mode);
  }

  showArrows(on, available) {
    const button = element('arrows');
    button.setAttribute('aria-pressed', on);
    button.disabled = !available;
    if (!available) button.title = 'This recording holds no contacts with an impulse';
  }

  /** Only event-driven suites have impacts: for others there is no button. */
  showImpacts(on, available) {
    element('impacts').hidden = !available;
    element('impacts').setAttribute('aria-pressed', on);
  }

  showTheme(name) {
    dress(element('theme'), name === 'dark' ? 'sun' : 'moon', name === 'dark' ? 'Light (T)' : 'Dark (T)');
  }
}
