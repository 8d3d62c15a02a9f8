// Where the action is, over all time: what the first view frames and what light and fading are measured by.

/** Of a mesh, scaled: distance of the farthest vertex from the origin of the shape's frame. */
export function reachOf(mesh, scale) {
  let most = 0;
  for (let i = 0; i < mesh.positions.length; i += 3) {
    const x = mesh.positions[i] * scale[0], y = mesh.positions[i + 1] * scale[1], z = mesh.positions[i + 2] * scale[2];
    most = Math.max(most, x * x + y * y + z * z);
  }
  return Math.sqrt(most);
}

function share(sorted, s) {
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.round(s * (sorted.length - 1))))];
}

/** Samples of positions, a box that holds nearly all of them, and how they spread. One body that flies off to nowhere
 *  does not decide the view. */
export function findAction(replay) {
  const movers = replay.bodies.filter((body) => body.slot >= 0);
  const cast = movers.length > 0 ? movers : replay.bodies;
  const frameStride = Math.max(1, Math.floor(replay.frames / 40));
  const bodyStride = Math.max(1, Math.floor(cast.length / 250));
  const points = [];
  const pose = new Float64Array(7);
  let size = 0;
  for (let b = 0; b < cast.length; b += bodyStride) {
    size = Math.max(size, reachOf(replay.meshes[cast[b].mesh], cast[b].scale));
    for (let f = 0; f < replay.frames; f += frameStride) {
      replay.pose(cast[b], replay.times[f], pose);
      points.push([pose[0], pose[1], pose[2]]);
    }
  }
  const few = cast.length <= 20;
  const min = [], max = [];
  for (let axis = 0; axis < 3; axis++) {
    const sorted = Float64Array.from(points, (p) => p[axis]).sort();
    min[axis] = share(sorted, few ? 0 : 0.004);
    max[axis] = share(sorted, few ? 1 : 0.996);
    const low = share(sorted, 0.05), high = share(sorted, 0.95), usual = Math.max(high - low, 6 * size);
    if (max[axis] - min[axis] > 8 * usual) {
      min[axis] = Math.max(min[axis], low - 0.25 * usual);
      max[axis] = Math.min(max[axis], high + 0.25 * usual);
    }
    min[axis] -= size;
    max[axis] += size;
  }
  const inside = points.filter((p) => p.every((x, axis) => x >= min[axis] && x <= max[axis]));
  const center = min.map((low, axis) => (low + max[axis]) / 2);
  const radius = Math.hypot(...min.map((low, axis) => (max[axis] - low) / 2));
  return { points: inside, min, max, center, radius, size };
}

/** Direction of the widest horizontal spread (radians) and how much wider it is than the narrowest. */
export function mainAxis(points) {
  let mx = 0, my = 0;
  for (const [x, y] of points) (mx += x), (my += y);
  mx /= points.length;
  my /= points.length;
  let xx = 0, yy = 0, xy = 0;
  for (const [x, y] of points) {
    xx += (x - mx) ** 2;
    yy += (y - my) ** 2;
    xy += (x - mx) * (y - my);
  }
  const half = Math.hypot((xx - yy) / 2, xy), mean = (xx + yy) / 2;
  return { angle: Math.atan2(2 * xy, xx - yy) / 2, ratio: Math.sqrt((mean + half) / Math.max(mean - half, 1e-9 * mean, 1e-12)) };
}
