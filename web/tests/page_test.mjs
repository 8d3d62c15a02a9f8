// node page_test.mjs SCENE: the page of a scene plays, seeks, and does what its buttons and keys say.
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { artefact, launch, openFile, run } from './support.mjs';

const scene = process.argv[2];
const browser = await launch();
const file = artefact(`${scene}.html`);
const begun = Date.now();
const { page, complaints } = await openFile(browser, file);
const timing = await page.evaluate(() => window.carom.ready);
const opened = Date.now() - begun;

const call = (what, argument) => page.evaluate(what, argument);
const frame = () => call(() => carom.frame());
const shot = (name) => page.screenshot({ path: artefact(`${scene}-${name}.png`) });
/** Waits by frames that the page draws, not by the clock: software rendering is slow. */
const drawn = (count = 2) =>
  call((n) => new Promise((done) => {
    const next = (left) => (left > 0 ? requestAnimationFrame(() => next(left - 1)) : done());
    next(n);
  }), count);
/** Asked again and again: the page's own policy forbids what Playwright would do instead. */
async function until(what, argument) {
  for (const end = Date.now() + 60000; Date.now() < end; await page.waitForTimeout(40))
    if (await call(what, argument)) return;
  assert.fail(`waited a minute for ${what}`);
}
const picture = async () => {
  await drawn(3);
  return (await page.locator('#stage').screenshot()).toString('base64');
};

async function plays() {
  // It starts by itself; the frames go by.
  await until(() => carom.frame() >= 3);
  assert.equal(await call(() => carom.playing()), true);
  await page.locator('#play').click();
  assert.equal(await call(() => carom.playing()), false);
  const at = await call(() => carom.time());
  await drawn(3);
  assert.equal(await call(() => carom.time()), at);
}

async function opensQuickly() {
  const built = timing.built - timing.start;
  console.log(
    `       ${(statSync(file).size / 1e6).toFixed(2)} MB; navigation to first picture ${Math.round(timing.ready)} ms in software ` +
    `rendering (${opened} ms seen from outside); of that unpacking ${Math.round(timing.unpacked - timing.start)} ms and ` +
    `building ${Math.round(timing.built - timing.unpacked)} ms`,
  );
  // What does not depend on the graphics has to fit in the two seconds that opening may take, on a busy machine too.
  assert.ok(built < 2000, `unpacking and building took ${built} ms`);
}

async function stepsByKeys() {
  await call(() => carom.seek(carom.times[5]));
  await page.keyboard.press('ArrowRight');
  assert.equal(await frame(), 6);
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  assert.equal(await frame(), 4);
  await page.keyboard.press('Shift+ArrowRight');
  assert.equal(await frame(), 14);
  assert.equal(await call(() => carom.time() === carom.times[14]), true);
  await page.keyboard.press('End');
  assert.equal(await call(() => carom.time() === carom.times[carom.times.length - 1]), true);
  await page.keyboard.press('Home');
  assert.equal(await frame(), 0);
  await page.keyboard.press(']');
  assert.equal((await call(() => carom.state())).speed, 2);
  await page.keyboard.press('[');
  await page.keyboard.press('l');
  assert.equal((await call(() => carom.state())).loop, false);
}

async function stopsAtTheEndWithoutLoop() {
  await call(() => {
    carom.seek(carom.times[carom.times.length - 2]);
    carom.play();
  });
  await until(() => !carom.playing());
  assert.equal(await call(() => carom.frame() === carom.times.length - 1), true);
}

async function switchesColours() {
  await call(() => carom.seek(carom.times[Math.floor(carom.times.length / 2)]));
  const pictures = new Map();
  for (const mode of ['body', 'speed', 'energy', 'frozen']) {
    await page.locator(`#colors button[data-mode=${mode}]`).click();
    assert.equal((await call(() => carom.state())).color, mode);
    pictures.set(mode, await picture());
    await shot(`colour-${mode}`);
  }
  assert.equal(new Set(pictures.values()).size, 4, 'each colouring looks different');
  await page.keyboard.press('1');
  assert.equal((await call(() => carom.state())).color, 'body');
}

async function switchesThemes() {
  const backs = [];
  for (const theme of ['light', 'dark']) {
    await call((name) => carom.setTheme(name), theme);
    await drawn(3);
    backs.push(await call(() => getComputedStyle(document.body).backgroundColor));
    await shot(`theme-${theme}`);
  }
  assert.notEqual(backs[0], backs[1]);
  await page.locator('#theme').click();
  assert.equal((await call(() => carom.state())).theme, 'light');
  await page.reload();
  await call(() => carom.ready);
  assert.equal((await call(() => carom.state())).theme, 'light', 'the choice is remembered');
  await call(() => carom.pause());
}

