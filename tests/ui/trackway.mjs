// A Trackway to test: one that runs already, or one of our own.

import { access, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startChild } from './child.mjs';

const repository = fileURLToPath(new URL('../../', import.meta.url));

/**
 * @typedef {object} Trackway
 * @property {string} url     of the UI, without a slash at its end
 * @property {string} ndjson  where it takes NDJSON
 * @property {string} otlp    base of its OTLP/HTTP endpoint
 * @property {() => Promise<void>} stop
 */

/**
 * @param {{demo?: number}} options  demo traffic, requests a second
 * @returns {Promise<Trackway>}
 */
export async function startTrackway({ demo = 0 } = {}) {
  if (process.env.TRACKWAY_URL) {
    return {
      url: process.env.TRACKWAY_URL.replace(/\/$/, ''),
      ndjson: process.env.TRACKWAY_NDJSON ?? 'http://127.0.0.1:4319/v1/ingest',
      otlp: process.env.TRACKWAY_OTLP ?? 'http://127.0.0.1:4318',
      stop: async () => {},
    };
  }

  const bin = process.env.TRACKWAY_BIN ?? join(repository, 'bin');
  const program = join(bin, 'trackway');
  await access(program).catch((cause) => {
    throw new Error(`${program} is missing: run "make build" first`, { cause });
  });
  const data = await mkdtemp(join(tmpdir(), 'trackway-ui-'));
  const ports = [
    'listen',
    'otlp-grpc',
    'otlp-http',
    'ndjson',
    'engine-listen',
    'live-tail',
    'health',
  ];
  const clear = () => rm(data, { recursive: true, force: true });
  try {
    const { ready, stop } = await startChild(
      program,
      [
        'up',
        '--json',
        '--data',
        data,
        '--config-dir',
        join(repository, 'config'),
        ...(demo > 0 ? [`--demo=${demo}`] : []),
        ...ports.map((p) => `--${p}=127.0.0.1:0`),
      ],
      { signal: 'SIGINT' },
    );
    const { ui, ndjson, otlp_http: otlp } = ready.urls;
    return { url: ui, ndjson, otlp, stop: () => stop().finally(clear) };
  } catch (e) {
    await clear();
    throw e;
  }
}

/** Sends items as NDJSON and requires that all were accepted. */
export async function send(trackway, items) {
  const response = await fetch(trackway.ndjson, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-ndjson' },
    body: items.map((item) => JSON.stringify(item)).join('\n'),
  });
  const answer = await response.json();
  if (!response.ok || answer.accepted !== items.length) {
    throw new Error(`NDJSON was answered ${response.status}: ${JSON.stringify(answer)}`);
  }
}

/** Asks the API until `found` is content with the answer. */
export async function eventually(trackway, path, found) {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const response = await fetch(`${trackway.url}/api/v1/projects/default/${path}`);
    const answer = await response.json();
    if (response.ok && found(answer)) return answer;
    if (Date.now() > deadline) {
      throw new Error(
        `${path} did not come to hold what was sent: ${JSON.stringify(answer).slice(0, 500)}`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}
