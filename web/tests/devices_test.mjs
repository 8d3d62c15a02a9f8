// node devices_test.mjs SCENE...: the page on a phone, with little motion wanted, and without WebGL.
import assert from 'node:assert/strict';
import { artefact, launch, openFile, run } from './support.mjs';

const [scene, small] = process.argv.slice(2);
const browser = await launch();

async function onAPhone() {
  const { page, complaints } = await openFile(browser, artefact(`${scene}.html`), {
    viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true, colorScheme: 'dark',
  });
  await page.evaluate(() => window.carom.ready);
  await page.evaluate(() => {
    carom.pause();
    carom.seek(carom.times[Math.floor(carom.times.length / 2)]);
  });
  assert.equal((await page.evaluate(() => carom.state())).theme, 'dark', 'as the system prefers');
  const { width, overflow } = await page.evaluate(() => ({
    width: document.documentElement.clientWidth, overflow: document.documentElement.scrollWidth,
  }));
  assert.equal(overflow, width, 'nothing reaches over the edge');
  for (const id of ['play', 'scrub', 'colors', 'arrows', 'theme']) {
    const box = await page.locator(`#${id}`).boundingBox();
    assert.ok(box.x >= 0 && box.x + box.width <= 390 && box.y + box.height <= 844, `${id} is on the screen`);
    assert.ok(box.height >= 26, `${id} can be hit with a finger`);
  }
  await page.locator('#play').tap();
  assert.equal(await page.evaluate(() => carom.playing()), true);
  await page.evaluate(() => carom.pause());
  await page.screenshot({ path: artefact(`${scene}-phone.png`) });
  assert.deepEqual(complaints, []);
  await page.close();
}

async function calmly() {
  const { page } = await openFile(browser, artefact(`${small}.html`), { reducedMotion: 'reduce' });
  await page.evaluate(() => window.carom.ready);
  assert.equal(await page.evaluate(() => carom.playing()), false, 'it does not start by itself');
  await page.close();
}

async function withoutWebgl() {
  const { page, complaints } = await openFile(browser, artefact(`${small}.html`), {
    init: () => {
      const original = HTMLCanvasElement.prototype.getContext;
      HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
        return /webgl/.test(kind) ? null : original.call(this, kind, ...rest);
      };
    },
  });
  await page.evaluate(() => window.carom.ready);
  assert.match(await page.locator('#message').innerText(), /WebGL/);
  assert.equal(await page.locator('.plot').count(), 5);
  await page.evaluate(() => {
    carom.pause();
    carom.seek(1);
  });
  assert.equal(await page.evaluate(() => carom.time()), 1);
  await page.keyboard.press('ArrowRight');
  await page.screenshot({ path: artefact(`${small}-no-webgl.png`) });
  // three.js says on the console that it got no context; nothing else may be wrong.
  assert.deepEqual(complaints.filter((text) => !/WebGL/.test(text)), []);
  await page.close();
}

const failed = await run('devices', browser, [
  ['a phone', onAPhone],
  ['little motion wanted', calmly],
  ['no WebGL', withoutWebgl],
]);
process.exit(failed > 0 ? 1 : 0);
