// Ambient occlusion in screen space: corners and gaps between bodies are darker, as under an overcast sky. The scene is
// drawn into a texture; a second pass at half size looks around every point in its depth and counts how much of the sky
// is covered; a third smooths that and puts both together.
import {
  DepthTexture, HalfFloatType, Mesh, NearestFilter, OrthographicCamera, PlaneGeometry, RGBAFormat, Scene, ShaderMaterial,
  UnsignedIntType, Vector2, WebGLRenderTarget,
} from 'three';

const fullScreen = 'varying vec2 uv0; void main() { uv0 = uv; gl_Position = vec4(position.xy, 0.0, 1.0); }';

const coverFragment = `
varying vec2 uv0;
uniform sampler2D depth;
uniform mat4 projection, inverseProjection;
uniform vec2 pixel;
uniform float radius;

/** The middle of the pixel: what the depth there belongs to. */
vec2 snapped(vec2 at) { return (floor(at / pixel) + 0.5) * pixel; }

vec3 viewPoint(vec2 at) {
  vec4 p = inverseProjection * vec4(vec3(at, texture2D(depth, at).x) * 2.0 - 1.0, 1.0);
  return p.xyz / p.w;
}

/** Of two differences the one along the same surface. */
vec3 nearer(vec3 a, vec3 b) { return abs(a.z) < abs(b.z) ? a : b; }

void main() {
  vec2 here = snapped(uv0);
  if (texture2D(depth, here).x >= 1.0) { gl_FragColor = vec4(1.0); return; }
  vec3 p = viewPoint(here);
  vec2 dx = vec2(pixel.x, 0.0), dy = vec2(0.0, pixel.y);
  vec3 n = normalize(cross(
    nearer(viewPoint(here + dx) - p, p - viewPoint(here - dx)), nearer(viewPoint(here + dy) - p, p - viewPoint(here - dy))));
  float reach = min(0.5 * projection[1][1] * radius / -p.z, 0.22);
  float noise = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715))));
  float covered = 0.0;
  for (int i = 0; i < COUNT; i++) {
    float share = (float(i) + 1.0) / float(COUNT);
    float angle = 6.2831853 * (noise + 2.4 * float(i) / 6.2831853);
    vec2 at = here + vec2(cos(angle) * projection[0][0] / projection[1][1], sin(angle)) * reach * share;
    vec3 way = viewPoint(snapped(at)) - p;
    float size = length(way) + 1e-6;
    float near = clamp(1.0 - size / radius, 0.0, 1.0);
    covered += max(0.0, dot(n, way) / size - 0.12) * near;
  }
  gl_FragColor = vec4(clamp(1.0 - 2.6 * covered / float(COUNT), 0.0, 1.0), 0.0, 0.0, 1.0);
}`;

const joinFragment = `
varying vec2 uv0;
uniform sampler2D picture, cover, depth;
uniform mat4 inverseProjection;
uniform vec2 pixel;
uniform float radius, strength;

float viewDepth(vec2 at) {
  float d = texture2D(depth, at).x * 2.0 - 1.0;
  return inverseProjection[3][2] / (inverseProjection[2][3] * d + inverseProjection[3][3]);
}

void main() {
  vec4 color = texture2D(picture, uv0);
  if (texture2D(depth, uv0).x < 1.0) {
    // Where nothing around is at the same depth, the sky is taken as open.
    float here = viewDepth(uv0), sum = 1e-3, weights = 1e-3;
    for (int i = -2; i < 2; i++) for (int k = -2; k < 2; k++) {
      vec2 at = uv0 + (vec2(float(i), float(k)) + 0.5) * pixel;
      float weight = max(0.0, 1.0 - abs(viewDepth(at) - here) / (0.3 * radius));
      sum += texture2D(cover, at).x * weight;
      weights += weight;
    }
    float sky = mix(1.0, sum / weights, strength);
    // Light bounces: what is bright is darkened less, and warmer.
    color.rgb *= mix(vec3(sky), vec3(1.0), 0.25 * clamp(color.rgb, 0.0, 1.0) * (1.0 - sky));
  }
  gl_FragColor = color.a > 0.0 ? vec4(color.rgb / color.a, color.a) : vec4(0.0);
  #include <tonemapping_fragment>
  #include <colorspace_fragment>
  gl_FragColor.rgb *= gl_FragColor.a;
}`;

export class Shading {
  constructor(renderer, radius) {
    this.renderer = renderer;
    this.strength = 1;
    this.picture = new WebGLRenderTarget(1, 1, { type: HalfFloatType, format: RGBAFormat, samples: 4 });
    this.picture.depthTexture = new DepthTexture(1, 1, UnsignedIntType);
    this.cover = new WebGLRenderTarget(1, 1, {
      minFilter: NearestFilter, magFilter: NearestFilter, depthBuffer: false,
    });
    const shared = {
      depth: { value: this.picture.depthTexture }, inverseProjection: { value: null }, radius: { value: radius },
    };
    const pass = (fragmentShader, uniforms, defines = {}) => new ShaderMaterial({
      vertexShader: fullScreen, fragmentShader, uniforms: { ...shared, ...uniforms }, defines,
      depthTest: false, depthWrite: false, toneMapped: true, transparent: true, premultipliedAlpha: true,
    });
    this.covering = pass(coverFragment, { projection: { value: null }, pixel: { value: new Vector2() } }, { COUNT: 12 });
    this.covering.transparent = false;
    this.joining = pass(joinFragment, {
      picture: { value: this.picture.texture }, cover: { value: this.cover.texture }, pixel: { value: new Vector2() },
      strength: { value: 1 },
    });
    this.quad = new Mesh(new PlaneGeometry(2, 2), this.covering);
    this.quad.frustumCulled = false;
    this.scene = new Scene();
    this.scene.add(this.quad);
    this.camera = new OrthographicCamera(-1, 1, 1, -1, 0, 1);
  }

  #resize() {
    const size = this.renderer.getDrawingBufferSize(new Vector2());
    if (this.picture.width === size.x && this.picture.height === size.y) return;
    this.picture.setSize(size.x, size.y);
    this.cover.setSize(Math.ceil(size.x / 2), Math.ceil(size.y / 2));
    this.covering.uniforms.pixel.value.set(1 / size.x, 1 / size.y);
    this.joining.uniforms.pixel.value.set(1 / this.cover.width, 1 / this.cover.height);
  }

  #pass(material, target) {
    this.quad.material = material;
    this.renderer.setRenderTarget(target);
    this.renderer.render(this.scene, this.camera);
  }

  render(scene, camera) {
    this.#resize();
    this.renderer.setRenderTarget(this.picture);
    this.renderer.render(scene, camera);
    this.covering.uniforms.projection.value = camera.projectionMatrix;
    for (const material of [this.covering, this.joining])
      material.uniforms.inverseProjection.value = camera.projectionMatrixInverse;
    this.joining.uniforms.strength.value = this.strength;
    this.#pass(this.covering, this.cover);
    this.#pass(this.joining, null);
  }
}
