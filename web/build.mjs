// node build.mjs OUT.cpp
// Bundles each page into one HTML text and writes them as the C++ source that src/io/replay_template.h declares. The HTML
// itself is written beside it, for a look at its size.
import { build } from 'esbuild';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));

async function bundle(entry) {
  const result = await build({
    entryPoints: [join(here, 'src', entry)],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    target: ['chrome100', 'firefox100', 'safari15.4'],
    legalComments: 'none',
    charset: 'utf8',
  });
  return result.outputFiles[0].text.trim();
}

/** Licences of what the bundle contains go into the page, as they ask. */
async function notices() {
  const texts = await Promise.all(
    ['three', 'fzstd'].map(async (name) => {
      const text = await readFile(join(here, 'node_modules', name, 'LICENSE'), 'utf8');
      return `${name}\n${text.trim()}`;
    }),
  );
  return texts.join('\n\n').replaceAll('--', '- -');
}

/** Inside a script element these two would be read as markup. Both can only stand in strings here. */
function inlineScript(code) {
  return code.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
}

/** Compilers read a few long literals much faster than a list of numbers. */
function literal(name, text) {
  const delimiter = 'carom';
  if (text.includes(`)${delimiter}"`)) throw new Error(`the page holds )${delimiter}", which would end a raw literal`);
  const pieces = text.match(/[^]{1,8000}/gu).map((piece) => `  R"${delimiter}(${piece})${delimiter}"`);
  return `namespace {
constexpr char ${name}Text[] =
${pieces.join('\n')};
}  // namespace

const std::string_view ${name}{${name}Text, sizeof(${name}Text) - 1};
`;
}

/** HTML, style and program of a page as one text; the marks for title and data stay. */
async function makePage(name, licences) {
  const [html, style, script] = await Promise.all([
    readFile(join(here, 'src', `${name}.html`), 'utf8'),
    bundle(`${name}.css`),
    bundle(`${name}.js`),
  ]);
  // Functions as replacements: `$&` and the like in the code must not mean anything.
  const page = html
    .replace('<!--carom:style-->', () => `<style>${style}</style>`)
    .replace('<!--carom:script-->', () => `<script>${inlineScript(script)}</script>`)
    .replace('<!--carom:notices-->', () => `<!--\nThis page contains:\n\n${licences}\n-->`);
  for (const mark of ['<!--carom:title-->', '<!--carom:data-->']) {
    if (page.split(mark).length !== 2) throw new Error(`the page ${name} must hold ${mark} once`);
  }
  return page;
}

const output = process.argv[2];
if (!output) throw new Error('usage: node build.mjs OUT.cpp');

const licences = await notices();
const [replay, compare] = await Promise.all(['replay', 'compare'].map((name) => makePage(name, licences)));
await mkdir(dirname(output), { recursive: true });
await writeFile(output, `// Generated from web/ by web/build.mjs.
#include "io/replay_template.h"

namespace carom::replay {

${literal('kPageTemplate', replay)}
${literal('kComparePageTemplate', compare)}
}  // namespace carom::replay
`);
await writeFile(output.replace(/\.cpp$/, '.html'), replay);
await writeFile(output.replace(/replay_template\.cpp$/, 'compare_template.html'), compare);
