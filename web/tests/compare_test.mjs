// node compare_test.mjs NAME: the comparison page shows every run at the same time, under one camera, and says what the
// program said.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { artefact, difference, launch, openFile, readTrajectory, run } from './support.mjs';

const name = process.argv[2];
const browser = await launch();
const { page, complaints } = await openFile(browser, artefact(`${name}.html`), { viewport: { width: 1280, height: 860 } });
await page.evaluate(() => window.carom.ready);
const told = JSON.parse(readFileSync(artefact(`${name}.json`), 'utf8'));
const suites = told.suites.map((row) => row.suite);

const call = (what, argument) => page.evaluate(what, argument);
const state = () => call(() => carom.state());
const shot = (what) => page.screenshot({ path: artefact(`${name}-${what}.png`), fullPage: what === 'whole' });
const drawn = (count = 3) =>
  call((n) => new Promise((done) => {
    const next = (left) => (left > 0 ? requestAnimationFrame(() => next(left - 1)) : done());
    next(n);
  }), count);
/** Pictures at rest come one after the other: until none is due any more. */
const pictures = async () => {
  await drawn();
  await until(() => carom.gallery.cells.every((cell) => !cell.wanted || !(cell.stale || cell.stage.dirty)));
  await drawn();
  return call(() => [...document.querySelectorAll('.cell canvas')].map((canvas) => canvas.toDataURL()));
};

/** Asked again and again: the page's own policy forbids what Playwright would do instead. */
async function until(what) {
  for (const end = Date.now() + 60000; Date.now() < end; await page.waitForTimeout(40)) if (await call(what)) return;
  assert.fail(`waited a minute for ${what}`);
}

async function playsAll() {
  await until(() => carom.time() >= 0.1);
  assert.equal(await call(() => carom.playing()), true);
  await page.keyboard.press(' ');
  assert.equal(await call(() => carom.playing()), false);
}

async function showsEveryRunAtTheSameTime() {
  // Positions are on a grid: half a step of it, and rounding.
  const step = await call(() => carom.quantum.position);
  for (const suite of suites) {
    const rows = await readTrajectory(artefact(`${name}-${suite}.csv`));
    const times = await call(() => [...carom.times]);
    for (const t of [times[0], times[20], times[times.length - 1]]) {
      await call((at) => carom.seek(at), t);
      const row = [...rows].find(([time]) => Math.abs(time - t) < 1e-9)?.[1];
      assert.ok(row, `the table of ${suite} has ${t} s`);
      for (let i = 0; i < row.length; i++) {
        if (await call((k) => carom.bodies[k].type, i) === 'fixed') continue;
        const seen = await call(([s, k]) => carom.position(s, k), [suite, i]);
        assert.ok(difference(seen, row[i].position) < 0.51 * step, `${suite}, ${row[i].name} at ${t} s: ${seen} and ${row[i].position}`);
      }
    }
  }
}

async function hasTheTable() {
  const rows = await page.locator('#table tbody tr').allInnerTexts();
  assert.equal(rows.length, suites.length);
  rows.forEach((text, i) => assert.match(text, new RegExp(`^${suites[i]}`)));
  assert.equal(await page.locator('#table tr').filter({ hasText: 'reference' }).locator('th').innerText(), told.reference);
  const words = await page.locator('#suites dl').innerText();
  for (const row of told.suites) assert.ok(words.includes(row.source), `the paper of ${row.suite} is named`);
  assert.match(await page.locator('#head').innerText(), new RegExp(`${told.scene}, by ${suites.length} suites`));
}

async function oneCameraTurnsAll() {
  await call(() => carom.seek(carom.times[10]));
  const before = await pictures();
  assert.equal(before.length, suites.length);
  const box = await page.locator('.cell .field').nth(1).boundingBox();
  await page.mouse.move(box.x + 60, box.y + 60);
  await page.mouse.down();
  await page.mouse.move(box.x + 160, box.y + 80, { steps: 5 });
  await page.mouse.up();
  const after = await pictures();
  before.forEach((picture, i) => assert.notEqual(picture, after[i], `the picture of ${suites[i]} has turned`));
  await page.keyboard.press('r');
  assert.equal((await state()).chosen, -1, 'a drag is not a click');
}

async function wheelScrollsAndWithCtrlZooms() {
  const box = await page.locator('.cell .field').nth(0).boundingBox();
  const { camera } = await state();
  await page.mouse.move(box.x + 90, box.y + 90);
  await page.keyboard.down('Control');
  await page.mouse.wheel(0, -200);
  await page.keyboard.up('Control');
  assert.notDeepEqual((await state()).camera, camera);
  await page.keyboard.press('r');
  await page.mouse.wheel(0, 120);
  await until(() => scrollY > 0);
  await call(() => scrollTo(0, 0));
}

