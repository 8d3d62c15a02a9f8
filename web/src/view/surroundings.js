// Fixed bodies. A wide floor fades out into the background and carries a fine grid; everything else stands there in
// matte grey until it gets between the camera and the action: then it turns into glass of which only the rims show.
import {
  Color, FrontSide, InstancedBufferAttribute, InstancedMesh, Matrix4, MeshStandardMaterial,
  Quaternion, Ray, Vector3,
} from 'three';

/** A fixed body hides the action when it stands before more than this share of it. */
const hidingShare = 0.012;
/** Wall seconds from solid to glass. */
const fadeSeconds = 0.25;

const fadeVertex = `
attribute float fade;
varying float vFade;
varying vec3 vPlace;
`;

/** Solid and glass are two draws of the same instances; each draw folds away those that belong to the other. */
function fadingMaterial(glass) {
  const material = new MeshStandardMaterial({
    roughness: 0.85, metalness: 0, transparent: glass, depthWrite: !glass, side: FrontSide,
  });
  material.onBeforeCompile = (shader) => {
    shader.vertexShader = fadeVertex + shader.vertexShader.replace(
      '#include <project_vertex>',
      `#include <project_vertex>
      vFade = fade;
      if (${glass ? 'fade <= 0.001' : 'fade > 0.001'}) gl_Position = vec4(2.0, 2.0, 2.0, 1.0);`,
    );
    if (!glass) return;
    shader.fragmentShader = 'varying float vFade;\n' + shader.fragmentShader.replace(
      '#include <opaque_fragment>',
      `float facing = abs(dot(normalize(vViewPosition), normal));
      float rim = pow(1.0 - facing, 4.0);
      // Unlit when it is all glass: a tint, not a veil.
      outgoingLight = mix(outgoingLight, diffuse, vFade);
      diffuseColor.a = mix(1.0, 0.045 + 0.30 * rim, vFade);
      #include <opaque_fragment>`,
    );
  };
  return material;
}

/** A floor far wider than what happens on it. */
function groundMaterial(action, reach) {
  const material = new MeshStandardMaterial({ roughness: 0.95, metalness: 0, transparent: true });
  const uniforms = {
    center: { value: new Vector3(...action.center) },
    reach: { value: reach },
    lineColor: { value: new Color() },
    lineStrength: { value: 0.5 },
    cell: { value: 1 },
  };
  material.userData.uniforms = uniforms;
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, uniforms);
    shader.vertexShader = fadeVertex + shader.vertexShader.replace(
      '#include <project_vertex>',
      `#include <project_vertex>
      vFade = fade;
      vPlace = (modelMatrix * instanceMatrix * vec4(transformed, 1.0)).xyz;`,
    );
    shader.fragmentShader = `varying float vFade;
      varying vec3 vPlace;
      uniform vec3 center, lineColor;
      uniform float reach, lineStrength, cell;
      ` + shader.fragmentShader.replace(
      '#include <opaque_fragment>',
      `vec2 lines = abs(fract(vPlace.xy / cell - 0.5) - 0.5) / max(fwidth(vPlace.xy / cell), 1e-6);
      float line = 1.0 - min(min(lines.x, lines.y), 1.0);
      float sharp = 1.0 - smoothstep(0.10, 0.45, max(fwidth(vPlace.x / cell), fwidth(vPlace.y / cell)));
      outgoingLight = mix(outgoingLight, lineColor, line * lineStrength * sharp);
      float distance = length(vPlace.xy - center.xy);
      diffuseColor.a = (1.0 - smoothstep(0.35 * reach, reach, distance)) * (1.0 - 0.9 * vFade);
      #include <opaque_fragment>`,
    );
  };
  return material;
}

/** A round number of metres near the size asked for. */
function roundCell(size) {
  const power = 10 ** Math.floor(Math.log10(size));
  return [5, 2, 1].map((n) => n * power).find((cell) => cell <= size) ?? power;
}

export class Surroundings {
  constructor(replay, geometries, action) {
    this.items = [];
    this.meshes = [];
    this.center = new Vector3(...action.center);
    this.width = Math.hypot(action.max[0] - action.min[0], action.max[1] - action.min[1]) / 2;
    this.materials = { solid: fadingMaterial(false), glass: fadingMaterial(true) };
    this.reach = Math.max(3.2 * action.radius, 8 * action.size);
    this.ground = groundMaterial(action, this.reach);
    this.ground.userData.uniforms.cell.value = roundCell(Math.max(2 * action.size, action.radius / 8));
    this.points = this.#samplePoints(action.points);
    const bodies = replay.bodies.filter((body) => body.fixed);
    const groups = new Map();
    for (const body of bodies) {
      const item = this.#describe(body, geometries[body.mesh], action);
      const key = `${body.mesh} ${item.isGround} ${item.casts}`;
      if (!groups.has(key)) groups.set(key, []);
      groups.get(key).push(item);
      this.items.push(item);
    }
    // A floor that ends on the screen ends softly.
    for (const { isGround, world } of this.items) {
      const edge = Math.min(world.max.x - world.min.x, world.max.y - world.min.y) / 2;
      if (isGround) this.ground.userData.uniforms.reach.value = Math.min(this.reach, 0.97 * edge);
    }
    for (const group of groups.values()) this.#build(group, geometries);
  }

