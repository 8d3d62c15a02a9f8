// The clock of the replay: a time between the first and the last frame, and who wants to know about it.

export const speeds = [0.1, 0.25, 0.5, 1, 2, 4];

export class Player {
  #listeners = new Set();

  constructor(replay) {
    this.replay = replay;
    this.time = replay.start;
    this.playing = false;
    this.speed = 1;
    this.loop = true;
  }

  /** Called with the player whenever anything of it changes. */
  onChange(listener) {
    this.#listeners.add(listener);
    listener(this);
  }

  #tell() {
    for (const listener of this.#listeners) listener(this);
  }

  get frame() {
    return this.replay.frameAt(this.time);
  }

  seek(t) {
    this.time = Math.min(this.replay.end, Math.max(this.replay.start, t));
    this.#tell();
  }

  play() {
    if (this.time >= this.replay.end) this.time = this.replay.start;
    this.playing = this.replay.frames > 1;
    this.#tell();
  }

  pause() {
    this.playing = false;
    this.#tell();
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  /** To the frame so many before or after; from between two frames, the nearer one counts as a step. */
  step(frames) {
    const at = this.frame;
    const between = this.time > this.replay.times[at];
    const target = frames < 0 && between ? at + frames + 1 : at + frames;
    this.playing = false;
    this.seek(this.replay.times[Math.min(this.replay.frames - 1, Math.max(0, target))]);
  }

  setSpeed(speed) {
    this.speed = speed;
    this.#tell();
  }

  /** One notch faster or slower. */
  shiftSpeed(by) {
    const at = speeds.indexOf(this.speed);
    this.setSpeed(speeds[Math.min(speeds.length - 1, Math.max(0, at + by))]);
  }

  setLoop(loop) {
    this.loop = loop;
    this.#tell();
  }

  /** Wall seconds have passed. */
  advance(elapsed) {
    if (!this.playing) return;
    const { start, end } = this.replay;
    let t = this.time + elapsed * this.speed;
    if (t >= end) {
      // The end is shown before the loop starts again.
      if (this.time < end) t = end;
      else if (this.loop) t = start;
      else this.playing = false;
    }
    this.seek(t);
  }
}