async function clickShowsABodyInAll() {
  await call(() => carom.seek(carom.times[0]));
  await drawn();
  const place = await call(() => {
    const cell = carom.gallery.cells[1], { stage } = cell;
    const { width, height } = stage.view.size;
    for (let i = 0; i < carom.bodies.length; i++) {
      if (carom.bodies[i].type === 'fixed') continue;
      const p = stage.view.camera.position.clone().set(...carom.position(cell.suite.name, i)).project(stage.view.camera);
      const x = ((p.x + 1) / 2) * width, y = ((1 - p.y) / 2) * height;
      if (stage.pick(x, y) === i) return { i, x, y, name: carom.bodies[i].name };
    }
    return null;
  });
  assert.ok(place, 'some body can be seen');
  const before = await pictures();
  const box = await page.locator('.cell canvas').nth(1).boundingBox();
  await page.mouse.move(box.x + place.x, box.y + place.y);
  assert.equal(await page.locator('.cell:nth-child(2) .tip b').innerText(), place.name);
  await page.mouse.click(box.x + place.x, box.y + place.y);
  assert.equal((await state()).chosen, place.i);
  const after = await pictures();
  before.forEach((picture, i) => assert.notEqual(picture, after[i], `${suites[i]} shows it`));
  for (const text of await page.locator('.cell .state').allInnerTexts()) assert.ok(text.startsWith(place.name), text);
  await shot('chosen');
  await page.keyboard.press('Escape');
  assert.equal((await state()).chosen, -1);
}

async function suitesGoAndCome() {
  await page.locator('.chip', { hasText: 'exact' }).click();
  assert.deepEqual((await state()).shown, suites.filter((suite) => suite !== 'exact'));
  assert.equal(await page.locator('.cell:visible').count(), suites.length - 1);
  await page.locator('.chip', { hasText: 'exact' }).click();
  assert.equal(await page.locator('.cell:visible').count(), suites.length);
}

async function coloursMeanTheSameInAll() {
  await page.keyboard.press('2');
  assert.equal((await state()).color, 'speed');
  assert.match(await page.locator('#legend').innerText(), /Speed/);
  const tops = await call(() => carom.gallery.cells.map((cell) => cell.stage.bodies.topSpeed));
  assert.equal(new Set(tops).size, 1);
  await page.keyboard.press('1');
}

async function failedSuitesSaySo() {
  const failed = await openFile(browser, artefact(`${name}-failed.html`));
  await failed.page.evaluate(() => window.carom.ready);
  assert.match(await failed.page.locator('#table').innerText(), /failed: the simulation failed in the step after 0 s/);
  assert.deepEqual(failed.complaints, []);
  await failed.page.close();
}

async function curvesSeek() {
  const area = page.locator('#curves .plot .area').nth(4);
  await area.scrollIntoViewIfNeeded();
  const box = await area.boundingBox();
  await page.mouse.click(box.x + 0.5 * box.width, box.y + 20);
  const share = await call(() => carom.time() / carom.times[carom.times.length - 1]);
  assert.ok(Math.abs(share - 0.5) < 1.5 / box.width, `clicked in the middle, went to ${share}`);
  const tip = await page.locator('#plot-tip').innerText();
  for (const suite of suites) assert.ok(tip.includes(suite), `${tip} names ${suite}`);
  assert.equal(await page.locator('#curves .plot').count(), 9);
}

async function fitsANarrowScreen() {
  await page.setViewportSize({ width: 390, height: 844 });
  await drawn();
  assert.ok((await call(() => document.documentElement.scrollWidth)) <= 390, 'nothing sticks out to the right');
  await shot('narrow');
  await page.setViewportSize({ width: 1280, height: 860 });
  await call(() => carom.setTheme('dark'));
  await drawn();
  await shot('whole');
  await call(() => carom.setTheme('light'));
}

async function keepsToItself() {
  assert.deepEqual(complaints, []);
}

const failed = await run(`comparison ${name}`, browser, [
  ['plays all at once', playsAll],
  ['shows every run at the same time', showsEveryRunAtTheSameTime],
  ['has the table, and the paper of each suite', hasTheTable],
  ['one camera turns all pictures', oneCameraTurnsAll],
  ['the wheel scrolls, with Ctrl it zooms', wheelScrollsAndWithCtrlZooms],
  ['a click shows a body in all', clickShowsABodyInAll],
  ['suites can be hidden', suitesGoAndCome],
  ['colours mean the same in all pictures', coloursMeanTheSameInAll],
  ['suites that failed say so', failedSuitesSaySo],
  ['a click on a curve seeks, and names what is there', curvesSeek],
  ['fits a narrow screen', fitsANarrowScreen],
  ['no console error, no network', keepsToItself],
]);
process.exit(failed > 0 ? 1 : 0);
