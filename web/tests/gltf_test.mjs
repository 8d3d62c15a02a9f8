// node gltf_test.mjs SCENE...: three.js's own loader opens what --gltf wrote, in the browser, and finds every body where
// the trajectory of the same run has it, at the start, in the middle and at the end.
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { artefact, difference, launch, openFile, readTrajectory, run } from './support.mjs';

const scenes = process.argv.slice(2);
const browser = await launch();

/** A page with the loader and the file in it: from file:// nothing else can be read. */
async function makePage(scene) {
  const bundle = await build({
    entryPoints: [join(dirname(fileURLToPath(import.meta.url)), 'gltf_page.js')],
    bundle: true, write: false, format: 'iife', minify: true,
  });
  const data = (await readFile(artefact(`${scene}.glb`))).toString('base64');
  const script = bundle.outputFiles[0].text.replaceAll('</script', '<\\/script');
  const path = artefact(`${scene}-gltf.html`);
  await writeFile(path, `<!doctype html><script id="data" type="text/plain">${data}</script><script>${script}</script>`);
  return path;
}

async function opens(scene) {
  const { page, complaints } = await openFile(browser, await makePage(scene));
  const { duration, names } = await page.evaluate(() => window.loaded);
  const trajectory = await readTrajectory(artefact(`${scene}.csv`));
  const times = [...trajectory.keys()];
  const last = times[times.length - 1];
  assert.ok(Math.abs(duration - last) < 1e-4, `the animation takes ${duration} s, the run ${last} s`);
  let worst = 0;
  // An even number of steps: frames stand at every second one.
  for (const time of [0, times[2 * Math.floor(times.length / 4)], last]) {
    const poses = await page.evaluate((t) => window.posesAt(t), time);
    for (const [i, row] of trajectory.get(time).entries()) {
      assert.equal(names[i], row.name);
      const size = Math.max(1, ...row.position.map(Math.abs));
      worst = Math.max(worst, difference(poses[i].position, row.position) / size);
      worst = Math.max(worst, difference(poses[i].orientation, row.orientation));
    }
  }
  console.log(`       ${scene}: ${names.length} bodies, worst difference ${worst.toExponential(1)}`);
  // Floats are exact to 6e-8 of their size; times are floats too, and a body moves some metres a second.
  assert.ok(worst < 5e-6, `poses differ by ${worst}`);
  assert.deepEqual(complaints, []);
  await page.close();
}

const failed = await run('glTF', browser, scenes.map((scene) => [`${scene} in three.js's loader`, () => opens(scene)]));
process.exit(failed > 0 ? 1 : 0);
