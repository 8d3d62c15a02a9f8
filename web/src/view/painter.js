// What draws: a WebGL renderer, how fine it draws, and the shading of corners. A stage has one of its own, or several
// stages share one and take turns.
import { NeutralToneMapping, PCFShadowMap, WebGLRenderer } from 'three';
import { Quality } from './quality.js';
import { Shading } from './shading.js';

export class Painter {
  /** `radius`: how far corners cast their shade, in metres. */
  constructor(canvas, radius) {
    this.canvas = canvas;
    this.renderer = new WebGLRenderer({ canvas, antialias: false, alpha: true, powerPreference: 'high-performance' });
    this.renderer.toneMapping = NeutralToneMapping;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    this.renderer.setClearAlpha(0);
    this.quality = new Quality(this.renderer);
    this.shading = new Shading(this.renderer, radius);
  }

  /** `fine`: with shading. `shadows`: whether they are drawn anew, or stay as they were. */
  render(scene, camera, fine, shadows) {
    this.renderer.shadowMap.autoUpdate = fine;
    this.renderer.shadowMap.needsUpdate = shadows;
    if (fine) {
      this.shading.render(scene, camera);
    } else {
      this.renderer.setRenderTarget(null);
      this.renderer.render(scene, camera);
    }
  }
}
