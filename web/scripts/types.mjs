// Generates the API's types from the committed OpenAPI document, so that a
// change of the API that the UI does not follow fails `npm run check`.
import { readFile, writeFile } from 'node:fs/promises';
import openapiTS, { astToString } from 'openapi-typescript';

const source = new URL('../openapi.json', import.meta.url);
const target = new URL('../src/lib/api.gen.d.ts', import.meta.url);

const text = astToString(await openapiTS(source));
const old = await readFile(target, 'utf8').catch(() => '');
if (old !== text) await writeFile(target, text);
