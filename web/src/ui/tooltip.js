// The body under the mouse: who it is and what it does. A click follows it with the camera.
import { trimmed, withUnit } from '../data/units.js';

const row = (name, value) => `<dt>${name}</dt><dd>${value}</dd>`;

function escaped(text) {
  const element = document.createElement('i');
  element.textContent = text;
  return element.innerHTML;
}

/** A press that moved farther than this was a drag, in pixels. */
const dragSlack = 5;

/** So many of the bodies that it met are named, with the impulses of the whole run. */
const mostPairs = 3;

export class Tooltip {
  #pointer = null;
  #press = null;

  /** `choose`: what a click on a body does; where it is not given, the camera follows the body and `follow` says so. */
  constructor(stage, player, { canvas, tip, follow }, choose) {
    Object.assign(this, { stage, player, canvas, tip, followChip: follow, choose });
    this.body = -1;
    canvas.addEventListener('pointermove', (event) => {
      if (event.pointerType === 'mouse' && event.buttons === 0) this.#pointer = this.#place(event);
      this.update();
    });
    canvas.addEventListener('pointerleave', () => {
      this.#pointer = null;
      this.update();
    });
    canvas.addEventListener('pointerdown', (event) => {
      this.#press = this.#place(event);
      this.#pointer = null;
      this.update();
    });
    canvas.addEventListener('pointerup', (event) => this.released(event));
    follow?.querySelector('button').addEventListener('click', () => this.follow(-1));
  }

  #place(event) {
    const box = this.canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  /** Also for a press that something above the canvas has taken over. */
  released(event) {
    const at = this.#place(event);
    const press = this.#press;
    this.#press = null;
    if (!press || event.button !== 0 || Math.hypot(at[0] - press[0], at[1] - press[1]) > dragSlack) return;
    const body = this.stage.pick(...at);
    if (this.choose) this.choose(body >= 0 && this.stage.replay.bodies[body].fixed ? -1 : body);
    else if (body >= 0 && !this.stage.replay.bodies[body].fixed) this.follow(body);
    if (event.pointerType === 'mouse') this.#pointer = at;
    this.update();
  }

  follow(body) {
    this.stage.follow(body);
    this.followChip.hidden = body < 0;
    if (body >= 0) this.followChip.querySelector('span').textContent = `Following ${this.stage.replay.bodies[body].name}`;
    this.onFollow?.();
  }

  update() {
    this.body = this.#pointer ? this.stage.pick(...this.#pointer) : -1;
    this.tip.hidden = this.body < 0;
    this.canvas.style.cursor = this.body >= 0 ? 'pointer' : '';
    if (this.body < 0) return;
    this.tip.innerHTML = this.#text(this.body);
    const [x, y] = this.#pointer;
    const { offsetWidth: width, offsetHeight: height } = this.tip;
    const left = x + 16 + width > this.canvas.clientWidth ? x - width - 12 : x + 16;
    const top = Math.min(y + 14, this.canvas.clientHeight - height - 6);
    this.tip.style.transform = `translate(${left}px, ${top}px)`;
  }

  #text(index) {
    const { replay } = this.stage;
    const body = replay.bodies[index], frame = this.player.frame;
    const pose = new Float64Array(7);
    replay.pose(body, this.player.time, pose);
    const place = [0, 1, 2].map((axis) => trimmed(Number(pose[axis].toFixed(3)), 4)).join(', ');
    let rows = row('position', `${place} m`);
    if (!body.fixed) rows += row('speed', withUnit(replay.speed(body, frame), 'm/s', 2));
    if (body.type === 'dynamic') {
      rows += row('energy', withUnit(replay.energy(body, frame), 'J', 2)) + row('mass', withUnit(body.mass * 1e3, 'g'));
      if (replay.frozen(body, frame)) rows += row('state', 'frozen');
    } else {
      rows += row('type', body.type);
    }
    for (const { other, events, impulse } of replay.pairs.of(index).slice(0, mostPairs))
      rows += row(`with ${escaped(replay.bodies[other].name)}`, `${withUnit(impulse, 'N·s')}, ${events.toLocaleString('en')} impact${events === 1 ? '' : 's'}`);
    return `<b>${escaped(body.name)}</b><dl>${rows}</dl>`;
  }
}