  /** Rays go to these: enough for a verdict, few enough for every turn of the camera. */
  #samplePoints(points) {
    const stride = Math.max(1, Math.floor(points.length / 220));
    return points.filter((_, i) => i % stride === 0).map((p) => new Vector3(...p));
  }

  #describe(body, geometry, action) {
    const [px, py, pz, qw, qx, qy, qz] = body.fixed;
    const matrix = new Matrix4().compose(
      new Vector3(px, py, pz), new Quaternion(qx, qy, qz, qw), new Vector3(...body.scale),
    );
    geometry.computeBoundingBox();
    const local = geometry.boundingBox.clone();
    const world = local.clone().applyMatrix4(matrix);
    const size = world.getSize(new Vector3());
    const wide = Math.min(size.x, size.y) > 3 * Math.max(action.max[0] - action.min[0], action.max[1] - action.min[1]);
    const below = world.max.z < action.min[2] + 0.25 * (action.max[2] - action.min[2]) + action.size;
    const tilted = Math.max(size.x, size.y) > 4 * action.radius && size.z > 2 * action.size;
    return {
      body, matrix, inverse: matrix.clone().invert(), local, world,
      isGround: (wide && below) || (tilted && Math.min(size.x, size.y) > 3 * action.radius),
      // What is large casts its shadow over everything, and says nothing by it.
      casts: size.length() < Math.min(7 * action.size, 0.6 * action.radius),
      // Lids: over everything.
      isLid: world.min.z > action.max[2] - 1.5 * action.size && size.length() > 0.6 * action.radius,
      fade: 0, goal: 0,
    };
  }

  #build(group, geometries) {
    const geometry = geometries[group[0].body.mesh].clone();
    const fades = new InstancedBufferAttribute(new Float32Array(group.length), 1);
    geometry.setAttribute('fade', fades);
    const kinds = group[0].isGround ? [this.ground] : [this.materials.solid, this.materials.glass];
    for (const material of kinds) {
      const mesh = new InstancedMesh(geometry, material, group.length);
      mesh.frustumCulled = false;
      mesh.receiveShadow = material !== this.materials.glass;
      mesh.castShadow = group[0].casts && material === this.materials.solid;
      if (material === this.materials.glass) mesh.renderOrder = 2;
      group.forEach((item, i) => mesh.setMatrixAt(i, item.matrix));
      this.meshes.push(mesh);
    }
    group.forEach((item, i) => Object.assign(item, { fades, at: i }));
  }

  /** Corners of what the first view shows: the action, and the container as far as it does not reach far beyond. */
  framePoints(action) {
    const slack = 0.3 * action.radius;
    const low = action.min.map((x) => x - slack), high = action.max.map((x) => x + slack);
    const points = action.points.flatMap(([x, y, z]) => [
      new Vector3(x, y, z + action.size), new Vector3(x, y, z - action.size),
      new Vector3(x + action.size, y + action.size, z), new Vector3(x - action.size, y - action.size, z),
    ]);
    // A body alone is shown with some of what is around it.
    const reach = 3.2 * action.size;
    if (action.radius < reach) {
      const around = [[reach, 0, 0], [0, reach, 0], [0, 0, 0.7 * reach]].map((v) => new Vector3(...v));
      for (const v of around) points.push(this.center.clone().add(v), this.center.clone().sub(v));
    }
    const corner = new Vector3();
    for (const { local, matrix, isGround } of this.items) {
      if (isGround) continue;
      for (let i = 0; i < 8; i++) {
        corner.set(...['x', 'y', 'z'].map((axis, k) => ((i >> k) & 1 ? local.max : local.min)[axis])).applyMatrix4(matrix);
        points.push(corner.clone().clamp(new Vector3(...low), new Vector3(...high)));
      }
    }
    return points;
  }

  setColors({ solid, glass, ground, line }) {
    this.materials.solid.color.set(solid);
    this.materials.glass.color.set(glass);
    this.ground.color.set(ground);
    this.ground.userData.uniforms.lineColor.value.set(line);
  }

  /** Decides anew what stands between the camera and the action. */
  look(camera) {
    const eye = camera.position, ray = new Ray(), hit = new Vector3(), direction = new Vector3();
    for (const item of this.items) {
      const origin = eye.clone().applyMatrix4(item.inverse);
      const box = item.local;
      let hidden = 0;
      for (const point of this.points) {
        // In the body's own frame its box is a box; lengths are compared as shares of the way.
        direction.copy(point).applyMatrix4(item.inverse).sub(origin);
        const way = direction.length();
        ray.set(origin, direction.divideScalar(way));
        if (ray.intersectBox(box, hit) && hit.distanceTo(origin) < way) hidden++;
      }
      const hides = hidden > hidingShare * this.points.length;
      item.goal = hides || item.isLid || this.#isInFront(item, eye) ? 1 : 0;
    }
  }

  /** The near side of a container opens as a whole, whether or not something is behind each of its walls. */
  #isInFront(item, eye) {
    if (item.isGround || item.casts) return false;
    const middle = item.world.getCenter(new Vector3()).sub(this.center).setZ(0);
    const toEye = eye.clone().sub(this.center).setZ(0);
    return middle.dot(toEye) > 0.12 * this.width * toEye.length();
  }

  /** True while something is still on its way. */
  advance(elapsed) {
    let moving = false;
    for (const item of this.items) {
      if (item.fade === item.goal) continue;
      const by = elapsed / fadeSeconds;
      item.fade = item.goal > item.fade ? Math.min(1, item.fade + by) : Math.max(0, item.fade - by);
      item.fades.setX(item.at, item.fade);
      item.fades.needsUpdate = true;
      moving ||= item.fade !== item.goal;
    }
    return moving;
  }
}
