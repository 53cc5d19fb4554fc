// The live tail: Server-Sent Events, re-opened by the browser when they break.

import { ApiError, isAbort, toError } from './api';
import type { Missed, Row, TailStatus } from './types';

export type TailState = 'connecting' | 'open' | 'failed';

export interface TailHandlers {
  record(row: Row): void;
  missed(count: number): void;
  /** how many of the collectors the server listens to, told when it changes */
  collectors(status: TailStatus): void;
  state(state: TailState, error?: ApiError): void;
}

/** Opens the tail at `url`; the function it returns closes it. */
export function openTail(url: string, on: TailHandlers): () => void {
  const source = new EventSource(url);
  const abort = new AbortController();
  on.state('connecting');
  source.addEventListener('open', () => on.state('open'));
  source.addEventListener('record', (e) => on.record(JSON.parse(e.data) as Row));
  source.addEventListener('missed', (e) => {
    on.missed((JSON.parse(e.data) as Missed).missed);
  });
  source.addEventListener('status', (e) => on.collectors(JSON.parse(e.data) as TailStatus));
  source.addEventListener('error', () => {
    if (source.readyState !== EventSource.CLOSED) {
      on.state('connecting');
      return;
    }
    // An EventSource does not tell why it was refused; asking once more does.
    refusal(url, abort.signal).then(
      (error) => on.state('failed', error),
      (e: unknown) => {
        if (!isAbort(e)) on.state('failed', new ApiError(0, 'The server did not answer.'));
      },
    );
  });
  return () => {
    abort.abort();
    source.close();
  };
}

async function refusal(url: string, signal: AbortSignal): Promise<ApiError> {
  const response = await fetch(url, { headers: { Accept: 'text/event-stream' }, signal });
  if (!response.ok) return toError(response);
  await response.body?.cancel();
  return new ApiError(0, 'The connection was closed.');
}
