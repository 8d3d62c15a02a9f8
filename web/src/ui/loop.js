/** Turns while there is something to show, and not a moment longer. */
export class Loop {
  /** turn(elapsed), in seconds, says whether there is more to show; player: what goes on by itself while it plays. */
  constructor(player, turn) {
    this.player = player;
    this.turn = turn;
    this.ready = false;
    this.running = false;
    this.last = 0;
  }

  /** Before this, waking does nothing: a page is put together first. */
  start() {
    this.ready = true;
    this.wake();
  }

  wake() {
    if (this.running || !this.ready) return;
    this.running = true;
    this.last = performance.now();
    requestAnimationFrame((now) => this.#next(now));
  }

  #next(now) {
    const elapsed = Math.max(0, (now - this.last) / 1000);
    this.last = now;
    // A page that was hidden for a while goes on from where it was.
    if (this.player.playing) this.player.advance(Math.min(elapsed, 0.25));
    if (this.turn(elapsed) || this.player.playing) requestAnimationFrame((next) => this.#next(next));
    else this.running = false;
  }
}
