// node poses_test.mjs SCENE...: at the time of a frame the page shows the recorded poses to half a step of its grid,
// all frames of all bodies, compared with the trajectory that the same run wrote.
import assert from 'node:assert/strict';
import { artefact, difference, launch, openFile, readTrajectory, run } from './support.mjs';

const scenes = process.argv.slice(2);
const browser = await launch();
// Half a step, and what the printed digits of a double and the arithmetic around it may add.
const slack = 1 + 1e-6;

async function compare(scene) {
  const { page, complaints } = await openFile(browser, artefact(`${scene}.html`), { reducedMotion: 'reduce' });
  await page.evaluate(() => window.carom.ready);
  const trajectory = await readTrajectory(artefact(`${scene}.csv`));
  const times = await page.evaluate(() => [...carom.times]);
  const { position, orientation } = await page.evaluate(() => carom.quantum);
  const bodies = await page.evaluate(() => carom.bodies);
  // All at once: between two seeks the page would draw, and in software that takes long.
  const shown = await page.evaluate(() => [...carom.times].map((t) => {
    carom.seek(t);
    return { time: carom.time(), poses: carom.bodies.map((_, i) => [carom.pose(i), carom.speed(i)]) };
  }));
  let compared = 0, worst = 0, worstTurn = 0;
  times.forEach((time, f) => {
    // The trajectory has every step; the page a part of them, at the very same times.
    const rows = trajectory.get(time);
    assert.ok(rows, `the trajectory has a row at ${time} s`);
    assert.equal(shown[f].time, time);
    rows.forEach((row, i) => {
      const [pose, speed] = shown[f].poses[i];
      assert.equal(bodies[i].name, row.name);
      worst = Math.max(worst, difference(pose.position, row.position));
      worstTurn = Math.max(worstTurn, difference(pose.orientation, row.orientation));
      if (bodies[i].type !== 'fixed') {
        // Twelve codes an octave of 1 mm/s + v: half of one is 2.9 percent of that.
        const exact = Math.hypot(...row.velocity);
        assert.ok(Math.abs(speed - exact) <= 0.03 * (exact + 1e-3), `speed of ${row.name}: ${speed} for ${exact}`);
      }
      compared++;
    });
  });
  console.log(
    `       ${scene}: ${compared} poses in ${times.length} frames; worst ${(1e6 * worst).toFixed(1)} µm of ` +
    `${(0.5e6 * position).toFixed(1)} µm, quaternion ${worstTurn.toExponential(1)} of ${(0.5 * orientation).toExponential(1)}`,
  );
  assert.ok(worst <= 0.5 * position * slack, `positions are off by ${worst} m`);
  assert.ok(worstTurn <= 0.5 * orientation * 1.001, `orientations are off by ${worstTurn}`);
  assert.deepEqual(complaints, []);
  await between(page);
  await page.close();
}

/** Between frames a body is on the straight way from one to the next. */
async function between(page) {
  const i = await page.evaluate(() => carom.bodies.findIndex((body) => body.type === 'dynamic'));
  const at = (t) => page.evaluate(([time, body]) => { carom.seek(time); return carom.pose(body).position; }, [t, i]);
  const [from, to] = await page.evaluate(() => [carom.times[4], carom.times[5]]);
  const a = await at(from), b = await at(to), middle = await at(from + 0.5 * (to - from));
  middle.forEach((x, k) => assert.ok(Math.abs(x - (a[k] + b[k]) / 2) < 1e-9 * (1 + Math.abs(x))));
}

const failed = await run('poses', browser, scenes.map((scene) => [`${scene} as recorded`, () => compare(scene)]));
process.exit(failed > 0 ? 1 : 0);
