// How fine the picture is: as fine as the machine can draw in motion, and always fine when nothing moves.

/** Wall seconds a frame: quicker than the first is smooth, slower than the second is not. */
const smooth = 1 / 45, slow = 1 / 22;
const finest = 2, coarsest = 0.6;
/** The first pictures of a motion wait for programs to be compiled and say nothing. */
const warmUp = 3;
/** So many slow pictures in a row, or fewer that took long, are enough. */
const slowRun = 8, slowSeconds = 0.5;
/** So many smooth ones, and something finer is tried; the shading only so often. */
const smoothRun = 90, mostTries = 2;

export class Quality {
  constructor(renderer) {
    this.renderer = renderer;
    this.still = Math.min(window.devicePixelRatio || 1, finest);
    this.moving = this.still;
    this.ratio = 0;
    this.shaded = true;
    this.tries = 0;
    this.width = this.height = 1;
    this.#rest();
  }

  #rest() {
    Object.assign(this, { pictures: 0, slowCount: 0, slowTime: 0, smoothCount: 0 });
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
      this.#rest();
      this.#apply(this.still);
      return true;
    }
    if (++this.pictures > warmUp) this.#judge(elapsed);
    this.#apply(this.moving);
    return this.shaded;
  }

  #judge(elapsed) {
    if (elapsed > slow) {
      this.smoothCount = 0;
      this.slowTime += elapsed;
      if (++this.slowCount >= slowRun || (this.slowCount >= 2 && this.slowTime > slowSeconds)) this.#lower();
    } else {
      this.slowCount = this.slowTime = 0;
      if (elapsed < smooth && ++this.smoothCount >= smoothRun) this.#raise();
    }
  }

  /** First the shading goes, then pixels. */
  #lower() {
    if (this.shaded) this.shaded = false;
    else if (this.moving > coarsest) this.moving = Math.max(coarsest, this.moving * 0.8);
    this.#rest();
  }

  #raise() {
    if (this.moving < this.still) {
      this.moving = Math.min(this.still, this.moving * 1.2);
    } else if (!this.shaded && this.tries < mostTries) {
      this.tries++;
      this.shaded = true;
    }
    this.#rest();
  }

  /** After motion has ended: true, once, if a finer picture is due. */
  settle() {
    const due = this.coarse === true;
    this.coarse = false;
    return due;
  }
}
