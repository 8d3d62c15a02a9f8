// node picture.mjs PAGE.html OUT.png [TIME] [light|dark] [WIDTHxHEIGHT]: a picture of a replay page, as in the README.
import { launch, openFile } from './tests/support.mjs';

const [file, out, time = '0', colorScheme = 'light', size = '1440x900'] = process.argv.slice(2);
if (!out) {
  console.error('usage: node picture.mjs PAGE.html OUT.png [TIME] [light|dark] [WIDTHxHEIGHT]');
  process.exit(2);
}
const [width, height] = size.split('x').map(Number);
const browser = await launch();
const { page } = await openFile(browser, file, { viewport: { width, height }, colorScheme, reducedMotion: 'reduce' });
await page.evaluate(() => window.carom.ready);
await page.evaluate((t) => carom.seek(t), Number(time));
// Walls fade for a moment, and the fine picture follows when they are done.
await page.waitForTimeout(1500);
await page.screenshot({ path: out });
await browser.close();
