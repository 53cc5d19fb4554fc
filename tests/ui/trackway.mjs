// A Trackway to test: one that runs already, or one of our own.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const START_MS = 120_000; // an empty store on a busy machine
const STOP_MS = 30_000;
const DEMO_RATE = 40; // requests a second

const repository = fileURLToPath(new URL('../../', import.meta.url));

/**
 * @typedef {object} Trackway
 * @property {string} url     of the UI, without a slash at its end
 * @property {string} ndjson  where it takes NDJSON
 * @property {() => Promise<void>} stop
 */

/** @returns {Promise<Trackway>} */
export async function startTrackway() {
  if (process.env.TRACKWAY_URL) {
    return {
      url: process.env.TRACKWAY_URL.replace(/\/$/, ''),
      ndjson: process.env.TRACKWAY_NDJSON ?? 'http://127.0.0.1:4319/v1/ingest',
      stop: async () => {},
    };
  }

  const program = process.env.TRACKWAY_BIN ?? join(repository, 'bin/trackway');
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
  const child = spawn(
    program,
    [
      'up',
      '--json',
      '--data',
      data,
      `--demo=${DEMO_RATE}`,
      ...ports.map((p) => `--${p}=127.0.0.1:0`),
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (chunk) => (log += chunk));
  const ended = once(child, 'exit');

  const ready = new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`trackway up was not ready within ${START_MS} ms:\n${log}`)),
      START_MS,
    );
    createInterface({ input: child.stdout }).once('line', (line) => {
      clearTimeout(timer);
      resolve(JSON.parse(line));
    });
    void ended.then(([code]) => {
      clearTimeout(timer);
      reject(new Error(`trackway up ended with ${code} before it was ready:\n${log}`));
    });
  });

  const stop = async () => {
    if (child.exitCode === null) {
      child.kill('SIGINT');
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
      await ended;
      clearTimeout(timer);
    }
    await rm(data, { recursive: true, force: true });
  };

  try {
    const { urls } = await ready;
    return { url: urls.ui, ndjson: urls.ndjson, stop };
  } catch (e) {
    await stop();
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
