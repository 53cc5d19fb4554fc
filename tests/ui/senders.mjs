// The real senders of tests/senders, and what their SDKs recorded.

import { execFile } from 'node:child_process';
import { access, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startChild } from './child.mjs';

const execute = promisify(execFile);
const tests = fileURLToPath(new URL('../', import.meta.url));
const node = join(tests, 'senders/nodeservice');

/**
 * A span as the SDK held it; the Go package tests/senders/spanfile describes it.
 * @typedef {{trace_id: string, span_id: string, parent_span_id?: string, name: string,
 *   kind: string, status: string, attributes: object, resource: object,
 *   events?: {name: string, attributes: object}[]}} Span
 */

/**
 * Starts the Go and the Node service, which send to a Trackway. The Go service
 * calls the Node service.
 * @param {string} otlp  base of the OTLP/HTTP endpoint
 * @param {string} mark  makes the services' names unlike those of other runs
 */
export async function startSenders(otlp, mark) {
  const dir = await mkdtemp(join(tmpdir(), 'trackway-senders-'));
  const running = [];
  const start = async (name, program, args, env = {}) => {
    const file = join(dir, `${name}.jsonl`);
    const service = `${name}-${mark}`;
    const { ready, stop } = await startChild(program, args, {
      env: {
        OTEL_SERVICE_NAME: service,
        OTEL_RESOURCE_ATTRIBUTES: 'service.version=v1.4.2,deployment.environment.name=test',
        OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
        OTEL_EXPORTER_OTLP_ENDPOINT: otlp,
        SPAN_FILE: file,
        ...env,
      },
    });
    const sender = { service, url: `http://${ready.listen}`, file, stop };
    running.push(sender);
    return sender;
  };
  // What ended already is not stopped again.
  const stop = async () => {
    for (const sender of running.splice(0)) await sender.stop();
  };
  const close = () => stop().finally(() => rm(dir, { recursive: true, force: true }));
  try {
    const program = join(dir, 'goservice');
    await Promise.all([buildGo(program), installNode()]);
    const shop = await start('node-shop', process.execPath, [join(node, 'server.js')]);
    const front = await start('go-shop', program, [], { PEER_URL: shop.url });
    /** Stops both, which makes them send what is queued, and gives what they recorded. */
    const finish = async () => {
      await stop();
      return [...(await readSpans(front.file)), ...(await readSpans(shop.file))];
    };
    return { go: front, node: shop, finish, close };
  } catch (e) {
    await close();
    throw e;
  }
}

function buildGo(program) {
  return execute('go', ['build', '-o', program, './senders/goservice'], {
    cwd: tests,
    env: { ...process.env, CGO_ENABLED: '0' },
  });
}

async function installNode() {
  const installed = await access(join(node, 'node_modules/.package-lock.json')).then(
    () => true,
    () => false,
  );
  if (installed) return;
  await execute('npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts'], {
    cwd: node,
  });
}

/** Sends one request to a sender and requires the status. */
export async function call(sender, method, path, status, body) {
  const response = await fetch(sender.url + path, {
    method,
    ...(body
      ? {
          body: JSON.stringify(body),
          headers: { 'Content-Type': 'application/json' },
        }
      : {}),
  });
  await response.arrayBuffer();
  if (response.status !== status) {
    throw new Error(`${method} ${path} of ${sender.service} was answered ${response.status}`);
  }
}

/** @returns {Promise<Span[]>} */
async function readSpans(file) {
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
  // A number that a double cannot hold stays as it is written.
  const exact = (line) => line.replace(/(?<=[:[,])-?\d{16,}(?=[,\]}])/g, '"$&"');
  return lines.map((line) => JSON.parse(exact(line)));
}

/** Whether a span is stored as a request; none of these senders' spans here are messages or RPCs. */
export const isRequest = (span) => span.kind === 'server';

/** An attribute's value in the form in which the store keeps it. */
export const text = (value) => (typeof value === 'object' ? JSON.stringify(value) : String(value));
