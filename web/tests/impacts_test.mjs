// node impacts_test.mjs NAME: the page of an event-driven run shows the impacts that NAME-events.csv lists.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { artefact, launch, openFile, run } from './support.mjs';

const name = process.argv[2];
const browser = await launch();
const { page, complaints } = await openFile(browser, artefact(`${name}.html`));
await page.evaluate(() => window.carom.ready);
await page.evaluate(() => carom.pause());
const call = (what, argument) => page.evaluate(what, argument);

const rows = (await readFile(artefact(`${name}-events.csv`), 'utf8')).trim().split('\n').slice(1).map((line) => line.split(','));
const frames = await call(() => [...carom.times].map((_, i) => carom.events(i)));

async function countsThem() {
  const times = await call(() => [...carom.times]);
  const impacts = rows.filter((row) => row[3] === 'impact').length;
  assert.equal(frames.reduce((sum, f) => sum + f.impacts, 0), impacts);
  assert.equal(frames.reduce((sum, f) => sum + f.micro, 0), rows.length - impacts);
  // Frames end with a step, and what happens at that very moment begins the next one.
  for (let i = 1; i < times.length; i++) {
    const expected = rows.filter((row) => row[0] >= times[i - 1] && row[0] < times[i]).length;
    assert.equal(frames[i].impacts + frames[i].micro, expected, `frame ${i}`);
    assert.equal(frames[i].drawn, frames[i].all, 'few enough to draw all');
  }
  assert.equal(await page.locator('.plot').count(), 6);
  const most = Math.max(...(await call(() => [...carom.steps.events])));
  assert.ok(most > 0);
}

async function drawsThem() {
  const picture = async () => {
    await call(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    return (await page.locator('#stage').screenshot()).toString('base64');
  };
  await call((i) => carom.seek(carom.times[i]), frames.findIndex((f) => f.impacts > 0));
  const before = await picture();
  await page.locator('#impacts').click();
  assert.equal((await call(() => carom.state())).impacts, true);
  assert.match(await page.locator('#legend').innerText(), /Impacts[\s\S]*reversed[\s\S]*added up/);
  assert.notEqual(await picture(), before);
  await page.screenshot({ path: artefact(`${name}-impacts.png`) });
  await page.keyboard.press('i');
  assert.equal((await call(() => carom.state())).impacts, false);
}

async function addsThemUpByPairs() {
  const names = await call(() => carom.bodies.map((body) => body.name));
  const sums = new Map();
  for (const row of rows) {
    const pair = [row[1], row[2]].sort().join();
    const normal = row.slice(7, 10).reduce((sum, x, axis) => sum + x * row[10 + axis], 0);
    const old = sums.get(pair) ?? { events: 0, impulse: 0 };
    sums.set(pair, { events: old.events + 1, impulse: old.impulse + normal });
  }
  let seen = 0;
  for (let i = 0; i < names.length; i++) {
    for (const { other, events, impulse } of await call((body) => carom.pairs(body), i)) {
      const sum = sums.get([names[i], names[other]].sort().join());
      assert.equal(events, sum.events);
      // Stored as single precision, of which 6e-8 may be lost.
      assert.ok(Math.abs(impulse / sum.impulse - 1) < 1e-7);
      seen++;
    }
  }
  assert.equal(seen, 2 * sums.size);
}

const failed = await run(`impacts of ${name}`, browser, [
  ['counts them by frames', countsThem],
  ['draws them', drawsThem],
  ['adds them up by pairs of bodies', addsThemUpByPairs],
  ['no console error, no network', async () => assert.deepEqual(complaints, [])],
]);
process.exit(failed > 0 ? 1 : 0);