async function switchesArrows() {
  // A frame with contacts that carry something.
  const at = await call(() => carom.times.findIndex((_, i) => carom.contacts(i)?.drawn > 0));
  assert.ok(at >= 0, 'some frame has contacts');
  await call((i) => carom.seek(carom.times[i]), at);
  const before = await picture();
  await page.locator('#arrows').click();
  assert.equal((await call(() => carom.state())).arrows, true);
  assert.match(await page.locator('#legend').innerText(), /Impulse/);
  assert.notEqual(await picture(), before);
  await shot('arrows');
  await page.keyboard.press('a');
  assert.equal((await call(() => carom.state())).arrows, false);
}

async function hasNoImpacts() {
  // These are runs of a suite of fixed steps.
  assert.equal(await page.locator('#impacts').isVisible(), false);
  await page.keyboard.press('i');
  assert.equal((await call(() => carom.state())).impacts, false);
}

async function seeksByPlots() {
  const area = page.locator('.plot .area').nth(2);
  const box = await area.boundingBox();
  await page.mouse.click(box.x + 0.25 * box.width, box.y + box.height / 2);
  const share = await call(() => (carom.time() - carom.times[0]) / (carom.times[carom.times.length - 1] - carom.times[0]));
  // To a pixel.
  assert.ok(Math.abs(share - 0.25) < 1.5 / box.width, `clicked at a quarter, went to ${share}`);
  const cursor = await page.locator('.plot .cursor').nth(0).boundingBox();
  const first = await page.locator('.plot .area').nth(0).boundingBox();
  assert.ok(Math.abs(cursor.x - first.x - 0.25 * first.width) < 2.5, 'the cursor follows');
  assert.equal(await page.locator('.plot').count(), 5);
}

async function helps() {
  await page.keyboard.press('?');
  assert.equal(await page.locator('#help').isVisible(), true);
  await shot('help');
  await page.keyboard.press('Escape');
  assert.equal(await page.locator('#help').isVisible(), false);
}

async function showsAndFollowsABody() {
  await call(() => carom.seek(carom.times[0]));
  await drawn(3);
  // A body that is seen: where the page's own camera puts it.
  const place = await call(() => {
    const { stage } = carom;
    const { width, height } = stage.view.size;
    for (let i = 0; i < carom.bodies.length; i++) {
      if (carom.bodies[i].type === 'fixed') continue;
      const p = stage.view.camera.position.clone().set(...carom.pose(i).position).project(stage.view.camera);
      const x = ((p.x + 1) / 2) * width, y = ((1 - p.y) / 2) * height;
      if (stage.pick(x, y) === i) return { i, x, y, name: carom.bodies[i].name };
    }
    return null;
  });
  assert.ok(place, 'some body can be seen');
  const box = await page.locator('#view').boundingBox();
  await page.mouse.move(box.x + place.x, box.y + place.y);
  assert.equal(await page.locator('#tip b').innerText(), place.name);
  assert.match(await page.locator('#tip').innerText(), /position[\s\S]*speed[\s\S]*mass/);
  await shot('tooltip');
  await page.mouse.click(box.x + place.x, box.y + place.y);
  assert.equal((await call(() => carom.state())).followed, place.i);
  await call(() => carom.seek(carom.times[carom.times.length - 1]));
  await until((i) => {
    const target = carom.stage.view.controls.target.toArray(), at = carom.pose(i).position;
    return Math.hypot(...target.map((x, k) => x - at[k])) < 0.05;
  }, place.i);
  await page.keyboard.press('Escape');
  assert.equal((await call(() => carom.state())).followed, -1);
  await page.keyboard.press('r');
}

async function isHonest() {
  const head = await page.locator('#head').innerText();
  assert.match(head, new RegExp(scene));
  assert.match(head, /bodies/);
  assert.match(head, /worst penetration/);
  assert.match(head, /worst residual/);
  assert.equal(await page.title(), `${scene} · Carom`);
}

async function everyButtonHasAName() {
  const nameless = await call(() =>
    [...document.querySelectorAll('button')].filter((b) => !(b.getAttribute('aria-label') || b.textContent.trim())).length);
  assert.equal(nameless, 0);
}

async function keepsToItself() {
  await shot('end');
  assert.deepEqual(complaints, []);
}

const failed = await run(`page of ${scene}`, browser, [
  ['opens quickly', opensQuickly],
  ['plays and pauses', plays],
  ['steps, jumps and changes speed by keys', stepsByKeys],
  ['stops at the end where it does not loop', stopsAtTheEndWithoutLoop],
  ['switches colours', switchesColours],
  ['switches themes and remembers', switchesThemes],
  ['switches arrows', switchesArrows],
  ['offers no impacts where there are none', hasNoImpacts],
  ['a click on a plot seeks', seeksByPlots],
  ['helps on ?', helps],
  ['shows the body under the mouse and follows it', showsAndFollowsABody],
  ['says what it shows and how wrong it is', isHonest],
  ['every button has a name', everyButtonHasAName],
  ['no console error, no network', keepsToItself],
]);
process.exit(failed > 0 ? 1 : 0);
