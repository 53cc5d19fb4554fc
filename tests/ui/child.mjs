// Programs that say that they are ready with one JSON line on their stdout.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

const START_MS = 120_000; // an empty store on a busy machine
const STOP_MS = 30_000;

/**
 * Starts a program and waits for its ready line.
 * @returns {Promise<{ready: any, stop: () => Promise<void>}>} `stop` lets the
 *   program end in its own way, which it must do in time and without an error
 */
export async function startChild(program, args, { env = {}, signal = 'SIGTERM' } = {}) {
  const command = [program, ...args].join(' ');
  const child = spawn(program, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (chunk) => (log += chunk));
  const ended = once(child, 'close').catch((e) => [e.message]);

  const stop = async () => {
    child.kill(signal);
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    const [code] = await ended;
    clearTimeout(timer);
    if (code !== 0) throw new Error(`${command} did not stop cleanly (${code}):\n${log}`);
  };

  let timer;
  try {
    const ready = await new Promise((resolve, reject) => {
      timer = setTimeout(
        () => reject(new Error(`${command} was not ready within ${START_MS} ms:\n${log}`)),
        START_MS,
      );
      createInterface({ input: child.stdout }).once('line', (line) => resolve(JSON.parse(line)));
      void ended.then(([code]) =>
        reject(new Error(`${command} ended with ${code} before it was ready:\n${log}`)),
      );
    });
    return { ready, stop };
  } catch (e) {
    if (child.exitCode === null) await stop().catch(() => {});
    throw e;
  } finally {
    clearTimeout(timer);
  }
}
