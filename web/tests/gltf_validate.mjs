// node gltf_validate.mjs FILE.glb... : the Khronos validator's verdict on exported files. Exit status 0 when there is neither
// an error nor a warning in any of them, 1 when there is, 2 when a file cannot be read.
import { readFile } from 'node:fs/promises';
import validator from 'gltf-validator';

const severities = ['error', 'warning', 'info', 'hint'];

async function check(path) {
  const report = await validator.validateBytes(new Uint8Array(await readFile(path)), { uri: path, maxIssues: 50 });
  const { numErrors, numWarnings, numInfos, numHints, messages } = report.issues;
  console.log(`${path}: ${numErrors} errors, ${numWarnings} warnings, ${numInfos} infos, ${numHints} hints`);
  if (report.info !== undefined) {  // there is none of what is not glTF at all
    const { drawCallCount, totalTriangleCount, animationCount } = report.info;
    console.log(`  ${drawCallCount} draw calls, ${totalTriangleCount} triangles, ${animationCount} animations`);
  }
  for (const { severity, code, message, pointer, offset } of messages) {
    console.log(`  ${severities[severity]} ${code} at ${pointer ?? `byte ${offset}`}: ${message}`);
  }
  return numErrors + numWarnings === 0;
}

const files = process.argv.slice(2);
if (files.length === 0) {
  console.error('usage: node gltf_validate.mjs FILE.glb...');
  process.exit(2);
}
let good = true;
for (const file of files) {
  try {
    good = (await check(file)) && good;
  } catch (error) {
    console.error(`${file}: ${error.message ?? error}`);
    process.exit(2);
  }
}
process.exit(good ? 0 : 1);
