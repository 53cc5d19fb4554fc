// Fails when the JavaScript that the first route needs passes the limit.
//
// Counted, gzipped: every script index.html names, all they import statically,
// and the chunk of the first page with all that it imports statically.
import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';

const LIMIT = 60 * 1024; // bytes; the promise of the UI's first load
const FIRST_PAGE = 'src/pages/Overview.svelte';

const dist = new URL('../dist/', import.meta.url);
const read = (name) =>
  readFile(new URL(name, dist)).catch((cause) => {
    throw new Error(`size: ${name} is missing in dist; run "npm run build" first`, { cause });
  });

const manifest = JSON.parse(await read('.vite/manifest.json'));
if (!manifest[FIRST_PAGE]) {
  throw new Error(`size: the build has no chunk for ${FIRST_PAGE}; name the first page here`);
}

const files = new Set();
const add = (key) => {
  const chunk = manifest[key];
  if (files.has(chunk.file)) return;
  files.add(chunk.file);
  for (const child of chunk.imports ?? []) add(child);
};
add('index.html');
add(FIRST_PAGE);

const html = String(await read('index.html'));
for (const [, src] of html.matchAll(/<(?:script|link)\b[^>]*?(?:src|href)="\/([^"]+\.js)"/g)) {
  files.add(src);
}

let total = 0;
for (const file of files) {
  const bytes = gzipSync(await read(file), { level: 9 }).length;
  total += bytes;
  console.log(`${String(bytes).padStart(7)}  ${file}`);
}
console.log(`${String(total).padStart(7)}  initial JavaScript, gzipped; the limit is ${LIMIT}`);
if (total > LIMIT) {
  console.error(
    `size: ${total - LIMIT} bytes too many; load what the first page does not need lazily`,
  );
  process.exit(1);
}
