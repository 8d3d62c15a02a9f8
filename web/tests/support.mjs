// What the browser tests share: the browser, a watch over what a page does, tables of the program, and checks with names.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const artefacts = process.env.CAROM_ARTEFACTS ?? 'web-artefacts';
export const artefact = (name) => join(artefacts, name);

/** Where Debian and its kin put it, unless CHROMIUM says otherwise. */
function findBrowser() {
  const places = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
  return places.find((place) => place && existsSync(place));
}

export async function launch() {
  const executablePath = findBrowser();
  if (!executablePath) {
    console.log('SKIPPED: no Chromium here (apt-get install chromium, or set CHROMIUM to its path)');
    process.exit(77);
  }
  return chromium.launch({ executablePath, headless: true });
}

/** A page from a file, and everything it did that a self-contained page must not do. */
export async function openFile(browser, path, options = {}) {
  const { init, ...context } = options;
  const page = await (await browser.newContext({ viewport: { width: 1040, height: 680 }, ...context })).newPage();
  const url = pathToFileURL(path).href;
  const complaints = [];
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(`console error: ${message.text()}`);
  });
  page.on('pageerror', (error) => complaints.push(`exception: ${error.message}`));
  page.on('request', (request) => {
    if (request.url() !== url && !/^(data|blob):/.test(request.url())) complaints.push(`request: ${request.url()}`);
  });
  page.on('websocket', (socket) => complaints.push(`websocket: ${socket.url()}`));
  if (init) await page.addInitScript(init);
  await page.goto(url);
  return { page, complaints };
}

/** The rows of a trajectory by their time: seconds to [{ name, position, orientation }] in the order of the scene. */
export async function readTrajectory(path) {
  const text = await readFile(path, 'utf8');
  const times = new Map();
  for (const line of text.trim().split('\n').slice(1)) {
    const quoted = /^([^,]*),("(?:[^"]|"")*"|[^,]*),(.*)$/.exec(line);
    const name = quoted[2].startsWith('"') ? quoted[2].slice(1, -1).replaceAll('""', '"') : quoted[2];
    const n = quoted[3].split(',').map(Number);
    const time = Number(quoted[1]);
    if (!times.has(time)) times.set(time, []);
    times.get(time).push({ name, position: n.slice(0, 3), orientation: n.slice(3, 7), velocity: n.slice(7, 10) });
  }
  return times;
}

/** Largest difference of components; quaternions of either sign are the same orientation. */
export function difference(a, b) {
  const dot = a.length === 4 ? a.reduce((sum, x, i) => sum + x * b[i], 0) : 1;
  return Math.max(...a.map((x, i) => Math.abs(x - (dot < 0 ? -b[i] : b[i]))));
}

/** Runs named checks one after another and ends the process by their outcome. */
export async function run(title, browser, checks) {
  let failed = 0;
  for (const [name, check] of checks) {
    try {
      await check();
      console.log(`ok     ${title}: ${name}`);
    } catch (error) {
      failed++;
      console.log(`FAILED ${title}: ${name}\n       ${error.stack}`);
    }
  }
  await browser.close();
  return failed;
}
