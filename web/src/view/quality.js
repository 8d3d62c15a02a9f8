// How fine the picture is: as fine as the machine can draw in motion, and always fine when nothing moves.

/** Wall seconds a frame that still count as smooth, and those that do not. */
const smooth = 1 / 45, slow = 1 / 22;
const finest = 2, coarsest = 0.6;

export class Quality {
  constructor(renderer) {
    this.renderer = renderer;
    this.moving = Math.min(window.devicePixelRatio || 1, finest);
    this.still = this.moving;
    this.ratio = 0;
    this.shaded = true;
    this.average = smooth;
    this.width = this.height = 1;
  }

  resize(width, height) {
    this.width = width;
    this.height = height;
    this.#apply(this.ratio || this.still, true);
  }

  #apply(ratio, always = false) {
    if (ratio === this.ratio && !always) return;
    this.ratio = ratio;
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(this.width, this.height, false);
  }

  /** Before a picture is drawn. True where it may be drawn with everything. */
  prepare(inMotion, elapsed) {
    this.coarse = inMotion && (!this.shaded || this.moving < this.still);
    if (!inMotion) {
      this.#apply(this.still);
      return true;
    }
    this.average += 0.15 * (Math.min(elapsed, 0.5) - this.average);
    if (this.average > slow) this.#lower();
    else if (this.average < smooth && this.moving < this.still) this.moving = Math.min(this.still, this.moving * 1.02);
    this.#apply(this.moving);
    return this.shaded;
  }

  /** First the shading goes, then pixels. */
  #lower() {
    if (this.shaded) this.shaded = false;
    else if (this.moving > coarsest) this.moving = Math.max(coarsest, this.moving * 0.8);
    this.average = (smooth + slow) / 2;
  }

  /** After motion has ended: true, once, if a finer picture is due. */
  settle() {
    const due = this.coarse === true;
    this.coarse = false;
    return due;
  }
}
